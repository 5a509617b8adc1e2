package scheduler

import (
	"slices"
	"strings"
	"time"

	"odysseus/fleet"
)

// steadyAfter is how long a container has to run that ended before, until it counts as recovered: a container that
// crashes again and again runs for a moment each time.
const steadyAfter = time.Minute

// failoverEvent is something that failover decided, to be written as an event.
type failoverEvent struct {
	reason  string
	cluster string
}

// health is a workload's on one cluster.
type health struct {
	replicas int
	// bad: some replica is unhealthy, failed, or ended though it should run. well: all run, and have for a while.
	bad, well bool
	ready     int
	due       time.Time
}

// failover moves the workload off clusters where it has been unhealthy for longer than its policy tolerates, and says
// whether some cluster is avoided for that. It works on the binding's clock times, so that timers survive a restart:
//
//	unhealthy ── tolerationSeconds ──▶ moved ─┬─ Immediately: what ran there is stopped in the same decision
//	    │                                     ├─ Graciously: when the new replicas are healthy, or after the grace;
//	    └─ recovered: forgotten               │  called off when the old ones recover first
//	                                          └─ Never: nothing moves; a person is told
//
// "Residency binds failover as it binds everything: no candidate inside, no move."
func (p *picture) failover(d *deployment, v *survey, t *target, now time.Time) (avoids bool) {
	var f *fleet.ApplicationFailover
	if t.policy != nil && d.runs.containers {
		f = t.policy.Failover()
	}
	if f == nil {
		return false // what was moved is forgotten with the rule that moved it
	}
	state := p.healthOf(d, v, now)
	names := map[string]bool{}
	for name := range state {
		names[name] = true
	}
	for _, r := range d.binding.Failovers {
		names[r.Cluster] = true
	}
	for _, name := range sortedKeys(names) {
		r := recordOf(d.binding.Failovers, name)
		before := r
		p.judge(d, t, f, state, &r, now)
		if before.Manual != r.Manual && r.Manual {
			t.moves = append(t.moves, failoverEvent{EventFailoverManual, name})
		}
		if before.MovedAt.IsZero() && !r.MovedAt.IsZero() {
			t.moves = append(t.moves, failoverEvent{EventMovedOff, name})
		}
		if r.UnhealthySince.IsZero() && r.MovedAt.IsZero() {
			continue
		}
		t.binding.Failovers = append(t.binding.Failovers, r)
		if !r.MovedAt.IsZero() {
			avoids = true
			if c := p.clusters[name]; c != nil && !r.Purged {
				t.leaving = append(t.leaving, c)
			}
		}
	}
	return avoids
}

// judge brings the record of one cluster up to date.
func (p *picture) judge(d *deployment, t *target, f *fleet.ApplicationFailover, state map[string]health, r *fleet.ClusterFailover, now time.Time) {
	h := state[r.Cluster]
	if !r.MovedAt.IsZero() && r.Generation != d.generation {
		*r = fleet.ClusterFailover{Cluster: r.Cluster} // it changed, or somebody asked to divide afresh
	}
	switch {
	case !r.MovedAt.IsZero() && r.Purged:
	case !r.MovedAt.IsZero():
		over := r.MovedAt.Add(time.Duration(f.Grace()) * time.Second)
		switch {
		case h.replicas > 0 && h.well:
			// "If the old one recovers first the move is called off."
			t.calledOff = p.clusters[r.Cluster]
			t.moves = append(t.moves, failoverEvent{EventMoveCalledOff, r.Cluster})
			*r = fleet.ClusterFailover{Cluster: r.Cluster}
		case h.replicas == 0, d.healthyBeside(r.Cluster, state), !now.Before(over):
			r.Purged = true
		default:
			t.dueBy(over)
			t.dueBy(h.due)
		}
	case h.replicas == 0 || h.well || !h.bad && r.UnhealthySince.IsZero():
		*r = fleet.ClusterFailover{Cluster: r.Cluster}
	default:
		if r.UnhealthySince.IsZero() {
			r.UnhealthySince = now.UTC().Truncate(time.Millisecond)
		}
		t.dueBy(h.due)
		over := r.UnhealthySince.Add(time.Duration(f.Toleration()) * time.Second)
		if now.Before(over) {
			t.dueBy(over)
			return
		}
		if f.Purge() == fleet.PurgeNever {
			r.Manual = true
			return
		}
		if !t.elsewhereThan(r.Cluster, d) {
			t.stuck = append(t.stuck, r.Cluster) // it is looked at again when some cluster comes to be a candidate
			return
		}
		r.Manual = false
		r.MovedAt, r.Generation = now.UTC().Truncate(time.Millisecond), d.generation
		if f.Purge() == fleet.PurgeImmediately || d.healthyBeside(r.Cluster, state) {
			r.Purged = true
		} else {
			t.dueBy(r.MovedAt.Add(time.Duration(f.Grace()) * time.Second))
		}
	}
}

// movesOf are the moves alone, without how long something is unhealthy: that nobody looks at while a workload waits or is
// preserved, and it must not count towards what is tolerated afterwards.
func movesOf(all []fleet.ClusterFailover) []fleet.ClusterFailover {
	var moves []fleet.ClusterFailover
	for _, r := range all {
		if !r.MovedAt.IsZero() {
			moves = append(moves, r)
		}
	}
	return moves
}

// elsewhereThan says whether another candidate is left that it was not moved off itself.
func (t *target) elsewhereThan(name string, d *deployment) bool {
	return slices.ContainsFunc(t.candidacy.members, func(m member) bool {
		// Of those that are judged after this one only what was before is known.
		was := recordOf(d.binding.Failovers, m.Name)
		moved := m.Name > name && !was.MovedAt.IsZero() && was.Generation == d.generation
		return m.Name != name && !moved && !t.avoids(m.Name)
	})
}

// avoids says whether the deployment was moved off the cluster.
func (t *target) avoids(name string) bool {
	return !recordOf(t.binding.Failovers, name).MovedAt.IsZero()
}

// manual names the clusters that a person has to look at.
func (t *target) manual() []string {
	names := slices.Clone(t.stuck)
	for _, r := range t.binding.Failovers {
		if r.Manual {
			names = append(names, r.Cluster)
		}
	}
	slices.Sort(names)
	return names
}

// troubled says whether something needs a person though every replica may have its place.
func (t *target) troubled() bool {
	return len(t.manual()) > 0 || slices.ContainsFunc(t.parts, func(q quota) bool { return q.blocked != nil })
}

func recordOf(all []fleet.ClusterFailover, name string) fleet.ClusterFailover {
	for _, r := range all {
		if r.Cluster == name {
			return r
		}
	}
	return fleet.ClusterFailover{Cluster: name}
}

// healthyBeside says whether as many replicas as are wanted are healthy on other clusters than that one: then nothing
// waits for it.
func (d *deployment) healthyBeside(name string, state map[string]health) bool {
	ready := 0
	for other, h := range state {
		if other != name {
			ready += h.ready
		}
	}
	return ready >= d.replicas && d.replicas > 0
}

func (t *target) dueBy(at time.Time) {
	if !at.IsZero() && (t.due.IsZero() || at.Before(t.due)) {
		t.due = at
	}
}

// healthOf is the workload's health by cluster. Replicas whose node is lost say nothing: they are placed again anyway.
func (p *picture) healthOf(d *deployment, v *survey, now time.Time) map[string]health {
	state := map[string]health{}
	for _, s := range v.slots {
		if s.standing == lost {
			continue
		}
		c := s.keep
		name := c.node.class.cluster.name
		h, seen := state[name]
		if !seen {
			h.well = true
		}
		h.replicas++
		h.ready += oneIf(c.ready() || d.runs.job && c.state == exited)
		steady := d.crashed[c.seq].steady()
		switch {
		case c.state == running && now.Before(steady):
			h.well = false
			if h.due.IsZero() || steady.Before(h.due) {
				h.due = steady
			}
		case c.state == running, c.state == exited && d.runs.job:
		case c.state == unhealthy, c.state == failed, c.state == exited:
			h.bad, h.well = true, false
		default:
			h.well = false
		}
		state[name] = h
	}
	return state
}

// crashes are how often a container ended though it should run, and when it last ran again.
type crashes struct {
	count int
	ran   time.Time
}

// steady is when the container counts as recovered: at once after a first crash, later when it crashes again and again.
func (c crashes) steady() time.Time {
	if c.count < 2 || c.ran.IsZero() {
		return time.Time{}
	}
	return c.ran.Add(steadyAfter)
}

// crash remembers that a container ended though it should run, or runs again after that.
func (d *deployment) crash(c *container, to state, now time.Time) {
	if d.policy == nil || d.policy.Failover() == nil || c.state == to {
		return
	}
	seen := d.crashed[c.seq]
	switch {
	case to == exited || to == failed:
		seen.count++
		seen.ran = time.Time{}
	case to == running && seen.count > 0:
		seen.ran = now
	default:
		return
	}
	if d.crashed == nil {
		d.crashed = map[int64]crashes{}
	}
	d.crashed[c.seq] = seen
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
