package scheduler

import (
	"math/big"
	"strings"

	"odysseus/fleet"
)

// rank is the rule that put one seat before another.
type rank uint8

const (
	rankNone     rank = iota
	rankQuotient      // the larger weight / (2 × seats + 1)
	rankSeats         // equal quotients: the fewer seats
	rankHash          // the smaller hash of namespace, name and cluster
	rankName          // equal hashes, which hardly happens
)

// share is the arithmetic of one part, for people: what it would get if replicas could be cut, what it got, and, where
// these differ, what decided.
type share struct {
	part
	ideal *big.Rat // divided × weight / all weights
	won   int      // of those divided
	extra int      // won beyond the whole replicas of the ideal share; negative where a small cluster fell short
	by    rank     // what decided over its fraction of a replica; none where the ideal share is whole and was met
	rival string   // the cluster that came next where extra is positive, else the one that came before it
}

// shares explains the division from the division itself, so that what is said is what was done.
func (d division) shares() []share {
	total := new(big.Int)
	for _, p := range d.parts {
		total.Add(total, big.NewInt(p.weight))
	}
	order := seatOrder{tie: newTie(d.namespace, d.name), parts: d.parts}
	lost, won := d.edge(order)
	all := make([]share, len(d.parts))
	for i, p := range d.parts {
		s := share{part: p, ideal: new(big.Rat), won: p.replicas - p.kept}
		if d.basis != byNone && p.weight > 0 {
			product := new(big.Int).Mul(big.NewInt(int64(d.divided)), big.NewInt(p.weight))
			s.ideal.SetFrac(product, total)
			s.extra = s.won - int(new(big.Int).Quo(s.ideal.Num(), s.ideal.Denom()).Int64())
			switch {
			case s.extra > 0:
				s.by, s.rival = order.explain(lastSeat(i, p), lost)
			case s.extra < 0 || !s.ideal.IsInt():
				s.by, s.rival = order.explain(nextSeat(i, p), won)
			}
		}
		all[i] = s
	}
	return all
}

// edge is where the seats ran out: the first two that nobody got, and the last two that somebody got, of two clusters each.
func (d division) edge(order seatOrder) (lost, won [2]*seat) {
	if d.basis == byNone {
		return lost, won
	}
	keep := func(best *[2]*seat, s *seat, ahead bool) {
		for k := range best {
			if best[k] == nil || order.before(s, best[k]) == ahead {
				best[k], s = s, best[k]
			}
			if s == nil {
				return
			}
		}
	}
	for i, p := range d.parts {
		if p.weight > 0 {
			keep(&lost, nextSeat(i, p), true)
			if p.replicas > p.kept {
				keep(&won, lastSeat(i, p), false)
			}
		}
	}
	return lost, won
}

// explain says what decided between a seat and the nearest one of another cluster.
func (o seatOrder) explain(s *seat, edge [2]*seat) (rank, string) {
	for _, other := range edge {
		if other != nil && other.part != s.part {
			_, by := o.compare(s, other)
			return by, o.parts[other.part].cluster
		}
	}
	return rankNone, ""
}

func nextSeat(i int, p part) *seat {
	return &seat{weight: uint64(p.weight), divisor: uint64(2*(p.replicas-p.kept) + 1), part: int32(i)}
}

func lastSeat(i int, p part) *seat {
	return &seat{weight: uint64(p.weight), divisor: uint64(2*(p.replicas-p.kept) - 1), part: int32(i)}
}

var rankNames = [...]string{rankNone: "", rankQuotient: "quotient", rankSeats: "seats", rankHash: "hash", rankName: "name"}

// forPeople is the arithmetic as reports carry it.
func (d division) forPeople() []fleet.Share {
	shares := make([]fleet.Share, 0, len(d.parts))
	for _, s := range d.shares() {
		shares = append(shares, fleet.Share{Cluster: s.cluster, Weight: s.weight, Ideal: decimal(s.ideal), Replicas: s.replicas,
			Kept: s.kept, Extra: s.extra, By: rankNames[s.by], Rival: s.rival})
	}
	return shares
}

// decimal writes a fraction with at most two places.
func decimal(r *big.Rat) string {
	text := r.FloatString(2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
