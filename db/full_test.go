package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// pages is a text of about n pages.
func pages(n int) string { return strings.Repeat("x", n*4096) }

// fill leaves the database room for a few pages.
func (r *rig) fill() {
	r.Helper()
	var n int
	if err := r.Sessions().QueryRow("PRAGMA page_count").Scan(&n); err != nil {
		r.Fatal(err)
	}
	if err := r.WriterPragma(r.Context(), fmt.Sprintf("max_page_count = %d", n+4)); err != nil {
		r.Fatal(err)
	}
}

func TestFullDiskRefusesWritesKeepsReadingAndRecovers(t *testing.T) {
	r := newRig(t)
	r.fill()
	large := func(key string) error {
		return r.Update(t.Context(), func(tx *db.Tx) error { return tx.PutSetting(t.Context(), key, pages(100)) })
	}
	is(t, "a write that does not fit", large("large"), fleet.ErrFull)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "small", "fits") })
	is(t, "again", large("large"), fleet.ErrFull)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		is(t, "read", second(tx.Tenant(ctx, "acme")), nil)
		is(t, "what did not fit", second(tx.Setting(ctx, "large")), fleet.ErrNotFound)
		is(t, "what did", second(tx.Setting(ctx, "small")), nil)
		return nil
	})
	if err := r.WriterPragma(t.Context(), "max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	is(t, "once there is room", large("large"), nil)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again := openRig(t, r.path, db.Options{})
	again.view(func(ctx context.Context, tx *db.Tx) error { return second(tx.Setting(ctx, "large")) })
}

// SQLite may end the whole transaction when the disk is full. A closure that does not look must not go on outside of it.
func TestClosureThatIgnoresAFullDiskWritesNothing(t *testing.T) {
	r := newRig(t)
	r.fill()
	put := func(key, value string, ignore bool) func() error {
		return func() error {
			return r.Update(t.Context(), func(tx *db.Tx) error {
				err := tx.PutSetting(t.Context(), key, value)
				if ignore {
					is(t, "after the disk was full", tx.PutSetting(t.Context(), key+"-later", "value"), fleet.ErrFull)
					return nil
				}
				return err
			})
		}
	}
	errs := queued(t, r, put("ignores", pages(100), true), put("after", "value", false))
	is(t, "the one that ignores it", errs[0], fleet.ErrFull)
	is(t, "the next", errs[1], nil)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for key, want := range map[string]error{"ignores": fleet.ErrNotFound, "ignores-later": fleet.ErrNotFound, "after": nil} {
			is(t, key, second(tx.Setting(ctx, key)), want)
		}
		return nil
	})
}

// Those who share the transaction that a full disk ended are all told: nobody is answered nil for what is not there.
func TestFullDiskIsToldToAllWhoShareTheCommit(t *testing.T) {
	r := newRig(t)
	r.fill()
	var calls []func() error
	for i := range 8 {
		calls = append(calls, func() error {
			return r.Update(t.Context(), func(tx *db.Tx) error {
				value := "small"
				if i == 3 {
					value = pages(100)
				}
				return tx.PutSetting(t.Context(), fmt.Sprint("key-", i), value)
			})
		})
	}
	errs := queued(t, r, calls...)
	is(t, "the large one", errs[3], fleet.ErrFull)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for i, err := range errs {
			if _, missing := tx.Setting(ctx, fmt.Sprint("key-", i)); (missing == nil) != (err == nil) {
				t.Errorf("caller %d was answered %v, and reading gives %v", i, err, missing)
			}
		}
		return nil
	})
}
