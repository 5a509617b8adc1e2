package handlers

import (
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

// renderedJSON is the resource as one cluster would receive it. Applied are the rules of override policies that changed
// it, and Error is why one could not: as no override policy is accepted yet, none and null.
type renderedJSON struct {
	Cluster string `json:"cluster"`
	Object  any    `json:"object"`
	Applied []any  `json:"applied"`
	Error   any    `json:"error"`
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
		out.Rendered = append(out.Rendered, renderedJSON{Cluster: d.Cluster, Object: d.Object, Applied: []any{}})
	}
	return out
}
