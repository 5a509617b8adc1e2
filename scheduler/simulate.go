package scheduler

import (
	"math"
	"time"

	"odysseus/fleet"
)

// simulation is a question with everything that its answer depends on: equal questions have equal answers.
type simulation struct {
	fleet.Simulation
	members  []member // sorted by name
	settings fleet.GeoAwareness
	now      time.Time
}

// Simulate answers where a resource would go, and why not elsewhere, by the steps that place what is stored: choose the
// policy, filter, divide. Nothing is stored.
func (s *Scheduler) Simulate(q fleet.Simulation) fleet.SimulationReport {
	s.mu.RLock()
	defer s.mu.RUnlock()
	asked := simulation{Simulation: q, settings: s.picture.settings, now: s.now().UTC()}
	if q.Hypothesis != nil {
		asked.members = hypotheticalMembers(*q.Hypothesis)
	} else {
		asked.members = s.picture.members(q)
	}
	return simulate(asked)
}

// simulate is one pure function from the question to the answer.
func simulate(q simulation) fleet.SimulationReport {
	required := fleet.RequirementOf(q.ResidencyLabels)
	regions := declaredRegions(q.settings.Regions)
	report := fleet.SimulationReport{Advertised: advertisedBy(q.members)}
	report.Clusters = []fleet.PlacementCluster{}
	for _, m := range q.members {
		report.AnyMatch = report.AnyMatch || m.satisfies(required, regions)
	}
	counts, divisible := q.Resource.Replicas()
	if !divisible {
		counts.Count = 1
	}
	policy := fleet.ClaimOf(&q.Resource, q.Policies, nil).Policy
	if policy != nil {
		ref := policy.Ref()
		report.Policy = &ref
	}
	if code := q.waits(policy); code != "" {
		report.State = fleet.Waiting
		report.Pending = q.pending(counts.Count, []fleet.Reason{{Code: code}})
		return report
	}
	c := q.candidates(policy, required, regions)
	report.Excluded = c.excluded
	asked := q.question(schedulingOf(policy), c.members, counts.Count, divisible)
	d := divide(asked)
	lacking := int64(d.rest)
	for i, p := range d.parts {
		at := fleet.PlacementCluster{Name: p.cluster, Available: q.available(d, c.members[i], counts.Count), Desired: p.replicas}
		if d.basis == byWeight || d.basis == byEqual {
			at.Weight = &p.weight
		}
		report.Clusters = append(report.Clusters, at)
		if divisible {
			lacking = addUp(lacking, c.members[i].shortOf(p.replicas))
		}
	}
	report.Deliveries = q.deliveries(asked, d, counts)
	q.conclude(&report, c, d, lacking)
	return report
}

// waits says why the resource is not divided yet; empty where it is.
func (q simulation) waits(policy *fleet.Policy) fleet.Code {
	switch {
	case policy != nil && len(policy.Spec.DependentOverrides) > 0:
		// "Until each exists the policy is already the claimant and the binding is Waiting"; here none exists.
		return fleet.ReasonWaitingOverride
	case policy == nil && (q.Resource.APIVersion != fleet.APIVersion || q.Resource.Kind != fleet.KindDeployment):
		return fleet.ReasonNoPolicy
	}
	return ""
}

// schedulingOf a policy. "Without any propagation policy an odysseus/v1 Deployment is placed as if by one that selects
// all clusters of the tenant with dynamic weights."
func schedulingOf(policy *fleet.Policy) *fleet.ReplicaScheduling {
	if policy == nil {
		return &fleet.ReplicaScheduling{WeightPreference: &fleet.WeightPreference{DynamicWeight: fleet.WeightAvailableReplicas}}
	}
	return policy.Scheduling()
}

// question puts the policy's scheduling to the division. "A resource without a replica count goes to every candidate
// whatever the type."
func (q simulation) question(s *fleet.ReplicaScheduling, members []member, count int64, divisible bool) question {
	asked := question{namespace: q.Resource.Namespace, name: q.Resource.Name, replicas: int(count),
		fresh: q.Hypothesis != nil && q.Hypothesis.Fresh, candidates: make([]candidate, len(members))}
	if divisible {
		asked.strategy, asked.gang = strategyOf(s.Division()), s.Gang()
	}
	clusters := make([]fleet.Cluster, len(members))
	for i, m := range members {
		clusters[i] = m.Cluster
	}
	weights := s.StaticWeights(clusters)
	for i, m := range members {
		asked.candidates[i] = candidate{cluster: m.Name, weight: weights[i], available: m.available, held: m.held}
	}
	return asked
}

func strategyOf(d fleet.Division) strategy {
	switch d {
	case fleet.DivisionStatic:
		return staticWeight
	case fleet.DivisionDynamic:
		return dynamicWeight
	case fleet.DivisionAggregated:
		return aggregated
	}
	return duplicated
}

// available is "the number that dynamic weights used, for tenants capped at the workload's own count".
func (q simulation) available(d division, m member, count int64) int64 {
	by := byAvailable
	if d.basis == byHeld || d.basis == byAllRoom {
		by = d.basis
	}
	c := candidate{available: m.available, held: m.held}
	most := count
	if q.Detail {
		most = math.MaxInt64
	}
	return min(c.number(by, count), most)
}
