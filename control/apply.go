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

// Applied is one document of an apply.
type Applied struct {
	Object   fleet.Deployment
	Result   string
	Warnings []fleet.Warning
}

// ApplyOptions are how an apply is asked for. Namespace is where documents without one go; without it, to the one
// named like the actor's tenant.
type ApplyOptions struct {
	Namespace string
	DryRun    bool
}

// Apply makes all documents of a stream true or none. It answers every fault of every document at once, each with
// its line. Faults are those of parsing the stream. A document that changes nothing writes nothing.
func (c *Control) Apply(ctx context.Context, a Actor, docs []*fleet.Doc, faults fleet.FieldErrors, o ApplyOptions) ([]Applied, fleet.FieldErrors, error) {
	s := &subject{verb: "apply", kind: kindDeployment, namespace: o.Namespace}
	if len(faults) == 0 && len(docs) == 0 {
		faults = fleet.FieldErrors{{Code: fleet.CodeNoDocument, Want: "document"}}
	}
	drafts, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) ([]deploymentDraft, fleet.FieldErrors, error) {
			if err := mayWrite(a, kindDeployment); err != nil {
				return nil, nil, err
			}
			if len(faults) > 0 {
				return nil, faults, nil
			}
			return c.planApply(ctx, tx, a, docs, o)
		},
		func(tx Writer, drafts *[]deploymentDraft) (effect, error) {
			return effect{nothing: true}, c.storeApply(ctx, tx, a, *drafts)
		})
	if err != nil || len(refused) > 0 {
		return nil, refused, err
	}
	applied := make([]Applied, len(drafts))
	for i, d := range drafts {
		if !o.DryRun && !d.unchanged() {
			c.deps.Scheduler.DeploymentChanged(d.next)
		}
		applied[i] = d.applied()
	}
	return applied, nil, nil
}

func (c *Control) planApply(ctx context.Context, tx Reader, a Actor, docs []*fleet.Doc, o ApplyOptions) ([]deploymentDraft, fleet.FieldErrors, error) {
	var refused fleet.FieldErrors
	drafts := make([]deploymentDraft, len(docs))
	seen := map[fleet.Ref]bool{}
	geo, _, err := c.effective(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	for i, doc := range docs {
		m := ManifestOf(doc)
		ns, faults, err := applyNamespace(ctx, tx, a, m, o)
		if err != nil {
			return nil, nil, err
		}
		if len(faults) > 0 {
			// Its other faults all the same: it is held to the rules as if the namespace were its own, and nothing
			// is looked up there.
			_, more, _ := admit(m, place{namespace: fleet.Namespace{Name: m.Deployment.Metadata.Namespace}}, geo)
			refused = append(refused, located(doc, append(faults, more...))...)
			continue
		}
		ref := fleet.Ref{Namespace: ns.Name, Name: m.Deployment.Metadata.Name}
		if seen[ref] && ref.Name != "" {
			refused = append(refused, located(doc, fleet.FieldErrors{{Code: fleet.CodeRepeated, Field: "metadata.name", Value: ref.Name, Want: "distinct", Args: map[string]string{"First": "metadata.name"}}})...)
		}
		seen[ref] = true
		drafts[i], faults, err = c.planDocument(ctx, tx, ns, m)
		if err != nil {
			return nil, nil, err
		}
		refused = append(refused, faults...)
	}
	return drafts, refused.Sorted(), nil
}

// planDocument creates what is not there and updates what is.
func (c *Control) planDocument(ctx context.Context, tx Reader, ns fleet.Namespace, m Manifest) (deploymentDraft, fleet.FieldErrors, error) {
	old, err := tx.Deployment(ctx, ns.Tenant, ns.Name, m.Deployment.Metadata.Name)
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		if m.Deployment.Metadata.ResourceVersion != "" {
			return deploymentDraft{}, nil, fleet.ErrStale // somebody deleted what this is a version of
		}
		return c.planCreate(ctx, tx, ns, m)
	case err != nil:
		return deploymentDraft{}, nil, err
	}
	return c.planUpdate(ctx, tx, place{namespace: ns, old: &old}, m)
}

// applyNamespace is where a document goes: its own namespace, else that of the request, else the one named like
// the actor's tenant, else it is required. One of somebody else's is as unknown as one that is not there.
func applyNamespace(ctx context.Context, tx Reader, a Actor, m Manifest, o ApplyOptions) (fleet.Namespace, fleet.FieldErrors, error) {
	name := m.Deployment.Metadata.Namespace
	if name == "" {
		name = o.Namespace
	}
	if name == "" {
		name = a.Tenant
	}
	if name == "" {
		return fleet.Namespace{}, fleet.FieldErrors{{Code: fleet.CodeRequired, Field: "metadata.namespace", Want: "namespace"}}, nil
	}
	ns, err := ownNamespace(ctx, tx, a, name)
	if errors.Is(err, fleet.ErrNotFound) {
		return fleet.Namespace{}, fleet.FieldErrors{{Code: fleet.CodeNamespaceUnknown, Field: "metadata.namespace", Value: name, Want: "namespace"}}, nil
	}
	return ns, nil, err
}

// storeApply writes what changed, with an audit entry to each document.
func (c *Control) storeApply(ctx context.Context, tx Writer, a Actor, drafts []deploymentDraft) error {
	for i := range drafts {
		d := &drafts[i]
		if d.unchanged() {
			continue
		}
		changes, err := c.storeDeployment(ctx, tx, a, d)
		if err != nil {
			return err
		}
		s := subject{verb: "create", kind: kindDeployment, tenant: d.next.Tenant, namespace: d.next.Metadata.Namespace, name: d.next.Metadata.Name}
		if d.old != nil {
			s.verb = "update"
		}
		if err := tx.AppendAudit(ctx, c.auditEntry(a, s, nil, nil, changes)); err != nil {
			return err
		}
	}
	return nil
}

func (d deploymentDraft) applied() Applied {
	w := d.written()
	result := ResultUpdated
	switch {
	case w.Created:
		result = ResultCreated
	case d.unchanged():
		result = ResultUnchanged
	}
	return Applied{Object: w.Object, Result: result, Warnings: w.Warnings}
}
