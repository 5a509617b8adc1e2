package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"odysseus/fleet"
)

// client is what apply, get, delete and explain talk to the control plane with.
type client struct {
	ctx         context.Context // ends every call: of a command its own, of the demo that of the whole
	base, token string
	http        *http.Client
}

// newClient reads ODYSSEUS_URL and ODYSSEUS_TOKEN.
func newClient(p *program) (*client, error) {
	base := strings.TrimSuffix(p.getenv("ODYSSEUS_URL"), "/")
	if base == "" {
		base = "http://127.0.0.1:8080"
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &refusedError{[]string{fmt.Sprintf("ODYSSEUS_URL: %q is not an address: write http://HOST:PORT or https://HOST", base)}}
	}
	token := p.getenv("ODYSSEUS_TOKEN")
	if token == "" {
		return nil, &refusedError{[]string{"ODYSSEUS_TOKEN: set it to an API token, from your account page or from an operator"}}
	}
	// The answer to a write may wait for a slow disk; nothing waits longer than this.
	return &client{ctx: p.ctx, base: base, token: token, http: &http.Client{Timeout: time.Minute}}, nil
}

// problem is an answer that refuses, RFC 9457.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Errors []struct {
		Code       fleet.Code `json:"code"`
		Field      string     `json:"field"`
		Message    string     `json:"message"`
		Suggestion string     `json:"suggestion"`
		Line       int        `json:"line"`
		Column     int        `json:"column"`
		Fix        string     `json:"fix"`
	} `json:"errors"`
}

// call sends a request and decodes the answer into out; out may be nil. A refusal comes back as *refusedError,
// each line starting with name where it points into a manifest.
func (c *client) call(method, path, name string, body []byte, format fleet.Format, out any) error {
	request, err := http.NewRequestWithContext(c.ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		request.Header.Set("Content-Type", map[fleet.Format]string{fleet.FormatYAML: "application/yaml", fleet.FormatJSON: "application/json"}[format])
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask control plane: %w", err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode >= 400 {
		if response.StatusCode == http.StatusNotFound {
			return notFound(request.URL)
		}
		return refusalOf(response.StatusCode, raw, name)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

func refusalOf(status int, raw []byte, name string) error {
	var p problem
	if err := json.Unmarshal(raw, &p); err != nil || p.Title == "" {
		return &refusedError{[]string{fmt.Sprintf("the control plane answered %d %s", status, http.StatusText(status))}}
	}
	if len(p.Errors) == 0 {
		return &refusedError{[]string{p.Title}}
	}
	e := &refusedError{}
	for _, f := range p.Errors {
		line := fmt.Sprintf("%s: %s", f.Code, f.Message)
		if f.Line > 0 && name != "" {
			line = fmt.Sprintf("%s:%d:%d: %s", name, f.Line, f.Column, line)
		}
		if f.Suggestion != "" && f.Code != fleet.CodeUnknownField {
			line += fmt.Sprintf(" (%s?)", f.Suggestion)
		}
		if f.Fix != "" {
			line += "\n    " + strings.ReplaceAll(strings.TrimSuffix(f.Fix, "\n"), "\n", "\n    ")
		}
		e.lines = append(e.lines, line)
	}
	return e
}

// answered is the part of a write's answer that the command line shows.
type answered struct {
	Object   json.RawMessage `json:"object"`
	Result   string          `json:"result"`
	Warnings []struct {
		Code    fleet.Code `json:"code"`
		Message string     `json:"message"`
	} `json:"warnings"`
}

// applyCommand sends manifests, all or nothing.
type applyCommand struct {
	File      []string `short:"f" required:"" help:"Manifest to apply, YAML or JSON, one or several documents; - for standard input. May be repeated: each file is applied by itself."`
	Namespace string   `short:"n" help:"Namespace of documents that name none."`
	DryRun    bool     `help:"Check everything and change nothing."`
	Output    string   `short:"o" enum:"text,json,yaml" default:"text" help:"text, json or yaml."`
}

func (c *applyCommand) Run(p *program) error {
	api, err := newClient(p)
	if err != nil {
		return err
	}
	query := url.Values{}
	if c.Namespace != "" {
		query.Set("namespace", c.Namespace)
	}
	if c.DryRun {
		query.Set("dryRun", "All")
	}
	for _, name := range c.File {
		body, err := readManifest(name, p.stdin)
		if err != nil {
			return err
		}
		var answer struct {
			Items []answered `json:"items"`
		}
		if err := api.call(http.MethodPost, "/api/v1/apply?"+query.Encode(), name, body, formatOf(name, body), &answer); err != nil {
			return err
		}
		for _, item := range answer.Items {
			for _, w := range item.Warnings {
				fmt.Fprintf(p.stderr, "%s: warning: %s: %s\n", name, w.Code, w.Message)
			}
			if err := printObject(p.stdout, c.Output, item.Object, item.Result); err != nil {
				return err
			}
		}
	}
	return nil
}
