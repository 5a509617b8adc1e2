package agent_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

var errEngine = errors.New("the engine does not answer")

// faultyRuntime fails every other call while it is told to, and breaks events off.
type faultyRuntime struct {
	agent.Runtime

	mu      sync.Mutex
	random  *rand.Rand
	failing bool
	stop    context.CancelFunc
}

func (f *faultyRuntime) fail(failing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failing = failing
	if f.stop != nil {
		f.stop()
	}
}

func (f *faultyRuntime) fault() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failing && f.random.IntN(2) == 0 {
		return errEngine
	}
	return nil
}

func (f *faultyRuntime) List(ctx context.Context) ([]agent.Container, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.Runtime.List(ctx)
}

func (f *faultyRuntime) Start(ctx context.Context, a fleet.Assignment) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.Runtime.Start(ctx, a)
}

func (f *faultyRuntime) Stop(ctx context.Context, id string, grace time.Duration) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.Runtime.Stop(ctx, id, grace)
}

func (f *faultyRuntime) Watch(ctx context.Context, changed func()) error {
	if err := f.fault(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.stop = cancel
	f.mu.Unlock()
	return f.Runtime.Watch(ctx, changed)
}

// muteRuntime does not say what it holds while it is told not to.
type muteRuntime struct {
	agent.Runtime
	mute atomic.Bool
}

func (m *muteRuntime) List(ctx context.Context) ([]agent.Container, error) {
	if m.mute.Load() {
		return nil, errEngine
	}
	return m.Runtime.List(ctx)
}

// countingRuntime counts the starts that fail.
type countingRuntime struct {
	agent.Runtime
	tries atomic.Int64
}

func (c *countingRuntime) Start(ctx context.Context, a fleet.Assignment) error {
	err := c.Runtime.Start(ctx, a)
	if err != nil {
		c.tries.Add(1)
	}
	return err
}

// pullingRuntime pulls for ever.
type pullingRuntime struct{ agent.Runtime }

func (p pullingRuntime) Start(ctx context.Context, _ fleet.Assignment) error {
	<-ctx.Done()
	return ctx.Err()
}

// lateRuntime shows a container before its Start answers.
type lateRuntime struct{ agent.Runtime }

func (l lateRuntime) Start(ctx context.Context, a fleet.Assignment) error {
	err := l.Runtime.Start(ctx, a)
	time.Sleep(time.Second)
	return err
}
