package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup copies the database, as of one moment, to a file that does not exist yet, while everything else goes on. The
// copy is checked and on the disk before it gets its name, so a file of that name is a whole backup.
func (d *DB) Backup(ctx context.Context, dest string) error {
	return BackupFile(ctx, d.path, dest)
}

// BackupFile is Backup for whoever has no DB: it reads beside a server, or without one, and takes no lock.
func BackupFile(ctx context.Context, from, dest string) error {
	if err := backup(ctx, from, dest); err != nil {
		return fmt.Errorf("back up %s to %s: %w", from, dest, err)
	}
	return nil
}

func backup(ctx context.Context, from, dest string) (err error) {
	from, err = realPath(from)
	if err != nil {
		return err
	}
	if dest, err = filepath.Abs(dest); err != nil {
		return err // the driver's names are absolute
	}
	if _, err := os.Stat(from); err != nil {
		return err // sparing the caller SQLite's "unable to open database file"
	}
	if _, err := os.Lstat(dest); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	temp, err := copyBeside(ctx, from, dest)
	if err != nil {
		return err
	}
	// The name is taken by an empty file first, so that of two backups to one name only one succeeds.
	claim, err := os.OpenFile(dest, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := errors.Join(claim.Close(), os.Rename(temp, dest)); err != nil {
		return errors.Join(err, os.Remove(temp), os.Remove(dest))
	}
	return syncDir(filepath.Dir(dest))
}

// copyBeside writes a checked and synced copy of a database under a temporary name in the folder of dest, and answers
// that name. The source is opened for reading alone.
func copyBeside(ctx context.Context, from, dest string) (_ string, err error) {
	f, err := os.CreateTemp(filepath.Dir(dest), "."+filepath.Base(dest)+".*.tmp") // 0600
	if err != nil {
		return "", err
	}
	temp := f.Name()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	if err := f.Close(); err != nil {
		return "", err
	}
	if err := vacuumInto(ctx, from, temp); err != nil {
		return "", err
	}
	copied, err := inspect(ctx, temp, fullCheck)
	if err != nil {
		return "", err
	}
	if copied.Empty {
		return "", ErrForeign
	}
	return temp, syncFile(temp)
}

// vacuumInto copies by SQLite itself: one read transaction, whatever is in the log included. The destination is an
// empty file.
func vacuumInto(ctx context.Context, from, to string) (err error) {
	pool, err := openPool(ctx, from, readOnly, defaultBusy, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if _, err := pool.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy database: %w", writeError(err))
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
