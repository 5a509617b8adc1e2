package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

// Load reads the whole fleet as of one moment: one SELECT a table, sorted by name, the containers in the order in
// which they were assigned. Texts that repeat (tenants, nodes, states, …) are kept once, so that a million containers
// cost their structs and their IDs.
func (d *DB) Load(ctx context.Context) (fleet.Snapshot, error) {
	var s fleet.Snapshot
	err := d.View(ctx, func(tx *Tx) (err error) {
		if s.Clusters, err = all(ctx, tx, scanCluster, clusterColumns+" ORDER BY name"); err != nil {
			return fmt.Errorf("load clusters: %w", err)
		}
		if s.Nodes, err = all(ctx, tx, scanNode, nodeColumns+" ORDER BY n.name"); err != nil {
			return fmt.Errorf("load nodes: %w", err)
		}
		if s.Deployments, err = all(ctx, tx, scanDeployment, deploymentColumns+" ORDER BY namespace, name"); err != nil {
			return fmt.Errorf("load deployments: %w", err)
		}
		if s.Containers, err = tx.loadContainers(ctx); err != nil {
			return fmt.Errorf("load containers: %w", err)
		}
		return nil
	})
	if err != nil {
		return fleet.Snapshot{}, err
	}
	return s, nil
}

func (tx *Tx) loadContainers(ctx context.Context) ([]fleet.Container, error) {
	var n int
	if err := tx.value(ctx, "SELECT count(*) FROM containers", nil, &n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	out := make([]fleet.Container, 0, n)
	texts := interner{}
	err := tx.each(ctx, containerColumns+" ORDER BY rowid", nil, func(s scanner) (bool, error) {
		c, err := scanContainer(s)
		if err != nil {
			return false, err
		}
		if k := len(out); k > 0 && out[k-1].DeploymentUID == c.DeploymentUID {
			// A deployment's containers mostly stand together, and have these in common.
			p := &out[k-1]
			c.DeploymentUID, c.Tenant, c.Namespace, c.Deployment = p.DeploymentUID, p.Tenant, p.Namespace, p.Deployment
		} else {
			c.DeploymentUID, c.Deployment = texts.one(c.DeploymentUID), texts.one(c.Deployment)
			c.Tenant, c.Namespace = texts.one(c.Tenant), texts.one(c.Namespace)
		}
		c.Node, c.Message = texts.one(c.Node), texts.one(c.Message)
		c.State = fleet.ContainerState(texts.one(string(c.State)))
		out = append(out, c)
		return true, nil
	})
	return out, err
}

// interner keeps one copy of each text.
type interner map[string]string

func (t interner) one(s string) string {
	if kept, ok := t[s]; ok {
		return kept
	}
	t[s] = s
	return s
}
