package simulated

import (
	"context"
	"errors"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// Runtime is an engine's share of one node.
type Runtime struct {
	engine *Engine
	share  *share
}

var _ agent.Runtime = (*Runtime)(nil)

// Name says that nothing really runs.
func (r *Runtime) Name() string { return fleet.RuntimeSimulated }

// List answers the node's containers, by ID.
func (r *Runtime) List(ctx context.Context) ([]agent.Container, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	return r.share.list(r.engine.options.Clock.Now()), nil
}

// Start starts a container that does not run; it is starting for as long as the engine's options say.
func (r *Runtime) Start(ctx context.Context, a fleet.Assignment) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	now := r.engine.options.Clock.Now()
	if c := r.share.containers[a.ID]; c != nil && !c.ended(now) {
		return nil
	}
	b := r.engine.options.Behave(a)
	if b.Failure != "" {
		return errors.New(b.Failure)
	}
	r.share.containers[a.ID] = newContainer(a, b, now, r.engine.options.StartAfter)
	r.share.tell()
	return nil
}

// Stop ends a container and removes it once it has ended.
func (r *Runtime) Stop(ctx context.Context, id string, grace time.Duration) error {
	c, left := r.stop(id, grace)
	if c == nil {
		return nil
	}
	if left > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.engine.options.Clock.After(left):
		}
	}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	if r.share.containers[id] == c {
		delete(r.share.containers, id)
		r.share.tell()
	}
	return nil
}

// stop begins the end of a container, nil where there is none, and says how long it will take.
func (r *Runtime) stop(id string, grace time.Duration) (*container, time.Duration) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	now := r.engine.options.Clock.Now()
	c := r.share.containers[id]
	if c == nil || c.ended(now) {
		return c, 0
	}
	if after := r.engine.options.StopAfter; after <= grace && !c.behaviour.Stubborn {
		c.end(now.Add(after), 0)
	} else {
		c.end(now.Add(grace), forced)
	}
	return c, c.endsAt.Sub(now)
}

// Watch tells of changes until ctx ends.
func (r *Runtime) Watch(ctx context.Context, changed func()) error {
	for {
		outside, left := r.look()
		changed() // the first time, and for what happened between two looks
		var due <-chan time.Time
		if left > 0 {
			due = r.engine.options.Clock.After(left)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-outside:
		case <-due:
		}
	}
}

// look answers what tells of the next change from outside, and how long it is until one comes with time.
func (r *Runtime) look() (<-chan struct{}, time.Duration) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	return r.share.changed, r.share.next(r.engine.options.Clock.Now())
}
