package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"odysseus/fleet"
)

// Assignments is everything that one node is to run, sorted by container ID, at its version. A container that is to
// stop, or whose deployment is gone, is listed with Stop and tells nothing of what it ran.
func (tx *Tx) Assignments(ctx context.Context, node string) (fleet.AssignmentList, error) {
	out := fleet.AssignmentList{Containers: []fleet.Assignment{}}
	if err := tx.value(ctx, "SELECT version FROM node_assignments WHERE node = ?", []any{node}, &out.Version); err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("read assignments of node %s: %w", node, err)
	}
	// Containers of one deployment share their spec: it is decoded once.
	type source struct {
		uid      string
		revision int64
	}
	specs := map[source]fleet.DeploymentSpec{}
	err := tx.each(ctx, `SELECT c.deployment_uid, c.id, c.namespace, c.deployment, c.revision, c.replica, c.stop, r.spec
		FROM containers c LEFT JOIN revisions r ON r.uid = c.deployment_uid AND r.number = c.revision
		WHERE c.node = ?`, []any{node}, func(s scanner) (bool, error) {
		var a fleet.Assignment
		var uid string
		var text sql.NullString
		if err := s.Scan(&uid, &a.ID, &a.Namespace, &a.Deployment, &a.Revision, &a.Replica, &a.Stop, &text); err != nil {
			return false, err
		}
		// Deleting a deployment deletes its revisions.
		a.Stop = a.Stop || !text.Valid
		if !a.Stop {
			from := source{uid, a.Revision}
			spec, ok := specs[from]
			if !ok {
				if err := fromJSON(text.String, &spec); err != nil {
					return false, err
				}
				specs[from] = spec
			}
			fill(&a, spec)
		}
		out.Containers = append(out.Containers, a)
		return true, nil
	})
	if err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("read assignments of node %s: %w", node, err)
	}
	slices.SortFunc(out.Containers, func(a, b fleet.Assignment) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// fill copies what an agent needs of the spec; where a deployment may run is not its affair.
func fill(a *fleet.Assignment, spec fleet.DeploymentSpec) {
	a.Image, a.Command, a.Args, a.Env, a.Ports = spec.Image, spec.Command, spec.Args, spec.Env, spec.Ports
	a.Resources, a.RestartPolicy = spec.Resources, spec.RestartPolicy
	a.TerminationGracePeriodSeconds = fleet.DefaultGrace
	if spec.TerminationGracePeriodSeconds != nil {
		a.TerminationGracePeriodSeconds = *spec.TerminationGracePeriodSeconds
	}
}
