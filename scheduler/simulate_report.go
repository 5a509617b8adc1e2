package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// conclude says in one word how the resource would be placed, and why some of it would not.
func (q simulation) conclude(report *fleet.SimulationReport, c candidacy, d division, lacking int64, full []string) {
	var wanted int64
	for _, at := range report.Clusters {
		wanted = addUp(wanted, int64(at.Desired))
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
	reasons := append(c.reasons(d.gang, false, len(full) > 0 || d.rest > 0, full), c.blocked...)
	sortReasons(reasons)
	report.Pending = q.pending(lacking, reasons)
}

func (q simulation) pending(replicas int64, reasons []fleet.Reason) *fleet.PendingReplicas {
	return &fleet.PendingReplicas{Replicas: int(replicas), Since: q.now, Reasons: reasons}
}

// deliveries are what each cluster would receive: the resource with its part of the count, overrides applied where a
// policy distributes it. A cluster that gets nothing of what others get receives nothing; of a resource that is scaled
// to nothing every candidate receives that.
func (q simulation) deliveries(asked question, d division, counts fleet.Replicas, members []member) []fleet.Delivery {
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
		delivered := q.Resource
		delivered.Object = q.Resource.Deliver(part)
		to := fleet.Delivery{Cluster: p.cluster, Object: delivered.Object, Before: delivered.Object}
		if q.distributed {
			out := fleet.Render(&delivered, members[i].Cluster, q.Overrides)
			to.Object, to.Applied, to.Err, to.Notes, to.Steps = out.Object, out.Applied, out.Err, out.Notes, out.Steps
		}
		deliveries = append(deliveries, to)
	}
	return deliveries
}

// overridden takes over into a cluster's part what overrides decide there, and answers what blocks it.
func (q simulation) overridden(at *fleet.PlacementCluster, deliveries []fleet.Delivery) *fleet.RenderError {
	i := slices.IndexFunc(deliveries, func(to fleet.Delivery) bool { return to.Cluster == at.Name })
	if i < 0 {
		return nil
	}
	to := deliveries[i]
	for _, rule := range to.Applied {
		if name := rule.Policy.String(); !slices.Contains(at.Overrides, name) {
			at.Overrides = append(at.Overrides, name)
		}
	}
	if to.Err != nil {
		at.Overrides = append(at.Overrides, to.Err.Policy.String())
		return to.Err
	}
	rendered := q.Resource
	rendered.Object = to.Object
	if counts, counted := rendered.Replicas(); counted && int(counts.Count) != at.Desired {
		divided := at.Desired
		at.Divided, at.Desired = &divided, int(counts.Count)
	}
	return nil
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
