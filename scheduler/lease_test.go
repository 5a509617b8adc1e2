package scheduler

import (
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

// silence lets a node's agent stop beating.
func (w *world) silence(name string) { w.served[name] = false }

func TestASilentNodeIsLostAfterTheLease(t *testing.T) {
	tests := []struct {
		name    string
		silence time.Duration
		live    bool
		on      []string
	}{
		{"39 s", 39 * time.Second, true, []string{"a"}},
		{"41 s", 41 * time.Second, false, []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
			w.cluster("one", fleet.AllTenants)
			w.node("a", "one", "CA", "", slots(2))
			uid := w.deploy("acme", "d", spec{image: "i", replicas: 1})
			w.obey()
			w.node("b", "one", "CA", "", slots(2))
			w.beat("a")
			w.silence("a")
			w.advance(tt.silence)
			state, _ := w.scheduler.NodeState("a")
			if got := w.nodesOf(uid); state.Live != tt.live || !slices.Equal(got, tt.on) {
				t.Errorf("live %v on %v, want %v on %v", state.Live, got, tt.live, tt.on)
			}
		})
	}
}

func TestALostNodeThatComesBackStopsWhatWasPlacedElsewhere(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	w.node("a", "one", "CA", "", slots(2))
	uid := w.deploy("acme", "d", spec{image: "i", replicas: 1})
	w.obey()
	w.node("b", "one", "CA", "", slots(2))
	w.silence("a")
	w.advance(45 * time.Second)
	rows := w.store.of(uid)
	if len(rows) != 2 || !rows[0].Stop || rows[0].Node != "a" || rows[1].Node != "b" || rows[1].Replica != rows[0].Replica {
		t.Fatalf("after the loss: %+v", rows)
	}
	if got, want := w.said(uid), []string{EventScheduled, EventNodeLost, EventReplacing}; !slices.Equal(got, want) {
		t.Errorf("said %v, want %v", got, want)
	}
	w.served["a"] = true
	w.beat("a")
	w.obey()
	if got := w.store.of(uid); len(got) != 1 || got[0].Node != "b" {
		t.Errorf("after the return: %+v", got)
	}
	if live, all := w.scheduler.ClusterNodes("one"); live != 2 || all != 2 {
		t.Errorf("%d of %d live", live, all)
	}
}

func TestALostNodeWithoutAnAlternativeGoesOnWhenItReturns(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	w.node("a", "one", "CA", "", slots(2))
	uid := w.deploy("acme", "d", spec{image: "i", replicas: 2})
	w.obey()
	w.silence("a")
	w.advance(45 * time.Second)
	st := w.store.deployments[uid].Status
	if st.State != fleet.Pending || st.Placed != 0 || st.Ready != 0 || st.PendingSince == nil || !slices.Equal(w.nodesOf(uid), []string{"a", "a"}) {
		t.Fatalf("%+v on %v", st, w.nodesOf(uid))
	}
	if r := w.scheduler.Placement(uid, true); len(r.Pending.Reasons) != 1 || r.Pending.Reasons[0].Code != fleet.ReasonNoReachableNode ||
		len(r.Pending.Reasons[0].Nodes) != 1 || r.Pending.Reasons[0].Nodes[0].Reason != fleet.NodeReasonNotReady {
		t.Errorf("%+v", r.Pending)
	}
	w.beat("a")
	w.rest()
	st = w.store.deployments[uid].Status
	if st.State != fleet.Placed || st.Ready != 2 || st.PendingSince != nil || len(w.store.of(uid)) != 2 {
		t.Errorf("after the return: %+v, %d containers", st, len(w.store.of(uid)))
	}
}

func TestClockJumpsNeitherLoseNodesNorFireTimers(t *testing.T) {
	for name, jump := range map[string]time.Duration{"two years on": 2 * 365 * 24 * time.Hour, "a day back": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
			w.cluster("one", fleet.AllTenants)
			w.node("a", "one", "CA", "", slots(2))
			w.node("b", "one", "CA", "", slots(2))
			uid := w.deploy("acme", "d", spec{image: "i", replicas: 1})
			w.obey()
			w.drain("a", 5*time.Minute) // its deadline lies in the past after the jump
			w.silence("a")
			w.advance(30 * time.Second)
			w.clock.Advance(jump)
			w.rest()
			if got := w.nodesOf(uid); !slices.Equal(got, []string{"a", "b"}) {
				t.Fatalf("after the jump on %v: the grace was cut short", got)
			}
			for _, name := range []string{"a", "b"} {
				if state, _ := w.scheduler.NodeState(name); !state.Live {
					t.Errorf("%s is lost by the jump", name)
				}
			}
			for _, tt := range []struct {
				on   time.Duration
				live map[string]bool
			}{
				{35 * time.Second, map[string]bool{"a": true, "b": true}}, // leases began again
				{10 * time.Second, map[string]bool{"a": false, "b": true}},
			} {
				w.advance(tt.on)
				for name, want := range tt.live {
					if state, _ := w.scheduler.NodeState(name); state.Live != want {
						t.Errorf("after the jump the lease of %s: live %v, want %v", name, state.Live, want)
					}
				}
			}
		})
	}
}

func TestLeasesStartAfreshWithTheControlPlane(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	w.node("a", "one", "CA", "", slots(2))
	w.silence("a")
	w.advance(39 * time.Second)
	w.restart()
	w.advance(39 * time.Second)
	if state, _ := w.scheduler.NodeState("a"); !state.Live || !state.LastHeartbeat.IsZero() {
		t.Errorf("39 s after the start: %+v", state)
	}
	w.advance(2 * time.Second)
	if state, _ := w.scheduler.NodeState("a"); state.Live {
		t.Errorf("41 s after the start: %+v", state)
	}
}
