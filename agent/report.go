package agent

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"odysseus/fleet"
)

// mostMessage bounds a container's message, in bytes: a status of a thousand containers stays under the 1 MiB that
// the control plane reads.
const mostMessage = 500

// reports says of each container of the list what became of it, sorted by ID. What the list does not hold is left
// out: the control plane no longer knows it.
func reports(have []Container, want []fleet.Assignment, notes map[string]*note) []fleet.ContainerReport {
	held := byID(have)
	out := make([]fleet.ContainerReport, 0, len(want))
	for _, w := range want {
		n := noted(notes, w.ID)
		r := reportOf(w, held[w.ID], n)
		r.ID, r.Restarts, r.Message = w.ID, n.Restarts, oneLine(r.Message, mostMessage)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b fleet.ContainerReport) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func reportOf(w fleet.Assignment, held *Container, n note) fleet.ContainerReport {
	created := held != nil && held.State != fleet.StateAssigned
	switch {
	case created && held.State == fleet.StateExited:
		return ended(ending{held.ExitCode, held.OutOfMemory, held.StartedAt})
	case created:
		return fleet.ContainerReport{State: held.State, Message: held.Message, StartedAt: moment(held.StartedAt)}
	case held == nil && w.Stop && n.busy == nothing:
		return fleet.ContainerReport{State: fleet.StateStopped}
	case held == nil && n.Ended != nil:
		return ended(*n.Ended)
	case n.failed == starting:
		// Also while it is tried again: a container that cannot start does not flap.
		return fleet.ContainerReport{State: fleet.StateFailed, Message: n.failure}
	}
	return fleet.ContainerReport{State: fleet.StateStarting}
}

// ended, from runtime.md: "A container that ends gives … message `exit code N` (and `out of memory` where the
// engine says so)."
func ended(e ending) fleet.ContainerReport {
	message := "exit code " + strconv.Itoa(e.ExitCode)
	if e.OutOfMemory {
		message += ", out of memory"
	}
	return fleet.ContainerReport{State: fleet.StateExited, Message: message, StartedAt: moment(e.StartedAt)}
}

// moment is t as the API writes it; nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Round(0)
	return &t
}

func sameReport(a, b fleet.ContainerReport) bool {
	started := a.StartedAt == b.StartedAt || a.StartedAt != nil && b.StartedAt != nil && a.StartedAt.Equal(*b.StartedAt)
	return a.ID == b.ID && a.State == b.State && a.Message == b.Message && a.Restarts == b.Restarts && started
}
