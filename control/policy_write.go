package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// policyDraft is one write of a policy, planned: next is what is to be stored, old what is there.
type policyDraft struct {
	old      *fleet.Policy // nil for a new one
	next     fleet.Policy
	warnings []fleet.Warning
}

func (d policyDraft) created() bool { return d.old == nil }

func (d policyDraft) unchanged() bool {
	return d.old != nil && sameJSON(declaredPolicy(*d.old), declaredPolicy(d.next))
}

func (d policyDraft) written() Written[fleet.Policy] {
	return Written[fleet.Policy]{Object: d.next, Warnings: d.warnings, Created: d.created()}
}

// CreatePolicy stores a new policy. ref is where: its Kind, and the Namespace of a namespaced one.
func (c *Control) CreatePolicy(ctx context.Context, a Actor, ref fleet.PolicyRef, m PolicyManifest, o WriteOptions) (Written[fleet.Policy], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: ref.Kind, namespace: ref.Namespace, name: m.Policy.Metadata.Name}
	ref.Name = ""
	return c.writePolicy(ctx, a, s, o, func(tx Reader) (policyDraft, fleet.FieldErrors, error) {
		tenant, err := tenantOfPolicies(ctx, tx, a, ref)
		if err != nil {
			return policyDraft{}, nil, err
		}
		s.tenant = tenant
		if err := mayWrite(a, ref.Kind); err != nil {
			return policyDraft{}, nil, err
		}
		draft, faults, err := c.planCreatePolicy(ctx, tx, a, policyPlace{ref: ref, tenant: tenant}, m, func(fleet.PolicyRef) bool { return false })
		s.name = draft.next.Metadata.Name
		if s.name == "" {
			s.name = m.Policy.Metadata.Name
		}
		return draft, faults, err
	})
}

// UpdatePolicy replaces a policy's apiVersion, spec, labels and annotations. One that changes nothing writes nothing.
func (c *Control) UpdatePolicy(ctx context.Context, a Actor, ref fleet.PolicyRef, m PolicyManifest, o WriteOptions) (Written[fleet.Policy], fleet.FieldErrors, error) {
	s := &subject{verb: "update", kind: ref.Kind, namespace: ref.Namespace, name: ref.Name}
	return c.writePolicy(ctx, a, s, o, func(tx Reader) (policyDraft, fleet.FieldErrors, error) {
		old, err := policyForWriting(ctx, tx, a, s, ref, o)
		if err != nil {
			return policyDraft{}, nil, err
		}
		return c.planUpdatePolicy(ctx, tx, a, policyPlace{ref: ref, tenant: old.Tenant, old: &old}, m)
	})
}

// DeletePolicy deletes a policy and frees what it holds. What it distributed stays, or goes: "deleting a propagation
// policy keeps or removes what it distributed (preserveResourcesOnDeletion)".
func (c *Control) DeletePolicy(ctx context.Context, a Actor, ref fleet.PolicyRef, o WriteOptions) (Written[fleet.Policy], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: ref.Kind, namespace: ref.Namespace, name: ref.Name}
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (policyDraft, fleet.FieldErrors, error) {
			old, err := policyForWriting(ctx, tx, a, s, ref, o)
			return policyDraft{old: &old, next: old}, nil, err
		},
		func(tx Writer, d *policyDraft) (effect, error) {
			changes, err := diff(declaredPolicy(*d.old), nil)
			if err != nil {
				return effect{}, err
			}
			return effect{changes: changes}, tx.DeletePolicy(ctx, *d.old)
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Policy]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.PolicyDeleted(*draft.old)
	}
	return draft.written(), nil, nil
}

// policyForWriting finds the policy that a write is about: 404 before 403, and 403 before 412.
func policyForWriting(ctx context.Context, tx Reader, a Actor, s *subject, ref fleet.PolicyRef, o WriteOptions) (fleet.Policy, error) {
	old, err := ownPolicy(ctx, tx, a, ref)
	if err != nil {
		return fleet.Policy{}, err
	}
	s.tenant = old.Tenant
	if err := mayWrite(a, ref.Kind); err != nil {
		return fleet.Policy{}, err
	}
	if !matches(o.IfMatch, old.Metadata.ResourceVersion) {
		return fleet.Policy{}, fleet.ErrStale
	}
	return old, nil
}

// planCreatePolicy drafts a new policy. taken are names that others of the same write will have.
func (c *Control) planCreatePolicy(ctx context.Context, tx Reader, a Actor, at policyPlace, m PolicyManifest, taken func(fleet.PolicyRef) bool) (policyDraft, fleet.FieldErrors, error) {
	p, faults, warnings, err := admitPolicy(ctx, tx, a, at, m)
	if err != nil || len(faults) > 0 {
		return policyDraft{}, faults, err
	}
	if p.Metadata.Name == "" {
		if p.Metadata.Name, err = c.generatedName(ctx, tx, at, taken); err != nil {
			return policyDraft{}, nil, err
		}
	} else {
		switch _, err := tx.Policy(ctx, at.tenant, p.Ref()); {
		case err == nil:
			return policyDraft{}, located(m.Doc, exists("metadata.name", p.Metadata.Name)), nil
		case !errors.Is(err, fleet.ErrNotFound):
			return policyDraft{}, nil, err
		}
	}
	now := c.deps.Now().UTC()
	p.Metadata.UID = c.deps.NewID()
	p.Metadata.ResourceVersion = ""
	p.Metadata.CreationTimestamp = &now
	p.Metadata.Generation = 1
	return policyDraft{next: p, warnings: warnings}, nil, nil
}

// planUpdatePolicy drafts the next version of a policy: a new generation where what it asks for changed. Under another
// apiVersion the same spec asks for something else.
func (c *Control) planUpdatePolicy(ctx context.Context, tx Reader, a Actor, at policyPlace, m PolicyManifest) (policyDraft, fleet.FieldErrors, error) {
	if !matches(m.Policy.Metadata.ResourceVersion, at.old.Metadata.ResourceVersion) {
		return policyDraft{}, nil, fleet.ErrStale
	}
	p, faults, warnings, err := admitPolicy(ctx, tx, a, at, m)
	if err != nil || len(faults) > 0 {
		return policyDraft{}, faults, err
	}
	old := *at.old
	p.Metadata.UID = old.Metadata.UID
	p.Metadata.ResourceVersion = old.Metadata.ResourceVersion
	p.Metadata.CreationTimestamp = old.Metadata.CreationTimestamp
	p.Metadata.Generation = old.Metadata.Generation
	if p.APIVersion != old.APIVersion || !sameJSON(p.Spec, old.Spec) {
		p.Metadata.Generation++
	}
	return policyDraft{old: &old, next: p, warnings: warnings}, nil, nil
}

// writePolicy plans and stores one policy, and tells the scheduler when it is durable.
func (c *Control) writePolicy(ctx context.Context, a Actor, s *subject, o WriteOptions, plan func(Reader) (policyDraft, fleet.FieldErrors, error)) (Written[fleet.Policy], fleet.FieldErrors, error) {
	draft, refused, err := write(ctx, c, a, s, o.DryRun, plan, func(tx Writer, d *policyDraft) (effect, error) {
		if d.unchanged() {
			return effect{nothing: true}, nil
		}
		changes, err := storePolicy(ctx, tx, d)
		return effect{changes: changes}, err
	})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Policy]{}, refused, err
	}
	if !o.DryRun && !draft.unchanged() {
		c.deps.Scheduler.PolicyChanged(draft.next)
	}
	return draft.written(), nil, nil
}

// storePolicy writes the row and answers what changed.
func storePolicy(ctx context.Context, tx Writer, d *policyDraft) ([]fleet.Change, error) {
	var before any
	var err error
	if d.old == nil {
		d.next, err = tx.InsertPolicy(ctx, d.next)
	} else {
		before = declaredPolicy(*d.old)
		d.next, err = tx.UpdatePolicy(ctx, d.next)
	}
	if err != nil {
		return nil, err
	}
	return diff(before, declaredPolicy(d.next))
}

// declaredPolicy is the part of a policy that people write: what the audit compares.
func declaredPolicy(p fleet.Policy) any {
	return struct {
		APIVersion string                `json:"apiVersion"`
		Metadata   declaredMetadata      `json:"metadata"`
		Spec       fleet.PropagationSpec `json:"spec"`
	}{p.APIVersion, declaredMetadata{p.Metadata.Labels, p.Metadata.Annotations}, p.Spec}
}

type declaredMetadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}
