package fleet

import (
	"encoding/json"
	"slices"
)

// Simulation asks where a resource would go: the same question that the scheduler answers for what is stored, about
// something that is not.
type Simulation struct {
	// Tenant owns the namespace that is asked in: it decides which clusters count.
	Tenant   string
	Resource Resource
	Policies []*Policy
	// Overrides are those that can select the resource: they apply where a propagation policy distributes it.
	Overrides []*Override
	// Holder is the policy that holds the stored resource of that name; nil for none. "A claim is sticky."
	Holder *PolicyRef
	// ResidencyLabels are what the residency of an odysseus/v1 Deployment compiled to; nil for none.
	ResidencyLabels map[string]string
	// Hypothesis, where it is not nil, stands in for the real members that are granted to the tenant.
	Hypothesis *HypothesisSpec
	// UID of the stored deployment of that name, whose replicas are held; empty where there is none.
	UID string
	// Unchanged says that the stored one asks for just this: what failover moved off a cluster stays off it, as it would
	// not once the workload changed.
	Unchanged bool
	// Detail is for operators and support: numbers are not capped at the workload's own count.
	Detail bool
}

// SimulationReport is the answer.
type SimulationReport struct {
	PlacementReport
	// Shares are the arithmetic of the division, by cluster, in the order of Clusters; empty where nothing was divided.
	Shares []Share
	// Deliveries are what each cluster would receive, sorted by name.
	Deliveries []Delivery
	// AnyMatch says whether some member satisfies the residency, were it enforced; Advertised is what they all report.
	AnyMatch   bool
	Advertised Geography
}

// Share is the arithmetic of one cluster's part, for people.
type Share struct {
	Cluster string
	Weight  int64
	// Ideal is what it would get if replicas could be cut, as a decimal with at most two places: "2.25".
	Ideal    string
	Replicas int
	// Kept of them it held before and keeps; the others were divided now.
	Kept int
	// Extra is what it got beyond the whole replicas of its ideal share; negative where it fell short.
	Extra int
	// By is what decided over its fraction of a replica: "quotient", "seats", "hash", "name"; empty where nothing had
	// to. Rival is the cluster that came next, or before it.
	By, Rival string
}

// Reached is a resource that a policy selects, and who decides on it.
type Reached struct {
	ResourceKey
	UID string
	// Rank is how specifically the policy selects it.
	Rank Rank
	// Holder decides on it now, nil for nobody; Outranking would come before the holder if nobody held it.
	Holder     *PolicyRef
	Outranking []PolicyRef
	// Replicas is its count; nil for a kind without one.
	Replicas  *int
	Placement PlacementReport
}

// ExcludedCluster is a cluster that may get nothing, and why.
type ExcludedCluster struct {
	Name   string
	Reason Reason
}

// Delivery is a resource as one cluster would receive it.
type Delivery struct {
	Cluster string
	// Object is what it would receive, overrides applied; nil where Err blocks it.
	Object json.RawMessage
	// Before is the same without overrides.
	Before  json.RawMessage
	Applied []AppliedRule
	Err     *RenderError
	Notes   []RenderNote
	Steps   []RenderStep
}

// SimulationPart is what a document is to a simulation.
type SimulationPart int

// The workload itself; a propagation policy; an override policy; the clusters that stand in for the real ones; a policy
// of a kind that is not handled.
const (
	PartWorkload SimulationPart = iota
	PartPolicy
	PartOverride
	PartHypothesis
	PartForeignPolicy
)

// SimulationPart of the document, by its apiVersion and kind alone.
func (d *Doc) SimulationPart() SimulationPart {
	switch apiVersion, kind := d.APIVersion(), d.Kind(); {
	case IsPolicy(apiVersion, kind):
		return PartPolicy
	case IsOverride(apiVersion, kind):
		return PartOverride
	case policyGroup(apiVersion):
		return PartForeignPolicy
	case apiVersion == APIVersion && kind == KindFleet:
		return PartHypothesis
	}
	return PartWorkload
}

// ForeignPolicy refuses a document of a policy's API group whose kind is none of those given; of none of the four that
// are handled where none is given.
func ForeignPolicy(doc *Doc, kinds ...string) FieldErrors {
	all := append(PolicyKinds(), OverrideKinds()...)
	if len(kinds) == 0 {
		kinds = all
	}
	f, _ := notOneOf("kind", doc.Kind(), kinds)
	f.Code = CodeKindUnsupported
	if doc.Kind() == "" {
		f.Code, f.Suggestion = CodeRequired, ""
	}
	if slices.Contains(all, doc.Kind()) {
		f.Suggestion = "" // no slip: propagation is one thing and overriding another
	}
	if v := doc.root.get("kind"); v != nil {
		f.Line, f.Column = v.line, v.column
	} else {
		f.Line, f.Column = doc.Position()
	}
	return FieldErrors{f}
}
