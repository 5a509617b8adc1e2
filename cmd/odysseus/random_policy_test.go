package main

import (
	"fmt"
	"maps"
	"math/rand"
	"net/http"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// guide is what the random test believes a policy to say. It is the only one of its workload and selects it by name.
type guide struct {
	names, excluded []string
	tier            string // that clusters have to be of; empty for any
	dynamic         bool   // and without failover: nothing but room holds it up
	keeps           bool   // what it distributed stays when it is deleted
}

func (g *guide) selects(cluster, tier string) bool {
	return (len(g.names) == 0 || slices.Contains(g.names, cluster)) && !slices.Contains(g.excluded, cluster) && (g.tier == "" || g.tier == tier)
}

// guidedWorld adds to the world of TestRandomChanges policies, apps/v1 Deployments, labels of clusters and ill health.
type guidedWorld struct {
	*world
	tokens    map[string]string
	clusters  []string
	tiers     map[string]string
	resources map[string]*declaredWorkload
	guides    map[string]*guide // by the name of the workload
	kept      map[string]bool
	ill       map[string]bool
}

// TestRandomPolicyChanges drives a whole control plane, by HTTP and on a real file, as TestRandomChanges does, under
// policies: and holds after each step that what agents were sent keeps to its residency and to the clusters that its policy
// selects, failovers included, that nothing stays where it is not selected, and that nothing that could be placed is
// pending.
func TestRandomPolicyChanges(t *testing.T) {
	steps := 450
	if testing.Short() {
		steps = 100
	}
	seed := int64(20261201)
	r := rand.New(rand.NewSource(seed))
	p := startPlane(t, "agents: {heartbeat_seconds: 600, lease_seconds: 86000}\n")
	base, tokens := newWorld(p, "shared", "atlantic", "pacific", "acmes")
	w := &guidedWorld{world: base, tokens: tokens, clusters: slices.Sorted(maps.Keys(base.grants)), tiers: map[string]string{},
		resources: map[string]*declaredWorkload{}, guides: map[string]*guide{}, kept: map[string]bool{}, ill: map[string]bool{}}
	for step := range steps {
		what := w.act(p, r, step)
		p.settle()
		w.judge(t, fmt.Sprintf("seed %d, step %d: %s", seed, step, what))
		if r.Intn(3) == 0 {
			w.carryOut()
			p.settle()
			w.judge(t, fmt.Sprintf("seed %d, step %d: carried out", seed, step))
		}
		if t.Failed() {
			return
		}
	}
	clear(w.ill)
	w.atRest(p)
}

// act does one random thing, and says what.
func (w *guidedWorld) act(p *plane, r *rand.Rand, n int) string {
	pick := func(keys []string) string { return keys[r.Intn(len(keys))] }
	workloads := slices.Concat(slices.Sorted(maps.Keys(w.deployments)), slices.Sorted(maps.Keys(w.resources)))
	resources, guides := slices.Sorted(maps.Keys(w.resources)), slices.Sorted(maps.Keys(w.guides))
	switch choice := r.Intn(20); {
	case choice < 5 && len(workloads) > 0:
		return w.decree(p, r, pick(workloads))
	case choice < 7 && len(guides) > 0:
		name := pick(guides)
		w.revoke(p, name)
		return "delete the policy of " + name
	case choice < 9 && len(resources) < 8:
		d := &declaredWorkload{tenant: pick(randomTenants), name: fmt.Sprintf("res-%d", n), replicas: r.Intn(5)}
		w.resources[d.name] = d
		p.apply(w.tokens[d.tenant], d.tenant, podded(d.name, d.replicas, ""))
		return "create " + d.name
	case choice < 10 && len(resources) > 0:
		d := w.resources[pick(resources)]
		d.replicas = r.Intn(6)
		p.apply(w.tokens[d.tenant], d.tenant, podded(d.name, d.replicas, ""))
		return fmt.Sprintf("scale %s to %d", d.name, d.replicas)
	case choice < 11 && len(resources) > 3:
		d := w.resources[pick(resources)]
		p.must(http.StatusOK, http.MethodDelete, "/api/v1/namespaces/"+d.tenant+"/resources?apiVersion=apps/v1&kind=Deployment&name="+d.name, w.tokens[d.tenant], nil)
		if delete(w.resources, d.name); w.guides[d.name] != nil {
			w.deletePolicy(p, d.tenant, d.name)
		}
		return "delete " + d.name
	case choice < 12:
		cluster := pick(w.clusters)
		w.tiers[cluster] = pick([]string{"gold", "silver", ""})
		labels := map[string]string{}
		if w.tiers[cluster] != "" {
			labels["tier"] = w.tiers[cluster]
		}
		p.must(http.StatusOK, http.MethodPut, "/api/v1/clusters/"+cluster, operatorToken, clusterBody(cluster, labels, w.grants[cluster]))
		return fmt.Sprintf("%s is %q", cluster, w.tiers[cluster])
	case choice < 14 && len(workloads) > 0:
		name, cluster := pick(workloads), pick(w.clusters)
		w.fallIll(name, cluster)
		return name + " falls ill in " + cluster
	case choice < 15:
		clear(w.ill)
		w.carryOut()
		return "all recover"
	}
	before := maps.Clone(w.deployments)
	what := w.step(p, r, w.tokens, n)
	for name, d := range before {
		if w.deployments[name] == nil && w.guides[name] != nil {
			w.deletePolicy(p, d.tenant, name)
		}
	}
	return what
}

// decree gives a workload a policy, or changes the one that it has.
func (w *guidedWorld) decree(p *plane, r *rand.Rand, name string) string {
	pick := func(keys ...string) string { return keys[r.Intn(len(keys))] }
	d, api := w.workload(name)
	g := &guide{}
	var affinity []string
	switch r.Intn(5) {
	case 0:
		g.excluded = []string{pick(w.clusters...)}
		affinity = append(affinity, "excludeClusters: ["+g.excluded[0]+"]")
	case 1:
		g.tier = pick("gold", "silver")
		affinity = append(affinity, "labelSelector: {matchLabels: {tier: "+g.tier+"}}")
	case 2, 3:
		g.names = []string{pick(w.clusters...), pick(w.clusters...)}
		affinity = append(affinity, "clusterNames: ["+strings.Join(g.names, ", ")+"]")
	}
	scheduling := pick("{replicaSchedulingType: Duplicated}", "{}", "{replicaDivisionPreference: Aggregated}", "{weightPreference: {dynamicWeight: AvailableReplicas}}", "{weightPreference: {dynamicWeight: AvailableReplicas}}")
	g.dynamic = strings.Contains(scheduling, "dynamic")
	version := pick(ackOne, ackOne, karmada)
	g.keeps = true
	more := ""
	if version == ackOne && r.Intn(2) == 0 {
		g.keeps = false
		more += "  preserveResourcesOnDeletion: false\n"
	}
	if r.Intn(2) == 0 {
		g.dynamic = false
		more += "  failover: {application: {decisionConditions: {tolerationSeconds: 0}, purgeMode: " + pick("Immediately", "Graciously", "Never") + "}}\n"
	}
	manifest := fmt.Sprintf(`apiVersion: %[1]s
kind: PropagationPolicy
metadata: {name: for-%[2]s}
spec:
  resourceSelectors: [{apiVersion: %[3]s, kind: Deployment, name: %[2]s}]
  placement: {clusterAffinity: {%[4]s}, replicaScheduling: %[5]s}
%[6]s`, version, name, api, strings.Join(affinity, ", "), scheduling, more)
	p.apply(w.tokens[d.tenant], d.tenant, manifest)
	w.guides[name] = g
	delete(w.kept, name)
	return "policy: " + manifest
}

func (w *guidedWorld) workload(name string) (*declaredWorkload, string) {
	if d := w.deployments[name]; d != nil {
		return d, "odysseus/v1"
	}
	return w.resources[name], "apps/v1"
}

// revoke deletes the policy of a workload.
func (w *guidedWorld) revoke(p *plane, name string) {
	d, _ := w.workload(name)
	w.kept[name] = w.guides[name].keeps && w.resources[name] != nil
	w.deletePolicy(p, d.tenant, name)
}

func (w *guidedWorld) deletePolicy(p *plane, tenant, name string) {
	p.must(http.StatusOK, http.MethodDelete, "/api/v1/namespaces/"+tenant+"/propagationpolicies/for-"+name, w.tokens[tenant], nil)
	delete(w.guides, name)
}

// fallIll has a workload's containers in a cluster be unhealthy until all recover.
func (w *guidedWorld) fallIll(name, cluster string) {
	for _, node := range slices.Sorted(maps.Keys(w.nodes)) {
		if w.cluster[node] != cluster {
			continue
		}
		for _, c := range w.nodes[node].assigned().Containers {
			if c.Deployment == name {
				w.ill[c.ID] = true
			}
		}
		w.report(w.nodes[node])
	}
}

// report does what the list says, but for what is ill.
func (w *guidedWorld) report(m *member) {
	m.states = map[string]string{}
	for _, c := range m.assigned().Containers {
		switch {
		case c.Stop:
			m.states[c.ID] = "stopped"
		case w.ill[c.ID]:
			m.states[c.ID] = "unhealthy"
		default:
			m.states[c.ID] = "running"
		}
	}
	m.beat()
}

func (w *guidedWorld) carryOut() {
	for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
		w.report(w.nodes[name])
	}
}

// judge looks at every node's list, as world.judge does.
func (w *guidedWorld) judge(t *testing.T, when string) {
	t.Helper()
	used, holds := map[string]int{}, map[string]int{}
	for _, node := range slices.Sorted(maps.Keys(w.nodes)) {
		cluster := w.cluster[node]
		for _, c := range w.nodes[node].assigned().Containers {
			used[node]++
			d, api := w.workload(c.Deployment)
			if d == nil {
				if !c.Stop {
					t.Errorf("%s: %s of %s runs and its workload is gone", when, c.ID, c.Deployment)
				}
				continue
			}
			holds[d.name] += oneUnless(c.Stop)
			g := w.guides[d.name]
			fresh := !w.seen[c.ID]
			w.seen[c.ID] = true
			switch {
			case fresh && !w.allows(d.residency, w.geo[node]):
				t.Errorf("%s: %s (%+v) was assigned to a node at %+v, enforcement %v", when, d.name, d.residency, w.geo[node], w.enforced)
			case fresh && (!w.granted(d.tenant, node) || w.cordoned[node]):
				t.Errorf("%s: %s was assigned to %s in %s, cordoned %v", when, d.name, node, cluster, w.cordoned[node])
			case g != nil && !c.Stop && !g.selects(cluster, w.tiers[cluster]):
				t.Errorf("%s: %s runs in %s, which its policy %+v does not select", when, d.name, cluster, g)
			case g == nil && api == "apps/v1" && (fresh || !c.Stop && !w.kept[d.name]):
				t.Errorf("%s: %s runs in %s without any policy, kept %v", when, d.name, cluster, w.kept[d.name])
			}
		}
		if used[node] > slots {
			t.Errorf("%s: %s holds %d containers of %d", when, node, used[node], slots)
		}
	}
	for _, d := range slices.Concat(sortedWorkloads(w.deployments), sortedWorkloads(w.resources)) {
		g := w.guides[d.name]
		if holds[d.name] >= d.replicas || g != nil && !g.dynamic || g == nil && w.resources[d.name] != nil {
			continue
		}
		for node := range w.nodes {
			at := w.cluster[node]
			if w.allows(d.residency, w.geo[node]) && w.granted(d.tenant, node) && !w.cordoned[node] && used[node] < slots && (g == nil || g.selects(at, w.tiers[at])) {
				t.Errorf("%s: %s has %d of %d and %s in %s could take another", when, d.name, holds[d.name], d.replicas, node, at)
			}
		}
	}
}

// atRest carries everything out until nothing changes any more, then compares what the product says with what the nodes
// hold.
func (w *guidedWorld) atRest(p *plane) {
	t := p.t
	last := ""
	for range 200 {
		w.carryOut()
		p.settle()
		var now strings.Builder
		for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
			fmt.Fprintln(&now, name, w.nodes[name].assigned())
		}
		if now.String() == last {
			break
		}
		last = now.String()
	}
	w.judge(t, "at rest")
	for _, d := range slices.Concat(sortedWorkloads(w.deployments), sortedWorkloads(w.resources)) {
		at := "/api/v1/namespaces/" + d.tenant + "/deployments/" + d.name + "/placement"
		if w.resources[d.name] != nil {
			at = "/api/v1/namespaces/" + d.tenant + "/resources/placement?apiVersion=apps/v1&kind=Deployment&name=" + d.name
		}
		var report fleet.PlacementReport
		p.must(http.StatusOK, http.MethodGet, at, operatorToken, nil).decode(t, &report)
		holds, said := map[string]int{}, map[string]int{}
		for node, m := range w.nodes {
			for _, c := range m.assigned().Containers {
				if c.Deployment == d.name {
					holds[w.cluster[node]] += oneUnless(c.Stop)
				}
			}
		}
		for _, c := range report.Clusters {
			if c.Placed > 0 {
				said[c.Name] = c.Placed
			}
		}
		maps.DeleteFunc(holds, func(_ string, n int) bool { return n == 0 })
		if !maps.Equal(holds, said) {
			t.Errorf("%s is said to be on %v and is on %v: %+v", d.name, said, holds, report)
		}
		if g := w.guides[d.name]; (report.Policy != nil) != (g != nil) || report.Unmanaged != w.kept[d.name] {
			t.Errorf("%s is said to be under %v, unmanaged %v; want %+v, %v", d.name, report.Policy, report.Unmanaged, g, w.kept[d.name])
		}
	}
}

func sortedWorkloads(all map[string]*declaredWorkload) []*declaredWorkload {
	var list []*declaredWorkload
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list
}

func oneUnless(not bool) int {
	if not {
		return 0
	}
	return 1
}
