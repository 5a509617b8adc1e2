package conformance

import (
	"context"
	"strings"
	"testing"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// Run runs the whole suite, each test on a node of its own.
func Run(t *testing.T, h Harness) {
	for _, test := range []struct {
		name string
		run  func(*bench)
	}{
		{"a-container-starts-and-runs", startsAndRuns},
		{"starting-what-runs-changes-nothing", startsOnce},
		{"what-ended-says-how-and-starts-again", endsAndStartsAgain},
		{"an-end-from-outside-is-noticed", killed},
		{"what-was-removed-by-hand-is-gone-and-starts-again", removed},
		{"stopping-removes-it", stops},
		{"stopping-what-is-not-there-is-no-error", stopsNothing},
		{"what-does-not-end-is-ended-after-its-grace", stopsByForce},
		{"an-image-that-cannot-be-had-is-an-error-with-its-name", fails},
		{"an-agent-that-starts-again-finds-what-runs", adopts},
		{"another-nodes-containers-do-not-exist", isolated},
		{"an-ended-context-ends-the-calls", ends},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(h.open(t, test.name)) })
	}
}

func startsAndRuns(b *bench) {
	if have := b.list(b.Context()); len(have) != 0 {
		b.Fatalf("a new node holds %+v, want nothing", have)
	}
	a := b.Runs
	a.TerminationGracePeriodSeconds = 7
	b.start(a, "a-1")
	c := b.awaitState("a-1", fleet.StateRunning)
	if c.StartedAt.IsZero() || !c.EndedAt.IsZero() || c.ExitCode != 0 || c.OutOfMemory || c.Grace != 7*time.Second {
		b.Errorf("running container is %+v, want a start, no end and a grace of 7s", *c)
	}
	if b.runtime.Name() == "" {
		b.Error("the runtime has no name to enrol with")
	}
}

func startsOnce(b *bench) {
	a := b.start(b.Runs, "a-1")
	before := b.awaitState("a-1", fleet.StateRunning)
	b.start(a, a.ID)
	after := b.awaitState("a-1", fleet.StateRunning)
	if !after.StartedAt.Equal(before.StartedAt) {
		b.Errorf("started again at %v, want the one of %v untouched", after.StartedAt, before.StartedAt)
	}
	if have := b.list(b.Context()); len(have) != 1 {
		b.Errorf("the node holds %d containers, want 1", len(have))
	}
}

func endsAndStartsAgain(b *bench) {
	for _, code := range []int{0, 3} {
		id := "a-" + string(rune('0'+code))
		a := b.start(b.Ends(code), id)
		first := b.awaitState(id, fleet.StateExited)
		if first.ExitCode != code || first.OutOfMemory || first.EndedAt.IsZero() || first.EndedAt.Before(first.StartedAt) {
			b.Errorf("ended container is %+v, want exit code %d and an end after its start", *first, code)
		}
		b.start(a, id)
		b.await(id, "a second end", func(c *agent.Container) bool {
			return c != nil && c.State == fleet.StateExited && c.StartedAt.After(first.StartedAt)
		})
	}
}

func killed(b *bench) {
	b.start(b.Runs, "a-1")
	b.awaitState("a-1", fleet.StateRunning)
	b.Kill(b.T, b.node, "a-1")
	if c := b.awaitState("a-1", fleet.StateExited); c.ExitCode == 0 {
		b.Errorf("killed container is %+v, want an exit code", *c)
	}
}

func removed(b *bench) {
	a := b.start(b.Runs, "a-1")
	b.awaitState("a-1", fleet.StateRunning)
	b.Remove(b.T, b.node, "a-1")
	b.await("a-1", "nothing", func(c *agent.Container) bool { return c == nil })
	b.start(a, a.ID)
	b.awaitState("a-1", fleet.StateRunning)
}

func stops(b *bench) {
	b.start(b.Runs, "a-1")
	b.start(b.Runs, "a-2")
	b.start(b.Ends(0), "a-3")
	b.awaitState("a-1", fleet.StateRunning)
	b.awaitState("a-3", fleet.StateExited)
	b.stop("a-1", time.Minute)
	b.stop("a-3", time.Minute)
	if c := b.find("a-1"); c != nil {
		b.Errorf("stopped container is still there: %+v", *c)
	}
	if c := b.find("a-3"); c != nil {
		b.Errorf("ended container is still there after its stop: %+v", *c)
	}
	b.awaitState("a-2", fleet.StateRunning)
}

func stopsNothing(b *bench) {
	b.stop("a-1", time.Minute)
	b.start(b.Runs, "a-1")
	b.stop("a-1", 0)
	b.stop("a-1", 0)
}

func stopsByForce(b *bench) {
	b.start(b.Stubborn, "a-1")
	b.awaitState("a-1", fleet.StateRunning)
	b.stop("a-1", time.Second)
	if c := b.find("a-1"); c != nil {
		b.Errorf("it outlived its grace: %+v", *c)
	}
}

func fails(b *bench) {
	a := named(b.Fails, "a-1")
	err := b.runtime.Start(b.Context(), a)
	if err == nil || !strings.HasPrefix(err.Error(), "cannot pull image "+a.Image+": ") {
		b.Errorf("Start: %v, want %q and the engine's words", err, "cannot pull image "+a.Image+": ")
	}
	if c := b.find("a-1"); c != nil && c.State != fleet.StateAssigned && c.State != fleet.StateFailed {
		b.Errorf("what cannot start is %+v", *c)
	}
}

func adopts(b *bench) {
	a := b.start(b.Runs, "a-1")
	before := b.awaitState("a-1", fleet.StateRunning)
	again := b.open(b.T, b.node)
	after := again.find("a-1")
	if after == nil || *after != *before {
		b.Fatalf("found %+v, want %+v", after, *before)
	}
	again.start(a, a.ID)
	if c := again.find("a-1"); c == nil || !c.StartedAt.Equal(before.StartedAt) {
		b.Errorf("after Start it is %+v, want it untouched", c)
	}
	again.stop("a-1", 0)
	b.await("a-1", "nothing", func(c *agent.Container) bool { return c == nil })
}

func isolated(b *bench) {
	other := b.open(b.T, b.node+"-other")
	b.start(b.Runs, "a-1")
	b.awaitState("a-1", fleet.StateRunning)
	if have := other.list(b.Context()); len(have) != 0 {
		b.Errorf("another node sees %+v", have)
	}
	other.stop("a-1", 0)
	b.awaitState("a-1", fleet.StateRunning)
	other.start(b.Runs, "a-1")
	other.stop("a-1", 0)
	b.awaitState("a-1", fleet.StateRunning)
}

func ends(b *bench) {
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	if _, err := b.runtime.List(ctx); err == nil {
		b.Error("List with an ended context answers, want an error: an empty list would pass for the truth")
	}
	if err := b.runtime.Start(ctx, named(b.Runs, "a-1")); err == nil {
		b.Error("Start with an ended context answers, want an error")
	}
	if err := b.runtime.Watch(ctx, func() {}); err == nil {
		b.Error("Watch with an ended context answers without an error")
	}
}
