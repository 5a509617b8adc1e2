package scheduler

import (
	"math"
	"strings"

	"odysseus/fleet"
)

// spread picks nodes for want further replicas, one after the other: "replicas go to the nodes that pass every
// filter, spread over them (fewest replicas of the same workload, then most free capacity, then name)". It answers
// fewer where no node takes more. What already counts against a node stands in its tally of this turn.
//
// The picks are the scheduler's scratch, good until the next spread. The index is left as it was found.
func (p *picture) spread(q query, classes []*class, want int) []*node {
	p.settle()
	s := &p.scratch
	s.picks, s.touched, s.aside, s.heads = s.picks[:0], s.touched[:0], s.aside[:0], s.heads[:0]
	for _, k := range classes {
		s.open(k, q.need)
	}
	level := int32(0)
	for len(s.picks) < want {
		if len(s.heads) == 0 {
			if !p.raise(q.need, &level) {
				break
			}
			continue
		}
		h := &s.heads[0]
		t := &h.class.tree
		n := t.nodes[h.leaf]
		n.tally(p.turn)
		switch {
		case n.count > level:
		case admits(p.filters, q, n) && q.need.Fits(n.rest(q.need)): // the turn may have given it some in another call
			s.picks = append(s.picks, n)
			n.count++
			n.taken++
		default: // the index and the filters disagree: the filters have the last word
			n.count = math.MaxInt32
		}
		s.aside = append(s.aside, n)
		if !n.touched {
			n.touched = true
			s.touched = append(s.touched, n)
		}
		t.put(h.leaf, closed, none)
		t.climb(h.leaf)
		s.next(q.need)
	}
	for i, n := range s.touched {
		p.touch(n)
		s.touched[i] = nil
	}
	return s.picks
}

// raise opens the nodes with the fewest replicas among those set aside; false where none of them fits.
func (p *picture) raise(need fleet.Amount, level *int32) bool {
	s := &p.scratch
	lowest := int32(math.MaxInt32)
	for _, n := range s.aside {
		if n.count < lowest && need.Fits(n.rest(need)) {
			lowest = n.count
		}
	}
	if lowest == math.MaxInt32 {
		return false
	}
	*level = lowest
	kept := s.aside[:0]
	for _, n := range s.aside {
		rest := n.rest(need)
		switch {
		case !need.Fits(rest): // takes no more in this turn
		case n.count == lowest:
			n.class.tree.set(n.leaf, rest)
			p.markStale(n.class)
		default:
			kept = append(kept, n)
		}
	}
	s.aside = kept
	for i, k := range p.unsettled {
		k.tree.settle()
		k.stale = false
		s.open(k, need)
		p.unsettled[i] = nil
	}
	p.unsettled = p.unsettled[:0]
	return true
}

// scratch is what spread works with; it lives on so that a decision allocates nothing for it.
type scratch struct {
	picks   []*node
	touched []*node
	aside   []*node
	heads   []head
	// chosen and classes are place's: the picks of several clusters, and the classes of the one being asked.
	chosen  []*node
	classes []*class
}

// head is the best node of one class; heads are a heap, the best of all first.
type head struct {
	class *class
	leaf  int32
}

func (a head) before(b head) bool {
	ta, tb := &a.class.tree, &b.class.tree
	if ra, rb := ta.rank[a.leaf], tb.rank[b.leaf]; ra != rb {
		return ra > rb
	}
	return strings.Compare(ta.nodes[a.leaf].name, tb.nodes[b.leaf].name) < 0
}

// open adds the class to the heap where one of its nodes can take need.
func (s *scratch) open(k *class, need fleet.Amount) {
	leaf := k.tree.best(need)
	if leaf < 0 {
		return
	}
	s.heads = append(s.heads, head{k, leaf})
	for i := len(s.heads) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.heads[i].before(s.heads[up]) {
			return
		}
		s.heads[i], s.heads[up] = s.heads[up], s.heads[i]
		i = up
	}
}

// next replaces the first head by the next best node of its class.
func (s *scratch) next(need fleet.Amount) {
	if leaf := s.heads[0].class.tree.best(need); leaf >= 0 {
		s.heads[0].leaf = leaf
	} else {
		last := len(s.heads) - 1
		s.heads[0] = s.heads[last]
		s.heads = s.heads[:last]
	}
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(s.heads) {
			return
		}
		if right := down + 1; right < len(s.heads) && s.heads[right].before(s.heads[down]) {
			down = right
		}
		if !s.heads[down].before(s.heads[i]) {
			return
		}
		s.heads[i], s.heads[down] = s.heads[down], s.heads[i]
		i = down
	}
}

// roomFor says whether some node of the classes can take need now.
func (p *picture) roomFor(classes []*class, need fleet.Amount) bool {
	p.settle()
	for _, k := range classes {
		if k.tree.best(need) >= 0 {
			return true
		}
	}
	return false
}
