package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// deploymentDraft is one write of a deployment, planned: next is what is to be stored, old what is there.
type deploymentDraft struct {
	// old is nil for a new one; one that is preserved is taken over, and nobody saw it.
	old      *fleet.Deployment
	next     fleet.Deployment
	warnings []fleet.Warning
	events   []fleet.Event
	geo      fleet.GeoAwareness
}

func (d deploymentDraft) created() bool { return d.old == nil || d.old.Preserved }

func (d deploymentDraft) unchanged() bool {
	return !d.created() && d.old.Revision == d.next.Revision && sameMetadata(d.old.Metadata, d.next.Metadata)
}

func (d deploymentDraft) written() Written[fleet.Deployment] {
	w := Written[fleet.Deployment]{Object: d.next, Warnings: d.warnings, Created: d.created()}
	complete(&w.Object, d.geo)
	return w
}

// CreateDeployment stores a new deployment.
func (c *Control) CreateDeployment(ctx context.Context, a Actor, namespace string, m Manifest, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: kindDeployment, namespace: namespace, name: m.Deployment.Metadata.Name}
	return c.writeDeployment(ctx, a, s, o, func(tx Reader) (deploymentDraft, fleet.FieldErrors, error) {
		ns, err := ownNamespace(ctx, tx, a, namespace)
		if err != nil {
			return deploymentDraft{}, nil, err
		}
		s.tenant = ns.Tenant
		if err := mayWrite(a, kindDeployment); err != nil {
			return deploymentDraft{}, nil, err
		}
		return c.planCreate(ctx, tx, ns, m)
	})
}

// UpdateDeployment replaces a deployment's spec, labels and annotations. One that changes nothing writes nothing.
func (c *Control) UpdateDeployment(ctx context.Context, a Actor, namespace, name string, m Manifest, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	s := &subject{verb: "update", kind: kindDeployment, namespace: namespace, name: name}
	return c.writeDeployment(ctx, a, s, o, func(tx Reader) (deploymentDraft, fleet.FieldErrors, error) {
		ns, old, err := c.forWriting(ctx, tx, a, s, o)
		if err != nil {
			return deploymentDraft{}, nil, err
		}
		return c.planUpdate(ctx, tx, place{namespace: ns, name: name, old: &old}, m)
	})
}

// DeleteDeployment deletes a deployment; the scheduler stops what runs of it, but where its policy preserves it.
func (c *Control) DeleteDeployment(ctx context.Context, a Actor, namespace, name string, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: kindDeployment, namespace: namespace, name: name}
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (deploymentDraft, fleet.FieldErrors, error) {
			_, old, err := c.forWriting(ctx, tx, a, s, o)
			if err != nil {
				return deploymentDraft{}, nil, err
			}
			next := old
			if next.Preserved, err = preservedBy(ctx, tx, old.Tenant, old.Metadata.UID); err != nil {
				return deploymentDraft{}, nil, err
			}
			geo, _, err := c.effective(ctx, tx)
			return deploymentDraft{old: &old, next: next, geo: geo, warnings: keptWarnings(next.Preserved, name)}, nil, err
		},
		func(tx Writer, d *deploymentDraft) (effect, error) {
			remove := tx.DeleteDeployment
			if d.next.Preserved {
				remove = tx.PreserveDeployment
			}
			if err := remove(ctx, d.old.Tenant, d.old.Metadata.UID); err != nil {
				return effect{}, err
			}
			if err := tx.AppendEvent(ctx, c.deploymentEvent(*d.old, fleet.EventNormal, EventDeleted, nil)); err != nil {
				return effect{}, err
			}
			changes, err := diff(declared(*d.old), nil)
			return effect{changes: changes}, err
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Deployment]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.DeploymentDeleted(draft.next)
	}
	return draft.written(), nil, nil
}

// forWriting finds the deployment that a write is about: 404 before 403, and 403 before 412.
func (c *Control) forWriting(ctx context.Context, tx Reader, a Actor, s *subject, o WriteOptions) (fleet.Namespace, fleet.Deployment, error) {
	ns, old, err := ownDeployment(ctx, tx, a, s.namespace, s.name)
	if err != nil {
		return ns, old, err
	}
	s.tenant = ns.Tenant
	if err := mayWrite(a, kindDeployment); err != nil {
		return ns, old, err
	}
	if !matches(o.IfMatch, old.Metadata.ResourceVersion) {
		return ns, old, fleet.ErrStale
	}
	return ns, old, nil
}

// planCreate drafts a new deployment.
func (c *Control) planCreate(ctx context.Context, tx Reader, ns fleet.Namespace, m Manifest) (deploymentDraft, fleet.FieldErrors, error) {
	geo, _, err := c.effective(ctx, tx)
	if err != nil {
		return deploymentDraft{}, nil, err
	}
	d, faults, own := admit(m, place{namespace: ns}, geo)
	if len(faults) > 0 {
		return deploymentDraft{}, faults, nil
	}
	switch _, err := tx.Deployment(ctx, ns.Tenant, ns.Name, d.Metadata.Name); {
	case err == nil:
		return deploymentDraft{}, located(m.Doc, exists("metadata.name", d.Metadata.Name)), nil
	case !errors.Is(err, fleet.ErrNotFound):
		return deploymentDraft{}, nil, err
	}
	switch kept, err := tx.PreservedDeployment(ctx, ns.Tenant, ns.Name, d.Metadata.Name); {
	case err == nil:
		// "One created under its name takes it over": it is the same one again, under its UID.
		next := succeed(kept, d)
		if next.Metadata.Generation == kept.Metadata.Generation {
			next.Metadata.Generation++ // it is wanted again: what was decided of it has to be decided anew
		}
		return deploymentDraft{old: &kept, next: next, geo: geo, warnings: c.warn(next, geo, own),
			events: []fleet.Event{c.deploymentEvent(next, fleet.EventNormal, EventCreated, nil)}}, nil, nil
	case !errors.Is(err, fleet.ErrNotFound):
		return deploymentDraft{}, nil, err
	}
	now := c.deps.Now().UTC()
	d.Metadata.UID = c.deps.NewID()
	d.Metadata.ResourceVersion = ""
	d.Metadata.CreationTimestamp = &now
	d.Metadata.Generation, d.Revision, d.TemplateRevision = 1, 1, 1
	d.Status = &fleet.DeploymentStatus{State: fleet.Waiting, Replicas: d.Spec.ReplicaCount(), Revision: 1}
	return deploymentDraft{next: d, geo: geo, warnings: c.warn(d, geo, own),
		events: []fleet.Event{c.deploymentEvent(d, fleet.EventNormal, EventCreated, nil)}}, nil, nil
}

// planUpdate drafts the next version of a deployment: a new generation and revision where the spec changed.
func (c *Control) planUpdate(ctx context.Context, tx Reader, p place, m Manifest) (deploymentDraft, fleet.FieldErrors, error) {
	if !matches(m.Deployment.Metadata.ResourceVersion, p.old.Metadata.ResourceVersion) {
		return deploymentDraft{}, nil, fleet.ErrStale
	}
	geo, _, err := c.effective(ctx, tx)
	if err != nil {
		return deploymentDraft{}, nil, err
	}
	d, faults, own := admit(m, p, geo)
	if len(faults) > 0 {
		return deploymentDraft{}, faults, nil
	}
	old := *p.old
	d = succeed(old, d)
	return deploymentDraft{old: &old, next: d, geo: geo, warnings: c.warn(d, geo, own), events: c.changeEvents(old, d)}, nil, nil
}

// succeed makes d the successor of old: a new generation and revision where the spec changed, which is a new template's
// only where what runs changed.
func succeed(old, d fleet.Deployment) fleet.Deployment {
	d.Metadata.UID = old.Metadata.UID
	d.Metadata.ResourceVersion = old.Metadata.ResourceVersion
	d.Metadata.CreationTimestamp = old.Metadata.CreationTimestamp
	d.Metadata.Generation, d.Revision, d.TemplateRevision = old.Metadata.Generation, old.Revision, old.TemplateRevision
	d.Status, d.LastContainer, d.DividedAfresh = old.Status, old.LastContainer, old.DividedAfresh
	if !sameJSON(d.Spec, old.Spec) {
		d.Metadata.Generation++
		d.Revision++
		if !fleet.SameTemplate(old.Spec, d.Spec) {
			d.TemplateRevision = d.Revision
		}
	}
	return d
}

// writeDeployment plans and stores one deployment, and tells the scheduler when it is durable.
func (c *Control) writeDeployment(ctx context.Context, a Actor, s *subject, o WriteOptions, plan func(Reader) (deploymentDraft, fleet.FieldErrors, error)) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	draft, refused, err := write(ctx, c, a, s, o.DryRun, plan, func(tx Writer, d *deploymentDraft) (effect, error) {
		if d.unchanged() {
			return effect{nothing: true}, nil
		}
		changes, err := c.storeDeployment(ctx, tx, a, d)
		return effect{changes: changes}, err
	})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Deployment]{}, refused, err
	}
	if !o.DryRun && !draft.unchanged() {
		c.deps.Scheduler.DeploymentChanged(draft.next)
	}
	return draft.written(), nil, nil
}

// storeDeployment writes the row, the revision and the events, and answers what changed.
func (c *Control) storeDeployment(ctx context.Context, tx Writer, a Actor, d *deploymentDraft) ([]fleet.Change, error) {
	var before any
	var err error
	if !d.created() {
		before = declared(*d.old)
	}
	if d.old == nil {
		d.next, err = tx.InsertDeployment(ctx, d.next, a.Name)
	} else {
		d.next, err = tx.UpdateDeployment(ctx, d.next, a.Name)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range d.events {
		if err := tx.AppendEvent(ctx, e); err != nil {
			return nil, err
		}
	}
	return diff(before, declared(d.next))
}

// declared is the part of a deployment that people write: what the audit compares.
func declared(d fleet.Deployment) any {
	return struct {
		Metadata declaredMetadata     `json:"metadata"`
		Spec     fleet.DeploymentSpec `json:"spec"`
	}{declaredMetadata{d.Metadata.Labels, d.Metadata.Annotations}, d.Spec}
}

// exists refuses a name that is taken (409).
func exists(field, name string) fleet.FieldErrors {
	return fleet.FieldErrors{{Code: fleet.CodeAlreadyExists, Field: field, Value: name}}
}
