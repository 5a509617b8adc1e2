package scheduler

import "math/bits"

// prefix moves to the front the shortest run of items, in their order, whose sizes add up to amount, and answers it:
// all of them where they do not. The run itself is in no particular order.
//
// It is a selection by partition, not a sort: linear in the number of items.
func prefix[T any](items []T, amount uint64, order order[T]) []T {
	from, to := 0, len(items)
	for random := uint64(1); from < to; {
		random = random*6364136223846793005 + 1442695040888963407
		high, _ := bits.Mul64(random, uint64(to-from)) // any item does as the pivot; the answer is the same
		items[from], items[from+int(high)] = items[from+int(high)], items[from]
		pivot := &items[from]
		mid, sum := from, uint64(0)
		for i := from + 1; i < to; i++ {
			if order.before(&items[i], pivot) {
				mid++
				items[mid], items[i] = items[i], items[mid]
				sum += order.size(&items[mid])
			}
		}
		items[from], items[mid] = items[mid], items[from]
		switch size := order.size(&items[mid]); {
		case sum >= amount:
			to = mid
		case sum+size >= amount:
			return items[:mid+1]
		default:
			from, amount = mid+1, amount-sum-size
		}
	}
	return items[:from]
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

// aggregate takes the weight from all clusters but the first ones that can take n together: "clusters sorted by the
// number that dynamic weights would use, those already holding replicas first when scaling up; equal numbers by
// cluster name, byte by byte; the shortest prefix that can take the amount".
func (d *divider) aggregate(parts []part, n int, holdersFirst bool) {
	d.holders = d.holders[:0]
	for i := range parts {
		p := &parts[i]
		if p.weight > 0 {
			d.holders = append(d.holders, holder{weight: p.weight, part: int32(i), first: holdersFirst && p.kept > 0})
		}
		p.weight = 0
	}
	if n == 0 {
		return
	}
	for _, h := range prefix(d.holders, uint64(n), holderOrder{}) {
		parts[h.part].weight = h.weight
	}
}

// holder is a cluster that can take replicas.
type holder struct {
	weight int64
	part   int32
	first  bool
}

// holderOrder is the order in which aggregated division fills clusters. Parts are sorted by name.
type holderOrder struct{}

func (holderOrder) size(h *holder) uint64 { return uint64(h.weight) }

func (holderOrder) before(a, b *holder) bool {
	switch {
	case a.first != b.first:
		return a.first
	case a.weight != b.weight:
		return a.weight > b.weight
	default:
		return a.part < b.part
	}
}
