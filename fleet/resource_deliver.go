package fleet

import (
	"encoding/json"
	"slices"
	"strconv"
)

// setByServer are the keys of metadata that a control plane sets: "no part of" what a cluster receives.
func setByServer() []string {
	return []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}
}

// Deliver writes the resource as a cluster receives it: as it stands, with its namespace, without what a server sets.
// "A count is written into it only where Divided changed it": n's are compared with what the resource says, and left
// as they are where they are equal.
func (r *Resource) Deliver(n Replicas) json.RawMessage {
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 {
		return r.Object // it was written by us, from a document within the limits
	}
	root := roots[0]
	if metadata := root.get("metadata"); metadata != nil {
		metadata.entries = slices.DeleteFunc(metadata.entries, func(e entry) bool { return slices.Contains(setByServer(), e.key) })
		if r.Namespace != "" {
			metadata.set("namespace", &value{kind: textValue, text: r.Namespace})
		}
	}
	if own, has, _ := countOf(root, r.APIVersion, r.Kind); has {
		if n.Count != own.Count {
			root.child("spec").set(countField(r.APIVersion, r.Kind), numberOf(n.Count))
		}
		if own.Completions != nil && n.Completions != nil && *own.Completions != *n.Completions {
			root.child("spec").set("completions", numberOf(*n.Completions))
		}
	}
	w := objectWriter{}
	w.write(root, "")
	return w.out.Bytes()
}

func numberOf(n int64) *value { return &value{kind: numberValue, text: strconv.FormatInt(n, 10)} }

// child is the map under the key, made where there is none.
func (v *value) child(key string) *value {
	c := v.get(key)
	if c == nil || c.kind != mapValue {
		c = &value{kind: mapValue}
		v.set(key, c)
	}
	return c
}

// set puts the value under the key, in the place of what stands there or behind all others.
func (v *value) set(key string, to *value) {
	for i := range v.entries {
		if v.entries[i].key == key {
			v.entries[i].value = to
			return
		}
	}
	v.entries = append(v.entries, entry{key: key, value: to})
}
