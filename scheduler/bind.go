package scheduler

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"odysseus/fleet"
)

// target is where a deployment's replicas belong, cluster by cluster: what a decision makes true, and what a report says.
type target struct {
	// binding is as it will be stored; policy is who holds the deployment then.
	binding fleet.Binding
	policy  *policy
	claim   fleet.Claim
	// waits says why nothing is divided. Then nothing is wanted, or, where it is frozen, all stays as it is.
	waits  fleet.Code
	frozen bool

	// deciding: memories may be brought up to date; readers may not.
	deciding bool
	// reach are the clusters that the tenant may use.
	reach     []*cluster
	candidacy candidacy
	division  division
	parts     []quota // of the candidates, by name
	// total is how many replicas are wanted in all; kept are those that stay where they are beside what candidates hold.
	total, kept int
	// stays counts the kept ones by cluster.
	stays map[*cluster]int
	due   time.Time
	// leaving are the clusters that the deployment was moved off, where the old replicas stay until the new ones are
	// healthy: they count for nothing. calledOff is one that recovered first.
	leaving   []*cluster
	calledOff *cluster
	// stuck are the clusters that the deployment would be moved off if there were another candidate.
	stuck []string
	moves []failoverEvent
}

// quota is one candidate's part.
type quota struct {
	cluster *cluster
	desired int
	held    int
	// kept are outside the residency, and of the part where a cluster's part is fixed.
	kept int
	// divided is the part that the division gave, where an override decides another count.
	divided *int
	// gate is what has to be there before anything is started there.
	gate *fleet.Dependency
	// blocked is the override that does not apply: nothing is started there, and what runs stays.
	blocked *fleet.RenderError
}

// short is how many replicas the cluster is to be given.
func (q quota) short() int { return max(0, q.desired-q.held-q.kept) }

// over is how many replicas the cluster is to give up.
func (q quota) over() int { return max(0, q.held+q.kept-q.desired) }

// bind chooses the policy and the candidates, and says what became of the workload's health: everything that comes
// before the division.
func (p *picture) bind(d *deployment, v *survey, now time.Time) target {
	t := target{total: d.replicas}
	p.chooseClaim(d, &t)
	if t.waits = p.waitsFor(d, &t); t.waits != "" {
		t.frozen = t.waits == fleet.ReasonWaitingOverride || t.binding.Kept
		t.binding.Failovers = movesOf(d.binding.Failovers)
		return t
	}
	var spec *fleet.Policy
	if t.policy != nil {
		spec = &t.policy.Policy
	}
	members := p.membersFor(d.ref.Tenant, d.pool.rule, nil)
	for i := range members {
		m := &members[i]
		m.unsupported = d.runs.unsupportedOn(m.of)
		if x := d.rendered(m.of); x != nil && x.blocked == nil && m.of.runtime != fleet.ClusterKubernetes {
			m.unsupported = x.unsupported
		}
		t.reach = append(t.reach, m.of)
	}
	required := d.pool.rule.requirement
	t.candidacy = candidatesOf(members, spec, required)
	if p.failover(d, v, &t, now) {
		for i := range members {
			members[i].avoided = t.avoids(members[i].Name)
		}
		t.candidacy = candidatesOf(members, spec, required)
	}
	return t
}

// chooseClaim decides who holds the deployment. "A claim is sticky."
func (p *picture) chooseClaim(d *deployment, t *target) {
	t.binding.Kept = d.binding.Kept
	policies := p.policies.reaching(d.ref.Namespace)
	if len(policies) == 0 && d.binding.Policy == nil {
		return
	}
	t.claim = fleet.ClaimOf(&d.object, policies, d.binding.Policy)
	if t.claim.Policy == nil {
		if holder := d.binding.Policy; holder != nil {
			// Deleted: as its policy says. Still there: "a label taken off the resource frees it at once".
			_, there := p.policies.all[*holder]
			gone, remembered := p.policies.gone[*holder]
			t.binding.Kept = !there && (gone.keeps || !remembered)
		}
		return
	}
	ref := t.claim.Policy.Ref()
	t.policy = p.policies.all[ref]
	t.binding.Policy, t.binding.Kept = &ref, false
}

// waitsFor says why a resource is not divided yet; empty where it is.
func (p *picture) waitsFor(d *deployment, t *target) fleet.Code {
	return waits(t.claim.Policy, &d.object, p.overrides.exists)
}

// divide divides the deployment's count over the candidates. Room says what each can still take.
func (p *picture) divide(d *deployment, t *target, room func(*cluster) int64) {
	scheduling, by := t.scheduling(), strategyFor(t)
	c := &t.candidacy
	count := d.replicas
	switch {
	case !d.runs.counted:
		by, count = duplicated, 0
	case by == dynamicWeight || by == aggregated:
		count = max(0, count-t.kept)
	}
	if by == dynamicWeight || by == aggregated || scheduling.Gang() {
		for i := range c.members {
			m := &c.members[i]
			m.available = unlimited
			if len(c.members) > 1 || scheduling.Gang() {
				m.available = room(m.of)
			}
			if scheduling.Gang() && by != duplicated && p.gate(d, t, m.of) != nil {
				m.available = 0 // "all replicas at once or none"
			}
		}
	}
	p.heldAsDivided(d, t)
	asked := questionOf(&d.object, scheduling, c.members, int64(count), d.runs.counted)
	asked.fresh = d.afresh == d.generation && (d.status == nil || d.status.ObservedGeneration < d.generation)
	t.division = divide(asked)
	t.parts = make([]quota, len(t.division.parts))
	for i, part := range t.division.parts {
		m := &c.members[i]
		q := quota{cluster: m.of, desired: part.replicas, held: m.held, gate: p.gate(d, t, m.of)}
		if !t.flexible() {
			q.kept = t.stays[m.of]
		}
		t.override(&q, d.rendered(m.of))
		t.parts[i] = q
	}
}

// override takes over what overrides say of a cluster's part: a count of its own, or that nothing may go there.
func (t *target) override(q *quota, x *rendering) {
	switch {
	case x == nil:
	case x.blocked != nil:
		q.blocked = x.blocked
		if held := q.held + q.kept; held > q.desired {
			t.total += held - q.desired
			q.desired = held
		}
	case x.count != nil && (q.desired > 0 || *x.count == 0 || t.total == 0):
		divided := q.desired
		q.divided, q.desired = &divided, *x.count
		t.total += q.desired - divided
		if t.binding.Divided == nil {
			t.binding.Divided = map[string]int{}
		}
		t.binding.Divided[q.cluster.name] = divided
	}
}

// heldAsDivided has a cluster whose count an override decides take part in the division with the part that it got: what
// it runs instead is no share that anybody was given.
func (p *picture) heldAsDivided(d *deployment, t *target) {
	for i := range t.candidacy.members {
		m := &t.candidacy.members[i]
		if x := d.rendered(m.of); x == nil || x.count == nil {
			continue
		}
		if part, given := d.binding.Divided[m.Name]; given {
			m.share = &part
		}
	}
}

// hold counts what the candidates hold: replicas that stay where they are. What has to move anyway is held nowhere, and
// what stays though it is outside the residency, or though its cluster is no candidate, is kept. It answers how many
// replicas are wanted in all. Of duplicated ones that is the full count on each candidate, and beside that no more than
// the count on a cluster that is none any more.
func (t *target) hold(p *picture, d *deployment, v *survey) {
	t.kept = 0
	clear(t.stays)
	for i := range t.candidacy.members {
		t.candidacy.members[i].held = 0
	}
	for _, s := range v.slots {
		c := s.keep.node.class.cluster
		i, found := t.candidate(c)
		switch {
		case s.standing > outdated || t.drops(c):
		case found && !p.outside(s.keep):
			t.candidacy.members[i].held++
		default:
			t.kept++
			if t.stays == nil {
				t.stays = map[*cluster]int{}
			}
			t.stays[c]++
		}
	}
	t.total = d.replicas
	if strategyFor(t) != duplicated || !d.runs.counted {
		return
	}
	beside := 0
	for c, n := range t.stays {
		if _, found := t.candidate(c); !found {
			beside += min(n, d.replicas)
		}
	}
	if n := len(t.candidacy.members); n > 0 {
		t.total = d.replicas*n + beside
	} else {
		t.total = max(d.replicas, beside)
	}
}

// strategyFor is how the policy divides.
func strategyFor(t *target) strategy { return strategyOf(t.scheduling().Division()) }

// flexible says whether parts follow what there is room for: fixed ones stay what they are.
func (t *target) flexible() bool {
	by := strategyFor(t)
	return by == dynamicWeight || by == aggregated
}

func (t *target) scheduling() *fleet.ReplicaScheduling {
	if t.policy == nil {
		return schedulingOf(nil)
	}
	return schedulingOf(&t.policy.Policy)
}

// candidate finds a cluster among the candidates.
func (t *target) candidate(c *cluster) (int, bool) {
	return slices.BinarySearchFunc(t.candidacy.members, c.name, func(m member, name string) int { return strings.Compare(m.Name, name) })
}

// keeps says whether what runs on a cluster stays though the cluster is no candidate, or not for that replica: what is
// outside the residency is drift's affair, and what a runtime cannot carry out anew goes on as it is.
func (t *target) keeps(c *cluster) bool {
	if _, found := t.candidate(c); found {
		return true // outside the residency, on a cluster that also has nodes inside
	}
	isOne := func(m member) bool { return m.of == c }
	return slices.ContainsFunc(t.candidacy.outside, isOne) || slices.ContainsFunc(t.candidacy.incapable, isOne)
}

// asks says whether the policy selects the cluster: what others report is no part of the answer.
func (t *target) asks(c *cluster) bool {
	return t.policy == nil || t.policy.Affinity().Matches(c.name, c.labels)
}

// drops says whether nothing may run on a cluster that the tenant may use: it is not selected, or the deployment was
// moved off it.
func (t *target) drops(c *cluster) bool {
	if t.waits != "" {
		return !t.frozen
	}
	if !slices.Contains(t.reach, c) || t.keeps(c) || slices.Contains(t.leaving, c) {
		return false // of a cluster that was taken away the replicas move when they have a place
	}
	return !slices.ContainsFunc(t.candidacy.silent, func(m member) bool { return m.of == c })
}

// left is what is to be placed: no more than the replicas that have no place, in the order of the clusters.
func (t *target) left(budget int) []quota {
	var list []quota
	for _, q := range t.parts {
		if n := min(q.short(), budget); n > 0 {
			budget -= n
			q.desired = q.held + q.kept + n
			list = append(list, q)
		}
	}
	return list
}

// settleBinding puts the binding into the decision where it differs from what is stored.
func (p *picture) settleBinding(d *deployment, l *plan) {
	t := l.target
	if d.data != nil || !d.runs.containers {
		t.binding.Clusters = p.clustersWith(d, t)
	}
	if t.frozen || d.renders == nil {
		t.binding.Renderings, t.binding.LastRendering, t.binding.Divided = d.binding.Renderings, d.binding.LastRendering, d.binding.Divided
	}
	if d.renders != nil {
		d.renders.store(d, l)
	}
	if d.unsure || !t.binding.Equal(&d.binding) {
		next := t.binding
		l.decision.Binding = &next
	}
}

// clustersWith are the clusters that a resource without replicas is on: those of its policy, and those that a workload
// took it along to. What a deleted policy left stays where it was.
func (p *picture) clustersWith(d *deployment, t *target) []string {
	on := map[string]bool{}
	if t.frozen {
		for _, name := range d.binding.Clusters {
			on[name] = true
		}
	}
	for _, q := range t.parts {
		if q.blocked == nil || slices.Contains(d.binding.Clusters, q.cluster.name) {
			on[q.cluster.name] = true
		}
	}
	p.carried(d, on)
	if len(on) == 0 {
		return nil
	}
	return sortedKeys(on)
}

// setBinding takes over what the store has.
func (p *picture) setBinding(d *deployment, b fleet.Binding) {
	moved := !slices.Equal(d.binding.Clusters, b.Clusters) || !maps.Equal(d.binding.Renderings, b.Renderings)
	d.binding = b
	if b.Policy == nil {
		p.hold(d, nil)
	} else {
		p.hold(d, p.policies.all[*b.Policy])
	}
	if moved {
		p.follow(d)
	}
}

func sortByName(all []fleet.ExcludedCluster) {
	slices.SortFunc(all, func(a, b fleet.ExcludedCluster) int { return cmp.Compare(a.Name, b.Name) })
}
