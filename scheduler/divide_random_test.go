package scheduler

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// randomQuestion draws questions that are hard on a division: equal weights, whole multiples, zeros, enormous numbers.
func randomQuestion(rng *rand.Rand, clusters, replicas int) question {
	q := question{
		namespace: "ns", name: fmt.Sprint("app-", rng.IntN(8)), replicas: rng.IntN(replicas + 1),
		strategy: strategy(rng.IntN(4)), fresh: rng.IntN(4) == 0, gang: rng.IntN(5) == 0,
	}
	bound := []int64{1, 3, 10, 200, 1 << 31, math.MaxInt64 - 1}[rng.IntN(6)]
	room := []int64{1, 3, 10, 200, math.MaxInt64 - 1}[rng.IntN(5)]
	for i := range rng.IntN(clusters + 1) {
		c := candidate{cluster: fmt.Sprint("c", i), weight: rng.Int64N(bound + 1), available: rng.Int64N(room + 1)}
		if rng.IntN(8) == 0 {
			c.available = unlimited
		}
		if rng.IntN(3) == 0 {
			c.held = rng.IntN(1 + 2*replicas/clusters)
		}
		q.candidates = append(q.candidates, c)
	}
	rng.Shuffle(len(q.candidates), func(i, j int) { q.candidates[i], q.candidates[j] = q.candidates[j], q.candidates[i] })
	return q
}

func sorted(q question) question {
	q.candidates = slices.SortedFunc(slices.Values(q.candidates), func(a, b candidate) int { return strings.Compare(a.cluster, b.cluster) })
	return q
}

func byCluster(d division) map[string]int {
	m := map[string]int{}
	for _, p := range d.parts {
		m[p.cluster] = p.replicas
	}
	return m
}

func TestDivisionDoesWhatThePageSays(t *testing.T) {
	for seed := range uint64(4000) {
		q := randomQuestion(rand.New(rand.NewPCG(seed, 1)), 12, 60)
		want, rest := divideOracle(q)
		d := divide(q)
		if got := byCluster(d); !reflect.DeepEqual(got, want) || d.rest != rest {
			t.Fatalf("seed %d: %+v\n got %v and %d pending\nwant %v and %d", seed, q, got, d.rest, want, rest)
		}
	}
}

// checkDivision holds whatever the question is: nothing is lost, made up, negative or out of order, and where
// something was divided no seat that was given comes after one that was not, which is all that Webster's method says.
func checkDivision(t testing.TB, q question, d division) {
	t.Helper()
	sum, divided, previous := 0, 0, ""
	var order seatOrder
	var last, next *seat
	if d.basis != byNone {
		order = seatOrder{tie: newTie(q.namespace, q.name), parts: d.parts}
	}
	for i, p := range d.parts {
		if p.kept < 0 || p.replicas < p.kept || p.weight < 0 {
			t.Fatalf("%+v: part %+v", q, p)
		}
		if i > 0 && p.cluster <= previous {
			t.Fatalf("%+v: %s after %s", q, p.cluster, previous)
		}
		previous = p.cluster
		sum += p.replicas
		if d.basis == byNone {
			continue
		}
		divided += p.replicas - p.kept
		if p.weight == 0 {
			if p.replicas != p.kept {
				t.Fatalf("%+v: without weight %+v", q, p)
			}
			continue
		}
		if s := nextSeat(i, p); next == nil || order.before(s, next) {
			next = s
		}
		if p.replicas > p.kept {
			if s := lastSeat(i, p); last == nil || order.before(last, s) {
				last = s
			}
		}
	}
	want := q.replicas
	if q.strategy == duplicated && len(d.parts) > 0 {
		want *= len(d.parts)
	}
	if sum+d.rest != want || d.rest < 0 || divided != d.divided {
		t.Fatalf("%+v: %d placed, %d pending, want %d; %d divided, said %d", q, sum, d.rest, want, divided, d.divided)
	}
	if last != nil && next != nil && order.before(next, last) {
		t.Fatalf("%+v: %s got a seat before %s", q, d.parts[last.part].cluster, d.parts[next.part].cluster)
	}
}

func TestDivisionHoldsForAnyQuestion(t *testing.T) {
	var d divider
	for seed := range uint64(20_000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		q := sorted(randomQuestion(rng, 1+rng.IntN(80), 1<<rng.IntN(24)))
		checkDivision(t, q, d.divide(q))
	}
}

func TestDivisionOfEnormousNumbers(t *testing.T) {
	for _, q := range []question{
		{replicas: math.MaxInt64, strategy: staticWeight, candidates: []candidate{{cluster: "a", weight: 1}, {cluster: "b", weight: 2}}},
		{replicas: 7, strategy: staticWeight, candidates: []candidate{{cluster: "a", weight: 1<<53 + 1}, {cluster: "b", weight: 1 << 53}, {cluster: "c", weight: 1}}},
		{replicas: 1_000_003, strategy: staticWeight, candidates: []candidate{
			{cluster: "a", weight: math.MaxInt64}, {cluster: "b", weight: math.MaxInt64}, {cluster: "c", weight: math.MaxInt64 - 1}, {cluster: "d", weight: 1},
		}},
		{replicas: math.MaxInt64, strategy: dynamicWeight, candidates: []candidate{{cluster: "a", available: unlimited}, {cluster: "b", available: unlimited}, {cluster: "c", available: math.MaxInt64}}},
		{replicas: math.MaxInt64, strategy: aggregated, fresh: true, candidates: []candidate{{cluster: "a", available: math.MaxInt64, held: math.MaxInt64}, {cluster: "b", available: 3, held: math.MaxInt64}}},
	} {
		checkDivision(t, q, divide(q))
	}
	// Floating point takes these two for equal.
	d := divide(question{replicas: 1, strategy: staticWeight, candidates: []candidate{{cluster: "a", weight: 1 << 53}, {cluster: "b", weight: 1<<53 + 1}}})
	if got := byCluster(d); got["b"] != 1 {
		t.Fatalf("the larger weight got %v", got)
	}
}

func TestDivisionDependsOnNothingElse(t *testing.T) {
	var used divider
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		q := randomQuestion(rng, 30, 500)
		before := slices.Clone(q.candidates)
		first := divide(q)
		if !slices.Equal(before, q.candidates) {
			t.Fatalf("seed %d: the candidates were changed", seed)
		}
		text := fmt.Sprintf("%#v", first)
		if again := fmt.Sprintf("%#v", used.divide(sorted(q))); again != text {
			t.Fatalf("seed %d, with used memory:\n%s\n%s", seed, again, text)
		}
		if got := byCluster(used.divide(q)); !reflect.DeepEqual(got, byCluster(first)) {
			t.Fatalf("seed %d, unsorted: %v", seed, got)
		}
		rng.Shuffle(len(q.candidates), func(i, j int) { q.candidates[i], q.candidates[j] = q.candidates[j], q.candidates[i] })
		if again := fmt.Sprintf("%#v", divide(q)); again != text {
			t.Fatalf("seed %d, in another order:\n%s\n%s", seed, again, text)
		}
	}
}

func TestOneReplicaMoreTakesNoneAway(t *testing.T) {
	less := func(d, then division) bool {
		for i, p := range d.parts {
			if then.parts[i].replicas < p.replicas {
				return true
			}
		}
		return false
	}
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		q := randomQuestion(rng, 20, 200)
		q.gang = false
		for i := range q.candidates {
			c := &q.candidates[i]
			c.held = 0
			if q.strategy == dynamicWeight && c.available == unlimited {
				c.available = 40 // what an unlimited cluster counts as grows with the count: docs/decisions/0010
			}
		}
		// Divided from nothing, by one more each time.
		if q.strategy != aggregated {
			d := divide(q)
			for range 20 {
				q.replicas++
				then := divide(q)
				if less(d, then) {
					t.Fatalf("seed %d: %+v\n%+v\n%+v", seed, q, d, then)
				}
				d = then
			}
		}
		// Scaled up from what is held, whatever becomes of the room meanwhile.
		q = randomQuestion(rng, 20, 200)
		q.fresh = false
		for i := range q.candidates {
			if q.strategy == staticWeight { // divided again whatever is held: what it divided itself is what counts
				q.candidates[i].held = 0
			}
		}
		d := divide(q)
		for range 20 {
			for i := range q.candidates {
				c := &q.candidates[i]
				c.held = byCluster(d)[c.cluster]
				if c.available != unlimited {
					c.available = rng.Int64N(20)
				}
			}
			q.replicas += 1 + rng.IntN(3)
			then := divide(q)
			if less(d, then) {
				t.Fatalf("seed %d: %+v\n%+v\n%+v", seed, q, d, then)
			}
			d = then
		}
	}
}

// A cluster never gets more than it can take, unless the policy's weights say so.
func TestDynamicDivisionStaysWithinTheRoom(t *testing.T) {
	for seed := range uint64(4000) {
		q := randomQuestion(rand.New(rand.NewPCG(seed, 5)), 20, 200)
		if q.strategy == duplicated || q.strategy == staticWeight {
			continue
		}
		d := divide(q)
		for _, c := range q.candidates {
			if got := byCluster(d)[c.cluster]; c.available != unlimited && got > c.held && int64(got-c.held) > c.available {
				t.Fatalf("seed %d: %+v: %s got %d", seed, q, c.cluster, got)
			}
		}
	}
}

func TestGangIsAllOrNothing(t *testing.T) {
	for seed := range uint64(4000) {
		q := randomQuestion(rand.New(rand.NewPCG(seed, 6)), 20, 200)
		q.gang = true
		if q.strategy == duplicated {
			continue
		}
		for i := range q.candidates {
			q.candidates[i].held = 0
		}
		d := divide(q)
		if placed := q.replicas - d.rest; placed != 0 && placed != q.replicas {
			t.Fatalf("seed %d: %+v: %d of %d", seed, q, placed, q.replicas)
		}
		if d.gang != (d.rest > 0 && len(q.candidates) > 0) {
			t.Fatalf("seed %d: %+v: gang is %v with %d pending", seed, q, d.gang, d.rest)
		}
	}
}

func TestSharesAddUp(t *testing.T) {
	for seed := range uint64(3000) {
		q := randomQuestion(rand.New(rand.NewPCG(seed, 7)), 20, 300)
		d := divide(q)
		ideal, extra, won := new(big.Rat), 0, 0
		for i, s := range d.shares() {
			if s.part != d.parts[i] {
				t.Fatalf("seed %d: %+v is not %+v", seed, s.part, d.parts[i])
			}
			ideal.Add(ideal, s.ideal)
			extra += s.extra
			won += s.won
			if met := s.ideal.Cmp(new(big.Rat).SetInt64(int64(s.won))) == 0; d.basis != byNone && s.weight > 0 && met != (s.by == rankNone) {
				t.Fatalf("seed %d: ideal %v, won %d, decided by %d", seed, s.ideal, s.won, s.by)
			}
			if (s.by == rankNone) != (s.rival == "") || s.rival == s.cluster {
				t.Fatalf("seed %d: decided by %d against %q", seed, s.by, s.rival)
			}
		}
		if d.basis != byNone && (won != d.divided || ideal.Cmp(new(big.Rat).SetInt64(int64(d.divided))) != 0) {
			t.Fatalf("seed %d: %d won, ideal %v, of %d", seed, won, ideal, d.divided)
		}
	}
}
