package db

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"odysseus/fleet"
)

var errWaited = errors.New("no turn in time; an Update inside an Update waits for itself")

// Update runs fn in a write transaction: with nil, everything that fn wrote is durable; with an error or a panic
// (raised again here), nothing of it is. Others may share the commit, each as if alone: only where the commit itself
// fails, or the disk is full, do they fail together. fn runs at most once, on the writer's goroutine, and all writes of
// the process wait for it, so it must not block on anything but its Tx. An Update inside fn would wait for itself:
// it answers fleet.ErrBusy after Options.Wait. A context that ends before fn's turn drops it; after the commit has begun,
// Update answers how that went.
func (d *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return d.writer.update(&update{ctx: ctx, fn: fn, answered: make(chan struct{})})
}

// Waiting is how many Updates wait for their turn, up to the length of the queue: what a slow disk shows first.
func (d *DB) Waiting() int { return len(d.writer.queue) }

// bulkUpdate is Update for closures that write a thousand rows.
func (d *DB) bulkUpdate(ctx context.Context, fn func(*Tx) error) error {
	return d.writer.update(&update{ctx: ctx, fn: fn, bulky: true, answered: make(chan struct{})})
}

func (w *writer) update(u *update) error {
	if err := w.await(u); err != nil {
		return err
	}
	if u.panicked != nil {
		panic(u.panicked)
	}
	return u.err
}

// await hands a closure over and waits until it is answered. An error means that it never had its turn.
func (w *writer) await(u *update) error {
	patience := time.NewTimer(w.opts.Wait)
	defer patience.Stop()
	queue := w.queue
	for {
		var gone error
		select {
		case queue <- u:
			queue = nil // once is enough: from here on, wait
		case <-u.answered:
			return nil
		case <-u.ctx.Done():
			gone = u.ctx.Err()
		case <-patience.C:
			gone = fmt.Errorf("%w: %w", fleet.ErrBusy, errWaited)
		case <-w.done:
			gone = ErrClosed
		}
		if gone != nil {
			if u.take() {
				return gone
			}
			<-u.answered // it has its turn, and how that ends is the truth
			return nil
		}
	}
}

// update is one closure on its way.
type update struct {
	ctx context.Context
	fn  func(*Tx) error
	// bulky closures always are the first of their group: see turn.
	bulky    bool
	err      error
	panicked any
	answered chan struct{}
	taken    atomic.Bool
}

// take decides who has the closure: the writer that is about to run it, or the caller who no longer waits. The first to
// ask has it.
func (u *update) take() bool { return u.taken.CompareAndSwap(false, true) }

// call runs the closure, unless its caller has gone, and keeps a panic for the goroutine that is to have it.
func (u *update) call(tx *Tx) {
	defer func() {
		tx.done = true
		u.panicked = recover()
	}()
	if u.err = u.ctx.Err(); u.err == nil {
		u.err = u.fn(tx)
	}
}
