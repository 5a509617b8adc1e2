package control

import (
	"context"
	"errors"
	"strconv"

	"odysseus/fleet"
)

// NewTenant is the body of a POST.
type NewTenant struct {
	Name        string `json:"name" validate:"required,name"`
	DisplayName string `json:"displayName"`
}

// maxDisplayName is the most characters of a name for people.
const maxDisplayName = 100

// Tenants of the platform.
func (c *Control) Tenants(ctx context.Context, a Actor, o fleet.ListOptions) (Page[fleet.Tenant], error) {
	var page Page[fleet.Tenant]
	err := c.read(ctx, a, kindTenant, func(tx Reader) (err error) {
		page, err = listOf(o, nil, func(o fleet.ListOptions) ([]fleet.Tenant, string, error) { return tx.Tenants(ctx, o) })
		return err
	})
	return page, wrap("list tenants", err)
}

// Tenant by name.
func (c *Control) Tenant(ctx context.Context, a Actor, name string) (fleet.Tenant, error) {
	var t fleet.Tenant
	err := c.read(ctx, a, kindTenant, func(tx Reader) (err error) {
		t, err = tx.Tenant(ctx, name)
		return err
	})
	return t, wrap("read tenant", err)
}

// CreateTenant creates a tenant and a namespace of the same name.
func (c *Control) CreateTenant(ctx context.Context, a Actor, b Body[NewTenant], o WriteOptions) (Written[fleet.Tenant], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: kindTenant, name: b.Value.Name}
	t, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.Tenant, fleet.FieldErrors, error) {
			var further fleet.FieldErrors
			if len([]rune(b.Value.DisplayName)) > maxDisplayName {
				further = append(further, tooLong("displayName", b.Value.DisplayName, maxDisplayName))
			}
			name := b.Value.Name
			faults, err := c.mayCreate(a, kindTenant, b.check(append(further, notSystem(name)...)...))
			if err != nil || len(faults) > 0 {
				return fleet.Tenant{}, faults, err
			}
			_, err = tx.Tenant(ctx, name)
			if errors.Is(err, fleet.ErrNotFound) {
				_, err = tx.Namespace(ctx, name) // the tenant's own namespace must be free as well
			}
			taken, err := isTaken(err)
			if err != nil || taken {
				return fleet.Tenant{}, located(b.Doc, exists("name", name)), err
			}
			display := b.Value.DisplayName
			if display == "" {
				display = name
			}
			return fleet.Tenant{Name: name, DisplayName: display, CreatedAt: c.deps.Now().UTC()}, nil, nil
		},
		func(tx Writer, t *fleet.Tenant) (effect, error) {
			if err := tx.InsertTenant(ctx, *t); err != nil {
				return effect{}, err
			}
			if err := tx.InsertNamespace(ctx, fleet.Namespace{Name: t.Name, Tenant: t.Name, CreatedAt: t.CreatedAt}); err != nil {
				return effect{}, err
			}
			return effect{changes: []fleet.Change{{Field: "displayName", After: t.DisplayName}}}, nil
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Tenant]{}, refused, err
	}
	return Written[fleet.Tenant]{Object: t, Created: true}, nil, nil
}

type tenantDraft struct {
	tenant   fleet.Tenant
	clusters []fleet.Cluster // those that were granted to it by name
}

// DeleteTenant deletes a tenant with its namespaces, people and tokens; refused while it has deployments, policies or
// other resources, or containers that have not stopped yet.
func (c *Control) DeleteTenant(ctx context.Context, a Actor, name string, o WriteOptions) (Written[fleet.Tenant], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: kindTenant, name: name, tenant: name}
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (tenantDraft, fleet.FieldErrors, error) {
			t, err := tx.Tenant(ctx, name)
			if err != nil {
				return tenantDraft{}, nil, err
			}
			if err := mayWrite(a, kindTenant); err != nil {
				return tenantDraft{}, nil, err
			}
			counts, err := tx.CountStates(ctx, name)
			if err != nil {
				return tenantDraft{}, nil, err
			}
			left := 0
			for _, n := range counts {
				left += n
			}
			declared, err := declaredOf(ctx, tx, name)
			if err != nil {
				return tenantDraft{}, nil, err
			}
			if left += declared; left == 0 {
				left, err = containersOf(ctx, tx, name)
				if err != nil {
					return tenantDraft{}, nil, err
				}
			}
			if left > 0 {
				return tenantDraft{}, fleet.FieldErrors{{Code: fleet.CodeTenantInUse, Field: "name", Value: name, Args: map[string]string{"Count": strconv.Itoa(left)}}}, nil
			}
			clusters, err := grantedByName(ctx, tx, name)
			return tenantDraft{tenant: t, clusters: clusters}, nil, err
		},
		func(tx Writer, d *tenantDraft) (effect, error) {
			if err := tx.DeleteTenant(ctx, name); err != nil {
				return effect{}, err
			}
			for i, cluster := range d.clusters {
				now, err := tx.Cluster(ctx, cluster.Name)
				if err != nil {
					return effect{}, err
				}
				d.clusters[i] = now
			}
			return effect{changes: []fleet.Change{{Field: "displayName", Before: d.tenant.DisplayName}}}, nil
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Tenant]{}, refused, err
	}
	if !o.DryRun {
		for _, cluster := range draft.clusters {
			c.deps.Scheduler.ClusterChanged(cluster)
		}
	}
	return Written[fleet.Tenant]{Object: draft.tenant}, nil, nil
}

// grantedByName are the clusters whose list of tenants names this one.
func grantedByName(ctx context.Context, tx Reader, tenant string) ([]fleet.Cluster, error) {
	var named []fleet.Cluster
	o := fleet.ListOptions{Limit: maxPage}
	for {
		clusters, next, err := tx.Clusters(ctx, tenant, o)
		if err != nil {
			return nil, err
		}
		for _, cluster := range clusters {
			for _, t := range cluster.Tenants {
				if t == tenant {
					named = append(named, cluster)
				}
			}
		}
		if next == "" {
			return named, nil
		}
		o.After = next
	}
}

// declaredOf counts a tenant's policies of both sorts, and its resources other than deployments.
func declaredOf(ctx context.Context, tx Reader, tenant string) (int, error) {
	left := 0
	count := func(page func(fleet.ListOptions) (int, string, error)) error {
		o := fleet.ListOptions{Limit: maxPage}
		for {
			n, next, err := page(o)
			left += n
			if o.After = next; err != nil || next == "" {
				return err
			}
		}
	}
	err := count(func(o fleet.ListOptions) (int, string, error) {
		policies, next, err := tx.Policies(ctx, fleet.PolicyFilter{Tenant: tenant}, o)
		return len(policies), next, err
	})
	if err != nil {
		return 0, err
	}
	err = count(func(o fleet.ListOptions) (int, string, error) {
		overrides, next, err := tx.Overrides(ctx, fleet.PolicyFilter{Tenant: tenant}, o)
		return len(overrides), next, err
	})
	if err != nil {
		return 0, err
	}
	err = count(func(o fleet.ListOptions) (int, string, error) {
		resources, next, err := tx.Resources(ctx, fleet.ResourceFilter{Tenant: tenant}, o)
		return len(resources), next, err
	})
	return left, err
}

// containersOf counts the containers of a tenant that still run down after their deployments are gone. It asks
// every node: tenants are deleted rarely, and then their machines must be known to be free of them.
func containersOf(ctx context.Context, tx Reader, tenant string) (int, error) {
	left := 0
	o := fleet.ListOptions{Limit: maxPage}
	for {
		nodes, next, err := tx.Nodes(ctx, fleet.NodeFilter{}, o)
		if err != nil {
			return 0, err
		}
		for _, n := range nodes {
			containers, err := tx.NodeContainers(ctx, n.Name)
			if err != nil {
				return 0, err
			}
			for _, c := range containers {
				if c.Tenant == tenant {
					left++
				}
			}
		}
		if next == "" {
			return left, nil
		}
		o.After = next
	}
}

// maxPage is the most items of one page.
const maxPage = 500

// mayCreate asks the table, and then for faults: who may not write is not told what is wrong.
func (c *Control) mayCreate(a Actor, kind string, faults fleet.FieldErrors) (fleet.FieldErrors, error) {
	if err := mayWrite(a, kind); err != nil {
		return nil, err
	}
	return faults, nil
}

// isTaken reads a look-up of a name that is to be free.
func isTaken(err error) (bool, error) {
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fleet.ErrNotFound):
		return false, nil
	}
	return false, err
}

func tooLong(field, value string, limit int) fleet.FieldError {
	return fleet.FieldError{Code: fleet.CodeTooLong, Field: field, Value: value, Want: "at_most_characters", WantArgs: map[string]string{"Limit": strconv.Itoa(limit)}}
}
