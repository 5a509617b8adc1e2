package scheduler

import (
	"math"
	"slices"
	"time"

	"odysseus/fleet"
)

// placementUnder reports on what a policy spreads over clusters, and on resources that wait for one. It binds and divides
// as a decision would now, without deciding anything.
func (p *picture) placementUnder(d *deployment, v *survey, detail bool) fleet.PlacementReport {
	now := p.steady(p.lease.last)
	t := p.bind(d, v, now)
	report := fleet.PlacementReport{Clusters: []fleet.PlacementCluster{}, Policy: t.binding.Policy, Unmanaged: t.binding.Kept, Drift: p.driftOf(d, v)}
	for _, o := range t.claim.Outranking {
		report.Outranking = append(report.Outranking, o.Ref())
	}
	v.park(t.leaving)
	if t.waits == "" {
		t.hold(p, d, v)
		p.divide(d, &t, func(c *cluster) int64 { return p.roomNow(c, d.pool.rule, d.need.Amount, math.MaxInt64) })
		report.Excluded = t.candidacy.excluded()
	}
	report.Clusters = p.partsOf(d, v, &t, detail)
	if !d.runs.counted {
		p.concludeWithout(d, &t, &report)
		return report
	}
	heads := p.headcountNow(d, v, t.total)
	report.State = heads.state(t.total)
	if t.waits != "" {
		report.State, heads.lacking = fleet.Waiting, max(0, d.replicas-v.placed())
	}
	p.pendingUnder(d, v, &t, &report, heads.lacking, detail)
	return report
}

// pendingUnder adds why replicas have no place, or stay in one that a person has to look at.
func (p *picture) pendingUnder(d *deployment, v *survey, t *target, report *fleet.PlacementReport, lacking int, detail bool) {
	manual := t.manual()
	if lacking == 0 && !t.troubled() && t.waits == "" {
		return
	}
	var full []string
	for _, q := range t.parts {
		if q.gate == nil && q.blocked == nil && q.short() > 0 && p.roomNow(q.cluster, d.pool.rule, d.need.Amount, int64(q.short())) < int64(q.short()) {
			full = append(full, q.cluster.name)
		}
	}
	pending := fleet.PendingReplicas{Replicas: lacking, Since: d.pendingSince()}
	if t.waits != "" {
		pending.Reasons = waiting(t.waits, t.claim.Policy, p.overrides.exists)
	} else {
		pending.Reasons = p.reasonsOf(t, lacking > 0, lacking > 0 && (len(full) > 0 || t.division.rest > 0 || d.blocked), full)
	}
	if lacking == 0 {
		for _, s := range v.slots {
			pending.Replicas += oneIf(!s.keep.ready() && slices.Contains(manual, s.keep.node.class.cluster.name))
		}
	}
	if detail && len(pending.Reasons) > 0 && t.waits == "" {
		p.nameNodes(d, pending.Reasons, t.asks)
	}
	report.Pending = &pending
}

func (d *deployment) pendingSince() time.Time {
	if d.status != nil && d.status.PendingSince != nil {
		return *d.status.PendingSince
	}
	return d.changed
}

// concludeWithout says where a resource without replicas is.
func (p *picture) concludeWithout(d *deployment, t *target, report *fleet.PlacementReport) {
	on := p.clustersWith(d, t)
	report.Clusters = report.Clusters[:0]
	for _, name := range on {
		if c := p.clusters[name]; c != nil && (d.ref.Tenant == "" || c.grants(d.ref.Tenant)) {
			report.Clusters = append(report.Clusters, fleet.PlacementCluster{Name: name, Overrides: d.overriddenAt(c)})
		}
	}
	report.State = p.stateWithout(d, t)
	switch report.State {
	case fleet.Waiting:
		report.Pending = &fleet.PendingReplicas{Since: d.pendingSince(), Reasons: waiting(t.waits, t.claim.Policy, p.overrides.exists)}
	case fleet.Pending:
		report.Pending = &fleet.PendingReplicas{Since: d.pendingSince(), Reasons: p.reasonsOf(t, true, false, nil)}
	default:
		if t.troubled() {
			report.Pending = &fleet.PendingReplicas{Since: d.pendingSince(), Reasons: p.reasonsOf(t, false, false, nil)}
		}
	}
}

// reasonsOf why replicas have no place, in their order, each once, and what a person has to look at beside that.
func (p *picture) reasonsOf(t *target, lacking, short bool, full []string) []fleet.Reason {
	undeclared := false
	if p.settings.Enabled {
		undeclared = p.regions.undeclared(t.candidacy.required) != ""
	}
	reasons := []fleet.Reason{}
	if lacking {
		reasons = t.candidacy.reasons(t.division.gang, undeclared, short, full)
	}
	for _, q := range t.parts {
		if q.gate == nil || q.short() == 0 && !t.division.gang {
			continue
		}
		field := q.gate.Kind + " " + q.gate.Name
		if q.gate.Key != "" {
			field += ", key " + q.gate.Key
		}
		at := slices.IndexFunc(reasons, func(r fleet.Reason) bool { return r.Code == fleet.ReasonWaitingDependency && r.Field == field })
		if at < 0 {
			at = len(reasons)
			reasons = append(reasons, fleet.Reason{Code: fleet.ReasonWaitingDependency, Field: field})
		}
		reasons[at].Clusters = append(reasons[at].Clusters, q.cluster.name)
	}
	for _, q := range t.parts {
		if q.blocked != nil {
			reasons = append(reasons, fleet.Reason{Code: fleet.ReasonOverrideBlocked, Clusters: []string{q.cluster.name}, Blocked: q.blocked})
		}
	}
	if manual := t.manual(); len(manual) > 0 {
		reasons = append(reasons, fleet.Reason{Code: fleet.ReasonFailoverManual, Clusters: manual})
	}
	sortReasons(reasons)
	return reasons
}

func sortReasons(reasons []fleet.Reason) {
	slices.SortStableFunc(reasons, func(a, b fleet.Reason) int {
		return slices.Index(reasonOrder[:], a.Code) - slices.Index(reasonOrder[:], b.Code)
	})
}

// reasonOrder is the order in which reasons are given.
var reasonOrder = [...]fleet.Code{
	fleet.ReasonGeoMismatch, fleet.ReasonNoReachableNode, fleet.ReasonCapacity, fleet.ReasonNoClusterSelected, fleet.ReasonWaitingOverride,
	fleet.ReasonWaitingDependency, fleet.ReasonNoPolicy, fleet.ReasonOverrideBlocked, fleet.ReasonRegionUndeclared, fleet.ReasonFailoverManual,
	fleet.ReasonGang, fleet.ReasonClusterUnreachable, fleet.ReasonRuntimeUnsupported, fleet.ReasonMovedOff,
}

// partsOf lists the candidates with their parts, and the clusters that hold replicas beside them, by name.
func (p *picture) partsOf(d *deployment, v *survey, t *target, detail bool) []fleet.PlacementCluster {
	held := p.heldBy(d, v, detail)
	clusters := []fleet.PlacementCluster{}
	short := len(v.slots) < t.total
	for _, c := range p.clusterList {
		at, holds := held[c]
		i, found := t.candidate(c)
		if !found && !holds || !detail && d.ref.Tenant != "" && !c.grants(d.ref.Tenant) {
			continue
		}
		if found {
			m, part := t.candidacy.members[i], t.division.parts[i]
			at.Name, at.Desired, at.Divided = c.name, t.parts[i].desired, t.parts[i].divided
			at.Overrides = d.overriddenAt(c)
			if t.division.basis == byWeight || t.division.basis == byEqual {
				at.Weight = &part.weight
			}
			if detail {
				at.Available = p.roomNow(c, d.pool.rule, d.need.Amount, math.MaxInt64)
			} else {
				at.Available = p.available(d, m.of, at.Placed, short)
			}
		} else {
			at.Name, at.Desired = c.name, at.Placed
			if slices.ContainsFunc(t.candidacy.avoided, func(m member) bool { return m.of == c }) {
				at.Desired = 0
			}
		}
		clusters = append(clusters, at)
	}
	return clusters
}

// overriddenAt names the overrides that say something about the deployment on a cluster: "OverridePolicy demo/x".
func (d *deployment) overriddenAt(c *cluster) []string {
	x := d.rendered(c)
	if x == nil {
		return nil
	}
	names := make([]string, len(x.applied))
	for i, ref := range x.applied {
		names[i] = ref.String()
	}
	return names
}

// heldBy is what each cluster holds of the deployment.
func (p *picture) heldBy(d *deployment, v *survey, detail bool) map[*cluster]fleet.PlacementCluster {
	held := map[*cluster]*fleet.PlacementCluster{}
	part := func(c *cluster) *fleet.PlacementCluster {
		if held[c] == nil {
			held[c] = &fleet.PlacementCluster{Name: c.name}
		}
		return held[c]
	}
	for _, c := range v.active {
		part(c.node.class.cluster)
	}
	for _, s := range slices.Concat(v.slots, v.parked) {
		part(s.keep.node.class.cluster).Placed += oneIf(s.standing != lost)
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
	out := make(map[*cluster]fleet.PlacementCluster, len(held))
	for c, at := range held {
		out[c] = *at
	}
	return out
}
