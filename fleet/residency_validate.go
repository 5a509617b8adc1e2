package fleet

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const residencyPath = "spec.placement.residency"

// declared is a residency with the field that each of its values came from: the typed block's, or a label that
// somebody wrote by hand. Both are held to the same rules, so that a refused label's value is judged as well.
type declared struct {
	Residency
	countryAt, regionAt string
	blockedAt           []string
	// beside are values that lost their place to another of the same key: judged, and printed nowhere.
	beside []declared
}

// validateResidency refuses what the typed block may not say and every label written by hand, and warns of what
// is accepted and may surprise.
func validateResidency(d *Deployment, g *GeoAwareness) (FieldErrors, []Warning) {
	faults, merged := handwritten(d.Metadata, d.Spec.Residency())
	faults = append(faults, merged.faults(g)...)
	for _, other := range merged.beside {
		faults = append(faults, other.faults(g)...)
	}
	return faults, merged.warnings(g)
}

// handwritten refuses each reserved label and annotation. Those that are one of the three are merged with the
// typed block into one residency, which every such refusal prints: put in place of the labels and of any
// placement, it removes the refusal.
func handwritten(m Metadata, typed *Residency) (FieldErrors, declared) {
	merged := declared{countryAt: residencyPath + ".country", regionAt: residencyPath + ".region"}
	if typed != nil {
		merged.Residency = Residency{Country: typed.Country, Region: typed.Region}
		for i, country := range typed.BlockedCountries {
			merged.block(country, joinIndex(residencyPath+".blockedCountries", i))
		}
	}
	var faults, byHand FieldErrors
	for _, place := range []struct {
		path string
		set  map[string]string
	}{{"metadata.labels", m.Labels}, {"metadata.annotations", m.Annotations}} {
		for _, label := range residencyLabels {
			v, written := place.set[label]
			if !written {
				continue
			}
			at := joinKey(place.path, label)
			fault := FieldError{Code: CodeLabelHandwritten, Field: at, Value: v, Want: "residency_block", AtKey: true, Args: map[string]string{"Label": label}}
			if strings.Trim(v, ", ") == "" {
				byHand = append(byHand, fault, FieldError{Code: CodeResidencyEmpty, Field: at, Value: v, Want: "residency_block"})
				continue
			}
			fault.Args["Other"] = merged.take(label, v, at)
			byHand = append(byHand, fault)
		}
		others := ReservedLabelFaults(place.path, place.set)
		for _, f := range others {
			if !isResidencyLabel(f.Value) {
				faults = append(faults, f)
			}
		}
	}
	if !merged.Empty() {
		fix := merged.printed()
		for i := range byHand {
			if byHand[i].Code == CodeLabelHandwritten {
				byHand[i].Fix = fix
			}
		}
	}
	return append(byHand, faults...), merged
}

func isResidencyLabel(key string) bool {
	return key == LabelResidencyCountry || key == LabelResidencyRegion || key == LabelBlockedCountries
}

// take adds a handwritten value, and answers what else was written for the same key, where the two differ. Of two
// values the block prints the handwritten one, which the refusal quotes, unless only the other is any good; both are
// judged.
func (d *declared) take(label, v, at string) (other string) {
	switch label {
	case LabelResidencyCountry:
		return d.takeOne(&d.Country, &d.countryAt, v, at, CountryAssigned)
	case LabelResidencyRegion:
		return d.takeOne(&d.Region, &d.regionAt, v, at, func(string) bool { return true })
	}
	typed := slices.Clone(d.BlockedCountries)
	for country := range strings.SplitSeq(v, ",") {
		country = strings.TrimSpace(country)
		if country != "" && !slices.Contains(typed, country) {
			d.block(country, at)
		}
	}
	return ""
}

func (d *declared) takeOne(slot, slotAt *string, v, at string, good func(string) bool) (other string) {
	loser, loserAt := v, at
	switch other = *slot; {
	case other == v:
		return ""
	case other == "":
		*slot, *slotAt = v, at
		return ""
	case good(v) || !good(other):
		loser, loserAt = *slot, *slotAt
		*slot, *slotAt = v, at
	}
	if slot == &d.Country {
		d.beside = append(d.beside, declared{Residency: Residency{Country: loser}, countryAt: loserAt})
	} else {
		d.beside = append(d.beside, declared{Residency: Residency{Region: loser}, regionAt: loserAt})
	}
	return other
}

func (d *declared) block(country, at string) {
	d.BlockedCountries = append(d.BlockedCountries, country)
	d.blockedAt = append(d.blockedAt, at)
}

// faults holds the values to the rules of the table in the reference, in the order of its keys.
func (d *declared) faults(g *GeoAwareness) FieldErrors {
	var faults FieldErrors
	if d.Country != "" && !CountryAssigned(d.Country) {
		faults = append(faults, countryUnassigned(d.countryAt, d.Country))
	}
	if d.Region != "" && g != nil {
		if _, ok := g.Region(d.Region); !ok {
			faults = append(faults, regionUndeclared(d.regionAt, d.Region, g))
		}
	}
	if d.Country != "" && d.Region != "" {
		faults = append(faults, FieldError{Code: CodeCountryAndRegion, Field: d.regionAt, Value: d.Region, Want: "country_or_region",
			Args: map[string]string{"Country": d.Country, "Region": d.Region}})
	}
	first := map[string]string{}
	for i, country := range d.BlockedCountries {
		at := d.blockedAt[i]
		switch before, repeated := first[country]; {
		case country == "":
			// the decoder refused the emptiness
		case repeated:
			faults = append(faults, FieldError{Code: CodeCountryRepeated, Field: at, Value: country, Want: "distinct_countries", Args: map[string]string{"First": before}})
		case !CountryAssigned(country):
			faults = append(faults, countryUnassigned(at, country))
		case country == d.Country:
			faults = append(faults, FieldError{Code: CodeContradiction, Field: at, Value: country, Want: "country_not_blocked", Args: map[string]string{"Country": country}})
		}
		if _, repeated := first[country]; !repeated {
			first[country] = at
		}
	}
	return faults
}

func regionUndeclared(at, name string, g *GeoAwareness) FieldError {
	f := FieldError{Code: CodeRegionUndeclared, Field: at, Value: name, Want: "region", Suggestion: nearest(name, g.RegionNames()),
		WantArgs: map[string]string{"Regions": strings.Join(g.RegionNames(), ", ")}}
	if len(g.Regions) == 0 {
		f.Want = "no_region"
	}
	return f
}

func (d *declared) warnings(g *GeoAwareness) []Warning {
	var warnings []Warning
	if d.Region != "" && len(d.BlockedCountries) > 0 {
		warnings = append(warnings, Warning{Code: CodeBlockedShadowed, Field: residencyPath + ".blockedCountries",
			Args: map[string]string{"Region": d.Region, "Blocked": strings.Join(d.BlockedCountries, ", ")}})
	}
	if d.Region != "" && g == nil {
		warnings = append(warnings, Warning{Code: CodeRegionUnchecked, Field: residencyPath + ".region", Args: map[string]string{"Region": d.Region}})
	}
	return warnings
}

// printed is the accepted form of a residency: YAML that starts in column 1 with "placement:", to go under
// "spec:".
func (r Residency) printed() string {
	root := mapping()
	residency := mapping()
	if r.Country != "" {
		put(residency, "country", scalar(r.Country))
	}
	if r.Region != "" {
		put(residency, "region", scalar(r.Region))
	}
	if len(r.BlockedCountries) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, c := range r.BlockedCountries {
			list.Content = append(list.Content, scalar(c))
		}
		put(residency, "blockedCountries", list)
	}
	placement := mapping()
	put(placement, "residency", residency)
	put(root, "placement", placement)
	return encodeYAML(root)
}
