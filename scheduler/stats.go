package scheduler

import "odysseus/fleet"

// Stats are counters since the start, and how much there is to do now. For metrics.
type Stats struct {
	Decisions uint64 // looks at a deployment
	Commits   uint64 // transactions stored
	Failures  uint64 // transactions that failed
	Stale     uint64 // decisions that no longer held
	Assigned  uint64 // containers assigned
	Stopped   uint64 // containers told to stop
	Queued    int    // deployments to look at
	Waiting   int    // deployments that sleep until something could lift their reason
	// Drifting replicas, and deployments that have some: outside their residency under enforcement.
	DriftingReplicas    int
	DriftingDeployments int
	LiveNodes           int
	Nodes               int
	Deployments         int
}

// Stats answers without I/O.
func (s *Scheduler) Stats() Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.picture
	st := s.stats
	st.Queued, st.Waiting, st.Deployments = p.queue.len(), p.sleepers, len(p.deployments)
	st.DriftingReplicas, st.DriftingDeployments = p.driftingReplicas, p.driftingDeployments
	for _, c := range p.clusterList {
		st.LiveNodes += c.live
		st.Nodes += c.nodes
	}
	return st
}

// PendingReasons counts the deployments with pending replicas by the code of each reason; one with two reasons counts
// twice. It works reasons out once for all that wait with one requirement in one tenant.
func (s *Scheduler) PendingReasons() map[string]int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.picture
	counts := map[string]int{}
	for _, code := range [...]fleet.Code{fleet.ReasonGeoMismatch, fleet.ReasonNoReachableNode, fleet.ReasonCapacity, fleet.ReasonRegionUndeclared} {
		counts[string(code)] = 0
	}
	for _, r := range p.sleeping {
		for _, g := range r.groups {
			if g != g.pool.groups[0] {
				continue // counted with the first of its pool
			}
			waiting := 0
			for _, o := range g.pool.groups {
				waiting += o.size
			}
			for _, code := range p.shortage(g.pool.tenant, r).codes(true) {
				counts[string(code)] += waiting
			}
		}
	}
	return counts
}
