package views

import (
	"context"
	"slices"
	"strings"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// PoliciesPage lists a namespace's policies, or the cluster-wide ones.
type PoliciesPage struct {
	Chrome Chrome
	// Namespace is empty for the cluster-wide ones.
	Namespace string
	Rows      []PolicyRow
	Query     string
	// First and Next are the addresses of other pages of the list; empty where there is none. The list does not refresh by
	// itself: of each policy the resources are counted that it selects, and those may be all that there are.
	First, Next string
}

// PolicyRow is one policy of a list: what it selects and how many warnings are true of it.
type PolicyRow struct {
	fleet.Policy
	// Override is set where the row is of an override policy, and Policy is not then.
	Override          *fleet.Override
	Selects, Warnings int
	// Blocked counts the resources that an override policy holds back, each on each cluster.
	Blocked int
}

func (r PolicyRow) ref() fleet.PolicyRef {
	if r.Override != nil {
		return r.Override.Ref()
	}
	return r.Ref()
}

// divides says how a policy divides replicas; an override policy divides none.
func (r PolicyRow) divides(ctx context.Context) string {
	if r.Override != nil {
		return orDash("")
	}
	return divides(ctx, r.Policy)
}

func (r PolicyRow) clusters(ctx context.Context) string {
	if r.Override != nil {
		return overrideTargets(ctx, *r.Override)
	}
	return goesTo(ctx, r.Policy)
}

// NewOverridePath is the form of a new override policy; without a namespace, of a cluster-wide one.
func NewOverridePath(namespace string) string {
	kind := fleet.KindOverridePolicy
	if namespace == "" {
		kind = fleet.KindClusterOverridePolicy
	}
	return PoliciesPath(namespace) + "/new?kind=" + kind
}

// MayEdit says whether the reader may change what is listed: cluster-wide policies are the operators'.
func (m PoliciesPage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Namespace) }

func mayEditPolicies(w Who, namespace string) bool {
	if namespace == "" {
		return w.Operates()
	}
	return w.Edits()
}

// PolicyCrumbs lead to a list of policies.
func PolicyCrumbs(w *locale.Words, namespace string) []Crumb {
	if namespace == "" {
		return []Crumb{{Text: w.T("nav.platform", nil)}, {Text: w.T("policies.cluster_wide", nil), Path: PoliciesPath("")}}
	}
	return []Crumb{{Text: namespace}, {Text: w.T("policies.title", nil), Path: PoliciesPath(namespace)}}
}

func policiesTitle(ctx context.Context, namespace string) string {
	if namespace == "" {
		return t(ctx, "policies.cluster_wide_title")
	}
	return t(ctx, "policies.title")
}

// divides says how a policy divides replicas, in a few words.
func divides(ctx context.Context, p fleet.Policy) string {
	s := p.Scheduling()
	division := s.Division()
	if division == fleet.DivisionStatic {
		if weights := weightsOf(s); len(weights) > 0 {
			return t(ctx, "divides.weights", "Weights", strings.Join(weights, " : "))
		}
	}
	text := t(ctx, "divides."+string(division))
	if s.Gang() {
		return t(ctx, "divides.gang", "Division", text)
	}
	return text
}

func weightsOf(s *fleet.ReplicaScheduling) []string {
	if s == nil || s.WeightPreference == nil {
		return nil
	}
	var weights []string
	for _, rule := range s.WeightPreference.StaticWeightList {
		if rule.Weight != nil {
			weights = append(weights, number(*rule.Weight))
		}
	}
	return weights
}

// goesTo says which clusters a policy names, in a few words.
func goesTo(ctx context.Context, p fleet.Policy) string { return clustersOf(ctx, p.Affinity()) }

func clustersOf(ctx context.Context, a *fleet.ClusterAffinity) string {
	if a == nil {
		return t(ctx, "goes.all")
	}
	var parts []string
	if len(a.ClusterNames) > 0 {
		parts = append(parts, commas(a.ClusterNames))
	}
	if a.LabelSelector != nil {
		parts = append(parts, t(ctx, "goes.labels"))
	}
	if len(parts) == 0 {
		parts = append(parts, t(ctx, "goes.all"))
	}
	if excluded := append(slices.Clone(a.ExcludeClusters), a.Exclude...); len(excluded) > 0 {
		parts = append(parts, t(ctx, "goes.without", "Clusters", commas(excluded)))
	}
	return strings.Join(parts, "; ")
}
