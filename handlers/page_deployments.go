package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// Deployments is GET /namespaces/{ns}/deployments: ?q=&state=&residency=&after=.
func (p *Pages) Deployments(w http.ResponseWriter, r *http.Request) {
	query, namespace := r.URL.Query(), r.PathValue("ns")
	filter := fleet.DeploymentFilter{Namespace: namespace, State: fleet.PlacementState(query.Get("state")), Residency: query.Get("residency")}
	if filter.State == views.FilterDrifting {
		filter.State, filter.Drifting = "", true
	}
	page, err := p.Control.Standings(r.Context(), control.ActorFrom(r.Context()), filter, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionDeployments)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Deployments(views.DeploymentsPage{
		Chrome: chrome, Namespace: namespace, Rows: standingRows(page.Items),
		Query: query.Get("q"), State: query.Get("state"), Residency: query.Get("residency"),
		Self: r.URL.RequestURI(), First: first, Next: next,
	}), views.FragmentDeployments)
}

func standingRows(items []control.Standing) []views.StandingRow {
	rows := make([]views.StandingRow, len(items))
	for i, s := range items {
		rows[i] = views.StandingRow{Deployment: s.Deployment, Warnings: s.Warnings, Drift: s.Drift}
	}
	return rows
}

// eventsShown is how many of the latest events a deployment's page has.
const eventsShown = 10

// Deployment is GET /namespaces/{ns}/deployments/{name}.
func (p *Pages) Deployment(w http.ResponseWriter, r *http.Request) {
	ctx, actor := r.Context(), control.ActorFrom(r.Context())
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	detail, err := p.Control.DeploymentDetail(ctx, actor, namespace, name)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	events, err := p.Control.DeploymentEvents(ctx, actor, namespace, name, fleet.ListOptions{Limit: eventsShown})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	manifest, err := manifestOf(detail.Deployment)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionDeployments)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, r, http.StatusOK, views.Deployment(views.DeploymentPage{
		Chrome: chrome, Deployment: detail.Deployment, Warnings: detail.Warnings, Placement: detail.Placement,
		Events: events.Items, Manifest: manifest,
	}), views.FragmentDeployment)
}

// DeploymentEvents is GET …/{name}/events, newest first.
func (p *Pages) DeploymentEvents(w http.ResponseWriter, r *http.Request) {
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	page, err := p.Control.DeploymentEvents(r.Context(), control.ActorFrom(r.Context()), namespace, name, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionDeployments)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Events(views.EventsPage{
		Chrome: chrome, Namespace: namespace, Name: name, Events: page.Items, First: first, Next: next,
	}))
}

// manifestOf is a deployment as YAML without what the server sets, ready to be sent back.
func manifestOf(d fleet.Deployment) (string, error) {
	d.Metadata = fleet.Metadata{Name: d.Metadata.Name, Labels: d.Metadata.Labels, Annotations: d.Metadata.Annotations}
	d.APIVersion, d.Kind, d.Status = fleet.APIVersion, fleet.KindDeployment, nil
	return fleet.YAML(d)
}
