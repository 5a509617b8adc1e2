package control

import (
	"context"
	"slices"

	"odysseus/fleet"
)

// OverridePreview is what an override policy that is being written would change.
type OverridePreview struct {
	Warnings []fleet.Warning
	// Total is how many stored resources the policy selects.
	Total int
	// Selected are the first of them, sorted by namespace, kind and name, or the one that was asked for.
	Selected []PreviewedOverride
}

// PreviewedOverride is one of them, on every cluster.
type PreviewedOverride struct {
	fleet.ResourceKey
	UID string
	// Report is where it would go and what each cluster would receive, under all stored policies with this one as it is
	// written: see fleet.Delivery. It is nil where the policy is refused: what is refused renders nothing.
	Report *fleet.SimulationReport
}

// PreviewOverride answers what an override policy, written or being written, would make of what it selects, beside all
// stored policies; one of the same name it replaces. With only it answers that resource alone, if the policy selects it;
// else the first 20. Nothing is stored and nothing is audited. The faults are those of writing it, and come beside what
// could be read.
func (c *Control) PreviewOverride(ctx context.Context, a Actor, ref fleet.PolicyRef, m OverrideManifest, only *fleet.ResourceKey) (OverridePreview, fleet.FieldErrors, error) {
	var preview OverridePreview
	var faults fleet.FieldErrors
	err := c.read(ctx, a, ref.Kind, func(tx Reader) error {
		tenant, err := tenantOfPolicies(ctx, tx, a, ref)
		if err != nil {
			return err
		}
		var o fleet.Override
		o, faults, preview.Warnings, err = admitOverride(ctx, tx, a, overridePlace{ref: ref, tenant: tenant}, m)
		if err != nil || o.Kind == "" {
			return err // of another kind, or unreadable, nothing more can be said
		}
		reached := c.overridden(&o)
		preview.Total = len(reached)
		if only != nil {
			reached = slices.DeleteFunc(reached, func(r fleet.Reached) bool { return r.ResourceKey != *only })
		}
		preview.Selected, err = c.previewedOverrides(ctx, tx, a, &o, reached[:min(len(reached), maxPreviewed)], len(faults) > 0)
		return err
	})
	return preview, faults, wrap("preview override policy", err)
}

func (c *Control) previewedOverrides(ctx context.Context, tx Reader, a Actor, o *fleet.Override, reached []fleet.Reached, refused bool) ([]PreviewedOverride, error) {
	out := make([]PreviewedOverride, len(reached))
	policies, overrides := map[string][]*fleet.Policy{}, map[string][]*fleet.Override{} // by namespace
	for i, r := range reached {
		out[i] = PreviewedOverride{ResourceKey: r.ResourceKey, UID: r.UID}
		if refused {
			continue
		}
		if _, read := policies[r.Namespace]; !read {
			var err error
			if policies[r.Namespace], err = policiesInReach(ctx, tx, o.Tenant, r.Namespace); err != nil {
				return nil, err
			}
			stored, err := overridesInReach(ctx, tx, o.Tenant, r.Namespace)
			if err != nil {
				return nil, err
			}
			overrides[r.Namespace] = overridesReplaced(stored, o)
		}
		q := fleet.Simulation{Policies: policies[r.Namespace], Overrides: overrides[r.Namespace], Detail: a.SeesNodes(), Unchanged: true}
		found, err := ask(ctx, tx, r.ResourceKey, o.Tenant, &q)
		if err != nil {
			return nil, err
		}
		if found {
			report := c.deps.Fleet.Simulate(q)
			out[i].Report = &report
		}
	}
	return out, nil
}

// ResourceFields are the fields of a stored deployment or resource, to pick a path from: of its own document, in the
// order in which it stands. A Secret's values are hidden.
func (c *Control) ResourceFields(ctx context.Context, a Actor, key fleet.ResourceKey) ([]fleet.ResourceField, error) {
	r, err := c.document(ctx, a, key)
	if err != nil {
		return nil, wrap("read fields of resource", err)
	}
	return r.Fields(), nil
}

// ContainersOf are the containers of a stored deployment or resource, to pick one from.
func (c *Control) ContainersOf(ctx context.Context, a Actor, key fleet.ResourceKey) ([]fleet.ResourceContainer, error) {
	r, err := c.document(ctx, a, key)
	if err != nil {
		return nil, wrap("read containers of resource", err)
	}
	return r.Containers(), nil
}

// document is a stored deployment or resource as overrides find it.
func (c *Control) document(ctx context.Context, a Actor, key fleet.ResourceKey) (fleet.Resource, error) {
	var r fleet.Resource
	err := c.read(ctx, a, resourceRule(key.Namespace), func(tx Reader) error {
		if key.APIVersion == fleet.APIVersion && key.Kind == fleet.KindDeployment {
			ns, err := ownNamespace(ctx, tx, a, key.Namespace)
			if err != nil {
				return err
			}
			d, err := tx.Deployment(ctx, ns.Tenant, key.Namespace, key.Name)
			r = d.Resource()
			return err
		}
		stored, err := ownResource(ctx, tx, a, key)
		r = stored.Resource
		return err
	})
	return r, err
}
