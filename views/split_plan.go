package views

import (
	"context"
	"math/big"
	"strings"

	"odysseus/fleet"
)

// placementSplit is where a workload is, with the arithmetic beside it: what each weight comes to. byRoom says that the
// weights are the replicas that each cluster can still take.
func placementSplit(id string, p fleet.PlacementReport, total int, byRoom bool) Split {
	s := SplitOf(p, wanted(p, total))
	s.ID, s.Room = id, byRoom
	s.idealise(total)
	return s
}

// plannedSplit is where a workload would go.
func plannedSplit(ctx context.Context, id string, r fleet.SimulationReport, byRoom bool) Split {
	planned := r.PlacementReport
	planned.Clusters = make([]fleet.PlacementCluster, len(r.Clusters))
	total := 0
	for i, c := range r.Clusters {
		total += c.Desired
		c.Placed = c.Desired
		planned.Clusters[i] = c
	}
	pending := 0
	if r.Pending != nil {
		pending = r.Pending.Replicas
	}
	planned.Pending = nil
	s := SplitOf(planned, total)
	s.ID, s.Room, s.Planned = id, byRoom, true
	// What no cluster was given is drawn beside what each was; what a cluster was given and cannot hold stays its part.
	if len(r.Clusters) == 0 {
		s.Total, s.Pending = pending, pending
	}
	s.idealise(total)
	s.Steps = map[string]string{}
	for _, share := range r.Shares {
		s.Steps[share.Cluster] = step(ctx, share)
		for i := range s.Segments {
			if s.Segments[i].Name == share.Cluster && share.Ideal != "" && s.Segments[i].Weight != nil {
				s.Segments[i].Ideal = share.Ideal
			}
		}
	}
	return s
}

// idealise gives each cluster with a weight the part of the total that its weight comes to, exactly, rounded to two
// places for reading.
func (s *Split) idealise(total int) {
	sum := new(big.Int)
	for _, c := range s.Segments {
		if c.Weight == nil {
			continue
		}
		sum.Add(sum, big.NewInt(*c.Weight))
	}
	if sum.Sign() <= 0 {
		return
	}
	for i, c := range s.Segments {
		if c.Weight != nil {
			part := new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(*c.Weight))
			s.Segments[i].Ideal = places(new(big.Rat).SetFrac(part, sum))
		}
	}
}

// places is a number with at most two places.
func places(r *big.Rat) string {
	text := r.FloatString(2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// step says in words who got the fraction of a replica that cannot be cut, and why; empty where nothing had to be decided.
func step(ctx context.Context, s fleet.Share) string {
	if s.By == "" || s.Rival == "" {
		return kept(ctx, s)
	}
	key := "share.gave."
	if s.Extra > 0 {
		key = "share.got."
	}
	return strings.TrimSpace(kept(ctx, s) + " " + t(ctx, key+s.By, "Cluster", s.Cluster, "Rival", s.Rival, "Extra", number(s.Extra)))
}

// kept of them it held before.
func kept(ctx context.Context, s fleet.Share) string {
	if s.Kept == 0 || s.Kept == s.Replicas {
		return ""
	}
	return n(ctx, "share.kept", s.Kept)
}

// title of the bar, for those who do not see it.
func (s Split) title(ctx context.Context) string {
	if s.Planned {
		return t(ctx, "split.planned_title", "Parts", s.parts())
	}
	return t(ctx, "split.title", "Placed", number(s.Total-s.Pending), "Total", number(s.Total), "Pending", number(s.Pending))
}

func (s Split) caption(ctx context.Context) string {
	if s.Planned {
		return t(ctx, "split.planned_caption", "Total", number(s.Total))
	}
	return t(ctx, "split.caption", "Total", number(s.Total))
}

// parts are the numbers of the bar with their clusters.
func (s Split) parts() string {
	parts := make([]string, len(s.Segments))
	for i, c := range s.Segments {
		parts[i] = c.Name + " " + number(c.Drawn)
	}
	return commas(parts)
}
