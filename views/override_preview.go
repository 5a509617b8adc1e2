package views

import (
	"context"
	"slices"
	"strings"

	"odysseus/fleet"
)

// OverridePreview is what an override policy selects, and what it makes of it.
type OverridePreview struct {
	// Known is false before anything was looked at, Refused true where it could not be stored as it stands.
	Known, Refused bool
	Warnings       []fleet.Warning
	// Total is how many resources are selected; Selected are the first of them.
	Total    int
	Selected []PreviewedOverride
}

// PreviewedOverride is a selected resource, and what each cluster would receive of it; Report is nil where the policy is
// refused, since nothing comes of that then.
type PreviewedOverride struct {
	fleet.ResourceKey
	Report *fleet.SimulationReport
}

// RenderedResource is one resource on every cluster that receives it: before and after.
type RenderedResource struct {
	// Own is the policy that the page is about.
	Own fleet.PolicyRef
	fleet.ResourceKey
	Report *fleet.SimulationReport
	// Targets are the clusters that the policy's rules name.
	Targets []string
	// Edits says whether the reader may write the propagation policy that is missing.
	Edits bool
}

// lead says in one line how many resources are selected.
func (p OverridePreview) lead(ctx context.Context) string {
	switch {
	case !p.Known:
		return t(ctx, "override_preview.unknown")
	case p.Total == 0:
		return t(ctx, "policy_preview.none")
	}
	return n(ctx, "policy_preview.selected", p.Total)
}

// TargetsOf are the clusters that the rules of an override policy name, each once.
func TargetsOf(o *fleet.Override) []string {
	var names []string
	for _, rule := range o.Spec.OverrideRules {
		if rule.TargetCluster == nil {
			continue
		}
		for _, name := range rule.TargetCluster.ClusterNames {
			names = appendNew(names, name)
		}
	}
	return names
}

// undistributed says that no propagation policy distributes the resource: overrides do not apply to it.
func (r RenderedResource) undistributed() bool { return r.Report.Policy == nil }

// blocked, changed and unchanged deliveries, each in the order of the clusters.
func (r RenderedResource) blocked() []fleet.Delivery {
	return r.deliveries(func(d fleet.Delivery) bool { return d.Err != nil })
}

func (r RenderedResource) changed() []fleet.Delivery {
	return r.deliveries(func(d fleet.Delivery) bool { return d.Err == nil && len(d.Steps) > 0 })
}

func (r RenderedResource) unchanged() []fleet.Delivery {
	return r.deliveries(func(d fleet.Delivery) bool { return d.Err == nil && len(d.Steps) == 0 })
}

func (r RenderedResource) deliveries(keep func(fleet.Delivery) bool) []fleet.Delivery {
	var kept []fleet.Delivery
	for _, d := range r.Report.Deliveries {
		if keep(d) {
			kept = append(kept, d)
		}
	}
	return kept
}

// missed are the clusters that a rule names and that receive nothing of the resource.
func (r RenderedResource) missed() []string {
	var names []string
	for _, name := range r.Targets {
		if !slices.ContainsFunc(r.Report.Deliveries, func(d fleet.Delivery) bool { return d.Cluster == name }) {
			names = append(names, name)
		}
	}
	return names
}

func clustersOfDeliveries(all []fleet.Delivery) string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Cluster
	}
	return commas(names)
}

// lead of a resource: the most important fact in one line.
func (r RenderedResource) lead(ctx context.Context) string {
	changed, blocked := len(r.changed()), len(r.blocked())
	switch {
	case changed > 0 && blocked > 0:
		return n(ctx, "rendered.changes_and_blocks", changed, "Blocked", number(blocked))
	case blocked > 0:
		return n(ctx, "rendered.blocks", blocked)
	case changed > 0:
		return n(ctx, "rendered.changes", changed)
	}
	return t(ctx, "rendered.nothing")
}

// divided are both numbers of a cluster whose count an override decides; ok is false elsewhere.
func (r RenderedResource) divided(cluster string) (divided, decided int, ok bool) {
	for _, at := range r.Report.Clusters {
		if at.Name == cluster && at.Divided != nil {
			return *at.Divided, at.Desired, true
		}
	}
	return 0, 0, false
}

// by names rules: "OverridePolicy eu, rule 1"; of the page's own policy, "this policy, rule 1".
func (r RenderedResource) by(ctx context.Context, rules ...fleet.AppliedRule) string {
	names := make([]string, len(rules))
	for i, rule := range rules {
		policy := policyName(rule.Policy)
		if rule.Policy == r.Own {
			policy = t(ctx, "rendered.own")
		}
		names[i] = t(ctx, "rendered.rule", "Policy", policy, "Rule", number(rule.Rule+1))
	}
	return strings.Join(names, "; ")
}

// diff of a delivery.
func (r RenderedResource) diff(d fleet.Delivery) RenderedDiff {
	return RenderedDiffOf(d.Before, d.Object, d.Steps)
}

// open says whether the i-th cluster's difference is unfolded: the first ones are.
func (r RenderedResource) open(i int) bool { return i < openClusters }

// openClusters is how many clusters' differences are unfolded.
const openClusters = 3
