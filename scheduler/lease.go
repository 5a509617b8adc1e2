package scheduler

import "time"

// leases says which nodes are alive: "a node silent for 40 s is lost". Time is counted in small steps of the clock
// rather than read off it: a step backwards, or one too long to have been lived through, tells nothing about
// the nodes. "Clock jumps of two years or minus a day neither lose nodes for good nor fire every timer": such a step
// does not count, and every lease begins again.
type leases struct {
	length time.Duration
	// longest step that counts.
	longest time.Duration

	last    time.Time
	elapsed time.Duration
	// since when leases may be held against nodes: the last start or jump.
	since time.Duration
	// jumped is by how much the clock jumped altogether: timers on clock times leave that out.
	jumped time.Duration

	// Live nodes, the one silent for longest first.
	oldest, newest *node
	draining       []*node
	// earlier is set when something came to be due before what was.
	earlier bool
}

// at moves time on and answers how much has passed since the start.
func (l *leases) at(now time.Time) time.Duration {
	step := now.Sub(l.last)
	switch {
	case l.last.IsZero():
		step = 0
	case step > l.longest || step < -time.Second:
		l.jumped += step
		step, l.since = 0, l.elapsed
	case step < 0: // two readers of the clock passed each other
		return l.elapsed
	}
	l.last = now
	l.elapsed += step
	return l.elapsed
}

// renew gives the node a fresh lease; it comes to stand behind all others.
func (l *leases) renew(n *node) {
	l.drop(n)
	n.beat = l.elapsed
	n.leased = true
	n.older = l.newest
	if l.newest != nil {
		l.newest.newer = n
	} else {
		l.oldest, l.earlier = n, true
	}
	l.newest = n
}

// drop forgets the node's lease.
func (l *leases) drop(n *node) {
	if !n.leased {
		return
	}
	if n.older != nil {
		n.older.newer = n.newer
	} else {
		l.oldest = n.newer
	}
	if n.newer != nil {
		n.newer.older = n.older
	} else {
		l.newest = n.older
	}
	n.older, n.newer, n.leased = nil, nil, false
}

// expiry is when the node's lease ends.
func (l *leases) expiry(n *node) time.Duration { return max(n.beat, l.since) + l.length }

// next is when something is due; false where nothing is.
func (l *leases) next() (time.Duration, bool) {
	due, any := time.Duration(0), false
	if l.oldest != nil {
		due, any = l.expiry(l.oldest), true
	}
	for _, n := range l.draining {
		if !any || n.drainAt < due {
			due, any = n.drainAt, true
		}
	}
	return due, any
}

// expire carries out what is due: nodes whose lease has ended are lost, and drains whose grace has ended stop what
// has a replacement.
func (p *picture) expire() {
	l := &p.lease
	for l.oldest != nil && l.expiry(l.oldest) <= l.elapsed {
		n := l.oldest
		l.drop(n)
		p.setLive(n, false)
		p.enqueueHeld(n)
	}
	waiting := l.draining[:0]
	for _, n := range l.draining {
		if n.drainAt > l.elapsed {
			waiting = append(waiting, n)
			continue
		}
		n.drainOver = true
		p.enqueueHeld(n)
	}
	clear(l.draining[len(waiting):])
	l.draining = waiting
	p.ring()
}

// steady is the clock without its jumps: what is measured on it and stored goes on after a restart.
func (p *picture) steady(now time.Time) time.Time { return now.Add(-p.lease.jumped) }

// ring has the deployments looked at whose time has come.
func (p *picture) ring() {
	now := p.steady(p.lease.last)
	p.retire(now)
	due := map[*deployment]struct{}{}
	for d := range p.dues {
		if !d.due.After(now) {
			due[d] = struct{}{}
		}
	}
	for d := range due {
		p.dueAt(d, time.Time{})
	}
	p.enqueueAll(due)
}

// dueAt has the deployment looked at at that time on the steady clock; never with zero.
func (p *picture) dueAt(d *deployment, at time.Time) {
	d.due = at
	if at.IsZero() {
		delete(p.dues, d)
		return
	}
	p.dues[d] = struct{}{}
	p.lease.earlier = true
}

// nextRing is when ring has something to do, on the leases' time; false for never.
func (p *picture) nextRing() (time.Duration, bool) {
	var next time.Time
	for d := range p.dues {
		if next.IsZero() || d.due.Before(next) {
			next = d.due
		}
	}
	for _, at := range p.overrides.leaving {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if next.IsZero() {
		return 0, false
	}
	return p.lease.elapsed + max(0, next.Sub(p.steady(p.lease.last))), true
}

// revive renews a node's lease, and brings a lost one back.
func (p *picture) revive(n *node, at time.Time) {
	n.heard = at
	p.lease.renew(n)
	if n.live {
		return
	}
	p.setLive(n, true)
	p.enqueueHeld(n)
	p.freed(n)
}

// enqueueHeld has every deployment looked at that has a container on the node.
func (p *picture) enqueueHeld(n *node) {
	for _, c := range n.containers {
		p.enqueue(c.deployment)
	}
}
