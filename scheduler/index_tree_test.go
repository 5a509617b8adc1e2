package scheduler

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"odysseus/fleet"
)

// TestTreeFindsWhatAScanFinds changes a tree at random and compares its best with a scan.
func TestTreeFindsWhatAScanFinds(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var tr tree
		free := map[*node]fleet.Amount{} // of open nodes
		var nodes []*node
		amount := func() fleet.Amount {
			return fleet.Amount{MilliCPU: rng.Int64N(4) * 500, Memory: rng.Int64N(4) << 30, Slots: rng.Int64N(4)}
		}
		for step := range 400 {
			switch k := rng.IntN(10); {
			case k < 3:
				n := &node{name: fmt.Sprintf("n%04d", rng.IntN(10_000))}
				n.leaf = tr.add(n)
				nodes = append(nodes, n)
				free[n] = amount()
				tr.set(n.leaf, free[n])
			case len(nodes) == 0:
			case k < 5:
				at := rng.IntN(len(nodes))
				n := nodes[at]
				tr.remove(n.leaf)
				delete(free, n)
				nodes = append(nodes[:at], nodes[at+1:]...)
			case k < 6:
				n := nodes[rng.IntN(len(nodes))]
				tr.close(n.leaf)
				delete(free, n)
			default:
				n := nodes[rng.IntN(len(nodes))]
				free[n] = amount()
				tr.set(n.leaf, free[n])
			}
			tr.settle()
			need := amount()
			var want *node
			for n, f := range free {
				if need.Fits(f) && (want == nil || roominess(f) > roominess(free[want]) || roominess(f) == roominess(free[want]) && n.name < want.name) {
					want = n
				}
			}
			var got *node
			if leaf := tr.best(need); leaf >= 0 {
				got = tr.nodes[leaf]
			}
			if got != want && (got == nil || want == nil || got.name != want.name || free[got] != free[want]) {
				t.Fatalf("seed %d, step %d: best of %d for %+v is %+v, want %+v", seed, step, len(free), need, got, want)
			}
		}
	}
}
