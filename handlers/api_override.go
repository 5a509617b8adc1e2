package handlers

import (
	"context"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

// Overrides answers one kind of override policy: OverridePolicies under /api/v1/namespaces/{ns}, and
// ClusterOverridePolicies, which have no namespace.
type Overrides struct {
	*API
	kind string
}

// OverridePolicies answers /api/v1/namespaces/{ns}/overridepolicies.
func (a *API) OverridePolicies() Overrides { return Overrides{a, fleet.KindOverridePolicy} }

// ClusterOverridePolicies answers /api/v1/clusteroverridepolicies.
func (a *API) ClusterOverridePolicies() Overrides {
	return Overrides{a, fleet.KindClusterOverridePolicy}
}

// ref is the policy that the path names, or where one is to be made.
func (o Overrides) ref(r *http.Request) fleet.PolicyRef {
	return fleet.PolicyRef{Kind: o.kind, Namespace: r.PathValue("ns"), Name: r.PathValue("name")}
}

// List answers GET of all.
func (o Overrides) List(w http.ResponseWriter, r *http.Request) {
	options, ok := o.listOptions(w, r)
	if !ok {
		return
	}
	f := fleet.PolicyFilter{Kind: o.kind, Namespace: r.PathValue("ns"), ClusterScoped: o.kind == fleet.KindClusterOverridePolicy}
	page, err := o.control.Overrides(r.Context(), actor(r), f, options)
	if o.refused(w, r, nil, err) {
		return
	}
	list(w, page, same[fleet.Override])
}

// Create answers POST.
func (o Overrides) Create(w http.ResponseWriter, r *http.Request) {
	o.write(w, r, o.control.CreateOverride)
}

// Get answers GET of one.
func (o Overrides) Get(w http.ResponseWriter, r *http.Request) {
	d, err := o.control.OverrideDetail(r.Context(), actor(r), o.ref(r))
	if o.refused(w, r, nil, err) {
		return
	}
	o.object(w, d.Override.Metadata.ResourceVersion, overrideDetailJSON{Override: d.Override, Status: o.overrideStatus(d)})
}

// overrideDetailJSON is one override policy with what it does.
type overrideDetailJSON struct {
	fleet.Override
	Status overrideStatus `json:"status"`
}

// overrideStatus is how many resources an override policy selects at this moment, where it does not apply, and the
// warnings that are still true.
type overrideStatus struct {
	Warnings []warningJSON `json:"warnings"`
	Selected int           `json:"selected"`
	Blocked  []blockedJSON `json:"blocked"`
}

// blockedJSON is a resource that the policy holds back on a cluster, and why.
type blockedJSON struct {
	Resource   workloadJSON     `json:"resource"`
	Cluster    string           `json:"cluster"`
	Code       fleet.Code       `json:"code"`
	ErrorClass fleet.ErrorClass `json:"errorClass"`
	Message    string           `json:"message"`
}

func (e edge) overrideStatus(d control.OverrideDetail) overrideStatus {
	s := overrideStatus{Warnings: e.warnings(d.Warnings), Selected: len(d.Reached), Blocked: []blockedJSON{}}
	for _, b := range d.Blocked {
		why := e.renderError(&b.Err)
		s.Blocked = append(s.Blocked, blockedJSON{
			Resource: workloadJSON{APIVersion: b.APIVersion, Kind: b.Kind, Namespace: b.Namespace, Name: b.Name},
			Cluster:  b.Cluster, Code: why.Code, ErrorClass: why.ErrorClass, Message: why.Message,
		})
	}
	return s
}

// Put answers PUT of one.
func (o Overrides) Put(w http.ResponseWriter, r *http.Request) {
	o.write(w, r, o.control.UpdateOverride)
}

// Delete answers DELETE of one.
func (o Overrides) Delete(w http.ResponseWriter, r *http.Request) {
	options, ok := o.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := o.control.DeleteOverride(r.Context(), actor(r), o.ref(r), options)
	o.overrideWritten(w, r, options, done, faults, err)
}

// writingOverride is what the control methods that take an override policy's manifest have in common.
type writingOverride func(context.Context, control.Actor, fleet.PolicyRef, control.OverrideManifest, control.WriteOptions) (control.Written[fleet.Override], fleet.FieldErrors, error)

func (o Overrides) write(w http.ResponseWriter, r *http.Request, do writingOverride) {
	options, ok := o.writeOptions(w, r)
	if !ok {
		return
	}
	raw, format, ok := o.readBytes(w, r)
	if !ok {
		return
	}
	done, faults, err := do(r.Context(), actor(r), o.ref(r), control.ParseOverride(raw, format), options)
	o.overrideWritten(w, r, options, done, faults, err)
}

func (o Overrides) overrideWritten(w http.ResponseWriter, r *http.Request, options control.WriteOptions, done control.Written[fleet.Override], faults fleet.FieldErrors, err error) {
	if o.manifestRefused(w, r, "title.policy_refused", faults, err) {
		return
	}
	o.written(w, done.Created, options.DryRun, done.Object.Metadata.ResourceVersion, writtenJSON{Object: done.Object, Warnings: o.warnings(done.Warnings)})
}
