package control

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"odysseus/fleet"
)

// stateOf is what a replica comes to by a report.
type stateOf struct {
	// report is of the row, and changed says that it is news.
	report  fleet.ContainerReport
	changed bool
	// parts are its containers', where it has several.
	parts map[string]fleet.ContainerReport
	// transitions are the containers whose state changed, by name.
	transitions []transition
}

// transition is a change of a container's state; the name is empty for a replica's only one.
type transition struct {
	name   string
	report fleet.ContainerReport
}

// on is what the report makes of a row.
func (w *reportWrite) on(row fleet.Container, said map[string]fleet.ContainerReport) stateOf {
	was := fleet.ContainerReport{ID: row.ID, State: row.State, Message: row.Message, Restarts: row.Restarts, StartedAt: moment(row.StartedAt)}
	names, several := w.several[row.ID]
	if !several {
		r, changed := w.reportOn(was, said, "")
		s := stateOf{report: r, changed: changed}
		if r.State != row.State {
			s.transitions = []transition{{report: r}}
		}
		return s
	}
	s := stateOf{parts: make(map[string]fleet.ContainerReport, len(names))}
	for _, name := range names {
		before, reported := row.Parts[name]
		if !reported {
			before.State = fleet.StateAssigned
		}
		r, _ := w.reportOn(before, said, name)
		r.ID = ""
		if r.State != before.State {
			s.transitions = append(s.transitions, transition{name, r})
		}
		s.parts[name] = r
	}
	s.report = sumUp(s.parts, row.Stop)
	s.report.ID = row.ID
	s.changed = !sameReport(s.report, was)
	return s
}

// reportOn is what the report says of a container, and whether that is news: "one that a report leaves out is
// unchanged unless it was reported before, then it is exited".
func (w *reportWrite) reportOn(was fleet.ContainerReport, said map[string]fleet.ContainerReport, name string) (fleet.ContainerReport, bool) {
	r, named := said[name]
	if !named {
		if !runs(was.State) || w.news.containers == nil {
			return was, false
		}
		return fleet.ContainerReport{ID: was.ID, State: fleet.StateExited, Restarts: was.Restarts}, true
	}
	if r.StartedAt == nil {
		r.StartedAt = was.StartedAt
	}
	return r, !sameReport(r, was)
}

func runs(s fleet.ContainerState) bool {
	return s == fleet.StateStarting || s == fleet.StateRunning || s == fleet.StateUnhealthy
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func sameReport(a, b fleet.ContainerReport) bool {
	started := a.StartedAt == b.StartedAt || a.StartedAt != nil && b.StartedAt != nil && a.StartedAt.Equal(*b.StartedAt)
	return a.State == b.State && a.Message == b.Message && a.Restarts == b.Restarts && started
}

// severity orders the states in which containers decide over their replica, the worst first. It runs when all of them
// run, and is stopped when all of them are.
func severity(s fleet.ContainerState) int {
	switch s {
	case fleet.StateFailed:
		return 0
	case fleet.StateExited:
		return 1
	case fleet.StateUnhealthy:
		return 2
	case fleet.StateRunning:
		return 4
	case fleet.StateStopped:
		return 5
	}
	return 3 // starting, or assigned
}

// sumUp is what a replica's containers come to together: the state and the words of the worst of them, all restarts, and
// the start of the last. A replica that is to stop is not gone before the last of its containers is.
func sumUp(parts map[string]fleet.ContainerReport, stop bool) fleet.ContainerReport {
	names := slices.Sorted(maps.Keys(parts))
	rank := func(name string) int {
		state := parts[name].State
		if stop && !runs(state) && state != fleet.StateAssigned {
			return severity(state) + 10 // behind all that still run
		}
		return severity(state)
	}
	var sum fleet.ContainerReport
	for _, name := range names {
		p := parts[name]
		sum.Restarts = min(sum.Restarts+p.Restarts, maxRestarts)
		if p.StartedAt != nil && (sum.StartedAt == nil || p.StartedAt.After(*sum.StartedAt)) {
			sum.StartedAt = p.StartedAt
		}
	}
	first := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	sum.State = parts[first].State
	if m := parts[first].Message; m != "" {
		sum.Message = first + ": " + m
	}
	return sum
}

// containerEvent tells the container's workload that its state changed. Tenants read it: it names no node.
func (w *reportWrite) containerEvent(row fleet.Container, kind string, t transition) (fleet.Event, bool) {
	eventType := fleet.EventNormal
	var reason string
	switch t.report.State {
	case fleet.StateRunning:
		reason = EventStarted
	case fleet.StateUnhealthy:
		eventType, reason = fleet.EventWarning, EventUnhealthy
	case fleet.StateExited:
		eventType, reason = fleet.EventWarning, EventExited
		if kind == kindJob && t.report.Message == endedWell {
			eventType = fleet.EventNormal // that is what a Job is for
		}
	case fleet.StateFailed:
		eventType, reason = fleet.EventWarning, EventFailed
	case fleet.StateStopped:
		reason = EventStopped
	default:
		return fleet.Event{}, false
	}
	if row.Stop && t.report.State == fleet.StateExited {
		eventType, reason = fleet.EventNormal, EventStopped
	}
	args := map[string]string{"Replica": strconv.Itoa(row.Replica)}
	if t.name != "" {
		args["Container"] = t.name
	}
	if t.report.Message != "" {
		args["Message"] = t.report.Message
	}
	return fleet.Event{Time: w.deps.Now().UTC(), Tenant: row.Tenant, Kind: kind, Namespace: row.Namespace, Name: row.Deployment,
		UID: row.DeploymentUID, Type: eventType, Reason: reason, Args: args, Count: 1}, true
}

// endedWell is the message of a container that ended as it should: "exit code N".
const (
	endedWell = "exit code 0"
	kindJob   = "Job"
)
