package scheduler

import (
	"cmp"
	"slices"

	"odysseus/fleet"
)

// standing says how right a container is where it is and as it is; the higher, the less so.
type standing uint8

const (
	// settled: nothing has to happen to it. A replica that drifts while on_drift is report is settled, and shown.
	settled standing = iota
	// outdated: of an older revision that asked for something else, or outside what the newer one requires.
	// Replaced one at a time; everything below is replaced at once.
	outdated
	// drifting: outside its residency, while on_drift is reschedule.
	drifting
	// draining: its node is being emptied.
	draining
	// evicted: its cluster is no longer granted to the tenant.
	evicted
	// lost: its node is silent.
	lost
)

// slot is one replica number with the containers that hold it: more than one while one replaces the other.
type slot struct {
	number   int32
	from, to int32      // in survey.active
	keep     *container // the one that counts
	standing standing   // of keep
}

// survey is a deployment's containers, sorted out.
type survey struct {
	active []*container // by replica number, then counter
	gone   []*container
	slots  []slot
	// parked slots count for nothing: see target.leaving.
	parked []slot
	order  []expendable // of reconcile_scale.go
}

// outside says whether the container runs where its deployment's requirement does not allow it, under enforcement.
func (p *picture) outside(c *container) bool {
	d, n := c.deployment, c.node
	return p.settings.Enabled && d.pool != nil && !n.deleted && !d.pool.rule.passes[n.class.place.id]
}

// adopts says whether an older container is all that the newest revision asks for: then its revision moves up, and
// nothing restarts.
func (p *picture) adopts(d *deployment, c *container) bool {
	n, known := d.wanted(c.node.class.cluster)
	switch {
	case c.revision == d.revision, p.outside(c), !known, n != int64(c.rendering):
		return false
	}
	return n > 0 || c.revision >= d.template
}

// outdated says whether the container is of an older revision that asked for something else, or outside what the newer
// one requires.
func (p *picture) outdated(d *deployment, c *container) bool {
	n, known := d.wanted(c.node.class.cluster)
	switch {
	case !known:
		return false // an override does not apply: "what runs there stays"
	case n != int64(c.rendering):
		return true
	}
	return c.revision < d.revision && !p.adopts(d, c)
}

func (p *picture) standing(d *deployment, c *container) standing {
	n := c.node
	switch {
	case d.runs.job && c.state == exited:
		return settled // it has done its work
	case !n.live:
		return lost
	case d.ref.Tenant != "" && !n.class.cluster.grants(d.ref.Tenant):
		return evicted
	case n.draining:
		return draining
	case p.outdated(d, c):
		return outdated
	case p.settings.OnDrift == fleet.OnDriftReschedule && p.outside(c):
		return drifting
	}
	return settled
}

// take sorts out the deployment's containers. Those of a decision that is still being stored count only when
// tentative is set.
func (v *survey) take(p *picture, d *deployment, tentative bool) {
	v.active, v.gone, v.slots, v.parked = v.active[:0], v.gone[:0], v.slots[:0], v.parked[:0]
	for _, c := range d.containers {
		switch {
		case c.is(uncommitted) && !tentative:
		case c.gone():
			v.gone = append(v.gone, c)
		case c.active():
			v.active = append(v.active, c)
		}
	}
	slices.SortFunc(v.active, func(a, b *container) int {
		return cmp.Or(cmp.Compare(a.replica, b.replica), cmp.Compare(a.seq, b.seq))
	})
	for i := 0; i < len(v.active); {
		s := slot{number: v.active[i].replica, from: int32(i), keep: v.active[i], standing: p.standing(d, v.active[i])}
		for i++; i < len(v.active) && v.active[i].replica == s.number; i++ {
			c := v.active[i]
			if st := p.standing(d, c); preferred(c, st, s.keep, s.standing) {
				s.keep, s.standing = c, st
			}
		}
		s.to = int32(i)
		v.slots = append(v.slots, s)
	}
}

// preferred says whether c rather than the older o counts for their replica number.
func preferred(c *container, cs standing, o *container, os standing) bool {
	switch {
	case cs == settled || os == settled:
		if cs != os {
			return cs == settled
		}
		return c.ready() && !o.ready()
	case (cs == lost) != (os == lost):
		return os == lost
	case c.ready() != o.ready():
		return c.ready()
	}
	return c.ready() && c.revision > o.revision
}

// of lists the slot's containers.
func (v *survey) of(s slot) []*container { return v.active[s.from:s.to] }
