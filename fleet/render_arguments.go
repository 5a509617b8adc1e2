package fleet

import "slices"

// arguments changes the commands, or the arguments, of the containers of a name, init containers too: add appends, remove
// drops every equal item, and leaves an empty list behind, as Karmada has it. "An unknown container blocks, it is not
// skipped."
func (r *renderer) arguments(key string, overriders []ArgumentsOverrider) *RenderError {
	for i := range overriders {
		o, field := &overriders[i], joinIndex(key+"Overrider", i)
		found := slices.DeleteFunc(containersOf(r.doc), func(c container) bool { return c.at.textOf("name") != o.ContainerName })
		if len(found) == 0 {
			return r.blocked(field+".containerName", &misfit{class: ClassMissing, detail: detailContainer, args: map[string]string{"Container": o.ContainerName}})
		}
		for _, c := range found {
			list, here := c.at.get(key), pointerTo(append(c.path, key))
			if list.null() {
				list = &value{kind: listValue}
				c.at.set(key, list)
			}
			if list.kind != listValue {
				return r.blocked(field, &misfit{class: ClassWrongType, detail: detailType, path: here, args: map[string]string{"Got": list.kind.String(), "Want": listValue.String()}})
			}
			before := len(list.items)
			if o.Operator == OverrideAdd {
				for _, text := range o.Value {
					list.items = append(list.items, &value{kind: textValue, text: text})
				}
			} else {
				list.items = slices.DeleteFunc(list.items, func(v *value) bool { return v.kind == textValue && slices.Contains(o.Value, v.text) })
			}
			if len(list.items) == before {
				r.note(NoteNothingChanged, field, here)
			}
		}
	}
	return nil
}
