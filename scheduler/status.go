package scheduler

import (
	"strings"
	"time"

	"odysseus/fleet"
)

// conclude works out the deployment's status after the plan, and puts it into the decision where it differs from
// what is stored.
func (p *picture) conclude(l *plan, v *survey, drifting int, said *events, now time.Time) {
	d, t := l.deployment, l.target
	status := fleet.DeploymentStatus{
		State: l.heads.state(t.total), Replicas: t.total, Placed: l.heads.placed, Ready: v.ready(), Drifting: drifting,
		ObservedGeneration: d.generation, Revision: d.revision, ResidencyLabels: d.pool.rule.labels,
		UndeclaredRegion: d.pool.rule.undeclared,
	}
	switch {
	case !d.runs.counted:
		status.State, status.Replicas = p.stateWithout(d, t), 0
	case t.waits != "":
		status.State, status.Placed = fleet.Waiting, v.placed()
		l.heads.lacking = max(0, d.replicas-status.Placed)
	}
	if l.heads.lacking > 0 || t.troubled() {
		since := now
		status.PendingSince = &since
		if d.status != nil && d.status.PendingSince != nil {
			status.PendingSince = d.status.PendingSince // kept over edits that leave it pending
		}
		l.codes = codeList(p.codesOf(d, l))
		if d.codes != l.codes && d.codes != unsaid {
			said.troubled(l.heads.lacking, l.codes, t)
		}
	}
	if d.status == nil || d.unsure || !sameStatus(d.status, &status) {
		changed := status
		l.decision.Status = &changed
	}
}

// stateWithout is the state of a resource that has no replicas: it is wherever it goes, or nowhere.
func (p *picture) stateWithout(d *deployment, t *target) fleet.PlacementState {
	switch {
	case len(p.clustersWith(d, t)) > 0:
		return fleet.Placed
	case t.waits != "":
		return fleet.Waiting
	}
	return fleet.Pending
}

// codesOf the reasons for what the plan left without a place.
func (p *picture) codesOf(d *deployment, l *plan) []fleet.Code {
	t := l.target
	var codes []fleet.Code
	switch {
	case t.waits != "":
		codes = append(codes, t.waits)
	case t.policy == nil && d.runs.own && !l.gated:
		return p.shortage(d.pool.tenant, d.pool.rule).codes(true)
	default:
		for _, r := range p.reasonsOf(t, l.heads.lacking > 0, len(l.short) > 0 || t.division.rest > 0, nil) {
			codes = append(codes, r.Code)
		}
	}
	return codes
}

// placed counts the replicas on nodes that answer.
func (v *survey) placed() int {
	placed := 0
	for _, s := range v.slots {
		placed += oneIf(s.standing != lost)
	}
	return placed
}

// ready counts the replicas that serve, each once, after what the decision being made stops.
func (v *survey) ready() int {
	ready := 0
	for _, s := range v.slots {
		for _, c := range v.of(s) {
			if c.ready() && !c.is(leaving) {
				ready++
				break
			}
		}
	}
	return ready
}

// setStatus notes what the store has of the deployment; nil of one that is deleted. What drifts is summed up as it
// changes, so that nobody has to look at every deployment for it.
func (p *picture) setStatus(d *deployment, status *fleet.DeploymentStatus) {
	p.countDrift(d, -1)
	if d.status = status; d.deleted {
		d.status = nil
	}
	p.countDrift(d, 1)
}

func (p *picture) countDrift(d *deployment, step int) {
	if d.status != nil && d.status.Drifting > 0 {
		p.driftingReplicas += step * d.status.Drifting
		p.driftingDeployments += step
	}
}

func sameStatus(a, b *fleet.DeploymentStatus) bool {
	return a.State == b.State && a.Replicas == b.Replicas && a.Placed == b.Placed && a.Ready == b.Ready && a.Drifting == b.Drifting &&
		sameTime(a.PendingSince, b.PendingSince) && a.ObservedGeneration == b.ObservedGeneration && a.Revision == b.Revision &&
		a.UndeclaredRegion == b.UndeclaredRegion
}

func sameTime(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

func codeList(codes []fleet.Code) string {
	texts := make([]string, len(codes))
	for i, c := range codes {
		texts[i] = string(c)
	}
	return strings.Join(texts, ",")
}
