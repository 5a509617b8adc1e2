package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// applicationID is "Odys" in the file's header: see the first migration.
const applicationID = 0x4f647973

// How closely inspect looks. quickCheck reads every page and finds what is torn, overwritten or cut off; fullCheck
// also compares every index with its table, which takes several times as long.
const (
	quickCheck = "PRAGMA quick_check(1)"
	fullCheck  = "PRAGMA integrity_check(1)"
)

// state is what a database file says of itself.
type state struct {
	// Empty: no file, or one in which nothing was ever stored.
	Empty     bool
	Schema    int64
	Sequence  int64
	WrittenAt time.Time
}

// inspect looks at a file without changing it: ErrCorrupt, ErrForeign or *SchemaError where this release must not
// work on it. The caller holds the file's lock, or reads beside the one who does.
func inspect(ctx context.Context, path, check string) (s state, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0:
		// Opening it would throw the log away, which may hold what a file that was moved without it lacks.
		if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
			return state{}, fmt.Errorf("inspect database %s: %w: there is nothing in it, but in the log beside it", path, ErrCorrupt)
		}
		return state{Empty: true}, nil
	case err != nil:
		return state{}, fmt.Errorf("inspect database %s: %w", path, err)
	case info.IsDir():
		return state{}, fmt.Errorf("inspect database %s: %w: a folder", path, ErrForeign)
	}
	pool, err := sql.Open("sqlite", dsn(path, readOnly, defaultBusy))
	if err != nil {
		return state{}, fmt.Errorf("inspect database %s: %w", path, err)
	}
	pool.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, pool.Close()) }()
	if s, err = look(ctx, pool, path, check); err != nil {
		return state{}, fmt.Errorf("inspect database %s: %w", path, err)
	}
	return s, nil
}

// look is inspect on an open file. Whose file it is comes first: a foreign or newer one is none of our business.
func look(ctx context.Context, pool *sql.DB, path, check string) (state, error) {
	var tables, id int64
	err := pool.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM sqlite_schema), (SELECT application_id FROM pragma_application_id)").Scan(&tables, &id)
	switch {
	case err != nil:
		return state{}, readError(err)
	case tables == 0 && id == 0:
		return state{Empty: true}, nil
	case id != applicationID:
		return state{}, ErrForeign
	}
	s := state{}
	if err := pool.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&s.Schema); err != nil {
		return state{}, readError(err)
	}
	known, err := newestSchema()
	if err != nil {
		return state{}, err
	}
	if s.Schema > known {
		return state{}, &SchemaError{Path: path, Version: s.Schema, Known: known}
	}
	var verdict string
	if err := pool.QueryRowContext(ctx, check).Scan(&verdict); err != nil {
		return state{}, readError(err)
	}
	if verdict != "ok" {
		return state{}, fmt.Errorf("%w: %s", ErrCorrupt, verdict)
	}
	var written int64
	if err := pool.QueryRowContext(ctx, "SELECT sequence, written_at FROM store WHERE id = 1").Scan(&s.Sequence, &written); err != nil {
		return state{}, readError(err)
	}
	s.WrittenAt = timeOf(written)
	return s, nil
}
