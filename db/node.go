package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

const nodeColumns = `SELECT n.name, n.cluster, n.runtime, n.milli_cpu, n.memory, n.slots, n.cordoned, n.drain_deadline, n.version,
	n.enrolled_at, n.labels, n.refusal, a.version FROM nodes n JOIN node_assignments a ON a.node = n.name`

func scanNode(s scanner) (fleet.Node, error) {
	var n fleet.Node
	var drain sql.NullInt64
	var enrolled int64
	var labels string
	var refusal sql.NullString
	if err := s.Scan(&n.Name, &n.Cluster, &n.Runtime, &n.Capacity.MilliCPU, &n.Capacity.Memory, &n.Capacity.Slots, &n.Cordoned, &drain, &n.Version,
		&enrolled, &labels, &refusal, &n.AssignmentVersion); err != nil {
		return n, err
	}
	n.DrainDeadline, n.EnrolledAt = optionalTime(drain), timeOf(enrolled)
	var err error
	if n.Labels, err = mapOf(labels); err != nil {
		return n, err
	}
	if refusal.Valid {
		err = fromJSON(refusal.String, &n.Refusal)
	}
	return n, err
}

// Node by name.
func (tx *Tx) Node(ctx context.Context, name string) (fleet.Node, error) {
	n, err := get(ctx, tx, scanNode, nodeColumns+" WHERE n.name = ?", name)
	if err != nil {
		return fleet.Node{}, fmt.Errorf("read node %s: %w", name, err)
	}
	return n, nil
}

// NodeByCredential finds the node whose agent presented a credential.
func (tx *Tx) NodeByCredential(ctx context.Context, hash string) (fleet.Node, error) {
	n, err := get(ctx, tx, scanNode, nodeColumns+" WHERE n.credential_hash = ?", hash)
	if err != nil {
		return fleet.Node{}, fmt.Errorf("read node by credential: %w", err)
	}
	return n, nil
}

// Nodes by name.
func (tx *Tx) Nodes(ctx context.Context, f fleet.NodeFilter, o fleet.ListOptions) ([]fleet.Node, string, error) {
	l := list[fleet.Node]{
		from: nodeColumns, order: "n.name", scan: scanNode,
		key:    func(n fleet.Node) []any { return []any{n.Name} },
		labels: func(n fleet.Node) map[string]string { return n.Labels },
	}
	if f.Cluster != "" {
		l.where.and("n.cluster = ?", f.Cluster)
	}
	l.where.contains("n.name", o.Query)
	if err := l.where.afterName("n.name", o.After); err != nil {
		return nil, "", fmt.Errorf("list nodes: %w", err)
	}
	nodes, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list nodes: %w", err)
	}
	return nodes, next, nil
}

// InsertNode stores a new node and answers it as stored; fleet.ErrExists where the name is taken, fleet.ErrNotFound
// where there is no such cluster. Versions come from the database's sequence, so that a node that was deleted and
// enrols again under its name is newer than every copy of the old one.
func (tx *Tx) InsertNode(ctx context.Context, n fleet.Node, credentialHash string) (fleet.Node, error) {
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fleet.Node{}, fmt.Errorf("insert node %s: %w", n.Name, err)
	}
	_, err = tx.exec(ctx, `INSERT INTO nodes (name, cluster, runtime, credential_hash, milli_cpu, memory, slots, cordoned, drain_deadline, version,
		enrolled_at, labels, refusal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n.Name, n.Cluster, n.Runtime, credentialHash, n.Capacity.MilliCPU, n.Capacity.Memory, n.Capacity.Slots, n.Cordoned,
		optionalMillis(n.DrainDeadline), version, millis(n.EnrolledAt), mapText(n.Labels), refusalText(n.Refusal))
	if err != nil {
		return fleet.Node{}, fmt.Errorf("insert node %s: %w", n.Name, refersError(err))
	}
	if _, err := tx.exec(ctx, "INSERT INTO node_assignments (node, version) VALUES (?, 1)", n.Name); err != nil {
		return fleet.Node{}, fmt.Errorf("insert node %s: %w", n.Name, err)
	}
	return tx.Node(ctx, n.Name)
}

// UpdateNode writes labels, capacity, cordon, drain and refusal and answers the node as stored.
func (tx *Tx) UpdateNode(ctx context.Context, n fleet.Node) (fleet.Node, error) {
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fleet.Node{}, fmt.Errorf("update node %s: %w", n.Name, err)
	}
	err = tx.must(ctx, `UPDATE nodes SET milli_cpu = ?, memory = ?, slots = ?, cordoned = ?, drain_deadline = ?, version = ?, labels = ?, refusal = ?
		WHERE name = ?`,
		n.Capacity.MilliCPU, n.Capacity.Memory, n.Capacity.Slots, n.Cordoned, optionalMillis(n.DrainDeadline), version, mapText(n.Labels),
		refusalText(n.Refusal), n.Name)
	if err != nil {
		return fleet.Node{}, fmt.Errorf("update node %s: %w", n.Name, err)
	}
	return tx.Node(ctx, n.Name)
}

// DeleteNode with the rows of its containers: nothing is known of them any more.
func (tx *Tx) DeleteNode(ctx context.Context, name string) error {
	if _, err := tx.exec(ctx, "DELETE FROM containers WHERE node = ?", name); err != nil {
		return fmt.Errorf("delete containers of node %s: %w", name, err)
	}
	if err := tx.must(ctx, "DELETE FROM nodes WHERE name = ?", name); err != nil {
		return fmt.Errorf("delete node %s: %w", name, err)
	}
	return nil
}

// refusalText is NULL where the last report was accepted.
func refusalText(e fleet.FieldErrors) sql.NullString {
	if len(e) == 0 {
		return sql.NullString{}
	}
	return sql.NullString{String: jsonText(e), Valid: true}
}
