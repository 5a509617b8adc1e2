package db_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

var errOwn = errors.New("the closure's own error")

// 64 callers at once: every third fails, some of them after writing. What was answered nil is there, also for whoever
// opens the file next; what failed is not; and nobody saw half of another's writes.
func TestUpdatesShareCommitsAndNothingElse(t *testing.T) {
	r := newRig(t)
	const callers, rounds = 64, 8
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for round := range rounds {
				key := fmt.Sprintf("%d/%d", caller, round)
				fails := (caller+round)%3 == 0
				err := r.Update(t.Context(), func(tx *db.Tx) error {
					if err := tx.PutSetting(t.Context(), key+"/a", key); err != nil {
						return err
					}
					if fails {
						return errOwn
					}
					return tx.PutSetting(t.Context(), key+"/b", key)
				})
				if fails != errors.Is(err, errOwn) || !fails && err != nil {
					t.Errorf("%s: %v", key, err)
				}
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again := openRig(t, r.path, db.Options{})
	again.view(func(ctx context.Context, tx *db.Tx) error {
		for caller := range callers {
			for round := range rounds {
				for _, half := range []string{"/a", "/b"} {
					key := fmt.Sprintf("%d/%d", caller, round)
					value, err := tx.Setting(ctx, key+half)
					if fails := (caller+round)%3 == 0; fails && !errors.Is(err, fleet.ErrNotFound) || !fails && value != key {
						t.Errorf("%s%s = %q, %v", key, half, value, err)
					}
				}
			}
		}
		return nil
	})
}

// queued runs the calls, in order, while another closure has its turn, which then fails and is no part of their group:
// they share a commit where they may.
func queued(t *testing.T, r *rig, calls ...func() error) []error {
	t.Helper()
	errs := make([]error, len(calls))
	var wg sync.WaitGroup
	err := r.Update(t.Context(), func(*db.Tx) error {
		for i, call := range calls {
			wg.Go(func() { errs[i] = call() })
			for r.Waiting() <= i {
				runtime.Gosched()
			}
		}
		return errOwn
	})
	is(t, "the one before", err, errOwn)
	wg.Wait()
	return errs
}

func TestOneClosureOfAGroupHurtsNoOther(t *testing.T) {
	put := func(key string) func(*db.Tx) error {
		return func(tx *db.Tx) error { return tx.PutSetting(context.Background(), key, "value") }
	}
	for name, bad := range map[string]func(*db.Tx) error{
		"its own error after a write": func(tx *db.Tx) error { return errors.Join(put("bad")(tx), errOwn) },
		"a name that is taken": func(tx *db.Tx) error {
			return errors.Join(put("bad")(tx), tx.InsertTenant(context.Background(), fleet.Tenant{Name: "acme"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			update := func(fn func(*db.Tx) error) func() error { return func() error { return r.Update(t.Context(), fn) } }
			errs := queued(t, r, update(put("before")), update(bad), update(put("after")))
			if errs[0] != nil || errs[1] == nil || errs[2] != nil {
				t.Errorf("answers %v", errs)
			}
			r.view(func(ctx context.Context, tx *db.Tx) error {
				for key, there := range map[string]bool{"before": true, "bad": false, "after": true} {
					if _, err := tx.Setting(ctx, key); there != (err == nil) {
						t.Errorf("%s: %v", key, err)
					}
				}
				return nil
			})
		})
	}
}

func TestPanicIsRaisedWhereUpdateWasCalled(t *testing.T) {
	r := newRig(t)
	func() {
		defer func() {
			if got := recover(); got != "out of range" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = r.Update(t.Context(), func(tx *db.Tx) error {
			if err := tx.PutSetting(t.Context(), "key", "value"); err != nil {
				t.Error(err)
			}
			panic("out of range")
		})
		t.Error("Update returned")
	}()
	r.update(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Setting(ctx, "key"); !errors.Is(err, fleet.ErrNotFound) {
			t.Errorf("what the panicking closure wrote: %v", err)
		}
		return tx.PutSetting(ctx, "key", "the writer goes on")
	})
}

func TestClosureThatEndsItsGoroutineIsAnError(t *testing.T) {
	r := newRig(t)
	if err := r.Update(t.Context(), func(*db.Tx) error { runtime.Goexit(); return nil }); err == nil {
		t.Error("answered nil")
	}
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "the writer goes on") })
}

func TestClosureWhoseContextEndedIsDropped(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	var ran atomic.Bool
	answer := make(chan error, 1)
	r.update(func(context.Context, *db.Tx) error {
		go func() {
			answer <- r.Update(ctx, func(*db.Tx) error { ran.Store(true); return nil })
		}()
		for r.Waiting() < 1 {
			runtime.Gosched()
		}
		cancel()
		if err := <-answer; !errors.Is(err, context.Canceled) {
			t.Errorf("answered %v while another closure had its turn", err)
		}
		return nil
	})
	if ran.Load() {
		t.Error("it ran")
	}
}

func TestContextThatEndsInsideTheClosureTakesItsWritesBack(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := r.Update(ctx, func(tx *db.Tx) error {
		if err := tx.PutSetting(ctx, "key", "value"); err != nil {
			return err
		}
		cancel()
		return tx.PutSetting(ctx, "other", "value")
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.view(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Setting(ctx, "key"); !errors.Is(err, fleet.ErrNotFound) {
			t.Errorf("got %v", err)
		}
		return nil
	})
}

func TestUpdateInsideAnUpdateIsRefusedInTime(t *testing.T) {
	r := openRig(t, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{Wait: 10 * time.Millisecond})
	r.update(func(ctx context.Context, _ *db.Tx) error {
		if err := r.Update(ctx, func(*db.Tx) error { return nil }); !errors.Is(err, fleet.ErrBusy) {
			t.Errorf("got %v", err)
		}
		return nil
	})
}

// Another process that keeps the write lock makes writes busy and leaves reads alone.
func TestWriteLockHeldElsewhereIsBusy(t *testing.T) {
	r := openRig(t, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{BusyTimeout: 10 * time.Millisecond})
	other, err := r.Sessions().Begin()
	if err != nil {
		t.Fatal(err)
	}
	put := func(tx *db.Tx) error { return tx.PutSetting(t.Context(), "key", "value") }
	if err := r.Update(t.Context(), put); !errors.Is(err, fleet.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if err := r.Ping(t.Context()); err != nil {
		t.Errorf("reads: %v", err)
	}
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := r.Update(t.Context(), put); err != nil {
		t.Errorf("after the lock was freed: %v", err)
	}
}

func TestDatabaseThatCannotBeWrittenIsReadOnly(t *testing.T) {
	r := newRig(t)
	if err := r.WriterPragma(t.Context(), "query_only = ON"); err != nil {
		// The commit of the pragma's own group counts itself, and is the first to be refused.
		if !errors.Is(err, fleet.ErrReadOnly) {
			t.Fatal(err)
		}
	}
	if err := r.Update(t.Context(), func(tx *db.Tx) error { return tx.PutSetting(t.Context(), "key", "value") }); !errors.Is(err, fleet.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
	if err := r.Ping(t.Context()); err != nil {
		t.Errorf("read: %v", err)
	}
}
