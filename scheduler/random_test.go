package scheduler

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

// TestRandomFleet drives nodes joining, leaving, relabelling, lost and back, cordoned and drained, enforcement
// toggled, regions and grants changed, deployments created, scaled, edited and deleted, containers starting and
// failing, commits failing, answers getting lost and decisions going stale, for thousands of steps. The oracle
// judges every batch at the instant of its commit, and everything at each rest.
func TestRandomFleet(t *testing.T) {
	steps, seeds := 1_500, 6
	if testing.Short() {
		steps, seeds = 400, 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			newRandomWorld(t, uint64(seed)).run(steps)
		})
	}
}

type randomWorld struct {
	*world
	rng      *rand.Rand
	names    int
	deployed []string // deployments
	log      []string
	inside   bool // a change made in the middle of a commit makes no further ones

	// What is judged, what happens and who looks: those of this file, or another file's.
	clusters []string
	judges   func([]fleet.Decision) []string
	looks    func() []string
	acts     func()
	// ended is called when a commit is over: whether it was stored, and whether its answer arrives.
	ended func(decisions []fleet.Decision, stored, answered bool)
	batch []fleet.Decision
	// renewed is called when the scheduler has started again.
	renewed func()
}

var allRegions = []fleet.Region{
	{Name: "eu-core", Countries: []string{"DE", "FR"}},
	{Name: "north", Countries: []string{"CA"}},
	{Name: "wide", Countries: []string{"CA", "US", "DE"}},
}

func newRandomWorld(t testing.TB, seed uint64) *randomWorld {
	w := &randomWorld{world: newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport, Regions: allRegions}), rng: rand.New(rand.NewPCG(seed, 7))}
	w.judges, w.looks, w.acts = w.judge, w.inspect, w.change
	w.renewed = func() {}
	w.ended = func([]fleet.Decision, bool, bool) {}
	w.clusters = []string{"canada", "europe", "world"}
	w.store.before = w.beforeCommit
	w.store.after = w.afterCommit
	w.cluster("canada", fleet.AllTenants)
	w.cluster("europe", "acme")
	w.cluster("world", "zen", "acme")
	return w
}

func (w *randomWorld) beforeCommit(decisions []fleet.Decision) error {
	if faults := w.judges(decisions); len(faults) > 0 {
		w.fail(faults)
	}
	w.batch = decisions
	if w.rng.IntN(12) == 0 {
		w.ended(decisions, false, false)
		return errStore
	}
	w.meanwhile()
	return nil
}

func (w *randomWorld) afterCommit() error {
	lost := w.rng.IntN(20) == 0 // stored, but the answer is lost
	w.ended(w.batch, true, !lost)
	w.meanwhile()
	if lost {
		return errStore
	}
	return nil
}

// meanwhile: the world does not stand still while a commit is under way.
func (w *randomWorld) meanwhile() {
	if w.rng.IntN(4) == 0 {
		w.inside = true
		w.acts()
		w.inside = false
	}
}

func (w *randomWorld) fail(faults []string) {
	w.t.Helper()
	w.t.Fatalf("%s\nafter\n%s", strings.Join(faults, "\n"), strings.Join(w.log[max(0, len(w.log)-40):], "\n"))
}

func (w *randomWorld) run(steps int) {
	for range steps {
		w.acts()
		if w.rng.IntN(3) > 0 {
			continue
		}
		w.log = append(w.log, "rest")
		w.rest()
		if faults := w.looks(); len(faults) > 0 {
			w.fail(faults)
		}
	}
	w.obey()
	if faults := w.looks(); len(faults) > 0 {
		w.fail(faults)
	}
}

func pick[T any](w *randomWorld, of ...T) T { return of[w.rng.IntN(len(of))] }

func (w *randomWorld) anyNode() string {
	nodes := sortedValues(w.store.nodes)
	if len(nodes) == 0 {
		return ""
	}
	return nodes[w.rng.IntN(len(nodes))].Name
}

func (w *randomWorld) anyContainer() (fleet.Container, bool) {
	list := sortedValues(w.store.containers)
	if len(list) == 0 {
		return fleet.Container{}, false
	}
	return list[w.rng.IntN(len(list))], true
}

func (w *randomWorld) anySpec() spec {
	s := spec{image: pick(w, "a", "a", "b"), replicas: pick(w, 0, 1, 1, 2, 3, 5), cpu: pick(w, "", "", "500m", "1", "3")}
	switch w.rng.IntN(6) {
	case 0, 1:
		s.residency.Country = pick(w, "CA", "DE", "FR", "NO")
	case 2:
		s.residency.Region = pick(w, "eu-core", "north", "wide")
	case 3:
		s.residency.BlockedCountries = pick(w, []string{"US"}, []string{"US", "DE"})
	case 4:
		s.residency.Region, s.residency.BlockedCountries = "wide", []string{"US"}
	}
	if w.rng.IntN(12) == 0 {
		s.enforced = pick(w, map[string]string{fleet.LabelEnforcedCountry: "DE"}, map[string]string{fleet.LabelEnforcedRegion: "wide"})
	}
	return s
}

// change makes one random change of the world and tells the scheduler.
func (w *randomWorld) change() {
	say := func(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }
	country, region := pick(w, "CA", "CA", "DE", "FR", "US", ""), pick(w, "", "", "eu-core", "north", "nowhere")
	switch w.rng.IntN(22) {
	case 0, 1:
		if len(w.store.nodes) >= 12 {
			return
		}
		w.names++
		name := fmt.Sprintf("node%03d", w.names%40)
		if _, taken := w.store.nodes[name]; taken {
			return
		}
		w.clock.Advance(time.Millisecond)
		cluster := pick(w, w.clusters...)
		say("join %s %s %s %s", name, cluster, country, region)
		w.node(name, cluster, country, region, slots(pick[int64](w, 1, 2, 3, 6)))
	case 2:
		if name := w.anyNode(); name != "" {
			say("delete node %s", name)
			w.deleteNode(name)
		}
	case 3, 4:
		if name := w.anyNode(); name != "" {
			say("relabel %s %s %s", name, country, region)
			w.relabel(name, country, region)
		}
	case 5:
		if name := w.anyNode(); name != "" {
			w.served[name] = !w.served[name]
			say("serve %s %v", name, w.served[name])
			if w.served[name] {
				w.beat(name)
			}
		}
	case 6:
		if name := w.anyNode(); name != "" {
			say("cordon %s", name)
			w.cordon(name, w.rng.IntN(2) == 0)
		}
	case 7:
		if name := w.anyNode(); name != "" {
			grace := pick(w, 10*time.Second, time.Minute)
			say("drain %s %s", name, grace)
			w.drain(name, grace)
		}
	case 8:
		if name := w.anyNode(); name != "" {
			n := pick[int64](w, 1, 2, 4, 8)
			say("resize %s %d", name, n)
			w.changeNode(name, func(row *fleet.Node) { row.Capacity = slots(n) })
		}
	case 9:
		g := w.settings
		if w.rng.IntN(2) == 0 {
			g.Enabled = !g.Enabled
		} else {
			g.OnDrift = pick(w, fleet.OnDriftReport, fleet.OnDriftReschedule)
		}
		say("settings %v %s", g.Enabled, g.OnDrift)
		w.set(g)
	case 10:
		g := w.settings
		g.Regions = pick(w, allRegions, allRegions[:2], allRegions[1:], []fleet.Region{{Name: "wide", Countries: []string{"FR", "US"}}, allRegions[1]})
		say("regions %v", g.Regions)
		w.set(g)
	case 11:
		tenants := pick(w, []string{"acme"}, []string{"zen"}, []string{"acme", "zen"}, []string{fleet.AllTenants})
		say("grant europe %v", tenants)
		w.cluster("europe", tenants...)
	case 12, 13:
		if len(w.deployed) >= 12 {
			return
		}
		s := w.anySpec()
		uid := w.deploy(pick(w, "acme", "zen"), fmt.Sprint("d", w.uids), s)
		say("deploy %s %+v", uid, s)
		w.deployed = append(w.deployed, uid)
	case 14, 15:
		if len(w.deployed) == 0 {
			return
		}
		uid, s := w.deployed[w.rng.IntN(len(w.deployed))], w.anySpec()
		say("edit %s %+v", uid, s)
		w.edit(uid, s)
	case 16:
		if len(w.deployed) == 0 {
			return
		}
		uid := w.deployed[w.rng.IntN(len(w.deployed))]
		d := w.store.deployments[uid]
		s := spec{image: d.Spec.Image, replicas: pick(w, 0, 1, 2, 4, 6)}
		if r := d.Spec.Residency(); r != nil {
			s.residency = *r
		}
		if d.Spec.Resources != nil {
			s.cpu = string(d.Spec.Resources.Requests.CPU)
		}
		say("scale %s %d", uid, s.replicas)
		w.edit(uid, s)
	case 17:
		if len(w.deployed) < 4 {
			return
		}
		at := w.rng.IntN(len(w.deployed))
		say("undeploy %s", w.deployed[at])
		w.undeploy(w.deployed[at])
		w.deployed = append(w.deployed[:at], w.deployed[at+1:]...)
	case 18, 19:
		for range 4 {
			c, ok := w.anyContainer()
			if !ok || !w.served[c.Node] {
				continue
			}
			state := pick(w, fleet.StateRunning, fleet.StateRunning, fleet.StateStarting, fleet.StateUnhealthy, fleet.StateFailed, fleet.StateExited)
			if c.Stop {
				state = pick(w, fleet.StateStopped, fleet.StateExited, fleet.StateRunning)
			}
			say("report %s %s", c.ID, state)
			w.report(c.ID, state)
		}
	case 20:
		if !w.inside {
			d := time.Duration(1+w.rng.IntN(50)) * time.Second
			say("advance %s", d)
			w.advance(d)
		}
	case 21:
		if !w.inside && w.rng.IntN(6) == 0 {
			say("restart")
			w.restart()
			w.renewed()
		}
	}
}
