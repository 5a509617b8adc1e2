package db

import (
	"context"
	"fmt"
	"time"

	"odysseus/fleet"
)

const revisionColumns = "SELECT number, created_at, actor, spec FROM revisions"

func scanRevision(s scanner) (fleet.Revision, error) {
	var r fleet.Revision
	var created int64
	var spec string
	if err := s.Scan(&r.Number, &created, &r.Actor, &spec); err != nil {
		return r, err
	}
	r.CreatedAt = timeOf(created)
	return r, fromJSON(spec, &r.Spec)
}

// Revisions of a deployment, newest first. The caller has read the deployment of its tenant: the UID is proof of that.
func (tx *Tx) Revisions(ctx context.Context, uid string, o fleet.ListOptions) ([]fleet.Revision, string, error) {
	l := list[fleet.Revision]{from: revisionColumns, order: "number DESC", scan: scanRevision, key: func(r fleet.Revision) []any { return []any{r.Number} }}
	l.where.and("uid = ?", uid)
	if err := l.where.beforeNumber("number", o.After); err != nil {
		return nil, "", fmt.Errorf("list revisions of deployment %s: %w", uid, err)
	}
	revisions, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list revisions of deployment %s: %w", uid, err)
	}
	return revisions, next, nil
}

// Revision of a deployment by number; fleet.ErrNotFound where there was none, or it is no longer kept.
func (tx *Tx) Revision(ctx context.Context, uid string, number int64) (fleet.Revision, error) {
	r, err := get(ctx, tx, scanRevision, revisionColumns+" WHERE uid = ? AND number = ?", uid, number)
	if err != nil {
		return fleet.Revision{}, fmt.Errorf("read revision %d of deployment %s: %w", number, uid, err)
	}
	return r, nil
}

func (tx *Tx) insertRevision(ctx context.Context, d fleet.Deployment, actor string, at time.Time) error {
	_, err := tx.exec(ctx, "INSERT INTO revisions (uid, number, created_at, actor, spec) VALUES (?, ?, ?, ?, ?)",
		d.Metadata.UID, d.Revision, millis(at), actor, jsonText(d.Spec))
	if err != nil {
		return fmt.Errorf("insert revision %d of deployment %s: %w", d.Revision, d.Metadata.UID, err)
	}
	return nil
}
