package scheduler

import (
	"time"

	"odysseus/fleet"
)

// node is a machine as the scheduler knows it.
type node struct {
	name     string
	class    *class
	leaf     int32 // in class.tree
	version  int64
	enrolled time.Time

	capacity fleet.Amount
	used     fleet.Amount // by containers, those about to be committed and those stopping included

	live     bool
	cordoned bool
	draining bool
	// simulated: its agent runs no real containers.
	simulated bool
	// drainOver is set once the grace of the drain has ended.
	drainOver bool
	// deleted nodes are kept only by their containers, until these are removed.
	deleted  bool
	deadline time.Time
	drainAt  time.Duration // deadline on the leases' time

	beat         time.Duration
	heard        time.Time // zero where not heard since the start
	leased       bool
	older, newer *node

	containers []*container

	// The tally of one decision, valid in its turn only: how many replicas of the workload the node counts, how
	// many of these the decision added, and whether its leaf has to be put right afterwards.
	turn    uint64
	count   int32
	taken   int32
	touched bool
}

// takes says whether the node may be given new replicas at all.
func (n *node) takes() bool { return n.live && !n.cordoned && !n.draining && !n.deleted }

// free is what is left; negative where the node shrank below what it holds.
func (n *node) free() fleet.Amount { return n.capacity.Minus(n.used) }

// rest is what would be left after the replicas that this turn gave it.
func (n *node) rest(need fleet.Amount) fleet.Amount {
	k := int64(n.taken)
	return n.free().Minus(fleet.Amount{MilliCPU: need.MilliCPU * k, Memory: need.Memory * k, Slots: need.Slots * k})
}

// tally begins the node's count of a turn.
func (n *node) tally(turn uint64) {
	if n.turn != turn {
		n.turn, n.count, n.taken, n.touched = turn, 0, 0, false
	}
}

// hold and unhold keep the list of the node's containers.
func (n *node) hold(c *container) {
	c.slot = int32(len(n.containers))
	n.containers = append(n.containers, c)
}

func (n *node) unhold(c *container) {
	last := len(n.containers) - 1
	n.containers[c.slot] = n.containers[last]
	n.containers[c.slot].slot = c.slot
	n.containers[last] = nil
	n.containers = n.containers[:last]
}

// goneNode remembers a deleted node: see picture.setNode.
type goneNode struct {
	version  int64
	enrolled time.Time
}

// setNode takes a node's row over.
func (p *picture) setNode(row fleet.Node, now time.Time) {
	at := p.lease.at(now)
	n, known := p.nodes[row.Name]
	if !known {
		// A late word of a row that was deleted since must not bring it back. A node enrolled anew under the name
		// has another EnrolledAt, or begins its versions again.
		if g, ok := p.goneNodes[row.Name]; ok && row.EnrolledAt.Equal(g.enrolled) && row.Version > g.version {
			return
		}
		delete(p.goneNodes, row.Name)
		n = &node{name: row.Name, live: true}
		p.nodes[row.Name] = n
		p.lease.renew(n)
	} else if row.Version < n.version {
		return
	}
	n.version, n.enrolled = row.Version, row.EnrolledAt
	before, took := n.free(), known && n.takes()
	n.capacity = row.Capacity
	n.cordoned = row.Cordoned
	n.setSimulated(row.Runtime == fleet.RuntimeSimulated)
	p.setDrain(n, row.DrainDeadline, now, at)

	c, geo := p.clusterOf(row.Cluster), row.Geo()
	moved := known && (n.class.cluster != c || n.class.place.Geo != geo)
	switch {
	case !known:
		p.enter(n, c, geo)
	case moved:
		p.leave(n)
		p.enter(n, c, geo)
		// "one that changes its country touches only that node's containers and the deployments that wait for it".
		p.enqueueHeld(n)
	default:
		p.touch(n)
	}
	if !took || moved || grew(before, n.free()) {
		p.freed(n)
	}
}

// grew says whether any dimension has more than before.
func grew(before, after fleet.Amount) bool {
	return after.MilliCPU > before.MilliCPU || after.Memory > before.Memory || after.Slots > before.Slots
}

// setDrain begins, moves or ends a drain. The grace is measured on the leases' time from now on, so that a jump of
// the clock does not end it.
func (p *picture) setDrain(n *node, deadline, now time.Time, at time.Duration) {
	if n.deadline.Equal(deadline) {
		return
	}
	p.endDrain(n)
	n.deadline, n.draining, n.drainOver = deadline, !deadline.IsZero(), false
	if n.draining {
		n.drainAt = at + max(0, deadline.Sub(now))
		p.lease.draining = append(p.lease.draining, n)
		p.lease.earlier = true
	}
	p.enqueueHeld(n)
}

func (p *picture) endDrain(n *node) {
	for i, o := range p.lease.draining {
		if o == n {
			last := len(p.lease.draining) - 1
			p.lease.draining[i] = p.lease.draining[last]
			p.lease.draining[last] = nil
			p.lease.draining = p.lease.draining[:last]
			return
		}
	}
}

// deleteNode takes the node out of the fleet. What it ran is gone, and is placed again.
func (p *picture) deleteNode(name string) {
	n, ok := p.nodes[name]
	if !ok {
		return
	}
	if len(p.goneNodes) >= maxTombstones {
		clear(p.goneNodes)
	}
	p.goneNodes[name] = goneNode{n.version, n.enrolled}
	p.endDrain(n)
	p.lease.drop(n)
	p.leave(n)
	n.deleted, n.live = true, false
	delete(p.nodes, name)
	for _, c := range n.containers {
		c.lost()
		p.enqueue(c.deployment)
	}
	n.containers = nil
	p.news()
}
