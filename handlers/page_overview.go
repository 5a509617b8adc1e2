package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// attentionShown is how many pending deployments the overview names before it leads to all of them.
const attentionShown = 5

// Overview is GET /.
func (p *Pages) Overview(w http.ResponseWriter, r *http.Request) {
	ctx, actor := r.Context(), control.ActorFrom(r.Context())
	chrome, err := p.chrome(w, r, views.SectionOverview)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	counts, err := p.Control.CountStates(ctx, actor)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	geo, err := p.Control.Regions(ctx, actor)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	geography, err := p.Control.Geography(ctx, actor)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	pending, err := p.Control.Pending(ctx, actor, control.PendingFilter{}, fleet.ListOptions{Limit: attentionShown})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, r, http.StatusOK, views.Overview(views.OverviewPage{
		Chrome: chrome, Counts: counts, Enforced: geo.Enabled, Geography: geography, Attention: pendingRows(pending.Items),
	}), views.FragmentOverview)
}

// Pending is GET /pending: oldest first, ?q=&reason=&tenant=.
func (p *Pages) Pending(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	filter := control.PendingFilter{Tenant: query.Get("tenant"), Reason: fleet.Code(query.Get("reason"))}
	page, err := p.Control.Pending(r.Context(), control.ActorFrom(r.Context()), filter, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionPending)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Pending(views.PendingPage{
		Chrome: chrome, Rows: pendingRows(page.Items), Query: query.Get("q"), Reason: query.Get("reason"), Tenant: query.Get("tenant"),
		Self: r.URL.RequestURI(), First: first, Next: next,
	}), views.FragmentPending)
}

func pendingRows(items []control.PendingDeployment) []views.PendingRow {
	rows := make([]views.PendingRow, len(items))
	for i, item := range items {
		rows[i] = views.PendingRow{Deployment: item.Deployment, Pending: item.Pending}
	}
	return rows
}
