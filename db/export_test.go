package db

import (
	"context"

	"odysseus/fleet"
)

// WriterPragma sets a pragma on the writer's connection, between two groups.
func (d *DB) WriterPragma(ctx context.Context, pragma string) error {
	return d.Update(ctx, func(tx *Tx) error {
		rows, err := tx.conn.sql.QueryContext(ctx, "PRAGMA "+pragma)
		if err != nil {
			return err
		}
		return rows.Close()
	})
}

// DeploymentPlan is how SQLite means to run a list of deployments, a line a step.
func (d *DB) DeploymentPlan(ctx context.Context, f fleet.DeploymentFilter, o fleet.ListOptions) (plan []string, err error) {
	l, err := deploymentList(f, o)
	if err != nil {
		return nil, err
	}
	query, args := l.query()
	err = d.View(ctx, func(tx *Tx) (err error) {
		plan, err = all(ctx, tx, func(s scanner) (step string, err error) {
			var id, parent, unused int
			err = s.Scan(&id, &parent, &unused, &step)
			return step, err
		}, "EXPLAIN QUERY PLAN "+query, args...)
		return err
	})
	return plan, err
}
