package handlers

import (
	"encoding/json"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

// simulatedJSON answers where a workload would go, and what each cluster would receive.
type simulatedJSON struct {
	Workload  workloadJSON   `json:"workload"`
	Placement placementJSON  `json:"placement"`
	Rendered  []renderedJSON `json:"rendered"`
	Warnings  []warningJSON  `json:"warnings"`
}

type workloadJSON struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// renderedJSON is the resource as one cluster would receive it, null where Error says why it would not. Applied are the
// rules of override policies that targeted the cluster, in their order, and Notes what they did, or did not do, that their
// author may not expect.
type renderedJSON struct {
	Cluster string           `json:"cluster"`
	Object  json.RawMessage  `json:"object"`
	Applied []appliedRule    `json:"applied"`
	Error   *renderErrorJSON `json:"error"`
	Notes   []renderNoteJSON `json:"notes,omitempty"`
}

// appliedRule is a rule of an override policy, "OverridePolicy demo/x", by its index.
type appliedRule struct {
	Policy string `json:"policy"`
	Rule   int    `json:"rule"`
}

type renderErrorJSON struct {
	Code       fleet.Code       `json:"code"`
	ErrorClass fleet.ErrorClass `json:"errorClass"`
	Message    string           `json:"message"`
}

type renderNoteJSON struct {
	appliedRule
	Code    fleet.NoteCode `json:"code"`
	Field   string         `json:"field"`
	Path    string         `json:"path,omitempty"`
	Message string         `json:"message"`
}

// Simulate answers POST …/scheduler/simulate.
func (a *API) Simulate(w http.ResponseWriter, r *http.Request) {
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	docs, faults := fleet.Parse(raw, format)
	s, faults, err := a.control.Simulate(r.Context(), actor(r), r.PathValue("ns"), docs, faults)
	if a.refused(w, r, faults, err) {
		return
	}
	a.object(w, "", a.simulated(s))
}

func (e edge) simulated(s control.Simulated) simulatedJSON {
	out := simulatedJSON{
		Workload:  workloadJSON{APIVersion: s.Workload.APIVersion, Kind: s.Workload.Kind, Namespace: s.Workload.Namespace, Name: s.Workload.Name},
		Placement: e.placement(s.Report.PlacementReport),
		Rendered:  []renderedJSON{}, Warnings: e.warnings(s.Warnings),
	}
	for _, d := range s.Report.Deliveries {
		out.Rendered = append(out.Rendered, e.rendered(d))
	}
	return out
}

func (e edge) rendered(d fleet.Delivery) renderedJSON {
	out := renderedJSON{Cluster: d.Cluster, Object: d.Object, Applied: []appliedRule{}}
	for _, rule := range d.Applied {
		out.Applied = append(out.Applied, ruleOf(rule))
	}
	if d.Err != nil {
		why := e.renderError(d.Err)
		out.Object, out.Error = nil, &why
	}
	for _, n := range d.Notes {
		out.Notes = append(out.Notes, renderNoteJSON{appliedRule: ruleOf(n.AppliedRule), Code: n.Code, Field: n.Field, Path: n.Path, Message: e.words.RenderNote(n)})
	}
	return out
}

func ruleOf(rule fleet.AppliedRule) appliedRule { return appliedRule{rule.Policy.String(), rule.Rule} }

// renderError says which rule of which policy blocks a resource, and why.
func (e edge) renderError(err *fleet.RenderError) renderErrorJSON {
	return renderErrorJSON{Code: err.Code, ErrorClass: err.Class, Message: e.words.Reason(fleet.Reason{Code: err.Code, Blocked: err})}
}
