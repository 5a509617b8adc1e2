package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"odysseus/db"
)

// inFile reads one value from a database file that nobody serves.
func inFile(t *testing.T, path, query string, dest any) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.QueryRow(query).Scan(dest); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// names of all files in the folder of a database.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestBackupUnderLoadIsSoundAndOfOneMoment(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("%d/%d", w, n)
				err := r.Update(t.Context(), func(tx *db.Tx) error {
					return errors.Join(tx.PutSetting(t.Context(), key+"/a", key), tx.PutSetting(t.Context(), key+"/b", key))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	dir := t.TempDir()
	before := -1
	for i := range 5 {
		dest := filepath.Join(dir, fmt.Sprintf("copy-%d.db", i))
		copyTo := r.Backup
		if i%2 == 1 {
			copyTo = func(ctx context.Context, dest string) error { return db.BackupFile(ctx, r.path, dest) }
		}
		if err := copyTo(t.Context(), dest); err != nil {
			t.Fatal(err)
		}
		var verdict string
		inFile(t, dest, "PRAGMA integrity_check", &verdict)
		same(t, "integrity", verdict, "ok")
		pairs := whole(t, dest)
		if pairs < before {
			t.Errorf("copy %d holds %d writes, the one before %d", i, pairs, before)
		}
		before = pairs
		info, err := os.Stat(dest)
		is(t, "stat", err, nil)
		same(t, "mode", info.Mode().Perm(), fs.FileMode(0o600))
	}
	stop()
	writers.Wait()
	same(t, "nothing else is left", names(t, dir), []string{"copy-0.db", "copy-1.db", "copy-2.db", "copy-3.db", "copy-4.db"})
	served := openRig(t, filepath.Join(dir, "copy-4.db"), db.Options{})
	served.view(func(ctx context.Context, tx *db.Tx) error { return second(tx.Tenant(ctx, "acme")) })
}

func TestBackupRefuses(t *testing.T) {
	r := newRig(t)
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken.db")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	is(t, "an existing destination", r.Backup(t.Context(), taken), fs.ErrExist)
	same(t, "which stays", string(read(t, taken)), "precious")
	is(t, "a folder that is not there", r.Backup(t.Context(), filepath.Join(dir, "none", "x.db")), fs.ErrNotExist)
	is(t, "a database that is not there", db.BackupFile(t.Context(), filepath.Join(dir, "none.db"), filepath.Join(dir, "x.db")), fs.ErrNotExist)
	is(t, "what is no database", db.BackupFile(t.Context(), taken, filepath.Join(dir, "x.db")), db.ErrCorrupt)
	same(t, "nothing is left", names(t, dir), []string{"taken.db"})
}

// A server that was killed leaves its last commits in the log: a backup has them.
func TestBackupReadsTheLogOfAServerThatIsGone(t *testing.T) {
	r := newRig(t)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "key", "value") })
	dir := t.TempDir()
	orphan := filepath.Join(dir, "orphan.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := os.WriteFile(orphan+suffix, read(t, r.path+suffix), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dest := filepath.Join(t.TempDir(), "copy.db")
	if err := db.BackupFile(t.Context(), orphan, dest); err != nil {
		t.Fatal(err)
	}
	var value string
	inFile(t, dest, "SELECT value FROM settings WHERE key = 'key'", &value)
	same(t, "value", value, "value")
}
