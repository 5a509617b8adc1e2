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

const containerColumns = `SELECT deployment_uid, id, tenant, namespace, deployment, node, revision, replica, rendering, milli_cpu, memory, slots, state,
	message, restarts, started_at, parts, stop, created_at FROM containers`

func scanContainer(s scanner) (fleet.Container, error) {
	var c fleet.Container
	var started sql.NullInt64
	var created int64
	var parts string
	err := s.Scan(&c.DeploymentUID, &c.ID, &c.Tenant, &c.Namespace, &c.Deployment, &c.Node, &c.Revision, &c.Replica, &c.Rendering,
		&c.Requests.MilliCPU, &c.Requests.Memory, &c.Requests.Slots, &c.State, &c.Message, &c.Restarts, &started, &parts, &c.Stop, &created)
	if err != nil {
		return c, err
	}
	c.StartedAt, c.CreatedAt = optionalTime(started), timeOf(created)
	c.Parts, err = partsOf(parts)
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

// ReportContainer writes what the node's agent says of one of its containers, and what that sums up where a replica has
// several; false where the node has no such container.
func (tx *Tx) ReportContainer(ctx context.Context, node string, r fleet.ContainerReport, parts map[string]fleet.ContainerReport) (bool, error) {
	var started sql.NullInt64
	if r.StartedAt != nil {
		started = optionalMillis(*r.StartedAt)
	}
	n, err := tx.exec(ctx, `UPDATE containers SET state = ?, message = ?, restarts = ?, started_at = ?, parts = ?
		WHERE deployment_uid = ? AND id = ? AND node = ?`,
		r.State, r.Message, r.Restarts, started, partsText(parts), deploymentOf(r.ID), r.ID, node)
	if err != nil {
		return false, fmt.Errorf("report container %s: %w", r.ID, err)
	}
	return n > 0, nil
}

// partsText is empty for a replica of one container, which nearly all are.
func partsText(parts map[string]fleet.ContainerReport) string {
	if len(parts) == 0 {
		return ""
	}
	return jsonText(parts)
}

func partsOf(text string) (map[string]fleet.ContainerReport, error) {
	if text == "" {
		return nil, nil
	}
	var parts map[string]fleet.ContainerReport
	err := fromJSON(text, &parts)
	return parts, err
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
