package handlers

import (
	"fmt"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

// resourceJSON describes what every resource has; the rest of its document is its own, and comes as it stands.
type resourceJSON struct {
	envelope
	Status resourceStatus `json:"status" decode:"ignore"`
}

// resourceStatus stands beside a resource's own document: where it is.
type resourceStatus struct {
	Placement placementJSON `json:"placement"`
}

// resourceObject is the document as it is stored, with the metadata that the control plane sets and its placement.
func (e edge) resourceObject(d control.ResourceDetail) any {
	object, err := d.Resource.Answered(resourceStatus{e.placement(d.Placement)})
	if err != nil {
		panic(fmt.Sprintf("render %s: %v", d.Resource.Kind, err)) // types of ours; the server answers 500
	}
	return object
}

// resourceAt is the resource that the query names.
func resourceAt(r *http.Request) fleet.ResourceKey {
	q := r.URL.Query()
	return fleet.ResourceKey{APIVersion: q.Get("apiVersion"), Kind: q.Get("kind"), Namespace: r.PathValue("ns"), Name: q.Get("name")}
}

// oneResource reads the resource that the query names; false where it was answered.
func (a *API) oneResource(w http.ResponseWriter, r *http.Request) (control.ResourceDetail, bool) {
	key := resourceAt(r)
	faults, err := a.control.ResourceAddress(r.Context(), actor(r), key)
	if a.refused(w, r, faults, err) {
		return control.ResourceDetail{}, false
	}
	d, err := a.control.Resource(r.Context(), actor(r), key)
	return d, !a.refused(w, r, nil, err)
}

// GetResources answers GET /api/v1/namespaces/{ns}/resources and, of cluster-scoped ones, /api/v1/resources: one where
// ?name= is given, with ?apiVersion= and ?kind=; else the list, which these narrow.
func (a *API) GetResources(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Has("name") {
		d, ok := a.oneResource(w, r)
		if !ok {
			return
		}
		a.object(w, d.Resource.ResourceVersion, a.resourceObject(d))
		return
	}
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	f := fleet.ResourceFilter{Namespace: r.PathValue("ns"), APIVersion: q.Get("apiVersion"), Kind: q.Get("kind"), ClusterScoped: r.PathValue("ns") == ""}
	page, err := a.control.ResourceDetails(r.Context(), actor(r), f, o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, a.resourceObject)
}

// CreateResource answers POST …/resources.
func (a *API) CreateResource(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateResource(r.Context(), actor(r), r.PathValue("ns"), control.ParseResource(raw, format), o)
	a.resourceWritten(w, r, o, done, faults, err)
}

// PutResource answers PUT …/resources?apiVersion=&kind=&name=.
func (a *API) PutResource(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.UpdateResource(r.Context(), actor(r), resourceAt(r), control.ParseResource(raw, format), o)
	a.resourceWritten(w, r, o, done, faults, err)
}

// DeleteResource answers DELETE …/resources?apiVersion=&kind=&name=.
func (a *API) DeleteResource(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteResource(r.Context(), actor(r), resourceAt(r), o)
	a.resourceWritten(w, r, o, done, faults, err)
}

// GetResourcePlacement answers GET …/resources/placement?apiVersion=&kind=&name=.
func (a *API) GetResourcePlacement(w http.ResponseWriter, r *http.Request) {
	d, ok := a.oneResource(w, r)
	if !ok {
		return
	}
	a.object(w, "", a.placement(d.Placement))
}

func (a *API) resourceWritten(w http.ResponseWriter, r *http.Request, o control.WriteOptions, done control.Written[control.ResourceDetail], faults fleet.FieldErrors, err error) {
	if a.manifestRefused(w, r, "title.resource_refused", faults, err) {
		return
	}
	a.written(w, done.Created, o.DryRun, done.Object.Resource.ResourceVersion, writtenJSON{Object: a.resourceObject(done.Object), Warnings: a.warnings(done.Warnings)})
}
