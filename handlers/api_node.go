package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

// ListNodes answers GET /api/v1/nodes, with ?cluster= those of one cluster.
func (a *API) ListNodes(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Nodes(r.Context(), actor(r), fleet.NodeFilter{Cluster: r.URL.Query().Get("cluster")}, o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, a.nodeObject)
}

// GetNode answers GET /api/v1/nodes/{node}.
func (a *API) GetNode(w http.ResponseWriter, r *http.Request) {
	v, err := a.control.Node(r.Context(), actor(r), r.PathValue("node"))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, "", a.nodeObject(v))
}

// RefuseNode answers PUT and PATCH of /api/v1/nodes/{node}, which "exist only to refuse".
func (a *API) RefuseNode(w http.ResponseWriter, r *http.Request) {
	faults, err := a.control.RefuseNodeWrite(r.Context(), actor(r), r.PathValue("node"))
	a.refused(w, r, faults, err)
}

// CordonNode answers POST /api/v1/nodes/{node}/cordon.
func (a *API) CordonNode(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CordonNode(r.Context(), actor(r), r.PathValue("node"), o)
	a.nodeWritten(w, r, o, done, faults, err)
}

// UncordonNode answers POST /api/v1/nodes/{node}/uncordon.
func (a *API) UncordonNode(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.UncordonNode(r.Context(), actor(r), r.PathValue("node"), o)
	a.nodeWritten(w, r, o, done, faults, err)
}

// DrainNode answers POST /api/v1/nodes/{node}/drain; the body may be left out.
func (a *API) DrainNode(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readOptional[control.DrainRequest](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DrainNode(r.Context(), actor(r), r.PathValue("node"), body, o)
	a.nodeWritten(w, r, o, done, faults, err)
}

// DeleteNode answers DELETE /api/v1/nodes/{node}.
func (a *API) DeleteNode(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteNode(r.Context(), actor(r), r.PathValue("node"), o)
	a.nodeWritten(w, r, o, done, faults, err)
}

func (a *API) nodeWritten(w http.ResponseWriter, r *http.Request, o control.WriteOptions, done control.Written[control.NodeView], faults fleet.FieldErrors, err error) {
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, false, o.DryRun, "", writtenJSON{Object: a.nodeObject(done.Object)})
}

// NodeEvents answers GET /api/v1/nodes/{node}/events.
func (a *API) NodeEvents(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.NodeEvents(r.Context(), actor(r), r.PathValue("node"), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, a.eventObject)
}
