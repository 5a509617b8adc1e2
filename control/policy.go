package control

import (
	"context"

	"odysseus/fleet"
)

// PolicyDetail is a policy with everything its page shows: the warnings that are true now, and what it selects.
type PolicyDetail struct {
	Policy   fleet.Policy
	Warnings []fleet.Warning
	Reached  []fleet.Reached
}

// Policies of a namespace, of all namespaces that the actor may look into, or, with f.ClusterScoped, the cluster-wide
// ones, which are the platform's. f.Tenant narrows for the platform's roles and is not heeded for others.
func (c *Control) Policies(ctx context.Context, a Actor, f fleet.PolicyFilter, o fleet.ListOptions) (Page[fleet.Policy], error) {
	var page Page[fleet.Policy]
	kind := kindPolicy
	if f.ClusterScoped {
		kind = kindClusterPolicy
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
		page.Items, page.Continue, err = tx.Policies(ctx, f, o)
		return err
	})
	return page, wrap("list policies", err)
}

// Policy as stored.
func (c *Control) Policy(ctx context.Context, a Actor, ref fleet.PolicyRef) (fleet.Policy, error) {
	var p fleet.Policy
	err := c.read(ctx, a, ref.Kind, func(tx Reader) (err error) {
		p, err = ownPolicy(ctx, tx, a, ref)
		return err
	})
	return p, wrap("read policy", err)
}

// PolicyDetail of one policy.
func (c *Control) PolicyDetail(ctx context.Context, a Actor, ref fleet.PolicyRef) (PolicyDetail, error) {
	var detail PolicyDetail
	err := c.read(ctx, a, ref.Kind, func(tx Reader) error {
		p, err := ownPolicy(ctx, tx, a, ref)
		if err != nil {
			return err
		}
		clusters, err := grantedClusters(ctx, tx, p.Tenant)
		if err != nil {
			return err
		}
		_, warnings := fleet.ValidatePolicy(&p, clusterNames(clusters)) // faults: it was held to the rules when it was written
		detail = PolicyDetail{Policy: p, Warnings: warnings}
		return nil
	})
	if err != nil {
		return PolicyDetail{}, wrap("read policy", err)
	}
	detail.Reached = c.deps.Fleet.Reach(&detail.Policy, detail.Policy.Tenant)
	return detail, nil
}

// ownPolicy finds a policy that the actor may look into. Somebody else's is not found, after the same look-up.
func ownPolicy(ctx context.Context, tx Reader, a Actor, ref fleet.PolicyRef) (fleet.Policy, error) {
	tenant, err := tenantOfPolicies(ctx, tx, a, ref)
	if err != nil {
		return fleet.Policy{}, err
	}
	if ref.Name == "" {
		return fleet.Policy{}, fleet.ErrNotFound
	}
	return tx.Policy(ctx, tenant, ref)
}

// tenantOfPolicies is whose a policy there is: the namespace's tenant's, or the platform's own. A cluster-wide policy
// in a namespace, or another one in none, is nowhere.
func tenantOfPolicies(ctx context.Context, tx Reader, a Actor, ref fleet.PolicyRef) (string, error) {
	if (ref.Kind == fleet.KindClusterPropagationPolicy || ref.Kind == fleet.KindClusterOverridePolicy) != (ref.Namespace == "") {
		return "", fleet.ErrNotFound
	}
	if ref.Namespace == "" {
		return "", nil
	}
	ns, err := ownNamespace(ctx, tx, a, ref.Namespace)
	return ns.Tenant, err
}

// policiesInReach are the stored policies that could select a resource of the namespace: its own and the cluster-wide
// ones. Of a cluster-scoped resource, with no namespace, the cluster-wide ones alone.
func policiesInReach(ctx context.Context, tx Reader, tenant, namespace string) ([]*fleet.Policy, error) {
	var all []*fleet.Policy
	filters := []fleet.PolicyFilter{{Kind: fleet.KindClusterPropagationPolicy, ClusterScoped: true}}
	if namespace != "" {
		filters = append(filters, fleet.PolicyFilter{Kind: fleet.KindPropagationPolicy, Tenant: tenant, Namespace: namespace})
	}
	for _, f := range filters {
		o := fleet.ListOptions{Limit: maxPage}
		for {
			policies, next, err := tx.Policies(ctx, f, o)
			if err != nil {
				return nil, err
			}
			for i := range policies {
				all = append(all, &policies[i])
			}
			if o.After = next; next == "" {
				break
			}
		}
	}
	return all, nil
}

// replaced are the stored policies with those of the same name taken out, and the others put in.
func replaced(stored []*fleet.Policy, others ...*fleet.Policy) []*fleet.Policy {
	mine := map[fleet.PolicyRef]bool{}
	for _, p := range others {
		if p.Metadata.Name != "" {
			mine[p.Ref()] = true
		}
	}
	var all []*fleet.Policy
	for _, p := range stored {
		if !mine[p.Ref()] {
			all = append(all, p)
		}
	}
	return append(all, others...)
}
