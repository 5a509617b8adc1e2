package fleet

import "slices"

// fingerprint is what no override may change: who the resource is, and where it may run. Whatever path, spelling or
// sequence of steps leads there, a rule that leaves another fingerprint behind is blocked.
type fingerprint struct {
	identity  []string
	residency []string
}

func fingerprintOf(root *value) fingerprint {
	metadata := root.get("metadata")
	var f fingerprint
	for _, part := range []*value{root.get("apiVersion"), root.get("kind"), metadata.get("name"), metadata.get("namespace")} {
		f.identity = append(f.identity, writtenAs(part))
	}
	f.residency = append(f.residency, writtenAs(root.get("spec").get("placement")))
	labels := reservedLabels(root, nil)
	slices.Sort(labels)
	f.residency = append(f.residency, labels...)
	return f
}

// writtenAs tells nothing from null.
func writtenAs(v *value) string {
	if v == nil {
		return ""
	}
	return string(v.json())
}

// reservedLabels are the reserved keys of every map of labels or annotations in a document, with their places and
// values.
func reservedLabels(v *value, path []string) []string {
	if v == nil {
		return nil
	}
	var found []string
	for _, item := range v.items {
		// An item that moves within its list is the same item.
		found = append(found, reservedLabels(item, append(path, "[]"))...)
	}
	above := ""
	if len(path) > 0 {
		above = path[len(path)-1]
	}
	for _, e := range v.entries {
		at := append(path, e.key)
		if reservedKey(above, e.key) {
			found = append(found, pointerTo(at)+"="+string(e.value.json()))
		}
		found = append(found, reservedLabels(e.value, at)...)
	}
	return found
}

// broken names the detail of what another fingerprint differs in; empty where it is the same.
func (f fingerprint) broken(after fingerprint) string {
	switch {
	case !slices.Equal(f.identity, after.identity):
		return detailIdentity
	case !slices.Equal(f.residency, after.residency):
		return detailResidency
	}
	return ""
}
