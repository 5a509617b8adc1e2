package scheduler

import (
	"math"
	"slices"
	"strings"
	"time"

	"odysseus/fleet"
)

// simulation is a question with everything that its answer depends on: equal questions have equal answers.
type simulation struct {
	fleet.Simulation
	members  []member // sorted by name
	settings fleet.GeoAwareness
	// distributed: a policy distributes the resource, so overrides apply.
	distributed bool
	now         time.Time
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
		asked.members = s.picture.membersAsked(q)
	}
	return simulate(asked)
}

// membersAsked are the real members, with what they can still take for the workload's requests and what they hold of the
// stored deployment of its name.
func (p *picture) membersAsked(q fleet.Simulation) []member {
	requirement := fleet.RequirementOf(q.ResidencyLabels)
	r := &rule{requirement: requirement}
	r.compile(p.regions, p.places)
	need := q.Resource.Requests()
	held := map[*cluster]int{}
	var moved []fleet.ClusterFailover
	if d, known := p.deployments[q.UID]; known && !d.deleted {
		if q.Unchanged {
			moved = d.binding.Failovers
		}
		var v survey
		v.take(p, d, false)
		for _, s := range v.slots {
			held[s.keep.node.class.cluster]++
		}
	}
	runs := runnable(&q.Resource)
	members := p.membersFor(q.Tenant, r, nil)
	for i := range members {
		m := &members[i]
		m.held, m.available, m.unsupported = held[m.of], p.roomNow(m.of, r, need, math.MaxInt64), runs.unsupportedOn(m.of)
		m.avoided = !recordOf(moved, m.Name).MovedAt.IsZero()
	}
	return members
}

// simulate is one pure function from the question to the answer.
func simulate(q simulation) fleet.SimulationReport {
	required := fleet.RequirementOf(q.ResidencyLabels)
	regions := declaredRegions(q.settings.Regions)
	report := fleet.SimulationReport{Advertised: advertisedBy(q.members)}
	report.Clusters = []fleet.PlacementCluster{}
	members := slices.Clone(q.members)
	for i := range members {
		m := &members[i]
		inside := slices.ContainsFunc(m.places, func(at fleet.Geo) bool { return satisfies(required, regions, at) })
		m.answers, m.passes = len(m.places) > 0, inside || !q.settings.Enabled
		report.AnyMatch = report.AnyMatch || inside
	}
	counts, divisible := q.Resource.Replicas()
	if !divisible {
		counts.Count = 1
	}
	policy := fleet.ClaimOf(&q.Resource, q.Policies, q.Holder).Policy
	if policy != nil {
		ref := policy.Ref()
		report.Policy = &ref
	}
	if code := waits(policy, &q.Resource, q.thereIs); code != "" {
		report.State = fleet.Waiting
		report.Pending = q.pending(counts.Count, waiting(code, policy, q.thereIs))
		return report
	}
	if policy == nil || policy.Failover() == nil {
		for i := range members {
			members[i].avoided = false // what was moved is forgotten with the rule that moved it
		}
	}
	q.distributed = policy != nil
	c := candidatesOf(members, policy, required)
	report.Excluded = c.excluded()
	asked := questionOf(&q.Resource, schedulingOf(policy), c.members, counts.Count, divisible)
	asked.fresh = q.Hypothesis != nil && q.Hypothesis.Fresh
	d := divide(asked)
	report.Deliveries = q.deliveries(asked, d, counts, c.members)
	lacking := int64(d.rest)
	var full []string
	for i, p := range d.parts {
		at := fleet.PlacementCluster{Name: p.cluster, Available: q.available(d, c.members[i], counts.Count), Desired: p.replicas}
		if d.basis == byWeight || d.basis == byEqual {
			at.Weight = &p.weight
		}
		blocked := q.overridden(&at, report.Deliveries)
		report.Clusters = append(report.Clusters, at)
		short := c.members[i].shortOf(at.Desired)
		switch {
		case blocked != nil:
			c.blocked = append(c.blocked, fleet.Reason{Code: fleet.ReasonOverrideBlocked, Clusters: []string{p.cluster}, Blocked: blocked})
			lacking = addUp(lacking, int64(max(at.Desired-c.members[i].held, 0)))
		case divisible && short > 0:
			lacking, full = addUp(lacking, short), append(full, p.cluster)
		}
	}
	if divisible {
		report.Shares = d.forPeople()
	}
	q.conclude(&report, c, d, lacking, full)
	return report
}

// waits says why a resource is not divided yet; empty where it is. There says whether an override exists.
func waits(policy *fleet.Policy, r *fleet.Resource, there func(fleet.PolicyRef) bool) fleet.Code {
	if policy == nil {
		if r.APIVersion == fleet.APIVersion && r.Kind == fleet.KindDeployment {
			return ""
		}
		return fleet.ReasonNoPolicy
	}
	if missingOverrides(policy, there) != "" {
		return fleet.ReasonWaitingOverride // "the policy is already the claimant and the binding is Waiting"
	}
	return ""
}

// missingOverrides names what the policy depends on and does not exist: "OverridePolicy acme/x, OverridePolicy acme/y".
func missingOverrides(policy *fleet.Policy, there func(fleet.PolicyRef) bool) string {
	var missing []string
	for _, name := range policy.Spec.DependentOverrides {
		if ref := overrideFor(policy, name); !there(ref) {
			missing = append(missing, ref.String())
		}
	}
	return strings.Join(missing, ", ")
}

// waiting is why a resource is not divided yet, for people.
func waiting(code fleet.Code, policy *fleet.Policy, there func(fleet.PolicyRef) bool) []fleet.Reason {
	reason := fleet.Reason{Code: code}
	if code == fleet.ReasonWaitingOverride {
		reason.Field = missingOverrides(policy, there)
	}
	return []fleet.Reason{reason}
}

// thereIs says whether an override is among those that were asked with.
func (q simulation) thereIs(ref fleet.PolicyRef) bool {
	return slices.ContainsFunc(q.Overrides, func(o *fleet.Override) bool { return o.Ref() == ref })
}

// schedulingOf a policy. "Without any propagation policy an odysseus/v1 Deployment is placed as if by one that selects
// all clusters of the tenant with dynamic weights."
func schedulingOf(policy *fleet.Policy) *fleet.ReplicaScheduling {
	if policy == nil {
		return &fleet.ReplicaScheduling{WeightPreference: &fleet.WeightPreference{DynamicWeight: fleet.WeightAvailableReplicas}}
	}
	return policy.Scheduling()
}

// questionOf puts the policy's scheduling to the division. "A resource without a replica count goes to every candidate
// whatever the type."
func questionOf(r *fleet.Resource, s *fleet.ReplicaScheduling, members []member, count int64, divisible bool) question {
	asked := question{namespace: r.Namespace, name: r.Name, replicas: int(count), candidates: make([]candidate, len(members))}
	if divisible {
		asked.strategy, asked.gang = strategyOf(s.Division()), s.Gang()
	}
	weights := s.StaticWeights(clustersOf(members))
	for i, m := range members {
		asked.candidates[i] = candidate{cluster: m.Name, weight: weights[i], available: m.available, held: m.held}
		if m.share != nil {
			asked.candidates[i].held = *m.share
		}
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
	return shown(c.number(by, count), count, q.Detail)
}
