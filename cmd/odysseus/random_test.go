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

// world is what the random test believes to be so, from its own steps alone: the oracle of TestRandomChanges. It
// knows nothing of the product's filter.
type world struct {
	enforced    bool
	regions     map[string][]string
	nodes       map[string]*member
	geo         map[string]fleet.Geo
	cluster     map[string]string   // node → cluster
	joins       []string            // clusters that new nodes join, the likelier the more often they are named
	grants      map[string][]string // cluster → tenants
	cordoned    map[string]bool
	deployments map[string]*declaredWorkload
	seen        map[string]bool // containers that were judged when they were assigned
}

type declaredWorkload struct {
	tenant, name string
	replicas     int
	residency    fleet.Residency
}

// slots is how many containers a node of the random test takes.
const slots = 6

// allows is the geo filter as residency.md words it, written down a second time.
func (w *world) allows(r fleet.Residency, at fleet.Geo) bool {
	if !w.enforced {
		return true
	}
	if r.Region != "" {
		countries, declared := w.regions[r.Region]
		return declared && (at.Region == r.Region || slices.Contains(countries, at.Country))
	}
	if r.Country != "" && at.Country != r.Country {
		return false
	}
	if len(r.BlockedCountries) > 0 {
		return at.Country != "" && !slices.Contains(r.BlockedCountries, at.Country)
	}
	return true
}

func (w *world) granted(tenant, node string) bool {
	tenants := w.grants[w.cluster[node]]
	return slices.Contains(tenants, "*") || slices.Contains(tenants, tenant)
}

var (
	randomCountries = []string{"CA", "US", "DE", "FR", "JP", ""}
	randomTenants   = []string{"acme", "globex"}
)

func randomResidency(r *rand.Rand) fleet.Residency {
	switch r.Intn(6) {
	case 0, 1:
		return fleet.Residency{Country: []string{"CA", "US", "DE", "FR", "JP"}[r.Intn(5)]}
	case 2:
		return fleet.Residency{Region: []string{"eu-core", "north-america"}[r.Intn(2)]}
	case 3:
		return fleet.Residency{BlockedCountries: []string{"US", "JP"}[:1+r.Intn(2)]}
	default:
		return fleet.Residency{}
	}
}

func (d *declaredWorkload) manifest() map[string]any {
	spec := map[string]any{"image": "nginx", "replicas": d.replicas}
	if !d.residency.Empty() {
		spec["placement"] = map[string]any{"residency": d.residency}
	}
	return map[string]any{"apiVersion": "odysseus/v1", "kind": "Deployment", "metadata": map[string]any{"name": d.name}, "spec": spec}
}

// TestRandomChanges drives a whole control plane, by HTTP and on a real file, through nodes that join, leave, move,
// are cordoned and drained, through deployments created, scaled, edited and deleted, and enforcement and regions
// changed, and holds after each step: every new assignment satisfied its residency at that instant, no node has more
// than it can take, and nothing that could be placed is pending.
func TestRandomChanges(t *testing.T) {
	steps := 1500
	if testing.Short() {
		steps = 300
	}
	seed := int64(20261130)
	r := rand.New(rand.NewSource(seed))
	p := startPlane(t, "agents: {heartbeat_seconds: 600, lease_seconds: 86000}\n")
	w, tokens := newWorld(p, "shared", "shared", "acmes")
	for step := range steps {
		what := w.step(p, r, tokens, step)
		p.settle()
		w.judge(t, fmt.Sprintf("seed %d, step %d: %s", seed, step, what))
		if r.Intn(3) == 0 { // agents carry out only now and then: much is half-done at any time
			for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
				w.nodes[name].carryOut()
			}
			p.settle()
			w.judge(t, fmt.Sprintf("seed %d, step %d: carried out", seed, step))
		}
		if t.Failed() {
			return
		}
	}
	w.atRest(p)
}

// newWorld makes the tenants, the clusters that nodes join and the regions of a random test.
func newWorld(p *plane, joins ...string) (*world, map[string]string) {
	w := &world{regions: map[string][]string{}, nodes: map[string]*member{}, geo: map[string]fleet.Geo{}, cluster: map[string]string{}, joins: joins,
		grants: map[string][]string{"acmes": {"acme"}}, cordoned: map[string]bool{}, deployments: map[string]*declaredWorkload{}, seen: map[string]bool{}}
	tokens := map[string]string{}
	for _, tenant := range randomTenants {
		tokens[tenant] = p.tenant(tenant)
	}
	for _, cluster := range joins {
		if cluster != "acmes" {
			w.grants[cluster] = []string{"*"}
		}
	}
	for cluster, tenants := range w.grants {
		p.cluster(cluster, tenants...)
	}
	w.regions["eu-core"], w.regions["north-america"] = []string{"DE", "FR"}, []string{"CA", "US"}
	w.saveGeo(p)
	return w, tokens
}

func (w *world) saveGeo(p *plane) {
	regions := []fleet.Region{}
	for _, name := range slices.Sorted(maps.Keys(w.regions)) {
		regions = append(regions, fleet.Region{Name: name, Countries: w.regions[name]})
	}
	p.must(http.StatusOK, http.MethodPut, "/api/v1/scheduler/geo-awareness", operatorToken, fleet.GeoAwareness{Enabled: w.enforced, OnDrift: fleet.OnDriftReport, Regions: regions})
}

// step does one random thing, and says what.
func (w *world) step(p *plane, r *rand.Rand, tokens map[string]string, n int) string {
	pick := func(keys []string) string { return keys[r.Intn(len(keys))] }
	nodes := slices.Sorted(maps.Keys(w.nodes))
	deployments := slices.Sorted(maps.Keys(w.deployments))
	switch choice := r.Intn(20); {
	case choice < 3 && len(nodes) < 12:
		name := fmt.Sprintf("node-%d", n)
		cluster := pick(w.joins)
		w.geo[name], w.cluster[name] = fleet.Geo{Country: pick(randomCountries), Region: pick([]string{"", "eu-core", "elsewhere"})}, cluster
		w.nodes[name] = p.nodeWith(name, cluster, w.geo[name].Country, w.geo[name].Region, map[string]any{"cpu": "8", "memory": "16Gi", "containers": slots})
		return "node joins " + name
	case choice < 4 && len(nodes) > 0:
		name := pick(nodes)
		p.must(http.StatusOK, http.MethodDelete, "/api/v1/nodes/"+name, operatorToken, nil)
		for _, m := range []func(){func() { delete(w.nodes, name) }, func() { delete(w.geo, name) }, func() { delete(w.cordoned, name) }} {
			m()
		}
		return "node leaves " + name
	case choice < 6 && len(nodes) > 0:
		name := pick(nodes)
		w.geo[name] = fleet.Geo{Country: pick(randomCountries), Region: pick([]string{"", "eu-core"})}
		w.nodes[name].setGeo(w.geo[name].Country, w.geo[name].Region)
		w.nodes[name].beat()
		return "node moves " + name
	case choice < 7 && len(nodes) > 0:
		name := pick(nodes)
		verb := pick([]string{"cordon", "uncordon", "drain"})
		p.must(http.StatusOK, http.MethodPost, "/api/v1/nodes/"+name+"/"+verb, operatorToken, nil)
		w.cordoned[name] = verb != "uncordon"
		return verb + " " + name
	case choice < 8:
		w.enforced = !w.enforced
		w.saveGeo(p)
		return fmt.Sprintf("enforcement %v", w.enforced)
	case choice < 9:
		w.regions["eu-core"] = [][]string{{"DE", "FR"}, {"DE"}, {"FR", "JP"}}[r.Intn(3)]
		w.saveGeo(p)
		return fmt.Sprintf("eu-core is %v", w.regions["eu-core"])
	case choice < 13 && len(deployments) < 12 || len(deployments) == 0:
		d := &declaredWorkload{tenant: pick(randomTenants), name: fmt.Sprintf("app-%d", n), replicas: r.Intn(6), residency: randomResidency(r)}
		p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/"+d.tenant+"/deployments", tokens[d.tenant], d.manifest())
		w.deployments[d.name] = d
		return "create " + d.name
	case choice < 15:
		d := w.deployments[pick(deployments)]
		p.must(http.StatusOK, http.MethodDelete, "/api/v1/namespaces/"+d.tenant+"/deployments/"+d.name, tokens[d.tenant], nil)
		delete(w.deployments, d.name)
		return "delete " + d.name
	default:
		d := w.deployments[pick(deployments)]
		if r.Intn(2) == 0 {
			d.replicas = r.Intn(8)
		} else {
			d.residency = randomResidency(r)
		}
		p.must(http.StatusOK, http.MethodPut, "/api/v1/namespaces/"+d.tenant+"/deployments/"+d.name, tokens[d.tenant], d.manifest())
		return "edit " + d.name
	}
}

// judge looks at every node's list: what is new since the last look was assigned in between, and must satisfy what
// holds now, since the scheduler has settled after each single step.
func (w *world) judge(t *testing.T, when string) {
	t.Helper()
	placed, used := map[string]int{}, map[string]int{}
	for name, m := range w.nodes {
		for _, c := range m.assigned().Containers {
			used[name]++
			d := w.deployments[c.Deployment]
			if d == nil {
				if !c.Stop {
					t.Errorf("%s: %s of %s runs and its deployment is gone", when, c.ID, c.Deployment)
				}
				continue
			}
			fits := w.allows(d.residency, w.geo[name]) && w.granted(d.tenant, name)
			if !c.Stop && fits {
				placed[d.name]++
			}
			if w.seen[c.ID] {
				continue
			}
			w.seen[c.ID] = true
			if !fits {
				t.Errorf("%s: %s (%+v) was assigned to a node at %+v, enforcement %v", when, d.name, d.residency, w.geo[name], w.enforced)
			}
			if w.cordoned[name] {
				t.Errorf("%s: %s was assigned to a cordoned node", when, d.name)
			}
		}
		if used[name] > slots {
			t.Errorf("%s: %s holds %d containers of %d", when, name, used[name], slots)
		}
	}
	for _, d := range w.deployments {
		if placed[d.name] >= d.replicas {
			continue
		}
		for name := range w.nodes {
			// A replica that is being replaced holds back the next one; what stands outside under on_drift
			// "report" has its place. Both are settled only at rest: see atRest.
			if w.allows(d.residency, w.geo[name]) && w.granted(d.tenant, name) && !w.cordoned[name] && used[name] < slots && w.holds(d.name) < d.replicas {
				t.Errorf("%s: %s has %d of %d and %s could take another", when, d.name, placed[d.name], d.replicas, name)
			}
		}
	}
}

// holds counts the containers of a deployment that are not stopping, wherever they are.
func (w *world) holds(deployment string) int {
	n := 0
	for _, m := range w.nodes {
		for _, c := range m.assigned().Containers {
			if c.Deployment == deployment && !c.Stop {
				n++
			}
		}
	}
	return n
}

// atRest carries everything out until nothing changes any more, then compares what the product says of each
// deployment with what the nodes hold.
func (w *world) atRest(p *plane) {
	t := p.t
	last := ""
	for range 200 {
		for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
			w.nodes[name].carryOut()
		}
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
	for _, d := range w.deployments {
		report := p.placement(operatorToken, d.tenant, d.name)
		missing := 0
		if report.Pending != nil {
			missing = report.Pending.Replicas
			if len(report.Pending.Reasons) == 0 {
				t.Errorf("%s is pending without a reason", d.name)
			}
		}
		if holds := w.holds(d.name); holds+missing < d.replicas {
			t.Errorf("%s holds %d of %d and %d are said to be pending: %+v", d.name, holds, d.replicas, missing, report)
		}
	}
}
