package control

import (
	"context"
	"slices"

	"odysseus/fleet"
)

// OverrideDetail is an override policy with everything its page shows: the warnings that are true now, what it selects,
// and where it does not apply.
type OverrideDetail struct {
	Override fleet.Override
	Warnings []fleet.Warning
	// Reached are the stored resources that the policy selects, sorted by namespace, kind and name, with their placements.
	// One without a Holder is distributed by no policy: nothing of it is overridden.
	Reached []fleet.Reached
	// Blocked are those of them that the policy holds back, and why, in the same order.
	Blocked []BlockedOverride
}

// BlockedOverride is a resource that an override policy holds back on a cluster: "whatever does not apply blocks that
// resource on that cluster with the reason, on the policy and on the workload".
type BlockedOverride struct {
	fleet.ResourceKey
	Cluster string
	Err     fleet.RenderError
}

// Overrides of a namespace, of all namespaces that the actor may look into, or, with f.ClusterScoped, the cluster-wide
// ones, which are the platform's. f.Tenant narrows for the platform's roles and is not heeded for others.
func (c *Control) Overrides(ctx context.Context, a Actor, f fleet.PolicyFilter, o fleet.ListOptions) (Page[fleet.Override], error) {
	var page Page[fleet.Override]
	kind := kindOverride
	if f.ClusterScoped {
		kind = kindClusterOverride
	}
	err := c.read(ctx, a, kind, func(tx Reader) error {
		switch {
		case f.ClusterScoped:
			f.Namespace, f.Tenant = "", ""
		case f.Namespace != "":
			ns, err := ownNamespace(ctx, tx, a, f.Namespace)
			if err != nil {
				return err
			}
			f.Tenant = ns.Tenant
		case !a.Platform():
			f.Tenant = a.Tenant
		}
		var err error
		page.Items, page.Continue, err = tx.Overrides(ctx, f, o)
		return err
	})
	return page, wrap("list override policies", err)
}

// Override policy as stored.
func (c *Control) Override(ctx context.Context, a Actor, ref fleet.PolicyRef) (fleet.Override, error) {
	var o fleet.Override
	err := c.read(ctx, a, ref.Kind, func(tx Reader) (err error) {
		o, err = ownOverride(ctx, tx, a, ref)
		return err
	})
	return o, wrap("read override policy", err)
}

// OverrideDetail of one override policy.
func (c *Control) OverrideDetail(ctx context.Context, a Actor, ref fleet.PolicyRef) (OverrideDetail, error) {
	var detail OverrideDetail
	err := c.read(ctx, a, ref.Kind, func(tx Reader) error {
		o, err := ownOverride(ctx, tx, a, ref)
		if err != nil {
			return err
		}
		clusters, err := grantedClusters(ctx, tx, o.Tenant)
		if err != nil {
			return err
		}
		_, warnings := fleet.ValidateOverride(&o, clusterNames(clusters)) // faults: it was held to the rules when it was written
		detail = OverrideDetail{Override: o, Warnings: warnings}
		return nil
	})
	if err != nil {
		return OverrideDetail{}, wrap("read override policy", err)
	}
	detail.Reached = c.overridden(&detail.Override)
	for _, r := range detail.Reached {
		detail.Blocked = append(detail.Blocked, blockedBy(ref, r)...)
	}
	return detail, nil
}

// ownOverride finds an override policy that the actor may look into. Somebody else's is not found, after the same look-up.
func ownOverride(ctx context.Context, tx Reader, a Actor, ref fleet.PolicyRef) (fleet.Override, error) {
	tenant, err := tenantOfPolicies(ctx, tx, a, ref)
	if err != nil {
		return fleet.Override{}, err
	}
	if ref.Name == "" {
		return fleet.Override{}, fleet.ErrNotFound
	}
	return tx.Override(ctx, tenant, ref)
}

// overridden are the stored resources that an override policy selects. "OverridePolicies match the object as the
// ClusterOverridePolicies left it": one whose label comes of another override is known by the policy that took effect.
func (c *Control) overridden(o *fleet.Override) []fleet.Reached {
	reached := c.deps.Fleet.Reach(selecting(o, o.Spec.ResourceSelectors), o.Tenant)
	whatever := make([]fleet.ResourceSelector, len(o.Spec.ResourceSelectors))
	labelled := false
	for i, s := range o.Spec.ResourceSelectors {
		labelled = labelled || s.LabelSelector != nil
		s.LabelSelector = nil
		whatever[i] = s
	}
	if !labelled {
		return reached
	}
	own := map[string]bool{}
	for i := range reached {
		own[reached[i].UID] = true
	}
	// Both lists are in the same order, and the longer one holds the other.
	all := c.deps.Fleet.Reach(selecting(o, whatever), o.Tenant)
	return slices.DeleteFunc(all, func(r fleet.Reached) bool { return !own[r.UID] && !overriddenBy(o.Ref(), r) })
}

// selecting is a propagation policy that selects what an override policy does.
func selecting(o *fleet.Override, selectors []fleet.ResourceSelector) *fleet.Policy {
	p := &fleet.Policy{APIVersion: o.APIVersion, Kind: fleet.KindPropagationPolicy, Metadata: o.Metadata, Tenant: o.Tenant}
	if o.Scope() == fleet.ScopeCluster {
		p.Kind = fleet.KindClusterPropagationPolicy
	}
	p.Spec.ResourceSelectors = selectors
	return p
}

// overriddenBy says whether the policy takes effect on the resource somewhere, or holds it back.
func overriddenBy(ref fleet.PolicyRef, r fleet.Reached) bool {
	for _, cluster := range r.Placement.Clusters {
		if slices.Contains(cluster.Overrides, ref.String()) {
			return true
		}
	}
	return len(blockedBy(ref, r)) > 0
}

// blockedBy are the clusters on which the policy holds the resource back.
func blockedBy(ref fleet.PolicyRef, r fleet.Reached) []BlockedOverride {
	var blocked []BlockedOverride
	add := func(cluster string, reason fleet.Reason) {
		if reason.Blocked == nil || reason.Blocked.Policy != ref || slices.ContainsFunc(blocked, func(b BlockedOverride) bool { return b.Cluster == cluster }) {
			return
		}
		blocked = append(blocked, BlockedOverride{ResourceKey: r.ResourceKey, Cluster: cluster, Err: *reason.Blocked})
	}
	for _, excluded := range r.Placement.Excluded {
		add(excluded.Name, excluded.Reason)
	}
	if r.Placement.Pending != nil {
		for _, reason := range r.Placement.Pending.Reasons {
			for _, cluster := range reason.Clusters {
				add(cluster, reason)
			}
		}
	}
	return blocked
}

// overridesInReach are the stored override policies that could select a resource of the namespace: its own and the
// cluster-wide ones. Of a cluster-scoped resource, with no namespace, the cluster-wide ones alone.
func overridesInReach(ctx context.Context, tx Reader, tenant, namespace string) ([]*fleet.Override, error) {
	var all []*fleet.Override
	filters := []fleet.PolicyFilter{{Kind: fleet.KindClusterOverridePolicy, ClusterScoped: true}}
	if namespace != "" {
		filters = append(filters, fleet.PolicyFilter{Kind: fleet.KindOverridePolicy, Tenant: tenant, Namespace: namespace})
	}
	for _, f := range filters {
		o := fleet.ListOptions{Limit: maxPage}
		for {
			overrides, next, err := tx.Overrides(ctx, f, o)
			if err != nil {
				return nil, err
			}
			for i := range overrides {
				all = append(all, &overrides[i])
			}
			if o.After = next; next == "" {
				break
			}
		}
	}
	return all, nil
}

// overridesReplaced are the stored override policies with those of the same name taken out, and the others put in.
func overridesReplaced(stored []*fleet.Override, others ...*fleet.Override) []*fleet.Override {
	mine := map[fleet.PolicyRef]bool{}
	for _, o := range others {
		mine[o.Ref()] = true
	}
	all := slices.DeleteFunc(slices.Clone(stored), func(o *fleet.Override) bool { return mine[o.Ref()] })
	return append(all, others...)
}
