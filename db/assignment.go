package db

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"odysseus/fleet"
)

// assignedReplicas are a node's rows with what each revision runs: the spec of a Deployment, or the object of another
// resource, or neither where the workload is gone. Deleting it deletes its revisions. Where overrides changed what is run,
// their rendering of it stands beside.
const assignedReplicas = `SELECT c.deployment_uid, c.id, c.tenant, c.namespace, c.deployment, c.revision, c.replica, c.rendering, c.stop, c.parts,
	r.spec, o.object, w.api_version, w.kind, g.object
	FROM containers c
	LEFT JOIN revisions r ON r.uid = c.deployment_uid AND r.number = c.revision
	LEFT JOIN resource_revisions o ON o.uid = c.deployment_uid AND o.number = c.revision
	LEFT JOIN resources w ON w.uid = o.uid
	LEFT JOIN renderings g ON g.uid = c.deployment_uid AND g.number = c.rendering
	WHERE c.node = ?`

// Assignments is everything that one node is to run, sorted by container ID, at its version: "containers of one replica of
// a pod template share replica; environment values from ConfigMaps and Secrets arrive resolved". A container that is to
// stop, or whose workload is gone, is listed with Stop and tells nothing of what it ran but its grace. What overrides made
// of a workload for the cluster stands instead of what its revision says, and what they made of a ConfigMap or Secret
// instead of its own data.
//
// The number of statements grows with the ConfigMaps and Secrets that are named, each asked for once, and not with the
// containers.
func (tx *Tx) Assignments(ctx context.Context, node string) (fleet.AssignmentList, error) {
	out := fleet.AssignmentList{Containers: []fleet.Assignment{}}
	values := environments{tx: tx, known: map[string]map[string]string{}}
	err := tx.value(ctx, "SELECT a.version, n.cluster FROM node_assignments a JOIN nodes n ON n.name = a.node WHERE a.node = ?", []any{node},
		&out.Version, &values.cluster)
	if err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("read assignments of node %s: %w", node, err)
	}
	replicas, err := tx.assignedReplicas(ctx, node)
	if err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("read assignments of node %s: %w", node, err)
	}
	for _, r := range replicas {
		list, err := r.assignments(ctx, &values)
		if err != nil {
			return fleet.AssignmentList{}, fmt.Errorf("read assignment %s of node %s: %w", r.common.ID, node, err)
		}
		out.Containers = append(out.Containers, list...)
	}
	slices.SortFunc(out.Containers, func(a, b fleet.Assignment) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// assignedReplica is one row of containers.
type assignedReplica struct {
	tenant string
	// common is what its containers share; its ID is the row's.
	common fleet.Assignment
	// template is nil where nothing is known any more of what it ran. Replicas of one revision share theirs.
	template *fleet.PodTemplate
	// parts are the names that the agent reported.
	parts map[string]fleet.ContainerReport
}

func (tx *Tx) assignedReplicas(ctx context.Context, node string) ([]assignedReplica, error) {
	templates := templates{}
	var out []assignedReplica
	err := tx.each(ctx, assignedReplicas, []any{node}, func(s scanner) (bool, error) {
		var r assignedReplica
		var from source
		var parts string
		a := &r.common
		if err := s.Scan(&from.uid, &a.ID, &r.tenant, &a.Namespace, &a.Deployment, &from.revision, &a.Replica, &from.rendering, &a.Stop, &parts,
			&from.spec, &from.object, &from.apiVersion, &from.kind, &from.rendered); err != nil {
			return false, err
		}
		a.Revision, a.Stop = from.revision, a.Stop || from.gone()
		var err error
		if r.template, err = templates.of(from); err != nil {
			return false, fmt.Errorf("read what %s runs: %w", a.ID, err)
		}
		r.parts, err = partsOf(parts)
		out = append(out, r)
		return true, err
	})
	return out, err
}

// assignments are the replica's containers as the agent receives them.
func (r assignedReplica) assignments(ctx context.Context, values *environments) ([]fleet.Assignment, error) {
	if r.template == nil {
		return r.stopped(), nil
	}
	t := *r.template
	out := make([]fleet.Assignment, len(t.Containers))
	for i, c := range t.Containers {
		a := r.common
		a.ID, a.TerminationGracePeriodSeconds = t.ContainerID(r.common.ID, i), t.TerminationGracePeriodSeconds
		if !a.Stop {
			env, err := values.of(ctx, r.tenant, a.Namespace, c)
			if err != nil {
				return nil, err
			}
			a.Image, a.Env, a.Ports, a.Resources, a.RestartPolicy = c.Image, env, c.Ports, c.Resources, t.RestartPolicy
			a.Command, a.Args = c.Expanded(env)
		}
		out[i] = a
	}
	return out, nil
}

// stopped is a replica whose workload is gone: of its containers those are known that were reported.
func (r assignedReplica) stopped() []fleet.Assignment {
	a := r.common
	if len(r.parts) == 0 {
		return []fleet.Assignment{a}
	}
	var out []fleet.Assignment
	for _, name := range slices.Sorted(maps.Keys(r.parts)) {
		a.ID = r.common.ID + "." + name
		out = append(out, a)
	}
	return out
}
