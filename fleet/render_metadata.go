package fleet

import (
	"maps"
	"slices"
)

// metadata changes the resource's own labels, or annotations, never a pod template's: add makes the map and overwrites,
// replace and remove leave alone what is not there, and remove looks at the key alone.
func (r *renderer) metadata(key string, overriders []MetadataOverrider) *RenderError {
	above := r.doc.get("metadata")
	for i := range overriders {
		o, field := &overriders[i], joinIndex(key+"Overrider", i)
		written := above.get(key)
		if above == nil || above.kind != mapValue || !written.null() && written.kind != mapValue {
			return r.blocked(field, &misfit{class: ClassWrongType, detail: detailType, path: "/metadata/" + key,
				args: map[string]string{"Got": kindOf(written).String(), "Want": mapValue.String()}})
		}
		for _, name := range slices.Sorted(maps.Keys(o.Value)) {
			before := above.get(key).get(name)
			to := &value{kind: textValue, text: o.Value[name]}
			switch {
			case o.Operator != OverrideAdd && before == nil, o.Operator != OverrideRemove && before != nil && identical(before, to):
				r.note(NoteNothingChanged, field, pointerTo([]string{"metadata", key, name}))
			case o.Operator == OverrideRemove:
				above.get(key).remove(name)
			default:
				above.child(key).set(name, to)
			}
		}
	}
	return nil
}

func kindOf(v *value) valueKind {
	if v == nil {
		return nullValue
	}
	return v.kind
}
