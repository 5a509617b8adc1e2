package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// override creates what is not there and updates what is.
func (p *applying) override(ctx context.Context, m OverrideManifest) (applyDraft, fleet.FieldErrors, error) {
	given := m.Override.Metadata
	at := overridePlace{ref: fleet.PolicyRef{Kind: m.Override.Kind}}
	var faults fleet.FieldErrors
	if m.Override.Scope() == fleet.ScopeCluster {
		if err := mayWrite(p.actor, kindClusterOverride); err != nil {
			return nil, nil, err
		}
	} else {
		ns, unknown, err := p.namespace(ctx, given.Namespace)
		if err != nil {
			return nil, nil, err
		}
		faults = unknown
		at.ref.Namespace, at.tenant = ns.Name, ns.Tenant
		if len(faults) > 0 {
			at.ref.Namespace = given.Namespace
		}
	}
	if len(faults) > 0 {
		_, more, _, err := admitOverride(ctx, p.tx, p.actor, at, m)
		for _, f := range more {
			if f.Field != "metadata.namespace" { // said already
				faults = append(faults, f)
			}
		}
		return nil, located(m.Doc, faults), err
	}
	faults = p.repeated(m.Doc, fleet.ResourceKey{APIVersion: fleet.PolicyAPIVersion, Kind: at.ref.Kind, Namespace: at.ref.Namespace, Name: given.Name})
	var draft overrideDraft
	var more fleet.FieldErrors
	old, err := p.tx.Override(ctx, at.tenant, fleet.PolicyRef{Kind: at.ref.Kind, Namespace: at.ref.Namespace, Name: given.Name})
	switch {
	case errors.Is(err, fleet.ErrNotFound) && given.ResourceVersion != "":
		return nil, nil, fleet.ErrStale // somebody deleted what this is a version of
	case errors.Is(err, fleet.ErrNotFound):
		draft, more, err = p.planCreateOverride(ctx, p.tx, p.actor, at, m)
	case err == nil:
		at.old = &old
		draft, more, err = p.planUpdateOverride(ctx, p.tx, p.actor, at, m)
	}
	return &draft, append(faults, more...), err
}

func (d *overrideDraft) store(ctx context.Context, _ *Control, tx Writer, _ Actor) (subject, []fleet.Change, error) {
	changes, err := storeOverride(ctx, tx, d)
	ref := d.next.Ref()
	return subject{kind: ref.Kind, tenant: d.next.Tenant, namespace: ref.Namespace, name: ref.Name}, changes, err
}

func (d *overrideDraft) tell(s Scheduler) { s.OverrideChanged(d.next) }

func (d *overrideDraft) applied(*Control, Actor) Applied {
	return Applied{Override: &d.next, Warnings: d.warnings}
}
