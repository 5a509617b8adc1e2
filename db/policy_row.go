package db

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// policyRow is a row of policies. Those that propagate and those that override share the table: they differ in their kinds
// and in what their specs say.
type policyRow struct {
	apiVersion, kind, tenant string
	metadata                 fleet.Metadata
	// spec as JSON. It is kept as it was written: nothing in it is defaulted, and no value is read on its way.
	spec string
}

const policyColumns = `SELECT uid, kind, namespace, name, tenant, api_version, resource_version, generation, created_at, labels, annotations, spec
	FROM policies`

func scanPolicyRow(s scanner) (policyRow, error) {
	var p policyRow
	var tenant sql.NullString
	var version, created int64
	var labels, annotations string
	m := &p.metadata
	if err := s.Scan(&m.UID, &p.kind, &m.Namespace, &m.Name, &tenant, &p.apiVersion, &version, &m.Generation, &created,
		&labels, &annotations, &p.spec); err != nil {
		return p, err
	}
	at := timeOf(created)
	p.tenant, m.ResourceVersion, m.CreationTimestamp = tenant.String, versionText(version), &at
	var err error
	if m.Labels, err = mapOf(labels); err != nil {
		return p, err
	}
	m.Annotations, err = mapOf(annotations)
	return p, err
}

// policySort is one of the two sorts of policies. Neither reads, lists or writes a row of the other.
type policySort[T any] struct {
	// what and many name it in errors.
	what, many string
	kinds      []string
	of         func(policyRow) (T, error)
	ref        func(T) fleet.PolicyRef
	// row is without the spec, which is apart since it costs more than all else.
	row  func(T) policyRow
	spec func(T) any
}

// scan a row that is of this sort.
func (p policySort[T]) scan(s scanner) (T, error) {
	row, err := scanPolicyRow(s)
	if err != nil {
		var none T
		return none, err
	}
	return p.of(row)
}

// get the policy of that kind, namespace and name; one that is another tenant's, or nobody's, is fleet.ErrNotFound. The
// platform's own caller passes "" for the tenant.
func (p policySort[T]) get(ctx context.Context, tx *Tx, tenant string, ref fleet.PolicyRef) (T, error) {
	var none T
	if !slices.Contains(p.kinds, ref.Kind) {
		return none, p.fail("read", ref, fleet.ErrNotFound)
	}
	w := where{}
	w.and("namespace = ?", ref.Namespace)
	w.and("kind = ?", ref.Kind)
	w.and("name = ?", ref.Name)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	found, err := get(ctx, tx, p.scan, policyColumns+w.sql(), w.args...)
	if err != nil {
		return none, p.fail("read", ref, err)
	}
	return found, nil
}

// all of them, by namespace, kind and name.
func (p policySort[T]) all(ctx context.Context, tx *Tx) ([]T, error) {
	w := where{}
	p.only(&w)
	return all(ctx, tx, p.scan, policyColumns+w.sql()+" ORDER BY namespace, kind, name", w.args...)
}

// page of a list by namespace, kind and name.
func (p policySort[T]) page(ctx context.Context, tx *Tx, f fleet.PolicyFilter, o fleet.ListOptions) ([]T, string, error) {
	l, err := p.list(f, o)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", p.many, err)
	}
	policies, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", p.many, err)
	}
	return policies, next, nil
}

func (p policySort[T]) list(f fleet.PolicyFilter, o fleet.ListOptions) (list[T], error) {
	l := list[T]{
		from: policyColumns, order: "namespace, kind, name", scan: p.scan,
		key: func(v T) []any {
			ref := p.ref(v)
			return []any{ref.Namespace, ref.Kind, ref.Name}
		},
		labels: func(v T) map[string]string { return p.row(v).metadata.Labels },
	}
	l.where.scope(f.Tenant, f.Namespace, f.ClusterScoped)
	p.only(&l.where)
	if f.Kind != "" {
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

// only narrows to the sort's kinds. The plus keeps SQLite from taking the kind out of the order, after which no index would
// have that order.
func (p policySort[T]) only(w *where) {
	args := make([]any, len(p.kinds))
	for i, kind := range p.kinds {
		args[i] = kind
	}
	w.and("+kind IN (?"+strings.Repeat(", ?", len(args)-1)+")", args...)
}

// insert stores a new policy and answers it as stored: fleet.ErrExists where there is one of that kind and name,
// fleet.ErrNotFound where the tenant has no such namespace. Without a time of creation it is created now.
func (p policySort[T]) insert(ctx context.Context, tx *Tx, v T) (T, error) {
	var none T
	ref, row := p.ref(v), p.row(v)
	m := row.metadata
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return none, p.fail("insert", ref, err)
	}
	created := tx.now()
	if m.CreationTimestamp != nil {
		created = *m.CreationTimestamp
	}
	_, err = tx.exec(ctx, `INSERT INTO policies (uid, kind, namespace, name, tenant, api_version, resource_version, generation, created_at, labels, annotations, spec)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.UID, ref.Kind, ref.Namespace, ref.Name, optionalText(row.tenant), row.apiVersion, version, m.Generation, millis(created),
		mapText(m.Labels), mapText(m.Annotations), jsonText(p.spec(v)))
	if err != nil {
		return none, p.fail("insert", ref, refersError(err))
	}
	return p.get(ctx, tx, row.tenant, ref)
}

// update writes apiVersion, labels, annotations, spec and generation of the policy of that UID, and answers it as stored. A
// ResourceVersion that is set and no longer the stored one is fleet.ErrStale.
func (p policySort[T]) update(ctx context.Context, tx *Tx, v T) (T, error) {
	var none T
	ref, row := p.ref(v), p.row(v)
	m := row.metadata
	w := rowOf(row)
	var stored int64
	if err := tx.value(ctx, "SELECT resource_version FROM policies"+w.sql(), w.args, &stored); err != nil {
		return none, p.fail("update", ref, err)
	}
	if m.ResourceVersion != "" && m.ResourceVersion != strconv.FormatInt(stored, 10) {
		return none, p.fail("update", ref, fleet.ErrStale)
	}
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return none, p.fail("update", ref, err)
	}
	args := []any{row.apiVersion, version, m.Generation, mapText(m.Labels), mapText(m.Annotations), jsonText(p.spec(v))}
	err = tx.must(ctx, "UPDATE policies SET api_version = ?, resource_version = ?, generation = ?, labels = ?, annotations = ?, spec = ?"+w.sql(),
		append(args, w.args...)...)
	if err != nil {
		return none, p.fail("update", ref, err)
	}
	return p.get(ctx, tx, row.tenant, ref)
}

// delete the policy of that UID.
func (p policySort[T]) delete(ctx context.Context, tx *Tx, v T) error {
	w := rowOf(p.row(v))
	if err := tx.must(ctx, "DELETE FROM policies"+w.sql(), w.args...); err != nil {
		return p.fail("delete", p.ref(v), err)
	}
	return nil
}

func (p policySort[T]) fail(verb string, ref fleet.PolicyRef, err error) error {
	return fmt.Errorf("%s %s %s %s/%s: %w", verb, p.what, ref.Kind, ref.Namespace, ref.Name, err)
}

// rowOf a policy by its UID, in the name of its tenant.
func rowOf(p policyRow) where {
	w := where{}
	w.and("uid = ?", p.metadata.UID)
	w.and("kind = ?", p.kind)
	w.and("tenant IS ?", optionalText(p.tenant))
	return w
}
