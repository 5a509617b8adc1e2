package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// conclude says in one word how the resource would be placed, and why some of it would not.
func (q simulation) conclude(report *fleet.SimulationReport, c candidacy, d division, lacking int64, full []string) {
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
	report.Pending = q.pending(lacking, c.reasons(d.gang, false, true, full))
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
