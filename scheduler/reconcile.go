package scheduler

import "slices"

// change is what must happen to one deployment's containers, before it is known where new ones can go.
type change struct {
	surplus []slot       // scaled away, with all their containers
	stops   []*container // not needed any more, whatever else happens
	// took counts the stops whose replacement has taken over.
	took    int
	missing int    // replicas without any container
	moves   []slot // to be replaced at once
	rollout []slot // outdated, in the order in which they are replaced
	// rolling: a replacement for an outdated replica is on its way, so the next has to wait.
	rolling bool
}

// reconcile compares what is with what is wanted. It takes out of the survey what is not, divides the count over the
// candidates, and leaves what a decision has to do.
func (p *picture) reconcile(d *deployment, v *survey, t *target) change {
	var ch change
	v.park(t.leaving)
	if t.waits == "" {
		t.hold(p, d, v)
	}
	ch.surplus = p.ditch(d, v, t)
	if t.waits != "" {
		return ch
	}
	t.hold(p, d, v)
	p.divide(d, t, func(c *cluster) int64 { return p.roomCounted(c, d.pool.rule, d.need.Amount) })
	ch.surplus = append(ch.surplus, p.surplus(v, t)...)
	ch.missing = max(0, t.total-len(v.slots))
	for _, s := range v.slots {
		p.supersede(d, v, s, &ch)
		switch {
		case s.standing == outdated:
			ch.rollout = append(ch.rollout, s)
		case s.standing > outdated:
			ch.moves = append(ch.moves, s)
		}
	}
	// Lost ones first, and of the outdated those first that are outside what the new revision requires.
	slices.SortStableFunc(ch.moves, func(a, b slot) int { return int(b.standing) - int(a.standing) })
	slices.SortStableFunc(ch.rollout, func(a, b slot) int { return oneIf(p.outside(b.keep)) - oneIf(p.outside(a.keep)) })
	return ch
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// supersede decides on the containers that share a replica number with the one that counts.
func (p *picture) supersede(d *deployment, v *survey, s slot, ch *change) {
	for _, c := range v.of(s) {
		if c == s.keep {
			continue
		}
		st := p.standing(d, c)
		switch {
		case s.standing != settled, st == settled:
			// Two of a kind: a replacement that itself is outdated or in the wrong place is stopped at once; where an old
			// one came right again, one of the two is enough.
			ch.stops = append(ch.stops, c)
		case s.keep.ready():
			ch.stops = append(ch.stops, c)
			ch.took++
		case st == lost || c.node.drainOver:
			// Nothing to wait for: it does not serve, or its grace has ended, "reported or not".
			ch.stops = append(ch.stops, c)
			ch.took++
		case st == outdated:
			ch.rolling = true
		}
	}
}

// replacedAtOnce says whether the old container stops as soon as its replacement is assigned.
func (p *picture) replacedAtOnce(s slot) bool {
	return s.standing == lost || s.keep.node.drainOver
}
