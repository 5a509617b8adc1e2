package fleet

import "strconv"

// container is one of a pod template, wherever in a resource that stands.
type container struct {
	path []string
	at   *value
}

// containers of a resource, in the order in which they stand: "every image of the resource, whatever its kind, init
// containers and CronJobs included". What is under status and metadata runs nothing.
func containersOf(root *value) []container {
	var found []container
	var walk func(v *value, path []string)
	walk = func(v *value, path []string) {
		for i, item := range v.items {
			walk(item, append(path[:len(path):len(path)], strconv.Itoa(i)))
		}
		for _, e := range v.entries {
			if len(path) == 0 && (e.key == "status" || e.key == "metadata") {
				continue
			}
			at := append(path[:len(path):len(path)], e.key)
			if holdsContainers(e.key) && e.value.kind == listValue {
				for i, item := range e.value.items {
					if item.kind == mapValue {
						found = append(found, container{append(at[:len(at):len(at)], strconv.Itoa(i)), item})
					}
				}
				continue
			}
			walk(e.value, at)
		}
	}
	walk(root, nil)
	return found
}

func holdsContainers(key string) bool {
	return key == "containers" || key == "initContainers" || key == "ephemeralContainers"
}

// imagesOf are the pointers to the images of a resource: of its containers, and of an odysseus/v1 Deployment its own.
func imagesOf(root *value) [][]string {
	var images [][]string
	if root.textOf("apiVersion") == APIVersion && root.textOf("kind") == KindDeployment {
		images = append(images, []string{"spec", "image"})
	}
	for _, c := range containersOf(root) {
		images = append(images, append(c.path, "image"))
	}
	return images
}

func (r *renderer) images(overriders []ImageOverrider) *RenderError {
	for i := range overriders {
		o, field := &overriders[i], joinIndex("imageOverrider", i)
		paths := imagesOf(r.doc)
		if o.Predicate != nil {
			path := jsonPointer(o.Predicate.Path)
			if len(path.faults("")) > 0 {
				return r.blocked(field+".predicate.path", &misfit{class: ClassPredicatePath, detail: detailPatch, path: string(path)})
			}
			paths = [][]string{path.tokens()}
		}
		for _, path := range paths {
			if why := r.image(o, field, path); why != nil {
				if o.Predicate != nil && why.class != ClassImageParse {
					return r.blocked(field+".predicate.path", &misfit{class: ClassPredicatePath, detail: why.detail, path: why.path, args: why.args})
				}
				return r.blocked(field, why)
			}
		}
		if len(paths) == 0 {
			r.note(NoteNothingChanged, field, "")
		}
	}
	return nil
}

// image changes the image at a path, and says where that came to nothing.
func (r *renderer) image(o *ImageOverrider, field string, path []string) *misfit {
	last := len(path) - 1
	above, why := pointedAt(r.doc, path[:last])
	if why != nil {
		return why
	}
	at, why := above.member(path[last])
	here := pointerTo(path)
	switch {
	case why != nil && o.Predicate == nil, at.null() && o.Predicate == nil:
		return &misfit{class: ClassImageParse, detail: detailNoImage, path: here} // "a container without an image blocks"
	case why != nil:
		why.path = here
		return why
	case at.kind != textValue:
		return &misfit{class: ClassWrongType, detail: detailType, path: here, args: map[string]string{"Got": at.kind.String(), "Want": textValue.String()}}
	}
	image, digestDropped, why := overrideImage(at.text, o.Component, o.Operator, o.Value)
	if why != nil {
		why.path = here
		return why
	}
	if digestDropped {
		r.note(NoteDigestDropped, field, here)
	}
	if image == at.text {
		r.note(NoteNothingChanged, field, here)
	}
	at.text = image
	return nil
}
