package fleet

// renderer applies rules to a copy of one resource, for one cluster.
type renderer struct {
	resource *Resource
	// doc is the copy as the rules so far left it; nil before the first.
	doc *value
	// sealed is what no rule may change.
	sealed fingerprint
	// at is the rule that is being applied.
	at     AppliedRule
	result Rendered
}

// apply one rule: "inside a rule always image → command → args → labels → annotations → field → plaintext, whatever the
// order in the YAML; a list in its own order".
func (r *renderer) apply(at AppliedRule, o *Overriders) *RenderError {
	r.at = at
	if r.doc == nil {
		if r.doc = r.resource.tree(); r.doc == nil {
			return r.blocked("", &misfit{class: ClassWrongType, detail: detailTooLarge})
		}
		r.sealed = fingerprintOf(r.doc)
	}
	for _, list := range []struct {
		name string
		size int
		run  func() *RenderError
	}{
		{"imageOverrider", len(o.ImageOverrider), func() *RenderError { return r.images(o.ImageOverrider) }},
		{"commandOverrider", len(o.CommandOverrider), func() *RenderError { return r.arguments("command", o.CommandOverrider) }},
		{"argsOverrider", len(o.ArgsOverrider), func() *RenderError { return r.arguments("args", o.ArgsOverrider) }},
		{"labelsOverrider", len(o.LabelsOverrider), func() *RenderError { return r.metadata("labels", o.LabelsOverrider) }},
		{"annotationsOverrider", len(o.AnnotationsOverrider), func() *RenderError { return r.metadata("annotations", o.AnnotationsOverrider) }},
		{"fieldOverrider", len(o.FieldOverrider), func() *RenderError { return r.fields(o.FieldOverrider) }},
		{"plaintext", len(o.Plaintext), func() *RenderError { return r.plaintext(o.Plaintext) }},
	} {
		if list.size == 0 {
			continue
		}
		before := r.doc
		r.doc = before.clone()
		if blocked := list.run(); blocked != nil {
			return blocked
		}
		for _, path := range changedPaths(before, r.doc) {
			r.result.Steps = append(r.result.Steps, RenderStep{AppliedRule: at, List: list.name, Path: path})
		}
		if detail := r.sealed.broken(fingerprintOf(r.doc)); detail != "" {
			return r.blocked(list.name, &misfit{class: ClassWrongType, detail: detail})
		}
	}
	r.result.Applied = append(r.result.Applied, at)
	return nil
}

func (r *renderer) note(code NoteCode, field, path string) {
	r.result.Notes = append(r.result.Notes, RenderNote{AppliedRule: r.at, Code: code, Field: r.ruleField(field), Path: path})
}

// labels of the object as it is now.
func (r *renderer) labels() map[string]string {
	if r.doc == nil {
		return r.resource.Labels
	}
	var labels map[string]string
	if written := r.doc.get("metadata").get("labels"); written != nil {
		labels = make(map[string]string, len(written.entries))
		for _, e := range written.entries {
			labels[e.key] = e.value.text
		}
	}
	return labels
}
