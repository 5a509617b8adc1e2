package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

const (
	eventColumns = "SELECT id, time, tenant, kind, namespace, name, uid, type, reason, args, count FROM events"
	// kindNode is the kind of the events that are found by name.
	kindNode = "Node"
)

// eventRow is an event with its number, which orders them.
type eventRow struct {
	fleet.Event
	id int64
}

func scanEvent(s scanner) (eventRow, error) {
	var e eventRow
	var at int64
	var tenant sql.NullString
	var args string
	if err := s.Scan(&e.id, &at, &tenant, &e.Kind, &e.Namespace, &e.Name, &e.UID, &e.Type, &e.Reason, &args, &e.Count); err != nil {
		return e, err
	}
	e.Time, e.Tenant = timeOf(at), tenant.String
	var err error
	e.Args, err = mapOf(args)
	return e, err
}

// eventObject is what the events of one thing have in common. A node has its name for ever, and no UID.
func eventObject(e fleet.Event) string {
	if e.UID != "" && e.Kind != kindNode {
		return e.UID
	}
	return e.Kind + "/" + e.Namespace + "/" + e.Name
}

// Events of a tenant's object, newest first; the platform's own caller passes "" for the tenant.
func (tx *Tx) Events(ctx context.Context, tenant, uid string, o fleet.ListOptions) ([]fleet.Event, string, error) {
	w := where{}
	w.and("object = ?", uid)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	return tx.events(ctx, w, o)
}

// NodeEvents of a node, newest first. They are never a tenant's to see.
func (tx *Tx) NodeEvents(ctx context.Context, node string, o fleet.ListOptions) ([]fleet.Event, string, error) {
	w := where{}
	w.and("object = ?", eventObject(fleet.Event{Kind: kindNode, Name: node}))
	return tx.events(ctx, w, o)
}

func (tx *Tx) events(ctx context.Context, w where, o fleet.ListOptions) ([]fleet.Event, string, error) {
	l := list[eventRow]{from: eventColumns, order: "id DESC", where: w, scan: scanEvent, key: func(e eventRow) []any { return []any{e.id} }}
	if err := l.where.beforeNumber("id", o.After); err != nil {
		return nil, "", fmt.Errorf("list events: %w", err)
	}
	rows, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list events: %w", err)
	}
	events := make([]fleet.Event, len(rows))
	for i := range rows {
		events[i] = rows[i].Event
	}
	return events, next, nil
}

// AppendEvent adds an event. One that says what the newest of its object said counts that one up and moves its time on:
// a thing that happens every ten seconds is one line.
func (tx *Tx) AppendEvent(ctx context.Context, e fleet.Event) error {
	object, args, count := eventObject(e), mapText(e.Args), max(1, e.Count)
	n, err := tx.exec(ctx, `UPDATE events SET count = count + ?, time = max(time, ?)
		WHERE id = (SELECT max(id) FROM events WHERE object = ?) AND type = ? AND reason = ? AND args = ?`,
		count, millis(e.Time), object, e.Type, e.Reason, args)
	if err == nil && n == 0 {
		_, err = tx.exec(ctx, `INSERT INTO events (object, time, tenant, kind, namespace, name, uid, type, reason, args, count)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			object, millis(e.Time), optionalText(e.Tenant), e.Kind, e.Namespace, e.Name, e.UID, e.Type, e.Reason, args, count)
	}
	if err != nil {
		return fmt.Errorf("append event %s of %s %s/%s: %w", e.Reason, e.Kind, e.Namespace, e.Name, refersError(err))
	}
	return nil
}
