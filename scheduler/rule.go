package scheduler

import "odysseus/fleet"

// place is a pair of values that nodes advertise. Places have small numbers, so that a verdict is one load.
type place struct {
	fleet.Geo
	id      int
	classes int // classes at this place; the number is free again at 0
}

// rule is a requirement, compiled: its verdict on every place that some node advertises. Deployments with equal
// requirements share one.
type rule struct {
	requirement fleet.Requirement
	key         string
	labels      map[string]string
	// passes holds the geo filter's verdict by place, whether enforcement is on or not.
	passes []bool
	// undeclared names the region that the requirement asks for and that is not declared.
	undeclared string
	pools      int // pools that use the rule; it is forgotten at 0
	// groups are those of the rule's waiting deployments: see waiting.go.
	groups   []*group
	sleeping int // index in picture.sleeping, -1 where nobody waits
}

// rule answers the compiled requirement of labels.
func (p *picture) rule(labels map[string]string) *rule {
	req := fleet.RequirementOf(labels)
	key := req.Key()
	if r, ok := p.rules[key]; ok {
		return r
	}
	r := &rule{requirement: req, key: key, labels: labels, sleeping: -1}
	r.compile(p.regions, p.places)
	p.rules[key] = r
	return r
}

// compile computes every verdict afresh, and says whether one changed and whether the region came to be declared or
// ceased to be.
func (r *rule) compile(regions declared, places []*place) (verdict, declaration bool) {
	if u := regions.undeclared(r.requirement); u != r.undeclared {
		r.undeclared, declaration = u, true
	}
	if len(r.passes) < len(places) {
		r.passes = append(r.passes, make([]bool, len(places)-len(r.passes))...)
	}
	for id, at := range places {
		if at == nil {
			continue
		}
		pass := satisfies(r.requirement, regions, at.Geo)
		verdict = verdict || pass != r.passes[id]
		r.passes[id] = pass
	}
	return verdict, declaration
}

// refusesAny says whether the rule makes a difference to any place there is.
func (r *rule) refusesAny(places []*place) bool {
	for id, at := range places {
		if at != nil && !r.passes[id] {
			return true
		}
	}
	return false
}

// placeOf answers the place of a pair of values, and has every rule judge it when it is new.
func (p *picture) placeOf(geo fleet.Geo) *place {
	if at, ok := p.placeByGeo[geo]; ok {
		return at
	}
	at := &place{Geo: fleet.Geo{Country: p.intern(geo.Country), Region: p.intern(geo.Region)}}
	if last := len(p.freePlaces) - 1; last >= 0 {
		at.id, p.freePlaces = p.freePlaces[last], p.freePlaces[:last]
		p.places[at.id] = at
	} else {
		at.id = len(p.places)
		p.places = append(p.places, at)
	}
	p.placeByGeo[at.Geo] = at
	for _, r := range p.rules {
		if len(r.passes) < len(p.places) {
			r.passes = append(r.passes, make([]bool, len(p.places)-len(r.passes))...)
		}
		r.passes[at.id] = satisfies(r.requirement, p.regions, at.Geo)
	}
	return at
}

// release gives the place's number back once no class is there: agents choose these values, and must not be able
// to make the tables grow without end.
func (p *picture) release(at *place) {
	if at.classes--; at.classes > 0 {
		return
	}
	delete(p.placeByGeo, at.Geo)
	p.places[at.id] = nil
	p.freePlaces = append(p.freePlaces, at.id)
}
