package scheduler

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// yardstickDivider is Y6: Webster seat by seat on a heap that allocates nothing. Weights and hashes are known to it.
type yardstickDivider struct {
	clusters, heap []yardstickSeat
	result         []int32
}

type yardstickSeat struct {
	weight, divisor, hash uint64
	cluster               int32
}

func newYardstick(q question, parts []part) *yardstickDivider {
	y := &yardstickDivider{result: make([]int32, len(parts))}
	t := newTie(q.namespace, q.name)
	for i, p := range parts {
		if p.weight > 0 {
			y.clusters = append(y.clusters, yardstickSeat{uint64(p.weight), 1, t.hash(p.cluster), int32(i)})
		}
	}
	y.heap = make([]yardstickSeat, len(y.clusters))
	return y
}

func (y *yardstickDivider) divide(n int) []int32 {
	copy(y.heap, y.clusters)
	clear(y.result)
	for i := len(y.heap)/2 - 1; i >= 0; i-- {
		y.down(i)
	}
	for range n {
		top := &y.heap[0]
		y.result[top.cluster]++
		top.divisor += 2
		y.down(0)
	}
	return y.result
}

func (y *yardstickDivider) down(i int) {
	h := y.heap
	item := h[i]
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&item) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = item
}

func (s *yardstickSeat) before(o *yardstickSeat) bool {
	a, b := s.weight*o.divisor, o.weight*s.divisor
	if a != b {
		return a > b
	}
	if s.divisor != o.divisor {
		return s.divisor < o.divisor
	}
	return s.hash < o.hash
}

func TestTheYardstickDividesTheSame(t *testing.T) {
	for _, c := range benchQuestions(300, 700) {
		d := divide(c.question)
		if d.basis == byNone {
			continue
		}
		for i, n := range newYardstick(c.question, d.parts).divide(d.divided) {
			if int(n) != d.parts[i].replicas {
				t.Fatalf("%s: %d for %+v", c.name, n, d.parts[i])
			}
		}
	}
}

type benchQuestion struct {
	name string
	question
}

// benchQuestions are all policies: static weights of ten rules and of one for each cluster, dynamic weights, aggregated, duplicated.
func benchQuestions(clusters, replicas int) []benchQuestion {
	rng := rand.New(rand.NewPCG(1, uint64(clusters)))
	var ten, each, free []candidate
	for i := range clusters {
		name := fmt.Sprintf("member-%04d", i)
		ten = append(ten, candidate{cluster: name, weight: 1 + int64(i%10), available: unlimited})
		each = append(each, candidate{cluster: name, weight: 1 + rng.Int64N(1000), available: unlimited})
		free = append(free, candidate{cluster: name, available: int64(replicas/clusters) + 1 + rng.Int64N(1000)})
	}
	ask := func(s strategy, c []candidate) question {
		return question{namespace: "demo", name: "web", replicas: replicas, strategy: s, candidates: c}
	}
	return []benchQuestion{
		{"static-ten-rules", ask(staticWeight, ten)}, {"static-each", ask(staticWeight, each)}, {"dynamic", ask(dynamicWeight, free)},
		{"aggregated", ask(aggregated, free)}, {"duplicated", ask(duplicated, free)},
	}
}

// repeat is the CPU time of one run of work, over as many as take a few milliseconds.
func repeat(work func()) func() time.Duration {
	return func() time.Duration {
		for n := 16; ; n *= 4 {
			start := cpuTime()
			for range n {
				work()
			}
			if took := cpuTime() - start; took > 4*time.Millisecond {
				return took / time.Duration(n)
			}
		}
	}
}

// BenchmarkDivide is T3: 1,000 replicas by every policy over 10 to 5,000 clusters, against seat by seat with the
// weights that a fresh division of ten rules would have for it.
func BenchmarkDivide(b *testing.B) {
	for _, clusters := range []int{10, 100, 1000, 5000} {
		for _, c := range benchQuestions(clusters, 1000) {
			b.Run(fmt.Sprintf("%s/%d", c.name, clusters), func(b *testing.B) {
				var d divider
				yardstick := newYardstick(c.question, yardstickParts(c))
				b.ReportAllocs()
				for b.Loop() {
					d.divide(c.question)
				}
				b.StopTimer()
				ours, y6 := alternate(7, repeat(func() { d.divide(c.question) }), repeat(func() { yardstick.divide(1000) }))
				b.ReportMetric(float64(ours)/float64(y6), "×Y6")
				b.ReportMetric(float64(y6.Nanoseconds()), "ns/Y6")
			})
		}
	}
}

// yardstickParts are the weights that the yardstick divides by: those of the division, or all that are free where the
// policy leaves clusters out or divides nothing.
func yardstickParts(c benchQuestion) []part {
	c.strategy = max(c.strategy, staticWeight)
	if c.strategy == aggregated || c.name == "duplicated" {
		c.strategy = dynamicWeight
	}
	return divide(c.question).parts
}

// BenchmarkDivideReplicas is T4: 100,000 replicas against 1,000.
func BenchmarkDivideReplicas(b *testing.B) {
	for _, clusters := range []int{10, 100, 1000} {
		few, many := benchQuestions(clusters, 1000), benchQuestions(clusters, 100_000)
		for i := range few {
			b.Run(fmt.Sprintf("%s/%d", few[i].name, clusters), func(b *testing.B) {
				var d divider
				for b.Loop() {
					d.divide(many[i].question)
				}
				b.StopTimer()
				hundred, one := alternate(7, repeat(func() { d.divide(many[i].question) }), repeat(func() { d.divide(few[i].question) }))
				b.ReportMetric(float64(hundred)/float64(one), "×1000replicas")
			})
		}
	}
}

// BenchmarkDivideMillion checks a million random questions, whatever -benchtime says.
func BenchmarkDivideMillion(b *testing.B) {
	for b.Loop() {
		var d divider
		for seed := range uint64(1_000_000) {
			rng := rand.New(rand.NewPCG(seed, 8))
			q := sorted(randomQuestion(rng, 1+rng.IntN(24), 1<<rng.IntN(32)))
			checkDivision(b, q, d.divide(q))
		}
	}
}
