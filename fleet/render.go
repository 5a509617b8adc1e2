package fleet

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Rendered is a resource as one cluster is to receive it.
type Rendered struct {
	// Object is the resource with the overrides applied; nil where Err is set: "it is never skipped and never half
	// applied". Where nothing changed it is the object that was given, and shares its bytes.
	Object json.RawMessage
	// Labels of the object: what selects it from here on.
	Labels map[string]string
	// Deployment is the object of an odysseus/v1 Deployment that an override changed, decoded and completed as one that was
	// written so; nil otherwise.
	Deployment *Deployment
	// Applied are the rules that targeted the cluster, in the order in which they were applied.
	Applied []AppliedRule
	// Err blocks the resource on this cluster; nil where it may go.
	Err   *RenderError
	Notes []RenderNote
	Steps []RenderStep
}

// AppliedRule is a rule of an override policy, by its index.
type AppliedRule struct {
	Policy PolicyRef
	Rule   int
}

// RenderStep is one thing that a rule changed, in the order of changes; a later one may change it again.
type RenderStep struct {
	AppliedRule
	// List of the overriders that did it, "imageOverrider".
	List string
	// Path is what changed, as a JSON Pointer into the result; everything under it was added or changed with it. Of what
	// was removed it is where that stood.
	Path string
}

// NoteCode names what an override did, or did not do, that its author may not expect.
type NoteCode string

// What a preview says beside its result.
const (
	NoteNothingChanged NoteCode = "nothing_changed" // no registry to remove, a label that is not there, the same value again
	NoteDigestDropped  NoteCode = "digest_dropped"  // with the tag that went, or was replaced
)

// RenderNote is one such thing.
type RenderNote struct {
	AppliedRule
	Code NoteCode
	// Field of the policy: spec.overrideRules[0].overriders.imageOverrider[1].
	Field string
	// Path in the resource, as a JSON Pointer; empty where it is about nothing there.
	Path string
}

// Render applies the override policies to a resource for one cluster. It is pure: inputs stay as they are, and the
// result goes by nothing but them; the order of the list does not matter. The resource's object is what is to be
// delivered, counts divided: see Deliver. Policies that do not select it, or whose rules do not target the cluster,
// change nothing; whether a propagation policy has selected it is the caller's affair.
//
//	ClusterOverridePolicies ──▶ OverridePolicies that match what came of it ──▶ held to the rules of what is written
//	       each kind: less precise first, then by name; a policy's rules in order;
//	       a rule: image → command → args → labels → annotations → field → plaintext
func Render(r *Resource, cluster Cluster, overrides []*Override) Rendered {
	out := renderer{resource: r, result: Rendered{Object: r.Object, Labels: r.Labels}}
	for _, scope := range []Scope{ScopeCluster, ScopeNamespace} {
		// "What matches is decided before anything of that kind is applied"; "OverridePolicies match the object as the
		// ClusterOverridePolicies left it".
		for _, o := range matching(r, out.result.Labels, overrides, scope) {
			for i := range o.Spec.OverrideRules {
				rule := &o.Spec.OverrideRules[i]
				if rule.Overriders == nil || !rule.TargetCluster.Matches(cluster.Name, cluster.Labels) {
					continue
				}
				if blocked := out.apply(AppliedRule{o.Ref(), i}, rule.Overriders); blocked != nil {
					return Rendered{Err: blocked}
				}
			}
		}
		out.result.Labels = out.labels()
	}
	if blocked := out.finish(); blocked != nil {
		return Rendered{Err: blocked}
	}
	return out.result
}

// matching are the policies of a scope that select the resource, in the order in which they are applied: "less precise
// first (kind, then labels, then name), then by name, byte by byte, so the most precise and, at a tie, the last name has
// the last word".
func matching(r *Resource, labels map[string]string, overrides []*Override, scope Scope) []*Override {
	type ranked struct {
		override *Override
		rank     Rank
	}
	seen := *r
	seen.Labels = labels
	var matched []ranked
	for _, o := range overrides {
		if o.Scope() != scope {
			continue
		}
		if rank := o.Selects(&seen); rank != RankNone {
			matched = append(matched, ranked{o, rank})
		}
	}
	slices.SortStableFunc(matched, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.override.Metadata.Name, b.override.Metadata.Name))
	})
	ordered := make([]*Override, len(matched))
	for i := range matched {
		ordered[i] = matched[i].override
	}
	return ordered
}

// With is the resource as a cluster receives it, for the rules that read one: what its containers ask for, for example.
func (x *Rendered) With(r *Resource) Resource {
	rendered := *r
	rendered.Object, rendered.Labels = x.Object, x.Labels
	return rendered
}
