package fleet

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// residencyLabels are what the typed block compiles to, in the order of the block's keys.
var residencyLabels = []string{LabelResidencyCountry, LabelResidencyRegion, LabelBlockedCountries}

// reservedLabel says whether a tenant may not write the key: everything under odysseus.io/, and, under any other
// prefix or none, a name that is one of the three or within two edits of one, since it was surely meant to be.
func reservedLabel(key string) bool {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	if strings.EqualFold(prefix+"/", LabelPrefix) {
		return true
	}
	return meantLabel(name) != ""
}

// meantLabel is the residency label that a name part is, or is a misspelling of; empty for none.
func meantLabel(name string) string {
	name = strings.ToLower(name)
	for _, label := range residencyLabels {
		own := strings.TrimPrefix(label, LabelPrefix)
		if abs(len(own)-len(name)) <= maxEdits && levenshtein.ComputeDistance(own, name) <= maxEdits {
			return label
		}
	}
	return ""
}

// ReservedLabelFaults are refused keys of any map of labels that somebody writes, on a cluster for example; the
// path is the map's. Residency itself is declared on Deployments only, so there is no block to print here.
func ReservedLabelFaults(path string, set map[string]string) FieldErrors {
	var faults FieldErrors
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if reservedLabel(key) {
			faults = append(faults, labelReserved(joinKey(path, key), key))
		}
	}
	return faults
}

func labelReserved(at, key string) FieldError {
	f := FieldError{Code: CodeLabelReserved, Field: at, Value: key, Want: "label_not_reserved", AtKey: true}
	_, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		name = key
	}
	switch meantLabel(name) {
	case LabelResidencyCountry:
		f.Suggestion = "spec.placement.residency.country"
	case LabelResidencyRegion:
		f.Suggestion = "spec.placement.residency.region"
	case LabelBlockedCountries:
		f.Suggestion = "spec.placement.residency.blockedCountries"
	}
	return f
}
