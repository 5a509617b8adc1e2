package db

import (
	"context"
	"errors"

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
func (d *DB) DeploymentPlan(ctx context.Context, f fleet.DeploymentFilter, o fleet.ListOptions) ([]string, error) {
	l, err := deploymentList(f, o)
	if err != nil {
		return nil, err
	}
	query, args := l.query()
	return d.plan(ctx, query, args)
}

// ConfigData is what assignments get of a ConfigMap or Secret.
func (tx *Tx) ConfigData(ctx context.Context, tenant, namespace, kind, name string) (map[string]string, bool, error) {
	return tx.configData(ctx, "canada", tenant, namespace, kind, name)
}

// MigrateTo makes a database file of an earlier release.
func MigrateTo(ctx context.Context, path string, version int64) (err error) {
	pool, err := openPool(ctx, path, readWrite, defaultBusy, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	provider, err := migrator(pool)
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}

// PolicyPlan, OverridePlan, ResourcePlan and PendingPlan are DeploymentPlan for the other lists.
func (d *DB) PolicyPlan(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]string, error) {
	l, err := propagations().list(f, o)
	if err != nil {
		return nil, err
	}
	query, args := l.query()
	return d.plan(ctx, query, args)
}

func (d *DB) OverridePlan(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]string, error) {
	l, err := overrides().list(f, o)
	if err != nil {
		return nil, err
	}
	query, args := l.query()
	return d.plan(ctx, query, args)
}

func (d *DB) ResourcePlan(ctx context.Context, f fleet.ResourceFilter, o fleet.ListOptions) ([]string, error) {
	l, err := resourceList(f, o)
	if err != nil {
		return nil, err
	}
	query, args := l.query()
	return d.plan(ctx, query, args)
}

func (d *DB) PendingPlan(ctx context.Context, tenant string, o fleet.ListOptions) ([]string, error) {
	l, err := pendingList(tenant, o)
	if err != nil {
		return nil, err
	}
	query, args := l.query()
	return d.plan(ctx, query, args)
}

// CountPlan is the same of CountResourceStates.
func (d *DB) CountPlan(ctx context.Context, tenant string) ([]string, error) {
	w := resourceCount(tenant)
	return d.plan(ctx, "SELECT state, count(*) FROM resources"+w.sql()+" GROUP BY state", w.args)
}

// CountsResource says whether SQL counts a kind of resource.
func (d *DB) CountsResource(ctx context.Context, apiVersion, kind string) (counts bool, err error) {
	err = d.View(ctx, func(tx *Tx) error {
		return tx.value(ctx, "SELECT "+countedKinds+" FROM (SELECT ? AS api_version, ? AS kind)", []any{apiVersion, kind}, &counts)
	})
	return counts, err
}

// plan is how SQLite means to run a query, a line a step.
func (d *DB) plan(ctx context.Context, query string, args []any) (plan []string, err error) {
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
