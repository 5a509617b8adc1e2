package fleet

import (
	"slices"
)

// DataKeys are the keys of a ConfigMap or Secret that a variable can be made of, sorted; nil of other kinds. Of a
// ConfigMap these are the texts: Kubernetes makes no variable of binaryData. A Secret's hidden values have keys too.
func (r *Resource) DataKeys() []string {
	var maps []string
	switch {
	case r.APIVersion == "v1" && r.Kind == KindConfigMap:
		maps = []string{"data"}
	case r.APIVersion == "v1" && r.Kind == KindSecret:
		maps = []string{"data", "stringData"}
	default:
		return nil
	}
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 {
		return nil
	}
	var keys []string
	for _, key := range maps {
		if data := roots[0].get(key); data != nil {
			for _, e := range data.entries {
				keys = append(keys, e.key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
