package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

// world drives a scheduler as control and the agents would: every change is written to the store, then told. It
// keeps what it knows to be true beside it, for the oracle.
type world struct {
	t         testing.TB
	clock     *fakeClock
	store     *fakeStore
	listener  *fakeListener
	scheduler *Scheduler
	settings  fleet.GeoAwareness
	// beats is when a node was last heard of, or began to count as alive.
	beats map[string]time.Time
	// needs is what each container was assigned with; 0 in the store, which knows only the newest spec.
	needs  map[string]fleet.Amount
	uids   int
	served map[string]bool // nodes whose agent beats on advance
	// pending counts deployments by reason, as the oracle came to see them.
	pending map[string]int
	// heard is called with what an agent says; may be nil. late is what the scheduler is told after the step under way.
	heard func(id string, state fleet.ContainerState)
	late  []func()
	// elsewhere says that a deployment at rest is judged by another oracle than inspectDeployment; nil for none.
	elsewhere func(uid string) bool
}

func newWorld(t testing.TB, settings fleet.GeoAwareness) *world {
	w := &world{
		t: t, clock: newFakeClock(), store: newFakeStore(), listener: &fakeListener{}, settings: settings,
		beats: map[string]time.Time{}, needs: map[string]fleet.Amount{}, served: map[string]bool{},
	}
	w.store.refused = t.Errorf
	w.restart()
	return w
}

// restart makes a new scheduler on the same store, as a control plane that starts again.
func (w *world) restart() {
	w.scheduler = New(Options{
		Store: w.store, Listener: w.listener, GeoAwareness: w.settings, Now: w.clock.Now, After: w.clock.After,
	})
	if err := w.scheduler.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	for name := range w.store.nodes {
		w.beats[name] = w.clock.Now()
	}
}

// rest lets the scheduler decide until nothing is left, in this goroutine.
func (w *world) rest() {
	w.t.Helper()
	for i := 0; ; i++ {
		worked, err := w.scheduler.step(context.Background())
		for len(w.late) > 0 {
			tell := w.late[0]
			w.late, worked = w.late[1:], true
			tell()
		}
		if err == nil && !worked {
			return
		}
		if i > 10_000 {
			w.t.Fatal("the scheduler does not come to rest")
		}
	}
}

// advance moves the clock in steps, with the heartbeats of the agents that still serve.
func (w *world) advance(d time.Duration) {
	for d > 0 {
		step := min(d, 5*time.Second)
		d -= step
		w.clock.Advance(step)
		for _, name := range slices.Sorted(maps.Keys(w.served)) {
			if w.served[name] {
				w.beat(name)
			}
		}
		w.rest()
	}
}

func (w *world) beat(name string) {
	if _, ok := w.store.nodes[name]; ok {
		w.beats[name] = w.clock.Now()
		w.scheduler.Heartbeat(name)
	}
}

func (w *world) cluster(name string, tenants ...string) {
	w.store.mu.Lock()
	c := fleet.Cluster{Name: name, Runtime: fleet.ClusterAgents, Tenants: tenants, ResourceVersion: w.store.version()}
	w.store.clusters[name] = c
	w.store.mu.Unlock()
	w.scheduler.ClusterChanged(c)
}

func geoLabels(country, region string) map[string]string {
	labels := map[string]string{}
	if country != "" {
		labels[fleet.LabelNodeCountry] = country
	}
	if region != "" {
		labels[fleet.LabelNodeGeoRegion] = region
	}
	return labels
}

var roomy = fleet.Amount{MilliCPU: 4000, Memory: 8 << 30, Slots: 100}

func slots(n int64) fleet.Amount { return fleet.Amount{MilliCPU: 4000, Memory: 8 << 30, Slots: n} }

func (w *world) node(name, cluster, country, region string, capacity fleet.Amount) {
	w.store.mu.Lock()
	n := fleet.Node{Name: name, Cluster: cluster, Labels: geoLabels(country, region), Capacity: capacity, Version: 1, EnrolledAt: w.clock.Now()}
	w.store.nodes[name] = n
	w.store.mu.Unlock()
	w.beats[name], w.served[name] = w.clock.Now(), true
	w.scheduler.NodeChanged(n)
}

func (w *world) changeNode(name string, change func(*fleet.Node)) {
	w.store.mu.Lock()
	n, ok := w.store.nodes[name]
	if ok {
		change(&n)
		n.Version++
		w.store.nodes[name] = n
	}
	w.store.mu.Unlock()
	if ok {
		w.scheduler.NodeChanged(n)
	}
}

func (w *world) relabel(name, country, region string) {
	w.changeNode(name, func(n *fleet.Node) { n.Labels = geoLabels(country, region) })
}

func (w *world) cordon(name string, on bool) {
	w.changeNode(name, func(n *fleet.Node) {
		n.Cordoned = on
		if !on {
			n.DrainDeadline = time.Time{}
		}
	})
}

func (w *world) drain(name string, grace time.Duration) {
	w.changeNode(name, func(n *fleet.Node) { n.Cordoned, n.DrainDeadline = true, w.clock.Now().Add(grace) })
}

func (w *world) deleteNode(name string) {
	w.store.mu.Lock()
	delete(w.store.nodes, name)
	for id, c := range w.store.containers {
		if c.Node == name {
			delete(w.store.containers, id)
		}
	}
	w.store.mu.Unlock()
	delete(w.beats, name)
	delete(w.served, name)
	w.scheduler.NodeDeleted(name)
}

func (w *world) set(g fleet.GeoAwareness) {
	w.settings = g
	w.scheduler.GeoAwarenessChanged(g)
}

// spec of a deployment, for tests that vary one thing.
type spec struct {
	image     string
	replicas  int
	residency fleet.Residency
	cpu       string
	from      string // a ConfigMap that all variables come from
	enforced  map[string]string
}

func (s spec) fleet() fleet.DeploymentSpec {
	out := fleet.DeploymentSpec{Image: s.image, Replicas: &s.replicas}
	if s.cpu != "" {
		out.Resources = &fleet.Resources{Requests: &fleet.ResourceList{CPU: fleet.Quantity(s.cpu)}}
	}
	if s.from != "" {
		out.EnvFrom = []fleet.EnvFromSource{{ConfigMapRef: &fleet.NameSelector{Name: s.from}}}
	}
	if !s.residency.Empty() {
		out.Placement = &fleet.Placement{Residency: &s.residency}
	}
	return out
}

func (s spec) labels() map[string]string {
	labels := s.residency.Labels()
	for k, v := range s.enforced {
		if labels == nil {
			labels = map[string]string{}
		}
		labels[k] = v
	}
	return labels
}

func (w *world) deploy(tenant, name string, s spec) string {
	w.uids++
	uid := fmt.Sprintf("uid%04d", w.uids)
	w.store.mu.Lock()
	created := w.clock.Now()
	d := fleet.Deployment{
		Metadata: fleet.Metadata{Name: name, Namespace: tenant, UID: uid, Generation: 1, ResourceVersion: w.store.version(), CreationTimestamp: &created},
		Spec:     s.fleet(), Tenant: tenant, Revision: 1, TemplateRevision: 1, ResidencyLabels: s.labels(),
	}
	w.store.deployments[uid] = d
	w.store.mu.Unlock()
	w.scheduler.DeploymentChanged(d)
	return uid
}

// write stores a changed spec and answers the row, without telling anybody.
func (w *world) write(uid string, s spec) (fleet.Deployment, bool) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	d, ok := w.store.deployments[uid]
	if !ok {
		return d, false
	}
	next := s.fleet()
	d.Metadata.Generation++
	d.Revision++
	if !fleet.SameTemplate(d.Spec, next) {
		d.TemplateRevision = d.Revision
	}
	d.Spec, d.ResidencyLabels, d.Metadata.ResourceVersion = next, s.labels(), w.store.version()
	w.store.deployments[uid] = d
	return d, true
}

func (w *world) edit(uid string, s spec) {
	if d, ok := w.write(uid, s); ok {
		w.scheduler.DeploymentChanged(d)
	}
}

func (w *world) undeploy(uid string) {
	w.store.mu.Lock()
	d, ok := w.store.deployments[uid]
	delete(w.store.deployments, uid)
	w.store.mu.Unlock()
	if ok {
		w.scheduler.DeploymentDeleted(d)
	}
}

// report has the agent of a container say its state.
func (w *world) report(id string, state fleet.ContainerState) {
	w.store.mu.Lock()
	c, ok := w.store.containers[id]
	if ok {
		c.State = state
		w.store.containers[id] = c
	}
	w.store.mu.Unlock()
	if ok && w.heard != nil {
		w.heard(id, state)
	}
	if ok {
		w.scheduler.Reported(c.Node, []fleet.ContainerReport{{ID: id, State: state}})
	}
}

// obey has the agents that serve carry out all they are told: start what is assigned, stop what is to stop.
func (w *world) obey() {
	for i := 0; i < 100; i++ {
		w.rest()
		did := false
		for _, c := range sortedValues(w.store.containers) {
			if !w.served[c.Node] {
				continue
			}
			switch {
			case c.Stop && c.State != fleet.StateStopped:
				w.report(c.ID, fleet.StateStopped)
				did = true
			case !c.Stop && c.State != fleet.StateRunning:
				w.report(c.ID, fleet.StateRunning)
				did = true
			}
		}
		if !did {
			return
		}
	}
	w.t.Fatal("the agents never come to rest")
}

// nodesOf lists where a deployment's containers are that were not told to stop, by counter.
func (w *world) nodesOf(uid string) []string {
	nodes := []string{}
	for _, c := range w.store.of(uid) {
		if !c.Stop {
			nodes = append(nodes, c.Node)
		}
	}
	return nodes
}

// reasons lists the event reasons of a deployment since the last call, and the codes of what keeps it pending.
func (w *world) said(uid string) []string {
	reasons := []string{}
	rest := w.store.events[:0:0]
	for _, e := range w.store.events {
		if e.UID == uid {
			reasons = append(reasons, e.Reason)
		} else {
			rest = append(rest, e)
		}
	}
	w.store.events = rest
	return reasons
}
