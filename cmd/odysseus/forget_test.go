package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// A backup says which key it needs, is not restored without it, and can be served again without what it sealed.
func TestTheKeyOfSecretsThroughBackupLossAndForgetting(t *testing.T) {
	dir := t.TempDir()
	database, key, copied := filepath.Join(dir, "odysseus.db"), filepath.Join(dir, "keys", "secrets"), filepath.Join(dir, "copy.db")
	if err := os.Mkdir(filepath.Dir(key), 0o700); err != nil {
		t.Fatal(err)
	}
	config := writeFile(t, "odysseus.yaml", "listen: 127.0.0.1:0\ndatabase: "+database+"\nsecrets: {key_file: "+key+"}\n")
	store, err := db.Open(t.Context(), database, db.Options{KeyFile: key})
	if err != nil {
		t.Fatal(err)
	}
	backUp := func(to string) string {
		t.Helper()
		code, stdout, stderr := command(t, "", nil, "backup", to, "--config", config)
		if code != 0 {
			t.Fatalf("backup: %d %s", code, stderr)
		}
		return stdout
	}
	if said := backUp(filepath.Join(dir, "early.db")); strings.Contains(said, key) {
		t.Errorf("without a Secret: %q", said)
	}
	err = store.Update(t.Context(), func(tx *db.Tx) error {
		_, err := tx.InsertResource(t.Context(), fleet.StoredResource{
			Resource: fleet.Resource{APIVersion: "v1", Kind: fleet.KindSecret, Name: "s", Object: []byte(`{"data":{"a":"b25l"}}`)}, UID: "uid",
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if said := backUp(copied); !strings.Contains(said, key) {
		t.Errorf("with a Secret: %q", said)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	refused := func(args ...string) {
		t.Helper()
		if code, _, stderr := command(t, "", nil, append(args, "--config", config)...); code == 0 || !strings.Contains(stderr, key) {
			t.Errorf("%v: %d %q, want the key file named", args, code, stderr)
		}
	}
	refused("forget-secrets") // nothing is lost
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	refused("restore", copied)
	refused("serve")
	code, stdout, stderr := command(t, "", nil, "forget-secrets", "--config", config)
	if code != 0 || !strings.Contains(stdout, "lost their values: 1\n") {
		t.Errorf("forget: %d %q %q", code, stdout, stderr)
	}
	if store, err = db.Open(t.Context(), database, db.Options{KeyFile: key}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
