package handlers

import (
	"errors"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// Nodes is GET /nodes: ?q=&cluster=&after=.
func (p *Pages) Nodes(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page, err := p.Control.Nodes(r.Context(), control.ActorFrom(r.Context()), fleet.NodeFilter{Cluster: query.Get("cluster")}, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionFleet)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	words := p.words(r)
	rows := make([]views.NodeRow, len(page.Items))
	for i, node := range page.Items {
		rows[i] = views.NodeRow{Node: node.Node, State: node.State}
		for _, fault := range node.Refusal {
			rows[i].Refusals = append(rows[i].Refusals, words.Refusal(fault))
		}
		if !node.Draining() {
			continue
		}
		left, err := p.Control.Leaving(r.Context(), control.ActorFrom(r.Context()), node.Name)
		if err != nil && !errors.Is(err, fleet.ErrNotFound) { // a node may go between two looks
			p.fail(w, r, err)
			return
		}
		rows[i].Left, rows[i].Stay = left.Replicas, stayRows(left.Stay)
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Nodes(views.NodesPage{
		Chrome: chrome, Rows: rows, Query: query.Get("q"), Cluster: query.Get("cluster"), Self: r.URL.RequestURI(), First: first, Next: next,
	}), views.FragmentNodes)
}

// staysShown is how many deployments a draining node names.
const staysShown = 20

func stayRows(stays []control.Stay) []views.StayRow {
	rows := make([]views.StayRow, 0, min(len(stays), staysShown))
	for _, s := range stays[:min(len(stays), staysShown)] {
		rows = append(rows, views.StayRow{Ref: s.Ref, Replicas: s.Replicas, Reasons: s.Reasons})
	}
	return rows
}

// CordonNode is POST /nodes/{node}/cordon.
func (p *Pages) CordonNode(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("node")
	_, _, err := p.Control.CordonNode(r.Context(), control.ActorFrom(r.Context()), name, control.WriteOptions{})
	p.nodeDone(w, r, err, "nodes.cordoned", name)
}

// UncordonNode is POST /nodes/{node}/uncordon.
func (p *Pages) UncordonNode(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("node")
	_, _, err := p.Control.UncordonNode(r.Context(), control.ActorFrom(r.Context()), name, control.WriteOptions{})
	p.nodeDone(w, r, err, "nodes.uncordoned", name)
}

func (p *Pages) nodeDone(w http.ResponseWriter, r *http.Request, err error, key, name string) {
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, "/nodes", key, map[string]string{"Name": name})
}

// ConfirmDrain is GET /nodes/{node}/drain: what draining does, in numbers, before it is done.
func (p *Pages) ConfirmDrain(w http.ResponseWriter, r *http.Request) {
	p.drainForm(w, r, http.StatusOK, "", nil)
}

// DrainNode is POST /nodes/{node}/drain: graceSeconds, empty for the default.
func (p *Pages) DrainNode(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	name, grace := r.PathValue("node"), r.PostForm.Get("graceSeconds")
	values := map[string]any{}
	if grace != "" {
		values["graceSeconds"] = numberOrText(grace)
	}
	_, faults, err := p.Control.DrainNode(r.Context(), control.ActorFrom(r.Context()), name, formBody[control.DrainRequest](values), control.WriteOptions{})
	if err == nil && len(faults) > 0 {
		p.drainForm(w, r, refusedStatus(faults), grace, faults)
		return
	}
	p.nodeDone(w, r, err, "nodes.draining", name)
}

func (p *Pages) drainForm(w http.ResponseWriter, r *http.Request, status int, grace string, faults fleet.FieldErrors) {
	name := r.PathValue("node")
	node, err := p.Control.Node(r.Context(), control.ActorFrom(r.Context()), name)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionFleet)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	words := p.words(r)
	named := map[string]string{"Name": name}
	refusals := views.RefusalsOf(words, faults, func(field string) string { return field })
	p.render(w, r, status, views.Confirm(views.ConfirmPage{
		Chrome:       chrome,
		Crumbs:       []views.Crumb{{Text: words.T("nodes.title", nil), Path: "/nodes"}, {Text: name}},
		Title:        words.T("nodes.drain_title", named),
		Consequences: []string{words.N("nodes.drain_replicas", node.State.Containers, nil), words.T("nodes.drain_cordon", nil), words.T("nodes.drain_stay", nil)},
		Button:       words.T("nodes.drain_button", named),
		Action:       "/nodes/" + name + "/drain",
		Cancel:       "/nodes",
		Fields:       []views.Field{{ID: "graceSeconds", Name: "graceSeconds", Key: "grace_seconds", Value: grace, Hinted: true, Class: "short", Refusals: refusals}},
		Refusals:     refusals,
	}))
}
