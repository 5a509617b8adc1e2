package db

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"odysseus/fleet"
)

const policyColumns = `SELECT uid, kind, namespace, name, tenant, api_version, resource_version, generation, created_at, labels, annotations, spec
	FROM policies`

func scanPolicy(s scanner) (fleet.Policy, error) {
	var p fleet.Policy
	var tenant sql.NullString
	var version, created int64
	var labels, annotations, spec string
	m := &p.Metadata
	if err := s.Scan(&m.UID, &p.Kind, &m.Namespace, &m.Name, &tenant, &p.APIVersion, &version, &m.Generation, &created,
		&labels, &annotations, &spec); err != nil {
		return p, err
	}
	at := timeOf(created)
	p.Tenant, m.ResourceVersion, m.CreationTimestamp = tenant.String, versionText(version), &at
	var err error
	if m.Labels, err = mapOf(labels); err != nil {
		return p, err
	}
	if m.Annotations, err = mapOf(annotations); err != nil {
		return p, err
	}
	return p, fromJSON(spec, &p.Spec)
}

// Policy by kind, namespace and name; one that is another tenant's, or nobody's, is fleet.ErrNotFound. The platform's own
// caller passes "" for the tenant.
func (tx *Tx) Policy(ctx context.Context, tenant string, ref fleet.PolicyRef) (fleet.Policy, error) {
	w := where{}
	w.and("namespace = ?", ref.Namespace)
	w.and("kind = ?", ref.Kind)
	w.and("name = ?", ref.Name)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	p, err := get(ctx, tx, scanPolicy, policyColumns+w.sql(), w.args...)
	if err != nil {
		return fleet.Policy{}, fmt.Errorf("read policy %s %s/%s: %w", ref.Kind, ref.Namespace, ref.Name, err)
	}
	return p, nil
}

// Policies by namespace, kind and name.
func (tx *Tx) Policies(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]fleet.Policy, string, error) {
	l, err := policyList(f, o)
	if err != nil {
		return nil, "", fmt.Errorf("list policies: %w", err)
	}
	policies, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list policies: %w", err)
	}
	return policies, next, nil
}

func policyList(f fleet.PolicyFilter, o fleet.ListOptions) (list[fleet.Policy], error) {
	l := list[fleet.Policy]{
		from: policyColumns, order: "namespace, kind, name", scan: scanPolicy,
		key:    func(p fleet.Policy) []any { return []any{p.Metadata.Namespace, p.Kind, p.Metadata.Name} },
		labels: func(p fleet.Policy) map[string]string { return p.Metadata.Labels },
	}
	l.where.scope(f.Tenant, f.Namespace, f.ClusterScoped)
	if f.Kind != "" {
		// The plus keeps SQLite from taking the kind out of the order, after which no index would have that order.
		l.where.and("+kind = ?", f.Kind)
	}
	l.where.contains("name", o.Query)
	var namespace, kind, name string
	ok, err := after(o.After, &namespace, &kind, &name)
	if ok {
		l.where.and("(namespace, kind, name) > (?, ?, ?)", namespace, kind, name)
	}
	return l, err
}

// scope narrows to what is cluster-scoped, which no tenant has, or to a namespace, or to those of a tenant, or to all.
func (w *where) scope(tenant, namespace string, cluster bool) {
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	switch {
	case cluster:
		w.and("namespace = ''")
	case namespace != "":
		w.and("namespace = ?", namespace)
	case tenant == "":
		w.and("namespace > ''")
	}
}

// InsertPolicy stores a new policy and answers it as stored: fleet.ErrExists where there is one of that kind and name,
// fleet.ErrNotFound where the tenant has no such namespace. Without a time of creation it is created now.
func (tx *Tx) InsertPolicy(ctx context.Context, p fleet.Policy) (fleet.Policy, error) {
	m, ref := p.Metadata, p.Ref()
	fail := func(err error) (fleet.Policy, error) {
		return fleet.Policy{}, fmt.Errorf("insert policy %s %s/%s: %w", ref.Kind, ref.Namespace, ref.Name, err)
	}
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fail(err)
	}
	created := tx.now()
	if m.CreationTimestamp != nil {
		created = *m.CreationTimestamp
	}
	_, err = tx.exec(ctx, `INSERT INTO policies (uid, kind, namespace, name, tenant, api_version, resource_version, generation, created_at, labels, annotations, spec)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.UID, ref.Kind, ref.Namespace, ref.Name, optionalText(p.Tenant), p.APIVersion, version, m.Generation, millis(created),
		mapText(m.Labels), mapText(m.Annotations), jsonText(p.Spec))
	if err != nil {
		return fail(refersError(err))
	}
	return tx.Policy(ctx, p.Tenant, ref)
}

// UpdatePolicy writes apiVersion, labels, annotations, spec and generation of the policy of that UID, and answers it as
// stored. A ResourceVersion that is set and no longer the stored one is fleet.ErrStale.
func (tx *Tx) UpdatePolicy(ctx context.Context, p fleet.Policy) (fleet.Policy, error) {
	m, ref := p.Metadata, p.Ref()
	fail := func(err error) (fleet.Policy, error) {
		return fleet.Policy{}, fmt.Errorf("update policy %s %s/%s: %w", ref.Kind, ref.Namespace, ref.Name, err)
	}
	var stored int64
	err := tx.value(ctx, "SELECT resource_version FROM policies WHERE uid = ? AND tenant IS ?", []any{m.UID, optionalText(p.Tenant)}, &stored)
	if err != nil {
		return fail(err)
	}
	if m.ResourceVersion != "" && m.ResourceVersion != strconv.FormatInt(stored, 10) {
		return fail(fleet.ErrStale)
	}
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fail(err)
	}
	err = tx.must(ctx, `UPDATE policies SET api_version = ?, resource_version = ?, generation = ?, labels = ?, annotations = ?, spec = ?
		WHERE uid = ? AND tenant IS ?`,
		p.APIVersion, version, m.Generation, mapText(m.Labels), mapText(m.Annotations), jsonText(p.Spec), m.UID, optionalText(p.Tenant))
	if err != nil {
		return fail(err)
	}
	return tx.Policy(ctx, p.Tenant, ref)
}

// DeletePolicy deletes the policy of that UID and frees what it holds: "each binding to it loses it, and is Kept where
// p.KeepsOnPolicyDeletion says so".
func (tx *Tx) DeletePolicy(ctx context.Context, p fleet.Policy) error {
	ref := p.Ref()
	err := tx.must(ctx, "DELETE FROM policies WHERE uid = ? AND tenant IS ?", p.Metadata.UID, optionalText(p.Tenant))
	if err == nil {
		err = tx.free(ctx, ref, p.KeepsOnPolicyDeletion())
	}
	if err != nil {
		return fmt.Errorf("delete policy %s %s/%s: %w", ref.Kind, ref.Namespace, ref.Name, err)
	}
	return nil
}
