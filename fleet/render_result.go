package fleet

import "slices"

// finish holds what the rules left to the rules of what is written: "the patched result is validated again". An
// odysseus/v1 Deployment goes through the decoder and the one validator, any other resource through the reader of
// resources, which judges labels and counts.
func (r *renderer) finish() *RenderError {
	if r.doc == nil || len(r.result.Steps) == 0 {
		return nil
	}
	if nodes := MaxNodes; !r.doc.fits(MaxDepth, &nodes) {
		return r.blocked("", &misfit{class: ClassWrongType, detail: detailTooLarge})
	}
	doc := &Doc{root: r.doc}
	var faults FieldErrors
	if r.resource.APIVersion == APIVersion && r.resource.Kind == KindDeployment {
		d, decoded := DecodeDeployment(doc)
		// Regions are not looked up: the residency is the one that was written.
		validated, _ := ValidateDeployment(&d, nil)
		if faults = JoinFaults(decoded, doc.Locate(validated)); len(faults) == 0 {
			r.result.Deployment = &d
		}
	} else {
		_, faults = DecodeResource(doc, nil)
	}
	if len(faults) > 0 {
		return r.refused(faults)
	}
	r.result.Object = r.doc.json()
	return nil
}

// refused blocks by the first fault of the result, and names the rule that last changed what is at fault.
func (r *renderer) refused(faults FieldErrors) *RenderError {
	first := faults[0]
	class := ClassWrongType
	switch first.Code {
	case CodeRequired:
		class = ClassMissing
	case CodeImageInvalid:
		class = ClassImageParse
	}
	list := ""
	for _, step := range slices.Backward(r.result.Steps) {
		at := fieldAt(step.Path)
		if within(first.Field, map[string]bool{at: true}) || within(at, map[string]bool{first.Field: true}) {
			r.at, list = step.AppliedRule, step.List
			break
		}
	}
	blocked := r.blocked(list, &misfit{class: class, detail: detailRefused})
	for i := range faults {
		faults[i].Line, faults[i].Column = 0, 0 // nobody wrote that text
	}
	blocked.Faults = faults
	return blocked
}

// fieldAt writes a pointer as refusals do: spec.ports[0].containerPort.
func fieldAt(pointer string) string {
	field := ""
	for _, token := range jsonPointer(pointer).tokens() {
		if indexToken.MatchString(token) {
			field += "[" + token + "]"
		} else {
			field = joinKey(field, token)
		}
	}
	return field
}
