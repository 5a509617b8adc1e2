package scheduler

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"odysseus/fleet"
)

// Placement answers where a deployment runs and why not elsewhere, from the picture as it is. A deployment that it
// does not know, or has not decided on yet, is Waiting.
func (s *Scheduler) Placement(uid string, detail bool) fleet.PlacementReport {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, known := s.picture.deployments[uid]
	if !known {
		return fleet.PlacementReport{State: fleet.Waiting, Clusters: []fleet.PlacementCluster{}}
	}
	return s.picture.placementOf(d, detail)
}

func (p *picture) placementOf(d *deployment, detail bool) fleet.PlacementReport {
	if d.deleted || d.preserved || d.status == nil {
		return fleet.PlacementReport{State: fleet.Waiting, Clusters: []fleet.PlacementCluster{}}
	}
	var v survey
	v.take(p, d, false)
	if d.binding.Policy != nil || !d.runs.own || p.wouldClaim(d) || p.gatedNow(d) {
		return p.placementUnder(d, &v, detail)
	}
	heads := p.headcountNow(d, &v, d.replicas)
	report := fleet.PlacementReport{
		State: heads.state(d.replicas), Clusters: p.clustersOf(d, &v, heads.lacking > 0, detail), Drift: p.driftOf(d, &v),
	}
	if heads.lacking > 0 {
		since := d.changed
		if d.status.PendingSince != nil {
			since = *d.status.PendingSince
		}
		report.Pending = &fleet.PendingReplicas{Replicas: heads.lacking, Since: since, Reasons: p.reasons(d, detail)}
	}
	return report
}

// clustersOf lists the clusters within the tenant's reach that are candidates or hold replicas, by name. A cluster
// that was taken from the tenant is shown to staff alone.
func (p *picture) clustersOf(d *deployment, v *survey, pending, detail bool) []fleet.PlacementCluster {
	held := map[*cluster]*fleet.PlacementCluster{}
	part := func(c *cluster) *fleet.PlacementCluster {
		if held[c] == nil {
			held[c] = &fleet.PlacementCluster{Name: c.name}
		}
		return held[c]
	}
	for _, c := range v.active {
		part(c.node.class.cluster) // also what is being replaced is held
	}
	for _, s := range v.slots {
		at := part(s.keep.node.class.cluster)
		at.Placed += oneIf(s.standing != lost)
		at.Desired++
		for _, c := range v.of(s) {
			if c.ready() {
				part(c.node.class.cluster).Ready++
				break
			}
		}
	}
	if detail {
		p.nodesOf(v, part)
	}
	clusters := []fleet.PlacementCluster{}
	for _, c := range p.clusterList {
		granted, at := c.grants(d.ref.Tenant), held[c]
		if at == nil && (!granted || !p.candidate(d.pool.rule, c)) || !granted && !detail {
			continue
		}
		at = part(c)
		switch {
		case !granted: // there is no room for it
		case detail:
			at.Available = p.room(d, c, math.MaxInt64)
		default:
			at.Available = p.available(d, c, at.Placed, pending)
		}
		clusters = append(clusters, *at)
	}
	return clusters
}

// nodesOf adds the nodes that hold at least one replica.
func (p *picture) nodesOf(v *survey, part func(*cluster) *fleet.PlacementCluster) {
	byNode := map[*node]int{}
	for _, c := range v.active {
		byNode[c.node]++
	}
	for n, count := range byNode {
		at := part(n.class.cluster)
		at.Nodes = append(at.Nodes, fleet.PlacementNode{Name: n.name, Replicas: count})
	}
	for n := range byNode {
		slices.SortFunc(part(n.class.cluster).Nodes, func(a, b fleet.PlacementNode) int { return strings.Compare(a.Name, b.Name) })
	}
}

// candidate: "hold at least one node which passes the geo filter", alive.
func (p *picture) candidate(r *rule, c *cluster) bool {
	return slices.ContainsFunc(c.classes, func(k *class) bool { return k.live > 0 && p.passes(r, k) })
}

// available is what a tenant is told of the cluster's room: what it holds and, while replicas are pending, what it could
// take, "capped at the workload's own count". Of a workload that has all its replicas it says nothing of free room,
// which changes with every node that joins.
func (p *picture) available(d *deployment, c *cluster, held int, pending bool) int64 {
	own := int64(d.replicas)
	total := min(int64(held), own)
	if pending {
		total += p.room(d, c, own-total)
	}
	return total
}

// room is how many more replicas the cluster can take; where it is more than most, most.
func (p *picture) room(d *deployment, c *cluster, most int64) int64 {
	return p.roomNow(c, d.pool.rule, d.need.Amount, most)
}

// wouldClaim says whether some policy is about to hold what none holds yet.
func (p *picture) wouldClaim(d *deployment) bool {
	return fleet.ClaimOf(&d.object, p.policies.reaching(d.ref.Namespace), nil).Policy != nil
}

// gatedNow says whether something that the deployment needs is not there.
func (p *picture) gatedNow(d *deployment) bool {
	return p.gate(d, &target{}, nil) != nil
}

// driftOf lists the replicas outside the residency by where they are; none while the filter is off.
func (p *picture) driftOf(d *deployment, v *survey) []fleet.Drift {
	var drifts []fleet.Drift
	for _, c := range v.active {
		if !p.outside(c) {
			continue
		}
		geo := c.node.class.place.Geo
		at := slices.IndexFunc(drifts, func(o fleet.Drift) bool { return o.Reported == geo })
		if at < 0 {
			at = len(drifts)
			drifts = append(drifts, fleet.Drift{Required: d.pool.rule.requirement, Reported: geo})
		}
		drifts[at].Replicas++
	}
	slices.SortFunc(drifts, func(a, b fleet.Drift) int {
		return cmp.Or(strings.Compare(a.Reported.Country, b.Reported.Country), strings.Compare(a.Reported.Region, b.Reported.Region))
	})
	return drifts
}
