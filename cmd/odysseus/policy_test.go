package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// examples are the documents of ACK One's page as they stand: two propagation policies, an override policy, and the
// Deployment and the ConfigMap that they select.
func examples(t *testing.T) (weighted, dynamic, deployment, configMap string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/ack-one-examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs := strings.Split(string(raw), "\n---\n")
	if len(docs) != 5 {
		t.Fatalf("%d documents, want 5", len(docs))
	}
	return docs[0], docs[1], docs[3], docs[4]
}

// labelsOfExamples are what the second policy of the page selects clusters by.
var labelsOfExamples = map[string]string{"region": "A", "az": "zone0", "app": "nginx"}

// exampleSites are the clusters that the page's policies name: the first has three times the second's room, and the
// third is excluded by name though its labels fit.
func (p *plane) exampleSites() sites {
	p.t.Helper()
	var all sites
	for _, of := range []struct{ cluster, cpu string }{{"cluster-1", "6"}, {"cluster-2", "2"}, {"cluster-9", "8"}} {
		p.clusterWith(of.cluster, labelsOfExamples)
		all = append(all, p.site(of.cluster, of.cluster+"-node", "", map[string]any{"cpu": of.cpu, "memory": "16Gi", "containers": 100}))
	}
	return all
}

// batchOfExamples is selected by the first policy's label selector, and reads the ConfigMap.
const batchOfExamples = `apiVersion: apps/v1
kind: Deployment
metadata: {name: nightly, labels: {app: batch}}
spec:
  replicas: 6
  selector: {matchLabels: {app: batch}}
  template:
    metadata: {labels: {app: batch}}
    spec:
      containers:
      - name: nightly
        image: registry.example.com/nightly:1.0.0
        envFrom: [{configMapRef: {name: cm-demo}}]
`

// TestACKOnesWeightsAsTheyStand: "weights 2 and 1 over three replicas give two and one", "the ConfigMap is on both".
func TestACKOnesWeightsAsTheyStand(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("demo")
	all := p.exampleSites()
	weighted, _, deployment, configMap := examples(t)
	if got := p.apply(token, "demo", weighted, deployment, configMap, batchOfExamples); !slices.Equal(got, []string{"created", "created", "created", "created"}) {
		t.Fatalf("applied: %v", got)
	}
	all.wantRunning(t, "applied", "web-demo", "cluster-1=2 cluster-2=1")
	all.wantRunning(t, "applied", "nightly", "cluster-1=4 cluster-2=2")
	for id, c := range all.containers("web-demo") {
		if c.Image != "nginx:latest" || len(c.Ports) != 1 || c.Ports[0].ContainerPort != 80 || len(c.Env) != 0 || c.RestartPolicy != "Always" {
			t.Errorf("%s is to run %+v", id, c)
		}
	}
	for id, c := range all.containers("nightly") {
		if len(c.Env) != 1 || c.Env[0].Name != "greeting" || c.Env[0].Value != "hello" {
			t.Errorf("%s has the environment %+v", id, c.Env)
		}
	}
	web := p.placed(token, "demo", "Deployment", "web-demo")
	if web.State != fleet.Placed || web.by() != "PropagationPolicy web-demo" || web.desired() != "cluster-1=2 cluster-2=1" || web.reasons() != "" || web.out() != "" {
		t.Errorf("web-demo: %+v", web)
	}
	for i, weight := range []int64{2, 1} {
		c := web.Clusters[i]
		if c.Weight == nil || *c.Weight != weight || c.Placed != c.Desired || c.Ready != c.Desired || c.Nodes != nil {
			t.Errorf("web-demo on %s: %+v", c.Name, c)
		}
	}
	if cm := p.placed(token, "demo", "ConfigMap", "cm-demo"); cm.State != fleet.Placed || cm.on() != "cluster-1 cluster-2" || cm.by() != "PropagationPolicy web-demo" {
		t.Errorf("cm-demo: %+v", cm)
	}
	if got := p.apply(token, "demo", weighted, deployment, configMap, batchOfExamples); !slices.Equal(got, []string{"unchanged", "unchanged", "unchanged", "unchanged"}) {
		t.Errorf("applied again: %v", got)
	}
	// "2 : 1 gives 3 → 2/1, 2 → 1/1, 4 → 3/1": the first to go and the last to come are where the rule says.
	for _, scaled := range []struct {
		replicas int
		want     string
	}{{2, "cluster-1=1 cluster-2=1"}, {4, "cluster-1=3 cluster-2=1"}, {0, ""}, {3, "cluster-1=2 cluster-2=1"}} {
		p.apply(token, "demo", strings.Replace(deployment, "replicas: 3", fmt.Sprintf("replicas: %d", scaled.replicas), 1))
		all.wantRunning(t, fmt.Sprintf("scaled to %d", scaled.replicas), "web-demo", scaled.want)
	}
}

// dynamicOfExamples is what the second policy selects.
var dynamicOfExamples = podded("web-dynamic", 4, "        resources: {requests: {cpu: \"1\"}}\n")

// TestACKOnesDynamicWeightsAsTheyStand: "the second divides by free capacity and fails over after 30 s", and no
// sooner, whether or not the control plane was there all the time.
func TestACKOnesDynamicWeightsAsTheyStand(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarts=%v", restarts), func(t *testing.T) {
			clock := newHandClock()
			p := startPlaneAt(t, "", clock.Now)
			token := p.tenant("demo")
			all := p.exampleSites()
			_, dynamic, _, _ := examples(t)
			p.apply(token, "demo", dynamic, dynamicOfExamples)
			all.wantRunning(t, "applied", "web-dynamic", "cluster-1=3 cluster-2=1")
			before := p.placed(token, "demo", "Deployment", "web-dynamic")
			if before.State != fleet.Placed || before.by() != "PropagationPolicy web-dynamic" || before.desired() != "cluster-1=3 cluster-2=1" || before.out() != "" {
				t.Errorf("placement %+v", before)
			}
			all.say("cluster-2", "web-dynamic", "unhealthy")
			all.pass(clock, seconds(29))
			all.wantRunning(t, "29 s", "web-dynamic", "cluster-1=3 cluster-2=1")
			if restarts {
				p.stop()
				p.start()
			}
			all.pass(clock, seconds(2))
			all.wantRunning(t, "31 s", "web-dynamic", "cluster-1=4")
			after := p.placed(token, "demo", "Deployment", "web-dynamic")
			if after.State != fleet.Placed || after.desired() != "cluster-1=4" || after.out() != "cluster-2: moved_off" || after.reasons() != "" {
				t.Errorf("placement %+v", after)
			}
		})
	}
}

// TestAResidencyTakesAClusterOutOfASplit: "a cluster without one is no candidate; it is named with its reason. No
// candidate: the workload is pending, never placed elsewhere."
func TestAResidencyTakesAClusterOutOfASplit(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("canada")
	p.cluster("europe")
	all := sites{p.site("canada", "edge-yul-1", "CA", nil), p.site("europe", "core-fra-1", "DE", nil)}
	p.apply(token, "acme", over(ackOne, "two-to-one", "{apiVersion: odysseus/v1, kind: Deployment}", "canada, europe", `    replicaScheduling:
      weightPreference:
        staticWeightList:
        - {targetCluster: {clusterNames: [canada]}, weight: 1}
        - {targetCluster: {clusterNames: [europe]}, weight: 2}
`), `apiVersion: odysseus/v1
kind: Deployment
metadata: {name: ledger-api}
spec:
  image: registry.example.com/ledger-api:1.4.0
  replicas: 3
  placement: {residency: {country: CA}}
`, `apiVersion: odysseus/v1
kind: Deployment
metadata: {name: kanji-search}
spec:
  image: registry.example.com/kanji-search:3.1.0
  replicas: 3
  placement: {residency: {country: JP}}
`, `apiVersion: odysseus/v1
kind: Deployment
metadata: {name: storefront}
spec: {image: registry.example.com/storefront:2.0.1, replicas: 3}
`)
	all.wantRunning(t, "without residency", "storefront", "canada=1 europe=2")
	all.wantRunning(t, "within Canada", "ledger-api", "canada=3")
	ledger := p.placedOwn(token, "acme", "ledger-api")
	if ledger.State != fleet.Placed || ledger.by() != "PropagationPolicy two-to-one" || ledger.desired() != "canada=3" || ledger.reasons() != "" || ledger.out() != "europe: geo_mismatch" {
		t.Fatalf("ledger-api: %+v", ledger)
	}
	if out := ledger.Excluded[0]; out.Required == nil || out.Required.Country != "CA" || out.Reported == nil || !slices.Equal(out.Reported.Countries, []string{"DE"}) ||
		!strings.Contains(out.Message, "requires country CA; nodes report DE") {
		t.Errorf("europe is out for %+v", out)
	}

	all.wantRunning(t, "within Japan", "kanji-search", "")
	kanji := p.placedOwn(token, "acme", "kanji-search")
	if kanji.State != fleet.Pending || kanji.desired() != "" || kanji.reasons() != "geo_mismatch" || kanji.Pending.Replicas != 3 || kanji.out() != "canada: geo_mismatch, europe: geo_mismatch" {
		t.Fatalf("kanji-search: %+v", kanji)
	}
	if why := kanji.Pending.Reasons[0]; why.Required.Country != "JP" || !slices.Equal(why.Reported.Countries, []string{"CA", "DE"}) || why.Nodes != nil {
		t.Errorf("kanji-search is pending for %+v", why)
	}
	// A node in Japan outside the policy's clusters is none of its candidates; inside one of them it is.
	p.cluster("asia")
	all = append(all, p.site("asia", "edge-nrt-1", "JP", nil))
	all.wantRunning(t, "Japan, not selected", "kanji-search", "")
	all = append(all, p.site("europe", "core-nrt-1", "JP", nil))
	all.wantRunning(t, "Japan appears", "kanji-search", "europe=3")
	kanji = p.placedOwn(token, "acme", "kanji-search")
	if kanji.State != fleet.Placed || kanji.desired() != "europe=3" || kanji.reasons() != "" || kanji.out() != "canada: geo_mismatch" {
		t.Errorf("kanji-search: %+v", kanji)
	}
	for id, a := range all[1].runs {
		if a.Deployment == "kanji-search" {
			t.Errorf("%s runs in Germany", id)
		}
	}
}

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
