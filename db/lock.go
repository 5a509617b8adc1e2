package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fileLock marks a database as served. It is a file of its own, FILE.lock, because on most systems closing any
// handle of the database file would also drop SQLite's own locks on it. The file stays behind when the lock is
// freed: deleting it would let two servers lock two different files of that name.
type fileLock struct{ file *os.File }

// lockFile takes the lock of a database; ErrLocked where another process, or this one, holds it.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock database %s: %w", path, err)
	}
	if err := flock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock database %s: %w", path, err), f.Close())
	}
	return &fileLock{f}, nil
}

func (l *fileLock) release() error { return l.file.Close() }

// realPath follows links, so that two names of one file share one lock.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find database %s: %w", path, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find database %s: %w", path, err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", fmt.Errorf("find folder of database %s: %w", path, err)
	}
	return filepath.Join(dir, filepath.Base(abs)), nil
}
