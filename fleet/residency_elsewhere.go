package fleet

import (
	"maps"
	"slices"
	"strings"
)

// residencyElsewhere refuses reserved keys wherever a resource can have labels or annotations: its own metadata, and
// that of the pods and jobs that it is a template of. "A manifest that sets any of them itself, anywhere labels can be
// written (metadata, pod templates), is refused": a label there would constrain nothing, silently. The faults are located.
func residencyElsewhere(root *value, apiVersion, kind string) FieldErrors {
	places := [][]string{nil}
	if template := podTemplatePath(apiVersion, kind); len(template) > 0 {
		places = append(places, template)
	}
	if isCronJob(apiVersion, kind) {
		places = append(places, jobTemplatePath)
	}
	var faults FieldErrors
	for _, path := range places {
		at := root
		for _, key := range path {
			at = at.get(key)
		}
		for _, set := range []string{"labels", "annotations"} {
			written := at.get("metadata").get(set)
			if written == nil {
				continue
			}
			field := strings.Join(append(slices.Clone(path), "metadata", set), ".")
			for _, e := range written.entries {
				if reservedLabel(e.key) {
					f := reservedElsewhere(field, e.key, e.value.quoted(), kind)
					f.Line, f.Column = e.line, e.column
					faults = append(faults, f)
				}
			}
		}
	}
	return faults
}

// reservedKeysOf refuses reserved keys in the metadata of a kind that has no place for residency.
func reservedKeysOf(m Metadata, kind string) FieldErrors {
	var faults FieldErrors
	for _, place := range []struct {
		field string
		set   map[string]string
	}{{"metadata.labels", m.Labels}, {"metadata.annotations", m.Annotations}} {
		for _, key := range slices.Sorted(maps.Keys(place.set)) {
			if reservedLabel(key) {
				faults = append(faults, reservedElsewhere(place.field, key, place.set[key], kind))
			}
		}
	}
	return faults
}

// reservedElsewhere refuses a reserved key of another kind than an odysseus/v1 Deployment. There is no block to print
// and no field to suggest: "residency is declared on odysseus/v1 Deployments; other kinds have no place for it".
func reservedElsewhere(field, key, text, kind string) FieldError {
	f := labelReserved(joinKey(field, key), key)
	f.Suggestion = ""
	if isResidencyLabel(key) {
		f.Code, f.Value, f.Want, f.Args = CodeLabelHandwritten, text, "residency_elsewhere", map[string]string{"Label": key, "Elsewhere": kind}
	}
	return f
}
