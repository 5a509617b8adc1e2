package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// Clusters is GET /clusters.
func (p *Pages) Clusters(w http.ResponseWriter, r *http.Request) {
	page, err := p.Control.Clusters(r.Context(), control.ActorFrom(r.Context()), listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionFleet)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	rows := make([]views.ClusterRow, len(page.Items))
	for i, cluster := range page.Items {
		rows[i] = views.ClusterRow{Cluster: cluster.Cluster, Live: cluster.NodesLive, All: cluster.Nodes}
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Clusters(views.ClustersPage{Chrome: chrome, Rows: rows, First: first, Next: next}))
}

// Tenants is GET /tenants. Their namespaces come in one list for all, sorted in beside them.
func (p *Pages) Tenants(w http.ResponseWriter, r *http.Request) {
	ctx, actor := r.Context(), control.ActorFrom(r.Context())
	page, err := p.Control.Tenants(ctx, actor, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	rows := make([]views.TenantRow, len(page.Items))
	for i, tenant := range page.Items {
		namespaces, err := p.Control.Namespaces(ctx, actor, tenant.Name, fleet.ListOptions{Limit: namespacesShown})
		if err != nil {
			p.fail(w, r, err)
			return
		}
		rows[i] = views.TenantRow{Tenant: tenant}
		for _, ns := range namespaces.Items {
			rows[i].Namespaces = append(rows[i].Namespaces, ns.Name)
		}
	}
	chrome, err := p.chrome(w, r, views.SectionTenants)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Tenants(views.TenantsPage{Chrome: chrome, Rows: rows, First: first, Next: next}))
}

// Audit is GET /audit: newest first, ?q=&after=.
func (p *Pages) Audit(w http.ResponseWriter, r *http.Request) {
	page, err := p.Control.Audit(r.Context(), control.ActorFrom(r.Context()), listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionAudit)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Audit(views.AuditPage{
		Chrome: chrome, Query: r.URL.Query().Get("q"), Rows: page.Items, First: first, Next: next,
	}))
}
