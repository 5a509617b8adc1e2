package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

// renderingKey names a rendering.
type renderingKey struct {
	uid    string
	number int64
}

// loadRenderings are those of all that is stored, in order. What containers still run of something that is deleted is
// theirs alone.
func (tx *Tx) loadRenderings(ctx context.Context) ([]fleet.Rendering, error) {
	return all(ctx, tx, func(s scanner) (fleet.Rendering, error) {
		var g fleet.Rendering
		var object string
		var kind sql.NullString
		if err := s.Scan(&g.UID, &g.Number, &g.Cluster, &object, &kind); err != nil {
			return g, err
		}
		var err error
		g.Object, err = tx.openRendering(renderingKey{g.UID, g.Number}, kind.String, []byte(object))
		return g, err
	}, `SELECT g.uid, g.number, g.cluster, g.object, w.kind FROM renderings g LEFT JOIN resources w ON w.uid = g.uid
		WHERE w.uid IS NOT NULL OR EXISTS (SELECT 1 FROM deployments d WHERE d.uid = g.uid) ORDER BY g.uid, g.number`)
}

// hasRenderings answers which of them are stored.
func (tx *Tx) hasRenderings(ctx context.Context, keys []renderingKey) (map[renderingKey]struct{}, error) {
	found := make(map[renderingKey]struct{}, len(keys))
	if len(keys) == 0 {
		return found, nil
	}
	asked := make([][2]any, len(keys))
	for i, k := range keys {
		asked[i] = [2]any{k.uid, k.number}
	}
	err := tx.each(ctx, "SELECT uid, number FROM renderings WHERE (uid, number) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))",
		[]any{jsonText(asked)}, func(s scanner) (bool, error) {
			var k renderingKey
			err := s.Scan(&k.uid, &k.number)
			found[k] = struct{}{}
			return true, err
		})
	return found, err
}

// dropRenderings deletes those of the numbers that no container runs and no cluster reads: whatever a decision says, what
// a container was started with is never looked up in vain.
func (tx *Tx) dropRenderings(ctx context.Context, uid string, numbers []int64) error {
	_, err := tx.exec(ctx, `DELETE FROM renderings WHERE uid = ? AND number IN (SELECT value FROM json_each(?))
		AND number NOT IN (SELECT rendering FROM containers WHERE deployment_uid = ?)
		AND number NOT IN (SELECT n.value FROM bindings b, json_each(b.renderings) n WHERE b.uid = ?)`, uid, jsonText(numbers), uid, uid)
	if err != nil {
		return fmt.Errorf("drop renderings of %s: %w", uid, err)
	}
	return nil
}

// idle says of renderings g that no container is left of what they are of.
const idle = "NOT EXISTS (SELECT 1 FROM containers c WHERE c.deployment_uid = g.uid)"

// leaveRenderings deletes those of something that is deleted, unless it still has containers: they are told to stop by
// what they run. Trim comes for what stays.
func (tx *Tx) leaveRenderings(ctx context.Context, uid string) error {
	if _, err := tx.exec(ctx, "DELETE FROM renderings AS g WHERE g.uid = ? AND "+idle, uid); err != nil {
		return fmt.Errorf("delete renderings of %s: %w", uid, err)
	}
	return nil
}
