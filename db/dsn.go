package db

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// How a connection is to be opened.
type access string

const (
	readWrite access = "rw"
	// readOnly promises never to change the file, not even by a checkpoint at close. It still needs to map the
	// -shm file beside it, for that is how readers of a WAL agree.
	readOnly access = "ro"
)

// dsn of a file. busy_timeout comes first, so that the pragmas after it wait too. synchronous=FULL: an acknowledged
// write survives power loss. A commit of the scheduler touches some hundred pages: checkpoints wait until a few of them
// share the work, and the log stays near 16 MB (wal_autocheckpoint counts pages of 4 KB). journal_size_limit gives disk space back after a reader kept the WAL from being reset.
func dsn(path string, mode access, busy time.Duration) string {
	q := url.Values{"mode": {string(mode)}, "_txlock": {"immediate"}}
	pragma := func(name, value string) { q.Add("_pragma", name+"("+value+")") }
	pragma("busy_timeout", fmt.Sprint(busy.Milliseconds()))
	if mode == readWrite {
		pragma("journal_mode", "WAL")
		pragma("journal_size_limit", "67108864")
		pragma("wal_autocheckpoint", "4000")
	}
	pragma("synchronous", "FULL")
	pragma("foreign_keys", "ON")
	pragma("temp_store", "MEMORY")
	pragma("cache_size", "-16000")
	return uri(path) + "?" + q.Encode()
}

// uri escapes what a file name may hold and a URI may not: ?, # and %.
func uri(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive's letter
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath()
}

// openPool opens a pool of at most n connections and makes sure of the first.
func openPool(ctx context.Context, path string, mode access, busy time.Duration, n int) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", dsn(path, mode, busy))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, writeError(err))
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close() // the ping's error says more
		return nil, fmt.Errorf("open database %s: %w", path, writeError(err))
	}
	return pool, nil
}
