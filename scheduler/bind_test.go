package scheduler

import (
	"testing"
	"time"

	"odysseus/fleet"
)

const staticTwoOne = `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {weightPreference: {staticWeightList: [
      {targetCluster: {clusterNames: [a]}, weight: 2}, {targetCluster: {clusterNames: [b]}, weight: 1}]}}}`

// TestWeightsPlace is the example of ACK One: "weights 2 and 1 over three replicas give two and one".
func TestWeightsPlace(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(webOf("web", 3, "") + "---" + policyOver("web", staticTwoOne) + `---
apiVersion: v1
kind: ConfigMap
metadata: {name: cm}
data: {greeting: hello}
---
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: configs}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [a, b]}}}
`)
	w.obey()
	uid := w.uid("web")
	steps := []struct {
		name        string
		do          func()
		split, told string
	}{
		{"three", func() {}, "a=2 b=1", "Placed a=2/2 b=1/1"},
		{"two", func() { w.apply(webOf("web", 2, "")) }, "a=1 b=1", "Placed a=1/1 b=1/1"},
		{"four", func() { w.apply(webOf("web", 4, "")) }, "a=3 b=1", "Placed a=3/3 b=1/1"},
		{"none", func() { w.apply(webOf("web", 0, "")) }, "", "Placed a=0/0 b=0/0"},
		{"again", func() { w.apply(webOf("web", 3, "")) }, "a=2 b=1", "Placed a=2/2 b=1/1"},
	}
	for _, s := range steps {
		s.do()
		w.obey()
		if split, told := w.split(uid), w.told(uid); split != s.split || told != s.told {
			t.Errorf("%s: %q, said %q; want %q, said %q", s.name, split, told, s.split, s.told)
		}
	}
	if told := w.told(w.uid("cm")); told != "Placed a=0/0 b=0/0" {
		t.Errorf("the ConfigMap: %s", told)
	}
}

func TestDivisionInPlacing(t *testing.T) {
	const all = `{clusterAffinity: {clusterNames: [a, b, c]}`
	tests := []struct {
		name      string
		room      [3]int64
		placement string
		replicas  int
		more      string // a manifest of its own, instead of a Deployment
		split     string
		told      string
	}{
		{"the block left out is Duplicated", [3]int64{9, 9, 9}, `{clusterAffinity: {clusterNames: [a, c]}}`, 2, "", "a=2 c=2", "Placed a=2/2 c=2/2"},
		{"without weights all weigh the same", [3]int64{9, 9, 9}, all + `, replicaScheduling: {}}`, 3, "", "a=1 b=1 c=1", "Placed a=1/1 b=1/1 c=1/1"},
		{"static weights are not spilt elsewhere", [3]int64{1, 9, 9}, staticTwoOne, 3, "", "a=1 b=1", "PartlyPlaced a=2/1 b=1/1 | capacity(a)"},
		{"dynamic weights", [3]int64{6, 3, 0}, all + `, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}`, 3, "", "a=2 b=1", "Placed a=2/2 b=1/1 c=0/0"},
		{"dynamic weights beyond what all can take", [3]int64{2, 1, 0}, all + `, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}`, 5, "", "a=2 b=1", "PartlyPlaced a=2/2 b=1/1 c=0/0 | capacity"},
		{"aggregated", [3]int64{6, 4, 2}, all + `, replicaScheduling: {replicaDivisionPreference: Aggregated}}`, 7, "", "a=4 b=3", "Placed a=4/4 b=3/3 c=0/0"},
		{"aggregated fits into one", [3]int64{6, 4, 2}, all + `, replicaScheduling: {replicaDivisionPreference: Aggregated}}`, 6, "", "a=6", "Placed a=6/6 b=0/0 c=0/0"},
		{"exclusion beats inclusion", [3]int64{9, 9, 9}, `{clusterAffinity: {clusterNames: [a, b], excludeClusters: [b]}}`, 1, "", "a=1", "Placed a=1/1"},
		{"no cluster selected", [3]int64{9, 9, 9}, `{clusterAffinity: {clusterNames: [nowhere]}}`, 1, "", "", "Pending | no_cluster_selected"},
		{"a gang without room for all", [3]int64{2, 1, 0}, all + `, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}, customSchedulingType: Gang}}`, 4, jobOf("web", 4, ""), "", "Pending a=0/0 b=0/0 c=0/0 | gang"},
		{"a gang with room for all", [3]int64{2, 2, 0}, all + `, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}, customSchedulingType: Gang}}`, 4, jobOf("web", 4, ""), "a=2 b=2", "Placed a=2/2 b=2/2 c=0/0"},
		{"fewer completions than run at once", [3]int64{9, 9, 9}, `{clusterAffinity: {clusterNames: [a]}}`, 0, jobOf("web", 4, ", completions: 2"), "a=2", "Placed a=2/2"},
		{"more completions than run at once", [3]int64{9, 9, 9}, `{clusterAffinity: {clusterNames: [a]}}`, 0, jobOf("web", 4, ", completions: 8"), "", "Pending -a:runtime_unsupported | runtime_unsupported(a) spec.completions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			for i, room := range tt.room {
				name := string(rune('a' + i))
				w.cluster(name, fleet.AllTenants)
				w.node("node-"+name, name, "", "", slots(room))
			}
			workload := tt.more
			if workload == "" {
				workload = webOf("web", tt.replicas, "")
			}
			placement := tt.placement
			policy := policyOver("web", placement)
			if tt.more != "" {
				policy = jobPolicy(placement)
			}
			w.apply(policy + "---" + workload)
			w.obey()
			if split, told := w.split(w.uid("web")), w.told(w.uid("web")); split != tt.split || told != tt.told {
				t.Errorf("%q, said %q; want %q, said %q", split, told, tt.split, tt.told)
			}
		})
	}
}

func jobPolicy(placement string) string {
	return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec: {resourceSelectors: [{apiVersion: batch/v1, kind: Job}], placement: ` + placement + "}\n"
}

func TestDynamicWeightsMoveNothingNeedlessly(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(slots(10))
	w.apply(policyOver("web", `{replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}`) + "---" + webOf("web", 3, ""))
	w.obey()
	uid := w.uid("web")
	steps := []struct {
		name  string
		do    func()
		split string
	}{
		{"evenly", func() {}, "a=1 b=1 c=1"},
		{"equal count changes nothing, however skewed", func() { w.changeNode("node-a", func(n *fleet.Node) { n.Capacity = slots(90) }) }, "a=1 b=1 c=1"},
		{"scaling up allots only the new ones, by what is available now", func() { w.apply(webOf("web", 12, "")) }, "a=8 b=2 c=2"},
		{"scaling down divides by the shares held", func() { w.apply(webOf("web", 6, "")) }, "a=4 b=1 c=1"},
		{"a cluster that leaves gives its replicas to the others", func() { w.label("a", nil); w.cluster("b", "nobody") }, "a=5 c=1"},
		{"and gets none back by itself", func() { w.cluster("b", fleet.AllTenants) }, "a=5 c=1"},
	}
	for _, s := range steps {
		s.do()
		w.obey()
		if split := w.split(uid); split != s.split {
			t.Errorf("%s: %q, want %q", s.name, split, s.split)
		}
	}
	w.scheduler.ResourceChanged(w.afresh(uid))
	w.obey()
	if split := w.split(uid); split != "a=4 b=1 c=1" {
		t.Errorf("divided afresh: %q, want a=4 b=1 c=1", split)
	}
}

// afresh asks to divide afresh.
func (w *world) afresh(uid string) fleet.StoredResource {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	r := w.store.resources[uid]
	r.Generation++
	r.DividedAfresh = r.Generation
	w.store.resources[uid] = r
	return r
}

func TestResidencyBeforeDivision(t *testing.T) {
	inside := fleet.Residency{Country: "CA"}
	const split = `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {weightPreference: {staticWeightList: [
      {targetCluster: {clusterNames: [a]}, weight: 1}, {targetCluster: {clusterNames: [b]}, weight: 3}]}}}`
	t.Run("a cluster outside is named and gets nothing", func(t *testing.T) {
		w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
		w.three(roomy)
		w.apply(policyOver("web", split))
		uid := w.deploy("acme", "web", spec{image: "a", replicas: 4, residency: inside})
		w.obey()
		if split, told := w.split(uid), w.told(uid); split != "a=4" || told != "Placed a=4/4 -b:geo_mismatch" {
			t.Errorf("%q, said %q", split, told)
		}
		// Not under enforcement: then the weights alone decide.
		w.set(fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
		w.obey()
		if split := w.split(uid); split != "a=1 b=3" {
			t.Errorf("without enforcement %q", split)
		}
		// What then is outside stays where it is, and is shown: that is what on_drift: report says.
		w.set(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
		w.obey()
		if split := w.split(uid); split != "a=1 b=3" {
			t.Errorf("reported, not moved: %q", split)
		}
		w.set(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReschedule})
		w.obey()
		if split := w.split(uid); split != "a=4" {
			t.Errorf("moved inside: %q", split)
		}
	})
	t.Run("no candidate inside: pending with what is reported, and placed when one appears", func(t *testing.T) {
		w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
		w.three(roomy)
		w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [b, c]}}`))
		uid := w.deploy("acme", "web", spec{image: "a", replicas: 2, residency: inside})
		w.obey()
		if split, told := w.split(uid), w.told(uid); split != "" || told != "Pending -b:geo_mismatch -c:geo_mismatch | geo_mismatch" {
			t.Errorf("%q, said %q", split, told)
		}
		reason := w.scheduler.Placement(uid, false).Pending.Reasons[0]
		if got := reason.Reported.Countries; len(got) != 2 || got[0] != "DE" || got[1] != "US" {
			t.Errorf("reported %v, want the values of the selected clusters alone", got)
		}
		staff := w.scheduler.Placement(uid, true).Pending.Reasons[0].Nodes
		if len(staff) != 2 || staff[0].Name != "node-b" || staff[1].Name != "node-c" || staff[0].Reason != fleet.ReasonGeoMismatch {
			t.Errorf("staff are told of %+v, want the nodes of the selected clusters", staff)
		}
		w.node("new", "c", "CA", "", roomy)
		w.obey()
		if split, told := w.split(uid), w.told(uid); split != "c=2" || told != "Placed c=2/2 -b:geo_mismatch" {
			t.Errorf("once one is there: %q, said %q", split, told)
		}
	})
}

// TestDuplicatedReplicasThatDrift: what comes to be outside "is shown as drift, nothing is moved", and counts for the full
// count of its cluster: none is added for it, and scaling down reaches it.
func TestDuplicatedReplicasThatDrift(t *testing.T) {
	on := fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport}
	tests := []struct {
		name, clusters              string
		before, enforced, one, none string
	}{
		{"on a cluster without a node inside", "a, b", "a=2 b=2", "a=2 b=2", "a=1 b=1", ""},
		{"on a cluster with a node inside", "a, d", "a=2 d=2", "a=2 d=2", "a=1 d=1", ""},
		{"on all", "b, c", "b=2 c=2", "b=2 c=2", "b=1 c=1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(roomy)
			w.cluster("d", fleet.AllTenants)
			w.node("node-d1", "d", "CA", "", slots(2))
			w.node("node-d2", "d", "DE", "", slots(1))
			w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [`+tt.clusters+`]}}`))
			uid := w.deploy("acme", "web", spec{image: "a", replicas: 2, residency: fleet.Residency{Country: "CA"}})
			for _, s := range []struct {
				name string
				do   func()
				want string
			}{
				{"before", func() {}, tt.before},
				{"under enforcement", func() { w.set(on) }, tt.enforced},
				{"scaled to one", func() { w.edit(uid, spec{image: "a", replicas: 1, residency: fleet.Residency{Country: "CA"}}) }, tt.one},
				{"scaled to none", func() { w.edit(uid, spec{image: "a", replicas: 0, residency: fleet.Residency{Country: "CA"}}) }, tt.none},
			} {
				s.do()
				w.obey()
				if split := w.split(uid); split != s.want {
					t.Errorf("%s: %q, want %q; %s", s.name, split, s.want, w.told(uid))
				}
			}
		})
	}
}

// TestStaticPartsCountWhatDrifts: a part that is fixed is not exceeded by what is outside, and where it shrinks that goes
// first.
func TestStaticPartsCountWhatDrifts(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.cluster("a", fleet.AllTenants)
	w.cluster("b", fleet.AllTenants)
	w.node("node-a1", "a", "CA", "", slots(1))
	w.node("node-a2", "a", "DE", "", slots(1))
	w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {}}`))
	uid := w.deploy("acme", "web", spec{image: "a", replicas: 2, residency: fleet.Residency{Country: "CA"}})
	w.obey()
	w.set(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
	w.obey()
	if split, told := w.split(uid), w.told(uid); split != "a=2" || told != "Placed a=2/2 -b:cluster_unreachable" {
		t.Errorf("while b is silent: %q, said %q", split, told)
	}
	w.node("node-b", "b", "CA", "", roomy)
	w.obey()
	if split := w.split(uid); split != "a=1 b=1" || w.nodesOf(uid)[0] != "node-a1" {
		t.Errorf("once b is there: %q on %v, want the one outside to go", split, w.nodesOf(uid))
	}
}

// TestWhatCannotBeCarriedOutIsScaledDown: it goes on as it is, but no more of it than is wanted.
func TestWhatCannotBeCarriedOutIsScaledDown(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(jobPolicy(`{clusterAffinity: {clusterNames: [a]}, replicaScheduling: {}}`) + "---" + jobOf("web", 3, ""))
	w.obey()
	for _, s := range []struct{ name, job, split string }{
		{"as it is", jobOf("web", 3, ", completions: 9"), "a=3"},
		{"fewer at once", jobOf("web", 1, ", completions: 9"), "a=1"},
		{"none", jobOf("web", 0, ", completions: 9"), ""},
	} {
		w.apply(s.job)
		w.obey()
		if split := w.split(w.uid("web")); split != s.split {
			t.Errorf("%s: %q, want %q; %s", s.name, split, s.split, w.told(w.uid("web")))
		}
	}
}

// TestARolloutGoesOnBesideAFullCluster: replicas are replaced one at a time, in their own clusters; one whose cluster is
// full does not hold up the others.
func TestARolloutGoesOnBesideAFullCluster(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	for name, room := range map[string]int64{"a": 1, "b": 2} {
		w.cluster(name, fleet.AllTenants)
		w.node("node-"+name, name, "", "", slots(room))
	}
	w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {}}`))
	uid := w.deploy("acme", "web", spec{image: "a", replicas: 2})
	w.obey()
	w.edit(uid, spec{image: "b", replicas: 2})
	w.obey()
	revisions := map[string]int64{}
	for _, c := range w.store.of(uid) {
		revisions[c.Node] = c.Revision
	}
	if split := w.split(uid); split != "a=1 b=1" || revisions["node-a"] != 1 || revisions["node-b"] != 2 {
		t.Errorf("%q, revisions %v: want the one on b replaced", split, revisions)
	}
	w.changeNode("node-a", func(n *fleet.Node) { n.Capacity = slots(2) })
	w.obey()
	if list := w.store.of(uid); len(list) != 2 || list[0].Revision != 2 || list[1].Revision != 2 {
		t.Errorf("with room %+v", list)
	}
}

// TestAJobsReplicaThatEndedHasDoneItsWork: it need not leave a node that is emptied, whatever it said before it ended.
func TestAJobsReplicaThatEndedHasDoneItsWork(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(slots(1))
	w.apply(jobPolicy(`{clusterAffinity: {clusterNames: [a]}, replicaScheduling: {}}`) + "---" + jobOf("web", 1, ""))
	w.obey()
	id := w.store.of(w.uid("web"))[0].ID
	w.report(id, fleet.StateUnhealthy)
	w.drain("node-a", time.Hour)
	w.rest()
	if told := w.told(w.uid("web")); told != "Placed a=1/1 | capacity(a)" {
		t.Errorf("while it runs: %q", told)
	}
	w.report(id, fleet.StateExited)
	w.rest()
	if told, st := w.told(w.uid("web")), w.store.resources[w.uid("web")].Status; told != "Placed a=1/1" || st.PendingSince != nil {
		t.Errorf("once it has ended: %q, status %+v", told, st)
	}
}
