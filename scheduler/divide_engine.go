package scheduler

import (
	"cmp"
	"math"
	"slices"
)

// strategy is how a count is divided over clusters.
type strategy uint8

const (
	duplicated    strategy = iota // the full count on each
	staticWeight                  // by the weights of the policy
	dynamicWeight                 // by what each can still take
	aggregated                    // into as few clusters as can hold it
)

// unlimited is the available of a cluster without a known limit. It counts, where a number is needed, as able to take
// the workload's own count.
const unlimited = -1

// candidate is a cluster that may get replicas. Whatever is no candidate (not selected, not granted, silent, no node
// that passes the geo filter) is not in the question at all: what it held is divided over the others.
type candidate struct {
	cluster   string
	weight    int64 // static weights: the largest of the rules that match it, 0 when none does
	available int64 // replicas it can still take beside those it holds, or unlimited
	held      int   // replicas it got by the last division
}

// room says whether the cluster can hold so many replicas in all.
func (c candidate) room(replicas int) bool {
	return c.available == unlimited || int64(replicas-c.held) <= c.available
}

// question is all that a division depends on: the same question has the same answer, to the byte.
type question struct {
	namespace, name string // of the workload: they decide ties
	replicas        int
	strategy        strategy
	fresh           bool // divide afresh what is held too
	gang            bool // all replicas at once or none
	candidates      []candidate
}

// part is what one cluster gets: what it kept and, beside it, what the division gave it.
type part struct {
	cluster  string
	weight   int64 // that it was divided by; 0 takes no part
	kept     int
	replicas int // kept ones included
}

// basis says what the weights of a division are.
type basis uint8

const (
	byNone      basis = iota // nothing was divided: every part is kept, or the full count
	byWeight                 // the weights of the policy
	byEqual                  // all weigh the same, since the policy gives none of them a weight
	byAvailable              // what each can still take
	byHeld                   // what each held before
	byAllRoom                // what each can still take and what it holds
)

// division is the answer: parts sorted by cluster name, one for each candidate. The sum of the parts and the rest
// is the count (of duplicated ones, the count times the clusters).
type division struct {
	namespace, name string
	parts           []part
	basis           basis
	divided         int // replicas that were divided by the weights
	rest            int // replicas that no cluster takes
	gang            bool // the rest waits for room for all at once
}

// divider divides, and keeps its memory from one division to the next.
type divider struct {
	question
	parts   []part
	weights []uint64
	seats   []seat
	holders []holder
	sorted  []candidate
}

// divide answers with memory of its own.
func divide(q question) division { return new(divider).divide(q) }

// divide answers; the parts are good until the next question.
func (d *divider) divide(q question) division {
	q.replicas = max(q.replicas, 0)
	d.question = q
	d.sort()
	d.parts = slices.Grow(d.parts[:0], len(q.candidates))[:len(q.candidates)]
	a := division{namespace: q.namespace, name: q.name, parts: d.parts}
	switch {
	case len(d.candidates) == 0:
		a.rest = q.replicas
	case q.strategy == duplicated:
		d.duplicate(&a)
	case q.strategy == staticWeight:
		d.static(&a)
	default:
		d.dynamic(&a)
	}
	d.question = question{}
	return a
}

// sort puts the candidates in the order of their names, on a copy where they are not yet.
func (d *divider) sort() {
	c := d.candidates
	for i := 1; i < len(c); i++ {
		if c[i].cluster < c[i-1].cluster {
			d.sorted = append(d.sorted[:0], c...)
			slices.SortFunc(d.sorted, func(a, b candidate) int { return cmp.Compare(a.cluster, b.cluster) })
			d.candidates = d.sorted
			return
		}
	}
}

// duplicate gives each cluster the full count. Capacity has no say, but for a gang: each copy is one.
func (d *divider) duplicate(a *division) {
	for i, c := range d.candidates {
		p := part{cluster: c.cluster, replicas: d.replicas}
		if d.gang && !c.room(d.replicas) {
			p.kept = min(c.held, d.replicas)
			p.replicas = p.kept
			a.rest += d.replicas - p.kept
			a.gang = true
		}
		a.parts[i] = p
	}
}

// static divides the whole count by the policy's weights, whatever is held: "capacity does not enter static weights:
// what a cluster cannot hold is pending there".
func (d *divider) static(a *division) {
	a.basis = byEqual
	for i, c := range d.candidates {
		a.parts[i] = part{cluster: c.cluster, weight: max(c.weight, 0)}
		if c.weight > 0 {
			a.basis = byWeight
		}
	}
	if a.basis == byEqual {
		for i := range a.parts {
			a.parts[i].weight = 1
		}
	}
	a.divided = d.replicas
	d.webster(a.parts, d.replicas)
	if !d.gang {
		return
	}
	for i, c := range d.candidates {
		if !c.room(a.parts[i].replicas) {
			d.holdBack(a)
			return
		}
	}
}

// dynamic divides by what the clusters can take, packed into as few as possible where it is aggregated: "scaling up
// allots only the new replicas, by what is available now; scaling down divides the smaller count by the shares held
// before; equal count changes nothing"; afresh, "weight = what is free plus what is held".
func (d *divider) dynamic(a *division) {
	held := d.heldInAll()
	amount, kept := d.replicas, false
	switch {
	case d.fresh:
		a.basis = byAllRoom
	case int64(d.replicas) < held:
		a.basis = byHeld
	case int64(d.replicas) == held:
		amount, kept = 0, true
	default:
		a.basis, amount, kept = byAvailable, d.replicas-int(held), true
	}
	total := int64(0)
	for i, c := range d.candidates {
		p := part{cluster: c.cluster, weight: d.weigh(c, a.basis)}
		if kept {
			p.kept = max(c.held, 0)
			p.replicas = p.kept
		}
		a.parts[i] = p
		total = addUp(total, p.weight)
	}
	a.divided = int(min(int64(amount), total))
	a.rest = amount - a.divided
	if a.rest > 0 && d.gang {
		d.holdBack(a)
		return
	}
	if d.strategy == aggregated {
		d.aggregate(a.parts, a.divided, a.basis == byAvailable)
	}
	d.webster(a.parts, a.divided)
}

// holdBack answers for a gang without room for all of it: nothing is added and nothing is moved. What runs goes on
// running; where fewer are wanted than are held, they are divided by the shares held, as there is room for those.
func (d *divider) holdBack(a *division) {
	held := d.heldInAll()
	*a = division{namespace: a.namespace, name: a.name, parts: a.parts}
	for i, c := range d.candidates {
		n := max(c.held, 0)
		a.parts[i] = part{cluster: c.cluster, kept: n, replicas: n}
	}
	if held <= int64(d.replicas) {
		a.rest = d.replicas - int(held)
		a.gang = a.rest > 0
		return
	}
	a.basis, a.divided = byHeld, d.replicas
	for i := range a.parts {
		p := &a.parts[i]
		p.weight, p.kept, p.replicas = int64(p.kept), 0, 0
	}
	d.webster(a.parts, a.divided)
}

// heldInAll is what the candidates hold; what others held is lost.
func (d *divider) heldInAll() int64 {
	sum := int64(0)
	for i := range d.candidates {
		sum = addUp(sum, int64(max(d.candidates[i].held, 0)))
	}
	return sum
}

// weigh is the weight of a cluster where the policy gives none.
func (d *divider) weigh(c candidate, b basis) int64 {
	available, held := c.available, int64(max(c.held, 0))
	if available < 0 {
		available = int64(d.replicas)
	}
	switch b {
	case byAvailable:
		return available
	case byHeld:
		return held
	case byAllRoom:
		return addUp(available, held)
	}
	return 0
}

// addUp adds two numbers that are not negative; what does not fit is the largest number.
func addUp(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
