package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

const auditColumns = "SELECT id, time, actor, role, tenant, address, verb, kind, namespace, name, accepted, codes, changes FROM audit"

func scanAudit(s scanner) (fleet.AuditEntry, error) {
	var e fleet.AuditEntry
	var at int64
	var codes, changes string
	if err := s.Scan(&e.ID, &at, &e.Actor, &e.Role, &e.Tenant, &e.Address, &e.Verb, &e.Kind, &e.Namespace, &e.Name, &e.Accepted, &codes, &changes); err != nil {
		return e, err
	}
	e.Time = timeOf(at)
	if err := fromJSON(codes, &e.Codes); err != nil {
		return e, err
	}
	return e, fromJSON(changes, &e.Changes)
}

// Audit of everything, newest first; Query is a part of the name that was written.
func (tx *Tx) Audit(ctx context.Context, o fleet.ListOptions) ([]fleet.AuditEntry, string, error) {
	l := list[fleet.AuditEntry]{from: auditColumns, order: "id DESC", scan: scanAudit, key: func(e fleet.AuditEntry) []any { return []any{e.ID} }}
	l.where.contains("name", o.Query)
	if err := l.where.beforeNumber("id", o.After); err != nil {
		return nil, "", fmt.Errorf("list audit: %w", err)
	}
	entries, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list audit: %w", err)
	}
	return entries, next, nil
}

// AppendAudit adds an entry; its ID is the database's to give. Nothing but retention ever deletes one, and the schema
// refuses to change one.
func (tx *Tx) AppendAudit(ctx context.Context, e fleet.AuditEntry) error {
	_, err := tx.exec(ctx, `INSERT INTO audit (time, actor, role, tenant, address, verb, kind, namespace, name, accepted, codes, changes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		millis(e.Time), e.Actor, e.Role, e.Tenant, e.Address, e.Verb, e.Kind, e.Namespace, e.Name, e.Accepted, jsonText(e.Codes), jsonText(e.Changes))
	if err != nil {
		return fmt.Errorf("append to audit: %w", err)
	}
	return nil
}
