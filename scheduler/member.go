package scheduler

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"odysseus/fleet"
)

// member is a cluster as a division sees it: a real one that the tenant may use, or one that a simulation made up.
type member struct {
	fleet.Cluster
	// of is the real cluster; nil for one that was made up.
	of *cluster
	// answers: some node of it is alive. passes: some such node passes the geo filter where that is in force.
	answers, passes bool
	// places are what its live nodes advertise.
	places []fleet.Geo
	// available is what its nodes that pass the filters can take beside what it holds, or unlimited.
	available int64
	held      int
	// share is what it counts as holding where an override decides what it runs; nil where none does.
	share *int
	// avoided: the workload was moved off it.
	avoided bool
	// unsupported is the first field of the manifest that it cannot carry out; empty for none.
	unsupported string
}

// shortOf is how many of so many replicas the cluster has no room for.
func (m *member) shortOf(replicas int) int64 {
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

// membersFor are the clusters that the tenant may use, as they are now, in the order of their names; the caller fills
// in what they hold and can take. A cluster-scoped resource, which has no tenant, may go to any. Into is memory to use.
func (p *picture) membersFor(tenant string, r *rule, into []member) []member {
	for _, c := range p.clusterList {
		if tenant != "" && !c.grants(tenant) || !c.known {
			continue
		}
		m := member{Cluster: fleet.Cluster{Name: c.name, Labels: c.labels}, of: c, answers: c.live > 0}
		for _, k := range c.classes {
			if k.live == 0 {
				continue
			}
			m.places = append(m.places, k.place.Geo)
			m.passes = m.passes || p.passes(r, k)
		}
		into = append(into, m)
	}
	return into
}

// roomNow is how many more replicas the cluster can take. It counts node by node, so that readers may ask.
func (p *picture) roomNow(c *cluster, r *rule, need fleet.Amount, most int64) int64 {
	var total int64
	for _, k := range c.classes {
		if k.live == 0 || !p.passes(r, k) {
			continue
		}
		if total = addUp(total, k.room(need, most-total)); total >= most {
			return most
		}
	}
	return total
}

// roomCounted is the same for the one that decides, who may keep counts: it follows what changed.
func (p *picture) roomCounted(c *cluster, r *rule, need fleet.Amount) int64 {
	var total int64
	for _, k := range c.classes {
		if k.live > 0 && p.passes(r, k) {
			total = addUp(total, k.tree.roomFor(need))
		}
	}
	return total
}

// room is how many replicas of that need the nodes of the class can still take; counting ends at most.
func (k *class) room(need fleet.Amount, most int64) int64 {
	var total int64
	for leaf, rank := range k.tree.rank {
		if rank == closed {
			continue
		}
		if total = addUp(total, min(times(k.tree.free(int32(leaf)), need), maxTimes)); total >= most {
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

// clustersOf the members, as a policy's weights read them.
func clustersOf(members []member) []fleet.Cluster {
	clusters := make([]fleet.Cluster, len(members))
	for i := range members {
		clusters[i] = members[i].Cluster
	}
	return clusters
}

// shown caps a number for those who may not know what is free: "for tenants capped at the workload's own count".
func shown(number, count int64, detail bool) int64 {
	if detail {
		count = math.MaxInt64
	}
	return cmp.Or(min(number, count), 0)
}
