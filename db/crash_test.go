package db_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"odysseus/db"
)

// crashFile names the database of the child that TestKilledWriter starts, and makes it that child.
const crashFile = "ODYSSEUS_TEST_CRASH_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashFile); path != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(path))
		os.Exit(1) // it was to be killed
	}
	os.Exit(m.Run())
}

// writeUntilKilled writes from many goroutines and prints the name of each write that was acknowledged.
func writeUntilKilled(path string) error {
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		return err
	}
	failed := make(chan error)
	var printing sync.Mutex
	for caller := range 16 {
		go func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%d/%d", caller, n)
				err := d.Update(context.Background(), func(tx *db.Tx) error {
					if err := tx.PutSetting(context.Background(), key+"/a", key); err != nil {
						return err
					}
					return tx.PutSetting(context.Background(), key+"/b", key)
				})
				if err != nil {
					failed <- err
					return
				}
				printing.Lock()
				fmt.Println(key)
				printing.Unlock()
			}
		}()
	}
	return <-failed
}

// Killed at any moment, a server has lost nothing that it acknowledged and left nothing half-written, and its lock is
// free at once.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odysseus.db")
	for round := range 3 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), crashFile+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		var acknowledged []string
		for lines := bufio.NewScanner(out); lines.Scan(); {
			acknowledged = append(acknowledged, lines.Text())
			if len(acknowledged) == 200*(round+1) {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended: %v", err)
		}
		d, err := db.Open(t.Context(), path, db.Options{})
		if err != nil {
			t.Fatalf("open after the kill: %v", err)
		}
		err = d.View(t.Context(), func(tx *db.Tx) error {
			for _, key := range acknowledged {
				for _, half := range []string{"/a", "/b"} {
					if value, err := tx.Setting(t.Context(), key+half); err != nil || value != key {
						t.Errorf("acknowledged %s%s = %q, %v", key, half, value, err)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		whole(t, path)
	}
}

// whole fails where a database holds half of a pair of settings KEY/a and KEY/b, and answers how many pairs there are.
func whole(t *testing.T, path string) int {
	t.Helper()
	var pairs, halves int
	inFile(t, path, "SELECT count(*) FROM settings WHERE key LIKE '%/a'", &pairs)
	inFile(t, path, `SELECT count(*) FROM settings WHERE key LIKE '%/_' AND value <> coalesce(
		(SELECT value FROM settings o WHERE o.key = substr(settings.key, 1, length(settings.key) - 1) || iif(settings.key LIKE '%/a', 'b', 'a')), '')`, &halves)
	if halves > 0 {
		t.Errorf("%s holds %d halves of %d writes", path, halves, pairs)
	}
	return pairs
}
