package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
)

// Migrations are numbered files, forward only, never edited once released: add one at the end. Each runs in a
// transaction of its own that also records its number, so a crash leaves the schema at one step or the next.
//
//go:embed migrations/*.sql
var migrations embed.FS

// newestSchema is the highest version that this release can make.
func newestSchema() (int64, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("list migrations: %w", errors.Join(err, fs.ErrNotExist))
	}
	version, err := goose.NumericComponent(files[len(files)-1])
	if err != nil {
		return 0, fmt.Errorf("number migration %s: %w", files[len(files)-1], err)
	}
	return version, nil
}

// migrate brings a file up to the newest schema. The caller holds its lock and has inspected it.
func migrate(ctx context.Context, path string, busy time.Duration) (err error) {
	pool, err := openPool(ctx, path, readWrite, busy, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	provider, err := migrator(pool)
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate database %s: %w", path, writeError(err))
	}
	return nil
}

func migrator(pool *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, pool, dir, goose.WithDisableGlobalRegistry(true))
}
