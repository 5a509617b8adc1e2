package scheduler

import (
	"cmp"
	"maps"
	"slices"

	"odysseus/fleet"
)

// Where a replica stands, the worse the higher: at home; of an older revision; outside its residency while that is to be
// mended; on a node that is emptied; in a cluster that was taken away; on a node that is silent.
const (
	atHome = iota
	ofOld
	adrift
	emptied
	revoked
	silent
)

// numbered is one replica number, with the container of it that counts.
type numbered struct {
	number   int
	all      []fleet.Container
	counts   fleet.Container
	standing int
	ready    bool // the one that counts runs
}

// view is a subject as the page on policies has it: who holds it, the candidates, their parts, and what they hold.
type view struct {
	s       subject
	policy  *fleet.Policy
	binding fleet.Binding
	waits   string
	frozen  bool

	refused    map[string]string // every cluster's refusal
	candidates []string
	parts      map[string]int
	rest       int
	// numbers count; parked ones wait on a cluster that the subject was moved off; dropped ones have no business.
	numbers, parked, dropped []numbered
	held, keptIn             map[string]int // by cluster
	kept, total              int
	// unclear: which replicas are given up is the scheduler's choice, and what is held depends on it.
	unclear bool
}

func (w *policyWorld) standing(s subject, c fleet.Container) int {
	n := w.store.nodes[c.Node]
	in := w.allows(s, n)
	switch {
	case s.job && c.State == "exited":
		return atHome // it has done its work
	case !w.alive(c.Node):
		return silent
	case !w.granted(s.tenant, n.Cluster):
		return revoked
	case !n.DrainDeadline.IsZero():
		return emptied
	case c.Revision < s.revision && (c.Revision < s.template || !in):
		return ofOld
	case w.settings.OnDrift == "reschedule" && !in:
		return adrift
	}
	return atHome
}

func (w *policyWorld) runs(c fleet.Container) bool { return c.State == "running" && w.alive(c.Node) }

// number sorts containers out by replica. Of several the one counts that is at home, then one that is not lost, then one
// that runs, and of these the newer.
func (w *policyWorld) number(s subject, containers []fleet.Container) []numbered {
	byNumber := map[int]*numbered{}
	for _, c := range containers {
		st := w.standing(s, c)
		x := byNumber[c.Replica]
		if x == nil {
			byNumber[c.Replica] = &numbered{number: c.Replica, all: []fleet.Container{c}, counts: c, standing: st, ready: w.runs(c)}
			continue
		}
		x.all = append(x.all, c)
		var better bool
		switch {
		case (st == atHome) != (x.standing == atHome):
			better = st == atHome
		case st == atHome:
			better = w.runs(c) && !x.ready
		case (st == silent) != (x.standing == silent):
			better = x.standing == silent
		case w.runs(c) != x.ready:
			better = w.runs(c)
		default:
			better = x.ready && c.Revision > x.counts.Revision
		}
		if better {
			x.counts, x.standing, x.ready = c, st, w.runs(c)
		}
	}
	var list []numbered
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		list = append(list, *byNumber[n])
	}
	return list
}

// active lists a subject's containers that count as replicas, by counter.
func (w *policyWorld) active(uid string) []fleet.Container {
	var list []fleet.Container
	for _, c := range w.store.of(uid) {
		if !c.Stop && c.State != "stopped" {
			list = append(list, c)
		}
	}
	return list
}

func (w *policyWorld) clusterOf(c fleet.Container) string { return w.store.nodes[c.Node].Cluster }

// movedOff are the clusters that the binding says the subject was moved off, and those of them it still waits on.
func movedOff(b fleet.Binding) (moved, leaving []string) {
	for _, r := range b.Failovers {
		if !r.MovedAt.IsZero() {
			moved = append(moved, r.Cluster)
			if !r.Purged {
				leaving = append(leaving, r.Cluster)
			}
		}
	}
	return moved, leaving
}

// look works out a subject's view from what holds it and from the containers given.
func (w *policyWorld) look(s subject, b fleet.Binding, containers []fleet.Container, used func(string) fleet.Amount, calledOff bool) view {
	v := view{s: s, binding: b, refused: map[string]string{}, held: map[string]int{}, keptIn: map[string]int{}, parts: map[string]int{}, total: s.count, unclear: calledOff}
	if b.Policy != nil {
		p := w.store.policies[*b.Policy]
		v.policy = &p
	}
	switch {
	case v.policy != nil && len(v.policy.Spec.DependentOverrides) > 0:
		v.waits, v.frozen = "waiting_for_override_policy", true
	case v.policy == nil && !s.own:
		v.waits, v.frozen = "no_policy", b.Kept
	}
	numbers := w.number(s, containers)
	if v.waits != "" {
		if v.frozen {
			v.numbers = numbers
		} else {
			v.dropped = numbers
		}
		return v
	}
	moved, leaving := movedOff(b)
	for _, name := range slices.Sorted(maps.Keys(w.store.clusters)) {
		if v.refused[name] = w.refusal(s, v.policy, moved, name); v.refused[name] == "" {
			v.candidates = append(v.candidates, name)
		}
	}
	for _, x := range numbers {
		at := w.clusterOf(x.counts)
		switch why := v.refused[at]; {
		case slices.Contains(leaving, at):
			v.parked = append(v.parked, x)
		case why == "unselected" || why == "moved_off":
			v.dropped = append(v.dropped, x)
		default:
			v.numbers = append(v.numbers, x)
		}
	}
	w.giveUp(&v)
	w.divideView(&v, used)
	return v
}

func (v *view) division() string {
	if v.policy == nil {
		return "dynamic"
	}
	if v.policy.Spec.Placement == nil || v.policy.Spec.Placement.ReplicaScheduling == nil {
		return "duplicated"
	}
	switch s := v.policy.Spec.Placement.ReplicaScheduling; {
	case s.ReplicaSchedulingType == "Duplicated":
		return "duplicated"
	case s.ReplicaDivisionPreference == "Aggregated":
		return "aggregated"
	case s.WeightPreference != nil && s.WeightPreference.DynamicWeight != "":
		return "dynamic"
	}
	return "static"
}

func (v *view) flexible() bool { return v.division() == "dynamic" || v.division() == "aggregated" }

func (v *view) gang() bool {
	return v.policy != nil && v.policy.Spec.Placement != nil && v.policy.Spec.Placement.ReplicaScheduling != nil &&
		v.policy.Spec.Placement.ReplicaScheduling.CustomSchedulingType == "Gang"
}

// tally counts what candidates hold, and what is kept beside them: what is outside the residency, "drift's affair", and
// Jobs' replicas that have ended where nobody may start any more.
func (w *policyWorld) tally(v *view) {
	clear(v.held)
	clear(v.keptIn)
	v.kept = 0
	for _, x := range v.numbers {
		at := w.clusterOf(x.counts)
		switch {
		case x.standing > ofOld:
		case v.refused[at] == "" && w.allows(v.s, w.store.nodes[x.counts.Node]):
			v.held[at]++
		default:
			v.kept++
			v.keptIn[at]++
		}
	}
	v.total = v.s.count
	if v.division() != "duplicated" || !v.s.counted {
		return
	}
	// The full count on each candidate. On what is none any more stays what was there, and no more than the count.
	beside := 0
	for at, n := range v.keptIn {
		if v.refused[at] != "" {
			beside += min(n, v.s.count)
		}
	}
	v.total = v.s.count*len(v.candidates) + beside
	if len(v.candidates) == 0 {
		v.total = max(v.s.count, beside)
	}
}

// uselessness ranks replicas that share in no division: on lost nodes, then drifting, then on nodes that are emptied, then
// those that are kept.
func (w *policyWorld) uselessness(v *view, x numbered) int {
	switch out := !w.allows(v.s, w.store.nodes[x.counts.Node]); {
	case x.standing == silent:
		return 4
	case x.standing == revoked || out:
		return 3
	case x.standing == emptied:
		return 2
	case x.standing <= ofOld && v.refused[w.clusterOf(x.counts)] != "":
		return 1
	}
	return 0
}

// giveUp leaves out, of more replicas than are wanted, those first that are not placed usefully: they need no share.
func (w *policyWorld) giveUp(v *view) {
	copies := v.division() == "duplicated" && v.s.counted
	w.tally(v)
	given := map[int]bool{}
	if copies {
		for at, n := range v.keptIn {
			for _, x := range v.numbers {
				if n > v.s.count && v.refused[at] != "" && w.clusterOf(x.counts) == at && x.standing <= ofOld {
					given[x.number], v.unclear = true, true
					n--
				}
			}
		}
	}
	over := len(v.numbers) - len(given) - v.total
	useless := func(x numbered) int {
		if given[x.number] || copies && x.standing <= ofOld {
			return 0
		}
		return w.uselessness(v, x)
	}
	order := slices.Clone(v.numbers)
	slices.SortStableFunc(order, func(a, b numbered) int { return cmp.Compare(useless(b), useless(a)) })
	for i, x := range order {
		if i >= over || useless(x) == 0 {
			break
		}
		if i == over-1 && i+1 < len(order) && useless(order[i+1]) == useless(x) {
			v.unclear = true // some of a kind go and others stay
		}
		given[x.number] = true
	}
	v.numbers = slices.DeleteFunc(v.numbers, func(x numbered) bool {
		if given[x.number] {
			v.dropped = append(v.dropped, x)
		}
		return given[x.number]
	})
	w.tally(v)
}

// divideView divides the count, seat by seat and in fractions: see divideOracle.
func (w *policyWorld) divideView(v *view, used func(string) fleet.Amount) {
	q := question{namespace: v.s.namespace, name: v.s.name, replicas: v.s.count, gang: v.gang()}
	q.fresh = v.s.afresh == v.s.generation && v.s.seen < v.s.generation
	switch v.division() {
	case "duplicated":
		q.strategy = duplicated
	case "static":
		q.strategy = staticWeight
	case "aggregated":
		q.strategy = aggregated
	default:
		q.strategy = dynamicWeight
	}
	if !v.s.counted {
		q.strategy, q.replicas, q.gang = duplicated, 0, false
	}
	if v.flexible() {
		q.replicas = max(0, q.replicas-v.kept)
	}
	for _, name := range v.candidates {
		c := candidate{cluster: name, available: unlimited, held: v.held[name], weight: v.weight(w.store.clusters[name])}
		if len(v.candidates) > 1 || q.gang {
			c.available = w.room(v.s, name, used)
		}
		if q.gang && q.strategy != duplicated && w.gated(v.s, v.policy, name, w.believed) {
			c.available = 0
		}
		q.candidates = append(q.candidates, c)
	}
	v.parts, v.rest = divideOracle(q)
}

// weight of a cluster: "several rules on one cluster: the largest".
func (v *view) weight(c fleet.Cluster) int64 {
	var largest int64
	if v.division() != "static" || v.policy.Spec.Placement.ReplicaScheduling.WeightPreference == nil {
		return 0
	}
	for _, rule := range v.policy.Spec.Placement.ReplicaScheduling.WeightPreference.StaticWeightList {
		if targets(rule.TargetCluster, c) {
			largest = max(largest, *rule.Weight)
		}
	}
	return largest
}
