package scheduler

import (
	"math"
	"math/bits"
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
// Some weight must be positive when n is.
func (d *divider) webster(parts []part, n int) {
	if n <= 0 {
		return
	}
	d.weights = d.weights[:0]
	total := wide{}
	for i := range parts {
		w := uint64(parts[i].weight)
		d.weights = append(d.weights, w)
		total.add(w)
	}
	want := uint64(n)
	low, high := d.bracket(want, total)
	if low.count < want && high.count == want {
		low = high
	}
	if low.count == want {
		for i, w := range d.weights {
			parts[i].replicas += int(low.at.seats(w))
		}
		return
	}
	d.seats = d.seats[:0]
	for i, w := range d.weights {
		from, to := low.at.seats(w), high.at.seats(w)
		parts[i].replicas += int(from)
		for s := from; s < to; s++ {
			d.seats = append(d.seats, seat{weight: w, divisor: 2*s + 1, part: int32(i)})
		}
	}
	order := seatOrder{tie: newTie(d.namespace, d.name), parts: parts}
	for _, s := range prefix(d.seats, want-low.count, order) {
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
		rounds = 8  // of halving, at most: clusters of one weight come in together, however close the marks
		idle   = 2  // rounds that brought nothing
		few    = 16 // seats that are cheaper to select from than another round
	)
	x := d.mark(ratio(want, total))
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
	for range rounds {
		open := high.count - low.count
		if low.count == want || high.count == want || open <= few+uint64(len(d.weights))/16 {
			break
		}
		if x = d.mark(low.at.middle(high.at)); x.count <= want {
			low = x
		} else {
			high = x
		}
	}
	return low, high
}

func (d *divider) mark(at point) mark {
	m := mark{at: at}
	for _, w := range d.weights {
		m.count += at.seats(w)
	}
	return m
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

func (w *wide) add(n uint64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, n, 0)
	w.high += carry
}
