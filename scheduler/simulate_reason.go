package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// candidacy is which of the members may get replicas, and why others may not.
type candidacy struct {
	members  []member // candidates, by name
	selected int
	outside  []member // selected, and refused by the geo filter alone
	silent   int      // selected, and none of its nodes answers
	alive    int      // members that answer, selected or not
	excluded []fleet.ExcludedCluster
	required fleet.Requirement
	byPolicy bool
}

// candidates filters before anything is divided: "the policy's clusters that the tenant may use, that answer, and, for a
// workload with residency under enforcement, that hold at least one node which passes the geo filter".
func (q simulation) candidates(policy *fleet.Policy, required fleet.Requirement, regions declared) candidacy {
	c := candidacy{required: required, byPolicy: policy != nil}
	var affinity *fleet.ClusterAffinity
	if policy != nil {
		affinity = policy.Affinity()
	}
	for _, m := range q.members {
		answers := len(m.places) > 0
		c.alive += oneIf(answers)
		if !affinity.Matches(m.Name, m.Labels) {
			continue
		}
		c.selected++
		switch {
		case !answers:
			c.silent++
			c.exclude(m, fleet.Reason{Code: fleet.ReasonClusterUnreachable})
		case q.settings.Enabled && !m.satisfies(required, regions):
			c.outside = append(c.outside, m)
			c.exclude(m, c.mismatch(m))
		default:
			c.members = append(c.members, m)
		}
	}
	return c
}

func (c *candidacy) exclude(m member, reason fleet.Reason) {
	c.excluded = append(c.excluded, fleet.ExcludedCluster{Name: m.Name, Reason: reason})
}

// mismatch says what the clusters' nodes report and what is required.
func (c *candidacy) mismatch(members ...member) fleet.Reason {
	required, reported := c.required, advertisedBy(members)
	return fleet.Reason{Code: fleet.ReasonGeoMismatch, Required: &required, Reported: &reported, Unlabelled: silentIn(members)}
}

// reasons for which replicas are pending, in their order, each once.
func (c *candidacy) reasons(d division) []fleet.Reason {
	reasons := []fleet.Reason{}
	if len(c.outside) > 0 {
		reasons = append(reasons, c.mismatch(c.outside...))
	}
	for _, r := range [...]struct {
		holds bool
		code  fleet.Code
	}{
		// A fleet that was made up without clusters has an affinity that leaves none, and no nodes that went away.
		{c.alive == 0 && (c.selected > 0 || !c.byPolicy), fleet.ReasonNoReachableNode},
		{len(c.members) > 0 && !d.gang, fleet.ReasonCapacity},
		{c.selected == 0 && c.byPolicy, fleet.ReasonNoClusterSelected},
		{len(c.members) > 0 && d.gang, fleet.ReasonGang},
		{len(c.members) == 0 && c.silent > 0 && c.alive > 0, fleet.ReasonClusterUnreachable},
	} {
		if r.holds {
			reasons = append(reasons, fleet.Reason{Code: r.code})
		}
	}
	return reasons
}

// conclude says in one word how the resource would be placed, and why some of it would not.
func (q simulation) conclude(report *fleet.SimulationReport, c candidacy, d division, lacking int64) {
	var wanted int64
	for _, p := range d.parts {
		wanted = addUp(wanted, int64(p.replicas))
	}
	wanted = addUp(wanted, int64(d.rest))
	switch {
	case lacking == 0: // "0 replicas too"
		report.State = fleet.Placed
		return
	case lacking >= wanted:
		report.State = fleet.Pending
	default:
		report.State = fleet.PartlyPlaced
	}
	report.Pending = q.pending(lacking, c.reasons(d))
}

func (q simulation) pending(replicas int64, reasons []fleet.Reason) *fleet.PendingReplicas {
	return &fleet.PendingReplicas{Replicas: int(replicas), Since: q.now, Reasons: reasons}
}

// deliveries are what each cluster would receive: the resource with its part of the count. A cluster that gets nothing
// of what others get receives nothing; of a resource that is scaled to nothing every candidate receives that.
func (q simulation) deliveries(asked question, d division, counts fleet.Replicas) []fleet.Delivery {
	deliveries := []fleet.Delivery{}
	completions := shareCompletions(asked.strategy, d, counts.Completions)
	for i, p := range d.parts {
		if p.replicas == 0 && counts.Count > 0 {
			continue
		}
		part := fleet.Replicas{Count: int64(p.replicas)}
		if completions != nil {
			part.Completions = &completions[i]
		}
		deliveries = append(deliveries, fleet.Delivery{Cluster: p.cluster, Object: q.Resource.Deliver(part)})
	}
	return deliveries
}

// shareCompletions divides a Job's completions "by the same rule" over the clusters that run some of it: by the policy's
// weights where these decide, else as its parallelism was divided. Duplicated ones are whole on each.
func shareCompletions(by strategy, d division, completions *int64) []int64 {
	if completions == nil {
		return nil
	}
	idle := !slices.ContainsFunc(d.parts, func(p part) bool { return p.replicas > 0 })
	shared := make([]int64, len(d.parts))
	candidates := make([]candidate, len(d.parts))
	for i, p := range d.parts {
		shared[i] = *completions
		candidates[i] = candidate{cluster: p.cluster, available: unlimited, weight: int64(p.replicas)}
		if (p.replicas > 0 || idle) && (d.basis == byWeight || d.basis == byEqual) {
			candidates[i].weight = p.weight
		}
	}
	if by == duplicated {
		return shared
	}
	divided := divide(question{namespace: d.namespace, name: d.name, replicas: int(*completions), strategy: staticWeight, candidates: candidates})
	for i, p := range divided.parts {
		shared[i] = int64(p.replicas)
	}
	return shared
}
