package fleet

import "strconv"

// ResourceField is one field of a resource, as an override may name it.
type ResourceField struct {
	// Path is the JSON Pointer.
	Path string
	// Kind of what stands there: text, number, bool, null, list or map.
	Kind string
	// Value as text: a text by its content, any other scalar as written; empty for lists and maps. A Secret's values are
	// HiddenValue.
	Value string
	// Refused is the code that a change of the field is refused with in every override; empty where it may be made.
	Refused Code
}

// Fields of the resource's document, everything in it included, in the order in which it stands.
func (r *Resource) Fields() []ResourceField {
	hidden := r.Hidden()
	root := hidden.tree()
	if root == nil {
		return nil
	}
	own := r.APIVersion == APIVersion && r.Kind == KindDeployment
	var fields []ResourceField
	var walk func(v *value, path []string)
	add := func(v *value, path []string) {
		f := ResourceField{Path: pointerTo(path), Kind: v.kind.String()}
		f.Refused = outOfReach(jsonPointer(f.Path), own)
		if v.kind != listValue && v.kind != mapValue {
			f.Value = v.quoted()
		}
		fields = append(fields, f)
		walk(v, path)
	}
	walk = func(v *value, path []string) {
		for i, item := range v.items {
			add(item, append(path[:len(path):len(path)], strconv.Itoa(i)))
		}
		for _, e := range v.entries {
			add(e.value, append(path[:len(path):len(path)], e.key))
		}
	}
	walk(root, nil)
	return fields
}

// ResourceContainer is a container of a resource, as overrides name it.
type ResourceContainer struct {
	// Name is what commandOverrider and argsOverrider go by; empty for the one of an odysseus/v1 Deployment, which has none.
	Name string
	// ImagePath is what the predicate of an imageOverrider names it by, a JSON Pointer.
	ImagePath string
	Image     string
}

// Containers of the resource, init containers included, in the order in which they stand.
func (r *Resource) Containers() []ResourceContainer {
	root := r.tree()
	if root == nil {
		return nil
	}
	var all []ResourceContainer
	for _, path := range imagesOf(root) {
		at, why := pointedAt(root, path[:len(path)-1])
		if why != nil {
			continue // an odysseus/v1 Deployment has a spec
		}
		c := ResourceContainer{ImagePath: pointerTo(path), Image: at.textOf("image")}
		if len(path) > 2 {
			c.Name = at.textOf("name")
		}
		all = append(all, c)
	}
	return all
}
