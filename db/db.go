package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"modernc.org/sqlite"
)

const (
	defaultBusy = 5 * time.Second
	defaultWait = 10 * time.Second
)

// Options of Open; the zero value is for production.
type Options struct {
	// Readers at the same time. Default: one less than GOMAXPROCS, at least one. More do not read faster, they take
	// the processor from the writer: with as many readers as processors it writes a third, with twice as many a tenth.
	Readers int
	// BusyTimeout is how long a write waits while another process holds the write lock. Default: 5 s.
	BusyTimeout time.Duration
	// Wait is how long an Update waits for its turn before it answers fleet.ErrBusy. Default: 10 s.
	Wait time.Duration
	// KeyFile holds the key that the values of Secrets are sealed with. Default: the database's path and ".key".
	KeyFile string
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// forget takes a key that the database does not know in the place of its own: see ForgetSecrets.
	forget bool
}

func (o Options) withDefaults() Options {
	if o.Readers < 1 {
		o.Readers = max(1, runtime.GOMAXPROCS(0)-1)
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = defaultBusy
	}
	if o.Wait <= 0 {
		o.Wait = defaultWait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// DB is an open database: the only one on its file, until Close.
type DB struct {
	path     string
	opts     Options
	lock     *fileLock
	pools    []*sql.DB
	readers  chan *conn
	writer   *writer
	sessions *sql.DB
	seal     *sealer
	closed   chan struct{}
}

// Open locks, checks and migrates the file, creating it where there is none. It answers ErrLocked where another
// server runs on it; ErrCorrupt, ErrForeign or a *SchemaError, the file left as it is, where it must not be used.
// The context bounds the opening alone.
func Open(ctx context.Context, path string, o Options) (_ *DB, err error) {
	path, err = realPath(path)
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	// What every Linux distribution builds SQLite with, and this driver leaves to its user: a commit waits for its data and
	// not for the time stamps of the file, which takes half as long and keeps no less. The driver knows it for the process
	// as a whole, and not on every system; there fsync goes on.
	if _, err := sqlite.Fdatasync(true); err != nil && !errors.Is(err, sqlite.ErrFdatasyncUnavailable) {
		return nil, errors.Join(fmt.Errorf("choose how to sync: %w", err), lock.release())
	}
	d := &DB{path: path, opts: o.withDefaults(), lock: lock, closed: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.release())
		}
	}()
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	if err := d.connect(ctx); err != nil {
		return nil, err
	}
	if d.seal, err = d.openSealer(ctx); err != nil {
		return nil, err
	}
	d.writer.seal = d.seal
	go d.writer.run()
	return d, nil
}

// prepare makes sure of the file before any connection that could change it.
func (d *DB) prepare(ctx context.Context) error {
	found, err := inspect(ctx, d.path, quickCheck)
	if err != nil {
		return err
	}
	known, err := newestSchema()
	if err != nil {
		return err
	}
	if !found.Empty && found.Schema == known {
		return nil
	}
	// It holds hashes and tenants' specs: for its owner's eyes alone. SQLite gives the files beside it the same mode.
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("create database %s: %w", d.path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("create database %s: %w", d.path, err)
	}
	return migrate(ctx, d.path, d.opts.BusyTimeout)
}

func (d *DB) connect(ctx context.Context) error {
	write, err := d.pool(ctx, 1)
	if err != nil {
		return err
	}
	c, err := newConn(ctx, write)
	if err != nil {
		return err
	}
	d.writer = newWriter(c, d.opts)
	read, err := d.pool(ctx, d.opts.Readers)
	if err != nil {
		return err
	}
	d.readers = make(chan *conn, d.opts.Readers)
	for range d.opts.Readers {
		c, err := newConn(ctx, read)
		if err != nil {
			return err
		}
		d.readers <- c
		if _, err := c.exec("PRAGMA query_only = ON"); err != nil {
			return fmt.Errorf("open reader: %w", err)
		}
	}
	d.sessions, err = d.pool(ctx, 1)
	return err
}

func (d *DB) pool(ctx context.Context, n int) (*sql.DB, error) {
	p, err := openPool(ctx, d.path, readWrite, d.opts.BusyTimeout, n)
	if err == nil {
		d.pools = append(d.pools, p)
	}
	return p, err
}

// View runs fn in a read transaction: all it reads is of one moment. The transaction keeps the WAL from being
// reset while it lasts, so fn must not wait for anything slow, a client least of all. Readers are few: a View inside
// a View can wait for itself.
func (d *DB) View(ctx context.Context, fn func(*Tx) error) (err error) {
	var c *conn
	select {
	case c = <-d.readers:
	case <-d.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.readers <- c }()
	if _, err := c.exec("BEGIN"); err != nil {
		return fmt.Errorf("begin reading: %w", readError(err))
	}
	tx := &Tx{conn: c, now: d.opts.Now, seal: d.seal}
	defer func() {
		tx.done = true
		if _, ending := c.exec("ROLLBACK"); ending != nil && err == nil {
			err = fmt.Errorf("end reading: %w", readError(ending))
		}
	}()
	return fn(tx)
}

// Close waits for the transactions that run, refuses new ones and frees the lock. Closing twice is an error.
func (d *DB) Close() error {
	select {
	case <-d.closed:
		return ErrClosed
	default:
		close(d.closed)
	}
	d.writer.close()
	for range cap(d.readers) {
		c := <-d.readers
		_ = c.close() // a reader has nothing to lose
	}
	return d.release()
}

// release closes what Open has opened. Closing the last connection checkpoints the WAL and removes it.
func (d *DB) release() error {
	var errs []error
	if d.writer != nil {
		errs = append(errs, d.writer.conn.close())
	}
	for _, p := range d.pools {
		errs = append(errs, p.Close())
	}
	return errors.Join(append(errs, d.lock.release())...)
}
