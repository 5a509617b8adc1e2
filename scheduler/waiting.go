package scheduler

import "slices"

// group is the waiting deployments of one pool that ask for the same amount: what one of them cannot get, none of
// them can. So an event wakes only the first, and each that was served wakes the next.
//
// A deployment waits where a replica of it has no acceptable place. It is woken by a node that its requirement
// accepts and that has come to have room for it (joined, relabelled, returned, opened, emptied), by a grant
// and by the settings: never by time, and never by anything that could not lift its reason.
type group struct {
	pool        *pool
	need        *need
	first, last *deployment
	size        int
	index       int // in rule.groups
}

// wait has the deployment sleep until something could lift its reason. One that already waits keeps its turn.
func (p *picture) wait(d *deployment) {
	if d.group != nil && d.group.pool == d.pool && d.group.need == d.need {
		return
	}
	p.wake(p.unwait(d))
	g := p.groupOf(d.pool, d.need)
	d.group, d.before = g, g.last
	if g.last != nil {
		g.last.after = d
	} else {
		g.first = d
	}
	g.last = d
	g.size++
	p.sleepers++
}

// unwait takes the deployment out of its group, and answers the group if somebody is left in it.
func (p *picture) unwait(d *deployment) *group {
	g := d.group
	if g == nil {
		return nil
	}
	if d.before != nil {
		d.before.after = d.after
	} else {
		g.first = d.after
	}
	if d.after != nil {
		d.after.before = d.before
	} else {
		g.last = d.before
	}
	d.group, d.before, d.after = nil, nil, nil
	g.size--
	p.sleepers--
	if g.first == nil {
		p.dropGroup(g)
		return nil
	}
	return g
}

// wake looks again at the first of a group that is left behind by one that was served, if there is room.
func (p *picture) wake(g *group) {
	if g != nil && p.roomFor(p.classesOf(g.pool), g.need.Amount) {
		p.enqueue(g.first)
	}
}

// freed wakes the groups that the node could serve.
func (p *picture) freed(n *node) {
	if len(p.sleeping) == 0 || !n.takes() {
		return
	}
	free := n.free()
	for _, r := range p.sleeping {
		if p.settings.Enabled && !r.passes[n.class.place.id] {
			continue
		}
		for _, g := range r.groups {
			if g.need.Fits(free) && n.class.cluster.grants(g.pool.tenant) && g.pool.within(n.class.cluster) {
				p.enqueue(g.first)
			}
		}
	}
}

func (p *picture) groupOf(l *pool, want *need) *group {
	for _, g := range l.groups {
		if g.need == want {
			return g
		}
	}
	want.users++
	g := &group{pool: l, need: want, index: len(l.rule.groups)}
	l.groups = append(l.groups, g)
	l.rule.groups = append(l.rule.groups, g)
	if l.rule.sleeping < 0 {
		l.rule.sleeping = len(p.sleeping)
		p.sleeping = append(p.sleeping, l.rule)
	}
	return g
}

func (p *picture) dropGroup(g *group) {
	r := g.pool.rule
	g.pool.groups = slices.DeleteFunc(g.pool.groups, func(o *group) bool { return o == g })
	p.dropNeed(g.need)
	last := len(r.groups) - 1
	r.groups[g.index] = r.groups[last]
	r.groups[g.index].index = g.index
	r.groups = r.groups[:last]
	if last > 0 {
		return
	}
	end := len(p.sleeping) - 1
	p.sleeping[r.sleeping] = p.sleeping[end]
	p.sleeping[r.sleeping].sleeping = r.sleeping
	p.sleeping = p.sleeping[:end]
	r.sleeping = -1
}
