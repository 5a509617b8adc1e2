package scheduler

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

// looks counts how often deployments are looked at while do happens.
func (w *world) looks(do func()) int {
	w.rest()
	before := w.scheduler.Stats().Decisions
	do()
	w.rest()
	return int(w.scheduler.Stats().Decisions - before)
}

// TestWokenOnlyByWhatCouldLiftAReason counts looks at a deployment that waits for room in Canada, and at others that
// wait for something else.
func TestWokenOnlyByWhatCouldLiftAReason(t *testing.T) {
	tests := []struct {
		name  string
		do    func(w *world)
		looks int
		state fleet.PlacementState
	}{
		{"a heartbeat", func(w *world) { w.beat("full") }, 0, fleet.Pending},
		{"a report that changes nothing", func(w *world) {
			w.scheduler.Reported("full", []fleet.ContainerReport{{ID: w.store.of("uid0001")[0].ID, State: fleet.StateRunning}})
		}, 0, fleet.Pending},
		{"a row written again", func(w *world) { w.changeNode("full", func(*fleet.Node) {}) }, 0, fleet.Pending},
		{"a node elsewhere", func(w *world) { w.node("de", "one", "DE", "", roomy) }, 0, fleet.Pending},
		{"a node without labels", func(w *world) { w.node("x", "one", "", "", roomy) }, 0, fleet.Pending},
		{"a node in a cluster of others", func(w *world) { w.node("x", "zens", "CA", "", roomy) }, 0, fleet.Pending},
		{"a node too small", func(w *world) { w.node("x", "one", "CA", "", fleet.Amount{MilliCPU: 999, Memory: 1 << 30, Slots: 9}) }, 0, fleet.Pending},
		{"a node that shrinks", func(w *world) {
			w.changeNode("full", func(n *fleet.Node) { n.Capacity.MilliCPU -= 500 })
		}, 0, fleet.Pending},
		{"a region that it does not name", func(w *world) {
			w.set(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport, Regions: allRegions})
		}, 0, fleet.Pending},
		{"a grant to others", func(w *world) { w.cluster("zens", "zen", "pan") }, 0, fleet.Pending},
		{"time", func(w *world) { w.advance(9 * time.Minute) }, 0, fleet.Pending},

		{"a node that fits", func(w *world) { w.node("x", "one", "CA", "", roomy) }, 1, fleet.Placed},
		{"a node that grows", func(w *world) { w.changeNode("full", func(n *fleet.Node) { n.Capacity = roomy }) }, 1, fleet.Placed},
		{"a node relabelled", func(w *world) { w.relabel("us", "CA", "") }, 1, fleet.Placed},
		{"a node uncordoned", func(w *world) { w.cordon("closed", false) }, 1, fleet.Placed},
		{"a node that is back", func(w *world) { w.beat("silent") }, 1, fleet.Placed},
		{"a cluster granted", func(w *world) { w.cluster("zens", "zen", "acme") }, 1, fleet.Placed},
		{"enforcement turned off", func(w *world) { w.set(fleet.GeoAwareness{OnDrift: fleet.OnDriftReport}) }, 4, fleet.Placed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
			w.cluster("one", "acme")
			w.cluster("zens", "zen")
			w.node("silent", "one", "CA", "", roomy)
			w.silence("silent")
			w.advance(41 * time.Second)
			w.node("full", "one", "CA", "", fleet.Amount{MilliCPU: 1000, Memory: 1 << 30, Slots: 9})
			w.node("us", "one", "US", "", roomy)
			w.node("closed", "one", "CA", "", roomy)
			w.cordon("closed", true)
			w.node("zen", "zens", "CA", "", roomy)
			first := w.deploy("acme", "first", spec{image: "a", replicas: 1, cpu: "500m", residency: inCanada})
			w.obey()
			if first != "uid0001" {
				t.Fatal(first)
			}
			uid := w.deploy("acme", "waits", spec{image: "a", replicas: 1, cpu: "1", residency: inCanada})
			w.deploy("acme", "other", spec{image: "a", replicas: 1, cpu: "1", residency: inFrance})
			w.deploy("acme", "huge", spec{image: "a", replicas: 1, cpu: "900", residency: inCanada})
			w.rest()
			if got := w.scheduler.Stats().Waiting; got != 3 {
				t.Fatalf("%d wait", got)
			}
			if got := w.looks(func() { tt.do(w) }); got != tt.looks {
				t.Errorf("%d looks, want %d", got, tt.looks)
			}
			if st := w.status(uid); st.State != tt.state {
				t.Errorf("%+v, want %s", st, tt.state)
			}
		})
	}
}

// TestEachThatIsServedWakesTheNext: room for three of a hundred costs about three looks, and no more than that wait
// less.
func TestEachThatIsServedWakesTheNext(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", "acme")
	for i := range 100 {
		w.deploy("acme", fmt.Sprint("d", i), spec{image: "a", replicas: 1})
	}
	w.rest()
	if got := w.looks(func() { w.node("n", "one", "", "", slots(3)) }); got < 3 || got > 4 {
		t.Errorf("%d looks", got)
	}
	if got := w.scheduler.Stats().Waiting; got != 97 {
		t.Errorf("%d wait", got)
	}
	placed := []string{}
	for _, c := range sortedValues(w.store.containers) {
		placed = append(placed, c.Deployment)
	}
	if !slices.Equal(placed, []string{"d0", "d1", "d2"}) {
		t.Errorf("served %v: those that came first are first", placed)
	}
	if got := w.looks(func() { w.undeploy("uid0001"); w.obey() }); w.scheduler.Stats().Waiting != 96 || got > 8 {
		t.Errorf("after one was deleted: %d looks, %d wait", got, w.scheduler.Stats().Waiting)
	}
}
