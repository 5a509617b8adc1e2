package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Files of the state directory.
const (
	lockFile     = "lock"
	identityFile = "credential.json"
	notesFile    = "containers.json"
)

// state is the state directory of one agent, locked for as long as it is open: two processes with one credential
// would fight over the node's containers.
type state struct {
	dir  string
	lock *os.File
}

// identity is who the node is. It is written once, at enrolment.
type identity struct {
	Node       string `json:"node"`
	Cluster    string `json:"cluster"`
	Credential string `json:"credential"`
}

// openState makes the directory where there is none, and sees that nobody else can read it and that it can be
// written: a credential that could not be kept would be lost together with its token.
func openState(dir string) (*state, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	if err := closeToOthers(dir); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open state directory %s: %w", dir, err)
	}
	if err := lockExclusively(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state directory %s: is another agent running on it? %w", dir, err), lock.Close())
	}
	return &state{dir: dir, lock: lock}, nil
}

// closeToOthers gives the directory mode 0700. One that holds other things than an agent's is refused instead: a
// state_dir of /etc must not close /etc.
func closeToOthers(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at state directory: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read state directory: %w", err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{lockFile, identityFile, notesFile}, e.Name()) {
			return fmt.Errorf("state directory %s has mode %04o and holds %q: give the agent a directory of its own, with mode 0700", dir, info.Mode().Perm(), e.Name())
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory needs the x bit
		return fmt.Errorf("close state directory: %w", err)
	}
	return nil
}

func (s *state) close() error {
	if err := s.lock.Close(); err != nil {
		return fmt.Errorf("unlock state directory: %w", err)
	}
	return nil
}

// identity is false where the agent has not enrolled yet.
func (s *state) identity() (identity, bool, error) {
	var id identity
	switch err := s.read(identityFile, &id); {
	case errors.Is(err, fs.ErrNotExist):
		return identity{}, false, nil
	case err != nil:
		return identity{}, false, err
	case id.Credential == "":
		return identity{}, false, fmt.Errorf("read %s: no credential in it", filepath.Join(s.dir, identityFile))
	}
	return id, true, nil
}

func (s *state) keepIdentity(id identity) error { return s.write(identityFile, id) }

// notes answers an empty map where none were kept.
func (s *state) notes() (map[string]record, error) {
	notes := map[string]record{}
	if err := s.read(notesFile, &notes); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return map[string]record{}, err
	}
	return notes, nil
}

func (s *state) keepNotes(notes map[string]record) error { return s.write(notesFile, notes) }

func (s *state) read(name string, v any) error {
	path := filepath.Join(s.dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// write replaces a file whole: after a crash at any point there is the old one or the new one.
func (s *state) write(name string, v any) (err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	f, err := os.CreateTemp(s.dir, name+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write state: %w", err), os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(s.dir, name)); err != nil {
		return err
	}
	return syncDir(s.dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
