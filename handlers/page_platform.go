package handlers

import (
	"context"
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

// Tenants is GET /tenants.
func (p *Pages) Tenants(w http.ResponseWriter, r *http.Request) {
	ctx, actor := r.Context(), control.ActorFrom(r.Context())
	page, err := p.Control.Tenants(ctx, actor, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	namespaces, err := p.namespacesByTenant(ctx, actor)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	rows := make([]views.TenantRow, len(page.Items))
	for i, tenant := range page.Items {
		rows[i] = views.TenantRow{Tenant: tenant, Namespaces: namespaces[tenant.Name]}
	}
	chrome, err := p.chrome(w, r, views.SectionTenants)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Tenants(views.TenantsPage{Chrome: chrome, Rows: rows, First: first, Next: next}))
}

// namespacesByTenant reads all namespaces in a few long pages, instead of each tenant's in a query of its own.
func (p *Pages) namespacesByTenant(ctx context.Context, actor control.Actor) (map[string][]string, error) {
	all := map[string][]string{}
	o := fleet.ListOptions{Limit: maxLimit}
	for {
		page, err := p.Control.OwnNamespaces(ctx, actor, o)
		if err != nil {
			return nil, err
		}
		for _, ns := range page.Items {
			all[ns.Tenant] = append(all[ns.Tenant], ns.Name)
		}
		if o.After = page.Continue; o.After == "" {
			return all, nil
		}
	}
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
