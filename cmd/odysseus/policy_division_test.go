package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

// divisions are the four, with what a split of a and b comes to where a has room for 6 and b for 2 further replicas.
var divisions = []struct {
	name, scheduling string
	want             string
}{
	{"Duplicated", "    replicaScheduling: {replicaSchedulingType: Duplicated}\n", "a=4 b=4"},
	{"static weights", `    replicaScheduling:
      weightPreference:
        staticWeightList:
        - {targetCluster: {clusterNames: [a]}, weight: 1}
        - {targetCluster: {clusterNames: [b]}, weight: 3}
`, "a=1 b=3"},
	{"dynamic weights", "    replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}\n", "a=3 b=1"},
	{"Aggregated", "    replicaScheduling: {replicaDivisionPreference: Aggregated}\n", "a=4 b=0"},
}

// TestSimulationAndPlacementAgree: "the code that answers is the scheduler's own": what it says of a workload, a policy
// and the fleet as it is comes to be when the two are applied; and again for a change of the count.
func TestSimulationAndPlacementAgree(t *testing.T) {
	for _, tt := range divisions {
		t.Run(tt.name, func(t *testing.T) {
			p := startPlane(t, "")
			token := p.tenant("acme")
			var all sites
			for cluster, cpu := range map[string]string{"a": "6", "b": "3"} {
				p.cluster(cluster)
				all = append(all, p.site(cluster, cluster+"-node", "", map[string]any{"cpu": cpu, "memory": "16Gi", "containers": 100}))
			}
			// Somebody else's replica takes room already.
			p.apply(token, "acme", over(ackOne, "other", "{apiVersion: apps/v1, kind: Deployment, name: other}", "b", ""), podded("other", 1, "        resources: {requests: {cpu: \"1\"}}\n"))
			all.act()
			policy := over(ackOne, "split", "{apiVersion: apps/v1, kind: Deployment, name: web}", "a, b", tt.scheduling)
			for _, replicas := range []int{4, 6, 3, 9} {
				workload := podded("web", replicas, "        resources: {requests: {cpu: \"1\"}}\n")
				said := p.simulated(token, "acme", workload, policy)
				if replicas == 4 && said.desired() != tt.want {
					t.Errorf("simulated: %s, want %s", said.desired(), tt.want)
				}
				if said.by() != "PropagationPolicy split" {
					t.Errorf("simulated under %q", said.by())
				}
				p.apply(token, "acme", policy, workload)
				all.act()
				is := p.placed(token, "acme", "Deployment", "web")
				if is.desired() != said.desired() {
					t.Errorf("%d replicas: simulated %s, placed %s", replicas, said.desired(), is.desired())
				}
				if listed, running := all.listed("web"), all.running("web"); listed != withoutNone(heldOf(is)) || running != listed {
					t.Errorf("%d replicas: the agents are to run %q and run %q, the placement says %+v", replicas, listed, running, is.Clusters)
				}
				lacking := 0
				if said.Pending != nil {
					lacking = said.Pending.Replicas
				}
				if is.Pending == nil && lacking > 0 || is.Pending != nil && is.Pending.Replicas != lacking || is.reasons() != said.reasons() {
					t.Errorf("%d replicas: simulated pending %+v, is %+v", replicas, said.Pending, is.Pending)
				}
			}
		})
	}
}

// simulated is what a simulation answers on documents, by the fleet as it is.
func (p *plane) simulated(token, namespace string, documents ...string) placementAnswer {
	p.t.Helper()
	p.settle()
	var answer struct{ Placement placementAnswer }
	p.must(http.StatusOK, http.MethodPost, "/api/v1/namespaces/"+namespace+"/scheduler/simulate", token, strings.Join(documents, "\n---\n")).decode(p.t, &answer)
	return answer.Placement
}

// heldOf is what the clusters hold: "a=2 b=0".
func heldOf(a placementAnswer) string {
	var parts []string
	for _, c := range a.Clusters {
		parts = append(parts, fmt.Sprintf("%s=%d", c.Name, c.Placed))
	}
	return strings.Join(parts, " ")
}

// withoutNone leaves out clusters that have nothing.
func withoutNone(split string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(split), func(s string) bool { return strings.HasSuffix(s, "=0") }), " ")
}

// TestReschedulingDividesAfresh: "equal count changes nothing, however skewed; POST …/reschedule divides afresh: weight =
// what is free plus what is held".
func TestReschedulingDividesAfresh(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	all := p.sitesOf("a")
	deployment := "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: ledger-api}\nspec: {image: nginx, replicas: 4, resources: {requests: {cpu: \"1\"}}}\n"
	p.apply(token, "acme", over(ackOne, "by-room", "{apiVersion: odysseus/v1, kind: Deployment}", "a, b",
		"    replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}\n"), deployment)
	all.wantRunning(t, "one cluster", "ledger-api", "a=4")
	all = append(all, p.sitesOf("b")...)
	all.wantRunning(t, "a second one", "ledger-api", "a=4")
	var before, after struct{ Object fleet.Deployment }
	const path = "/api/v1/namespaces/acme/deployments/ledger-api"
	p.must(http.StatusOK, http.MethodGet, path, token, nil).decode(t, &before.Object)
	p.must(http.StatusForbidden, http.MethodPost, path+"/reschedule", p.token("acme", "viewer"), nil)
	p.must(http.StatusOK, http.MethodPost, path+"/reschedule?dryRun=All", token, nil)
	all.wantRunning(t, "a dry run", "ledger-api", "a=4")
	p.must(http.StatusOK, http.MethodPost, path+"/reschedule", token, nil).decode(t, &after)
	if a, b := after.Object.Metadata, before.Object.Metadata; a.Generation != b.Generation+1 || a.ResourceVersion != b.ResourceVersion || a.UID != b.UID {
		t.Errorf("rescheduling makes %+v of %+v", a, b)
	}
	all.wantRunning(t, "divided afresh", "ledger-api", "a=2 b=2")
	if is := p.placedOwn(token, "acme", "ledger-api"); is.State != fleet.Placed || is.desired() != "a=2 b=2" || is.reasons() != "" {
		t.Errorf("placement %+v", is)
	}
	p.must(http.StatusNotFound, http.MethodPost, "/api/v1/namespaces/acme/deployments/nobody/reschedule", token, nil)
}

// TestAClusterThatFallsSilentGivesItsReplicasToTheOthers: "a cluster that leaves the candidates gives its replicas to the
// others by the same rule; static weights are divided again whenever the candidates change; dynamic ones only move what
// must move".
func TestAClusterThatFallsSilentGivesItsReplicasToTheOthers(t *testing.T) {
	for _, tt := range []struct{ name, scheduling, back string }{
		{"static weights", evenly, "a=2 b=2"},
		{"dynamic weights", "    replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}\n", "b=4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock := newHandClock()
			p := startPlaneAt(t, "agents: {heartbeat_seconds: 1, lease_seconds: 40}\n", clock.Now)
			token := p.tenant("acme")
			all := p.sitesOf("a", "b")
			p.apply(token, "acme", over(ackOne, "web", everyDeployment+", "+everyConfigMap, "a, b", tt.scheduling), podded("web", 4, ""), settings)
			all.wantRunning(t, "before", "web", "a=2 b=2")
			for range 9 {
				clock.advance(5 * time.Second)
				all[1].beat()
				p.settle()
			}
			if got := all[1:].listed("web"); got != "b=4" {
				t.Errorf("a is silent: %s", got)
			}
			all[1:].act()
			is := p.placed(token, "acme", "Deployment", "web")
			if is.State != fleet.Placed || is.desired() != "b=4" || is.out() != "a: cluster_unreachable" || is.reasons() != "" {
				t.Errorf("placement %+v", is)
			}
			all.wantRunning(t, "a is back", "web", tt.back)
			if is := p.placed(token, "acme", "Deployment", "web"); is.State != fleet.Placed || withoutNone(is.desired()) != tt.back || is.out() != "" {
				t.Errorf("placement %+v", is)
			}
			if is := p.placed(token, "acme", "ConfigMap", "settings"); is.on() != "a b" {
				t.Errorf("the ConfigMap is %+v", is)
			}
		})
	}
}

// TestMoreThanThereIsRoomFor: of a workload "each takes what it can and the rest is pending with capacity"; "Gang is there
// for all or nothing".
func TestMoreThanThereIsRoomFor(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	room := map[string]any{"cpu": "2", "memory": "16Gi", "containers": 100}
	p.cluster("a")
	p.cluster("b")
	all := sites{p.site("a", "a-node", "", room), p.site("b", "b-node", "", room)}
	const need = "        resources: {requests: {cpu: \"1\"}}\n"
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: training}\nspec:\n  parallelism: 4\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx, resources: {requests: {cpu: \"1\"}}}]}}\n"
	p.apply(token, "acme", over(ackOne, "web", everyDeployment, "a, b", "    replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}\n"),
		over(ackOne, "training", "{apiVersion: batch/v1, kind: Job}", "a, b", "    replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}, customSchedulingType: Gang}\n"),
		podded("web", 5, need))
	all.wantRunning(t, "five where four have room", "web", "a=2 b=2")
	if is := p.placed(token, "acme", "Deployment", "web"); is.State != fleet.PartlyPlaced || is.reasons() != "capacity" || is.Pending.Replicas != 1 {
		t.Errorf("placement %+v", is)
	}
	p.apply(token, "acme", podded("web", 1, need))
	all.act()
	p.apply(token, "acme", job)
	all.wantRunning(t, "four together where three have room", "training", "")
	if is := p.placed(token, "acme", "Job", "training"); is.State != fleet.Pending || is.Pending.Replicas != 4 || !strings.Contains(is.reasons(), "gang") {
		t.Errorf("placement %+v", is)
	}
	p.must(http.StatusOK, http.MethodDelete, resourcePath("acme", "Deployment", "web", ""), token, nil)
	all.wantRunning(t, "four have room", "training", "a=2 b=2")
	if is := p.placed(token, "acme", "Job", "training"); is.State != fleet.Placed || is.reasons() != "" {
		t.Errorf("placement %+v", is)
	}
}

// TestAPolicyWithoutItsOverridesWaits: "until each exists the policy is already the claimant and the binding is Waiting
// (waiting_for_override_policy)".
func TestAPolicyWithoutItsOverridesWaits(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	all := p.sitesOf("a")
	p.apply(token, "acme", over(ackOne, "web", everyDeployment, "a", "  dependentOverrides: [registry]\n"), podded("web", 2, ""))
	all.wantRunning(t, "without the override policy", "web", "")
	if is := p.placed(token, "acme", "Deployment", "web"); is.State != fleet.Waiting || is.by() != "PropagationPolicy web" || is.reasons() != "waiting_for_override_policy" {
		t.Errorf("placement %+v", is)
	}
	p.apply(token, "acme", over(ackOne, "web", everyDeployment, "a", ""))
	all.wantRunning(t, "without needing it", "web", "a=2")
}
