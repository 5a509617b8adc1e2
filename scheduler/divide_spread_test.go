package scheduler

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"odysseus/fleet"
)

// naiveSpread is the rule as it is written: for each replica, of the nodes that take it, the one with the fewest
// replicas of the workload, then with most free capacity, then by name.
func naiveSpread(nodes []*node, held map[string]int32, need fleet.Amount, want int) []string {
	free, count := map[string]fleet.Amount{}, map[string]int32{}
	for _, n := range nodes {
		free[n.name], count[n.name] = n.free(), held[n.name]
	}
	var picks []string
	for range want {
		best := ""
		for _, n := range nodes {
			name := n.name
			if !n.takes() || !need.Fits(free[name]) {
				continue
			}
			if best == "" || count[name] < count[best] || count[name] == count[best] && (roominess(free[name]) > roominess(free[best]) ||
				roominess(free[name]) == roominess(free[best]) && name < best) {
				best = name
			}
		}
		if best == "" {
			return picks
		}
		free[best] = free[best].Minus(need)
		count[best]++
		picks = append(picks, best)
	}
	return picks
}

func TestSpreadDoesWhatTheRuleSays(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := newPicture()
		for _, c := range []string{"a", "b", "c"} {
			p.setCluster(fleet.Cluster{Name: c, Tenants: []string{fleet.AllTenants}, ResourceVersion: "1"})
		}
		var nodes []*node
		held := map[string]int32{}
		for i := range 1 + rng.IntN(20) {
			name := fmt.Sprintf("n%02d", i)
			p.setNode(fleet.Node{
				Name: name, Cluster: string(rune('a' + rng.IntN(3))), Labels: geoLabels([]string{"CA", "DE"}[rng.IntN(2)], ""), Version: 1,
				Capacity: fleet.Amount{MilliCPU: int64(rng.IntN(4)) * 500, Memory: 4 << 30, Slots: int64(rng.IntN(6))}, Cordoned: rng.IntN(6) == 0,
			}, newFakeClock().now)
			nodes = append(nodes, p.nodes[name])
			held[name] = int32(rng.IntN(3) * rng.IntN(3))
		}
		var classes []*class
		for _, c := range p.clusterList {
			classes = append(classes, c.classes...)
		}
		q := query{"acme", p.rule(nil), fleet.Amount{MilliCPU: int64(rng.IntN(3)) * 250, Slots: 1}}
		want := naiveSpread(nodes, held, q.need, 12)
		for round := range 2 { // the second shows that the first left everything as it was
			p.turn++
			for _, n := range nodes {
				n.tally(p.turn)
				n.count = held[n.name]
			}
			var got []string
			for _, n := range p.spread(q, classes, 12) {
				got = append(got, n.name)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, round %d: %v, want %v", seed, round, got, want)
			}
		}
	}
}
