package agent

import (
	"reflect"
	"testing"
	"time"

	"odysseus/fleet"
)

func TestReconcile(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	want := func(policy string) []fleet.Assignment {
		return []fleet.Assignment{{ID: "a", Image: "i:1", RestartPolicy: policy, TerminationGracePeriodSeconds: 7}}
	}
	stop := []fleet.Assignment{{ID: "a", TerminationGracePeriodSeconds: 7, Stop: true}}
	exited := func(code int) []Container {
		return []Container{{ID: "a", State: fleet.StateExited, ExitCode: code, StartedAt: ago(time.Hour), EndedAt: ago(time.Hour - time.Second), Grace: 3 * time.Second}}
	}
	in := func(s fleet.ContainerState) []Container {
		return []Container{{ID: "a", State: s, Grace: 3 * time.Second}}
	}
	starts := func(w []fleet.Assignment) []action { return []action{{do: actStart, id: "a", assignment: w[0]}} }
	down := func(streak int, since time.Duration) *note {
		return &note{record: record{Streak: streak}, started: true, startedAt: ago(since + time.Second), downAt: ago(since)}
	}
	always := want(fleet.RestartAlways)
	for _, test := range []struct {
		name string
		have []Container
		want []fleet.Assignment
		note *note
		do   []action
		next time.Time
	}{
		{name: "nothing wanted, nothing there"},
		{name: "wanted and not there", want: always, do: starts(always)},
		{name: "wanted and being started", want: always, note: &note{busy: starting}},
		{name: "wanted and created only", want: always, have: in(fleet.StateAssigned), do: starts(always)},
		{name: "wanted and starting", want: always, have: in(fleet.StateStarting)},
		{name: "wanted and running", want: always, have: in(fleet.StateRunning)},
		{name: "wanted and unhealthy", want: always, have: in(fleet.StateUnhealthy)},
		{name: "wanted and failed", want: always, have: in(fleet.StateFailed), do: starts(always)},
		{name: "wanted and just ended", want: always, have: exited(1), note: down(0, 0), do: starts(always)},
		{name: "ended again, a second not over", want: always, have: exited(1), note: down(1, 400*time.Millisecond), next: now.Add(600 * time.Millisecond)},
		{name: "ended again, a second over", want: always, have: exited(1), note: down(1, time.Second), do: starts(always)},
		{name: "ended often, five minutes not over", want: always, have: exited(0), note: down(40, 299*time.Second), next: now.Add(time.Second)},
		{name: "ended with 0 and restarted on failure", want: want(fleet.RestartOnFailure), have: exited(0), note: down(0, 0)},
		{name: "ended with 1 and restarted on failure", want: want(fleet.RestartOnFailure), have: exited(1), note: down(0, 0), do: starts(want(fleet.RestartOnFailure))},
		{name: "out of memory and restarted on failure", want: want(fleet.RestartOnFailure), have: []Container{{ID: "a", State: fleet.StateExited, OutOfMemory: true}},
			do: starts(want(fleet.RestartOnFailure))},
		{name: "ended and never restarted", want: want(fleet.RestartNever), have: exited(1), note: down(0, 0)},
		{name: "ended for good and cleared away", want: want(fleet.RestartNever), note: &note{record: record{Ended: &ending{}}, started: true}},
		{name: "removed by hand", want: always, note: down(0, 0), do: starts(always)},
		{name: "removed by hand again and again", want: always, note: down(30, 4*time.Second), next: now.Add(time.Second)},
		{name: "failed to start, not due", want: always, note: &note{failed: starting, retryAt: now.Add(time.Minute)}, next: now.Add(time.Minute)},
		{name: "failed to start, due", want: always, note: &note{failed: starting, retryAt: now}, do: starts(always)},
		{name: "to be stopped and running", want: stop, have: in(fleet.StateRunning), do: []action{{do: actStop, id: "a", grace: 7 * time.Second}}},
		{name: "to be stopped and ended", want: stop, have: exited(0), do: []action{{do: actStop, id: "a", grace: 7 * time.Second}}},
		{name: "to be stopped and not there", want: stop},
		{name: "to be stopped and being stopped", want: stop, have: in(fleet.StateRunning), note: &note{busy: stopping}},
		{name: "to be stopped and being started", want: stop, note: &note{busy: starting}, do: []action{{do: actAbort, id: "a"}}},
		{name: "failed to stop, not due", want: stop, have: in(fleet.StateRunning), note: &note{failed: stopping, retryAt: now.Add(time.Second)}, next: now.Add(time.Second)},
		{name: "failed to start and to be stopped", want: stop, have: in(fleet.StateAssigned), note: &note{failed: starting, retryAt: now.Add(time.Minute)},
			do: []action{{do: actStop, id: "a", grace: 7 * time.Second}}},
		{name: "to be stopped without a word on how long it may take", want: []fleet.Assignment{{ID: "a", Stop: true}}, have: in(fleet.StateRunning),
			do: []action{{do: actStop, id: "a", grace: 3 * time.Second}}},
		{name: "no longer listed", have: in(fleet.StateRunning), do: []action{{do: actStop, id: "a", grace: 3 * time.Second}}},
		{name: "no longer listed and being started", note: &note{busy: starting}, do: []action{{do: actAbort, id: "a"}}},
		{name: "no longer listed, there and being started", have: in(fleet.StateStarting), note: &note{busy: starting}, do: []action{{do: actAbort, id: "a"}}},
		{name: "no longer listed and being stopped", have: in(fleet.StateRunning), note: &note{busy: stopping}},
	} {
		t.Run(test.name, func(t *testing.T) {
			notes := map[string]*note{}
			if test.note != nil {
				notes["a"] = test.note
			}
			p := reconcile(test.have, test.want, notes, now)
			if !reflect.DeepEqual(p.actions, test.do) {
				t.Errorf("do %+v\nwant %+v", p.actions, test.do)
			}
			if !p.next.Equal(test.next) {
				t.Errorf("next at %v, want %v", p.next, test.next)
			}
		})
	}
}

func TestReconcileIsSortedAndLooksAtTheEarliest(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	notes := map[string]*note{
		"e": {busy: starting},
		"f": {failed: starting, retryAt: now.Add(9 * time.Second)},
		"g": {failed: starting, retryAt: now.Add(5 * time.Second)},
	}
	p := reconcile([]Container{{ID: "d", State: fleet.StateRunning}, {ID: "b", State: fleet.StateRunning}},
		[]fleet.Assignment{{ID: "c"}, {ID: "g"}, {ID: "f"}, {ID: "b", Stop: true}, {ID: "a"}}, notes, now)
	var order string
	for _, a := range p.actions {
		order += a.id + " " + string(a.do) + ", "
	}
	if want := "a start, b stop, c start, d stop, e abort, "; order != want {
		t.Errorf("%s want %s", order, want)
	}
	if want := now.Add(5 * time.Second); !p.next.Equal(want) {
		t.Errorf("next at %v, want %v", p.next, want)
	}
}

func TestBackOffGrowsToItsLimit(t *testing.T) {
	for _, random := range []float64{0, 0.5, 0.999} {
		b := backoff{limit: 10 * time.Second, random: func() float64 { return random }}
		for i, ms := range []int{500, 1000, 2000, 4000, 8000, 10000, 10000} {
			want := time.Duration(ms) * time.Millisecond / 2
			want += time.Duration(random * float64(want))
			if got := b.next(); got != want {
				t.Errorf("pause %d with %v: %v, want %v", i, random, got, want)
			}
		}
		b.reset()
		if got := b.next(); got > 500*time.Millisecond {
			t.Errorf("after a success: %v, want it short again", got)
		}
	}
	if d := doubled(time.Second, 1_000_000, 300*time.Second); d != 300*time.Second {
		t.Errorf("after a million: %v", d)
	}
}
