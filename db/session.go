package db

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

// Sessions is a pool of one connection on the database's file, with the table sessions (token, data, expiry) that
// github.com/alexedwards/scs/sqlite3store works on. It waits for the writer as other processes would, by the busy
// timeout, and the writer waits for it; each of its writes is a commit of its own. Expired sessions are Trim's to
// remove, so the store's own clean-up can be left off. Close closes it.
func (d *DB) Sessions() *sql.DB { return d.sessions }

// Ping says whether the database answers and its file still is where it was.
func (d *DB) Ping(ctx context.Context) error {
	if _, err := os.Stat(d.path); err != nil {
		return fmt.Errorf("find database: %w", err)
	}
	err := d.View(ctx, func(tx *Tx) error {
		var sequence int64
		return tx.value(ctx, "SELECT sequence FROM store WHERE id = 1", nil, &sequence)
	})
	if err != nil {
		return fmt.Errorf("read database: %w", err)
	}
	return nil
}
