package scheduler

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"odysseus/fleet"
)

// member is a cluster as a simulation sees it: a hypothetical one, or a real one that is granted to the tenant.
type member struct {
	fleet.Cluster
	// places are what its live nodes advertise; none means that it does not answer.
	places []fleet.Geo
	// available is what its nodes that pass the filters can take beside what it holds, or unlimited.
	available int64
	held      int
}

// satisfies says whether the cluster holds "at least one node which passes the geo filter".
func (m member) satisfies(required fleet.Requirement, regions declared) bool {
	return slices.ContainsFunc(m.places, func(at fleet.Geo) bool { return satisfies(required, regions, at) })
}

// shortOf is how many of so many replicas the cluster has no room for.
func (m member) shortOf(replicas int) int64 {
	if m.available < 0 {
		return 0
	}
	return max(0, int64(replicas-m.held)-m.available)
}

// hypotheticalMembers stand in for the real ones: "available and countries may be left out: no limit, no country".
func hypotheticalMembers(h fleet.HypothesisSpec) []member {
	members := make([]member, len(h.Clusters))
	for i, c := range h.Clusters {
		m := member{Cluster: fleet.Cluster{Name: c.Name, Labels: c.Labels}, available: unlimited, held: int(h.Previous[c.Name])}
		if c.Available != nil {
			m.available = *c.Available
		}
		for _, country := range c.Countries {
			m.places = append(m.places, fleet.Geo{Country: country})
		}
		if len(m.places) == 0 {
			m.places = []fleet.Geo{{}}
		}
		members[i] = m
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// members are the clusters granted to the tenant as they are now, with what they can still take for the workload's
// requests and what they hold of the stored deployment of its name.
func (p *picture) members(q fleet.Simulation) []member {
	required, need := fleet.RequirementOf(q.ResidencyLabels), q.Resource.Requests()
	held := map[*cluster]int{}
	if d, known := p.deployments[q.UID]; known && !d.deleted {
		var v survey
		v.take(p, d, false)
		for _, s := range v.slots {
			held[s.keep.node.class.cluster]++
		}
	}
	members := make([]member, 0, len(q.Clusters))
	for _, row := range q.Clusters {
		m := member{Cluster: row}
		if c, known := p.clusters[row.Name]; known {
			m.held = held[c]
			for _, k := range c.classes {
				if k.live == 0 {
					continue
				}
				m.places = append(m.places, k.place.Geo)
				if !p.settings.Enabled || satisfies(required, p.regions, k.place.Geo) {
					m.available = addUp(m.available, k.room(need, math.MaxInt64))
				}
			}
		}
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.Name, b.Name) })
	return members
}

// room is how many replicas of that need the nodes of the class can still take; counting ends at most.
func (k *class) room(need fleet.Amount, most int64) int64 {
	var total int64
	for leaf, rank := range k.tree.rank {
		if rank == closed {
			continue
		}
		if total = addUp(total, times(k.tree.free(int32(leaf)), need)); total >= most {
			return most
		}
	}
	return total
}

// advertisedBy is what the members report: values, sorted, distinct.
func advertisedBy(members []member) fleet.Geography {
	g := fleet.Geography{Countries: []string{}, Regions: []string{}}
	for _, m := range members {
		for _, at := range m.places {
			if at.Country != "" {
				g.Countries = append(g.Countries, at.Country)
			}
			if at.Region != "" {
				g.Regions = append(g.Regions, at.Region)
			}
		}
	}
	slices.Sort(g.Countries)
	slices.Sort(g.Regions)
	g.Countries, g.Regions = slices.Compact(g.Countries), slices.Compact(g.Regions)
	return g
}

// silentIn says whether a member reports neither country nor region somewhere.
func silentIn(members []member) bool {
	return slices.ContainsFunc(members, func(m member) bool { return slices.Contains(m.places, fleet.Geo{}) })
}
