package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// What one document of an apply came to.
const (
	ResultCreated   = "created"
	ResultUpdated   = "updated"
	ResultUnchanged = "unchanged"
)

// Applied is one document of an apply: a deployment, a policy of either sort or another resource, whichever is set.
type Applied struct {
	Deployment *fleet.Deployment
	Policy     *fleet.Policy
	Override   *fleet.Override
	Resource   *ResourceDetail
	Result     string
	Warnings   []fleet.Warning
}

// ApplyOptions are how an apply is asked for. Namespace is where documents without one go; without it, to the one
// named like the actor's tenant.
type ApplyOptions struct {
	Namespace string
	DryRun    bool
}

// applyDraft is one document of an apply, planned.
type applyDraft interface {
	created() bool
	unchanged() bool
	// store writes the draft, and answers what it is about, for the audit, and what changed.
	store(ctx context.Context, c *Control, tx Writer, a Actor) (subject, []fleet.Change, error)
	// tell the scheduler, once it is durable.
	tell(s Scheduler)
	applied(c *Control, a Actor) Applied
}

// Apply makes all documents of a stream true or none. It answers every fault of every document at once, each with
// its line. Faults are those of parsing the stream. A document that changes nothing writes nothing.
func (c *Control) Apply(ctx context.Context, a Actor, docs []*fleet.Doc, faults fleet.FieldErrors, o ApplyOptions) ([]Applied, fleet.FieldErrors, error) {
	s := &subject{verb: "apply", kind: kindManifest, namespace: o.Namespace}
	if len(faults) == 0 && len(docs) == 0 {
		faults = fleet.FieldErrors{{Code: fleet.CodeNoDocument, Want: "document"}}
	}
	drafts, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) ([]applyDraft, fleet.FieldErrors, error) {
			if err := mayWrite(a, kindManifest); err != nil {
				return nil, nil, err
			}
			if len(faults) > 0 {
				return nil, withoutText(faults), nil
			}
			return c.planApply(ctx, tx, a, docs, o)
		},
		func(tx Writer, drafts *[]applyDraft) (effect, error) {
			return effect{nothing: true}, c.storeApply(ctx, tx, a, *drafts)
		})
	if err != nil || len(refused) > 0 {
		return nil, refused, err
	}
	if !o.DryRun {
		for _, d := range inOrderOfEffect(drafts) {
			d.tell(c.deps.Scheduler)
		}
	}
	applied := make([]Applied, len(drafts))
	for i, d := range drafts {
		applied[i] = d.applied(c, a)
		switch {
		case d.created():
			applied[i].Result = ResultCreated
		case d.unchanged():
			applied[i].Result = ResultUnchanged
		default:
			applied[i].Result = ResultUpdated
		}
	}
	return applied, nil, nil
}

// applying is a stream that is being planned.
type applying struct {
	*Control
	tx     Reader
	actor  Actor
	asked  ApplyOptions
	geo    fleet.GeoAwareness
	scopes fleet.Scopes
	// seen are the names that documents before have.
	seen map[fleet.ResourceKey]bool
}

func (c *Control) planApply(ctx context.Context, tx Reader, a Actor, docs []*fleet.Doc, o ApplyOptions) ([]applyDraft, fleet.FieldErrors, error) {
	geo, _, err := c.effective(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	stored, err := tx.DefinedScopes(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := &applying{Control: c, tx: tx, actor: a, asked: o, geo: geo, scopes: fleet.Scopes{}, seen: map[fleet.ResourceKey]bool{}}
	for kind, scope := range stored {
		p.scopes[kind] = scope
	}
	var refused fleet.FieldErrors
	drafts := make([]applyDraft, len(docs))
	for i, doc := range docs {
		draft, faults, err := p.document(ctx, doc)
		if err != nil {
			return nil, nil, err
		}
		drafts[i] = draft
		refused = append(refused, faults...)
	}
	return drafts, refused.Sorted(), nil
}

// document plans one document as what it declares.
func (p *applying) document(ctx context.Context, doc *fleet.Doc) (applyDraft, fleet.FieldErrors, error) {
	switch doc.Declares() {
	case fleet.DeclaresForeignPolicy:
		return nil, fleet.ForeignPolicy(doc), nil
	case fleet.DeclaresPolicy:
		return p.policy(ctx, PolicyOf(doc))
	case fleet.DeclaresOverride:
		return p.override(ctx, OverrideOf(doc))
	case fleet.DeclaresDeployment:
		return p.deployment(ctx, ManifestOf(doc))
	}
	return p.resource(ctx, ResourceOf(doc))
}

// namespace is where a document goes: its own namespace, else that of the request, else the one named like the actor's
// tenant, else it is required. One of somebody else's is as unknown as one that is not there; of such a document the
// other faults are found as if the namespace were its own, and nothing is looked up there.
func (p *applying) namespace(ctx context.Context, given string) (fleet.Namespace, fleet.FieldErrors, error) {
	name := given
	if name == "" {
		name = p.asked.Namespace
	}
	if name == "" {
		name = p.actor.Tenant
	}
	if name == "" {
		return fleet.Namespace{}, fleet.FieldErrors{{Code: fleet.CodeRequired, Field: "metadata.namespace", Want: "namespace"}}, nil
	}
	ns, err := ownNamespace(ctx, p.tx, p.actor, name)
	if errors.Is(err, fleet.ErrNotFound) {
		return fleet.Namespace{}, fleet.FieldErrors{{Code: fleet.CodeNamespaceUnknown, Field: "metadata.namespace", Value: name, Want: "namespace"}}, nil
	}
	return ns, nil, err
}

// repeated refuses a document whose name one before has.
func (p *applying) repeated(doc *fleet.Doc, key fleet.ResourceKey) fleet.FieldErrors {
	if key.Name == "" {
		return nil
	}
	if !p.seen[key] {
		p.seen[key] = true
		return nil
	}
	return located(doc, fleet.FieldErrors{{Code: fleet.CodeRepeated, Field: "metadata.name", Value: key.Name, Want: "distinct", Args: map[string]string{"First": "metadata.name"}}})
}

// storeApply writes what changed, with an audit entry to each document.
func (c *Control) storeApply(ctx context.Context, tx Writer, a Actor, drafts []applyDraft) error {
	for _, d := range drafts {
		if d.unchanged() {
			continue
		}
		s, changes, err := d.store(ctx, c, tx, a)
		if err != nil {
			return err
		}
		s.verb = "update"
		if d.created() {
			s.verb = "create"
		}
		if err := tx.AppendAudit(ctx, c.auditEntry(a, s, nil, nil, changes)); err != nil {
			return err
		}
	}
	return nil
}
