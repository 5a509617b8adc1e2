package scheduler

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"odysseus/fleet"
)

func TestReasonsInEverySituation(t *testing.T) {
	geography := func(regions []string, countries ...string) *fleet.Geography {
		return &fleet.Geography{Countries: append([]string{}, countries...), Regions: regions}
	}
	none := []string{}
	needCA := &fleet.Requirement{Country: "CA"}
	tests := []struct {
		name     string
		settings fleet.GeoAwareness
		need     fleet.Residency
		build    func(w *world)
		want     []fleet.Reason
	}{
		{"no node at all", fleet.GeoAwareness{Enabled: true}, inCanada, func(*world) {}, []fleet.Reason{{Code: fleet.ReasonNoReachableNode}}},
		{"only nodes of others", fleet.GeoAwareness{Enabled: true}, inCanada, func(w *world) {
			w.node("z", "zens", "CA", "north", roomy)
		}, []fleet.Reason{{Code: fleet.ReasonNoReachableNode}}},
		{"only lost nodes", fleet.GeoAwareness{Enabled: true}, inCanada, func(w *world) {
			w.node("a", "one", "DE", "", roomy)
			w.silence("a")
			w.advance(time.Minute)
		}, []fleet.Reason{{Code: fleet.ReasonNoReachableNode}}},
		{"nodes elsewhere alone", fleet.GeoAwareness{Enabled: true}, inCanada, func(w *world) {
			w.node("a", "one", "US", "", roomy)
			w.node("b", "one", "DE", "eu", roomy)
			w.node("c", "one", "US", "", roomy)
			w.node("z", "zens", "CA", "north", roomy)
		}, []fleet.Reason{{Code: fleet.ReasonGeoMismatch, Required: needCA, Reported: geography([]string{"eu"}, "DE", "US")}}},
		{"nodes elsewhere, a full one there", fleet.GeoAwareness{Enabled: true}, inCanada, func(w *world) {
			w.node("a", "one", "US", "", roomy)
			w.node("b", "one", "CA", "", slots(0))
		}, []fleet.Reason{
			{Code: fleet.ReasonGeoMismatch, Required: needCA, Reported: geography(none, "US")}, {Code: fleet.ReasonCapacity},
		}},
		{"nodes elsewhere, a full one there, and one that says nothing", fleet.GeoAwareness{Enabled: true, Regions: []fleet.Region{{Name: "eu"}}}, fleet.Residency{Region: "eu"}, func(w *world) {
			w.node("a", "one", "US", "west", roomy)
			w.node("b", "one", "CA", "eu", slots(0))
			w.node("c", "one", "", "", roomy)
		}, []fleet.Reason{
			{Code: fleet.ReasonGeoMismatch, Required: &fleet.Requirement{Region: "eu"}, Reported: geography([]string{"west"}, "US"), Unlabelled: true}, {Code: fleet.ReasonCapacity},
		}},
		{"full nodes where anything goes", fleet.GeoAwareness{Enabled: true}, fleet.Residency{}, func(w *world) {
			w.node("a", "one", "US", "", slots(0))
			w.node("b", "one", "", "", slots(0))
		}, []fleet.Reason{{Code: fleet.ReasonCapacity}}},
		{"a cordoned one there", fleet.GeoAwareness{Enabled: true}, inCanada, func(w *world) {
			w.node("b", "one", "CA", "", roomy)
			w.cordon("b", true)
		}, []fleet.Reason{{Code: fleet.ReasonCapacity}}},
		{"a node that says nothing", fleet.GeoAwareness{Enabled: true}, inCanada, func(w *world) {
			w.node("b", "one", "", "", roomy)
		}, []fleet.Reason{{Code: fleet.ReasonGeoMismatch, Required: needCA, Reported: geography(none), Unlabelled: true}}},
		{"nothing that says which country, under blocked countries", fleet.GeoAwareness{Enabled: true}, fleet.Residency{BlockedCountries: []string{"US", "RU"}}, func(w *world) {
			w.node("a", "one", "US", "", roomy)
			w.node("b", "one", "", "eu", roomy)
		}, []fleet.Reason{{
			Code: fleet.ReasonGeoMismatch, Required: &fleet.Requirement{BlockedCountries: []string{"US", "RU"}}, Reported: geography([]string{"eu"}, "US"),
		}}},
		{"a region taken from the file", fleet.GeoAwareness{Enabled: true}, fleet.Residency{Region: "gone"}, func(w *world) {
			w.node("a", "one", "DE", "gone", roomy)
		}, []fleet.Reason{{Code: fleet.ReasonRegionUndeclared, Required: &fleet.Requirement{Region: "gone"}}}},
		{"the same without a live node", fleet.GeoAwareness{Enabled: true}, fleet.Residency{Region: "gone"}, func(*world) {},
			[]fleet.Reason{{Code: fleet.ReasonNoReachableNode}, {Code: fleet.ReasonRegionUndeclared, Required: &fleet.Requirement{Region: "gone"}}}},
		{"full, while off", fleet.GeoAwareness{}, inCanada, func(w *world) {
			w.node("a", "one", "US", "", slots(0))
		}, []fleet.Reason{{Code: fleet.ReasonCapacity}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.settings)
			w.cluster("one", "acme")
			w.cluster("zens", "zen")
			tt.build(w)
			uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: tt.need})
			w.rest()
			r := w.scheduler.Placement(uid, false)
			if r.State != fleet.Pending || r.Pending.Replicas != 2 || !r.Pending.Since.Equal(w.clock.Now()) {
				t.Fatalf("%+v", r)
			}
			if !reflect.DeepEqual(r.Pending.Reasons, tt.want) {
				got, _ := json.Marshal(r.Pending.Reasons)
				want, _ := json.Marshal(tt.want)
				t.Errorf("reasons\n%s, want\n%s", got, want)
			}
		})
	}
}

// TestAnIdenticalNodeChangesNoAnswerToATenant: "equal byte for byte when an identical node joins or leaves a cluster
// where nothing of it has to move".
func TestAnIdenticalNodeChangesNoAnswerToATenant(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	w.cluster("two", fleet.AllTenants) // a candidate that holds nothing
	w.node("ca-1", "one", "CA", "", slots(3))
	w.node("us-1", "one", "US", "west", slots(3))
	placed := w.deploy("acme", "placed", spec{image: "a", replicas: 2, residency: inCanada})
	pending := w.deploy("acme", "pending", spec{image: "a", replicas: 2, residency: inFrance})
	w.obey()
	w.node("ca-0", "two", "CA", "", slots(1))
	w.rest()
	answers := func() string {
		text, err := json.Marshal([]any{
			w.scheduler.Placement(placed, false), w.scheduler.Placement(pending, false), w.scheduler.Geography("acme"),
			w.scheduler.AnyMatch("acme", inFrance.Labels()),
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := answers()
	w.node("ca-2", "one", "CA", "", slots(3))
	w.node("ca-3", "two", "CA", "", slots(1))
	w.node("us-2", "one", "US", "west", slots(3))
	w.rest()
	if after := answers(); after != before {
		t.Errorf("after identical nodes joined\n%s\nbefore\n%s", after, before)
	}
	w.deleteNode("ca-2")
	w.deleteNode("ca-3")
	w.rest()
	if after := answers(); after != before {
		t.Errorf("after one left\n%s\nbefore\n%s", after, before)
	}
}

func TestWhatIsNotKnownOrNotDecidedIsWaiting(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.cluster("one", fleet.AllTenants)
	if r := w.scheduler.Placement("nobody", true); r.State != fleet.Waiting || r.Clusters == nil || r.Pending != nil {
		t.Errorf("unknown: %+v", r)
	}
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1})
	if r := w.scheduler.Placement(uid, true); r.State != fleet.Waiting {
		t.Errorf("before the first decision: %+v", r)
	}
	w.rest()
	if r := w.scheduler.Placement(uid, true); r.State != fleet.Pending {
		t.Errorf("after it: %+v", r)
	}
	if _, known := w.scheduler.NodeState("nobody"); known {
		t.Error("an unknown node is known")
	}
	if live, all := w.scheduler.ClusterNodes("nobody"); live != 0 || all != 0 {
		t.Error("an unknown cluster has nodes")
	}
}

func TestAnyMatchAnswersAlsoWhileOff(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{Regions: allRegions})
	w.cluster("one", "acme")
	w.node("a", "one", "DE", "", slots(0)) // full nodes count
	w.cordon("a", true)                    // and cordoned ones
	for _, tt := range []struct {
		tenant string
		need   fleet.Residency
		want   bool
	}{
		{"acme", inGermany, true}, {"acme", inFrance, false}, {"zen", inGermany, false}, {"", inGermany, true},
		{"acme", fleet.Residency{Region: "eu-core"}, true}, {"acme", fleet.Residency{Region: "north"}, false},
		{"acme", fleet.Residency{BlockedCountries: []string{"DE"}}, false}, {"acme", fleet.Residency{BlockedCountries: []string{"US"}}, true},
	} {
		if got := w.scheduler.AnyMatch(tt.tenant, tt.need.Labels()); got != tt.want {
			t.Errorf("AnyMatch(%q, %+v) = %v, want %v", tt.tenant, tt.need, got, tt.want)
		}
	}
	w.silence("a")
	w.advance(time.Minute)
	if w.scheduler.AnyMatch("acme", inGermany.Labels()) {
		t.Error("a lost node matches")
	}
}

func TestSimulatedLooksAtLiveNodesWithinReach(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.cluster("one", "acme")
	w.cluster("zens", "zen")
	simulate := func(name, runtime string) {
		w.changeNode(name, func(n *fleet.Node) { n.Runtime = runtime })
	}
	for _, step := range []struct {
		name           string
		do             func()
		any, acme, zen bool
	}{
		{"no node", func() {}, false, false, false},
		{"a node that does not say", func() { w.node("a", "one", "DE", "", roomy) }, false, false, false},
		{"a real one", func() { simulate("a", fleet.RuntimeDocker) }, false, false, false},
		{"a simulated one", func() { simulate("a", fleet.RuntimeSimulated) }, true, true, false},
		{"it is relabelled", func() { w.relabel("a", "CA", "") }, true, true, false},
		{"it moves to others", func() { w.changeNode("a", func(n *fleet.Node) { n.Cluster = "zens" }) }, true, false, true},
		{"these are granted to all", func() { w.cluster("zens", fleet.AllTenants) }, true, true, true},
		{"it is lost", func() { w.silence("a"); w.advance(time.Minute) }, false, false, false},
		{"it is back", func() { w.served["a"] = true; w.beat("a") }, true, true, true},
		{"it comes to be real", func() { simulate("a", fleet.RuntimeDocker) }, false, false, false},
		{"it is deleted", func() { simulate("a", fleet.RuntimeSimulated); w.deleteNode("a") }, false, false, false},
	} {
		step.do()
		for tenant, want := range map[string]bool{"": step.any, "acme": step.acme, "zen": step.zen} {
			if got := w.scheduler.Simulated(tenant); got != want {
				t.Errorf("%s: Simulated(%q) = %v", step.name, tenant, got)
			}
		}
	}
}
