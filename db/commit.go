package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"odysseus/fleet"
)

// Commit stores decisions in one write transaction, see Update, and answers for each whether it held. One that names
// an older generation of its deployment or resource, a node that is gone, or one that binds to a policy that is gone, does
// not: nothing of it is stored.
//
// The number of statements grows with what is written, not with the fleet: what stands is asked for in one query for
// all decisions, containers go in many to a statement, and all nodes touched are raised in one.
func (d *DB) Commit(ctx context.Context, decisions []fleet.Decision) ([]bool, error) {
	held := make([]bool, len(decisions))
	err := d.bulkUpdate(ctx, func(tx *Tx) error { return tx.commit(ctx, decisions, held) })
	if err != nil {
		return nil, fmt.Errorf("commit %d decisions: %w", len(decisions), err)
	}
	return held, nil
}

func (tx *Tx) commit(ctx context.Context, decisions []fleet.Decision, held []bool) error {
	c := commit{tx: tx, touched: map[string]struct{}{}}
	if err := c.ask(ctx, decisions); err != nil {
		return err
	}
	for i := range decisions {
		d := &decisions[i]
		if held[i] = c.holds(d); !held[i] {
			continue
		}
		if err := c.apply(ctx, d); err != nil {
			return fmt.Errorf("decision on %s/%s: %w", d.Ref.Namespace, d.Ref.Name, err)
		}
	}
	if err := c.assign(ctx); err != nil {
		return fmt.Errorf("assign containers: %w", err)
	}
	return c.raise(ctx)
}

// commit is one call of Commit.
type commit struct {
	tx *Tx
	// generations of the deployments and of the resources as stored, and the nodes and policies that exist, of all that the
	// decisions name.
	generations, resources map[string]int64
	nodes                  map[string]struct{}
	policies               map[fleet.PolicyRef]struct{}
	// touched are the nodes whose list of containers changed.
	touched map[string]struct{}
	// assigned waits to be inserted in bulk.
	assigned []*fleet.Container
}

// ask reads what the decisions rest on.
func (c *commit) ask(ctx context.Context, decisions []fleet.Decision) error {
	var deployments, resources, names []string
	var policies []fleet.PolicyRef
	named := map[string]struct{}{}
	for i := range decisions {
		d := &decisions[i]
		if d.Deleted {
			continue
		}
		if d.Resource {
			resources = append(resources, d.DeploymentUID)
		} else {
			deployments = append(deployments, d.DeploymentUID)
		}
		if d.Binding != nil && d.Binding.Policy != nil {
			policies = append(policies, *d.Binding.Policy)
		}
		for j := range d.Assign {
			node := d.Assign[j].Node
			if _, ok := named[node]; !ok {
				named[node] = struct{}{}
				names = append(names, node)
			}
		}
	}
	var err error
	if c.generations, err = c.askGenerations(ctx, "SELECT uid, generation FROM deployments", deployments); err != nil {
		return fmt.Errorf("read generations: %w", err)
	}
	if c.resources, err = c.askGenerations(ctx, "SELECT uid, generation FROM resources", resources); err != nil {
		return fmt.Errorf("read generations of resources: %w", err)
	}
	if err := c.askPolicies(ctx, policies); err != nil {
		return fmt.Errorf("read policies: %w", err)
	}
	c.nodes = make(map[string]struct{}, len(names))
	if len(names) > 0 {
		err := c.tx.each(ctx, "SELECT node FROM node_assignments WHERE node IN (SELECT value FROM json_each(?))", []any{jsonText(names)},
			func(s scanner) (bool, error) {
				var node string
				err := s.Scan(&node)
				c.nodes[node] = struct{}{}
				return true, err
			})
		if err != nil {
			return fmt.Errorf("read nodes: %w", err)
		}
	}
	return nil
}

func (c *commit) askGenerations(ctx context.Context, from string, uids []string) (map[string]int64, error) {
	found := make(map[string]int64, len(uids))
	if len(uids) == 0 {
		return found, nil
	}
	err := c.tx.each(ctx, from+" WHERE uid IN (SELECT value FROM json_each(?))", []any{jsonText(uids)}, func(s scanner) (bool, error) {
		var uid string
		var generation int64
		err := s.Scan(&uid, &generation)
		found[uid] = generation
		return true, err
	})
	return found, err
}

// askPolicies reads which of the policies exist. A policy may be deleted, and what it holds freed, between a decision and
// its commit: bound to it, a resource would be nobody's, and its Kept forgotten.
func (c *commit) askPolicies(ctx context.Context, refs []fleet.PolicyRef) error {
	c.policies = make(map[fleet.PolicyRef]struct{})
	if len(refs) == 0 {
		return nil
	}
	slices.SortFunc(refs, func(a, b fleet.PolicyRef) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return c.tx.each(ctx, `SELECT namespace, kind, name FROM policies WHERE (namespace, kind, name) IN
		(SELECT coalesce(value ->> 'namespace', ''), value ->> 'kind', value ->> 'name' FROM json_each(?))`,
		[]any{jsonText(slices.Compact(refs))}, func(s scanner) (bool, error) {
			var ref fleet.PolicyRef
			err := s.Scan(&ref.Namespace, &ref.Kind, &ref.Name)
			c.policies[ref] = struct{}{}
			return true, err
		})
}

// holds says whether the decision still is about what is stored.
func (c *commit) holds(d *fleet.Decision) bool {
	if d.Deleted {
		return true
	}
	generations := c.generations
	if d.Resource {
		generations = c.resources
	}
	if generation, ok := generations[d.DeploymentUID]; !ok || generation != d.Generation {
		return false
	}
	if d.Binding != nil && d.Binding.Policy != nil {
		if _, ok := c.policies[*d.Binding.Policy]; !ok {
			return false
		}
	}
	for i := range d.Assign {
		if _, ok := c.nodes[d.Assign[i].Node]; !ok {
			return false
		}
	}
	return true
}

// apply writes one decision, but for its new containers. Of a deployment that is gone, "only Stop and Remove apply".
func (c *commit) apply(ctx context.Context, d *fleet.Decision) error {
	for _, id := range d.Remove {
		if err := c.touch(ctx, "DELETE FROM containers WHERE deployment_uid = ? AND id = ? RETURNING node", d.DeploymentUID, id); err != nil {
			return fmt.Errorf("remove container %s: %w", id, err)
		}
	}
	for _, id := range d.Stop {
		if err := c.touch(ctx, "UPDATE containers SET stop = 1 WHERE deployment_uid = ? AND id = ? AND stop = 0 RETURNING node", d.DeploymentUID, id); err != nil {
			return fmt.Errorf("stop container %s: %w", id, err)
		}
	}
	if d.Deleted {
		return nil
	}
	for _, a := range d.Adopt {
		if err := c.touch(ctx, "UPDATE containers SET revision = ? WHERE deployment_uid = ? AND id = ? RETURNING node", a.Revision, d.DeploymentUID, a.ID); err != nil {
			return fmt.Errorf("adopt container %s: %w", a.ID, err)
		}
	}
	for i := range d.Assign {
		c.assigned = append(c.assigned, &d.Assign[i])
		c.touched[d.Assign[i].Node] = struct{}{}
	}
	if err := c.status(ctx, d); err != nil {
		return err
	}
	if d.Binding != nil {
		if err := c.tx.putBinding(ctx, d.DeploymentUID, d.Binding); err != nil {
			return err
		}
	}
	for _, e := range d.Events {
		if err := c.tx.AppendEvent(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// touch runs a write on one container and remembers its node; a container that is gone changes nothing.
func (c *commit) touch(ctx context.Context, query string, args ...any) error {
	return c.tx.each(ctx, query, args, func(s scanner) (bool, error) {
		var node string
		err := s.Scan(&node)
		c.touched[node] = struct{}{}
		return true, err
	})
}

// status writes what lists filter by, and the highest container counter.
func (c *commit) status(ctx context.Context, d *fleet.Decision) error {
	table := "deployments"
	if d.Resource {
		table = "resources"
	}
	if st := d.Status; st != nil {
		_, err := c.tx.exec(ctx, "UPDATE "+table+` SET state = ?, replicas = ?, placed = ?, ready = ?, drifting = ?, pending_since = ?,
			observed_generation = ?, undeclared_region = ?, last_container = max(last_container, ?) WHERE uid = ?`,
			st.State, st.Replicas, st.Placed, st.Ready, st.Drifting, pendingMillis(st.PendingSince), st.ObservedGeneration, st.UndeclaredRegion,
			d.LastContainer, d.DeploymentUID)
		if err != nil {
			return fmt.Errorf("write status: %w", err)
		}
		return nil
	}
	if d.LastContainer > 0 {
		_, err := c.tx.exec(ctx, "UPDATE "+table+" SET last_container = max(last_container, ?) WHERE uid = ?", d.LastContainer, d.DeploymentUID)
		if err != nil {
			return fmt.Errorf("write last container: %w", err)
		}
	}
	return nil
}

const (
	insertContainer = `INSERT INTO containers (deployment_uid, id, tenant, namespace, deployment, node, revision, replica, milli_cpu, memory, slots,
		state, message, restarts, started_at, stop, created_at) VALUES `
	containerRow = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	// bulk is how many rows share a statement: fewer calls into SQLite are a quarter faster, more rows gain nothing.
	bulk = 50
)

// assign inserts the new containers of all decisions, bulk rows to a statement and the rest one by one, so that there
// are two statements to prepare and no more.
func (c *commit) assign(ctx context.Context) error {
	for rows := range slices.Chunk(c.assigned, bulk) {
		size := 1
		if len(rows) == bulk {
			size = bulk
		}
		for part := range slices.Chunk(rows, size) {
			args := make([]any, 0, 17*size)
			for _, r := range part {
				args = append(args, r.DeploymentUID, r.ID, r.Tenant, r.Namespace, r.Deployment, r.Node, r.Revision, r.Replica,
					r.Requests.MilliCPU, r.Requests.Memory, r.Requests.Slots, r.State, r.Message, r.Restarts, optionalMillis(r.StartedAt), r.Stop,
					millis(r.CreatedAt))
			}
			if _, err := c.tx.exec(ctx, insertContainers(size), args...); err != nil {
				return err
			}
		}
	}
	return nil
}

func insertContainers(rows int) string {
	return insertContainer + strings.Repeat(containerRow+", ", rows-1) + containerRow
}

// raise gives every node that was touched a higher version, once.
func (c *commit) raise(ctx context.Context) error {
	if len(c.touched) == 0 {
		return nil
	}
	names := make([]string, 0, len(c.touched))
	for node := range c.touched {
		names = append(names, node)
	}
	slices.Sort(names)
	_, err := c.tx.exec(ctx, "UPDATE node_assignments SET version = version + 1 WHERE node IN (SELECT value FROM json_each(?))", jsonText(names))
	if err != nil {
		return fmt.Errorf("raise assignment versions: %w", err)
	}
	return nil
}
