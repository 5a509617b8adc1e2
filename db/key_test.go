package db_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"odysseus/db"
)

func TestLoadKeyMakesAKeyOnceForItsOwnerAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	key, err := db.LoadKey(path)
	is(t, "make", err, nil)
	same(t, "bytes", len(key), 32)
	same(t, "file", string(read(t, path)), base64.StdEncoding.EncodeToString(key)+"\n")
	info, err := os.Stat(path)
	is(t, "stat", err, nil)
	same(t, "mode", info.Mode().Perm(), fs.FileMode(0o600))
	again, err := db.LoadKey(path)
	same(t, "again", again, key)
	is(t, "again", err, nil)
	other, err := db.LoadKey(filepath.Join(dir, "other"))
	is(t, "another", err, nil)
	if bytes.Equal(key, other) {
		t.Error("two keys are the same")
	}
	same(t, "nothing is left", names(t, dir), []string{"key", "other"})
	is(t, "in a folder that is not there", second(db.LoadKey(filepath.Join(dir, "none", "key"))), fs.ErrNotExist)
}

func TestLoadKeyRefuses(t *testing.T) {
	sound := encoded(strings.Repeat("k", 32))
	for name, c := range map[string]struct {
		content string
		mode    fs.FileMode
		why     string
	}{
		"what the group may read": {sound, 0o640, "others may use it"},
		"what all may write":      {sound, 0o602, "others may use it"},
		"a key that is too short": {encoded("short"), 0o600, "32 bytes in base64"},
		"a key that is too long":  {encoded(strings.Repeat("k", 33)), 0o600, "32 bytes in base64"},
		"no base64":               {strings.Repeat("?", 44), 0o600, "32 bytes in base64"},
		"an empty file":           {"", 0o600, "32 bytes in base64"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "odysseus.db.key")
			write(t, path, []byte(c.content))
			if err := os.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			refusedKey(t, second(db.LoadKey(path)), path, c.why)
			refusedKey(t, second(db.Open(t.Context(), strings.TrimSuffix(path, ".key"), db.Options{})), path, c.why)
			same(t, "the file stays", string(read(t, path)), c.content)
		})
	}
}

// refusedKey fails where err does not name the key file and say why.
func refusedKey(t *testing.T, err error, path, why string) {
	t.Helper()
	var refused *db.KeyError
	if !errors.As(err, &refused) || refused.File != path || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want %s refused: %s", err, path, why)
	}
}

func TestDatabaseWithSecretsTakesNoOtherKey(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*testing.T, string)
		why   string
	}{
		"none":    {remove, "put it back"},
		"another": {func(t *testing.T, path string) { write(t, path, []byte(encoded(strings.Repeat("k", 32)))) }, "not the key that the database's Secrets are sealed with"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			key := r.path + ".key"
			r.store(secret("acme", "db", `{"data":{"a":"b25l"}}`))
			copied := filepath.Join(t.TempDir(), "copy.db")
			is(t, "backup", r.Backup(t.Context(), copied), nil)
			is(t, "the copy's key", db.CheckKey(t.Context(), copied, key), nil)
			is(t, "close", r.Close(), nil)
			kept := read(t, key)
			c.spoil(t, key)
			refusedKey(t, second(db.Open(t.Context(), r.path, db.Options{})), key, c.why)
			refusedKey(t, second(db.Open(t.Context(), r.path, db.Options{})), key, c.why) // nothing made it fit
			refusedKey(t, db.CheckKey(t.Context(), copied, key), key, c.why)
			write(t, key, kept)
			again := openRig(t, r.path, db.Options{})
			again.view(func(ctx context.Context, tx *db.Tx) error {
				got, _, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "db")
				same(t, "with its own again", got, map[string]string{"a": "one"})
				return err
			})
		})
	}
}

// Without a Secret there is nothing that a lost key takes along.
func TestDatabaseWithoutSecretsTakesAnyKey(t *testing.T) {
	r := newRig(t)
	r.store(configMap("acme", "plain", `{"data":{"a":"b"}}`))
	is(t, "close", r.Close(), nil)
	remove(t, r.path+".key")
	is(t, "check", db.CheckKey(t.Context(), r.path, r.path+".key"), nil)
	sealed, err := db.Sealed(t.Context(), r.path)
	same(t, "sealed", sealed, false)
	is(t, "sealed", err, nil)
	elsewhere := filepath.Join(t.TempDir(), "the-key")
	again := openRig(t, r.path, db.Options{KeyFile: elsewhere})
	again.store(secret("acme", "db", `{"data":{"a":"b25l"}}`))
	sealed, err = db.Sealed(t.Context(), r.path)
	same(t, "sealed now", sealed, true)
	is(t, "sealed now", err, nil)
	is(t, "close", again.Close(), nil)
	if _, err := os.Stat(r.path + ".key"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key was made where none is configured: %v", err)
	}
	refusedKey(t, second(db.Open(t.Context(), r.path, db.Options{})), r.path+".key", "put it back")
	once := openRig(t, r.path, db.Options{KeyFile: elsewhere})
	once.view(func(ctx context.Context, tx *db.Tx) error {
		got, _, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "db")
		same(t, "data", got, map[string]string{"a": "one"})
		return err
	})
}

func TestRestoredDatabaseOpensWithTheKeyThatWasKept(t *testing.T) {
	r := newRig(t)
	r.store(secret("acme", "db", `{"data":{"a":"b25l"}}`))
	copied := filepath.Join(t.TempDir(), "copy.db")
	is(t, "backup", r.Backup(t.Context(), copied), nil)
	same(t, "the copy stands alone", names(t, filepath.Dir(copied)), []string{"copy.db"})
	target := filepath.Join(t.TempDir(), "restored.db")
	write(t, target+".key", read(t, r.path+".key"))
	is(t, "restore", db.Restore(t.Context(), copied, target), nil)
	restored := openRig(t, target, db.Options{})
	restored.view(func(ctx context.Context, tx *db.Tx) error {
		got, ok, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "db")
		same(t, "data", got, map[string]string{"a": "one"})
		same(t, "there", ok, true)
		return err
	})
	is(t, "no file", db.CheckKey(t.Context(), filepath.Join(t.TempDir(), "none.db"), target+".key"), nil)
	is(t, "no database", db.CheckKey(t.Context(), target+".key", target+".key"), db.ErrCorrupt)
}
