package db_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestOpenMakesAFileForItsOwnerAlone(t *testing.T) {
	r := newRig(t)
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(r.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", filepath.Base(info.Name()), info.Mode())
		}
	}
}

func TestOpenSetsTheModeItPromises(t *testing.T) {
	r := newRig(t)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "application_id": "1331984755"} {
		var got string
		if err := r.Sessions().QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", pragma, got, err, want)
		}
	}
}

func TestOpenAgainFindsWhatWasWritten(t *testing.T) {
	r := newRig(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("closing left a log: %v", err)
	}
	again := openRig(t, r.path, db.Options{})
	again.view(func(ctx context.Context, tx *db.Tx) error {
		tenant, err := tx.Tenant(ctx, "acme")
		if want := (fleet.Tenant{Name: "acme", DisplayName: "The acme", CreatedAt: start}); tenant != want {
			t.Errorf("got %+v, want %+v", tenant, want)
		}
		return err
	})
}

func TestOpenTakesAnyFileName(t *testing.T) {
	for _, name := range []string{"a b.db", "what?.db", "50%41.db", "#1.db", "é;&=.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			openRig(t, path, db.Options{})
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSecondOpenerIsRefused(t *testing.T) {
	r := newRig(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(r.path, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{r.path, link} {
		if _, err := db.Open(t.Context(), path, db.Options{}); !errors.Is(err, db.ErrLocked) {
			t.Errorf("second Open of %s: %v", path, err)
		}
	}
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "still served") })
}

func TestNewerSchemaIsRefusedByName(t *testing.T) {
	r := newRig(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	inFileDo(t, r.path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	_, err := db.Open(t.Context(), r.path, db.Options{})
	var newer *db.SchemaError
	if !errors.As(err, &newer) || newer.Version != 99 || newer.Known != 4 || newer.Path != r.path {
		t.Errorf("got %v, want version 99 refused", err)
	}
}

func TestForeignFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	inFileDo(t, path, "CREATE TABLE albums (title TEXT)")
	before := read(t, path)
	if _, err := db.Open(t.Context(), path, db.Options{}); !errors.Is(err, db.ErrForeign) {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(before, read(t, path)) {
		t.Error("the file was changed")
	}
}

func TestCorruptFileIsRefusedAndLeftAsItIs(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"header overwritten":     func(b []byte) []byte { copy(b, "not a database!!"); return b },
		"page overwritten":       func(b []byte) []byte { clear(b[5*4096 : 6*4096]); return b },
		"bytes of a page turned": func(b []byte) []byte { flip(b[4*4096 : 4*4096+100]); return b },
		"cut off":                func(b []byte) []byte { return b[:len(b)/2] },
		"text":                   func([]byte) []byte { return []byte("listen: 127.0.0.1:8080\n") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			broken := damage(read(t, r.path))
			if err := os.WriteFile(r.path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Open(t.Context(), r.path, db.Options{}); !errors.Is(err, db.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
			if !slices.Equal(broken, read(t, r.path)) {
				t.Error("the file was changed")
			}
		})
	}
}

// A database whose file was emptied, or moved without its log, has its last writes there: opening it as a fresh one would
// lose them.
func TestLogWithoutItsFileIsRefused(t *testing.T) {
	for name, content := range map[string][]byte{"emptied": {}, "moved away": nil} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "odysseus.db")
			write(t, path+"-wal", []byte("frames"))
			if content != nil {
				write(t, path, content)
			}
			_, err := db.Open(t.Context(), path, db.Options{})
			is(t, "open", err, db.ErrCorrupt)
			same(t, "the log", string(read(t, path+"-wal")), "frames")
		})
	}
}

func TestClosedDatabaseSaysSo(t *testing.T) {
	r := newRig(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	nothing := func(*db.Tx) error { return nil }
	for name, err := range map[string]error{
		"view": r.View(t.Context(), nothing), "update": r.Update(t.Context(), nothing), "close": r.Close(), "ping": r.Ping(t.Context()),
	} {
		if !errors.Is(err, db.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestViewIsOfOneMomentAndWritesNothing(t *testing.T) {
	r := newRig(t)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Setting(ctx, "key"); !errors.Is(err, fleet.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "value") })
		if _, err := tx.Setting(ctx, "key"); !errors.Is(err, fleet.ErrNotFound) {
			t.Errorf("a write came into view: %v", err)
		}
		if err := tx.PutSetting(ctx, "other", "value"); !errors.Is(err, fleet.ErrReadOnly) {
			t.Errorf("write in a View: %v", err)
		}
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Setting(ctx, "key")
		return err
	})
}

func TestViewWaitsForAReaderNoLongerThanItsContext(t *testing.T) {
	r := openRig(t, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{Readers: 1})
	r.view(func(context.Context, *db.Tx) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.View(ctx, func(*db.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		return nil
	})
}

func TestTxIsOverWithItsClosure(t *testing.T) {
	r := newRig(t)
	var kept *db.Tx
	r.update(func(_ context.Context, tx *db.Tx) error { kept = tx; return nil })
	if err := kept.PutSetting(t.Context(), "key", "value"); err == nil {
		t.Error("a Tx wrote after its closure")
	}
}

func TestPingNoticesThatTheFileWasMovedAway(t *testing.T) {
	r := newRig(t)
	if err := r.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(r.path, r.path+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := r.Ping(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.Rename(r.path+".moved", r.path); err != nil {
		t.Fatal(err)
	}
}

// inFileDo runs a statement on a database file that nobody serves.
func inFileDo(t *testing.T, path, statement string) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec(statement)
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func flip(b []byte) {
	for i := range b {
		b[i] ^= 0xff
	}
}
