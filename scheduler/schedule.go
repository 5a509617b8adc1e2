package scheduler

import (
	"slices"
	"strconv"
	"time"

	"odysseus/fleet"
)

// plan is a decision together with the records that it is about.
type plan struct {
	deployment *deployment
	decision   fleet.Decision
	nodes      []*node // of decision.Assign, one by one
	adopts     []*container
	stops      []*container
	removes    []*container
	said       []saidOf
	drifts     []driftOf
	// cleans: the decision only removes what a failed commit may have left.
	cleans  bool
	heads   headcount
	target  *target
	blocked bool
	// short are the clusters where replicas found no room; gated says that something has to be there first.
	short []*cluster
	gated bool
	codes string
	// ids holds the IDs of decision.Assign one after the other, and ends where each ends: one text for all.
	ids  []byte
	ends []int
}

// saidOf and driftOf are what the decision's events say of a container, to be remembered once they are stored.
type saidOf struct {
	container *container
	flags     flags
}

type driftOf struct {
	container *container
	at        *place
}

// empty says whether there is nothing to store.
func (l *plan) empty() bool {
	d := &l.decision
	return len(d.Assign)+len(d.Adopt)+len(d.Stop)+len(d.Remove)+len(d.Events) == 0 && len(d.Drop) == 0 && d.Status == nil && d.Binding == nil
}

// schedule decides on one deployment: sort out its containers, see what must change, find nodes, and say so. It is a
// function of the picture and the time alone, and leaves both as they were: carrying the plan out is commit.go's.
func (p *picture) schedule(d *deployment, now time.Time) plan {
	l := plan{deployment: d}
	l.decision = fleet.Decision{Ref: d.ref, Resource: d.resource, DeploymentUID: d.uid, Generation: d.generation, Deleted: d.deleted}
	if d.doubts > 0 {
		l.clean()
		return l
	}
	if !d.deleted && !d.preserved {
		p.rerender(d, p.distributed(d))
	}
	v := &p.survey
	v.take(p, d, true)
	l.remove(v.gone)
	if d.deleted {
		l.stop(v.active)
		l.finish()
		return l
	}
	if d.preserved {
		l.finish() // what it distributed stays
		return l
	}
	t := p.bind(d, v, p.steady(now))
	t.deciding = true
	l.target = &t
	ch := p.reconcile(d, v, &t)
	said := p.say(d, v, &l, now)
	said.bound(d, &t)
	for _, s := range ch.surplus {
		l.stop(v.of(s))
	}
	l.stop(ch.stops)
	p.place(&l, v, &ch, said, now)
	for _, c := range v.active {
		if p.adopts(d, c) && !c.is(leaving) {
			l.adopt(c, d.revision)
		}
	}
	said.flush()
	said.stopped(len(ch.surplus))
	said.replaced(ch.took)
	drifting := p.sayDrift(v, &l, said)
	p.conclude(&l, v, drifting, said, now)
	p.settleBinding(d, &l)
	l.decision.Events = said.events
	l.finish()
	return l
}

// place finds nodes for the replicas that have none, for those that must move at once, and, unless a rollout is on
// its way, for the next outdated one: in each cluster for its part.
func (p *picture) place(l *plan, v *survey, ch *change, said *events, now time.Time) {
	d, t := l.deployment, l.target
	want := ch.missing + len(ch.moves)
	picks := p.scratch.chosen[:0]
	if want > 0 || len(ch.rollout) > 0 {
		p.turn++
		for _, s := range v.slots {
			if s.standing == settled {
				n := s.keep.node
				n.tally(p.turn)
				n.count++
			}
		}
		for _, q := range t.left(want) {
			if q.gate != nil || q.blocked != nil {
				l.gated = true
				continue
			}
			found := p.spreadIn(d, q.cluster, q.short())
			if len(found) < q.short() {
				l.short = append(l.short, q.cluster)
			}
			picks = append(picks, found...)
		}
	}
	placed := len(picks)
	var next slot // of the outdated ones
	if len(ch.rollout) > 0 && !ch.rolling {
		var n *node
		if n, next = p.placeNext(l, ch.rollout, want > placed); n != nil {
			picks = append(picks, n)
		} else {
			l.blocked = true
		}
	}
	p.scratch.chosen = picks
	l.heads = p.headcountOf(l, v, ch, placed)
	if len(picks) == 0 {
		return
	}
	l.reserve(len(picks), d)
	fresh := min(ch.missing, placed)
	for i, number := range v.free(fresh) {
		l.assign(picks[i], number, now)
	}
	said.scheduled(fresh)
	for i, n := range picks[fresh:placed] {
		l.replace(p, n, ch.moves[i], v, said, now)
	}
	if len(picks) > placed {
		l.replace(p, picks[placed], next, v, said, now)
	}
}

// spreadIn spreads further replicas over the nodes of one cluster.
func (p *picture) spreadIn(d *deployment, c *cluster, want int) []*node {
	q := query{d.ref.Tenant, d.pool.rule, d.needOn(c)}
	classes := p.scratch.classes[:0]
	for _, k := range c.classes {
		if admitsClass(p.filters, q, k) {
			classes = append(classes, k)
		}
	}
	p.scratch.classes = classes
	return p.spread(q, classes, want)
}

// placeNext finds a node for the next outdated replica, the first that can be replaced: one whose cluster is full does not
// hold up those of others.
func (p *picture) placeNext(l *plan, rollout []slot, crowded bool) (*node, slot) {
	var full []*cluster
	for _, s := range rollout {
		own := s.keep.node.class.cluster
		if slices.Contains(full, own) {
			continue
		}
		if n := p.placeOutdated(l, s, crowded); n != nil {
			return n, s
		}
		full = append(full, own)
	}
	return nil, slot{}
}

// placeOutdated finds a node for one outdated replica: in its own cluster, so that the division stays as it is, and
// only where that has no room, or must not run it any more, in another.
func (p *picture) placeOutdated(l *plan, s slot, crowded bool) *node {
	d, t := l.deployment, l.target
	own := s.keep.node.class.cluster
	parts := slices.Clone(t.parts)
	slices.SortStableFunc(parts, func(a, b quota) int { return oneIf(b.cluster == own) - oneIf(a.cluster == own) })
	for _, q := range parts {
		// What another cluster lacks of its own part goes before, and no weight lets a part grow beyond itself.
		if q.cluster != own && (crowded || !t.flexible()) {
			continue
		}
		if q.gate != nil || q.blocked != nil {
			l.gated = true
			continue
		}
		if found := p.spreadIn(d, q.cluster, 1); len(found) > 0 {
			return found[0]
		}
		if !slices.Contains(l.short, q.cluster) {
			l.short = append(l.short, q.cluster)
		}
	}
	return nil
}

// replace assigns a replacement with the same replica number.
func (l *plan) replace(p *picture, n *node, s slot, v *survey, said *events, now time.Time) {
	l.assign(n, s.number, now)
	said.replacing(s.standing)
	if p.replacedAtOnce(s) {
		l.stop(v.of(s))
	}
}

// reserve makes room for k assignments.
func (l *plan) reserve(k int, d *deployment) {
	l.decision.Assign = make([]fleet.Container, 0, k)
	l.nodes = make([]*node, 0, k)
	l.ids = make([]byte, 0, k*(len(d.uid)+1+len(strconv.FormatInt(d.last+int64(k), 10))))
	l.ends = make([]int, 0, k)
	l.decision.LastContainer = d.last
}

func (l *plan) assign(n *node, number int32, now time.Time) {
	d := l.deployment
	l.decision.LastContainer++
	l.nodes = append(l.nodes, n)
	l.ids = strconv.AppendInt(append(append(l.ids, d.uid...), '-'), l.decision.LastContainer, 10)
	l.ends = append(l.ends, len(l.ids))
	c := n.class.cluster
	rendering, _ := d.wanted(c)
	l.decision.Assign = append(l.decision.Assign, fleet.Container{
		Tenant: d.ref.Tenant, Namespace: d.ref.Namespace, Deployment: d.ref.Name, DeploymentUID: d.uid, Revision: d.revision,
		Replica: int(number), Rendering: rendering, Node: n.name, Requests: d.needOn(c), State: fleet.StateAssigned, CreatedAt: now,
	})
}

// stop takes a container once, however many reasons there are.
func (l *plan) stop(containers []*container) {
	for _, c := range containers {
		if c.is(leaving) {
			continue
		}
		c.flags |= leaving
		l.stops = append(l.stops, c)
		l.decision.Stop = append(l.decision.Stop, c.id())
	}
}

func (l *plan) adopt(c *container, revision int64) {
	l.adopts = append(l.adopts, c)
	l.decision.Adopt = append(l.decision.Adopt, fleet.Adoption{ID: c.id(), Revision: revision})
}

func (l *plan) remove(containers []*container) {
	for _, c := range containers {
		l.removes = append(l.removes, c)
		l.decision.Remove = append(l.decision.Remove, c.id())
	}
}

// clean makes sure of what a commit may have stored although it failed: what it assigned is removed, what it stopped
// is stopped, what it adopted is adopted.
func (l *plan) clean() {
	l.cleans = true
	for _, c := range l.deployment.containers {
		if c.is(doubtful) {
			l.remove([]*container{c})
		}
		if c.is(halting) {
			l.stop([]*container{c})
		}
		if c.is(adopting) {
			l.adopt(c, c.revision)
		}
	}
	l.finish()
}

// finish gives the assigned their IDs, and leaves the containers as they were.
func (l *plan) finish() {
	ids, from := string(l.ids), 0
	for i, end := range l.ends {
		l.decision.Assign[i].ID = ids[from:end]
		from = end
	}
	l.ids, l.ends = nil, nil
	for _, c := range l.stops {
		c.flags &^= leaving
	}
}
