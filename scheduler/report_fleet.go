package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// Geography is what the live nodes within the tenant's reach advertise; of all with an empty tenant.
func (s *Scheduler) Geography(tenant string) fleet.Geography {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.picture.geography(tenant, func(*class) bool { return true })
}

// geography is what the live nodes of those classes within reach advertise: "only the values, sorted, never which
// node, never how many".
func (p *picture) geography(tenant string, counts func(*class) bool) fleet.Geography {
	g := fleet.Geography{Countries: []string{}, Regions: []string{}}
	for _, c := range p.clusterList {
		if c.live == 0 || tenant != "" && !c.grants(tenant) {
			continue
		}
		for _, k := range c.classes {
			if k.live == 0 || !counts(k) {
				continue
			}
			if k.place.Country != "" {
				g.Countries = append(g.Countries, k.place.Country)
			}
			if k.place.Region != "" {
				g.Regions = append(g.Regions, k.place.Region)
			}
		}
	}
	slices.Sort(g.Countries)
	slices.Sort(g.Regions)
	g.Countries, g.Regions = slices.Compact(g.Countries), slices.Compact(g.Regions)
	return g
}

// AnyMatch says whether a live node within reach would pass the geo filter, were it on; cordoned and full nodes
// count.
func (s *Scheduler) AnyMatch(tenant string, labels map[string]string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	requirement := fleet.RequirementOf(labels)
	for _, c := range s.picture.clusterList {
		if c.live == 0 || tenant != "" && !c.grants(tenant) {
			continue
		}
		for _, k := range c.classes {
			if k.live > 0 && satisfies(requirement, s.picture.regions, k.place.Geo) {
				return true
			}
		}
	}
	return false
}

// Simulated says whether a live node within the tenant's reach, any with an empty tenant, runs the simulated runtime:
// then the console says so.
func (s *Scheduler) Simulated(tenant string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(s.picture.clusterList, func(c *cluster) bool {
		return c.simulated > 0 && (tenant == "" || c.grants(tenant))
	})
}

// NodeState is what is known of a node beside its row; false where the node is unknown.
func (s *Scheduler) NodeState(name string) (fleet.NodeState, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.picture.nodes[name]
	if !ok {
		return fleet.NodeState{}, false
	}
	region := n.class.place.Region
	_, declared := s.picture.regions[region]
	return fleet.NodeState{
		Live: n.live, LastHeartbeat: n.heard, Used: n.used, Containers: len(n.containers),
		UndeclaredRegion: region != "" && !declared,
	}, true
}

// ClusterNodes counts the live and all nodes of a cluster.
func (s *Scheduler) ClusterNodes(name string) (live, all int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, ok := s.picture.clusters[name]
	if !ok {
		return 0, 0
	}
	return c.live, c.nodes
}
