package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"odysseus/fleet"
)

// PolicyPreview is what a policy that is being written would do.
type PolicyPreview struct {
	Warnings []fleet.Warning
	// Selected are the stored resources that the policy selects, sorted by namespace, kind and name.
	Selected []PreviewedResource
}

// PreviewedResource is one of them: who would decide on it, and where it would go.
type PreviewedResource struct {
	fleet.Reached
	// Report is where it would go, as Simulate answers; of the first 20 that have replicas, nil for others.
	Report *fleet.SimulationReport
}

const (
	maxPreviewed = 20
	// unnamed stands for a name that is still to be generated: it sorts as any generated one would.
	unnamed = "policy-"
)

// PreviewPolicy answers what a policy, written or being written, would select and do beside all stored policies; one of
// the same name it replaces. Nothing is stored and nothing is audited. The faults are those of writing it, and come
// beside the preview of what could be read.
func (c *Control) PreviewPolicy(ctx context.Context, a Actor, ref fleet.PolicyRef, m PolicyManifest) (PolicyPreview, fleet.FieldErrors, error) {
	var preview PolicyPreview
	var faults fleet.FieldErrors
	err := c.read(ctx, a, ref.Kind, func(tx Reader) error {
		tenant, err := tenantOfPolicies(ctx, tx, a, ref)
		if err != nil {
			return err
		}
		var p fleet.Policy
		p, faults, preview.Warnings, err = admitPolicy(ctx, tx, a, policyPlace{ref: ref, tenant: tenant}, m)
		if err != nil || p.Kind == "" {
			return err // of another kind, or unreadable, nothing more can be said
		}
		if p.Metadata.Name == "" {
			p.Metadata.Name = unnamed
		}
		preview.Selected, err = c.previewed(ctx, tx, a, &p)
		return err
	})
	return preview, faults, wrap("preview policy", err)
}

func (c *Control) previewed(ctx context.Context, tx Reader, a Actor, p *fleet.Policy) ([]PreviewedResource, error) {
	reached := c.deps.Fleet.Reach(p, p.Tenant)
	out := make([]PreviewedResource, len(reached))
	asked := 0
	stored, overrides := map[string][]*fleet.Policy{}, map[string][]*fleet.Override{} // by namespace
	for i, r := range reached {
		out[i].Reached = r
		if r.Replicas == nil || asked == maxPreviewed {
			continue
		}
		asked++
		if _, read := stored[r.Namespace]; !read {
			policies, err := policiesInReach(ctx, tx, p.Tenant, r.Namespace)
			if err != nil {
				return nil, err
			}
			stored[r.Namespace] = replaced(policies, p)
			if overrides[r.Namespace], err = overridesInReach(ctx, tx, p.Tenant, r.Namespace); err != nil {
				return nil, err
			}
		}
		q := fleet.Simulation{Policies: stored[r.Namespace], Overrides: overrides[r.Namespace], Detail: a.SeesNodes(), Unchanged: true}
		found, err := ask(ctx, tx, r.ResourceKey, p.Tenant, &q)
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

// ask fills in the question about a stored deployment or resource; false where it is gone by now.
func ask(ctx context.Context, tx Reader, key fleet.ResourceKey, tenant string, q *fleet.Simulation) (bool, error) {
	var err error
	if own := key.APIVersion == fleet.APIVersion; own {
		var d fleet.Deployment
		if d, err = tx.Deployment(ctx, tenant, key.Namespace, key.Name); err == nil {
			q.Tenant, q.UID, q.ResidencyLabels = d.Tenant, d.Metadata.UID, d.ResidencyLabels
			q.Resource, err = resourceOf(d)
		}
	} else {
		var r fleet.StoredResource
		r, err = tx.Resource(ctx, tenant, key)
		q.Tenant, q.UID, q.Resource = r.Tenant, r.UID, r.Resource
	}
	if errors.Is(err, fleet.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	q.Holder, err = holderOf(ctx, tx, q.UID)
	return true, err
}

// holderOf a stored deployment or resource; nil where none holds it, or it is not stored.
func holderOf(ctx context.Context, tx Reader, uid string) (*fleet.PolicyRef, error) {
	if uid == "" {
		return nil, nil
	}
	binding, err := tx.Binding(ctx, uid)
	return binding.Policy, err
}

// resourceOf is an odysseus/v1 Deployment as what policies select.
func resourceOf(d fleet.Deployment) (fleet.Resource, error) {
	d.APIVersion, d.Kind, d.Status = fleet.APIVersion, fleet.KindDeployment, nil
	object, err := json.Marshal(d)
	if err != nil {
		return fleet.Resource{}, fmt.Errorf("marshal deployment %q: %w", d.Metadata.Name, err)
	}
	return fleet.Resource{APIVersion: d.APIVersion, Kind: d.Kind, Namespace: d.Metadata.Namespace, Name: d.Metadata.Name, Labels: d.Metadata.Labels, Object: object}, nil
}
