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

// TestWhoHoldsAResource: "a PropagationPolicy before any ClusterPropagationPolicy"; "a claim is sticky", over a restart
// too, unless the other preempts; and the placement says who would have won.
func TestWhoHoldsAResource(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	all := p.sitesOf("a", "b")
	clusterWide := strings.Replace(over(ackOne, "house", everyDeployment, "a", ""), "kind: PropagationPolicy", "kind: ClusterPropagationPolicy", 1)
	byName := "{apiVersion: apps/v1, kind: Deployment, name: web}"
	remove := func(name string) func() {
		return func() {
			p.must(http.StatusOK, http.MethodDelete, "/api/v1/namespaces/acme/propagationpolicies/"+name, token, nil)
		}
	}
	apply := func(credential string, documents ...string) func() {
		return func() { p.apply(credential, "acme", documents...) }
	}
	for _, step := range []struct {
		name               string
		do                 func()
		holder, outranking string
		runs               string
	}{
		{"a cluster-wide policy alone", apply(operatorToken, clusterWide, podded("web", 1, "")), "ClusterPropagationPolicy house", "", "a=1"},
		{"a namespaced one comes later", apply(token, over(ackOne, "every", everyDeployment, "b", "")), "ClusterPropagationPolicy house", "every", "a=1"},
		{"and asks to preempt", apply(token, over(ackOne, "named", byName, "b", "  preemption: Always\n")), "PropagationPolicy named", "", "b=1"},
		{"one that sorts first does not take it", apply(token, over(ackOne, "another", byName, "a", "")), "PropagationPolicy named", "another", "b=1"},
		{"nor after a restart", func() { p.stop(); p.start() }, "PropagationPolicy named", "another", "b=1"},
		{"nor one with a higher priority that does not preempt", apply(token, over(ackOne, "urgent", byName, "a", "  priority: 7\n")), "PropagationPolicy named", "urgent another", "b=1"},
		{"until it does", apply(token, over(ackOne, "urgent", byName, "a", "  priority: 7\n  preemption: Always\n")), "PropagationPolicy urgent", "", "a=1"},
		{"deleted, the next takes it over", remove("urgent"), "PropagationPolicy another", "", "a=1"},
		{"and the next", remove("another"), "PropagationPolicy named", "", "b=1"},
		{"and the one by kind", remove("named"), "PropagationPolicy every", "", "b=1"},
		{"and the cluster-wide one", remove("every"), "ClusterPropagationPolicy house", "", "a=1"},
	} {
		step.do()
		all.wantRunning(t, step.name, "web", step.runs)
		is := p.placed(token, "acme", "Deployment", "web")
		var outranking []string
		for _, o := range is.Outranking {
			outranking = append(outranking, o.Name)
		}
		if is.by() != step.holder || strings.Join(outranking, " ") != step.outranking || is.State != fleet.Placed || is.Unmanaged {
			t.Errorf("%s: held by %q, outranked by %v, want %q and %q: %+v", step.name, is.by(), outranking, step.holder, step.outranking, is)
		}
	}
}

// TestPoliciesReachWhatIsTheirs: a cluster-wide policy distributes within each tenant's own clusters, a namespaced one
// within its namespace, and nothing of either is another tenant's to see.
func TestPoliciesReachWhatIsTheirs(t *testing.T) {
	p := startPlane(t, "")
	acme, globex := p.tenant("acme"), p.tenant("globex")
	all := p.sitesOf("shared")
	p.cluster("private", "globex")
	all = append(all, p.site("private", "private-node", "", nil))
	p.apply(operatorToken, "acme", strings.Replace(over(ackOne, "house", everyDeployment, "shared, private", ""), "kind: PropagationPolicy", "kind: ClusterPropagationPolicy", 1))
	p.apply(acme, "acme", podded("acmes", 2, ""))
	p.apply(globex, "globex", podded("globexes", 2, ""))
	all.wantRunning(t, "acme's", "acmes", "shared=2")
	all.wantRunning(t, "globex's", "globexes", "private=2 shared=2")
	if is := p.placed(acme, "acme", "Deployment", "acmes"); is.desired() != "shared=2" || is.out() != "" {
		t.Errorf("acme is told of %+v", is)
	}
	p.apply(acme, "acme", over(ackOne, "own", "{apiVersion: apps/v1, kind: Deployment, namespace: globex}", "shared", "  preemption: Never\n"))
	if is := p.placed(globex, "globex", "Deployment", "globexes"); is.by() != "ClusterPropagationPolicy house" || len(is.Outranking) > 0 {
		t.Errorf("globex's is held by %+v", is)
	}
	for _, path := range []string{"/api/v1/namespaces/acme/propagationpolicies", "/api/v1/namespaces/acme/propagationpolicies/own", "/api/v1/namespaces/acme/resources",
		resourcePath("acme", "Deployment", "acmes", ""), resourcePath("acme", "Deployment", "acmes", "/placement")} {
		theirs := p.must(http.StatusNotFound, http.MethodGet, path, globex, nil)
		nobodys := p.must(http.StatusNotFound, http.MethodGet, strings.Replace(path, "acme", "nobody", 1), globex, nil)
		if theirs.body != nobodys.body {
			t.Errorf("GET %s tells that it is there: %s, of what is not %s", path, theirs.body, nobodys.body)
		}
	}
	for _, way := range [][2]string{{http.MethodGet, "/api/v1/clusterpropagationpolicies"}, {http.MethodGet, "/api/v1/clusterpropagationpolicies/house"},
		{http.MethodDelete, "/api/v1/clusterpropagationpolicies/house"}, {http.MethodGet, "/api/v1/resources"}} {
		p.must(http.StatusForbidden, way[0], way[1], globex, nil)
	}
}
