package db

import (
	"context"
	"slices"
	"strings"

	"odysseus/fleet"
)

const (
	insertContainers = `INSERT INTO containers (deployment_uid, id, tenant, namespace, deployment, node, revision, replica, rendering, milli_cpu, memory,
		slots, state, message, restarts, started_at, stop, created_at) VALUES `
	containerRow = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	// bulk is how many rows share a statement: fewer calls into SQLite are a quarter faster, more rows gain nothing.
	bulk = 50
)

// assign inserts the new containers of all decisions.
func (c *commit) assign(ctx context.Context) error {
	return insertAll(ctx, c.tx, insertContainers, containerRow, c.assigned, func(args []any, r *fleet.Container) []any {
		return append(args, r.DeploymentUID, r.ID, r.Tenant, r.Namespace, r.Deployment, r.Node, r.Revision, r.Replica, r.Rendering,
			r.Requests.MilliCPU, r.Requests.Memory, r.Requests.Slots, r.State, r.Message, r.Restarts, optionalMillis(r.StartedAt), r.Stop,
			millis(r.CreatedAt))
	})
}

// insertAll inserts rows, bulk to a statement and the rest one by one, so that there are two statements to prepare and no
// more. add appends a row's values to the arguments.
func insertAll[T any](ctx context.Context, tx *Tx, into, row string, rows []T, add func([]any, T) []any) error {
	for group := range slices.Chunk(rows, bulk) {
		size := 1
		if len(group) == bulk {
			size = bulk
		}
		query := into + strings.Repeat(row+", ", size-1) + row
		for part := range slices.Chunk(group, size) {
			args := make([]any, 0, strings.Count(row, "?")*size)
			for _, r := range part {
				args = add(args, r)
			}
			if _, err := tx.exec(ctx, query, args...); err != nil {
				return err
			}
		}
	}
	return nil
}
