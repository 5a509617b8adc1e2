package scheduler

import (
	"time"

	"odysseus/fleet"
)

// say begins the decision's events: what happened to nodes under the deployment's replicas, each once. A container
// remembers what was said of it, so that an event is written when something changes and not at every look.
func (p *picture) say(d *deployment, v *survey, l *plan, now time.Time) *events {
	said := &events{deployment: d, now: now}
	var newlyLost, newlyDraining int
	for _, c := range v.active {
		flags := c.flags &^ (saidLost | saidDraining)
		if !c.node.live {
			flags |= saidLost
		}
		if c.node.draining {
			flags |= saidDraining
		}
		if flags == c.flags {
			continue
		}
		fresh := flags &^ c.flags
		newlyLost += oneIf(fresh&saidLost != 0)
		newlyDraining += oneIf(fresh&saidDraining != 0)
		l.said = append(l.said, saidOf{c, flags & (saidLost | saidDraining)})
	}
	said.count(fleet.EventWarning, EventNodeLost, newlyLost)
	said.count(fleet.EventNormal, EventDraining, newlyDraining)
	return said
}

// sayDrift adds "the deployment shows the drift at once", once per real change: a container that came to be outside,
// or that is outside somewhere else than before. It answers how many stay outside after this decision.
func (p *picture) sayDrift(v *survey, l *plan, said *events) int {
	d := l.deployment
	outside := 0
	var fresh map[*place]int
	var order []*place
	for _, c := range v.active {
		var at *place
		if p.outside(c) && !c.is(leaving) {
			at = c.node.class.place
			outside++
		}
		if at == c.drift {
			continue
		}
		l.drifts = append(l.drifts, driftOf{c, at})
		if at == nil {
			continue
		}
		if fresh == nil {
			fresh = map[*place]int{}
		}
		if fresh[at] == 0 {
			order = append(order, at)
		}
		fresh[at]++
	}
	for _, at := range order {
		said.driftDetected(fresh[at], d.pool.rule.requirement, at.Geo)
	}
	if outside == 0 && d.status != nil && d.status.Drifting > 0 {
		said.add(fleet.EventNormal, EventDriftEnded, nil)
	}
	return outside
}
