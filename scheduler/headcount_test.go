package scheduler

import (
	"fmt"
	"testing"
	"time"

	"odysseus/fleet"
)

// TestWhatCountsAsPlaced: what stays where it is for want of a candidate is placed and pending at once, unless it is
// lost or not what the newest revision asks for.
func TestWhatCountsAsPlaced(t *testing.T) {
	inTwo := spec{image: "a", replicas: 2, residency: inGermany}
	tests := []struct {
		name    string
		onDrift string
		do      func(w *world, uid string)
		state   fleet.PlacementState
		placed  int
		desired int
		pending int
	}{
		{"nothing happens", fleet.OnDriftReport, func(*world, string) {}, fleet.Placed, 2, 2, 0},
		{"draining", fleet.OnDriftReport, func(w *world, _ string) { w.drain("de-1", time.Hour) }, fleet.Placed, 2, 2, 2},
		{"draining beyond the grace", fleet.OnDriftReport, func(w *world, _ string) {
			w.drain("de-1", time.Second)
			w.advance(10 * time.Second)
		}, fleet.Placed, 2, 2, 2},
		{"draining, and scaled up", fleet.OnDriftReport, func(w *world, uid string) {
			w.drain("de-1", time.Hour)
			w.edit(uid, spec{image: "a", replicas: 3, residency: inGermany})
		}, fleet.PartlyPlaced, 2, 2, 3},
		{"draining, and of an older revision", fleet.OnDriftReport, func(w *world, uid string) {
			w.drain("de-1", time.Hour)
			w.edit(uid, spec{image: "b", replicas: 2, residency: inGermany})
		}, fleet.Pending, 2, 2, 2},
		{"draining, and outside what the newest revision requires", fleet.OnDriftReport, func(w *world, uid string) {
			w.drain("de-1", time.Hour)
			w.edit(uid, spec{image: "a", replicas: 2, residency: inFrance})
		}, fleet.Pending, 2, 2, 2},
		{"drifting, reported", fleet.OnDriftReport, func(w *world, _ string) { w.relabel("de-1", "US", "") }, fleet.Placed, 2, 2, 0},
		{"drifting, to be moved", fleet.OnDriftReschedule, func(w *world, _ string) { w.relabel("de-1", "US", "") }, fleet.Placed, 2, 2, 2},
		{"a grant withdrawn", fleet.OnDriftReport, func(w *world, _ string) { w.cluster("one", "zen") }, fleet.Placed, 2, 2, 2},
		{"a rollout that is blocked", fleet.OnDriftReport, func(w *world, uid string) {
			w.cordon("de-1", true)
			w.edit(uid, spec{image: "b", replicas: 2, residency: inGermany})
		}, fleet.Pending, 2, 2, 2},
		{"another country", fleet.OnDriftReport, func(w *world, uid string) {
			w.edit(uid, spec{image: "a", replicas: 2, residency: inFrance})
		}, fleet.Pending, 2, 2, 2},
		{"lost", fleet.OnDriftReport, func(w *world, _ string) {
			w.silence("de-1")
			w.advance(time.Minute)
		}, fleet.Pending, 0, 2, 2},
		{"its node deleted", fleet.OnDriftReport, func(w *world, _ string) { w.deleteNode("de-1") }, fleet.Pending, 0, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := twoCountries(t, tt.onDrift)
			w.store.before = func(decisions []fleet.Decision) error {
				if faults := w.judge(decisions); len(faults) > 0 {
					t.Error(faults)
				}
				return nil
			}
			uid := w.deploy("acme", "d", inTwo)
			w.obey()
			tt.do(w, uid)
			w.obey()
			st, r := w.status(uid), w.scheduler.Placement(uid, true)
			var placed, desired, pending int
			for _, c := range r.Clusters {
				placed += c.Placed
				desired += c.Desired
			}
			if r.Pending != nil {
				pending = r.Pending.Replicas
			}
			got := fmt.Sprint(st.State, st.Placed, st.PendingSince != nil, r.State, placed, desired, pending)
			want := fmt.Sprint(tt.state, tt.placed, tt.pending > 0, tt.state, tt.placed, tt.desired, tt.pending)
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if faults := w.inspect(); len(faults) > 0 {
				t.Error(faults)
			}
		})
	}
}

// TestATenantIsToldOfRoomOnlyWhileReplicasArePending: staff see what is free.
func TestATenantIsToldOfRoomOnlyWhileReplicasArePending(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.cluster("one", fleet.AllTenants)
	w.cluster("two", fleet.AllTenants)
	w.node("a", "one", "", "", slots(4))
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 2})
	w.obey()
	w.node("b", "two", "", "", slots(5))
	rooms := func() string {
		text := ""
		for _, detail := range []bool{false, true} {
			for _, c := range w.scheduler.Placement(uid, detail).Clusters {
				text += fmt.Sprint(c.Name, " ", c.Available, " ")
			}
		}
		return text
	}
	if got, want := rooms(), "one 2 two 0 one 2 two 5 "; got != want {
		t.Errorf("placed: %s, want %s", got, want)
	}
	w.edit(uid, spec{image: "a", replicas: 5}) // told, not yet decided: three are pending
	if got, want := rooms(), "one 4 two 5 one 2 two 5 "; got != want {
		t.Errorf("pending: %s, want %s", got, want)
	}
	w.rest()
	if got, want := rooms(), "one 3 two 2 one 1 two 3 "; got != want { // 2 and 5 were free: of three, one and two
		t.Errorf("placed again: %s, want %s", got, want)
	}
}
