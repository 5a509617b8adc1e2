package scheduler

import (
	"math"

	"odysseus/fleet"
)

// capacityFilter refuses nodes whose free CPU, memory or container slots are less than one replica takes.
var capacityFilter = filter{name: "capacity", node: func(q query, n *node) fleet.Code {
	if q.need.Fits(n.free()) {
		return ""
	}
	return fleet.ReasonCapacity
}}

// times is how many replicas of that need fit into free: the number that dynamic weights use.
func times(free, need fleet.Amount) int64 {
	if !need.Fits(free) {
		return 0
	}
	n := int64(math.MaxInt64)
	if need.MilliCPU > 0 {
		n = min(n, free.MilliCPU/need.MilliCPU)
	}
	if need.Memory > 0 {
		n = min(n, free.Memory/need.Memory)
	}
	if need.Slots > 0 {
		n = min(n, free.Slots/need.Slots)
	}
	return n
}

// What a slot and memory weigh beside a core when free capacity is compared: ten slots, or four GiB, are one core.
const (
	milliPerSlot   = 100
	bytesPerMilli  = 4 << 30 / 1000
	maxComparable  = math.MaxInt64 / 8
	slotComparable = maxComparable / milliPerSlot
)

// roominess is free capacity as one number, so that "most free capacity" is one order: it falls with every
// replica placed, also with one that requests nothing and takes only a slot.
func roominess(free fleet.Amount) int64 {
	return clamp(free.MilliCPU, maxComparable) + clamp(free.Memory, math.MaxInt64)/bytesPerMilli + clamp(free.Slots, slotComparable)*milliPerSlot
}

func clamp(v, most int64) int64 { return max(0, min(v, most)) }
