package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

// EnrolmentTokenByHash finds an enrolment token, expired or used up or not: the caller has the clock.
func (tx *Tx) EnrolmentTokenByHash(ctx context.Context, hash string) (fleet.EnrolmentToken, error) {
	t, err := get(ctx, tx, func(s scanner) (t fleet.EnrolmentToken, err error) {
		var created, expires int64
		err = s.Scan(&t.ID, &t.Cluster, &t.Hash, &t.Uses, &t.Used, &created, &expires)
		t.CreatedAt, t.ExpiresAt = timeOf(created), timeOf(expires)
		return t, err
	}, "SELECT id, cluster, hash, uses, used, created_at, expires_at FROM enrolment_tokens WHERE hash = ?", hash)
	if err != nil {
		return fleet.EnrolmentToken{}, fmt.Errorf("read enrolment token: %w", err)
	}
	return t, nil
}

// InsertEnrolmentToken stores a new token; fleet.ErrNotFound where there is no such cluster.
func (tx *Tx) InsertEnrolmentToken(ctx context.Context, t fleet.EnrolmentToken) error {
	_, err := tx.exec(ctx, "INSERT INTO enrolment_tokens (id, cluster, hash, uses, used, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		t.ID, t.Cluster, t.Hash, t.Uses, t.Used, millis(t.CreatedAt), millis(t.ExpiresAt))
	if err != nil {
		return fmt.Errorf("insert enrolment token %s: %w", t.ID, refersError(err))
	}
	return nil
}

// UseEnrolmentToken counts one use; fleet.ErrNotFound where none is left.
func (tx *Tx) UseEnrolmentToken(ctx context.Context, id string) error {
	if err := tx.must(ctx, "UPDATE enrolment_tokens SET used = used + 1 WHERE id = ? AND used < uses", id); err != nil {
		return fmt.Errorf("use enrolment token %s: %w", id, err)
	}
	return nil
}
