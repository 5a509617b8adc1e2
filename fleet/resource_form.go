package fleet

import (
	"encoding/json"
	"slices"
	"time"
)

// AsStored is the object as it is stored: with its namespace, without what a server sets in metadata and without a
// status, which "are accepted and not read", so that what GET answers can be sent back.
func (r *Resource) AsStored() json.RawMessage {
	root := r.tree()
	if root == nil {
		return r.Object
	}
	root.remove("status")
	metadata := root.child("metadata")
	metadata.remove(setByServer()...)
	if r.Namespace != "" {
		metadata.set("namespace", &value{kind: textValue, text: r.Namespace})
	}
	return root.json()
}

// Answered is the object as it is shown: what the control plane sets completed, and the given status beside it, which
// is left out where it is nil.
func (s *StoredResource) Answered(status any) (json.RawMessage, error) {
	root := s.tree()
	if root == nil {
		return s.Object, nil
	}
	metadata := root.child("metadata")
	for key, text := range map[string]string{"uid": s.UID, "resourceVersion": s.ResourceVersion, "creationTimestamp": s.CreationTimestamp.UTC().Format(time.RFC3339Nano)} {
		metadata.remove(key)
		if text == "" || key == "creationTimestamp" && s.CreationTimestamp.IsZero() {
			continue
		}
		metadata.set(key, &value{kind: textValue, text: text})
	}
	metadata.set("generation", numberOf(s.Generation))
	metadata.sort("name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "labels", "annotations")
	root.remove("status")
	if status != nil {
		raw, err := json.Marshal(status)
		if err != nil {
			return nil, err
		}
		roots, fault := parseJSON(raw)
		if fault == nil && len(roots) == 1 {
			root.set("status", roots[0])
		}
	}
	return root.json(), nil
}

// tree of the object; nil where it is larger than a document may be, which none is that was decoded.
func (r *Resource) tree() *value {
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 || roots[0].kind != mapValue {
		return nil
	}
	return roots[0]
}

func (v *value) json() json.RawMessage {
	w := objectWriter{}
	w.write(v, "")
	return w.out.Bytes()
}

func (v *value) remove(keys ...string) {
	v.entries = slices.DeleteFunc(v.entries, func(e entry) bool { return slices.Contains(keys, e.key) })
}

// sort puts the named keys first, in that order, and leaves the others in theirs.
func (v *value) sort(first ...string) {
	slices.SortStableFunc(v.entries, func(a, b entry) int { return rankIn(first, a.key) - rankIn(first, b.key) })
}

func rankIn(first []string, key string) int {
	if i := slices.Index(first, key); i >= 0 {
		return i
	}
	return len(first)
}

// SameObject says whether two resources mean the same: the order of a map's keys does not matter, and null is left out.
// Without metadata it is about what they ask for alone.
func SameObject(a, b *Resource, metadata bool) bool {
	x, y := a.tree(), b.tree()
	if !metadata {
		for _, root := range []*value{x, y} {
			if root != nil {
				root.remove("metadata")
			}
		}
	}
	return sameValue(x, y)
}
