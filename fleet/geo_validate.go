package fleet

import "strings"

// ValidateGeoAwareness holds an operator's declaration to the rules of residency.md "Regions". Fields are those
// of the JSON form, to be prefixed where the declaration came from a file.
func ValidateGeoAwareness(g GeoAwareness) FieldErrors {
	var faults FieldErrors
	if g.OnDrift != "" && g.OnDrift != OnDriftReport && g.OnDrift != OnDriftReschedule {
		accepted := []string{OnDriftReport, OnDriftReschedule}
		faults = append(faults, FieldError{Code: CodeNotAccepted, Field: "onDrift", Value: g.OnDrift, Want: "one_of",
			WantArgs: map[string]string{"Values": strings.Join(accepted, ", ")}, Suggestion: nearest(g.OnDrift, accepted)})
	}
	names := map[string]int{}
	for i, r := range g.Regions {
		at := joinIndex("regions", i)
		switch first, repeated := names[r.Name]; {
		case r.Name == "":
			faults = append(faults, FieldError{Code: CodeRequired, Field: at + ".name", Want: "region_name"})
		case repeated:
			faults = append(faults, FieldError{Code: CodeRegionRepeated, Field: at + ".name", Value: r.Name, Want: "distinct", Args: map[string]string{"First": joinIndex("regions", first) + ".name"}})
		case !IsLabelValue(r.Name):
			// It becomes the value of a label, on nodes and in the compiled requirement.
			faults = append(faults, FieldError{Code: CodeNameInvalid, Field: at + ".name", Value: r.Name, Want: "region_name"})
		default:
			names[r.Name] = i
		}
		if len(r.Description) > MaxDescription {
			faults = append(faults, FieldError{Code: CodeTooLong, Field: at + ".description", Value: r.Description, Want: "at_most_characters", WantArgs: map[string]string{"Limit": "500"}})
		}
		faults = append(faults, regionCountries(at, r)...)
	}
	return faults
}

// MaxDescription is the longest description of a region, in bytes.
const MaxDescription = 500

func regionCountries(at string, r Region) FieldErrors {
	if len(r.Countries) == 0 {
		return FieldErrors{{Code: CodeRegionWithoutCountry, Field: at + ".countries", Value: "[]", Want: "countries", Args: map[string]string{"Region": r.Name}}}
	}
	var faults FieldErrors
	first := map[string]int{}
	for j, country := range r.Countries {
		field := joinIndex(at+".countries", j)
		if before, repeated := first[country]; repeated {
			faults = append(faults, FieldError{Code: CodeCountryRepeated, Field: field, Value: country, Want: "distinct_countries", Args: map[string]string{"First": joinIndex(at+".countries", before)}})
			continue
		}
		first[country] = j
		if !CountryAssigned(country) {
			faults = append(faults, countryUnassigned(field, country))
		}
	}
	return faults
}
