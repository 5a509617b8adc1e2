package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// declared are the regions of this control plane: name to countries.
type declared map[string][]string

func declaredRegions(regions []fleet.Region) declared {
	d := make(declared, len(regions))
	for _, r := range regions {
		d[r.Name] = r.Countries
	}
	return d
}

// residencyFilter is the geo filter. Its verdicts are computed when a rule, a place or the settings change, and
// only looked up here.
var residencyFilter = filter{name: "residency", class: func(q query, c *class) fleet.Code {
	switch {
	case q.rule.passes[c.place.id]:
		return ""
	case q.rule.undeclared != "":
		return fleet.ReasonRegionUndeclared
	}
	return fleet.ReasonGeoMismatch
}}

// satisfies is the geo filter itself: "a pure function of the compiled labels, the declared regions and the
// node's two labels, and answers in this order".
func satisfies(r fleet.Requirement, regions declared, at fleet.Geo) bool {
	// 1. "enforced region, enforced country: a node must satisfy them whatever the tenant declares, and no tenant
	// declaration can loosen them".
	if r.EnforcedRegion != "" && !regions.hold(r.EnforcedRegion, at) {
		return false
	}
	if r.EnforcedCountry != "" && at.Country != r.EnforcedCountry {
		return false
	}
	// 2. "Satisfied, the filter accepts and stops: blocked countries are not evaluated. Not satisfied, it refuses".
	if r.Region != "" {
		return regions.hold(r.Region, at)
	}
	// 3. "the node's country must equal it".
	if r.Country != "" && at.Country != r.Country {
		return false
	}
	// 4. "a node that reports one of them is refused, and so is a node that reports no country, since it cannot
	// show that it is outside them".
	if len(r.BlockedCountries) > 0 && (at.Country == "" || slices.Contains(r.BlockedCountries, at.Country)) {
		return false
	}
	return true
}

// hold says whether a place is in the region: "a node whose geo-region label names it, or whose country is among
// the region's countries". A region that is no longer declared holds nothing, the node's own label included.
func (d declared) hold(region string, at fleet.Geo) bool {
	countries, ok := d[region]
	if !ok {
		return false
	}
	return at.Region == region || at.Country != "" && slices.Contains(countries, at.Country)
}

// undeclared is the region that r asks for and that is not declared; empty where there is none.
func (d declared) undeclared(r fleet.Requirement) string {
	for _, name := range [...]string{r.EnforcedRegion, r.Region} {
		if _, ok := d[name]; name != "" && !ok {
			return name
		}
	}
	return ""
}
