package control

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"odysseus/fleet"
)

// deployment creates what is not there and updates what is.
func (p *applying) deployment(ctx context.Context, m Manifest) (applyDraft, fleet.FieldErrors, error) {
	given := m.Deployment.Metadata
	ns, faults, err := p.namespace(ctx, given.Namespace)
	if err != nil {
		return nil, nil, err
	}
	if len(faults) > 0 {
		_, more, _ := admit(m, place{namespace: fleet.Namespace{Name: given.Namespace}}, p.geo)
		return nil, located(m.Doc, append(faults, more...)), nil
	}
	faults = p.repeated(m.Doc, fleet.ResourceKey{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Namespace: ns.Name, Name: given.Name})
	var draft deploymentDraft
	var more fleet.FieldErrors
	old, err := p.tx.Deployment(ctx, ns.Tenant, ns.Name, given.Name)
	switch {
	case errors.Is(err, fleet.ErrNotFound) && given.ResourceVersion != "":
		return nil, nil, fleet.ErrStale // somebody deleted what this is a version of
	case errors.Is(err, fleet.ErrNotFound):
		draft, more, err = p.planCreate(ctx, p.tx, ns, m)
	case err == nil:
		draft, more, err = p.planUpdate(ctx, p.tx, place{namespace: ns, old: &old}, m)
	}
	return &draft, append(faults, more...), err
}

// policy creates what is not there and updates what is. Without a name it is always a new one.
func (p *applying) policy(ctx context.Context, m PolicyManifest) (applyDraft, fleet.FieldErrors, error) {
	given := m.Policy.Metadata
	at := policyPlace{ref: fleet.PolicyRef{Kind: m.Policy.Kind}}
	var faults fleet.FieldErrors
	if m.Policy.Scope() == fleet.ScopeCluster {
		if err := mayWrite(p.actor, kindClusterPolicy); err != nil {
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
	key := fleet.ResourceKey{APIVersion: fleet.PolicyAPIVersion, Kind: at.ref.Kind, Namespace: at.ref.Namespace, Name: given.Name}
	if len(faults) > 0 {
		_, more, _, err := admitPolicy(ctx, p.tx, p.actor, at, m)
		for _, f := range more {
			if f.Field != "metadata.namespace" { // said already
				faults = append(faults, f)
			}
		}
		return nil, located(m.Doc, faults), err
	}
	faults = p.repeated(m.Doc, key)
	var draft policyDraft
	var more fleet.FieldErrors
	old, err := p.tx.Policy(ctx, at.tenant, fleet.PolicyRef{Kind: at.ref.Kind, Namespace: at.ref.Namespace, Name: given.Name})
	switch {
	case errors.Is(err, fleet.ErrNotFound) && given.ResourceVersion != "":
		return nil, nil, fleet.ErrStale
	case errors.Is(err, fleet.ErrNotFound):
		draft, more, err = p.planCreatePolicy(ctx, p.tx, p.actor, at, m, func(ref fleet.PolicyRef) bool {
			return p.seen[fleet.ResourceKey{APIVersion: fleet.PolicyAPIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}]
		})
		key.Name = draft.next.Metadata.Name
		p.seen[key] = true
	case err == nil:
		at.old = &old
		draft, more, err = p.planUpdatePolicy(ctx, p.tx, p.actor, at, m)
	}
	return &draft, append(faults, more...), err
}

// resource creates what is not there and updates what is. A CustomResourceDefinition says of what scope its kind is in
// the documents after it.
func (p *applying) resource(ctx context.Context, m ResourceManifest) (applyDraft, fleet.FieldErrors, error) {
	key := m.Resource.Key()
	var at resourcePlace
	if p.scopes.Of(key.APIVersion, key.Kind) == fleet.ScopeCluster {
		if err := mayWrite(p.actor, kindClusterResource); err != nil {
			return nil, nil, err
		}
		key.Namespace = ""
	} else {
		ns, faults, err := p.namespace(ctx, key.Namespace)
		if err != nil {
			return nil, nil, err
		}
		if len(faults) > 0 {
			// Nothing is looked up in a namespace that is not the actor's: the address is the document's own.
			at.namespace = fleet.Namespace{Name: cmp.Or(key.Namespace, "unknown")}
			_, more, err := admitResource(ctx, p.tx, p.actor, at, m, p.scopes)
			return nil, located(m.Doc, append(faults, more...)), err
		}
		at.namespace, key.Namespace = ns, ns.Name
	}
	faults := p.repeated(m.Doc, key)
	var draft resourceDraft
	var more fleet.FieldErrors
	old, err := p.tx.Resource(ctx, at.namespace.Tenant, key)
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		draft, more, err = p.planCreateResource(ctx, p.tx, p.actor, at, m, p.scopes)
		if err == nil && draft.versionOf != "" {
			return nil, nil, fleet.ErrStale // somebody deleted what this is a version of
		}
	case err == nil:
		at.old, at.key = &old, key
		draft, more, err = p.planUpdateResource(ctx, p.tx, p.actor, at, m, p.scopes)
	}
	draft.warnings = fleet.UnusualKind(draft.next.APIVersion, draft.next.Kind, p.scopes)
	if decoded, _ := fleet.DecodeResource(m.Doc, p.scopes); err == nil {
		if kind, scope, defines := fleet.DefinedScope(&decoded); defines { // refused or not: the documents after it mean it
			p.scopes[kind] = scope
		}
	}
	return &draft, append(faults, more...), err
}

func (d *deploymentDraft) store(ctx context.Context, c *Control, tx Writer, a Actor) (subject, []fleet.Change, error) {
	changes, err := c.storeDeployment(ctx, tx, a, d)
	return subject{kind: kindDeployment, tenant: d.next.Tenant, namespace: d.next.Metadata.Namespace, name: d.next.Metadata.Name}, changes, err
}

func (d *deploymentDraft) tell(s Scheduler) { s.DeploymentChanged(d.next) }

func (d *deploymentDraft) applied(*Control, Actor) Applied {
	w := d.written()
	return Applied{Deployment: &w.Object, Warnings: w.Warnings}
}

func (d *policyDraft) store(ctx context.Context, _ *Control, tx Writer, _ Actor) (subject, []fleet.Change, error) {
	changes, err := storePolicy(ctx, tx, d)
	ref := d.next.Ref()
	return subject{kind: ref.Kind, tenant: d.next.Tenant, namespace: ref.Namespace, name: ref.Name}, changes, err
}

func (d *policyDraft) tell(s Scheduler) { s.PolicyChanged(d.next) }

func (d *policyDraft) applied(*Control, Actor) Applied {
	return Applied{Policy: &d.next, Warnings: d.warnings}
}

func (d *resourceDraft) store(ctx context.Context, c *Control, tx Writer, _ Actor) (subject, []fleet.Change, error) {
	changes, err := c.storeResource(ctx, tx, d)
	return subject{kind: resourceKind(d.next.Key()), tenant: d.next.Tenant, namespace: d.next.Namespace, name: d.next.Name}, changes, err
}

func (d *resourceDraft) tell(s Scheduler) { s.ResourceChanged(d.next) }

func (d *resourceDraft) applied(c *Control, a Actor) Applied {
	detail := c.detailOf(a, d.next)
	return Applied{Resource: &detail, Warnings: d.warnings}
}

// inOrderOfEffect are the drafts that changed something, in the order in which the scheduler is told. Override policies
// come first: "the first thing distributed is already overridden". Policies come before what they select, so that no
// Deployment is placed by default in between, to be moved at once; those that win come before those that lose, since "a
// claim is sticky". What workloads depend on comes before these.
func inOrderOfEffect(drafts []applyDraft) []applyDraft {
	changed := slices.DeleteFunc(slices.Clone(drafts), applyDraft.unchanged)
	slices.SortStableFunc(changed, func(a, b applyDraft) int {
		p, isPolicy := a.(*policyDraft)
		q, both := b.(*policyDraft)
		if isPolicy && both {
			return cmp.Or(cmp.Compare(scopeRank(p.next), scopeRank(q.next)), cmp.Compare(q.next.Priority(), p.next.Priority()))
		}
		return cmp.Compare(turn(a), turn(b))
	})
	return changed
}

func scopeRank(p fleet.Policy) int {
	if p.Scope() == fleet.ScopeCluster {
		return 1
	}
	return 0
}

func turn(d applyDraft) int {
	switch d := d.(type) {
	case *overrideDraft:
		return 0
	case *policyDraft:
		return 1
	case *resourceDraft:
		if !fleet.HasReplicas(d.next.APIVersion, d.next.Kind) {
			return 2
		}
	}
	return 3
}
