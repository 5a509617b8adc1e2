package scheduler

import (
	"math"
	"math/bits"
)

// prefix moves to the front the shortest run of items, in their order, whose sizes add up to amount, and answers it:
// all of them where they do not. The run itself is in no particular order. The sizes of all add up to total.
//
// It is a selection by partition, not a sort: linear in the number of items.
func prefix[T any, O order[T]](items []T, amount, total uint64, order O) []T {
	if amount >= total {
		return items
	}
	from, to := 0, len(items)
	for random := uint64(1); from < to && amount > 0; {
		random = choosePivot(items[from:to], amount, total, order, random)
		pivot := &items[from]
		mid, sum := from, uint64(0)
		for i := from + 1; i < to; i++ {
			if order.before(&items[i], pivot) {
				mid++
				items[mid], items[i] = items[i], items[mid]
				sum = min(sum+order.size(&items[mid]), math.MaxInt64) // enough, for no amount is larger
			}
		}
		items[from], items[mid] = items[mid], items[from]
		switch size := order.size(&items[mid]); {
		case sum >= amount:
			to, total = mid, sum
		case sum+size >= amount:
			return items[:mid+1]
		default:
			from, amount, total = mid+1, amount-sum-size, total-sum-size
		}
	}
	return items[:from]
}

// choosePivot puts the item to divide by first: of a few chosen at random, the one that is about as far back in the order as
// the run reaches, and a little beyond, so that most items are looked at once. The random numbers change the way, not
// the answer.
func choosePivot[T any, O order[T]](items []T, amount, total uint64, order O, random uint64) uint64 {
	const sample = 15
	if len(items) < 4*sample {
		return random
	}
	for i := range sample {
		random = random*6364136223846793005 + 1442695040888963407
		high, _ := bits.Mul64(random, uint64(len(items)-i))
		chosen := i + int(high)
		items[i], items[chosen] = items[chosen], items[i]
		for k := i; k > 0 && order.before(&items[k], &items[k-1]); k-- {
			items[k], items[k-1] = items[k-1], items[k]
		}
	}
	high, low := bits.Mul64(amount, sample)
	at, _ := bits.Div64(high, low, total) // amount is less than total
	if 2*at < sample {
		at++
	} else {
		at--
	}
	items[0], items[at] = items[at], items[0]
	return random
}

type order[T any] interface {
	before(a, b *T) bool
	size(*T) uint64
}

// seat is one that a cluster may get.
type seat struct {
	weight  uint64
	divisor uint64 // 2 × the seats it has by then + 1
	hash    uint64 // once it was needed
	part    int32
}

// seatOrder is the order in which Webster's method gives out seats.
type seatOrder struct {
	tie   tie
	parts []part
}

func (seatOrder) size(*seat) uint64 { return 1 }

func (o seatOrder) before(a, b *seat) bool {
	first, _ := o.compare(a, b)
	return first
}

// compare says whether a comes before b and by which rule. Of one cluster the earlier seat comes first by its quotient.
func (o seatOrder) compare(a, b *seat) (first bool, by rank) {
	if a.weight != b.weight || a.divisor != b.divisor {
		ah, al := bits.Mul64(a.weight, b.divisor)
		bh, bl := bits.Mul64(b.weight, a.divisor)
		switch {
		case ah != bh:
			return ah > bh, rankQuotient
		case al != bl:
			return al > bl, rankQuotient
		default: // equal quotients of unequal weights
			return a.divisor < b.divisor, rankSeats
		}
	}
	if ah, bh := o.hash(a), o.hash(b); ah != bh {
		return ah < bh, rankHash
	}
	return o.parts[a.part].cluster < o.parts[b.part].cluster, rankName
}

func (o seatOrder) hash(s *seat) uint64 {
	if s.hash == 0 {
		s.hash = o.tie.hash(o.parts[s.part].cluster)
	}
	return s.hash
}

// aggregate leaves of the weights those of the first clusters that can take n together, and shows them in the parts: "clusters sorted by the
// number that dynamic weights would use, those already holding replicas first when scaling up; equal numbers by
// cluster name, byte by byte; the shortest prefix that can take the amount".
func (d *divider) aggregate(parts []part, n int, total int64) {
	d.weights = prefix(d.weights, uint64(n), uint64(total), weightOrder{parts})
	for _, w := range d.weights {
		parts[w.part].weight = int64(w.size)
	}
}

// weightOrder is the order in which aggregated division asks clusters. Only scaling up keeps something.
type weightOrder struct{ parts []part }

func (weightOrder) size(w *weight) uint64 { return w.size }

func (o weightOrder) before(a, b *weight) bool {
	switch {
	case a.held != b.held:
		return a.held
	case a.size != b.size:
		return a.size > b.size
	default:
		return o.parts[a.part].cluster < o.parts[b.part].cluster
	}
}
