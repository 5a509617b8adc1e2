package db

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// flock takes the lock without waiting. The kernel frees it when the process dies, however it dies.
func flock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// syncDir does nothing: Windows opens no directory for writing, and NTFS journals renames.
func syncDir(string) error { return nil }
