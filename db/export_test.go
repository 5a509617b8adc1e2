package db

import "context"

// WriterPragma sets a pragma on the writer's connection, between two groups.
func (d *DB) WriterPragma(ctx context.Context, pragma string) error {
	return d.Update(ctx, func(tx *Tx) error {
		rows, err := tx.conn.sql.QueryContext(ctx, "PRAGMA "+pragma)
		if err != nil {
			return err
		}
		return rows.Close()
	})
}
