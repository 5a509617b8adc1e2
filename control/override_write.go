package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// overrideDraft is one write of an override policy, planned: next is what is to be stored, old what is there.
type overrideDraft struct {
	old      *fleet.Override // nil for a new one
	next     fleet.Override
	warnings []fleet.Warning
}

func (d overrideDraft) created() bool { return d.old == nil }

func (d overrideDraft) unchanged() bool {
	return d.old != nil && sameJSON(declaredOverride(*d.old), declaredOverride(d.next))
}

func (d overrideDraft) written() Written[fleet.Override] {
	return Written[fleet.Override]{Object: d.next, Warnings: d.warnings, Created: d.created()}
}

// CreateOverride stores a new override policy. ref is where: its Kind, and the Namespace of a namespaced one. What it
// selects is rendered again.
func (c *Control) CreateOverride(ctx context.Context, a Actor, ref fleet.PolicyRef, m OverrideManifest, o WriteOptions) (Written[fleet.Override], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: ref.Kind, namespace: ref.Namespace, name: m.Override.Metadata.Name}
	ref.Name = ""
	return c.writeOverride(ctx, a, s, o, func(tx Reader) (overrideDraft, fleet.FieldErrors, error) {
		tenant, err := tenantOfPolicies(ctx, tx, a, ref)
		if err != nil {
			return overrideDraft{}, nil, err
		}
		s.tenant = tenant
		if err := mayWrite(a, ref.Kind); err != nil {
			return overrideDraft{}, nil, err
		}
		return c.planCreateOverride(ctx, tx, a, overridePlace{ref: ref, tenant: tenant}, m)
	})
}

// UpdateOverride replaces an override policy's apiVersion, spec, labels and annotations. What it selects, and what it
// selected, is rendered again; one that changes nothing writes nothing.
func (c *Control) UpdateOverride(ctx context.Context, a Actor, ref fleet.PolicyRef, m OverrideManifest, o WriteOptions) (Written[fleet.Override], fleet.FieldErrors, error) {
	s := &subject{verb: "update", kind: ref.Kind, namespace: ref.Namespace, name: ref.Name}
	return c.writeOverride(ctx, a, s, o, func(tx Reader) (overrideDraft, fleet.FieldErrors, error) {
		old, err := overrideForWriting(ctx, tx, a, s, ref, o)
		if err != nil {
			return overrideDraft{}, nil, err
		}
		return c.planUpdateOverride(ctx, tx, a, overridePlace{ref: ref, tenant: old.Tenant, old: &old}, m)
	})
}

// DeleteOverride deletes an override policy: what it changed is distributed again without it.
func (c *Control) DeleteOverride(ctx context.Context, a Actor, ref fleet.PolicyRef, o WriteOptions) (Written[fleet.Override], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: ref.Kind, namespace: ref.Namespace, name: ref.Name}
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (overrideDraft, fleet.FieldErrors, error) {
			old, err := overrideForWriting(ctx, tx, a, s, ref, o)
			return overrideDraft{old: &old, next: old}, nil, err
		},
		func(tx Writer, d *overrideDraft) (effect, error) {
			changes, err := diff(declaredOverride(*d.old), nil)
			if err != nil {
				return effect{}, err
			}
			return effect{changes: changes}, tx.DeleteOverride(ctx, *d.old)
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Override]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.OverrideDeleted(*draft.old)
	}
	return draft.written(), nil, nil
}

// overrideForWriting finds the override policy that a write is about: 404 before 403, and 403 before 412.
func overrideForWriting(ctx context.Context, tx Reader, a Actor, s *subject, ref fleet.PolicyRef, o WriteOptions) (fleet.Override, error) {
	old, err := ownOverride(ctx, tx, a, ref)
	if err != nil {
		return fleet.Override{}, err
	}
	s.tenant = old.Tenant
	if err := mayWrite(a, ref.Kind); err != nil {
		return fleet.Override{}, err
	}
	if !matches(o.IfMatch, old.Metadata.ResourceVersion) {
		return fleet.Override{}, fleet.ErrStale
	}
	return old, nil
}

// planCreateOverride drafts a new override policy.
func (c *Control) planCreateOverride(ctx context.Context, tx Reader, a Actor, at overridePlace, m OverrideManifest) (overrideDraft, fleet.FieldErrors, error) {
	o, faults, warnings, err := admitOverride(ctx, tx, a, at, m)
	if err != nil || len(faults) > 0 {
		return overrideDraft{}, faults, err
	}
	switch _, err := tx.Override(ctx, at.tenant, o.Ref()); {
	case err == nil:
		return overrideDraft{}, located(m.Doc, exists("metadata.name", o.Metadata.Name)), nil
	case !errors.Is(err, fleet.ErrNotFound):
		return overrideDraft{}, nil, err
	}
	now := c.deps.Now().UTC()
	o.Metadata.UID = c.deps.NewID()
	o.Metadata.ResourceVersion = ""
	o.Metadata.CreationTimestamp = &now
	o.Metadata.Generation = 1
	return overrideDraft{next: o, warnings: warnings}, nil, nil
}

// planUpdateOverride drafts the next version of an override policy: a new generation where what it asks for changed.
func (c *Control) planUpdateOverride(ctx context.Context, tx Reader, a Actor, at overridePlace, m OverrideManifest) (overrideDraft, fleet.FieldErrors, error) {
	if !matches(m.Override.Metadata.ResourceVersion, at.old.Metadata.ResourceVersion) {
		return overrideDraft{}, nil, fleet.ErrStale
	}
	o, faults, warnings, err := admitOverride(ctx, tx, a, at, m)
	if err != nil || len(faults) > 0 {
		return overrideDraft{}, faults, err
	}
	old := *at.old
	o.Metadata.UID = old.Metadata.UID
	o.Metadata.ResourceVersion = old.Metadata.ResourceVersion
	o.Metadata.CreationTimestamp = old.Metadata.CreationTimestamp
	o.Metadata.Generation = old.Metadata.Generation
	if o.APIVersion != old.APIVersion || !sameJSON(o.Spec, old.Spec) {
		o.Metadata.Generation++
	}
	return overrideDraft{old: &old, next: o, warnings: warnings}, nil, nil
}

// writeOverride plans and stores one override policy, and tells the scheduler when it is durable.
func (c *Control) writeOverride(ctx context.Context, a Actor, s *subject, o WriteOptions, plan func(Reader) (overrideDraft, fleet.FieldErrors, error)) (Written[fleet.Override], fleet.FieldErrors, error) {
	draft, refused, err := write(ctx, c, a, s, o.DryRun, plan, func(tx Writer, d *overrideDraft) (effect, error) {
		if d.unchanged() {
			return effect{nothing: true}, nil
		}
		changes, err := storeOverride(ctx, tx, d)
		return effect{changes: changes}, err
	})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Override]{}, refused, err
	}
	if !o.DryRun && !draft.unchanged() {
		c.deps.Scheduler.OverrideChanged(draft.next)
	}
	return draft.written(), nil, nil
}

// storeOverride writes the row and answers what changed.
func storeOverride(ctx context.Context, tx Writer, d *overrideDraft) ([]fleet.Change, error) {
	var before any
	var err error
	if d.old == nil {
		d.next, err = tx.InsertOverride(ctx, d.next)
	} else {
		before = declaredOverride(*d.old)
		d.next, err = tx.UpdateOverride(ctx, d.next)
	}
	if err != nil {
		return nil, err
	}
	return diff(before, declaredOverride(d.next))
}

// declaredOverride is the part of an override policy that people write: what the audit compares.
func declaredOverride(o fleet.Override) any {
	return struct {
		APIVersion string             `json:"apiVersion"`
		Metadata   declaredMetadata   `json:"metadata"`
		Spec       fleet.OverrideSpec `json:"spec"`
	}{o.APIVersion, declaredMetadata{o.Metadata.Labels, o.Metadata.Annotations}, o.Spec}
}
