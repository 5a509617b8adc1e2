package handlers

import (
	"context"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

// Policies answers one kind of propagation policy: PropagationPolicies under /api/v1/namespaces/{ns}, and
// ClusterPropagationPolicies, which have no namespace.
type Policies struct {
	*API
	kind string
}

// PropagationPolicies answers /api/v1/namespaces/{ns}/propagationpolicies.
func (a *API) PropagationPolicies() Policies { return Policies{a, fleet.KindPropagationPolicy} }

// ClusterPropagationPolicies answers /api/v1/clusterpropagationpolicies.
func (a *API) ClusterPropagationPolicies() Policies {
	return Policies{a, fleet.KindClusterPropagationPolicy}
}

// ref is the policy that the path names, or where one is to be made.
func (p Policies) ref(r *http.Request) fleet.PolicyRef {
	return fleet.PolicyRef{Kind: p.kind, Namespace: r.PathValue("ns"), Name: r.PathValue("name")}
}

// List answers GET of all.
func (p Policies) List(w http.ResponseWriter, r *http.Request) {
	o, ok := p.listOptions(w, r)
	if !ok {
		return
	}
	f := fleet.PolicyFilter{Kind: p.kind, Namespace: r.PathValue("ns"), ClusterScoped: p.kind == fleet.KindClusterPropagationPolicy}
	page, err := p.control.Policies(r.Context(), actor(r), f, o)
	if p.refused(w, r, nil, err) {
		return
	}
	list(w, page, same[fleet.Policy])
}

// Create answers POST.
func (p Policies) Create(w http.ResponseWriter, r *http.Request) {
	p.write(w, r, p.control.CreatePolicy)
}

// Get answers GET of one.
func (p Policies) Get(w http.ResponseWriter, r *http.Request) {
	d, err := p.control.PolicyDetail(r.Context(), actor(r), p.ref(r))
	if p.refused(w, r, nil, err) {
		return
	}
	p.object(w, d.Policy.Metadata.ResourceVersion, policyJSON{Policy: d.Policy, Status: p.policyStatus(d)})
}

// policyJSON is one policy with what it selects.
type policyJSON struct {
	fleet.Policy
	Status policyStatus `json:"status"`
}

// policyStatus is what a policy selects at this moment, and the warnings that are still true. Resources are the first
// hundred of the Selected.
type policyStatus struct {
	Warnings  []warningJSON `json:"warnings"`
	Selected  int           `json:"selected"`
	Resources []reachedJSON `json:"resources"`
}

// reachedJSON is a resource that the policy selects. Its placement says who holds it, and who would.
type reachedJSON struct {
	workloadJSON
	Replicas  *int          `json:"replicas,omitempty"`
	Placement placementJSON `json:"placement"`
}

func (e edge) policyStatus(d control.PolicyDetail) policyStatus {
	s := policyStatus{Warnings: e.warnings(d.Warnings), Selected: len(d.Reached), Resources: []reachedJSON{}}
	for _, r := range d.Reached[:min(len(d.Reached), defaultLimit)] {
		s.Resources = append(s.Resources, reachedJSON{
			workloadJSON: workloadJSON{APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name},
			Replicas:     r.Replicas, Placement: e.placement(r.Placement),
		})
	}
	return s
}

// Put answers PUT of one.
func (p Policies) Put(w http.ResponseWriter, r *http.Request) {
	p.write(w, r, p.control.UpdatePolicy)
}

// Delete answers DELETE of one.
func (p Policies) Delete(w http.ResponseWriter, r *http.Request) {
	o, ok := p.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := p.control.DeletePolicy(r.Context(), actor(r), p.ref(r), o)
	p.policyWritten(w, r, o, done, faults, err)
}

// writing is what the control methods that take a manifest have in common.
type writing func(context.Context, control.Actor, fleet.PolicyRef, control.PolicyManifest, control.WriteOptions) (control.Written[fleet.Policy], fleet.FieldErrors, error)

func (p Policies) write(w http.ResponseWriter, r *http.Request, do writing) {
	o, ok := p.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := p.readBytes(w, r)
	if !ok {
		return
	}
	done, faults, err := do(r.Context(), actor(r), p.ref(r), control.ParsePolicy(raw, format), o)
	p.policyWritten(w, r, o, done, faults, err)
}

func (p Policies) policyWritten(w http.ResponseWriter, r *http.Request, o control.WriteOptions, done control.Written[fleet.Policy], faults fleet.FieldErrors, err error) {
	if p.manifestRefused(w, r, "title.policy_refused", faults, err) {
		return
	}
	p.written(w, done.Created, o.DryRun, done.Object.Metadata.ResourceVersion, writtenJSON{Object: done.Object, Warnings: p.warnings(done.Warnings)})
}
