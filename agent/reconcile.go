package agent

import (
	"cmp"
	"slices"
	"time"

	"odysseus/fleet"
)

// action is one thing to do so that the runtime holds what the list says.
type action struct {
	do act
	id string
	// assignment is what to start.
	assignment fleet.Assignment
	// grace is how long what is stopped may take.
	grace time.Duration
}

type act string

const (
	actStart act = "start"
	actStop  act = "stop"
	// actAbort gives up a start that is under way: what came of it is stopped afterwards.
	actAbort act = "abort"
)

// mostRemovedDelay bounds how long a container stays away that somebody keeps removing: what was removed by hand
// starts again within a heartbeat.
const mostRemovedDelay = 5 * time.Second

// plan is what to do now, by ID, and when there will be more to do by itself; zero where never.
type plan struct {
	actions []action
	next    time.Time
}

func (p *plan) later(due time.Time) {
	if p.next.IsZero() || due.Before(p.next) {
		p.next = due
	}
}

// reconcile compares what the runtime holds with what the list says. It converges from any state: each action
// follows from have, want and notes alone, is safe to repeat, and none is given for a container that has an
// operation under way (but abort).
func reconcile(have []Container, want []fleet.Assignment, notes map[string]*note, now time.Time) plan {
	var p plan
	wanted := make(map[string]bool, len(want))
	held := byID(have)
	for _, w := range want {
		wanted[w.ID] = true
		if n := noted(notes, w.ID); w.Stop {
			p.stop(w.ID, held[w.ID], graceOf(w, held[w.ID]), n, now)
		} else {
			p.start(w, held[w.ID], n, now)
		}
	}
	// "A container of its own that the list no longer holds is stopped by the agent as if by stop."
	for _, h := range have {
		if !wanted[h.ID] {
			p.stop(h.ID, &h, h.Grace, noted(notes, h.ID), now)
		}
	}
	for id, n := range notes {
		if !wanted[id] && held[id] == nil && n.busy == starting {
			p.actions = append(p.actions, action{do: actAbort, id: id})
		}
	}
	slices.SortFunc(p.actions, func(a, b action) int { return cmp.Compare(a.id, b.id) })
	return p
}

// graceOf what is to stop: what the list says, and where it says nothing, since the workload is gone, what the container
// was started with.
func graceOf(w fleet.Assignment, held *Container) time.Duration {
	if w.TerminationGracePeriodSeconds == 0 && held != nil {
		return held.Grace
	}
	return time.Duration(w.TerminationGracePeriodSeconds) * time.Second
}

func (p *plan) stop(id string, held *Container, grace time.Duration, n note, now time.Time) {
	switch {
	case n.busy == starting:
		p.actions = append(p.actions, action{do: actAbort, id: id})
	case n.busy == stopping || held == nil:
	case n.failed == stopping && n.retryAt.After(now):
		p.later(n.retryAt)
	default:
		p.actions = append(p.actions, action{do: actStop, id: id, grace: grace})
	}
}

func (p *plan) start(w fleet.Assignment, held *Container, n note, now time.Time) {
	switch {
	case n.busy != nothing, held != nil && up(held.State):
		return
	case held != nil && held.State == fleet.StateExited && !restarts(w.RestartPolicy, *held), held == nil && n.Ended != nil:
		return // it ended for good
	}
	var due time.Time
	if n.started && !n.downAt.IsZero() {
		delay := restartDelay(n.Streak, n.ran(held))
		if held == nil {
			delay = min(delay, mostRemovedDelay)
		}
		due = n.downAt.Add(delay)
	}
	if n.failed == starting && n.retryAt.After(due) {
		due = n.retryAt
	}
	if due.After(now) {
		p.later(due)
		return
	}
	p.actions = append(p.actions, action{do: actStart, id: w.ID, assignment: w})
}

func byID(have []Container) map[string]*Container {
	held := make(map[string]*Container, len(have))
	for i := range have {
		held[have[i].ID] = &have[i]
	}
	return held
}

func noted(notes map[string]*note, id string) note {
	if n := notes[id]; n != nil {
		return *n
	}
	return note{}
}
