package handlers

import (
	"net/http"

	"odysseus/control"
)

// ListClusters answers GET /api/v1/clusters: to a tenant, those granted to it.
func (a *API) ListClusters(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Clusters(r.Context(), actor(r), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, clusterView(actor(r)))
}

// CreateCluster answers POST /api/v1/clusters.
func (a *API) CreateCluster(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.NewCluster](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateCluster(r.Context(), actor(r), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, true, o.DryRun, done.Object.ResourceVersion, writtenJSON{Object: clusterObject(done.Object)})
}

// GetCluster answers GET /api/v1/clusters/{cluster}.
func (a *API) GetCluster(w http.ResponseWriter, r *http.Request) {
	v, err := a.control.Cluster(r.Context(), actor(r), r.PathValue("cluster"))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, v.ResourceVersion, clusterView(actor(r))(v))
}

// PutCluster answers PUT /api/v1/clusters/{cluster}.
func (a *API) PutCluster(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.NewCluster](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.UpdateCluster(r.Context(), actor(r), r.PathValue("cluster"), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, false, o.DryRun, done.Object.ResourceVersion, writtenJSON{Object: clusterObject(done.Object)})
}

// DeleteCluster answers DELETE /api/v1/clusters/{cluster}.
func (a *API) DeleteCluster(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteCluster(r.Context(), actor(r), r.PathValue("cluster"), o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, false, o.DryRun, "", writtenJSON{Object: clusterObject(done.Object)})
}

// CreateEnrolmentToken answers POST /api/v1/clusters/{cluster}/enrolment-tokens with the secret, this once.
func (a *API) CreateEnrolmentToken(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readOptional[control.NewEnrolmentToken](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateEnrolmentToken(r.Context(), actor(r), r.PathValue("cluster"), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	object := enrolmentTokenJSON{EnrolmentToken: done.Object.Token}
	if o.DryRun {
		object.ID = ""
		a.written(w, true, true, "", writtenJSON{Object: object})
		return
	}
	object.Token = done.Object.Secret
	a.written(w, true, false, "", writtenJSON{Object: object, ID: object.ID, Token: object.Token})
}
