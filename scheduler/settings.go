package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"odysseus/fleet"
)

// setSettings takes the settings over and queues the deployments that they touch: every member of a pool whose
// requirement has another effect than before on some node that it may use.
func (p *picture) setSettings(g fleet.GeoAwareness) {
	toggled := p.settings.Enabled != g.Enabled
	moving := p.settings.OnDrift != g.OnDrift
	p.adopt(g)
	changed := map[*rule]bool{}
	for _, r := range p.rules {
		before := r.refusesAny(p.places)
		verdict, declaration := r.compile(p.regions, p.places)
		switch {
		case declaration, verdict && p.settings.Enabled, toggled && (before || r.refusesAny(p.places)):
			changed[r] = true
		}
	}
	for _, l := range p.sortedPools() {
		for _, d := range l.members {
			// While a decision is being stored the status may not yet say that something drifts.
			drifts := d.committing || d.status != nil && d.status.Drifting > 0
			if changed[l.rule] || moving && drifts {
				p.enqueue(d)
			}
		}
	}
}

// sortedPools lists the pools in one order, whatever the map's is.
func (p *picture) sortedPools() []*pool {
	pools := make([]*pool, 0, len(p.pools))
	for _, l := range p.pools {
		pools = append(pools, l)
	}
	slices.SortFunc(pools, func(a, b *pool) int {
		return cmp.Or(strings.Compare(a.tenant, b.tenant), strings.Compare(a.rule.key, b.rule.key), strings.Compare(a.ownerUID(), b.ownerUID()))
	})
	return pools
}
