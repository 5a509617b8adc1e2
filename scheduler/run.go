package scheduler

import (
	"context"
	"slices"
	"strings"
	"time"
)

// How long Run waits after a failed commit: doubling from the first to the last.
const (
	firstBackOff = 50 * time.Millisecond
	lastBackOff  = 5 * time.Second
)

// Run decides, commits and watches the leases until ctx ends. It is the one background goroutine of the package.
func (s *Scheduler) Run(ctx context.Context) error {
	var (
		backOff = firstBackOff
		timer   <-chan time.Time
		due     time.Duration
	)
	for {
		worked, err := s.step(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.log.Error("cannot store what was decided; trying again", "error", err, "in", backOff)
			s.narrow()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-s.after(backOff):
			}
			backOff = min(2*backOff, lastBackOff)
			continue
		}
		backOff = firstBackOff
		if worked {
			s.widen()
			continue
		}
		if at, in := s.due(); timer == nil || at < due {
			timer, due = s.after(in), at
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kick:
		case <-timer:
			timer = nil
		}
	}
}

// due is when something is to be done next, on the leases' time and from now on.
func (s *Scheduler) due() (at, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.picture.lease.at(s.now())
	if now >= s.nextResync {
		s.nextResync = now + s.resync
		s.lookAround()
	}
	at = s.nextResync
	if next, any := s.picture.lease.next(); any {
		at = min(at, next)
	}
	if next, any := s.picture.nextRing(); any {
		at = min(at, next)
	}
	// Leases have to see time pass in steps shorter than they take for a jump.
	at = min(at, now+s.picture.lease.length)
	return at, max(time.Millisecond, at-now)
}

// lookAround queues what waits and what the store once knew better: the resync.
func (s *Scheduler) lookAround() {
	p := s.picture
	var again []*deployment
	for _, d := range p.deployments {
		if d.group != nil || d.stale {
			d.stale = false
			again = append(again, d)
		}
	}
	slices.SortFunc(again, func(a, b *deployment) int { return strings.Compare(a.uid, b.uid) })
	for _, d := range again {
		p.enqueue(d)
	}
	s.wakeRun()
}

// narrow makes commits smaller after a failure, widen larger after a success.
func (s *Scheduler) narrow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = max(1, s.batch/8)
}

func (s *Scheduler) widen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = min(maxDecisions, 2*s.batch)
}

// Settled waits until nothing is left to decide or to store: what is due by the clock included. Deployments that
// wait for something to change are at rest. It needs Run.
func (s *Scheduler) Settled(ctx context.Context) error {
	s.mu.Lock()
	s.picture.lease.at(s.now())
	s.picture.expire()
	rest := make(chan struct{})
	s.waiters = append(s.waiters, rest)
	s.unlock()
	select {
	case <-rest:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rested tells those who wait that there is nothing to do.
func (s *Scheduler) rested() {
	if s.committing || s.picture.queue.len() > 0 {
		return
	}
	for i, w := range s.waiters {
		close(w)
		s.waiters[i] = nil
	}
	s.waiters = s.waiters[:0]
}
