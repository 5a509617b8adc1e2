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

// surplus takes the slots beyond want out of the survey and answers them: "first those not placed usefully (on
// lost nodes, then drifting, then not ready, then outdated), then on the most crowded node, then the
// highest number". All other replicas stay as they are: scaling touches only the difference.
func (v *survey) surplus(p *picture, want int) []slot {
	over := len(v.slots) - want
	if over <= 0 {
		return nil
	}
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
	dropped := make([]slot, over)
	for i, c := range v.order[:over] {
		dropped[i] = v.slots[c.slot]
		v.slots[c.slot].keep = nil
	}
	v.slots = slices.DeleteFunc(v.slots, func(s slot) bool { return s.keep == nil })
	return dropped
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
	next, i := int32(0), 0
	for len(numbers) < k {
		if i < len(v.slots) && v.slots[i].number == next {
			i++
		} else {
			numbers = append(numbers, next)
		}
		next++
	}
	return numbers
}
