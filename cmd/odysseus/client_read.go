package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"odysseus/fleet"
)

// getCommand prints one object, or all of a kind.
type getCommand struct{ target }

func (c *getCommand) Run(p *program) error {
	at, err := c.find(false)
	if err != nil {
		return err
	}
	api, err := newClient(p)
	if err != nil {
		return err
	}
	if at.named() {
		var object json.RawMessage
		if err := api.call(http.MethodGet, at.one(""), "", nil, fleet.FormatJSON, &object); err != nil {
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
		if err := api.call(http.MethodGet, at.page(after), "", nil, fleet.FormatJSON, &list); err != nil {
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

// explainCommand says where a deployment or resource is, and why not elsewhere; of a policy, what it selects and who
// decides on that, or where it does not apply.
type explainCommand struct{ target }

func (c *explainCommand) Run(p *program) error {
	at, err := c.find(true)
	if err != nil {
		return err
	}
	api, err := newClient(p)
	if err != nil {
		return err
	}
	under := "/placement"
	if at.policy {
		under = ""
	}
	var raw json.RawMessage
	if err := api.call(http.MethodGet, at.one(under), "", nil, fleet.FormatJSON, &raw); err != nil {
		return err
	}
	if c.Output != "text" {
		return printObject(p.stdout, c.Output, raw, "")
	}
	name := strings.TrimPrefix(c.Namespace+"/"+at.name, "/")
	if at.policy {
		return c.explainPolicy(p, name, raw)
	}
	var placement explainedPlacement
	if err := json.Unmarshal(raw, &placement); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	fmt.Fprintf(p.stdout, "%s: %s\n", name, placement.State)
	placement.print(p, "  ")
	return nil
}

// explainedPlacement is a placement as the API answers it.
type explainedPlacement struct {
	fleet.PlacementReport
	Excluded []struct {
		Name    string     `json:"name"`
		Code    fleet.Code `json:"code"`
		Message string     `json:"message"`
	} `json:"excluded"`
}

func (e explainedPlacement) print(p *program, indent string) {
	if e.Policy != nil {
		fmt.Fprintf(p.stdout, "%spolicy %s\n", indent, *e.Policy)
	}
	if e.Unmanaged {
		fmt.Fprintf(p.stdout, "%sno longer managed: the policy that distributed it is gone\n", indent)
	}
	for _, other := range e.Outranking {
		fmt.Fprintf(p.stdout, "%soutranked by %s, if nobody held it\n", indent, other)
	}
	for _, cluster := range e.Clusters {
		fmt.Fprintf(p.stdout, "%scluster %s: %d placed, %d ready\n", indent, cluster.Name, cluster.Placed, cluster.Ready)
		for _, override := range cluster.Overrides {
			fmt.Fprintf(p.stdout, "%s  overridden by %s\n", indent, override)
		}
	}
	for _, cluster := range e.Excluded {
		fmt.Fprintf(p.stdout, "%snot cluster %s: %s: %s\n", indent, cluster.Name, cluster.Code, cluster.Message)
	}
	if pending := e.Pending; pending != nil {
		fmt.Fprintf(p.stdout, "%spending %d since %s\n", indent, pending.Replicas, pending.Since.Format(time.RFC3339))
		for _, reason := range pending.Reasons {
			fmt.Fprintf(p.stdout, "%s  %s: %s\n", indent, reason.Code, reason.Message)
		}
	}
	for _, drift := range e.Drift {
		fmt.Fprintf(p.stdout, "%sdrift: %d requires %s, its node reports %s\n", indent, drift.Replicas, p.words.Required(drift.Required), p.words.Geo(drift.Reported))
	}
}

func (c *explainCommand) explainPolicy(p *program, name string, raw json.RawMessage) error {
	var policy struct {
		Status struct {
			Selected int `json:"selected"`
			Warnings []struct {
				Code    fleet.Code `json:"code"`
				Message string     `json:"message"`
			} `json:"warnings"`
			Resources []struct {
				explainedResource
				Placement explainedPlacement `json:"placement"`
			} `json:"resources"`
			Blocked []struct {
				Resource explainedResource `json:"resource"`
				Cluster  string            `json:"cluster"`
				Code     fleet.Code        `json:"code"`
				Message  string            `json:"message"`
			} `json:"blocked"` // of an override policy
		} `json:"status"`
	}
	if err := json.Unmarshal(raw, &policy); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	fmt.Fprintf(p.stdout, "%s: selects %d\n", name, policy.Status.Selected)
	for _, w := range policy.Status.Warnings {
		fmt.Fprintf(p.stdout, "  warning: %s: %s\n", w.Code, w.Message)
	}
	for _, r := range policy.Status.Resources {
		fmt.Fprintf(p.stdout, "  %s: %s\n", r.explainedResource, r.Placement.State)
		r.Placement.print(p, "    ")
	}
	for _, b := range policy.Status.Blocked {
		fmt.Fprintf(p.stdout, "  %s not in cluster %s: %s: %s\n", b.Resource, b.Cluster, b.Code, b.Message)
	}
	return nil
}

// explainedResource is a resource that a policy selects.
type explainedResource struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

func (r explainedResource) String() string {
	return r.APIVersion + " " + r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")
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
	var o struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   fleet.Metadata `json:"metadata"`
		Status     struct {
			fleet.DeploymentStatus
			Placement *fleet.PlacementReport `json:"placement"`
		} `json:"status"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	line := strings.TrimPrefix(o.Metadata.Namespace+"/"+o.Metadata.Name, "/")
	if o.APIVersion != fleet.APIVersion {
		line = o.Kind + " " + line
	}
	if result != "" {
		line += " " + result
	}
	switch s := o.Status; {
	case s.State != "":
		line += fmt.Sprintf(" %s: %d of %d placed, %d ready", s.State, s.Placed, s.Replicas, s.Ready)
		if s.Drifting > 0 {
			line += fmt.Sprintf(", %d drifting", s.Drifting)
		}
	case s.Placement != nil && result != "deleted":
		line += " " + string(s.Placement.State)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
