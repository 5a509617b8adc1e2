package simulated

import (
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// forced is the exit code of what was ended by force: 128 and SIGKILL.
const forced = 137

// container is what the engine holds. Its state is a function of the time.
type container struct {
	assignment fleet.Assignment
	behaviour  Behaviour
	startedAt  time.Time
	readyAt    time.Time
	// endsAt is when it ends or has ended, zero where nothing ends it.
	endsAt   time.Time
	exitCode int
}

func newContainer(a fleet.Assignment, b Behaviour, now time.Time, startAfter time.Duration) *container {
	c := &container{assignment: a, behaviour: b, startedAt: now, readyAt: now.Add(startAfter)}
	if b.Ends {
		c.endsAt, c.exitCode = c.readyAt.Add(b.EndsAfter), b.ExitCode
	}
	return c
}

func (c *container) ended(now time.Time) bool { return !c.endsAt.IsZero() && !c.endsAt.After(now) }

// end ends it at the given time, unless it ends before by itself.
func (c *container) end(at time.Time, exitCode int) {
	if c.endsAt.IsZero() || c.endsAt.After(at) {
		c.endsAt, c.exitCode = at, exitCode
	}
}

// next is the next time at which it changes by itself; zero for never.
func (c *container) next(now time.Time) time.Time {
	if c.readyAt.After(now) && (c.endsAt.IsZero() || c.endsAt.After(c.readyAt)) {
		return c.readyAt
	}
	if c.endsAt.After(now) {
		return c.endsAt
	}
	return time.Time{}
}

func (c *container) at(now time.Time) agent.Container {
	out := agent.Container{ID: c.assignment.ID, StartedAt: c.startedAt,
		Grace: time.Duration(c.assignment.TerminationGracePeriodSeconds) * time.Second}
	switch {
	case c.ended(now):
		out.State, out.EndedAt, out.ExitCode = fleet.StateExited, c.endsAt, c.exitCode
	case c.readyAt.After(now):
		out.State = fleet.StateStarting
	case c.behaviour.Unhealthy:
		out.State, out.Message = fleet.StateUnhealthy, "simulated health check fails"
	default:
		out.State = fleet.StateRunning
	}
	return out
}
