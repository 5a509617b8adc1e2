package scheduler

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"odysseus/fleet"
)

// closed is the roominess of a leaf that takes nothing.
const closed = -1

// tree is a tournament over the nodes of one class: every inner node knows the roomiest node below it and, dimension
// by dimension, the most room below it. The best node is at the root, a changed node costs one path, and a need
// that no node below meets is seen without going there.
//
// Changes are collected by add, remove, set and close, and reach the inner nodes with settle; best must only be
// called on a settled tree.
type tree struct {
	nodes []*node // by leaf; nil where a node has left
	rank  []int64 // by leaf: roominess; closed where the leaf takes nothing

	// The tree lies in arrays: the root at 1, the children of i at 2i and 2i+1, leaf i at width+i.
	width int
	win   []int32        // the leaf that wins below, -1 for none
	room  []fleet.Amount // the most below, dimension by dimension; of a leaf what it has free

	changed []int32
	// unordered is set once leaves no longer stand in the order of names: then ties are decided by comparing these.
	unordered bool
	rebuild   bool

	// rooms count replicas, see index_room.go; log is the leaves that changed since each of them looked.
	rooms []roomCount
	log   []int32
	asked uint64
}

// none is less than every need.
var none = fleet.Amount{MilliCPU: -1, Memory: -1, Slots: -1}

// add gives the node a leaf. When the tree is full the leaves are brought back into the order of names, so what
// that costs is spread over the nodes that came since.
func (t *tree) add(n *node) int32 {
	if len(t.nodes) == t.width {
		t.grow()
	}
	leaf := int32(len(t.nodes))
	if leaf > 0 && !t.unordered {
		last := t.nodes[leaf-1]
		t.unordered = last == nil || last.name > n.name
	}
	t.nodes = append(t.nodes, n)
	t.rank = append(t.rank, closed)
	t.put(leaf, closed, none)
	t.note(leaf)
	return leaf
}

// grow closes the holes, orders the leaves by name and doubles the width where more than half is used.
func (t *tree) grow() {
	order := make([]int32, 0, len(t.nodes))
	for i, n := range t.nodes {
		if n != nil {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(t.nodes[a].name, t.nodes[b].name) })
	width := max(1, t.width)
	for len(order)*2 > width {
		width *= 2
	}
	old := *t
	*t = tree{
		nodes: make([]*node, len(order), width), rank: make([]int64, len(order), width), width: width,
		win: make([]int32, 2*width), room: make([]fleet.Amount, 2*width), rebuild: true,
	}
	for i := range t.win {
		t.win[i], t.room[i] = -1, none
	}
	for i, from := range order {
		leaf := int32(i)
		t.nodes[leaf] = old.nodes[from]
		t.nodes[leaf].leaf = leaf
		t.put(leaf, old.rank[from], old.free(from))
	}
}

// put writes a leaf; free is what it has.
func (t *tree) put(leaf int32, rank int64, free fleet.Amount) {
	at := t.width + int(leaf)
	t.rank[leaf], t.room[at], t.win[at] = rank, free, leaf
	if rank == closed {
		t.win[at] = -1
	}
}

func (t *tree) free(leaf int32) fleet.Amount { return t.room[t.width+int(leaf)] }

func (t *tree) remove(leaf int32) {
	t.nodes[leaf] = nil
	t.close(leaf)
}

func (t *tree) set(leaf int32, free fleet.Amount) {
	rank := roominess(free)
	if t.rank[leaf] == rank && t.free(leaf) == free {
		return
	}
	t.put(leaf, rank, free)
	t.note(leaf)
}

func (t *tree) close(leaf int32) {
	if t.rank[leaf] == closed {
		return
	}
	t.put(leaf, closed, none)
	t.note(leaf)
}

// settle lets the changes reach the root: path by path, or all at once where that is cheaper.
func (t *tree) settle() {
	switch {
	case t.width == 0:
	case t.rebuild || len(t.changed)*bits.Len(uint(t.width)) > t.width:
		for i := t.width - 1; i > 0; i-- {
			t.pull(i)
		}
	default:
		for _, leaf := range t.changed {
			t.climb(leaf)
		}
	}
	t.rebuild = false
	t.changed = t.changed[:0]
}

// climb pulls the path from a leaf to the root.
func (t *tree) climb(leaf int32) {
	for i := (t.width + int(leaf)) / 2; i > 0; i /= 2 {
		before, room := t.win[i], t.room[i]
		t.pull(i)
		if t.win[i] == before && before != leaf && t.room[i] == room {
			return // nothing above looks at anything that changed
		}
	}
}

// pull recomputes an inner node from its children.
func (t *tree) pull(i int) {
	a, b := &t.room[2*i], &t.room[2*i+1]
	t.win[i] = t.better(t.win[2*i], t.win[2*i+1])
	t.room[i] = fleet.Amount{
		MilliCPU: max(a.MilliCPU, b.MilliCPU), Memory: max(a.Memory, b.Memory), Slots: max(a.Slots, b.Slots),
	}
}

// better of two leaves: "most free capacity, then name". -1 is worse than any.
func (t *tree) better(a, b int32) int32 {
	switch {
	case b < 0:
		return a
	case a < 0:
		return b
	case t.compare(a, b) <= 0:
		return a
	}
	return b
}

func (t *tree) compare(a, b int32) int {
	switch {
	case t.rank[a] != t.rank[b]:
		return cmp.Compare(t.rank[b], t.rank[a])
	case t.unordered:
		return strings.Compare(t.nodes[a].name, t.nodes[b].name)
	}
	return cmp.Compare(a, b)
}

// best is the leaf of the roomiest node that can take need, -1 where none can.
func (t *tree) best(need fleet.Amount) int32 {
	if t.width == 0 {
		return -1
	}
	return t.search(1, need)
}

func (t *tree) search(i int, need fleet.Amount) int32 {
	win := t.win[i]
	if win < 0 || !need.Fits(t.room[i]) {
		return -1
	}
	if need.Fits(t.free(win)) {
		return win
	}
	if i >= t.width {
		return -1
	}
	// The roomiest below is short of something. Its rival bounds what the other side can offer.
	near, far := 2*i, 2*i+1
	a, b := t.win[near], t.win[far]
	if t.better(a, b) == b {
		near, far, b = far, near, a
	}
	found := t.search(near, need)
	if found >= 0 && (b < 0 || t.compare(found, b) <= 0) {
		return found
	}
	return t.better(found, t.search(far, need))
}
