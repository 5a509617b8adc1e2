package scheduler

import "odysseus/fleet"

// headcount counts a deployment's replicas by how they are placed. "Placed: every desired replica is assigned to a node,
// running or not": what stays where it is for want of a candidate is assigned, and shown as pending beside that.
type headcount struct {
	// placed are on a node that answers, whatever else is wrong with them.
	placed int
	// lacking have no acceptable place: they have no node, or stay on theirs for want of another. These are pending.
	lacking int
	// homeless are those of the lacking that do not count for the state: they have no node that answers, or what they
	// run is not what the newest revision asks for.
	homeless int
}

// state is a placement in one word.
func (h headcount) state(replicas int) fleet.PlacementState {
	switch {
	case h.homeless == 0:
		return fleet.Placed
	case h.homeless >= replicas:
		return fleet.Pending
	}
	return fleet.PartlyPlaced
}

// lack counts a replica that has to move at once and cannot.
func (h *headcount) lack(p *picture, d *deployment, s slot) {
	h.lacking++
	h.homeless += oneIf(s.standing == lost || p.outdated(d, s.keep))
}

// lackAltogether counts replicas that nothing serves for.
func (h *headcount) lackAltogether(n int) {
	h.lacking += n
	h.homeless += n
}

// headcountOf counts the replicas as they are after a decision that found nodes for so many.
func (p *picture) headcountOf(l *plan, v *survey, ch *change, found int) headcount {
	var h headcount
	fresh := min(ch.missing, found)
	h.placed = len(v.slots) + fresh
	h.lackAltogether(ch.missing - fresh)
	moved := min(len(ch.moves), found-fresh)
	for _, s := range ch.moves[moved:] {
		h.placed -= oneIf(s.standing == lost)
		h.lack(p, l.deployment, s)
	}
	if l.blocked {
		h.lackAltogether(len(ch.rollout))
	}
	return h
}

// headcountNow counts the lacking as the fleet is now; who is placed is counted by cluster. Whether outdated ones could be replaced is known only from the last
// decision.
func (p *picture) headcountNow(d *deployment, v *survey, total int) headcount {
	var h headcount
	h.lackAltogether(max(0, total-len(v.slots)))
	for _, s := range v.slots {
		switch {
		case s.standing > outdated:
			h.lack(p, d, s)
		case s.standing == outdated && d.blocked:
			h.lackAltogether(1)
		}
	}
	h.lacking, h.homeless = min(h.lacking, total), min(h.homeless, total)
	return h
}
