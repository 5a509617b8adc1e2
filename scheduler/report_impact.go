package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"odysseus/fleet"
)

// Impact is what a change of the settings would do, before it is saved. Verdicts are worked out once for each
// requirement and class of nodes; deployments are only looked at where one of these changes.
func (s *Scheduler) Impact(g fleet.GeoAwareness) fleet.Impact {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.picture
	regions := declaredRegions(g.Regions)
	impact := fleet.Impact{Drift: []fleet.Ref{}, MatchNothing: []fleet.Ref{}, Freed: []fleet.Ref{}}
	proposed := make([]bool, len(p.places))
	for _, l := range p.sortedPools() {
		for id, at := range p.places {
			proposed[id] = at != nil && (!g.Enabled || satisfies(l.rule.requirement, regions, at.Geo))
		}
		p.impactOn(l, g.Enabled, proposed, &impact)
	}
	for _, refs := range [...][]fleet.Ref{impact.Drift, impact.MatchNothing, impact.Freed} {
		slices.SortFunc(refs, func(a, b fleet.Ref) int {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		})
	}
	return impact
}

// impactOn adds what the proposed verdicts mean for one pool.
func (p *picture) impactOn(l *pool, enabled bool, proposed []bool, impact *fleet.Impact) {
	var matchedNow, matchedThen, opens bool
	for _, c := range p.clusterList {
		if c.live == 0 || !l.selects(c) {
			continue
		}
		for _, k := range c.classes {
			if k.live == 0 {
				continue
			}
			now, then := p.passes(l.rule, k), proposed[k.place.id]
			matchedNow = matchedNow || now
			matchedThen = matchedThen || then
			opens = opens || then && !now
		}
	}
	closes := false
	for id, at := range p.places {
		if at != nil && !proposed[id] && (!p.settings.Enabled || l.rule.passes[id]) {
			closes = true
		}
	}
	// What matched nothing under enforcement before is not news.
	starves := enabled && !matchedThen && (matchedNow || !p.settings.Enabled) && !l.rule.requirement.Empty()
	if !closes && !starves && !opens {
		return
	}
	for _, d := range l.members {
		if d.preserved {
			continue
		}
		if closes && p.wouldDrift(d, proposed) {
			impact.Drift = append(impact.Drift, d.ref)
		}
		if starves {
			impact.MatchNothing = append(impact.MatchNothing, d.ref)
		}
		if opens && d.lacking > 0 {
			impact.Freed = append(impact.Freed, d.ref)
		}
	}
}

// wouldDrift says whether a replica that is inside today would be outside.
func (p *picture) wouldDrift(d *deployment, proposed []bool) bool {
	return slices.ContainsFunc(d.containers, func(c *container) bool {
		return c.active() && !c.node.deleted && !p.outside(c) && !proposed[c.node.class.place.id]
	})
}
