package db

import (
	"context"
	"fmt"
	"slices"

	"odysseus/fleet"
)

// Commit stores decisions in one write transaction, see Update, and answers for each whether it held. One that names
// an older generation of its deployment or resource, a node that is gone, a rendering that is neither stored nor its own, or
// one that binds to a policy that is gone, does not: nothing of it is stored.
//
// The number of statements grows with what is written, not with the fleet: what stands is asked for in one query for
// all decisions, renderings and containers go in many to a statement, and all nodes touched are raised in one.
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
	if err := c.insertRenderings(ctx); err != nil {
		return fmt.Errorf("insert renderings: %w", err)
	}
	if err := c.assign(ctx); err != nil {
		return fmt.Errorf("assign containers: %w", err)
	}
	if err := c.drop(ctx); err != nil {
		return err
	}
	return c.raise(ctx)
}

// commit is one call of Commit.
type commit struct {
	tx *Tx
	// The deployments and the resources as stored, and the nodes, policies and renderings that exist, of all that the
	// decisions name.
	deployments, resources map[string]standing
	nodes                  map[string]struct{}
	policies               map[fleet.PolicyRef]struct{}
	renderings             map[renderingKey]struct{}
	// touched are the nodes whose list of containers changed.
	touched map[string]struct{}
	// rendered and assigned wait to be inserted in bulk, and after them those that drop renderings.
	rendered []renderedRow
	assigned []*fleet.Container
	drops    []*fleet.Decision
}

// holds says whether the decision still is about what is stored.
func (c *commit) holds(d *fleet.Decision) bool {
	if d.Deleted {
		return true
	}
	stored := c.deployments
	if d.Resource {
		stored = c.resources
	}
	if st, ok := stored[d.DeploymentUID]; !ok || st.generation != d.Generation {
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
	return c.renders(d)
}

// apply writes one decision, but for its new renderings and containers. Of a deployment that is gone, "only Stop and Remove apply".
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
	if err := c.render(ctx, d); err != nil {
		return err
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
