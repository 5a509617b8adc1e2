package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

type appliedJSON struct {
	Object   fleet.Deployment `json:"object"`
	Result   string           `json:"result"`
	Warnings []warningJSON    `json:"warnings"`
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
	if a.deploymentRefused(w, r, faults, err) {
		return
	}
	items := make([]appliedJSON, len(applied))
	for i, d := range applied {
		items[i] = appliedJSON{Object: d.Object, Result: d.Result, Warnings: a.warnings(d.Warnings)}
	}
	writeJSON(w, "application/json", http.StatusOK, struct {
		Items []appliedJSON `json:"items"`
	}{items})
}
