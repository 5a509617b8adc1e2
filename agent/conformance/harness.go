package conformance

import (
	"context"
	"testing"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// Harness is what the suite has to know of a runtime. All of it is required.
type Harness struct {
	// Open answers the runtime of a node, as an agent that starts would make it; every call reaches the same engine.
	Open func(t *testing.T, node string) agent.Runtime
	// Runs is an assignment that runs until it is stopped; the suite gives it its ID.
	Runs fleet.Assignment
	// Ends is one that ends at once with an exit code.
	Ends func(exitCode int) fleet.Assignment
	// Stubborn is one that ends only by force.
	Stubborn fleet.Assignment
	// Fails is one whose image cannot be had.
	Fails fleet.Assignment
	// Kill ends a container behind the runtime's back, with an exit code other than 0; Remove takes it away.
	Kill   func(t *testing.T, node, id string)
	Remove func(t *testing.T, node, id string)
	// Within is how long the suite waits for an event before it fails.
	Within time.Duration
}

// bench is one test's view of a runtime.
type bench struct {
	*testing.T
	Harness
	node    string
	runtime agent.Runtime
	events  <-chan struct{}
}

// open gives a test its node and watches it.
func (h Harness) open(t *testing.T, node string) *bench {
	t.Helper()
	b := &bench{T: t, Harness: h, node: node, runtime: h.Open(t, node)}
	b.events = watch(t, b.runtime)
	t.Cleanup(func() {
		for _, c := range b.list(context.WithoutCancel(t.Context())) {
			if err := b.runtime.Stop(context.WithoutCancel(t.Context()), c.ID, 0); err != nil {
				t.Errorf("clear away %s: %v", c.ID, err)
			}
		}
	})
	return b
}

// watch answers a mark for every change, and sees that Watch ends with the test.
func watch(t *testing.T, r agent.Runtime) <-chan struct{} {
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		if err := r.Watch(ctx, func() {
			select {
			case events <- struct{}{}:
			default:
			}
		}); ctx.Err() == nil {
			t.Errorf("Watch ended before its context: %v", err)
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return events
}

func (b *bench) list(ctx context.Context) []agent.Container {
	b.Helper()
	have, err := b.runtime.List(ctx)
	if err != nil {
		b.Fatalf("List: %v", err)
	}
	return have
}

// find is nil where the runtime does not hold the container.
func (b *bench) find(id string) *agent.Container {
	b.Helper()
	var found *agent.Container
	for _, c := range b.list(b.Context()) {
		if c.ID == id {
			if found != nil {
				b.Fatalf("List answers %s twice", id)
			}
			found = &c
		}
	}
	return found
}

// await looks at each event until the container is as wanted.
func (b *bench) await(id, what string, is func(*agent.Container) bool) *agent.Container {
	b.Helper()
	late := time.After(b.Within)
	for {
		c := b.find(id)
		if is(c) {
			return c
		}
		select {
		case <-b.events:
		case <-late:
			b.Fatalf("%s: want %s within %v, have %+v", id, what, b.Within, c)
		}
	}
}

func (b *bench) awaitState(id string, s fleet.ContainerState) *agent.Container {
	b.Helper()
	return b.await(id, string(s), func(c *agent.Container) bool { return c != nil && c.State == s })
}

// start starts an assignment under an ID.
func (b *bench) start(a fleet.Assignment, id string) fleet.Assignment {
	b.Helper()
	a = named(a, id)
	if err := b.runtime.Start(b.Context(), a); err != nil {
		b.Fatalf("Start %s: %v", id, err)
	}
	return a
}

func (b *bench) stop(id string, grace time.Duration) {
	b.Helper()
	if err := b.runtime.Stop(b.Context(), id, grace); err != nil {
		b.Fatalf("Stop %s: %v", id, err)
	}
}

func named(a fleet.Assignment, id string) fleet.Assignment {
	a.ID, a.Namespace, a.Deployment, a.Revision = id, "conformance", "suite", 1
	return a
}
