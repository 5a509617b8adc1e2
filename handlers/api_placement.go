package handlers

import (
	"net/http"
	"time"

	"odysseus/control"
	"odysseus/fleet"
)

// placementJSON is a placement: the policy that decides and those that would, the clusters, and the selected ones that
// are no candidates. Unmanaged says that the policy which distributed it is gone and left it where it is.
type placementJSON struct {
	State      fleet.PlacementState     `json:"state"`
	Policy     *fleet.PolicyRef         `json:"policy"`
	Unmanaged  bool                     `json:"unmanaged,omitempty"`
	Outranking []fleet.PolicyRef        `json:"outranking,omitempty"`
	Clusters   []fleet.PlacementCluster `json:"clusters"`
	Excluded   []excludedJSON           `json:"excluded,omitempty"`
	Pending    *pendingJSON             `json:"pending,omitempty"`
	Drift      []fleet.Drift            `json:"drift,omitempty"`
}

type excludedJSON struct {
	Name string `json:"name"`
	reasonJSON
}

type pendingJSON struct {
	Replicas int          `json:"replicas"`
	Since    time.Time    `json:"since"`
	Reasons  []reasonJSON `json:"reasons"`
}

type reasonJSON struct {
	Code     fleet.Code         `json:"code"`
	Message  string             `json:"message"`
	Required *fleet.Requirement `json:"required,omitempty"`
	Reported *fleet.Geography   `json:"reported,omitempty"`
	Clusters []string           `json:"clusters,omitempty"`
	Field    string             `json:"field,omitempty"`
	Nodes    []nodeReasonJSON   `json:"nodes,omitempty"`
}

// nodeReasonJSON is for operators and support. Reason is a code, message its words.
type nodeReasonJSON struct {
	fleet.NodeReason
	Message string `json:"message"`
}

// GetPlacement answers GET …/deployments/{name}/placement.
func (a *API) GetPlacement(w http.ResponseWriter, r *http.Request) {
	p, err := a.control.Placement(r.Context(), actor(r), r.PathValue("ns"), r.PathValue("name"))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, "", a.placement(p))
}

func (e edge) placement(p fleet.PlacementReport) placementJSON {
	out := placementJSON{State: p.State, Policy: p.Policy, Unmanaged: p.Unmanaged, Outranking: p.Outranking, Clusters: filled(p.Clusters), Drift: p.Drift}
	for _, c := range p.Excluded {
		out.Excluded = append(out.Excluded, excludedJSON{Name: c.Name, reasonJSON: e.reasons([]fleet.Reason{c.Reason})[0]})
	}
	if p.Pending != nil {
		out.Pending = &pendingJSON{Replicas: p.Pending.Replicas, Since: p.Pending.Since, Reasons: e.reasons(p.Pending.Reasons)}
	}
	return out
}

func (e edge) reasons(reasons []fleet.Reason) []reasonJSON {
	out := make([]reasonJSON, len(reasons))
	for i, r := range reasons {
		out[i] = reasonJSON{Code: r.Code, Message: e.words.Reason(r), Required: r.Required, Clusters: r.Clusters, Field: r.Field}
		if r.Reported != nil {
			out[i].Reported = &fleet.Geography{Countries: filled(r.Reported.Countries), Regions: filled(r.Reported.Regions)}
		}
		for _, n := range r.Nodes {
			out[i].Nodes = append(out[i].Nodes, nodeReasonJSON{NodeReason: n, Message: e.words.NodeReason(n.Reason)})
		}
	}
	return out
}

type pendingWorkloadJSON struct {
	APIVersion string               `json:"apiVersion"`
	Kind       string               `json:"kind"`
	Namespace  string               `json:"namespace"`
	Name       string               `json:"name"`
	Tenant     string               `json:"tenant,omitempty"` // operators and support only
	State      fleet.PlacementState `json:"state"`
	pendingJSON
}

// ListPending answers GET /api/v1/pending, oldest first, with ?reason= and, for the platform's roles, ?tenant=.
func (a *API) ListPending(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	q := r.URL.Query()
	who := actor(r)
	page, err := a.control.Pending(r.Context(), who, control.PendingFilter{Tenant: q.Get("tenant"), Reason: fleet.Code(q.Get("reason"))}, o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, func(p control.PendingWorkload) pendingWorkloadJSON {
		out := pendingWorkloadJSON{APIVersion: p.APIVersion, Kind: p.Kind, Namespace: p.Namespace, Name: p.Name, State: p.State,
			pendingJSON: pendingJSON{Replicas: p.Pending.Replicas, Since: p.Pending.Since, Reasons: a.reasons(p.Pending.Reasons)}}
		if who.Platform() {
			out.Tenant = p.Tenant
		}
		return out
	})
}
