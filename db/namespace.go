package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

const namespaceColumns = "SELECT name, tenant, created_at FROM namespaces"

func scanNamespace(s scanner) (fleet.Namespace, error) {
	var n fleet.Namespace
	var created int64
	err := s.Scan(&n.Name, &n.Tenant, &created)
	n.CreatedAt = timeOf(created)
	return n, err
}

// Namespace by name; its Tenant says whose it is.
func (tx *Tx) Namespace(ctx context.Context, name string) (fleet.Namespace, error) {
	n, err := get(ctx, tx, scanNamespace, namespaceColumns+" WHERE name = ?", name)
	if err != nil {
		return fleet.Namespace{}, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return n, nil
}

// Namespaces of a tenant by name; of all with an empty tenant.
func (tx *Tx) Namespaces(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Namespace, string, error) {
	l := list[fleet.Namespace]{from: namespaceColumns, order: "name", scan: scanNamespace, key: func(n fleet.Namespace) []any { return []any{n.Name} }}
	if tenant != "" {
		l.where.and("tenant = ?", tenant)
	}
	l.where.contains("name", o.Query)
	if err := l.where.afterName("name", o.After); err != nil {
		return nil, "", fmt.Errorf("list namespaces: %w", err)
	}
	namespaces, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list namespaces: %w", err)
	}
	return namespaces, next, nil
}

// InsertNamespace stores a new namespace; fleet.ErrExists where any tenant has one of that name, fleet.ErrNotFound
// where there is no such tenant.
func (tx *Tx) InsertNamespace(ctx context.Context, n fleet.Namespace) error {
	_, err := tx.exec(ctx, "INSERT INTO namespaces (name, tenant, created_at) VALUES (?, ?, ?)", n.Name, n.Tenant, millis(n.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert namespace %s: %w", n.Name, refersError(err))
	}
	return nil
}
