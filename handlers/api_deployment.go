package handlers

import (
	"net/http"
	"slices"

	"odysseus/control"
	"odysseus/fleet"
)

// ListDeployments answers GET /api/v1/namespaces/{ns}/deployments, with ?state= and ?residency= as the console's
// list.
func (a *API) ListDeployments(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	q := r.URL.Query()
	f := fleet.DeploymentFilter{Namespace: r.PathValue("ns"), State: fleet.PlacementState(q.Get("state")), Residency: q.Get("residency")}
	if states := []fleet.PlacementState{fleet.Placed, fleet.PartlyPlaced, fleet.Pending, fleet.Waiting}; f.State != "" && !slices.Contains(states, f.State) {
		writeProblem(w, a.words, http.StatusUnprocessableEntity, fleet.FieldErrors{{Code: fleet.CodeNotAccepted, Field: "state", Value: string(f.State), Want: "one_of",
			WantArgs: map[string]string{"Values": "Placed, PartlyPlaced, Pending, Waiting"}}})
		return
	}
	page, err := a.control.Deployments(r.Context(), actor(r), f, o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, same[fleet.Deployment])
}

// CreateDeployment answers POST /api/v1/namespaces/{ns}/deployments.
func (a *API) CreateDeployment(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateDeployment(r.Context(), actor(r), r.PathValue("ns"), control.ParseManifest(raw, format), o)
	a.deploymentWritten(w, r, o, done, faults, err)
}

// GetDeployment answers GET /api/v1/namespaces/{ns}/deployments/{name}.
func (a *API) GetDeployment(w http.ResponseWriter, r *http.Request) {
	d, err := a.control.Deployment(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, d.Metadata.ResourceVersion, d)
}

// PutDeployment answers PUT /api/v1/namespaces/{ns}/deployments/{name}.
func (a *API) PutDeployment(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.UpdateDeployment(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"), control.ParseManifest(raw, format), o)
	a.deploymentWritten(w, r, o, done, faults, err)
}

// DeleteDeployment answers DELETE /api/v1/namespaces/{ns}/deployments/{name}.
func (a *API) DeleteDeployment(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteDeployment(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"), o)
	a.deploymentWritten(w, r, o, done, faults, err)
}

// RollbackDeployment answers POST /api/v1/namespaces/{ns}/deployments/{name}/rollback.
func (a *API) RollbackDeployment(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.RollbackRequest](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.RollbackDeployment(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"), body, o)
	a.deploymentWritten(w, r, o, done, faults, err)
}

// RescheduleDeployment answers POST /api/v1/namespaces/{ns}/deployments/{name}/reschedule: divide afresh.
func (a *API) RescheduleDeployment(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.Reschedule(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"), o)
	a.deploymentWritten(w, r, o, done, faults, err)
}

func (a *API) deploymentWritten(w http.ResponseWriter, r *http.Request, o control.WriteOptions, done control.Written[fleet.Deployment], faults fleet.FieldErrors, err error) {
	if a.manifestRefused(w, r, "title.deployment_refused", faults, err) {
		return
	}
	a.written(w, done.Created, o.DryRun, done.Object.Metadata.ResourceVersion, writtenJSON{Object: done.Object, Warnings: a.warnings(done.Warnings)})
}

// ListEvents answers GET …/deployments/{name}/events, newest first.
func (a *API) ListEvents(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.DeploymentEvents(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, a.eventObject)
}

// ListRevisions answers GET …/deployments/{name}/revisions, newest first.
func (a *API) ListRevisions(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Revisions(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, same[fleet.Revision])
}
