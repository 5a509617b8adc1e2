package db

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"odysseus/fleet"
)

// What only the operator of the file meets. Match with errors.Is and errors.As.
var (
	// ErrLocked: another server runs on this file.
	ErrLocked = errors.New("the database is in use by a running server")
	// ErrCorrupt: the file is damaged. It was left as it is.
	ErrCorrupt = errors.New("the database file is damaged")
	// ErrForeign: a sound SQLite file, of some other program.
	ErrForeign = errors.New("not a database of this product")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("the database is closed")
)

// SchemaError refuses a file that a newer release has migrated.
type SchemaError struct {
	Path string
	// Version of the file's schema, and the newest that this release knows.
	Version, Known int64
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("database %s has schema version %d, this release knows up to %d: use a newer release", e.Path, e.Version, e.Known)
}

// NewerTargetError refuses to restore over a database that was written to after the backup was made.
type NewerTargetError struct {
	Target, Backup                 string
	TargetSequence, BackupSequence int64
	TargetWritten, BackupWritten   time.Time
}

func (e *NewerTargetError) Error() string {
	return fmt.Sprintf("database %s is newer than the backup %s: last written %s (sequence %d) against %s (sequence %d); move it away to restore all the same",
		e.Target, e.Backup, e.TargetWritten.Format(time.RFC3339), e.TargetSequence, e.BackupWritten.Format(time.RFC3339), e.BackupSequence)
}

// readError turns a driver's error into a sentinel, by SQLite's numeric code and never by its text.
func readError(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fleet.ErrNotFound
	}
	switch code(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %w", fleet.ErrBusy, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// writeError is readError for statements that write: the disk's and the constraints' answers too.
func writeError(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return fmt.Errorf("%w: %w", fleet.ErrExists, err)
	}
	switch code(err) & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", fleet.ErrFull, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%w: %w", fleet.ErrReadOnly, err)
	}
	return readError(err)
}

// refersError is for inserts: a row that refers to one that is not there is ErrNotFound.
func refersError(err error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY {
		return fmt.Errorf("%w: %w", fleet.ErrNotFound, err)
	}
	return err
}

// breaks says whether SQLite may have rolled the whole transaction back by itself with this error:
// "SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_INTERRUPT … might cause an automatic rollback"
// (sqlite.org/lang_transaction.html). A corrupt page ends it too.
func breaks(err error) bool {
	switch code(err) & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT:
		return true
	}
	return false
}

// code is SQLite's extended result code, 0 where err is not SQLite's.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
