package fleet

import (
	"encoding/base64"
	"slices"
	"strings"
)

// lastApplied is where kubectl keeps the whole manifest, in clear.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// AdmitData holds a ConfigMap's or a Secret's data to its form, since it is more than an opaque document here: texts, and
// base64 where Kubernetes has it. Of a Secret everything is known or refused, so that no value hides in a place that is
// shown; its stringData is turned into data. held are the keys of the stored Secret: for these, and for no others,
// HiddenValue may stand. Of any other kind nothing is asked. Faults are located, and quote no value of a Secret.
func AdmitData(doc *Doc, r *Resource, held []string) FieldErrors {
	a := dataAdmission{held: held}
	switch core := !strings.Contains(r.APIVersion, "/"); {
	case r.APIVersion == "v1" && r.Kind == KindConfigMap:
		a.quotes = true
		a.texts(doc.root, "data")
		a.encoded(doc.root, "binaryData")
	case r.APIVersion == "v1" && r.Kind == KindSecret:
		a.known(doc.root)
		a.encoded(doc.root, "data")
		a.texts(doc.root, "stringData")
	case core && r.Kind != KindSecret && strings.EqualFold(r.Kind, KindSecret):
		// A slip must not make a document of it that is shown.
		a.fault(FieldError{Code: CodeKindUnsupported, Field: "kind", Value: r.Kind, Want: "one_of", WantArgs: map[string]string{"Values": KindSecret}, Suggestion: KindSecret}, doc.root.get("kind"))
	case core && r.Kind == KindSecret:
		// The core group has no other version.
		a.fault(FieldError{Code: CodeKindUnsupported, Field: "apiVersion", Value: r.APIVersion, Want: "one_of", WantArgs: map[string]string{"Values": "v1"}, Suggestion: "v1"}, doc.root.get("apiVersion"))
	case r.Kind == KindSecret:
		a.hidden(doc.root, "data")
		a.hidden(doc.root, "stringData")
	}
	if len(a.faults) == 0 && r.APIVersion == "v1" && r.Kind == KindSecret {
		r.Object = encodedSecret(r)
	}
	return a.faults.Sorted()
}

// dataAdmission collects the faults of one document.
type dataAdmission struct {
	held []string
	// quotes says that a refusal may repeat what was written: of a ConfigMap, never of a Secret.
	quotes bool
	faults FieldErrors
}

func (a *dataAdmission) fault(f FieldError, at *value) {
	f.Line, f.Column = at.line, at.column
	a.faults = append(a.faults, f)
}

func (a *dataAdmission) atKey(f FieldError, e entry) {
	f.Value, f.AtKey, f.Line, f.Column = e.key, true, e.line, e.column
	a.faults = append(a.faults, f)
}

func (a *dataAdmission) wrongType(field string, v *value, want valueKind) {
	f := FieldError{Code: CodeWrongType, Field: field, Want: "type_" + want.String(), Args: map[string]string{"Got": v.kind.String(), "Want": want.String()}}
	if a.quotes {
		f.Value = v.quoted()
	}
	a.fault(f, v)
}

// known refuses what a Secret does not have.
func (a *dataAdmission) known(root *value) {
	keys := []string{"apiVersion", "kind", "metadata", "type", "immutable", "data", "stringData"}
	for _, e := range root.entries {
		switch {
		case e.key == "type" && e.value.kind != textValue && !e.value.null():
			a.wrongType(e.key, e.value, textValue)
		case e.key == "immutable" && e.value.kind != boolValue && !e.value.null():
			a.wrongType(e.key, e.value, boolValue)
		case !slices.Contains(keys, e.key) && e.key != "status":
			a.atKey(FieldError{Code: CodeUnknownField, Field: joinKey("", e.key), Want: "known_keys",
				WantArgs: map[string]string{"Keys": strings.Join(keys, ", ")}, Suggestion: nearest(e.key, keys)}, e)
		}
	}
	if annotations := root.get("metadata").get("annotations"); annotations != nil {
		for _, e := range annotations.entries {
			if e.key == lastApplied {
				a.atKey(FieldError{Code: CodeFieldUnsupported, Field: joinKey("metadata.annotations", e.key), Want: "field_left_out"}, e)
			}
		}
	}
}

// entries of a map of data; none where it was left out.
func (a *dataAdmission) entries(root *value, field string) []entry {
	v := root.get(field)
	switch {
	case v.null():
		return nil
	case v.kind != mapValue:
		a.wrongType(field, v, mapValue)
		return nil
	}
	for _, e := range v.entries {
		if !isDataKey(e.key) {
			a.atKey(FieldError{Code: CodeNotAccepted, Field: joinKey(field, e.key), Want: "data_key"}, e)
		}
	}
	return v.entries
}

func (a *dataAdmission) texts(root *value, field string) {
	for _, e := range a.entries(root, field) {
		if e.value.kind != textValue {
			a.wrongType(joinKey(field, e.key), e.value, textValue)
		}
	}
}

func (a *dataAdmission) encoded(root *value, field string) {
	for _, e := range a.entries(root, field) {
		at := joinKey(field, e.key)
		switch {
		case e.value.kind != textValue:
			a.wrongType(at, e.value, textValue)
		case field == "data" && e.value.text == HiddenValue:
			a.mustHold(at, e)
		default:
			if _, err := base64.StdEncoding.DecodeString(e.value.text); err != nil {
				a.fault(FieldError{Code: CodeNotAccepted, Field: at, Want: "base64"}, e.value)
			}
		}
	}
}

// hidden looks after what hides in a Secret that is another group's, and opaque otherwise.
func (a *dataAdmission) hidden(root *value, field string) {
	v := root.get(field)
	if v == nil {
		return
	}
	for _, e := range v.entries {
		if e.value.kind == textValue && e.value.text == HiddenValue {
			a.mustHold(joinKey(field, e.key), e)
		}
	}
}

// mustHold refuses the mark of a stored value where there is none.
func (a *dataAdmission) mustHold(field string, e entry) {
	if !slices.Contains(a.held, e.key) {
		a.fault(FieldError{Code: CodeNotAccepted, Field: field, Value: HiddenValue, Want: "secret_value"}, e.value)
	}
}

// encodedSecret turns stringData into data, where it goes before what data says, and writes every value in the one way
// that base64 has without line breaks, so that equal values are equal texts.
func encodedSecret(r *Resource) []byte {
	root := r.tree()
	if root == nil {
		return r.Object
	}
	for _, field := range []string{"data", "stringData"} {
		given := root.get(field)
		if given.null() {
			root.remove(field)
			continue
		}
		data := root.child("data")
		for _, e := range given.entries {
			text := e.value.text
			if field == "stringData" {
				text = base64.StdEncoding.EncodeToString([]byte(text))
			} else if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
				text = base64.StdEncoding.EncodeToString(raw)
			}
			data.set(e.key, &value{kind: textValue, text: text})
		}
	}
	root.remove("stringData")
	return root.json()
}

// SecretData are the texts under a Secret's data, by key: base64, or HiddenValue.
func (r *Resource) SecretData() map[string]string {
	data := map[string]string{}
	if root := r.tree(); root != nil && r.Kind == KindSecret {
		if v := root.get("data"); !v.null() {
			for _, e := range v.entries {
				data[e.key] = e.value.quoted()
			}
		}
	}
	return data
}

// Hidden is the resource as it may be shown: of a Secret all values are HiddenValue.
func (r *Resource) Hidden() Resource {
	shown := *r
	if r.Kind != KindSecret {
		return shown
	}
	root := r.tree()
	if root == nil {
		return shown
	}
	for _, field := range []string{"data", "stringData"} {
		if data := root.get(field); !data.null() {
			if len(data.entries) == 0 && data.kind != mapValue {
				root.set(field, &value{kind: textValue, text: HiddenValue})
			}
			for i := range data.entries {
				data.entries[i].value = &value{kind: textValue, text: HiddenValue}
			}
		}
	}
	shown.Object = root.json()
	return shown
}
