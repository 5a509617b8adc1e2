package agent

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"odysseus/fleet"
)

const (
	// mostStarts bounds how many containers are started at the same time. Stops are not bounded: they wait for
	// graces, not for the machine.
	mostStarts = 8
	// listTimeout bounds how long an engine may take to say what it holds.
	listTimeout = 30 * time.Second
)

// watch tells carry that something changed in the engine.
func (a *Agent) watch(ctx context.Context) {
	broken := condition{log: a.log}
	retry := backoff{random: a.random}
	for ctx.Err() == nil {
		err := a.runtime.Watch(ctx, func() {
			broken.over(ctx, "the runtime's events arrive again")
			retry.reset()
			mark(a.wake)
		})
		if ctx.Err() != nil {
			return
		}
		broken.begins(ctx, slog.LevelWarn, "the runtime's events broke off", err)
		retry.limit = a.every()
		if !a.wait(ctx, retry.next()) {
			return
		}
	}
}

// carrier makes the runtime agree with the list. One goroutine owns it; only the operations run beside.
type carrier struct {
	*Agent
	state  *state
	notes  map[string]*note
	held   map[string]*Container
	abort  map[string]context.CancelFunc
	starts int
	// results are operations that came to their end.
	results chan result
	running sync.WaitGroup
	broken  condition
	retry   backoff
}

type result struct {
	id  string
	op  operation
	err error
}

// carry looks again whenever the list, the runtime or an operation says so, when something is due, and once a
// heartbeat in any case: what an engine forgot to tell is found then.
func (a *Agent) carry(ctx context.Context, s *state) {
	c := &carrier{Agent: a, state: s, notes: map[string]*note{}, abort: map[string]context.CancelFunc{}, results: make(chan result),
		broken: condition{log: a.log}, retry: backoff{random: a.random}}
	kept, err := s.notes()
	if err != nil {
		a.log.WarnContext(ctx, "restarts are counted from 0 again", "error", err)
	}
	for id, r := range kept {
		c.notes[id] = &note{record: r, started: true}
	}
	for ctx.Err() == nil {
		pause := c.turn(ctx)
		select {
		case <-ctx.Done():
		case <-a.wake:
		case <-a.clock.After(pause):
		case r := <-c.results:
			c.finish(ctx, r)
		}
		c.finishAll(ctx)
	}
	c.end()
}

// turn looks once, and answers how long nothing more is due by itself.
func (c *carrier) turn(ctx context.Context) time.Duration {
	list, cancel := context.WithTimeout(ctx, listTimeout)
	have, err := c.runtime.List(list)
	cancel()
	if err != nil {
		// Nothing is known, so nothing is done or said anew.
		if ctx.Err() == nil {
			c.broken.begins(ctx, slog.LevelError, "the runtime does not say what it holds", err)
		}
		c.retry.limit = c.every()
		return c.retry.next()
	}
	c.broken.over(ctx, "the runtime says again what it holds")
	c.retry.reset()
	want, listed := c.assigned()
	if !listed {
		return c.every() // what runs keeps running until a list says otherwise
	}
	now := c.clock.Now()
	c.see(ctx, have, want, now)
	p := reconcile(have, want, c.notes, now)
	for _, act := range p.actions {
		c.do(ctx, act)
	}
	c.publish(reports(have, want, c.notes))
	if p.next.IsZero() {
		return c.every()
	}
	return min(p.next.Sub(now), c.every())
}

// see brings the notes up to date, forgets those of containers that neither the list nor the runtime holds, and
// keeps what has to outlive the process.
func (c *carrier) see(ctx context.Context, have []Container, want []fleet.Assignment, now time.Time) {
	before := c.records()
	c.held = byID(have)
	alive := map[string]bool{}
	for _, w := range want {
		alive[w.ID] = true
		c.note(w.ID).seen(c.held[w.ID], w, now)
	}
	maps.DeleteFunc(c.notes, func(id string, n *note) bool { return !alive[id] && c.held[id] == nil && n.busy == nothing })
	c.keep(ctx, before)
}

// records of what an engine would not tell after the agent's restart.
func (c *carrier) records() map[string]record {
	out := map[string]record{}
	for id, n := range c.notes {
		if n.Restarts > 0 || n.Ended != nil {
			out[id] = n.record
		}
	}
	return out
}

func (c *carrier) keep(ctx context.Context, before map[string]record) {
	after := c.records()
	if maps.Equal(before, after) {
		return
	}
	if err := c.state.keepNotes(after); err != nil {
		c.log.WarnContext(ctx, "cannot keep how often containers restarted", "error", err)
	}
}

func (c *carrier) note(id string) *note {
	n := c.notes[id]
	if n == nil {
		n = &note{}
		c.notes[id] = n
	}
	return n
}

// do begins an action; what it comes to arrives in results.
func (c *carrier) do(ctx context.Context, a action) {
	switch a.do {
	case actAbort:
		c.abort[a.id]()
	case actStop:
		c.log.InfoContext(ctx, "stopping container", "container", a.id, "grace", a.grace)
		c.begin(ctx, a.id, stopping, func(ctx context.Context) error { return c.runtime.Stop(ctx, a.id, a.grace) })
	case actStart:
		if c.starts >= mostStarts {
			return // the next that is done makes room
		}
		c.starts++
		c.log.InfoContext(ctx, "starting container", "container", a.id, "image", oneLine(a.assignment.Image, mostText))
		c.begin(ctx, a.id, starting, func(ctx context.Context) error { return c.runtime.Start(ctx, a.assignment) })
	}
}

func (c *carrier) begin(ctx context.Context, id string, op operation, call func(context.Context) error) {
	c.note(id).begins(op, c.held[id])
	ctx, cancel := context.WithCancel(ctx)
	c.abort[id] = cancel
	c.running.Go(func() {
		defer cancel()
		c.results <- result{id, op, call(ctx)}
	})
}

// finishAll takes every result that is there, so that one look serves them all.
func (c *carrier) finishAll(ctx context.Context) {
	for {
		select {
		case r := <-c.results:
			c.finish(ctx, r)
		default:
			return
		}
	}
}

func (c *carrier) finish(ctx context.Context, r result) {
	delete(c.abort, r.id)
	if r.op == starting {
		c.starts--
	}
	if r.err != nil && !errors.Is(r.err, context.Canceled) {
		c.log.WarnContext(ctx, "the runtime cannot do it", "container", r.id, "error", oneLine(r.err.Error(), mostText))
	}
	before := c.records()
	c.note(r.id).done(r.op, r.err, c.clock.Now())
	c.keep(ctx, before)
}

// end waits for the operations under way, which the end of the context cuts short.
func (c *carrier) end() {
	done := make(chan struct{})
	go func() { c.running.Wait(); close(done) }()
	for {
		select {
		case <-c.results:
		case <-done:
			return
		}
	}
}
