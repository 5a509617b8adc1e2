package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"odysseus/fleet"
)

const resourceColumns = `SELECT uid, tenant, namespace, api_version, kind, name, resource_version, generation, revision, template_revision, created_at,
	state, replicas, placed, ready, drifting, pending_since, observed_generation, undeclared_region, last_container, divided_afresh, preserved,
	labels, annotations, object FROM resources`

// scanResource hides a Secret's values: what is to see them asks configData.
func scanResource(s scanner) (fleet.StoredResource, error) {
	r := fleet.StoredResource{Status: &fleet.DeploymentStatus{}}
	var tenant sql.NullString
	var version, created int64
	var pending sql.NullInt64
	var labels, annotations, object string
	st := r.Status
	if err := s.Scan(&r.UID, &tenant, &r.Namespace, &r.APIVersion, &r.Kind, &r.Name, &version, &r.Generation, &r.Revision, &r.TemplateRevision, &created,
		&st.State, &st.Replicas, &st.Placed, &st.Ready, &st.Drifting, &pending, &st.ObservedGeneration, &st.UndeclaredRegion, &r.LastContainer,
		&r.DividedAfresh, &r.Preserved, &labels, &annotations, &object); err != nil {
		return r, err
	}
	r.Tenant, r.ResourceVersion, r.CreationTimestamp, st.Revision = tenant.String, versionText(version), timeOf(created), r.Revision
	if pending.Valid {
		since := timeOf(pending.Int64)
		st.PendingSince = &since
	}
	var err error
	if r.Labels, err = mapOf(labels); err != nil {
		return r, err
	}
	if r.Annotations, err = mapOf(annotations); err != nil {
		return r, err
	}
	r.Object = json.RawMessage(object)
	if r.Kind == fleet.KindSecret {
		r.Object, err = hideObject(r.Object)
	}
	return r, err
}

// Resource by its key; one of another tenant is fleet.ErrNotFound, as one that is preserved. The platform's own caller
// passes "" for the tenant.
func (tx *Tx) Resource(ctx context.Context, tenant string, key fleet.ResourceKey) (fleet.StoredResource, error) {
	return tx.resourceByKey(ctx, tenant, key, "preserved = 0")
}

// PreservedResource was deleted under that key and its copies stay; fleet.ErrNotFound where there is none.
func (tx *Tx) PreservedResource(ctx context.Context, tenant string, key fleet.ResourceKey) (fleet.StoredResource, error) {
	return tx.resourceByKey(ctx, tenant, key, "preserved = 1")
}

func (tx *Tx) resourceByKey(ctx context.Context, tenant string, key fleet.ResourceKey, which string) (fleet.StoredResource, error) {
	w := where{}
	w.and("namespace = ?", key.Namespace)
	w.and("kind = ?", key.Kind)
	w.and("name = ?", key.Name)
	w.and("api_version = ?", key.APIVersion)
	w.and(which)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	r, err := get(ctx, tx, scanResource, resourceColumns+w.sql(), w.args...)
	if err != nil {
		return fleet.StoredResource{}, fmt.Errorf("read %s: %w", keyText(key), err)
	}
	return r, nil
}

// keyText names a resource in an error.
func keyText(k fleet.ResourceKey) string {
	return k.APIVersion + " " + k.Kind + " " + k.Namespace + "/" + k.Name
}

// Resources by namespace, kind, name and apiVersion.
func (tx *Tx) Resources(ctx context.Context, f fleet.ResourceFilter, o fleet.ListOptions) ([]fleet.StoredResource, string, error) {
	l, err := resourceList(f, o)
	if err != nil {
		return nil, "", fmt.Errorf("list resources: %w", err)
	}
	resources, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list resources: %w", err)
	}
	return resources, next, nil
}

func resourceList(f fleet.ResourceFilter, o fleet.ListOptions) (list[fleet.StoredResource], error) {
	l := list[fleet.StoredResource]{
		from: resourceColumns, order: "namespace, kind, name, api_version", scan: scanResource,
		key:    func(r fleet.StoredResource) []any { return []any{r.Namespace, r.Kind, r.Name, r.APIVersion} },
		labels: func(r fleet.StoredResource) map[string]string { return r.Labels },
	}
	l.where.and("preserved = 0")
	l.where.scope(f.Tenant, f.Namespace, f.ClusterScoped)
	if f.Kind != "" {
		l.where.and("kind = ?", f.Kind)
	}
	if f.APIVersion != "" {
		l.where.and("api_version = ?", f.APIVersion)
	}
	l.where.contains("name", o.Query)
	var namespace, kind, name, version string
	ok, err := after(o.After, &namespace, &kind, &name, &version)
	if ok {
		l.where.and("(namespace, kind, name, api_version) > (?, ?, ?, ?)", namespace, kind, name, version)
	}
	return l, err
}

// DefinedScopes are what the stored CustomResourceDefinitions say of their kinds; those that are no definition are left
// out. Nil where none is stored.
func (tx *Tx) DefinedScopes(ctx context.Context) (fleet.Scopes, error) {
	var scopes fleet.Scopes
	err := tx.each(ctx, resourceColumns+" WHERE kind = 'CustomResourceDefinition' AND preserved = 0", nil, func(s scanner) (bool, error) {
		r, err := scanResource(s)
		if err != nil {
			return false, err
		}
		if kind, scope, ok := fleet.DefinedScope(&r.Resource); ok {
			if scopes == nil {
				scopes = fleet.Scopes{}
			}
			scopes[kind] = scope
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read defined scopes: %w", err)
	}
	return scopes, nil
}
