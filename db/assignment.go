package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"odysseus/fleet"
)

// assignedReplicas are a node's rows with what each revision runs: the spec of a Deployment, or the object of another
// resource, or neither where the workload is gone. Deleting it deletes its revisions.
const assignedReplicas = `SELECT c.deployment_uid, c.id, c.tenant, c.namespace, c.deployment, c.revision, c.replica, c.stop, c.parts,
	r.spec, o.object, w.api_version, w.kind
	FROM containers c
	LEFT JOIN revisions r ON r.uid = c.deployment_uid AND r.number = c.revision
	LEFT JOIN resource_revisions o ON o.uid = c.deployment_uid AND o.number = c.revision
	LEFT JOIN resources w ON w.uid = o.uid
	WHERE c.node = ?`

// Assignments is everything that one node is to run, sorted by container ID, at its version: "containers of one replica of
// a pod template share replica; environment values from ConfigMaps and Secrets arrive resolved". A container that is to
// stop, or whose workload is gone, is listed with Stop and tells nothing of what it ran but its grace.
//
// The number of statements grows with the ConfigMaps and Secrets that are named, each asked for once, and not with the
// containers.
func (tx *Tx) Assignments(ctx context.Context, node string) (fleet.AssignmentList, error) {
	out := fleet.AssignmentList{Containers: []fleet.Assignment{}}
	if err := tx.value(ctx, "SELECT version FROM node_assignments WHERE node = ?", []any{node}, &out.Version); err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("read assignments of node %s: %w", node, err)
	}
	replicas, err := tx.assignedReplicas(ctx, node)
	if err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("read assignments of node %s: %w", node, err)
	}
	values := environments{tx: tx, known: map[string]map[string]string{}}
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
	// template is nil where the workload is gone. Replicas of one revision share theirs.
	template *fleet.PodTemplate
	// parts are the names that the agent reported.
	parts map[string]fleet.ContainerReport
}

func (tx *Tx) assignedReplicas(ctx context.Context, node string) ([]assignedReplica, error) {
	// Replicas of one workload share their template: it is decoded once.
	type source struct {
		uid      string
		revision int64
	}
	templates := map[source]*fleet.PodTemplate{}
	var out []assignedReplica
	err := tx.each(ctx, assignedReplicas, []any{node}, func(s scanner) (bool, error) {
		var r assignedReplica
		var uid, parts string
		var spec, object, apiVersion, kind sql.NullString
		a := &r.common
		if err := s.Scan(&uid, &a.ID, &r.tenant, &a.Namespace, &a.Deployment, &a.Revision, &a.Replica, &a.Stop, &parts, &spec, &object, &apiVersion, &kind); err != nil {
			return false, err
		}
		from := source{uid, a.Revision}
		t, read := templates[from]
		if !read {
			var err error
			if t, err = templateOf(spec, object, apiVersion.String, kind.String); err != nil {
				return false, err
			}
			templates[from] = t
		}
		var err error
		r.template = t
		r.parts, err = partsOf(parts)
		out = append(out, r)
		return true, err
	})
	return out, err
}

// templateOf a revision; nil where there is none.
func templateOf(spec, object sql.NullString, apiVersion, kind string) (*fleet.PodTemplate, error) {
	switch {
	case spec.Valid:
		var s fleet.DeploymentSpec
		if err := fromJSON(spec.String, &s); err != nil {
			return nil, err
		}
		t := s.PodTemplate()
		return &t, nil
	case object.Valid:
		// What agents cannot run was judged when the replica was assigned.
		t, _, _ := fleet.PodTemplateOf(&fleet.Resource{APIVersion: apiVersion, Kind: kind, Object: []byte(object.String)})
		return &t, nil
	}
	return nil, nil
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
	a.Stop = true
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

// ReplicaContainers are the names of the containers that a replica of the workload's revision has, in their order; nil
// where it has only one, which goes by the row's ID. ErrNotFound where the workload is gone.
func (tx *Tx) ReplicaContainers(ctx context.Context, uid string, revision int64) ([]string, error) {
	var object, apiVersion, kind string
	err := tx.value(ctx, `SELECT o.object, w.api_version, w.kind FROM resource_revisions o JOIN resources w ON w.uid = o.uid WHERE o.uid = ? AND o.number = ?`,
		[]any{uid, revision}, &object, &apiVersion, &kind)
	if errors.Is(err, fleet.ErrNotFound) {
		var there int
		err = tx.value(ctx, "SELECT 1 FROM revisions WHERE uid = ? AND number = ?", []any{uid, revision}, &there)
		if err == nil {
			return nil, nil // a Deployment of this product is one container
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read containers of revision %d of %s: %w", revision, uid, err)
	}
	t, _, _ := fleet.PodTemplateOf(&fleet.Resource{APIVersion: apiVersion, Kind: kind, Object: []byte(object)})
	if len(t.Containers) < 2 {
		return nil, nil
	}
	var names []string
	for _, c := range t.Containers {
		names = append(names, c.Name)
	}
	return names, nil
}

// WorkloadKind is the kind of the resource with that UID; Deployment where it is none, but a Deployment of this product.
func (tx *Tx) WorkloadKind(ctx context.Context, uid string) (string, error) {
	kind := fleet.KindDeployment
	if err := tx.value(ctx, "SELECT kind FROM resources WHERE uid = ?", []any{uid}, &kind); err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return "", fmt.Errorf("read kind of %s: %w", uid, err)
	}
	return kind, nil
}
