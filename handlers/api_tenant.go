package handlers

import (
	"net/http"

	"odysseus/control"
)

// ListTenants answers GET /api/v1/tenants.
func (a *API) ListTenants(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Tenants(r.Context(), actor(r), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, tenantObject)
}

// CreateTenant answers POST /api/v1/tenants.
func (a *API) CreateTenant(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.NewTenant](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateTenant(r.Context(), actor(r), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, true, o.DryRun, "", writtenJSON{Object: tenantObject(done.Object)})
}

// GetTenant answers GET /api/v1/tenants/{tenant}.
func (a *API) GetTenant(w http.ResponseWriter, r *http.Request) {
	t, err := a.control.Tenant(r.Context(), actor(r), r.PathValue("tenant"))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, "", tenantObject(t))
}

// DeleteTenant answers DELETE /api/v1/tenants/{tenant}.
func (a *API) DeleteTenant(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteTenant(r.Context(), actor(r), r.PathValue("tenant"), o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, false, o.DryRun, "", writtenJSON{Object: tenantObject(done.Object)})
}

// ListNamespaces answers GET /api/v1/tenants/{tenant}/namespaces.
func (a *API) ListNamespaces(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Namespaces(r.Context(), actor(r), r.PathValue("tenant"), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, namespaceObject)
}

// CreateNamespace answers POST /api/v1/tenants/{tenant}/namespaces.
func (a *API) CreateNamespace(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.NewNamespace](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateNamespace(r.Context(), actor(r), r.PathValue("tenant"), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, true, o.DryRun, "", writtenJSON{Object: namespaceObject(done.Object)})
}
