package scheduler

import (
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

// failing is a policy over web with failover: weights as given, on a and b.
func failing(mode, weights, more string) string {
	return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {` + weights + `}}
  failover: {application: {purgeMode: ` + mode + more + `}}
`
}

const (
	dynamically = `weightPreference: {dynamicWeight: AvailableReplicas}`
	equally     = ``
	packed      = `replicaDivisionPreference: Aggregated`
)

// ill and cured have the agents of a cluster say so of all replicas of web.
func (w *world) say(cluster string, state fleet.ContainerState) {
	for _, c := range w.store.of(w.uid("web")) {
		if !c.Stop && w.store.nodes[c.Node].Cluster == cluster {
			w.report(c.ID, state)
		}
	}
	w.rest()
}

// carry has the agents of a cluster start and stop what they are told, and no more: elsewhere nothing comes to run.
func (w *world) carry(cluster string) {
	for range 3 {
		w.rest()
		for _, c := range w.store.of(w.uid("web")) {
			switch {
			case w.store.nodes[c.Node].Cluster != cluster:
			case c.Stop && c.State != fleet.StateStopped:
				w.report(c.ID, fleet.StateStopped)
			case !c.Stop && c.State == fleet.StateAssigned:
				w.report(c.ID, fleet.StateRunning)
			}
		}
	}
}

func TestFailover(t *testing.T) {
	seconds := func(n int) func(*world) { return func(w *world) { w.advance(time.Duration(n) * time.Second) } }
	say := func(cluster string, state fleet.ContainerState) func(*world) {
		return func(w *world) { w.say(cluster, state) }
	}
	carry := func(cluster string) func(*world) { return func(w *world) { w.carry(cluster) } }
	type step struct {
		name  string
		do    func(*world)
		split string
	}
	for _, tt := range []struct {
		name, policy string
		steps        []step
	}{
		{"Immediately: 299 s nothing, 301 s acts", failing("Immediately", equally, ""), []step{
			{"unhealthy", say("a", fleet.StateUnhealthy), "a=2 b=2"},
			{"299 s", seconds(299), "a=2 b=2"},
			{"301 s", seconds(2), "b=4"},
			{"and it does not come back by itself", seconds(3600), "b=4"},
		}},
		{"a toleration of its own", failing("Immediately", dynamically, ", decisionConditions: {tolerationSeconds: 30}"), []step{
			{"failed", say("a", fleet.StateFailed), "a=2 b=2"},
			{"29 s", seconds(29), "a=2 b=2"},
			{"31 s", seconds(2), "b=4"},
		}},
		{"no toleration at all", failing("Immediately", equally, ", decisionConditions: {tolerationSeconds: 0}"), []step{
			{"at once", say("a", fleet.StateUnhealthy), "b=4"},
		}},
		{"recovered in time", failing("Immediately", equally, ""), []step{
			{"unhealthy", say("a", fleet.StateUnhealthy), "a=2 b=2"},
			{"299 s", seconds(299), "a=2 b=2"},
			{"recovered", say("a", fleet.StateRunning), "a=2 b=2"},
			{"nothing happens", seconds(600), "a=2 b=2"},
			{"and the time begins afresh", say("a", fleet.StateUnhealthy), "a=2 b=2"},
			{"299 s", seconds(299), "a=2 b=2"},
			{"301 s", seconds(2), "b=4"},
		}},
		{"starting again is not recovering", failing("Immediately", equally, ""), []step{
			{"exited", say("a", fleet.StateExited), "a=2 b=2"},
			{"starting", say("a", fleet.StateStarting), "a=2 b=2"},
			{"301 s", seconds(301), "b=4"},
		}},
		{"both at the same time: nowhere to go", failing("Immediately", equally, ""), []step{
			{"a", say("a", fleet.StateUnhealthy), "a=2 b=2"},
			{"b a little later", func(w *world) { w.advance(10 * time.Second); w.say("b", fleet.StateUnhealthy) }, "a=2 b=2"},
			{"a is moved", seconds(291), "b=4"},
			{"b has nowhere to go", seconds(600), "b=4"},
		}},
		{"Graciously: the old go when the new are healthy", failing("Graciously", equally, ""), []step{
			{"unhealthy for 301 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(301 * time.Second) }, "a=2 b=4"},
			{"the new ones run", carry("b"), "b=4"},
		}},
		{"Graciously: the old go after the grace", failing("Graciously", dynamically, ""), []step{
			{"unhealthy for 301 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(301 * time.Second) }, "a=2 b=4"},
			{"598 s later", seconds(598), "a=2 b=4"},
			{"602 s later", seconds(4), "b=4"},
		}},
		{"Graciously: a grace of its own", failing("Graciously", packed, ", gracePeriodSeconds: 60"), []step{
			{"unhealthy for 301 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(301 * time.Second) }, "a=4 b=4"},
			{"58 s later", seconds(58), "a=4 b=4"},
			{"62 s later", seconds(4), "b=4"},
		}},
		{"Graciously: recovery at 599 s calls the move off (static)", failing("Graciously", equally, ""), []step{
			{"unhealthy for 300 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(300 * time.Second) }, "a=2 b=4"},
			{"recovered 599 s later", func(w *world) { w.advance(599 * time.Second); w.say("a", fleet.StateRunning) }, "a=2 b=2"},
			{"for good", seconds(3600), "a=2 b=2"},
		}},
		{"Graciously: recovery at 599 s calls the move off (dynamic)", failing("Graciously", dynamically, ""), []step{
			{"unhealthy for 300 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(300 * time.Second) }, "a=2 b=4"},
			{"recovered 599 s later", func(w *world) { w.advance(599 * time.Second); w.say("a", fleet.StateRunning) }, "a=2 b=2"},
		}},
		{"Graciously: a change does not hide that it is unhealthy still", failing("Graciously", equally, ""), []step{
			{"unhealthy for 301 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(301 * time.Second) }, "a=2 b=4"},
			{"scaled: the move is forgotten", func(w *world) { w.apply(webOf("web", 6, "")); w.rest() }, "a=3 b=3"},
			{"299 s later", seconds(299), "a=3 b=3"},
			{"301 s later", seconds(2), "a=3 b=6"},
		}},
		{"both were moved off, and a change forgets both", failing("Immediately", equally, ", decisionConditions: {tolerationSeconds: 30}"), []step{
			{"b is moved off", func(w *world) { w.say("b", fleet.StateUnhealthy); w.advance(31 * time.Second) }, "a=4"},
			{"scaled", func(w *world) { w.apply(webOf("web", 6, "")); w.rest() }, "a=3 b=3"},
			{"a is moved off", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(31 * time.Second) }, "b=6"},
		}},
		{"Graciously: where others are healthy already, nothing is waited for", failing("Graciously", "replicaSchedulingType: Duplicated", ""), []step{
			{"unhealthy for 299 s", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(299 * time.Second) }, "a=4 b=4"},
			{"301 s", seconds(2), "b=4"},
		}},
		{"Never: left in place", failing("Never", equally, ""), []step{
			{"unhealthy for an hour", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(time.Hour) }, "a=2 b=2"},
		}},
		{"a change of the workload brings it back", failing("Immediately", equally, ""), []step{
			{"moved", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(301 * time.Second) }, "b=4"},
			{"scaled", func(w *world) { w.apply(webOf("web", 6, "")); w.rest() }, "a=3 b=3"},
		}},
		{"dividing afresh brings it back", failing("Immediately", dynamically, ""), []step{
			{"moved", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(301 * time.Second); w.carry("a") }, "b=4"},
			{"divided afresh", func(w *world) { w.scheduler.ResourceChanged(w.afresh(w.uid("web"))); w.rest() }, "a=2 b=2"},
		}},
		{"Karmada's words", "\n" + `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {}}
  failover: {application: {purgeMode: Gracefully, decisionConditions: {tolerationSeconds: 1}}}
`, []step{
			{"moved gracefully", func(w *world) { w.say("a", fleet.StateUnhealthy); w.advance(2 * time.Second) }, "a=2 b=4"},
		}},
	} {
		for _, restarts := range []bool{false, true} {
			name := tt.name
			if restarts {
				name += ", across restarts"
			}
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, fleet.GeoAwareness{})
				w.three(slots(50))
				if tt.policy == failing("Graciously", packed, ", gracePeriodSeconds: 60") {
					w.changeNode("node-a", func(n *fleet.Node) { n.Capacity = slots(60) })
				}
				w.apply(tt.policy + "---" + webOf("web", 4, ""))
				w.obey()
				for _, s := range tt.steps {
					s.do(w)
					if split := w.split(w.uid("web")); split != s.split {
						t.Errorf("%s: %q, want %q; %s", s.name, split, s.split, w.told(w.uid("web")))
					}
					if restarts {
						w.restart()
						w.rest()
					}
				}
			})
		}
	}
}

// TestFailoverOfACrashLoop: a container that crashes again and again runs for a moment each time, and is unhealthy all
// the same.
func TestFailoverOfACrashLoop(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(failing("Immediately", equally, "") + "---" + webOf("web", 4, ""))
	w.obey()
	for range 20 { // five minutes and a bit
		w.say("a", fleet.StateExited)
		w.advance(5 * time.Second)
		w.say("a", fleet.StateRunning)
		w.advance(15 * time.Second)
	}
	if split := w.split(w.uid("web")); split != "b=4" {
		t.Errorf("after 400 s of crashes %q, want it moved", split)
	}
}

func TestFailoverIsSaid(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(failing("Never", equally, "") + "---" + webOf("web", 4, ""))
	w.obey()
	uid := w.uid("web")
	w.said(uid)
	w.say("a", fleet.StateUnhealthy)
	w.advance(301 * time.Second)
	if told := w.told(uid); told != "Placed a=2/2 b=2/2 | failover_manual(a)" {
		t.Errorf("said %q", told)
	}
	if p := w.scheduler.Placement(uid, false).Pending; p == nil || p.Replicas != 2 {
		t.Errorf("pending %+v, want the two that are unhealthy", p)
	}
	if said := w.said(uid); len(said) != 1 || said[0] != EventFailoverManual {
		t.Errorf("events %v", said)
	}
	w.say("a", fleet.StateRunning)
	if told := w.told(uid); told != "Placed a=2/2 b=2/2" {
		t.Errorf("recovered: said %q", told)
	}
	w.apply(failing("Immediately", equally, ""))
	w.say("a", fleet.StateUnhealthy)
	w.advance(301 * time.Second)
	if told := w.told(uid); told != "Placed b=4/4 -a:moved_off" && told != "Placed a=0/0 b=4/4 -a:moved_off" {
		t.Errorf("moved: said %q", told)
	}
}

// TestAMoveCalledOffOpensAnother: the cluster that recovers is where the next one is moved to, whatever their names.
func TestAMoveCalledOffOpensAnother(t *testing.T) {
	for _, tt := range []struct{ recovers, ill, split string }{{"a", "b", "a=4"}, {"b", "a", "b=4"}} {
		w := newWorld(t, fleet.GeoAwareness{})
		w.three(roomy)
		w.apply(failing("Graciously", equally, "") + "---" + webOf("web", 4, ""))
		w.obey()
		w.say(tt.recovers, fleet.StateUnhealthy)
		w.advance(200 * time.Second)
		w.say(tt.ill, fleet.StateUnhealthy)
		w.advance(301 * time.Second)
		w.say(tt.recovers, fleet.StateRunning)
		w.carry(tt.recovers)
		if split := w.split(w.uid("web")); split != tt.split {
			t.Errorf("%s recovered: %q, want %q", tt.recovers, split, tt.split)
		}
	}
}

// TestTolerationBeginsAfreshAfterAWait: how long something was unhealthy before nobody looked does not count.
func TestTolerationBeginsAfreshAfterAWait(t *testing.T) {
	policy := failing("Immediately", equally, "")
	tests := []struct {
		name        string
		leave, back func(*world)
	}{
		{"kept by a policy that was deleted", func(w *world) { w.unpolicy("web") }, func(w *world) { w.apply(policy) }},
		{"waiting for an override policy", func(w *world) {
			w.apply(strings.Replace(policy, "spec:", "spec:\n  dependentOverrides: [later]", 1))
		}, func(w *world) { w.apply(policy) }},
		{"preserved", func(w *world) { w.discard("web", true) }, func(w *world) { w.apply(webOf("web", 4, "")) }},
	}
	for _, tt := range tests {
		for _, restarts := range []bool{false, true} {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(roomy)
			w.apply(policy + "---" + webOf("web", 4, ""))
			w.obey()
			w.say("a", fleet.StateUnhealthy)
			w.advance(200 * time.Second)
			tt.leave(w)
			w.rest()
			w.advance(200 * time.Second)
			if restarts {
				w.restart()
				w.rest()
			}
			tt.back(w)
			w.rest()
			for _, s := range []struct {
				after int
				want  string
			}{{0, "a=2 b=2"}, {299, "a=2 b=2"}, {2, "b=4"}} {
				w.advance(time.Duration(s.after) * time.Second)
				if split := w.split(w.uid("web")); split != s.want {
					t.Errorf("%s, restarts %v, %d s on: %q, want %q", tt.name, restarts, s.after, split, s.want)
				}
			}
		}
	}
}

// TestARecordEndsWithItsReplicas: a cluster is not said to need a person for replicas that were scaled away.
func TestARecordEndsWithItsReplicas(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(failing("Never", equally, "") + "---" + webOf("web", 4, ""))
	w.obey()
	uid := w.uid("web")
	for _, c := range w.store.of(uid) {
		if w.store.nodes[c.Node].Cluster == "a" {
			w.report(c.ID, fleet.StateUnhealthy)
			break
		}
	}
	w.rest()
	w.advance(301 * time.Second)
	if b := w.store.bindings[uid]; len(b.Failovers) != 1 || !b.Failovers[0].Manual {
		t.Errorf("unhealthy: %+v", b)
	}
	w.apply(webOf("web", 2, ""))
	w.rest()
	st := w.store.resources[uid].Status
	if b := w.store.bindings[uid]; len(b.Failovers) != 0 || st.PendingSince != nil || w.split(uid) != "a=1 b=1" {
		t.Errorf("scaled: %+v, status %+v, %s", b, st, w.split(uid))
	}
}

// TestFailoverNeverLeavesTheResidency: "no candidate inside, no move".
func TestFailoverNeverLeavesTheResidency(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
	w.three(roomy)
	w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [a, b, c]}}`) + "  failover: {application: {purgeMode: Immediately}}\n")
	uid := w.deploy("acme", "web", spec{image: "a", replicas: 2, residency: fleet.Residency{Country: "CA"}})
	w.obey()
	for _, c := range w.store.of(uid) {
		w.report(c.ID, fleet.StateUnhealthy)
	}
	w.advance(time.Hour)
	if split := w.split(uid); split != "a=2" {
		t.Errorf("moved to %q", split)
	}
	if told := w.told(uid); told != "Placed a=2/2 -b:geo_mismatch -c:geo_mismatch | failover_manual(a)" {
		t.Errorf("said %q, want that it has nowhere to go", told)
	}
	w.node("more", "c", "CA", "", roomy) // a candidate inside
	w.advance(5 * time.Second)
	if split := w.split(uid); split != "c=2" {
		t.Errorf("with a candidate inside %q, want c=2", split)
	}
}
