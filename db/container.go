package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"odysseus/fleet"
)

const containerColumns = `SELECT deployment_uid, id, tenant, namespace, deployment, node, revision, replica, milli_cpu, memory, slots, state, message,
	restarts, started_at, stop, created_at FROM containers`

func scanContainer(s scanner) (fleet.Container, error) {
	var c fleet.Container
	var started sql.NullInt64
	var created int64
	err := s.Scan(&c.DeploymentUID, &c.ID, &c.Tenant, &c.Namespace, &c.Deployment, &c.Node, &c.Revision, &c.Replica,
		&c.Requests.MilliCPU, &c.Requests.Memory, &c.Requests.Slots, &c.State, &c.Message, &c.Restarts, &started, &c.Stop, &created)
	c.StartedAt, c.CreatedAt = optionalTime(started), timeOf(created)
	return c, err
}

// NodeContainers are all containers of a node, sorted by ID.
func (tx *Tx) NodeContainers(ctx context.Context, node string) ([]fleet.Container, error) {
	list, err := all(ctx, tx, scanContainer, containerColumns+" WHERE node = ?", node)
	if err != nil {
		return nil, fmt.Errorf("list containers of node %s: %w", node, err)
	}
	slices.SortFunc(list, func(a, b fleet.Container) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// DeploymentContainers are all containers of a deployment, those of a deleted one too, sorted by replica and ID.
func (tx *Tx) DeploymentContainers(ctx context.Context, uid string) ([]fleet.Container, error) {
	list, err := all(ctx, tx, scanContainer, containerColumns+" WHERE deployment_uid = ?", uid)
	if err != nil {
		return nil, fmt.Errorf("list containers of deployment %s: %w", uid, err)
	}
	slices.SortFunc(list, func(a, b fleet.Container) int {
		return cmp.Or(cmp.Compare(a.Replica, b.Replica), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// ReportContainer writes what the node's agent says of one of its containers; false where the node has no such
// container.
func (tx *Tx) ReportContainer(ctx context.Context, node string, r fleet.ContainerReport) (bool, error) {
	var started sql.NullInt64
	if r.StartedAt != nil {
		started = optionalMillis(*r.StartedAt)
	}
	n, err := tx.exec(ctx, "UPDATE containers SET state = ?, message = ?, restarts = ?, started_at = ? WHERE deployment_uid = ? AND id = ? AND node = ?",
		r.State, r.Message, r.Restarts, started, deploymentOf(r.ID), r.ID, node)
	if err != nil {
		return false, fmt.Errorf("report container %s: %w", r.ID, err)
	}
	return n > 0, nil
}

// deploymentOf is the UID in a container's ID, which is the UID, a dash and a counter: with it a container is found
// by its primary key.
func deploymentOf(id string) string {
	dash := strings.LastIndexByte(id, '-')
	if dash < 0 {
		return ""
	}
	return id[:dash]
}
