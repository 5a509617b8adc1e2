package db_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// backedUp is a closed database in which key is "old", and a backup of it.
func backedUp(t *testing.T) (r *rig, backup string) {
	t.Helper()
	r = newRig(t)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "old") })
	backup = filepath.Join(t.TempDir(), "backup.db")
	if err := r.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r, backup
}

func keyIn(t *testing.T, path string) string {
	t.Helper()
	r := openRig(t, path, db.Options{})
	defer func() { is(t, "close", r.Close(), nil) }()
	value := ""
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		value, err = tx.Setting(ctx, "key")
		return err
	})
	return value
}

func TestRestorePutsTheBackupInPlace(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string){
		"where nothing is": func(t *testing.T, path string) { remove(t, path) },
		"over what is as old": func(*testing.T, string) {
		},
		"over an empty file": func(t *testing.T, path string) { write(t, path, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			r, backup := backedUp(t)
			prepare(t, r.path)
			if err := db.Restore(t.Context(), backup, r.path); err != nil {
				t.Fatal(err)
			}
			same(t, "key", keyIn(t, r.path), "old")
			same(t, "files", names(t, filepath.Dir(r.path)), []string{"odysseus.db", "odysseus.db.key", "odysseus.db.lock"})
		})
	}
}

// The target's newest writes may stand in its log alone, as a killed server leaves it: they make it newer all the same.
func TestRestoreRefusesANewerTarget(t *testing.T) {
	for name, newer := range map[string]struct {
		now   time.Time
		write func(context.Context, *db.Tx) error
	}{
		"by sequence": {start, func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "new") }},
		"by time":     {start.Add(time.Second), func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "new") }},
	} {
		t.Run(name, func(t *testing.T) {
			r, backup := backedUp(t)
			again := openRig(t, r.path, db.Options{Now: func() time.Time { return newer.now }})
			again.update(newer.write)
			log := read(t, r.path+"-wal")
			before := read(t, r.path)
			is(t, "close", again.Close(), nil)
			write(t, r.path, before)
			write(t, r.path+"-wal", log)
			err := db.Restore(t.Context(), backup, r.path)
			var refused *db.NewerTargetError
			if !errors.As(err, &refused) || refused.TargetSequence <= refused.BackupSequence || !refused.TargetWritten.Equal(newer.now) ||
				!refused.BackupWritten.Equal(start) || refused.Target != r.path || refused.Backup != backup {
				t.Fatalf("got %v", err)
			}
			if !slices.Equal(before, read(t, r.path)) {
				t.Error("the target was changed")
			}
			same(t, "key", keyIn(t, r.path), "new")
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	r, backup := backedUp(t)
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	page := read(t, backup)
	clear(page[5*4096 : 6*4096])
	write(t, damaged, page)
	newer := filepath.Join(t.TempDir(), "newer.db")
	write(t, newer, read(t, backup))
	inFileDo(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	inFileDo(t, foreign, "CREATE TABLE albums (title TEXT)")
	empty := filepath.Join(t.TempDir(), "empty.db")
	write(t, empty, nil)
	missing := filepath.Join(t.TempDir(), "missing.db")

	before := read(t, r.path)
	is(t, "a damaged backup", db.Restore(t.Context(), damaged, r.path), db.ErrCorrupt)
	is(t, "another program's file", db.Restore(t.Context(), foreign, r.path), db.ErrForeign)
	is(t, "an empty backup", db.Restore(t.Context(), empty, r.path), db.ErrForeign)
	is(t, "no backup", db.Restore(t.Context(), missing, r.path), fs.ErrNotExist)
	is(t, "itself", db.Restore(t.Context(), r.path, r.path), fs.ErrExist)
	is(t, "over another program's file", db.Restore(t.Context(), backup, foreign), db.ErrForeign)
	var schema *db.SchemaError
	if err := db.Restore(t.Context(), newer, r.path); !errors.As(err, &schema) || schema.Version != 99 {
		t.Errorf("a newer release's backup: %v", err)
	}
	schema = nil
	if err := db.Restore(t.Context(), backup, newer); !errors.As(err, &schema) || schema.Version != 99 {
		t.Errorf("over a newer release's database: %v", err)
	}
	if !slices.Equal(before, read(t, r.path)) {
		t.Error("the target was changed")
	}

	running := openRig(t, r.path, db.Options{})
	is(t, "under a running server", db.Restore(t.Context(), backup, r.path), db.ErrLocked)
	running.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "still served") })
	same(t, "files", names(t, filepath.Dir(r.path)), []string{"odysseus.db", "odysseus.db-shm", "odysseus.db-wal", "odysseus.db.key", "odysseus.db.lock"})
}

// A damaged database is what backups are for. It is kept, with the log that belongs to it.
func TestRestoreKeepsADamagedTargetAside(t *testing.T) {
	r, backup := backedUp(t)
	for range 2 {
		write(t, r.path, []byte("not a database"))
		write(t, r.path+"-wal", []byte("its log"))
		if err := db.Restore(t.Context(), backup, r.path); err != nil {
			t.Fatal(err)
		}
		same(t, "key", keyIn(t, r.path), "old")
	}
	remove(t, r.path)
	write(t, r.path+"-wal", []byte("a log without its file"))
	write(t, r.path+"-shm", []byte("stale"))
	if err := db.Restore(t.Context(), backup, r.path); err != nil {
		t.Fatal(err)
	}
	same(t, "key", keyIn(t, r.path), "old")
	same(t, "kept log", string(read(t, r.path+".damaged-3-wal")), "a log without its file")
	same(t, "kept", string(read(t, r.path+".damaged-2")), "not a database")
	same(t, "files", names(t, filepath.Dir(r.path)), []string{
		"odysseus.db", "odysseus.db.damaged", "odysseus.db.damaged-2", "odysseus.db.damaged-2-wal", "odysseus.db.damaged-3-wal", "odysseus.db.damaged-wal", "odysseus.db.key", "odysseus.db.lock",
	})
}

func TestRestoredDatabaseGoesOn(t *testing.T) {
	r, backup := backedUp(t)
	remove(t, r.path)
	if err := db.Restore(t.Context(), backup, r.path); err != nil {
		t.Fatal(err)
	}
	again := openRig(t, r.path, db.Options{})
	again.update(func(ctx context.Context, tx *db.Tx) error {
		return second(tx.InsertCluster(ctx, fleet.Cluster{Name: "alps", CreatedAt: start}))
	})
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
