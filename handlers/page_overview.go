package handlers

import (
	"context"
	"net/http"
	"slices"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

const (
	// attentionShown is how many pending workloads the overview names before it leads to all of them, and how many
	// warned ones.
	attentionShown = 5
	// driftsShown is how many drifting ones it names: of all states this one is to be seen first.
	driftsShown = 20
	// warnedSearched is how many deployments it looks through for warnings.
	warnedSearched = 200
)

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
	page := views.OverviewPage{Chrome: chrome, Counts: counts.Deployments, Others: counts.Others, Enforced: geo.Enabled, Geography: geography}
	if err := p.attend(ctx, actor, &page); err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, r, http.StatusOK, views.Overview(page), views.FragmentOverview)
}

// attend adds what needs attention: a few of each sort, read by what is stored for that and never by going through a
// fleet.
func (p *Pages) attend(ctx context.Context, actor control.Actor, page *views.OverviewPage) error {
	pending, err := p.Control.Pending(ctx, actor, control.PendingFilter{}, fleet.ListOptions{Limit: attentionShown})
	if err != nil {
		return err
	}
	page.Attention = pendingRows(pending.Items)
	if page.Drifting, err = p.Control.CountDrifting(ctx, actor); err != nil {
		return err
	}
	if page.Drifting > 0 {
		drifting, err := p.Control.Standings(ctx, actor, fleet.DeploymentFilter{Drifting: true}, fleet.ListOptions{Limit: driftsShown})
		if err != nil {
			return err
		}
		page.Drifts = standingRows(drifting.Items)
	}
	// A warning is true of a moment and stored nowhere: it is looked for in one page of those that can have one.
	declared, err := p.Control.Standings(ctx, actor, fleet.DeploymentFilter{Residency: "any"}, fleet.ListOptions{Limit: warnedSearched})
	if err != nil {
		return err
	}
	page.Warned = warnedRows(declared.Items, page.Attention)
	if declared.Continue != "" && len(page.Warned) < attentionShown {
		page.Searched = len(declared.Items)
	}
	return nil
}

// warnedRows are a few of the deployments that a warning stands about. Where a pending one is named already, that no
// node matches it is its reason, and is not said twice.
func warnedRows(items []control.Standing, pending []views.PendingRow) []views.StandingRow {
	named := map[string]bool{}
	for _, row := range pending {
		named[row.UID] = true
	}
	var rows []views.StandingRow
	for _, s := range items {
		warnings := slices.DeleteFunc(slices.Clone(s.Warnings), func(w fleet.Warning) bool {
			return w.Code == fleet.CodeNoMatchingNode && named[s.Deployment.Metadata.UID]
		})
		if len(warnings) == 0 {
			continue
		}
		rows = append(rows, views.StandingRow{Deployment: s.Deployment, Warnings: warnings})
		if len(rows) == attentionShown {
			break
		}
	}
	return rows
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

func pendingRows(items []control.PendingWorkload) []views.PendingRow {
	rows := make([]views.PendingRow, len(items))
	for i, item := range items {
		rows[i] = views.PendingRow{Workload: item.Workload, Pending: item.Pending}
	}
	return rows
}
