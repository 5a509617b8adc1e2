package agent

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestStateKeepsWhatItWasGiven(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "state")
	s, err := openState(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, known, err := s.identity(); known || err != nil {
		t.Errorf("a new state knows somebody: %v, %v", known, err)
	}
	if notes, err := s.notes(); len(notes) != 0 || err != nil {
		t.Errorf("a new state holds %v, %v", notes, err)
	}
	id := identity{Node: "edge-1", Cluster: "canada", Credential: "secret"}
	notes := map[string]record{"u-1": {Restarts: 3, Streak: 1, Ended: &ending{ExitCode: 2, StartedAt: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}}}
	for range 2 {
		if err := s.keepIdentity(id); err != nil {
			t.Fatal(err)
		}
		if err := s.keepNotes(notes); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	again, err := openState(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if got, known, err := again.identity(); got != id || !known || err != nil {
		t.Errorf("identity %+v, %v, %v; want %+v", got, known, err, id)
	}
	if got, err := again.notes(); !reflect.DeepEqual(got, notes) || err != nil {
		t.Errorf("notes %+v, %v; want %+v", got, err, notes)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
	if len(entries) != 3 {
		t.Errorf("%d files, want lock, credential and containers alone", len(entries))
	}
}

func TestBrokenNotesAreSaidAndForgotten(t *testing.T) {
	s, err := openState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := os.WriteFile(filepath.Join(s.dir, notesFile), []byte(`{"u-1":`), 0o600); err != nil {
		t.Fatal(err)
	}
	notes, err := s.notes()
	if len(notes) != 0 || err == nil || !strings.Contains(err.Error(), notesFile) {
		t.Errorf("%v, %v; want nothing, and an error that names the file", notes, err)
	}
}

func TestTotalMemory(t *testing.T) {
	for meminfo, want := range map[string]int64{
		"MemTotal:       16384 kB\nMemFree: 1 kB\n": 16 << 20,
		"MemFree: 1 kB\nMemTotal: 1 kB\n":           1024,
		"MemTotal: many kB\n":                       0,
		"":                                          0,
	} {
		if got := totalMemory(strings.NewReader(meminfo)); got != want {
			t.Errorf("%q: %d, want %d", meminfo, got, want)
		}
	}
}
