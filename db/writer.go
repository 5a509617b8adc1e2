package db

import (
	"errors"
	"fmt"
)

// maxGroup bounds how many closures share a commit, so that the first of them need not wait for ever, and how many wait
// in the queue: more are blocked before it, first come first served.
const maxGroup = 256

var errExited = errors.New("the closure ended its goroutine")

// writer owns the connection that writes. Its goroutine takes closures off the queue and commits in groups.
type writer struct {
	conn *conn
	opts Options
	// seal is given before the first closure runs.
	seal  *sealer
	queue chan *update
	stop  chan struct{}
	done  chan struct{}

	// running is the closure that has its turn, group those that had theirs and wait for the commit.
	running *update
	group   []*update
}

func newWriter(c *conn, o Options) *writer {
	return &writer{conn: c, opts: o, queue: make(chan *update, maxGroup), stop: make(chan struct{}), done: make(chan struct{})}
}

// close lets the group at work finish.
func (w *writer) close() {
	close(w.stop)
	<-w.done
}

// run serves the queue until close.
func (w *writer) run() {
	stopped := false
	defer func() {
		if stopped {
			close(w.done)
			return
		}
		// A closure called runtime.Goexit (testing's FailNow does): nothing of the group was committed.
		w.abandon(errExited)
		go w.run()
	}()
	for {
		select {
		case u := <-w.queue:
			for u != nil {
				u = w.commitGroup(u)
			}
		case <-w.stop:
			stopped = true
			return
		}
	}
}

// commitGroup runs the first closure and those that wait behind it in one transaction. It answers the closure that is
// to begin the next group, nil where nobody waits for that.
func (w *writer) commitGroup(first *update) *update {
	if _, err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		// Somebody else has the lock and kept it: those behind would only wait as long again.
		for u := first; u != nil; u = w.next() {
			if u.take() {
				w.group = append(w.group, u)
			}
		}
		w.answer(fmt.Errorf("begin writing: %w", writeError(err)))
		return nil
	}
	u := first
	for u != nil && len(w.group) < maxGroup && (!u.bulky || len(w.group) == 0) {
		if err := w.turn(u); err != nil {
			w.abandon(err)
			return nil
		}
		if len(w.group) == 0 {
			w.rollback() // it was alone, and failed
			return nil
		}
		u = w.next()
	}
	if err := w.commit(); err != nil {
		w.abandon(fmt.Errorf("commit: %w", writeError(err)))
	} else {
		w.answer(nil)
	}
	return u
}

// next closure that waits; nil where none does.
func (w *writer) next() *update {
	select {
	case u := <-w.queue:
		return u
	default:
		return nil
	}
}

// turn runs one closure. Its own error is its caller's affair alone; the error that turn answers means that the whole
// transaction is lost.
//
// The first of a group needs no savepoint, for its failure takes nobody else's writes along. That matters because inside
// a savepoint SQLite keeps a copy of each page before its first change: half the time of a write of a thousand rows.
func (w *writer) turn(u *update) error {
	if !u.take() {
		return nil
	}
	tx := &Tx{conn: w.conn, now: w.opts.Now, seal: w.seal, writes: true}
	shared := len(w.group) > 0
	if shared {
		if _, err := w.conn.exec("SAVEPOINT closure"); err != nil {
			w.group = append(w.group, u)
			return fmt.Errorf("begin closure: %w", writeError(err))
		}
	}
	w.running = u
	u.call(tx)
	w.running = nil
	failed := u.err != nil || u.panicked != nil
	if shared && tx.broken == nil {
		tx.broken = w.endShared(failed)
	}
	if failed {
		close(u.answered)
	} else {
		w.group = append(w.group, u)
	}
	return tx.broken
}

// endShared keeps what the closure wrote, or takes it back.
func (w *writer) endShared(failed bool) error {
	if failed {
		if _, err := w.conn.exec("ROLLBACK TO closure"); err != nil {
			return fmt.Errorf("take closure back: %w", writeError(err))
		}
	}
	if _, err := w.conn.exec("RELEASE closure"); err != nil {
		return fmt.Errorf("end closure: %w", writeError(err))
	}
	return nil
}

// commit counts the commit, see the table store, and makes the group durable.
func (w *writer) commit() error {
	if _, err := w.conn.exec("UPDATE store SET sequence = sequence + 1, written_at = max(written_at, ?) WHERE id = 1", millis(w.opts.Now())); err != nil {
		return err
	}
	_, err := w.conn.exec("COMMIT")
	return err
}

// abandon rolls back and tells everyone in the group.
func (w *writer) abandon(err error) {
	w.rollback()
	if w.running != nil {
		w.group = append(w.group, w.running)
		w.running = nil
	}
	w.answer(err)
}

// rollback ends the transaction. SQLite may have ended it already, and then says so: nothing is left to do.
func (w *writer) rollback() { _, _ = w.conn.exec("ROLLBACK") }

// answer tells the group how it went.
func (w *writer) answer(err error) {
	for i, u := range w.group {
		u.err = err
		close(u.answered)
		w.group[i] = nil
	}
	w.group = w.group[:0]
}
