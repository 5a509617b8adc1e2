package scheduler

import (
	"cmp"
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
func (c *candidate) room(replicas int) bool {
	return c.available < 0 || int64(replicas-max(c.held, 0)) <= c.available
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
	divided         int  // replicas that were divided by the weights
	rest            int  // replicas that no cluster takes
	gang            bool // the rest waits for room for all at once
}

// divider divides, and keeps its memory from one division to the next.
type divider struct {
	question
	parts   []part
	weights []weight
	seats   []seat
}

// divide answers with memory of its own, whatever the order of the candidates.
func divide(q question) division {
	byName := func(a, b candidate) int { return cmp.Compare(a.cluster, b.cluster) }
	if !slices.IsSortedFunc(q.candidates, byName) {
		q.candidates = slices.SortedFunc(slices.Values(q.candidates), byName)
	}
	return new(divider).divide(q)
}

// divide answers; the parts are good until the next question. The candidates come sorted by cluster name, as the
// picture has them: to look whether they are would cost as much as a third of the division. In another order all
// get the same, and so are the parts.
func (d *divider) divide(q question) division {
	q.replicas = max(q.replicas, 0)
	d.question = q
	n := len(q.candidates)
	d.parts = slices.Grow(d.parts[:0], max(n, 1))[:n] // never nil: equal answers are equal
	d.weights = slices.Grow(d.weights[:0], n)
	a := division{namespace: q.namespace, name: q.name, parts: d.parts}
	switch {
	case n == 0:
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
