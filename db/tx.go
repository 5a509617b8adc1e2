package db

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

var errTxDone = errors.New("the transaction is over: its Tx was kept beyond the closure")

// Tx is one transaction, as View and Update hand it to their closure. It is good until the closure returns, on
// the goroutine that it was called on. Its methods are all queries that the control plane has: see control.Writer.
type Tx struct {
	conn *conn
	// now is the time of rows whose caller gives none.
	now func() time.Time
	// seal hides the values of Secrets in what is stored.
	seal   *sealer
	writes bool
	done   bool
	// broken is the error with which SQLite ended the transaction by itself. Without it, a closure that goes on
	// after such an error would write outside of any transaction.
	broken error
}

// ready refuses a transaction that is over, broken or whose caller has gone.
func (tx *Tx) ready(ctx context.Context) error {
	switch {
	case tx.done:
		return errTxDone
	case tx.broken != nil:
		return tx.broken
	}
	return ctx.Err()
}

// fail maps the driver's error and remembers one that ended the transaction.
func (tx *Tx) fail(err error) error {
	if err == nil {
		return nil
	}
	mapped := readError(err)
	if tx.writes {
		mapped = writeError(err)
		if breaks(err) {
			tx.broken = mapped
		}
	}
	return mapped
}

// exec runs a write and answers the number of rows that it changed.
func (tx *Tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := tx.ready(ctx); err != nil {
		return 0, err
	}
	res, err := tx.conn.exec(query, args...)
	if err != nil {
		if !tx.writes {
			return 0, writeError(err) // a write in a View: SQLITE_READONLY
		}
		return 0, tx.fail(err)
	}
	n, err := res.RowsAffected()
	return n, tx.fail(err)
}

// scanner is what *sql.Row and *sql.Rows have in common.
type scanner interface{ Scan(dest ...any) error }

// one scans the single row that a query answers; fleet.ErrNotFound where there is none.
func (tx *Tx) one(ctx context.Context, scan func(scanner) error, query string, args ...any) error {
	if err := tx.ready(ctx); err != nil {
		return err
	}
	s, err := tx.conn.stmt(query)
	if err != nil {
		return tx.fail(err)
	}
	return tx.fail(scan(s.QueryRowContext(context.Background(), args...)))
}

// value scans a single row of plain columns.
func (tx *Tx) value(ctx context.Context, query string, args []any, dest ...any) error {
	return tx.one(ctx, func(s scanner) error { return s.Scan(dest...) }, query, args...)
}

// each calls fn for every row until it answers false.
func (tx *Tx) each(ctx context.Context, query string, args []any, fn func(scanner) (bool, error)) (err error) {
	if err := tx.ready(ctx); err != nil {
		return err
	}
	s, err := tx.conn.stmt(query)
	if err != nil {
		return tx.fail(err)
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return tx.fail(err)
	}
	defer func() {
		if closing := rows.Close(); err == nil {
			err = tx.fail(closing)
		}
	}()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := fn(rows)
		if err != nil || !more {
			return tx.fail(err)
		}
	}
	return tx.fail(rows.Err())
}

// all scans every row of a query that is known to be short.
func all[T any](ctx context.Context, tx *Tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	err := tx.each(ctx, query, args, func(s scanner) (bool, error) {
		v, err := scan(s)
		out = append(out, v)
		return true, err
	})
	return out, err
}

// get scans the one row of a query.
func get[T any](ctx context.Context, tx *Tx, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var out T
	err := tx.one(ctx, func(s scanner) (err error) {
		out, err = scan(s)
		return err
	}, query, args...)
	return out, err
}

var _ scanner = (*sql.Rows)(nil)
