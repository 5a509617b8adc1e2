package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"odysseus/fleet"
)

// handClock is moved by hand: whoever asks the control plane to settle has it do what is due by then.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// site is a machine of a cluster whose agent the test plays by the rules of agents: what is listed runs with what it
// was started with, and what is to stop, or is listed no more, has stopped.
type site struct {
	*member
	cluster string
	// runs are the containers that run, by ID, as they were listed when they were started.
	runs map[string]fleet.Assignment
	// started counts, by ID: nothing is started twice.
	started map[string]int
}

// sites are what a test looks at instead of asking the control plane what it believes.
type sites []*site

// site enrols a machine in a cluster that is there.
func (p *plane) site(cluster, node, country string, capacity map[string]any) *site {
	p.t.Helper()
	if capacity == nil {
		capacity = map[string]any{"cpu": "8", "memory": "16Gi", "containers": 100}
	}
	return &site{member: p.nodeWith(node, cluster, country, "", capacity), cluster: cluster, runs: map[string]fleet.Assignment{}, started: map[string]int{}}
}

// sitesOf are the clusters named and one machine in each.
func (p *plane) sitesOf(clusters ...string) sites {
	p.t.Helper()
	var all sites
	for _, name := range clusters {
		p.cluster(name)
		all = append(all, p.site(name, name+"-node", "", nil))
	}
	return all
}

// step does once what the list says, reports it, and says whether anything changed.
func (s *site) step() bool {
	listed, changed := map[string]bool{}, false
	for id, state := range s.states {
		if state == "stopped" {
			delete(s.states, id) // it was reported
		}
	}
	end := func(id string) {
		delete(s.runs, id)
		s.states[id], changed = "stopped", true
	}
	for _, a := range s.assigned().Containers {
		listed[a.ID] = true
		switch _, runs := s.runs[a.ID]; {
		case a.Stop:
			end(a.ID)
		case !runs:
			s.runs[a.ID], s.states[a.ID], changed = a, "running", true
			s.started[a.ID]++
		}
	}
	for id := range s.runs {
		if !listed[id] {
			end(id)
		}
	}
	s.beat()
	return changed
}

// act has the agents named do what they are told until nothing changes any more; all of them where none is named.
func (all sites) act(clusters ...string) {
	t := all[0].p.t
	t.Helper()
	for range 50 {
		all[0].p.settle()
		changed := false
		for _, s := range all {
			if len(clusters) == 0 || slices.Contains(clusters, s.cluster) {
				changed = s.step() || changed
			}
		}
		if !changed {
			return
		}
	}
	t.Fatal("the agents do not come to rest")
}

// say has the agents of a cluster report that state of everything that they run of a workload.
func (all sites) say(cluster, workload, state string) {
	t := all[0].p.t
	t.Helper()
	said := 0
	for _, s := range all {
		for id, a := range s.runs {
			if s.cluster == cluster && a.Deployment == workload {
				s.states[id] = state
				said++
			}
		}
		s.beat()
	}
	if said == 0 {
		t.Fatalf("nothing of %s runs on %s", workload, cluster)
	}
	all[0].p.settle()
}

// pass lets time pass, in steps in which the agents stay alive.
func (all sites) pass(clock *handClock, d time.Duration) {
	for d > 0 {
		step := min(d, 5*time.Minute)
		clock.advance(step)
		d -= step
		for _, s := range all {
			s.beat()
		}
		all[0].p.settle()
	}
}

// listed is how many replicas of the workload the agents are to run, by cluster: "a=2 b=1"; "" for none.
func (all sites) listed(workload string) string {
	rows := map[string]map[string]bool{}
	for _, s := range all {
		for _, a := range s.assigned().Containers {
			if a.Deployment == workload && !a.Stop {
				count(rows, s.cluster, a.ID)
			}
		}
	}
	return splitText(rows)
}

// running is how many replicas of it the agents do run.
func (all sites) running(workload string) string {
	rows := map[string]map[string]bool{}
	for _, s := range all {
		for id, a := range s.runs {
			if a.Deployment == workload {
				count(rows, s.cluster, id)
			}
		}
	}
	return splitText(rows)
}

// count counts a replica once, whatever its containers.
func count(rows map[string]map[string]bool, cluster, id string) {
	row, _ := fleet.CutContainerID(id)
	if rows[cluster] == nil {
		rows[cluster] = map[string]bool{}
	}
	rows[cluster][row] = true
}

func splitText(rows map[string]map[string]bool) string {
	var parts []string
	for _, cluster := range slices.Sorted(maps.Keys(rows)) {
		parts = append(parts, fmt.Sprintf("%s=%d", cluster, len(rows[cluster])))
	}
	return strings.Join(parts, " ")
}

// containers that run of the workload, by ID.
func (all sites) containers(workload string) map[string]fleet.Assignment {
	found := map[string]fleet.Assignment{}
	for _, s := range all {
		for id, a := range s.runs {
			if a.Deployment == workload {
				found[id] = a
			}
		}
	}
	return found
}

// wantRunning acts, and compares what the agents were told and what they run.
func (all sites) wantRunning(t *testing.T, when, workload, want string) {
	t.Helper()
	all.act()
	if listed, running := all.listed(workload), all.running(workload); listed != want || running != want {
		t.Errorf("%s: of %s the agents are to run %q and run %q, want %q", when, workload, listed, running, want)
	}
	for _, s := range all {
		for id, n := range s.started {
			if n != 1 {
				t.Errorf("%s: %s was started %d times", when, id, n)
			}
		}
	}
}

// placementAnswer is a placement as the API answers it.
type placementAnswer struct {
	State      fleet.PlacementState     `json:"state"`
	Policy     *fleet.PolicyRef         `json:"policy"`
	Unmanaged  bool                     `json:"unmanaged"`
	Outranking []fleet.PolicyRef        `json:"outranking"`
	Clusters   []fleet.PlacementCluster `json:"clusters"`
	Excluded   []struct {
		Name string `json:"name"`
		fleet.Reason
	} `json:"excluded"`
	Pending *struct {
		Replicas int            `json:"replicas"`
		Reasons  []fleet.Reason `json:"reasons"`
	} `json:"pending"`
}

// desired is the division: "a=2 b=1".
func (a placementAnswer) desired() string {
	var parts []string
	for _, c := range a.Clusters {
		parts = append(parts, fmt.Sprintf("%s=%d", c.Name, c.Desired))
	}
	return strings.Join(parts, " ")
}

// on names the clusters: "a b".
func (a placementAnswer) on() string {
	var names []string
	for _, c := range a.Clusters {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// by names the policy that decides; "" for none.
func (a placementAnswer) by() string {
	if a.Policy == nil {
		return ""
	}
	return a.Policy.Kind + " " + a.Policy.Name
}

// reasons are the codes; "" where nothing is pending.
func (a placementAnswer) reasons() string {
	if a.Pending == nil {
		return ""
	}
	var codes []string
	for _, r := range a.Pending.Reasons {
		codes = append(codes, string(r.Code))
	}
	return strings.Join(codes, " ")
}

// out are the clusters that were selected and are no candidates, each with its code: "b: geo_mismatch".
func (a placementAnswer) out() string {
	var parts []string
	for _, e := range a.Excluded {
		parts = append(parts, e.Name+": "+string(e.Code))
	}
	return strings.Join(parts, ", ")
}

// apiVersions are the apiVersions of the kinds that the tests propagate.
var apiVersions = map[string]string{"Deployment": "apps/v1", "Job": "batch/v1", "ConfigMap": "v1", "Secret": "v1", "StatefulSet": "apps/v1", "CronJob": "batch/v1"}

// resourcePath of one resource; part is "" or "/placement".
func resourcePath(namespace, kind, name, part string) string {
	q := url.Values{"apiVersion": {apiVersions[kind]}, "kind": {kind}, "name": {name}}
	return "/api/v1/namespaces/" + namespace + "/resources" + part + "?" + q.Encode()
}

// placed is the placement of a resource once the scheduler has settled.
func (p *plane) placed(token, namespace, kind, name string) placementAnswer {
	p.t.Helper()
	p.settle()
	var a placementAnswer
	p.must(http.StatusOK, http.MethodGet, resourcePath(namespace, kind, name, "/placement"), token, nil).decode(p.t, &a)
	return a
}

// placedOwn is the same of an odysseus/v1 Deployment.
func (p *plane) placedOwn(token, namespace, name string) placementAnswer {
	p.t.Helper()
	p.settle()
	var a placementAnswer
	p.must(http.StatusOK, http.MethodGet, "/api/v1/namespaces/"+namespace+"/deployments/"+name+"/placement", token, nil).decode(p.t, &a)
	return a
}

// apply applies a stream of documents to a namespace, and answers the results in their order.
func (p *plane) apply(token, namespace string, documents ...string) []string {
	p.t.Helper()
	var answer struct{ Items []struct{ Result string } }
	p.must(http.StatusOK, http.MethodPost, "/api/v1/apply?namespace="+namespace, token, strings.Join(documents, "\n---\n")).decode(p.t, &answer)
	var results []string
	for _, item := range answer.Items {
		results = append(results, item.Result)
	}
	return results
}

// podded is an apps/v1 Deployment of one container, with more lines of its container.
func podded(name string, replicas int, container string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, labels: {app: %[1]s}}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
%[3]s`, name, replicas, container)
}

// over is a policy for what it selects over clusters; spec are further lines.
func over(apiVersion, name, selectors, clusters, spec string) string {
	return fmt.Sprintf(`apiVersion: %s
kind: PropagationPolicy
metadata: {name: %s}
spec:
  resourceSelectors: [%s]
  placement:
    clusterAffinity: {clusterNames: [%s]}
%s`, apiVersion, name, selectors, clusters, spec)
}

const (
	ackOne  = fleet.PolicyAPIVersion
	karmada = fleet.PolicyAPIVersionKarmada

	everyDeployment = "{apiVersion: apps/v1, kind: Deployment}"
	everyConfigMap  = "{apiVersion: v1, kind: ConfigMap}"
	everySecret     = "{apiVersion: v1, kind: Secret}"
	evenly          = "    replicaScheduling: {replicaSchedulingType: Divided}\n"
)
