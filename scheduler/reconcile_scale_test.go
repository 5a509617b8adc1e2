package scheduler

import (
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

func TestScalingTouchesOnlyTheDifference(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 4})
	w.obey()
	ids := func() (list []string) {
		for _, c := range w.store.of(uid) {
			if !c.Stop {
				list = append(list, c.ID)
			}
		}
		return list
	}
	four := ids()
	w.said(uid)
	w.edit(uid, spec{image: "a", replicas: 6})
	w.obey()
	if got := ids(); !slices.Equal(got[:4], four) || len(got) != 6 {
		t.Fatalf("up: %v, before %v", got, four)
	}
	w.edit(uid, spec{image: "a", replicas: 3})
	w.obey()
	if got := ids(); len(got) != 3 || !slices.Equal(w.nodesOf(uid), []string{"ca-1", "ca-2", "de-1"}) {
		t.Fatalf("down: %v on %v", got, w.nodesOf(uid))
	}
	w.edit(uid, spec{image: "a", replicas: 0})
	w.obey()
	if st := w.status(uid); len(w.store.of(uid)) != 0 || st.State != fleet.Placed || st.Placed != 0 {
		t.Fatalf("to nothing: %+v", st)
	}
	w.edit(uid, spec{image: "a", replicas: 1})
	w.obey()
	if got := w.store.of(uid); len(got) != 1 || got[0].Replica != 0 || got[0].ID != uid+"-7" {
		t.Errorf("from nothing: %+v", got)
	}
	if got, want := w.said(uid), []string{EventScheduled, EventStopped, EventStopped, EventScheduled}; !slices.Equal(got, want) {
		t.Errorf("said %v, want %v", got, want)
	}
}

func TestScalingDownTakesTheLeastUsefulFirst(t *testing.T) {
	// Replicas 0 to 5, on nodes of their own.
	names := []string{"n0", "n1", "n2", "n3", "n4", "n5"}
	build := func(t *testing.T) (*world, string) {
		w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
		w.cluster("one", fleet.AllTenants)
		for _, n := range names {
			w.node(n, "one", "CA", "", slots(1))
		}
		uid := w.deploy("acme", "d", spec{image: "a", replicas: 6, residency: inCanada})
		w.obey()
		return w, uid
	}
	tests := []struct {
		name string
		do   func(w *world, uid string)
		gone []string
	}{
		{"all alike: the highest number", func(*world, string) {}, []string{"n5"}},
		{"one is not ready", func(w *world, uid string) { w.report(w.store.of(uid)[2].ID, fleet.StateFailed) }, []string{"n2"}},
		{"one drifts", func(w *world, uid string) {
			w.report(w.store.of(uid)[2].ID, fleet.StateFailed)
			w.relabel("n1", "US", "")
		}, []string{"n1"}},
		{"one is lost", func(w *world, uid string) {
			w.relabel("n1", "US", "")
			w.silence("n3")
			w.advance(41 * time.Second)
		}, []string{"n3"}},
		{"one is lost and one drifts", func(w *world, uid string) {
			w.relabel("n1", "US", "")
			w.silence("n3")
			w.advance(41 * time.Second)
		}, []string{"n1", "n3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, uid := build(t)
			tt.do(w, uid)
			w.edit(uid, spec{image: "a", replicas: 6 - len(tt.gone), residency: inCanada})
			w.rest()
			want := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(tt.gone, n) })
			if got := w.nodesOf(uid); !slices.Equal(got, want) {
				t.Errorf("on %v, want %v", got, want)
			}
		})
	}
}

func TestScalingDownEvensOutTheNodes(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	w.node("a", "one", "CA", "", slots(9))
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 4})
	w.obey()
	w.node("b", "one", "CA", "", slots(9))
	w.edit(uid, spec{image: "a", replicas: 6})
	w.obey()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"a", "a", "a", "a", "b", "b"}) {
		t.Fatalf("on %v", got)
	}
	w.edit(uid, spec{image: "a", replicas: 3})
	w.obey()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"a", "a", "b"}) {
		t.Errorf("on %v", got)
	}
}

func TestNewReplicasTakeTheSmallestFreeNumbers(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	for _, n := range []string{"a", "b", "c"} {
		w.node(n, "one", "CA", "", slots(1))
	}
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 3})
	w.obey()
	w.report(w.store.of(uid)[1].ID, fleet.StateFailed)
	w.edit(uid, spec{image: "a", replicas: 2})
	w.obey()
	if got := numbers(w.store.of(uid)); !slices.Equal(got, []int{0, 2}) {
		t.Fatalf("numbers %v", got)
	}
	w.node("d", "one", "CA", "", slots(1))
	w.edit(uid, spec{image: "a", replicas: 4})
	w.obey()
	if got := numbers(w.store.of(uid)); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("numbers %v", got)
	}
}
