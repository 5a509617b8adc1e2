package db

import (
	"context"
	"fmt"
	"slices"

	"odysseus/fleet"
)

// A cluster's tenants are rows of their own, for the foreign key and the tenant's own list; "*" is a flag.
const clusterColumns = `SELECT name, runtime, labels, all_tenants, resource_version, created_at,
	(SELECT json_group_array(tenant ORDER BY tenant) FROM cluster_grants WHERE cluster = name) FROM clusters`

func scanCluster(s scanner) (fleet.Cluster, error) {
	var c fleet.Cluster
	var labels, tenants string
	var everyone bool
	var version, created int64
	if err := s.Scan(&c.Name, &c.Runtime, &labels, &everyone, &version, &created, &tenants); err != nil {
		return c, err
	}
	c.ResourceVersion, c.CreatedAt = versionText(version), timeOf(created)
	if err := fromJSON(labels, &c.Labels); err != nil {
		return c, err
	}
	if err := fromJSON(tenants, &c.Tenants); err != nil {
		return c, err
	}
	if len(c.Tenants) == 0 {
		c.Tenants = nil
	}
	if everyone {
		c.Tenants = append([]string{fleet.AllTenants}, c.Tenants...)
	}
	return c, nil
}

// Cluster by name.
func (tx *Tx) Cluster(ctx context.Context, name string) (fleet.Cluster, error) {
	c, err := get(ctx, tx, scanCluster, clusterColumns+" WHERE name = ?", name)
	if err != nil {
		return fleet.Cluster{}, fmt.Errorf("read cluster %s: %w", name, err)
	}
	return c, nil
}

// Clusters granted to a tenant by name; all with an empty tenant. Each holds all its tenants: what of them a
// tenant may see is the caller's to leave out.
func (tx *Tx) Clusters(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Cluster, string, error) {
	l := list[fleet.Cluster]{
		from: clusterColumns, order: "name", scan: scanCluster,
		key:    func(c fleet.Cluster) []any { return []any{c.Name} },
		labels: func(c fleet.Cluster) map[string]string { return c.Labels },
	}
	if tenant != "" {
		l.where.and("(all_tenants OR EXISTS (SELECT 1 FROM cluster_grants WHERE tenant = ? AND cluster = name))", tenant)
	}
	l.where.contains("name", o.Query)
	if err := l.where.afterName("name", o.After); err != nil {
		return nil, "", fmt.Errorf("list clusters: %w", err)
	}
	clusters, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list clusters: %w", err)
	}
	return clusters, next, nil
}

// InsertCluster stores a new cluster and answers it as stored; fleet.ErrNotFound where it is granted to a tenant that
// does not exist.
func (tx *Tx) InsertCluster(ctx context.Context, c fleet.Cluster) (fleet.Cluster, error) {
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fleet.Cluster{}, fmt.Errorf("insert cluster %s: %w", c.Name, err)
	}
	_, err = tx.exec(ctx, "INSERT INTO clusters (name, runtime, labels, all_tenants, resource_version, created_at) VALUES (?, ?, ?, ?, ?, ?)",
		c.Name, c.Runtime, mapText(c.Labels), slices.Contains(c.Tenants, fleet.AllTenants), version, millis(c.CreatedAt))
	if err != nil {
		return fleet.Cluster{}, fmt.Errorf("insert cluster %s: %w", c.Name, err)
	}
	if err := tx.grant(ctx, c); err != nil {
		return fleet.Cluster{}, fmt.Errorf("grant cluster %s: %w", c.Name, err)
	}
	return tx.Cluster(ctx, c.Name)
}

// UpdateCluster writes labels and tenants and answers the cluster as stored. A ResourceVersion that is set and no
// longer the stored one is fleet.ErrStale.
func (tx *Tx) UpdateCluster(ctx context.Context, c fleet.Cluster) (fleet.Cluster, error) {
	old, err := tx.Cluster(ctx, c.Name)
	if err != nil {
		return fleet.Cluster{}, err
	}
	if c.ResourceVersion != "" && c.ResourceVersion != old.ResourceVersion {
		return fleet.Cluster{}, fmt.Errorf("update cluster %s: %w", c.Name, fleet.ErrStale)
	}
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fleet.Cluster{}, fmt.Errorf("update cluster %s: %w", c.Name, err)
	}
	_, err = tx.exec(ctx, "UPDATE clusters SET runtime = ?, labels = ?, all_tenants = ?, resource_version = ? WHERE name = ?",
		c.Runtime, mapText(c.Labels), slices.Contains(c.Tenants, fleet.AllTenants), version, c.Name)
	if err != nil {
		return fleet.Cluster{}, fmt.Errorf("update cluster %s: %w", c.Name, err)
	}
	if _, err := tx.exec(ctx, "DELETE FROM cluster_grants WHERE cluster = ?", c.Name); err != nil {
		return fleet.Cluster{}, fmt.Errorf("update cluster %s: %w", c.Name, err)
	}
	if err := tx.grant(ctx, c); err != nil {
		return fleet.Cluster{}, fmt.Errorf("grant cluster %s: %w", c.Name, err)
	}
	return tx.Cluster(ctx, c.Name)
}

func (tx *Tx) grant(ctx context.Context, c fleet.Cluster) error {
	for _, tenant := range slices.Compact(slices.Sorted(slices.Values(c.Tenants))) {
		if tenant == fleet.AllTenants {
			continue
		}
		if _, err := tx.exec(ctx, "INSERT INTO cluster_grants (tenant, cluster) VALUES (?, ?)", tenant, c.Name); err != nil {
			return refersError(err)
		}
	}
	return nil
}

// DeleteCluster with its grants and enrolment tokens. Nodes do not cascade: one that is left fails the deletion.
func (tx *Tx) DeleteCluster(ctx context.Context, name string) error {
	if err := tx.must(ctx, "DELETE FROM clusters WHERE name = ?", name); err != nil {
		return fmt.Errorf("delete cluster %s: %w", name, err)
	}
	return nil
}

// nextVersion takes a number off the one sequence of the database.
func (tx *Tx) nextVersion(ctx context.Context) (int64, error) {
	var v int64
	err := tx.value(ctx, "UPDATE store SET sequence = sequence + 1 WHERE id = 1 RETURNING sequence", nil, &v)
	return v, err
}
