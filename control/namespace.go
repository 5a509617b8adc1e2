package control

import (
	"context"

	"odysseus/fleet"
)

// NewNamespace is the body of a POST.
type NewNamespace struct {
	Name string `json:"name" validate:"required,name"`
}

// Namespaces of a tenant, for the platform.
func (c *Control) Namespaces(ctx context.Context, a Actor, tenant string, o fleet.ListOptions) (Page[fleet.Namespace], error) {
	var page Page[fleet.Namespace]
	err := c.read(ctx, a, kindNamespace, func(tx Reader) error {
		if _, err := tx.Tenant(ctx, tenant); err != nil {
			return err
		}
		var err error
		page, err = listOf(o, nil, func(o fleet.ListOptions) ([]fleet.Namespace, string, error) { return tx.Namespaces(ctx, tenant, o) })
		return err
	})
	return page, wrap("list namespaces", err)
}

// OwnNamespaces are those that the actor may look into: its tenant's; all, for the platform's roles.
func (c *Control) OwnNamespaces(ctx context.Context, a Actor, o fleet.ListOptions) (Page[fleet.Namespace], error) {
	var page Page[fleet.Namespace]
	err := c.read(ctx, a, kindDeployment, func(tx Reader) (err error) {
		page, err = listOf(o, nil, func(o fleet.ListOptions) ([]fleet.Namespace, string, error) { return tx.Namespaces(ctx, a.Tenant, o) })
		return err
	})
	return page, wrap("list namespaces", err)
}

// Namespace that the actor may look into.
func (c *Control) Namespace(ctx context.Context, a Actor, name string) (fleet.Namespace, error) {
	var ns fleet.Namespace
	err := c.read(ctx, a, kindDeployment, func(tx Reader) (err error) {
		ns, err = ownNamespace(ctx, tx, a, name)
		return err
	})
	return ns, wrap("read namespace", err)
}

// CreateNamespace gives a tenant another namespace.
func (c *Control) CreateNamespace(ctx context.Context, a Actor, tenant string, b Body[NewNamespace], o WriteOptions) (Written[fleet.Namespace], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: kindNamespace, tenant: tenant, name: b.Value.Name}
	ns, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.Namespace, fleet.FieldErrors, error) {
			if _, err := tx.Tenant(ctx, tenant); err != nil {
				return fleet.Namespace{}, nil, err
			}
			name := b.Value.Name
			faults, err := c.mayCreate(a, kindNamespace, b.check(notSystem(name)...))
			if err != nil || len(faults) > 0 {
				return fleet.Namespace{}, faults, err
			}
			_, err = tx.Namespace(ctx, name)
			taken, err := isTaken(err)
			if err != nil || taken {
				return fleet.Namespace{}, located(b.Doc, exists("name", name)), err
			}
			return fleet.Namespace{Name: name, Tenant: tenant, CreatedAt: c.deps.Now().UTC()}, nil, nil
		},
		func(tx Writer, ns *fleet.Namespace) (effect, error) { return effect{}, tx.InsertNamespace(ctx, *ns) })
	if err != nil || len(refused) > 0 {
		return Written[fleet.Namespace]{}, refused, err
	}
	return Written[fleet.Namespace]{Object: ns, Created: true}, nil, nil
}

// notSystem refuses names of namespaces that the platform keeps for itself.
func notSystem(name string) fleet.FieldErrors {
	if !fleet.SystemNamespace(name) {
		return nil
	}
	return fleet.FieldErrors{{Code: fleet.CodeNotAccepted, Field: "name", Value: name, Want: "name_not_system"}}
}
