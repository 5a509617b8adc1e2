package db

import (
	"context"
	"fmt"
	"time"
)

// Retention. What is past it may be removed; Trim does.
const (
	// EventRetention counts from when an event was last seen.
	EventRetention = 7 * 24 * time.Hour
	// AuditRetention is a year and a month, so that a yearly review finds a whole year.
	AuditRetention = 400 * 24 * time.Hour
	// RevisionsKept of each deployment and each resource, the newest; those that a container still runs are kept beside them.
	RevisionsKept = 20

	// trimStep is how many rows one transaction removes at most: other writes go between.
	trimStep = 500
)

// Trim removes events, audit entries and revisions that are past their retention, sessions that have expired, and the
// renderings of what is deleted and has no container left, in small steps that other writes go between.
func (d *DB) Trim(ctx context.Context, now time.Time) error {
	steps := []struct {
		of, query string
		before    any
	}{
		{"events", "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE time < ? ORDER BY time LIMIT ?)", millis(now.Add(-EventRetention))},
		// Entries are in order of time but for jumps of the clock, so the oldest stand first and no index of times is needed.
		{"audit", "DELETE FROM audit WHERE time < ? AND id IN (SELECT id FROM audit ORDER BY id LIMIT ?)", millis(now.Add(-AuditRetention))},
		{"sessions", "DELETE FROM sessions WHERE token IN (SELECT token FROM sessions WHERE expiry < ? ORDER BY expiry LIMIT ?)", julianDay(now)},
	}
	for _, s := range steps {
		if err := d.trimRows(ctx, s.query, s.before); err != nil {
			return fmt.Errorf("trim %s: %w", s.of, err)
		}
	}
	for _, h := range []history{{"deployments", "revisions"}, {"resources", "resource_revisions"}} {
		if err := d.trimRevisions(ctx, h); err != nil {
			return fmt.Errorf("trim %s: %w", h.revisions, err)
		}
	}
	if err := d.trimRenderings(ctx); err != nil {
		return fmt.Errorf("trim renderings: %w", err)
	}
	return nil
}

// trimRows runs a deletion of at most trimStep rows until it finds none.
func (d *DB) trimRows(ctx context.Context, query string, before any) error {
	for {
		var n int64
		err := d.Update(ctx, func(tx *Tx) (err error) {
			n, err = tx.exec(ctx, query, before, trimStep)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// history is a table whose rows have revisions, and the table of those.
type history struct{ owners, revisions string }

// unused says of revisions r that no container is of them.
const unused = "NOT EXISTS (SELECT 1 FROM containers c WHERE c.deployment_uid = r.uid AND c.revision = r.number)"

// trimRevisions walks those that ever had more revisions than are kept. It looks beside the writer, and writes only where
// it found something.
func (d *DB) trimRevisions(ctx context.Context, h history) error {
	last := ""
	for {
		var old []int64
		more := false
		err := d.View(ctx, func(tx *Tx) error {
			type candidate struct {
				uid      string
				revision int64
			}
			found, err := all(ctx, tx, func(s scanner) (c candidate, err error) {
				err = s.Scan(&c.uid, &c.revision)
				return c, err
			}, "SELECT uid, revision FROM "+h.owners+" WHERE uid > ? AND revision > ? ORDER BY uid LIMIT ?", last, RevisionsKept, trimStep)
			if err != nil {
				return err
			}
			more = len(found) == trimStep
			for _, c := range found {
				last = c.uid
				ids, err := all(ctx, tx, func(s scanner) (id int64, err error) {
					err = s.Scan(&id)
					return id, err
				}, "SELECT r.id FROM "+h.revisions+" r WHERE r.uid = ? AND r.number <= ? AND "+unused, c.uid, c.revision-RevisionsKept)
				if err != nil {
					return err
				}
				old = append(old, ids...)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := d.deleteRevisions(ctx, h, old); err != nil || !more {
			return err
		}
	}
}

// deleteRevisions asks again whether a container is of them: the scheduler may have adopted one since.
func (d *DB) deleteRevisions(ctx context.Context, h history, ids []int64) error {
	for len(ids) > 0 {
		n := min(trimStep, len(ids))
		step := jsonText(ids[:n])
		ids = ids[n:]
		err := d.Update(ctx, func(tx *Tx) error {
			_, err := tx.exec(ctx, "DELETE FROM "+h.revisions+" AS r WHERE r.id IN (SELECT value FROM json_each(?)) AND "+unused, step)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// julianDay is how scs's store writes a time.
func julianDay(t time.Time) float64 {
	const unixEpoch = 2440587.5
	return unixEpoch + float64(t.UnixMilli())/float64((24*time.Hour).Milliseconds())
}
