package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alexedwards/scs/sqlite3store"
	"github.com/alexedwards/scs/v2"

	"odysseus/db"
	"odysseus/fleet"
)

var _ scs.Store = (*sqlite3store.SQLite3Store)(nil)

func TestTrimRemovesWhatIsPastItsRetention(t *testing.T) {
	r := newRig(t)
	now := start.Add(1000 * 24 * time.Hour)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for i := range 1203 { // more than two steps
			e := fleet.Event{Time: now.Add(-db.EventRetention - time.Second), Tenant: "acme", Kind: "Deployment", UID: "uid", Reason: fmt.Sprint(i), Type: fleet.EventNormal}
			if i >= 1200 {
				e.Time = now.Add(-db.EventRetention)
			}
			if err := tx.AppendEvent(ctx, e); err != nil {
				return err
			}
			a := fleet.AuditEntry{Time: now.Add(-db.AuditRetention - time.Second), Verb: fmt.Sprint(i)}
			if i >= 1200 {
				a.Time = now.Add(-db.AuditRetention)
			}
			if err := tx.AppendAudit(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
	is(t, "trim", r.Trim(t.Context(), now), nil)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		events, _, err := tx.Events(ctx, "acme", "uid", fleet.ListOptions{Limit: 500})
		same(t, "events", len(events), 3)
		is(t, "events", err, nil)
		audit, _, err := tx.Audit(ctx, fleet.ListOptions{Limit: 500})
		same(t, "audit", len(audit), 3)
		return err
	})
}

func TestTrimKeepsTheNewestRevisionsAndThoseThatRun(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"), deployment("acme", "young"))[0]
	r.commit(decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, 1, "n0"), container(d, 2, "n0")} }))
	r.commit(decision(d, func(x *fleet.Decision) { x.Adopt = []fleet.Adoption{{ID: container(d, 2, "").ID, Revision: 3}} }))
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		for i := range db.RevisionsKept + 9 { // revisions 2 to 30
			d.Revision, d.Metadata.Generation = int64(i+2), int64(i+2)
			if d, err = tx.UpdateDeployment(ctx, d, ""); err != nil {
				return err
			}
		}
		return nil
	})
	is(t, "trim", r.Trim(t.Context(), start), nil)
	var want []int64
	for n := int64(30); n > 10; n-- {
		want = append(want, n)
	}
	want = append(want, 3, 1)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		revisions, _, err := tx.Revisions(ctx, d.Metadata.UID, fleet.ListOptions{})
		var got []int64
		for _, rev := range revisions {
			got = append(got, rev.Number)
		}
		same(t, "revisions", got, want)
		is(t, "revisions", err, nil)
		young, _, err := tx.Revisions(ctx, "uid-acme-young", fleet.ListOptions{})
		same(t, "of the young one", len(young), 1)
		return err
	})
}

func TestSessionsAreKeptBesideTheWriterAndExpire(t *testing.T) {
	r := newRig(t)
	store := sqlite3store.NewWithCleanupInterval(r.Sessions(), 0)
	now := time.Now()
	done := make(chan error)
	go func() {
		for i := range 50 {
			if err := store.Commit(fmt.Sprint("token-", i), []byte("data"), now.Add(time.Hour)); err != nil {
				done <- err
				return
			}
		}
		done <- store.Commit("expired", []byte("data"), now.Add(-time.Second))
	}()
	for i := range 50 {
		r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", fmt.Sprint(i)) })
	}
	is(t, "sessions", <-done, nil)
	is(t, "trim", r.Trim(t.Context(), now), nil)
	kept, err := store.All()
	same(t, "kept", len(kept), 50)
	is(t, "all", err, nil)
	data, found, err := store.Find("token-7")
	same(t, "data", string(data), "data")
	same(t, "found", found, true)
	is(t, "find", err, nil)
	var rows int
	is(t, "count", r.Sessions().QueryRow("SELECT count(*) FROM sessions").Scan(&rows), nil)
	same(t, "rows", rows, 50)
}
