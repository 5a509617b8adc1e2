package agent

import (
	"time"

	"odysseus/fleet"
)

// operation is a call of the runtime that takes its time.
type operation int

const (
	nothing operation = iota
	starting
	stopping
)

// record is what the agent keeps of a container over its own restart, because no engine does.
type record struct {
	// Restarts counts the starts after the first.
	Restarts int `json:"restarts"`
	// Streak counts the restarts since the container last ran for freshAfter.
	Streak int `json:"streak"`
	// Ended is set where its restart policy leaves it ended: should somebody clear it away, it is not run again.
	Ended *ending `json:"ended,omitempty"`
}

// ending is how a container ended for good.
type ending struct {
	ExitCode    int       `json:"exitCode"`
	OutOfMemory bool      `json:"outOfMemory,omitempty"`
	StartedAt   time.Time `json:"startedAt"`
}

// note is what the agent knows of a container beside what the runtime and the list say.
type note struct {
	record
	// started says that it ran once: the next start is a restart.
	started bool
	// startedAt is when this process last started it.
	startedAt time.Time
	// downAt is when this process first saw that it no longer runs; zero while it runs. Taken from the agent's clock
	// and not the engine's, so that a clock that is set back keeps nothing down.
	downAt time.Time
	// busy is the operation under way.
	busy operation
	// again says that the start under way is a restart, and fresh that what it restarts ran long enough to begin
	// afresh. Both are settled when it begins: the runtime may show the new container before Start answers.
	again, fresh bool
	// failed is the operation that failed last, how often in a row, why, and when it is due again.
	failed   operation
	failures int
	failure  string
	retryAt  time.Time
}

// up says whether a container needs no starting.
func up(s fleet.ContainerState) bool {
	return s == fleet.StateStarting || s == fleet.StateRunning || s == fleet.StateUnhealthy
}

// restarts says whether the policy starts a container again that ended so. Policies: Always (what a manifest that
// says nothing gets), OnFailure, Never.
func restarts(policy string, c Container) bool {
	switch policy {
	case fleet.RestartNever:
		return false
	case fleet.RestartOnFailure:
		return c.ExitCode != 0 || c.OutOfMemory
	}
	return true
}

// restartDelay is how long a container stays down that was restarted streak times and then ran for so long.
func restartDelay(streak int, ran time.Duration) time.Duration {
	if streak == 0 || ran >= freshAfter {
		return 0
	}
	return doubled(firstRestart, streak-1, mostRestart)
}

// seen brings a note up to date with what the runtime holds; held is nil where it holds nothing.
func (n *note) seen(held *Container, w fleet.Assignment, now time.Time) {
	switch {
	case held != nil && up(held.State):
		n.started = true
		n.downAt = time.Time{}
	case held != nil && held.State == fleet.StateExited:
		n.started = true
		n.down(now)
		if !restarts(w.RestartPolicy, *held) {
			n.Ended = &ending{held.ExitCode, held.OutOfMemory, held.StartedAt}
		}
	case n.started:
		n.down(now)
	}
}

func (n *note) down(now time.Time) {
	if n.downAt.IsZero() {
		n.downAt = now
	}
}

// ran is how long it ran before it went down; for ever where nobody knows.
func (n *note) ran(held *Container) time.Duration {
	switch {
	case held != nil && held.State == fleet.StateExited && !held.StartedAt.IsZero() && !held.EndedAt.IsZero():
		return held.EndedAt.Sub(held.StartedAt)
	case n.startedAt.IsZero():
		return freshAfter
	}
	return n.downAt.Sub(n.startedAt)
}

// begins notes an operation that is about to start; held is what the runtime holds before it.
func (n *note) begins(op operation, held *Container) {
	n.busy = op
	if op == starting {
		n.again, n.fresh = n.started, restartDelay(1, n.ran(held)) == 0
	}
}

// done brings a note up to date with an operation that came to its end.
func (n *note) done(op operation, err error, now time.Time) {
	n.busy = nothing
	if err != nil {
		if n.failed != op {
			n.failures = 0
		}
		n.failed, n.failure = op, err.Error()
		n.retryAt = now.Add(doubled(firstRestart, n.failures, mostRestart))
		n.failures++
		return
	}
	n.failed, n.failures, n.failure, n.retryAt = nothing, 0, "", time.Time{}
	if op != starting {
		return
	}
	if n.again {
		n.Restarts++
		if n.fresh {
			n.Streak = 0
		}
		n.Streak++
	}
	n.started, n.startedAt, n.downAt = true, now, time.Time{}
}
