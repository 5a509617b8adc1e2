package agent_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

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
