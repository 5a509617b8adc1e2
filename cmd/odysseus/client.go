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
			return &refusedError{[]string{fmt.Sprintf("%s: there is no %s", fleet.CodeNotFound, strings.TrimPrefix(request.URL.Path, "/api/v1/"))}}
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

// target is a deployment named on the command line.
type target struct {
	Name      string `arg:"" help:"Name of the deployment."`
	Namespace string `short:"n" required:"" help:"Its namespace."`
	Output    string `short:"o" enum:"text,json,yaml" default:"text" help:"text, json or yaml."`
}

func (t target) path() string {
	return "/api/v1/namespaces/" + url.PathEscape(t.Namespace) + "/deployments/" + url.PathEscape(t.Name)
}

// getCommand prints one deployment or the namespace's list.
type getCommand struct {
	Name      string `arg:"" optional:"" help:"Name of the deployment; all of the namespace where it is left out."`
	Namespace string `short:"n" required:"" help:"Namespace."`
	Output    string `short:"o" enum:"text,json,yaml" default:"text" help:"text, json or yaml."`
}

func (c *getCommand) Run(p *program) error {
	api, err := newClient(p)
	if err != nil {
		return err
	}
	if c.Name != "" {
		var object json.RawMessage
		if err := api.call(http.MethodGet, target{Name: c.Name, Namespace: c.Namespace}.path(), "", nil, fleet.FormatJSON, &object); err != nil {
			return err
		}
		return printObject(p.stdout, c.Output, object, "")
	}
	after := ""
	for {
		var list struct {
			Items    []json.RawMessage `json:"items"`
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
		}
		path := target{Namespace: c.Namespace}.path() + "?" + url.Values{"continue": {after}}.Encode()
		if after == "" {
			path = target{Namespace: c.Namespace}.path()
		}
		if err := api.call(http.MethodGet, strings.Replace(path, "deployments/", "deployments", 1), "", nil, fleet.FormatJSON, &list); err != nil {
			return err
		}
		for _, item := range list.Items {
			if err := printObject(p.stdout, c.Output, item, ""); err != nil {
				return err
			}
		}
		if after = list.Metadata.Continue; after == "" {
			return nil
		}
	}
}

// deleteCommand deletes one deployment.
type deleteCommand struct{ target }

func (c *deleteCommand) Run(p *program) error {
	api, err := newClient(p)
	if err != nil {
		return err
	}
	var answer answered
	if err := api.call(http.MethodDelete, c.path(), "", nil, fleet.FormatJSON, &answer); err != nil {
		return err
	}
	return printObject(p.stdout, c.Output, answer.Object, "deleted")
}

// explainCommand says where a deployment runs, and why not elsewhere.
type explainCommand struct{ target }

func (c *explainCommand) Run(p *program) error {
	api, err := newClient(p)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := api.call(http.MethodGet, c.path()+"/placement", "", nil, fleet.FormatJSON, &raw); err != nil {
		return err
	}
	if c.Output != "text" {
		return printObject(p.stdout, c.Output, raw, "")
	}
	var placement fleet.PlacementReport
	if err := json.Unmarshal(raw, &placement); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	fmt.Fprintf(p.stdout, "%s/%s: %s\n", c.Namespace, c.Name, placement.State)
	for _, cluster := range placement.Clusters {
		fmt.Fprintf(p.stdout, "  cluster %s: %d placed, %d ready\n", cluster.Name, cluster.Placed, cluster.Ready)
	}
	if pending := placement.Pending; pending != nil {
		fmt.Fprintf(p.stdout, "  pending %d since %s\n", pending.Replicas, pending.Since.Format(time.RFC3339))
		for _, reason := range pending.Reasons {
			fmt.Fprintf(p.stdout, "    %s: %s\n", reason.Code, reason.Message)
		}
	}
	for _, drift := range placement.Drift {
		fmt.Fprintf(p.stdout, "  drift: %d requires %s, its node reports %s\n", drift.Replicas, p.words.Required(drift.Required), p.words.Geo(drift.Reported))
	}
	return nil
}

// printObject writes an object as asked: as text one line, with what happened to it.
func printObject(w io.Writer, output string, raw json.RawMessage, result string) error {
	switch output {
	case "json":
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "  "); err != nil {
			return fmt.Errorf("print answer: %w", err)
		}
		_, err := fmt.Fprintln(w, pretty.String())
		return err
	case "yaml":
		text, err := fleet.YAML(raw)
		if err != nil {
			return fmt.Errorf("print answer: %w", err)
		}
		_, err = fmt.Fprint(w, "---\n"+text)
		return err
	}
	var d fleet.Deployment
	if err := json.Unmarshal(raw, &d); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	line := fmt.Sprintf("%s/%s", d.Metadata.Namespace, d.Metadata.Name)
	if result != "" {
		line += " " + result
	}
	if d.Status != nil && d.Status.State != "" {
		line += fmt.Sprintf(" %s: %d of %d placed, %d ready", d.Status.State, d.Status.Placed, d.Status.Replicas, d.Status.Ready)
		if d.Status.Drifting > 0 {
			line += fmt.Sprintf(", %d drifting", d.Status.Drifting)
		}
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
