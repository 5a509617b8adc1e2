package fleet

// fields changes documents that stand as text in fields of the resource.
func (r *renderer) fields(overriders []FieldOverrider) *RenderError {
	for i := range overriders {
		o, field := &overriders[i], joinIndex("fieldOverrider", i)
		path := jsonPointer(o.FieldPath)
		if len(path.faults("")) > 0 {
			return r.blocked(field+".fieldPath", &misfit{class: ClassMissing, detail: detailPatch, path: string(path)})
		}
		at, why := pointedAt(r.doc, path.tokens())
		switch {
		case why != nil:
			return r.blocked(field+".fieldPath", why)
		case at.kind != textValue:
			return r.blocked(field+".fieldPath", &misfit{class: ClassWrongType, detail: detailType, path: string(path),
				args: map[string]string{"Got": at.kind.String(), "Want": textValue.String()}})
		}
		form, steps, patch := ".json", o.JSON, patchJSONText
		if len(o.YAML) > 0 {
			form, steps, patch = ".yaml", o.YAML, patchYAMLText
		}
		changes := make([]change, len(steps))
		for j, s := range steps {
			if changes[j], why = stepOf(jsonPointer(s.SubPath), s.Operator, s.Value); why != nil {
				return r.blocked(joinIndex(field+form, j)+".subPath", why)
			}
		}
		text, unchanged, failed, why := patch(at.text, changes)
		if why != nil {
			why.args = withField(why.args, string(path))
			if why.class == ClassNotJSON || why.class == ClassNotYAML {
				return r.blocked(field+".fieldPath", why)
			}
			return r.blocked(joinIndex(field+form, failed)+".subPath", why)
		}
		at.text = text
		for _, j := range unchanged {
			r.note(NoteNothingChanged, joinIndex(field+form, j), string(path))
		}
	}
	return nil
}

// withField adds which field's text a misfit is within.
func withField(args map[string]string, path string) map[string]string {
	if args == nil {
		args = map[string]string{}
	}
	args["Within"] = path
	return args
}

// patchJSONText applies steps to a text that holds JSON: members keep their order, and numbers their digits.
func patchJSONText(text string, steps []change) (patched string, unchanged []int, failed int, why *misfit) {
	roots, fault := parseJSON([]byte(text))
	if fault != nil || len(roots) != 1 || repeatsKeys(roots[0]) {
		return "", nil, 0, &misfit{class: ClassNotJSON, detail: detailNotJSON}
	}
	_, unchanged, failed, why = checkPatch(roots[0], steps)
	if why != nil {
		return "", nil, failed, why
	}
	if len(unchanged) == len(steps) {
		return text, unchanged, 0, nil
	}
	out, err := applyPatch([]byte(text), steps)
	if err != nil {
		return "", nil, 0, &misfit{class: ClassNotJSON, detail: detailPatch}
	}
	return string(out), unchanged, 0, nil
}

// repeatsKeys says whether a key stands twice in some map: readers differ on which of them counts.
func repeatsKeys(v *value) bool {
	if len(v.repeated) > 0 {
		return true
	}
	for _, item := range v.items {
		if repeatsKeys(item) {
			return true
		}
	}
	for _, e := range v.entries {
		if repeatsKeys(e.value) {
			return true
		}
	}
	return false
}
