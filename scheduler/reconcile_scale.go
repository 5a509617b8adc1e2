package scheduler

import (
	"cmp"
	"slices"
)

// expendable is a slot that scaling down may take.
type expendable struct {
	slot   int32
	number int32
	node   *node
	// useless is how little the replica is placed usefully; depth is how many of its node's replicas, as useful or
	// more, stand before it, so that the deepest is on the most crowded node.
	useless int8
	depth   int32
}

// sorted orders the slots by how little they are missed: "first those not placed usefully (on lost nodes, then drifting,
// then not ready, then outdated), then on the most crowded node, then the highest number".
func (v *survey) sorted(p *picture) []expendable {
	v.order = v.order[:0]
	for i, s := range v.slots {
		v.order = append(v.order, expendable{slot: int32(i), number: s.number, node: s.keep.node, useless: p.useless(s)})
	}
	slices.SortFunc(v.order, func(a, b expendable) int {
		return cmp.Or(cmp.Compare(a.useless, b.useless), cmp.Compare(a.number, b.number))
	})
	p.turn++
	for i := range v.order {
		n := v.order[i].node
		n.tally(p.turn)
		n.count++
		v.order[i].depth = n.count
	}
	slices.SortFunc(v.order, func(a, b expendable) int {
		return cmp.Or(cmp.Compare(b.useless, a.useless), cmp.Compare(b.depth, a.depth), cmp.Compare(b.number, a.number))
	})
	return v.order
}

// take out of the survey, and answer, the first slots that drop says, in that order.
func (v *survey) drop(order []expendable, drop func(*slot) bool) []slot {
	var dropped []slot
	for _, e := range order {
		if s := &v.slots[e.slot]; drop(s) {
			dropped = append(dropped, *s)
			s.keep = nil
		}
	}
	v.slots = slices.DeleteFunc(v.slots, func(s slot) bool { return s.keep == nil })
	return dropped
}

// ditch takes out what has no business where it is, and, of more than are wanted, those first that are not placed
// usefully: they need no share in the division. Of a move that was called off the new replicas go.
func (p *picture) ditch(d *deployment, v *survey, t *target) []slot {
	dropped := v.drop(v.inOrder(), func(s *slot) bool { return t.drops(s.keep.node.class.cluster) })
	if t.waits != "" {
		return dropped
	}
	copies := strategyFor(t) == duplicated && d.runs.counted
	if copies {
		dropped = append(dropped, p.shrink(d, v, t)...)
	}
	over := len(v.slots) - t.total
	if over <= 0 {
		return dropped
	}
	order := v.sorted(p)
	if t.calledOff != nil && !copies {
		order = v.newestFirst(order)
	}
	return append(dropped, v.drop(order, func(s *slot) bool {
		moved := t.calledOff != nil && !copies && s.keep.node.class.cluster != t.calledOff
		if over == 0 || copies && s.standing <= outdated || !moved && p.useless(*s) < halfUseless && !p.beside(t, s) {
			return false
		}
		over--
		return true
	})...)
}

// beside says whether a replica shares in no division though it stays where it is.
func (p *picture) beside(t *target, s *slot) bool {
	_, found := t.candidate(s.keep.node.class.cluster)
	return s.standing <= outdated && (!found || p.outside(s.keep))
}

// shrink takes out, of copies on clusters that are no candidates any more, what is more than the count.
func (p *picture) shrink(d *deployment, v *survey, t *target) []slot {
	over := false
	for c, n := range t.stays {
		_, found := t.candidate(c)
		over = over || !found && n > d.replicas
	}
	if !over {
		return nil
	}
	return v.drop(v.sorted(p), func(s *slot) bool {
		c := s.keep.node.class.cluster
		if _, found := t.candidate(c); found || s.standing > outdated || t.stays[c] <= d.replicas {
			return false
		}
		t.stays[c]--
		return true
	})
}

// halfUseless is where a replica begins to be of so little use that it goes before any that shares in a division.
const halfUseless = 3

func (v *survey) inOrder() []expendable {
	v.order = v.order[:0]
	for i := range v.slots {
		v.order = append(v.order, expendable{slot: int32(i)})
	}
	return v.order
}

func (v *survey) newestFirst(order []expendable) []expendable {
	slices.SortFunc(order, func(a, b expendable) int { return cmp.Compare(v.slots[b.slot].keep.seq, v.slots[a.slot].keep.seq) })
	return order
}

// surplus takes out of the survey, and answers, what the clusters hold beyond their parts. All other replicas stay as
// they are: scaling touches only the difference.
func (p *picture) surplus(v *survey, t *target) []slot {
	over := false
	for _, q := range t.parts {
		over = over || q.over() > 0
	}
	if !over {
		return nil
	}
	return v.drop(v.sorted(p), func(s *slot) bool {
		i := slices.IndexFunc(t.parts, func(q quota) bool { return q.cluster == s.keep.node.class.cluster })
		if i < 0 || t.parts[i].over() == 0 || s.standing > outdated {
			return false
		}
		switch q := &t.parts[i]; {
		case !p.outside(s.keep):
			q.held--
		case q.kept > 0:
			q.kept--
			t.kept--
		default:
			return false
		}
		return true
	})
}

// park puts the slots of clusters aside that the deployment was moved off, and that wait for the new replicas.
func (v *survey) park(leaving []*cluster) {
	if len(leaving) == 0 {
		return
	}
	v.slots = slices.DeleteFunc(v.slots, func(s slot) bool {
		if !slices.Contains(leaving, s.keep.node.class.cluster) {
			return false
		}
		v.parked = append(v.parked, s)
		return true
	})
}

func (p *picture) useless(s slot) int8 {
	switch {
	case s.standing == lost:
		return 5
	case s.standing == evicted || p.outside(s.keep):
		return 4
	case s.standing == draining:
		return 3
	case !s.keep.ready():
		return 2
	case s.standing == outdated:
		return 1
	}
	return 0
}

// free answers the smallest k replica numbers that no slot holds, ascending.
func (v *survey) free(k int) []int32 {
	numbers := make([]int32, 0, k)
	taken := func(n int32) bool {
		return slices.ContainsFunc(v.parked, func(s slot) bool { return s.number == n })
	}
	next, i := int32(0), 0
	for len(numbers) < k {
		switch {
		case i < len(v.slots) && v.slots[i].number == next:
			i++
		case len(v.parked) > 0 && taken(next):
		default:
			numbers = append(numbers, next)
		}
		next++
	}
	return numbers
}
