package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

// Load reads the whole fleet as of one moment: one SELECT a table (policies are two sorts; one more where deployments or resources are gone whose
// containers are not), sorted by name, the containers in the order in which they were assigned. Texts that repeat
// (tenants, nodes, states, …) are kept once, so that a million containers cost their structs and their IDs.
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
		if s.Resources, err = all(ctx, tx, scanResource, resourceColumns+" ORDER BY namespace, kind, name, api_version"); err != nil {
			return fmt.Errorf("load resources: %w", err)
		}
		if s.Policies, err = propagations().all(ctx, tx); err != nil {
			return fmt.Errorf("load policies: %w", err)
		}
		if s.Overrides, err = overrides().all(ctx, tx); err != nil {
			return fmt.Errorf("load overrides: %w", err)
		}
		if s.Bindings, err = tx.loadBindings(ctx); err != nil {
			return fmt.Errorf("load bindings: %w", err)
		}
		if s.Renderings, err = tx.loadRenderings(ctx); err != nil {
			return fmt.Errorf("load renderings: %w", err)
		}
		if s.Containers, err = tx.loadContainers(ctx, owners(s)); err != nil {
			return fmt.Errorf("load containers: %w", err)
		}
		return nil
	})
	if err != nil {
		return fleet.Snapshot{}, err
	}
	return s, nil
}

func (tx *Tx) loadBindings(ctx context.Context) (map[string]fleet.Binding, error) {
	var bindings map[string]fleet.Binding
	err := tx.each(ctx, bindingColumns, nil, func(s scanner) (bool, error) {
		row, err := scanBinding(s)
		if bindings == nil {
			bindings = map[string]fleet.Binding{}
		}
		bindings[row.uid] = row.Binding
		return true, err
	})
	return bindings, err
}

// owner is what a container repeats of its deployment or resource.
type owner struct{ uid, tenant, namespace, deployment string }

// owners of containers by their UIDs.
func owners(s fleet.Snapshot) map[string]owner {
	out := make(map[string]owner, len(s.Deployments)+len(s.Resources))
	for i := range s.Deployments {
		d := &s.Deployments[i]
		out[d.Metadata.UID] = owner{d.Metadata.UID, d.Tenant, d.Metadata.Namespace, d.Metadata.Name}
	}
	for i := range s.Resources {
		r := &s.Resources[i]
		out[r.UID] = owner{r.UID, r.Tenant, r.Namespace, r.Name}
	}
	return out
}

// loadContainers leaves the texts that a container has in common with its owner to the database where that is loaded
// already, for texts are what a row costs.
func (tx *Tx) loadContainers(ctx context.Context, owners map[string]owner) ([]fleet.Container, error) {
	var n int
	if err := tx.value(ctx, "SELECT count(*) FROM containers", nil, &n); err != nil || n == 0 {
		return nil, err
	}
	out := make([]fleet.Container, 0, n)
	var orphans []int
	texts := interner{}
	var started sql.NullInt64
	var created int64
	var last owner
	var parts string
	err := tx.each(ctx, `SELECT id, node, revision, replica, rendering, milli_cpu, memory, slots, state, message, restarts, started_at, parts, stop,
		created_at FROM containers ORDER BY rowid`, nil, func(s scanner) (bool, error) {
		out = append(out, fleet.Container{})
		c := &out[len(out)-1]
		if err := s.Scan(&c.ID, &c.Node, &c.Revision, &c.Replica, &c.Rendering, &c.Requests.MilliCPU, &c.Requests.Memory, &c.Requests.Slots,
			&c.State, &c.Message, &c.Restarts, &started, &parts, &c.Stop, &created); err != nil {
			return false, err
		}
		c.StartedAt, c.CreatedAt = optionalTime(started), timeOf(created)
		c.Node, c.Message, c.State = texts.one(c.Node), texts.one(c.Message), fleet.ContainerState(texts.one(string(c.State)))
		if uid := deploymentOf(c.ID); uid != last.uid {
			last = owners[uid]
		}
		if last.uid == "" {
			orphans = append(orphans, len(out)-1)
		}
		last.own(c)
		var err error
		c.Parts, err = partsOf(parts)
		return true, err
	})
	if err != nil || len(orphans) == 0 {
		return out, err
	}
	return out, tx.loadOwners(ctx, out, orphans)
}

// loadOwners fills in what the containers of those that are deleted have in common with them.
func (tx *Tx) loadOwners(ctx context.Context, containers []fleet.Container, orphans []int) error {
	owners := map[string]owner{}
	err := tx.each(ctx, `SELECT deployment_uid, tenant, namespace, deployment FROM containers
		WHERE deployment_uid NOT IN (SELECT uid FROM deployments) AND deployment_uid NOT IN (SELECT uid FROM resources) GROUP BY deployment_uid`, nil, func(s scanner) (bool, error) {
		var o owner
		err := s.Scan(&o.uid, &o.tenant, &o.namespace, &o.deployment)
		owners[o.uid] = o
		return true, err
	})
	for _, i := range orphans {
		owners[deploymentOf(containers[i].ID)].own(&containers[i])
	}
	return err
}

func (o owner) own(c *fleet.Container) {
	c.DeploymentUID, c.Tenant, c.Namespace, c.Deployment = o.uid, o.tenant, o.namespace, o.deployment
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
