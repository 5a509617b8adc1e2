package scheduler

import (
	"math"
	"math/bits"
	"slices"
)

// webster gives out n seats beside what the parts have: "Webster's method (Sainte-Laguë), seat by seat to the largest
// weight / (2 × seats + 1), compared in whole numbers. Ties: fewer seats first, then the smaller hash of namespace,
// name and cluster", then the name.
//
// It does not go seat by seat. The seats with a quotient of at least 1/(2x) are, of each cluster, weight × x rounded
// half up; whatever x is, they are the first ones of the method's own order. So two values of x, one of which gives at
// most n seats and the other at least n, leave only the few seats between them open, and the first of those by
// the method's order are chosen by selection. That costs the same for ten replicas and for a million.
//
// The weights are those of d.weights; there must be one when n is positive.
func (d *divider) webster(parts []part, n int) {
	if n <= 0 {
		return
	}
	want := uint64(n)
	low, high := d.bracket(want, d.total())
	seats := slices.Grow(d.seats[:0], int(high.count-low.count))
	for i := range d.weights {
		w := &d.weights[i]
		from, to := low.at.seats(w.size), high.at.seats(w.size)
		if from > 0 {
			parts[w.part].replicas += int(from)
		}
		for s := from; s < to; s++ {
			seats = append(seats, seat{weight: w.size, divisor: 2*s + 1, part: w.part})
		}
	}
	d.seats = seats
	order := seatOrder{tie: newTie(d.namespace, d.name), parts: parts}
	for _, s := range prefix(seats, want-low.count, high.count-low.count, order) {
		parts[s.part].replicas++
	}
}

// mark is a value of x and the number of seats it gives.
type mark struct {
	at    point
	count uint64
}

// bracket finds one mark with at most want seats and one with at least as many, close enough that selection between
// them is cheap.
func (d *divider) bracket(want uint64, total wide) (low, high mark) {
	const (
		idle = 3  // rounds of halving that bring nothing: clusters of one weight come in together, however close the marks
		few  = 16 // seats that are cheaper to select from than another round
	)
	guess := want
	if want < uint64(len(d.weights)) {
		guess += want / 2 // few seats are decided far below the middle of the rounding
	}
	x := d.mark(ratio(guess, total))
	if x.count == want {
		return x, x
	}
	missing := max(want, x.count) - min(want, x.count)
	for step := ratio(missing, total).plus(point{frac: 1}); ; step = step.plus(step) {
		if x.count < want {
			low, high = x, d.mark(x.at.plus(step))
			if high.count >= want {
				break
			}
			x = high
		} else {
			low, high = d.mark(x.at.minus(step)), x
			if low.count <= want {
				break
			}
			x = low
		}
	}
	for still := 0; still < idle; {
		open := high.count - low.count
		switch {
		case high.count == want:
			return high, high
		case low.count == want:
			return low, low
		case open <= few+uint64(len(d.weights))/8:
			return low, high
		}
		if x = d.mark(low.at.middle(high.at)); x.count <= want {
			low = x
		} else {
			high = x
		}
		if still++; high.count-low.count < open {
			still = 0
		}
	}
	return low, high
}

func (d *divider) mark(at point) mark {
	count := uint64(0)
	if at.whole == 0 { // the same with one multiplication less: this loop is most of a division over many clusters
		for _, w := range d.weights {
			high, low := bits.Mul64(w.size, at.frac)
			count += high + low>>63
		}
		return mark{at, count}
	}
	for _, w := range d.weights {
		count += at.seats(w.size)
	}
	return mark{at, count}
}

// point is a number that is not negative, with 64 binary places.
type point struct{ whole, frac uint64 }

// seats is weight × x, rounded half up.
func (x point) seats(weight uint64) uint64 {
	high, low := bits.Mul64(weight, x.frac)
	return weight*x.whole + high + low>>63
}

func (x point) plus(y point) point {
	frac, carry := bits.Add64(x.frac, y.frac, 0)
	return point{x.whole + y.whole + carry, frac}
}

// minus is x - y, or nothing where y is larger.
func (x point) minus(y point) point {
	frac, borrow := bits.Sub64(x.frac, y.frac, 0)
	whole, under := bits.Sub64(x.whole, y.whole, borrow)
	if under != 0 {
		return point{}
	}
	return point{whole, frac}
}

func (x point) middle(y point) point {
	sum := x.plus(y)
	return point{sum.whole / 2, sum.frac/2 | sum.whole<<63}
}

// ratio is n / total, rounded down.
func ratio(n uint64, total wide) point {
	if total.high == 0 {
		frac, _ := bits.Div64(n%total.low, 0, total.low)
		return point{n / total.low, frac}
	}
	shift := bits.Len64(total.high)
	top := total.high<<(64-shift) | total.low>>shift
	if top != math.MaxUint64 {
		top++
	}
	frac, _ := bits.Div64(n, 0, top) // n has 63 bits and top has 64
	return point{frac: frac >> shift}
}

// wide is a sum that 64 bits may not hold.
type wide struct{ high, low uint64 }

// total sums up the weights by halves, which does not wait for a carry at each.
func (d *divider) total() wide {
	var high, low uint64
	for _, w := range d.weights {
		high += w.size >> 32
		low += w.size & math.MaxUint32
	}
	sum, carry := bits.Add64(high<<32, low, 0)
	return wide{high>>32 + carry, sum}
}
