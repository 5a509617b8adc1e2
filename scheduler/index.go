package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"odysseus/fleet"
)

// class is all nodes of one cluster at one place: tenancy and residency judge them alike, so they are judged
// once. Nodes that a rule forbids are in classes that a search never enters.
type class struct {
	cluster *cluster
	place   *place
	nodes   int
	live    int
	tree    tree
	// opened is told when the first node comes alive or the last is lost: the cluster may come to be a candidate, or
	// cease to be one.
	opened func()
	// stale is set while the tree waits to be settled: see picture.settle.
	stale bool
}

// classFor finds the class of a cluster and a place, or makes it.
func (p *picture) classFor(c *cluster, geo fleet.Geo) *class {
	at, found := slices.BinarySearchFunc(c.classes, geo, func(k *class, g fleet.Geo) int { return compareGeo(k.place.Geo, g) })
	if found {
		return c.classes[at]
	}
	k := &class{cluster: c, place: p.placeOf(geo)}
	k.opened = p.candidacyChanged
	k.place.classes++
	c.classes = slices.Insert(c.classes, at, k)
	p.epoch++
	return k
}

func compareGeo(a, b fleet.Geo) int {
	return cmp.Or(strings.Compare(a.Country, b.Country), strings.Compare(a.Region, b.Region))
}

// enter puts the node into the class of its cluster and place.
func (p *picture) enter(n *node, c *cluster, geo fleet.Geo) {
	k := p.classFor(c, geo)
	n.class = k
	k.nodes++
	c.nodes++
	if n.live {
		n.countLive(1)
	}
	n.leaf = k.tree.add(n)
	p.touch(n)
}

// leave takes the node out of its class; n.class stays what it was.
func (p *picture) leave(n *node) {
	k := n.class
	k.tree.remove(n.leaf)
	p.markStale(k)
	k.nodes--
	k.cluster.nodes--
	if n.live {
		n.countLive(-1)
	}
	if k.nodes > 0 {
		return
	}
	k.cluster.classes = slices.DeleteFunc(k.cluster.classes, func(o *class) bool { return o == k })
	p.release(k.place)
	p.epoch++
}

// setLive counts the node as live or lost.
func (p *picture) setLive(n *node, live bool) {
	if n.live == live {
		return
	}
	n.live = live
	step := 1
	if !live {
		step = -1
	}
	n.countLive(step)
	p.touch(n)
}

// countLive counts a live node in or out where nodes are counted.
func (n *node) countLive(step int) {
	k := n.class
	before := k.live
	k.live += step
	k.cluster.live += step
	if (before == 0) != (k.live == 0) {
		k.opened()
	}
	if n.simulated {
		k.cluster.simulated += step
	}
}

// setSimulated notes whether the node only pretends to run containers.
func (n *node) setSimulated(simulated bool) {
	counted := n.class != nil && n.live
	if counted {
		n.countLive(-1)
	}
	n.simulated = simulated
	if counted {
		n.countLive(1)
	}
}

// touch brings the node's leaf up to date with what the node can take.
func (p *picture) touch(n *node) {
	if n.takes() {
		n.class.tree.set(n.leaf, n.free())
	} else {
		n.class.tree.close(n.leaf)
	}
	p.markStale(n.class)
}

func (p *picture) markStale(k *class) {
	if !k.stale {
		k.stale = true
		p.unsettled = append(p.unsettled, k)
	}
}

// settle brings the trees up to date; readers rely on it and never do it themselves.
func (p *picture) settle() {
	for i, k := range p.unsettled {
		k.tree.settle()
		k.stale = false
		p.unsettled[i] = nil
	}
	p.unsettled = p.unsettled[:0]
}

// charge and refund move the node's free capacity as replicas come and go.
func (p *picture) charge(n *node, need fleet.Amount) {
	n.used = n.used.Plus(need)
	if !n.deleted {
		p.touch(n)
	}
}

func (p *picture) refund(n *node, need fleet.Amount) {
	n.used = n.used.Minus(need)
	if !n.deleted {
		p.touch(n)
		p.freed(n)
	}
}
