package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// conn is one connection with its prepared statements. The set of query texts is small and fixed (filters add a few
// combinations each), so the cache needs no bound. Not safe for concurrent use.
type conn struct {
	sql   *sql.Conn
	stmts map[string]*sql.Stmt
}

func newConn(ctx context.Context, pool *sql.DB) (*conn, error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("take a connection: %w", writeError(err))
	}
	return &conn{sql: c, stmts: map[string]*sql.Stmt{}}, nil
}

// stmt prepares a query once.
func (c *conn) stmt(query string) (*sql.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	s, err := c.sql.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// exec runs a statement that answers no rows.
//
// No statement is ever given the caller's context: SQLite answers an interrupt inside a write by rolling the WHOLE
// transaction back, which here is other callers' too. Tx looks at the context between statements instead; each of
// them is short, or streams rows and looks at every one.
func (c *conn) exec(query string, args ...any) (sql.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), args...)
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.sql.Close())...)
}
