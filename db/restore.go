package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Restore puts a backup in the place of a database. It refuses with ErrLocked where a server runs on the target; with
// *NewerTargetError where the target was written to after the backup was made; with ErrCorrupt, ErrForeign or
// *SchemaError where the backup must not be used, or the target is some other program's or a newer release's. Nothing
// is changed then. A target that is too damaged to be read is what backups are for: it is kept beside, with .damaged
// after its name.
func Restore(ctx context.Context, from, to string) error {
	if err := restore(ctx, from, to); err != nil {
		return fmt.Errorf("restore %s from %s: %w", to, from, err)
	}
	return nil
}

func restore(ctx context.Context, from, to string) (err error) {
	from, err = realPath(from)
	if err != nil {
		return err
	}
	to, err = realPath(to)
	if err != nil {
		return err
	}
	if from == to {
		return fs.ErrExist
	}
	if _, err := os.Stat(from); err != nil {
		return err
	}
	lock, err := lockFile(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	return replace(ctx, from, to)
}

// replace is Restore under the target's lock.
func replace(ctx context.Context, from, to string) (err error) {
	backup, err := inspect(ctx, from, fullCheck)
	if err != nil {
		return err
	}
	if backup.Empty {
		return fmt.Errorf("backup %s: %w", from, ErrForeign)
	}
	target, damage := inspect(ctx, to, quickCheck)
	if damage != nil && !errors.Is(damage, ErrCorrupt) {
		return damage
	}
	if damage == nil && !target.Empty && (target.Sequence > backup.Sequence || target.WrittenAt.After(backup.WrittenAt)) {
		return &NewerTargetError{
			Target: to, Backup: from, TargetSequence: target.Sequence, BackupSequence: backup.Sequence,
			TargetWritten: target.WrittenAt, BackupWritten: backup.WrittenAt,
		}
	}
	temp, err := copyBeside(ctx, from, to)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(temp))
		}
	}()
	if damage != nil {
		err = setAside(to)
	} else {
		err = settle(ctx, to)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temp, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// settle leaves a sound database without a log beside it: a log of the old file must never meet the new one. SQLite
// writes it into the file when the last connection closes, so a crash from here on still finds the old database whole.
func settle(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() > 0 {
		pool, err := openPool(ctx, path, readWrite, defaultBusy, 1)
		if err != nil {
			return err
		}
		// A checkpoint that cannot finish answers busy = 1 and no error.
		var busy, frames, moved int
		err = pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
		if err := errors.Join(err, pool.Close()); err != nil {
			return fmt.Errorf("write log into %s: %w", path, writeError(err))
		}
		if busy != 0 {
			return fmt.Errorf("write log into %s: %w", path, ErrLocked)
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(removeIfThere(path+"-wal"), removeIfThere(path+"-shm"))
}

// setAside keeps a damaged database and its log, which belongs to it, under another name.
func setAside(path string) error {
	kept, err := freeName(path + ".damaged")
	if err != nil {
		return err
	}
	for _, part := range []string{"", "-wal"} {
		if err := os.Rename(path+part, kept+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return removeIfThere(path + "-shm")
}

// freeName is name, or name with a number, so that no earlier file is overwritten.
func freeName(name string) (string, error) {
	for i := 1; ; i++ {
		free := name
		if i > 1 {
			free = fmt.Sprintf("%s-%d", name, i)
		}
		_, file := os.Lstat(free)
		_, log := os.Lstat(free + "-wal")
		switch {
		case errors.Is(file, fs.ErrNotExist) && errors.Is(log, fs.ErrNotExist):
			return free, nil
		case file != nil && !errors.Is(file, fs.ErrNotExist):
			return "", file
		}
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
