package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"odysseus/fleet"
)

const bindingColumns = "SELECT uid, policy_kind, policy_namespace, policy_name, kept, clusters, renderings, last_rendering, failovers FROM bindings"

// boundRow is a binding with whose it is.
type boundRow struct {
	fleet.Binding
	uid string
}

func scanBinding(s scanner) (boundRow, error) {
	var b boundRow
	var policy fleet.PolicyRef
	var clusters, failovers string
	var renderings sql.NullString
	if err := s.Scan(&b.uid, &policy.Kind, &policy.Namespace, &policy.Name, &b.Kept, &clusters, &renderings, &b.LastRendering, &failovers); err != nil {
		return b, err
	}
	if policy.Kind != "" {
		b.Policy = &policy
	}
	if clusters != "" {
		if err := fromJSON(clusters, &b.Clusters); err != nil {
			return b, err
		}
	}
	if renderings.Valid {
		if err := fromJSON(renderings.String, &b.Renderings); err != nil {
			return b, err
		}
	}
	if failovers != "" {
		return b, fromJSON(failovers, &b.Failovers)
	}
	return b, nil
}

// Binding of a deployment or resource; the zero value where there is none. The caller has read that one for its tenant:
// the UID is proof of that.
func (tx *Tx) Binding(ctx context.Context, uid string) (fleet.Binding, error) {
	row, err := get(ctx, tx, scanBinding, bindingColumns+" WHERE uid = ?", uid)
	if err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return fleet.Binding{}, fmt.Errorf("read binding of %s: %w", uid, err)
	}
	return row.Binding, nil
}

// putBinding replaces a binding; the zero value is none.
func (tx *Tx) putBinding(ctx context.Context, uid string, b *fleet.Binding) error {
	if b.Equal(&fleet.Binding{}) {
		return tx.deleteBinding(ctx, uid)
	}
	var policy fleet.PolicyRef
	if b.Policy != nil {
		policy = *b.Policy
	}
	_, err := tx.exec(ctx, `INSERT INTO bindings (uid, policy_kind, policy_namespace, policy_name, kept, clusters, renderings, last_rendering, failovers)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (uid) DO UPDATE SET policy_kind = excluded.policy_kind, policy_namespace = excluded.policy_namespace,
		policy_name = excluded.policy_name, kept = excluded.kept, clusters = excluded.clusters, renderings = excluded.renderings,
		last_rendering = excluded.last_rendering, failovers = excluded.failovers`,
		uid, policy.Kind, policy.Namespace, policy.Name, b.Kept, listText(b.Clusters), numbersText(b.Renderings), b.LastRendering, listText(b.Failovers))
	if err != nil {
		return fmt.Errorf("write binding of %s: %w", uid, err)
	}
	return nil
}

// numbersText is NULL for a binding without renderings, which nearly all are.
func numbersText(m map[string]int64) sql.NullString {
	if len(m) == 0 {
		return sql.NullString{}
	}
	return sql.NullString{String: jsonText(m), Valid: true}
}

func (tx *Tx) deleteBinding(ctx context.Context, uid string) error {
	if _, err := tx.exec(ctx, "DELETE FROM bindings WHERE uid = ?", uid); err != nil {
		return fmt.Errorf("delete binding of %s: %w", uid, err)
	}
	return nil
}

// free takes what a policy holds from it. Kept bindings say that what was distributed stays without a policy; of the
// others only those are still of use that say where something is, from where it was moved off, or which number of a
// rendering is the next.
func (tx *Tx) free(ctx context.Context, policy fleet.PolicyRef, keep bool) error {
	const held = "policy_namespace = ? AND policy_kind = ? AND policy_name = ? AND policy_kind <> ''"
	args := []any{policy.Namespace, policy.Kind, policy.Name}
	if !keep {
		if _, err := tx.exec(ctx, "DELETE FROM bindings WHERE clusters = '' AND failovers = '' AND last_rendering = 0 AND "+held, args...); err != nil {
			return fmt.Errorf("free bindings: %w", err)
		}
	}
	_, err := tx.exec(ctx, "UPDATE bindings SET policy_kind = '', policy_namespace = '', policy_name = '', kept = ? WHERE "+held,
		append([]any{keep}, args...)...)
	if err != nil {
		return fmt.Errorf("free bindings: %w", err)
	}
	return nil
}

// deleteBound deletes a deployment or resource of that UID together with its binding, and with its renderings where none of
// its containers is left.
func (tx *Tx) deleteBound(ctx context.Context, deletion, tenant, uid string) error {
	w := ofTenant(tenant, uid)
	if err := tx.must(ctx, deletion+w.sql(), w.args...); err != nil {
		return err
	}
	if err := tx.deleteBinding(ctx, uid); err != nil {
		return err
	}
	return tx.leaveRenderings(ctx, uid)
}

// preserve hides a deployment or resource of that UID that is not hidden yet.
func (tx *Tx) preserve(ctx context.Context, update, tenant, uid string) error {
	w := ofTenant(tenant, uid)
	w.and("preserved = 0")
	return tx.must(ctx, update+w.sql(), w.args...)
}

// ofTenant narrows to a UID in the name of a tenant; the platform's own caller passes "".
func ofTenant(tenant, uid string) where {
	w := where{}
	w.and("uid = ?", uid)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	return w
}
