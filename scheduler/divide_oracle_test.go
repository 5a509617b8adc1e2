package scheduler

import (
	"math/big"
	"slices"
	"strings"
)

// websterOracle is the rule as it is written: each seat to the cluster with the largest weight / (2 × seats + 1), then
// fewer seats, then the smaller hash, then the name; in fractions of any size, one seat after the other.
func websterOracle(namespace, name string, clusters []string, weights []int64, n int) []int {
	seats := make([]int, len(clusters))
	for range n {
		best := -1
		for i, w := range weights {
			if w > 0 && (best < 0 || seatBefore(namespace, name, clusters[i], w, seats[i], clusters[best], weights[best], seats[best])) {
				best = i
			}
		}
		seats[best]++
	}
	return seats
}

func seatBefore(namespace, name, a string, weightA int64, seatsA int, b string, weightB int64, seatsB int) bool {
	quotientA, quotientB := big.NewRat(weightA, int64(2*seatsA+1)), big.NewRat(weightB, int64(2*seatsB+1))
	if c := quotientA.Cmp(quotientB); c != 0 {
		return c > 0
	}
	if seatsA != seatsB {
		return seatsA < seatsB
	}
	t := newTie(namespace, name)
	if ha, hb := t.hash(a), t.hash(b); ha != hb {
		return ha < hb
	}
	return a < b
}

// divideOracle is the page on division, word by word and without a thought for speed. It answers the replicas of each
// candidate by name.
func divideOracle(q question) (map[string]int, int) {
	cs := slices.Clone(q.candidates)
	slices.SortFunc(cs, func(a, b candidate) int { return strings.Compare(a.cluster, b.cluster) })
	got := map[string]int{}
	if len(cs) == 0 {
		return got, q.replicas
	}
	held, rest := 0, 0
	for _, c := range cs {
		got[c.cluster] = 0
		held += c.held
	}
	free := func(c candidate) int64 {
		if c.available == unlimited {
			return int64(q.replicas)
		}
		return c.available
	}
	give := func(cs []candidate, weight func(candidate) int64, n int) {
		var names []string
		var weights []int64
		for _, c := range cs {
			names, weights = append(names, c.cluster), append(weights, weight(c))
		}
		for i, n := range websterOracle(q.namespace, q.name, names, weights, n) {
			got[names[i]] += n
		}
	}
	// dynamic gives n by weight, or what there is, to the shortest prefix of the clusters where it is aggregated.
	dynamic := func(weight func(candidate) int64, n int, holdersFirst bool) {
		total := new(big.Int)
		for _, c := range cs {
			total.Add(total, big.NewInt(weight(c)))
		}
		if total.Cmp(big.NewInt(int64(n))) < 0 {
			rest = n - int(total.Int64())
			n -= rest
		}
		in := slices.Clone(cs)
		if q.strategy == aggregated {
			slices.SortStableFunc(in, func(a, b candidate) int {
				if ha, hb := a.held > 0, b.held > 0; holdersFirst && ha != hb {
					if ha {
						return -1
					}
					return 1
				}
				return big.NewInt(weight(b)).Cmp(big.NewInt(weight(a)))
			})
			sum := new(big.Int)
			for i, c := range in {
				if sum.Add(sum, big.NewInt(weight(c))).Cmp(big.NewInt(int64(n))) >= 0 {
					in = in[:i+1]
					break
				}
			}
		}
		if n > 0 {
			give(in, weight, n)
		}
	}
	keep := func() {
		for _, c := range cs {
			got[c.cluster] = c.held
		}
	}
	shares := func(c candidate) int64 { return int64(c.held) }
	fits := true
	switch {
	case q.strategy == duplicated:
		for _, c := range cs {
			got[c.cluster] = q.replicas
			if q.gang && c.available != unlimited && int64(q.replicas-c.held) > c.available {
				got[c.cluster] = min(q.replicas, c.held)
				rest += q.replicas - got[c.cluster]
			}
		}
		return got, rest
	case q.strategy == staticWeight:
		weight := func(candidate) int64 { return 1 }
		if slices.ContainsFunc(cs, func(c candidate) bool { return c.weight > 0 }) {
			weight = func(c candidate) int64 { return c.weight }
		}
		give(cs, weight, q.replicas)
		for _, c := range cs {
			if c.available != unlimited && int64(got[c.cluster]-c.held) > c.available {
				fits = false
			}
		}
	case q.fresh:
		dynamic(func(c candidate) int64 { return addUp(free(c), int64(c.held)) }, q.replicas, false)
		fits = rest == 0
	case q.replicas < held:
		dynamic(shares, q.replicas, false)
	default:
		keep()
		dynamic(free, q.replicas-held, true)
		fits = rest == 0
	}
	if q.gang && !fits {
		clear(got)
		rest = 0
		if q.replicas < held {
			give(cs, shares, q.replicas)
		} else {
			keep()
			rest = q.replicas - held
		}
	}
	return got, rest
}
