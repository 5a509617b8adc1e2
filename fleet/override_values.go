package fleet

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// arguments of a command: at least one, and none that no process can be given.
func (v *overrideValidator) arguments(at string, a *ArgumentsOverrider) {
	if len(a.Value) == 0 {
		v.fault(emptyList(at+".value", a.Value == nil, "arguments"))
	}
	v.add(validateArguments(at+".value", a.Value))
}

// metadata: keys and values as labels, or annotations, have them, and none that is reserved.
func (v *overrideValidator) metadata(at string, m *MetadataOverrider, labels bool) {
	at += ".value"
	if len(m.Value) == 0 {
		f := FieldError{Code: CodeRequired, Field: at, Want: "labels_to_override"}
		if m.Value != nil {
			f.Value = "{}"
		}
		v.fault(f)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Value)) {
		text, here := m.Value[key], joinKey(at, key)
		switch {
		case reservedLabel(key):
			v.fault(FieldError{Code: CodeOverrideResidency, Field: here, Value: key, Want: "outside_residency", AtKey: true})
		case labels && !IsLabelKey(key):
			v.fault(FieldError{Code: CodeLabelInvalid, Field: here, Value: key, Want: "label_key", AtKey: true})
		case labels && !IsLabelValue(text):
			v.fault(FieldError{Code: CodeLabelInvalid, Field: here, Value: text, Want: "label_value"})
		case !labels && !IsLabelKey(strings.ToLower(key)):
			v.fault(FieldError{Code: CodeAnnotationInvalid, Field: here, Value: key, Want: "label_key", AtKey: true})
		}
	}
}

// plaintext: "value required for add and replace and refused for remove".
func (v *overrideValidator) plaintext(at string, p *PlaintextOverrider) {
	if p.Path != nil {
		path := jsonPointer(*p.Path)
		if v.reach(at+".path", path) {
			v.add(path.faults(at + ".path"))
			if p.Value != nil {
				v.carries(at+".value", path, p.Value)
			}
		}
	}
	v.patchValue(at, p.Operator, p.Value)
}

func (v *overrideValidator) patchValue(at, operator string, value json.RawMessage) {
	switch {
	case operator == OverrideRemove && value != nil:
		v.fault(conflict(at+".value", quotedJSON(value), "operator: "+OverrideRemove))
	case (operator == OverrideAdd || operator == OverrideReplace) && value == nil:
		v.fault(FieldError{Code: CodeRequired, Field: at + ".value", Want: "value_to_set", WantArgs: map[string]string{"Operator": operator}})
	}
}

// quotedJSON quotes a value as the decoder does: a text by its content.
func quotedJSON(raw json.RawMessage) string {
	if roots, fault := parseJSON(raw); fault == nil && len(roots) == 1 {
		return roots[0].quoted()
	}
	return string(raw)
}

// lastAppliedField is the path of the annotation in which kubectl keeps the whole manifest.
var lastAppliedField = []string{"metadata", "annotations", lastApplied}

// field: exactly one of the two forms of text. Within kubectl's copy of the manifest the paths mean what they mean in
// the manifest itself.
func (v *overrideValidator) field(at string, f *FieldOverrider) {
	path := jsonPointer(f.FieldPath)
	reached := path == "" || v.reach(at+".fieldPath", path)
	if path != "" && reached {
		v.add(path.faults(at + ".fieldPath"))
	}
	switch {
	case len(f.JSON) > 0 && len(f.YAML) > 0:
		v.fault(conflict(at+".yaml", quotedJSON(json.RawMessage(jsonOf(f.YAML))), "json"))
	case len(f.JSON)+len(f.YAML) == 0:
		v.fault(emptyList(at+".json", f.JSON == nil, "json_or_yaml"))
	}
	manifest := slices.Equal(path.loose(), lastAppliedField) || strings.Contains(f.FieldPath, "last-applied-configuration")
	for i := range f.JSON {
		v.fieldPatch(joinIndex(at+".json", i), &f.JSON[i], manifest)
	}
	for i := range f.YAML {
		v.fieldPatch(joinIndex(at+".yaml", i), &f.YAML[i], manifest)
	}
}

func (v *overrideValidator) fieldPatch(at string, p *FieldPatch, manifest bool) {
	if path := jsonPointer(p.SubPath); path != "" && (!manifest || v.reach(at+".subPath", path)) {
		v.add(path.faults(at + ".subPath"))
	}
	v.patchValue(at, p.Operator, p.Value)
}
