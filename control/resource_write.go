package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// resourceDraft is one write of a resource, planned: next is what is to be stored, old what is there.
type resourceDraft struct {
	old  *fleet.StoredResource // nil for a new one
	next fleet.StoredResource
	// secrets are the keys of a Secret whose values change or are new.
	secrets  []string
	warnings []fleet.Warning
	// versionOf is what the manifest of a new one says that it is a version of; empty where it says nothing.
	versionOf string
}

// created: nobody saw one that was preserved.
func (d resourceDraft) created() bool { return d.old == nil || d.old.Preserved }

func (d resourceDraft) unchanged() bool {
	return !d.created() && len(d.secrets) == 0 && fleet.SameObject(&d.old.Resource, ptr(d.next.Hidden()), true)
}

func ptr[T any](v T) *T { return &v }

// CreateResource stores a new resource in a namespace; a cluster-scoped one where namespace is empty.
func (c *Control) CreateResource(ctx context.Context, a Actor, namespace string, m ResourceManifest, o WriteOptions) (Written[ResourceDetail], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: resourceKind(m.Resource.Key()), rule: resourceRule(namespace), namespace: namespace, name: m.Resource.Name}
	return c.writeResource(ctx, a, s, o, func(tx Reader) (resourceDraft, fleet.FieldErrors, error) {
		var at resourcePlace
		if namespace != "" {
			ns, err := ownNamespace(ctx, tx, a, namespace)
			if err != nil {
				return resourceDraft{}, nil, err
			}
			at.namespace, s.tenant = ns, ns.Tenant
		}
		if err := mayWrite(a, s.rule); err != nil {
			return resourceDraft{}, nil, err
		}
		scopes, err := tx.DefinedScopes(ctx)
		if err != nil {
			return resourceDraft{}, nil, err
		}
		draft, faults, err := c.planCreateResource(ctx, tx, a, at, m, scopes)
		draft.warnings = fleet.UnusualKind(draft.next.APIVersion, draft.next.Kind, scopes)
		return draft, faults, err
	})
}

// UpdateResource replaces a resource. One that changes nothing writes nothing.
func (c *Control) UpdateResource(ctx context.Context, a Actor, key fleet.ResourceKey, m ResourceManifest, o WriteOptions) (Written[ResourceDetail], fleet.FieldErrors, error) {
	s := resourceSubject("update", key)
	return c.writeResource(ctx, a, s, o, func(tx Reader) (resourceDraft, fleet.FieldErrors, error) {
		ns, old, faults, err := resourceForWriting(ctx, tx, a, s, key, o)
		if err != nil || len(faults) > 0 {
			return resourceDraft{}, faults, err
		}
		scopes, err := tx.DefinedScopes(ctx)
		if err != nil {
			return resourceDraft{}, nil, err
		}
		draft, faults, err := c.planUpdateResource(ctx, tx, a, resourcePlace{namespace: ns, key: key, old: &old}, m, scopes)
		draft.warnings = fleet.UnusualKind(draft.next.APIVersion, draft.next.Kind, scopes)
		return draft, faults, err
	})
}

func resourceSubject(verb string, key fleet.ResourceKey) *subject {
	return &subject{verb: verb, kind: resourceKind(key), rule: resourceRule(key.Namespace), namespace: key.Namespace, name: key.Name}
}

// DeleteResource deletes a resource; the scheduler removes it from the members, but where its policy preserves it.
func (c *Control) DeleteResource(ctx context.Context, a Actor, key fleet.ResourceKey, o WriteOptions) (Written[ResourceDetail], fleet.FieldErrors, error) {
	s := resourceSubject("delete", key)
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (resourceDraft, fleet.FieldErrors, error) {
			_, old, faults, err := resourceForWriting(ctx, tx, a, s, key, o)
			if err != nil || len(faults) > 0 {
				return resourceDraft{}, faults, err
			}
			next := old
			next.Preserved, err = preservedBy(ctx, tx, old.Tenant, old.UID)
			return resourceDraft{old: &old, next: next}, nil, err
		},
		func(tx Writer, d *resourceDraft) (effect, error) {
			remove := tx.DeleteResource
			if d.next.Preserved {
				remove = tx.PreserveResource
			}
			if err := remove(ctx, d.old.Tenant, d.old.UID); err != nil {
				return effect{}, err
			}
			if err := tx.AppendEvent(ctx, c.resourceEvent(*d.old, EventDeleted)); err != nil {
				return effect{}, err
			}
			changes, err := resourceChanges(d.old, nil, nil)
			return effect{changes: changes}, err
		})
	if err != nil || len(refused) > 0 {
		return Written[ResourceDetail]{}, refused, err
	}
	detail := c.detailOf(a, *draft.old)
	if !o.DryRun {
		c.deps.Scheduler.ResourceDeleted(draft.next)
	}
	return Written[ResourceDetail]{Object: detail, Warnings: keptWarnings(draft.next.Preserved, draft.old.Name)}, nil, nil
}

// keptWarnings say that a deletion leaves the copies where they are.
func keptWarnings(preserved bool, name string) []fleet.Warning {
	if !preserved {
		return nil
	}
	return []fleet.Warning{{Code: fleet.CodeKeptOnMembers, Args: map[string]string{"Name": name}}}
}

// preservedBy says whether the policy that holds a deployment or resource keeps what it distributed of it: "deleting a
// resource removes it from the members, unless a policy under Karmada's apiVersion preserves it". What no policy has
// distributed yet has nothing to keep.
func preservedBy(ctx context.Context, tx Reader, tenant, uid string) (bool, error) {
	binding, err := tx.Binding(ctx, uid)
	if err != nil || binding.Policy == nil {
		return false, err
	}
	if binding.Policy.Namespace == "" {
		tenant = "" // cluster-wide policies are of no tenant
	}
	p, err := tx.Policy(ctx, tenant, *binding.Policy)
	if errors.Is(err, fleet.ErrNotFound) {
		return false, nil
	}
	return err == nil && p.KeepsOnResourceDeletion(), err
}

// resourceForWriting finds the resource that a write is about: 404 before 403, and 403 before 412. An address that names
// none is refused to those who may write there.
func resourceForWriting(ctx context.Context, tx Reader, a Actor, s *subject, key fleet.ResourceKey, o WriteOptions) (fleet.Namespace, fleet.StoredResource, fleet.FieldErrors, error) {
	ns, faults, err := resourceAddress(ctx, tx, a, key)
	s.tenant = ns.Tenant
	var old fleet.StoredResource
	if err == nil && len(faults) == 0 {
		old, err = tx.Resource(ctx, ns.Tenant, key)
	}
	if err == nil {
		err = mayWrite(a, s.rule)
	}
	if err == nil && len(faults) == 0 && !matches(o.IfMatch, old.ResourceVersion) {
		err = fleet.ErrStale
	}
	if err != nil {
		faults = nil
	}
	return ns, old, faults, err
}

// planCreateResource drafts a new resource. One that was deleted under its name and whose copies stay is taken over:
// it is the same one again, under its UID.
func (c *Control) planCreateResource(ctx context.Context, tx Reader, a Actor, at resourcePlace, m ResourceManifest, scopes fleet.Scopes) (resourceDraft, fleet.FieldErrors, error) {
	next, faults, err := admitResource(ctx, tx, a, at, m, scopes)
	if err != nil || len(faults) > 0 {
		return resourceDraft{}, faults, err
	}
	key, versionOf := next.Key(), next.ResourceVersion
	switch _, err := tx.Resource(ctx, at.namespace.Tenant, key); {
	case err == nil:
		return resourceDraft{}, located(m.Doc, exists("metadata.name", key.Name)), nil
	case !errors.Is(err, fleet.ErrNotFound):
		return resourceDraft{}, nil, err
	}
	switch kept, err := tx.PreservedResource(ctx, at.namespace.Tenant, key); {
	case err == nil:
		draft, err := c.succeed(ctx, tx, &kept, next)
		if draft.next.Generation == kept.Generation {
			draft.next.Generation++ // it is wanted again: what was decided of it has to be decided anew
		}
		draft.versionOf = versionOf
		return draft, nil, err
	case !errors.Is(err, fleet.ErrNotFound):
		return resourceDraft{}, nil, err
	}
	next.UID, next.ResourceVersion, next.CreationTimestamp = c.deps.NewID(), "", c.deps.Now().UTC()
	next.Generation, next.Revision, next.TemplateRevision = 1, 1, 1
	next.Status = &fleet.DeploymentStatus{State: fleet.Waiting, Replicas: replicasOf(next.Resource), Revision: 1}
	return resourceDraft{next: next, secrets: sortedKeys(next.SecretData()), versionOf: versionOf}, nil, nil
}

// replicasOf a workload; 0 of what has no count.
func replicasOf(r fleet.Resource) int {
	counts, _ := r.Replicas()
	return int(counts.Count)
}

// planUpdateResource drafts the next version of a resource.
func (c *Control) planUpdateResource(ctx context.Context, tx Reader, a Actor, at resourcePlace, m ResourceManifest, scopes fleet.Scopes) (resourceDraft, fleet.FieldErrors, error) {
	next, faults, err := admitResource(ctx, tx, a, at, m, scopes)
	if err != nil || len(faults) > 0 {
		return resourceDraft{}, faults, err
	}
	if !matches(next.ResourceVersion, at.old.ResourceVersion) {
		return resourceDraft{}, nil, fleet.ErrStale
	}
	draft, err := c.succeed(ctx, tx, at.old, next)
	return draft, nil, err
}

// succeed makes next the successor of old: a new generation where what it asks for changed, and of a workload a new
// revision, which is a new template's only where what runs changed.
func (c *Control) succeed(ctx context.Context, tx Reader, old *fleet.StoredResource, next fleet.StoredResource) (resourceDraft, error) {
	draft := resourceDraft{old: old}
	if next.Kind == fleet.KindSecret {
		var err error
		if draft.secrets, err = tx.ChangedSecretKeys(ctx, old.UID, next.SecretData()); err != nil {
			return resourceDraft{}, err
		}
	}
	next.UID, next.ResourceVersion, next.CreationTimestamp = old.UID, old.ResourceVersion, old.CreationTimestamp
	next.Generation, next.Revision, next.TemplateRevision = old.Generation, old.Revision, old.TemplateRevision
	next.LastContainer, next.DividedAfresh, next.Status = old.LastContainer, old.DividedAfresh, old.Status
	if len(draft.secrets) > 0 || !fleet.SameObject(&old.Resource, ptr(next.Hidden()), false) {
		next.Generation++
		if fleet.HasReplicas(next.APIVersion, next.Kind) {
			next.Revision++
			if !fleet.SameTemplateResource(&old.Resource, &next.Resource) {
				next.TemplateRevision = next.Revision
			}
		}
	}
	draft.next = next
	return draft, nil
}

// writeResource plans and stores one resource, and tells the scheduler when it is durable.
func (c *Control) writeResource(ctx context.Context, a Actor, s *subject, o WriteOptions, plan func(Reader) (resourceDraft, fleet.FieldErrors, error)) (Written[ResourceDetail], fleet.FieldErrors, error) {
	draft, refused, err := write(ctx, c, a, s, o.DryRun, plan, func(tx Writer, d *resourceDraft) (effect, error) {
		if d.unchanged() {
			return effect{nothing: true}, nil
		}
		changes, err := c.storeResource(ctx, tx, d)
		return effect{changes: changes}, err
	})
	if err != nil || len(refused) > 0 {
		return Written[ResourceDetail]{}, refused, err
	}
	if !o.DryRun && !draft.unchanged() {
		c.deps.Scheduler.ResourceChanged(draft.next)
	}
	return Written[ResourceDetail]{Object: c.detailOf(a, draft.next), Warnings: draft.warnings, Created: draft.created()}, nil, nil
}

// storeResource writes the row, the revision and the event, and answers what changed.
func (c *Control) storeResource(ctx context.Context, tx Writer, d *resourceDraft) ([]fleet.Change, error) {
	changes, err := resourceChanges(d.old, &d.next, d.secrets)
	if err != nil {
		return nil, err
	}
	if d.old == nil {
		d.next, err = tx.InsertResource(ctx, d.next)
	} else {
		d.next, err = tx.UpdateResource(ctx, d.next)
	}
	if err != nil {
		return nil, err
	}
	reason := EventChanged // of what has no revisions
	switch {
	case d.created():
		reason = EventCreated
	case d.old.Revision != d.next.Revision:
		reason = EventUpdated
	}
	return changes, tx.AppendEvent(ctx, c.resourceEvent(d.next, reason))
}
