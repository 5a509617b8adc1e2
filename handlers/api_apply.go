package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

// appliedJSON is what one document came to. Object is a deployment, a policy of either sort or another resource.
type appliedJSON struct {
	Object   any           `json:"object"`
	Result   string        `json:"result"`
	Warnings []warningJSON `json:"warnings"`
}

// Apply answers POST /api/v1/apply: a stream of documents, all or nothing.
func (a *API) Apply(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	docs, faults := fleet.Parse(raw, format)
	applied, faults, err := a.control.Apply(r.Context(), actor(r), docs, faults, control.ApplyOptions{Namespace: r.URL.Query().Get("namespace"), DryRun: o.DryRun})
	title := "title.deployment_refused"
	for _, doc := range docs {
		if doc.APIVersion() != fleet.APIVersion && doc.APIVersion() != "" {
			title = "title.manifest_refused"
		}
	}
	if a.manifestRefused(w, r, title, faults, err) {
		return
	}
	items := make([]appliedJSON, len(applied))
	for i, d := range applied {
		items[i] = appliedJSON{Result: d.Result, Warnings: a.warnings(d.Warnings)}
		switch {
		case d.Deployment != nil:
			items[i].Object = *d.Deployment
		case d.Policy != nil:
			items[i].Object = *d.Policy
		case d.Override != nil:
			items[i].Object = *d.Override
		case d.Resource != nil:
			items[i].Object = a.resourceObject(*d.Resource)
		}
	}
	writeJSON(w, "application/json", http.StatusOK, struct {
		Items []appliedJSON `json:"items"`
	}{items})
}
