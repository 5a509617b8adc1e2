package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

const tenantColumns = "SELECT name, display_name, created_at FROM tenants"

func scanTenant(s scanner) (fleet.Tenant, error) {
	var t fleet.Tenant
	var created int64
	err := s.Scan(&t.Name, &t.DisplayName, &created)
	t.CreatedAt = timeOf(created)
	return t, err
}

// Tenant by name.
func (tx *Tx) Tenant(ctx context.Context, name string) (fleet.Tenant, error) {
	t, err := get(ctx, tx, scanTenant, tenantColumns+" WHERE name = ?", name)
	if err != nil {
		return fleet.Tenant{}, fmt.Errorf("read tenant %s: %w", name, err)
	}
	return t, nil
}

// Tenants by name.
func (tx *Tx) Tenants(ctx context.Context, o fleet.ListOptions) ([]fleet.Tenant, string, error) {
	l := list[fleet.Tenant]{from: tenantColumns, order: "name", scan: scanTenant, key: func(t fleet.Tenant) []any { return []any{t.Name} }}
	l.where.contains("name", o.Query)
	if err := l.where.afterName("name", o.After); err != nil {
		return nil, "", fmt.Errorf("list tenants: %w", err)
	}
	tenants, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list tenants: %w", err)
	}
	return tenants, next, nil
}

// InsertTenant stores a new tenant.
func (tx *Tx) InsertTenant(ctx context.Context, t fleet.Tenant) error {
	_, err := tx.exec(ctx, "INSERT INTO tenants (name, display_name, created_at) VALUES (?, ?, ?)", t.Name, t.DisplayName, millis(t.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert tenant %s: %w", t.Name, err)
	}
	return nil
}

// DeleteTenant deletes a tenant with its namespaces, policies, users, tokens, cluster grants and events, by the foreign
// keys' cascades, and what is only preserved. Deployments, resources and containers do not cascade: one that is left fails
// the deletion.
func (tx *Tx) DeleteTenant(ctx context.Context, name string) error {
	for _, table := range []string{"deployments", "resources"} {
		const preserved = " WHERE tenant = ? AND preserved = 1"
		_, err := tx.exec(ctx, "DELETE FROM bindings WHERE uid IN (SELECT uid FROM "+table+preserved+")", name)
		if err == nil {
			_, err = tx.exec(ctx, "DELETE FROM "+table+preserved, name)
		}
		if err != nil {
			return fmt.Errorf("delete what is preserved of tenant %s: %w", name, err)
		}
	}
	if err := tx.must(ctx, "DELETE FROM tenants WHERE name = ?", name); err != nil {
		return fmt.Errorf("delete tenant %s: %w", name, err)
	}
	return nil
}

// must runs a write that has to change a row: fleet.ErrNotFound where it changed none.
func (tx *Tx) must(ctx context.Context, query string, args ...any) error {
	n, err := tx.exec(ctx, query, args...)
	if err == nil && n == 0 {
		return fleet.ErrNotFound
	}
	return err
}
