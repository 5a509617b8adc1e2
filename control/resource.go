package control

import (
	"context"

	"odysseus/fleet"
)

// ResourceDetail is a resource other than an odysseus/v1 Deployment, and where it is. A Secret's values are hidden.
type ResourceDetail struct {
	Resource  fleet.StoredResource
	Placement fleet.PlacementReport
}

// maxResourceNames bounds what is offered by name.
const maxResourceNames = 500

// resourceRule is the kind in the table of authorisation: those of a namespace are the tenant's, cluster-scoped ones the
// platform's.
func resourceRule(namespace string) string {
	if namespace == "" {
		return kindClusterResource
	}
	return kindResource
}

// resourceKind names a resource in the audit as exactly as it names itself.
func resourceKind(key fleet.ResourceKey) string {
	switch {
	case key.Kind == "":
		return kindResource
	case key.APIVersion == "":
		return key.Kind
	}
	return key.APIVersion + " " + key.Kind
}

// Resources of a namespace, of all namespaces that the actor may look into, or, with f.ClusterScoped, those of none,
// which are the platform's. f.Tenant narrows for the platform's roles and is not heeded for others.
func (c *Control) Resources(ctx context.Context, a Actor, f fleet.ResourceFilter, o fleet.ListOptions) (Page[fleet.StoredResource], error) {
	var page Page[fleet.StoredResource]
	rule := kindResource
	if f.ClusterScoped {
		rule = kindClusterResource
	}
	err := c.read(ctx, a, rule, func(tx Reader) error {
		switch {
		case f.ClusterScoped:
			f.Namespace, f.Tenant = "", ""
		case f.Namespace != "":
			ns, err := ownNamespace(ctx, tx, a, f.Namespace)
			if err != nil {
				return err
			}
			f.Tenant = ns.Tenant
		case !a.Platform():
			f.Tenant = a.Tenant
		}
		var err error
		page.Items, page.Continue, err = tx.Resources(ctx, f, o)
		return err
	})
	return page, wrap("list resources", err)
}

// ResourceDetails are Resources with where each is.
func (c *Control) ResourceDetails(ctx context.Context, a Actor, f fleet.ResourceFilter, o fleet.ListOptions) (Page[ResourceDetail], error) {
	stored, err := c.Resources(ctx, a, f, o)
	page := Page[ResourceDetail]{Continue: stored.Continue}
	for _, r := range stored.Items {
		page.Items = append(page.Items, c.detailOf(a, r))
	}
	return page, err
}

// Resource by its key, with its placement: the nodes, too, for operators and support.
func (c *Control) Resource(ctx context.Context, a Actor, key fleet.ResourceKey) (ResourceDetail, error) {
	var r fleet.StoredResource
	err := c.read(ctx, a, resourceRule(key.Namespace), func(tx Reader) (err error) {
		r, err = ownResource(ctx, tx, a, key)
		return err
	})
	if err != nil {
		return ResourceDetail{}, wrap("read resource", err)
	}
	return c.detailOf(a, r), nil
}

func (c *Control) detailOf(a Actor, r fleet.StoredResource) ResourceDetail {
	r.Resource = r.Hidden()
	return ResourceDetail{Resource: r, Placement: c.deps.Fleet.Placement(r.UID, a.SeesNodes())}
}

// ResourceAddress refuses a key that names no one resource, to those who may look there.
func (c *Control) ResourceAddress(ctx context.Context, a Actor, key fleet.ResourceKey) (fleet.FieldErrors, error) {
	var faults fleet.FieldErrors
	err := c.read(ctx, a, resourceRule(key.Namespace), func(tx Reader) (err error) {
		_, faults, err = resourceAddress(ctx, tx, a, key)
		return err
	})
	return faults, wrap("read resource", err)
}

func resourceAddress(ctx context.Context, tx Reader, a Actor, key fleet.ResourceKey) (fleet.Namespace, fleet.FieldErrors, error) {
	var ns fleet.Namespace
	if key.Namespace != "" {
		var err error
		if ns, err = ownNamespace(ctx, tx, a, key.Namespace); err != nil {
			return ns, nil, err
		}
	}
	var faults fleet.FieldErrors
	for _, part := range []struct{ field, given, want string }{{"apiVersion", key.APIVersion, "group_version"}, {"kind", key.Kind, "kind_word"}, {"name", key.Name, "resource_name"}} {
		if part.given == "" {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: part.field, Want: part.want})
		}
	}
	return ns, faults, nil
}

// ownResource finds a resource that the actor may look into. Somebody else's is not found, after the same look-up, and
// neither is what no key names.
func ownResource(ctx context.Context, tx Reader, a Actor, key fleet.ResourceKey) (fleet.StoredResource, error) {
	ns, faults, err := resourceAddress(ctx, tx, a, key)
	if err != nil {
		return fleet.StoredResource{}, err
	}
	if len(faults) > 0 {
		return fleet.StoredResource{}, fleet.ErrNotFound
	}
	return tx.Resource(ctx, ns.Tenant, key)
}

// ResourceNames are what a selector may name in a namespace, to be offered: odysseus/v1 Deployments first, then other
// resources, 500 at most. Without a namespace they are what a cluster-wide policy may name, for the platform's roles:
// cluster-scoped resources, and those of every namespace.
func (c *Control) ResourceNames(ctx context.Context, a Actor, namespace string) ([]fleet.ResourceKey, error) {
	var names []fleet.ResourceKey
	err := c.read(ctx, a, resourceRule(namespace), func(tx Reader) error {
		var tenant string
		if namespace != "" {
			ns, err := ownNamespace(ctx, tx, a, namespace)
			if err != nil {
				return err
			}
			tenant = ns.Tenant
		}
		o := fleet.ListOptions{Limit: maxResourceNames}
		filters := []fleet.ResourceFilter{{Tenant: tenant, Namespace: namespace}}
		if namespace == "" {
			filters = append([]fleet.ResourceFilter{{ClusterScoped: true}}, filters...)
		}
		deployments, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{Tenant: tenant, Namespace: namespace}, o)
		if err != nil {
			return err
		}
		for _, d := range deployments {
			names = append(names, fleet.ResourceKey{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Namespace: d.Metadata.Namespace, Name: d.Metadata.Name})
		}
		for _, f := range filters {
			resources, _, err := tx.Resources(ctx, f, o)
			if err != nil {
				return err
			}
			for i := range resources {
				names = append(names, resources[i].Key())
			}
		}
		names = names[:min(len(names), maxResourceNames)]
		return nil
	})
	return names, wrap("list names of resources", err)
}
