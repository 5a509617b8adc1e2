package fleet

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// DecodeStrict decodes a document into the struct that into points to and returns every fault at once, located:
// a key that the struct lacks (unknown_field, with the nearest known one), one given twice (duplicate_key), a
// value of another type (wrong_type), an emptiness where somebody meant to write something (residency_empty).
// Valid parts are decoded whatever else is at fault, so that validation can report its faults beside these.
//
// Fields go by their json tags. A tag `decode` says more: "ignore" accepts anything and reads nothing;
// "nonempty" refuses null, "", [] and {}; "loose" accepts a scalar of any type as text; "any" takes whatever stands
// there, null too, as JSON with its numbers exact, into a json.RawMessage. A field whose type is
// Quantity accepts a number as text, as Kubernetes does. Null elsewhere counts as left out.
func DecodeStrict(doc *Doc, into any) FieldErrors {
	target := reflect.ValueOf(into).Elem()
	d := decoder{at: map[string]place{}, schema: fieldPaths(target.Type())}
	d.decode(doc.root, target, "", "")
	doc.at, doc.misread = d.at, map[string]bool{}
	for _, f := range d.faults {
		doc.misread[f.Field] = doc.misread[f.Field] || f.Code == CodeWrongType || f.Code == CodeOutOfRange
	}
	return d.faults.Sorted()
}

type decoder struct {
	at     map[string]place
	faults FieldErrors
	schema map[string][]string // key → the paths at which the document's type knows it
}

func (d *decoder) fault(f FieldError, line, column int) {
	f.Line, f.Column = line, column
	d.faults = append(d.faults, f)
}

var quantityType = reflect.TypeFor[Quantity]()

func (d *decoder) decode(v *value, into reflect.Value, path, how string) {
	if p := d.at[path]; p.line == 0 {
		p.line, p.column = v.line, v.column
		d.at[path] = p
	}
	switch {
	case how == "ignore":
		return
	case how == "any":
		w := objectWriter{}
		w.write(v, path)
		into.SetBytes(w.out.Bytes())
		d.faults = append(d.faults, w.faults...)
		return
	case how == "nonempty" && v.empty():
		d.fault(FieldError{Code: CodeResidencyEmpty, Field: path, Value: v.quoted(), Want: "residency_block"}, v.line, v.column)
		return
	case v.kind == nullValue:
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		target := reflect.New(into.Type().Elem())
		before := len(d.faults)
		d.decode(v, target.Elem(), path, how)
		if isScalar(target.Elem().Kind()) && len(d.faults) > before {
			return // a number that is none stays left out
		}
		into.Set(target)
	case reflect.Struct:
		if d.expect(v, mapValue, path) {
			d.structure(v, into, path)
		}
	case reflect.Map:
		if d.expect(v, mapValue, path) {
			d.textMap(v, into, path)
		}
	case reflect.Slice:
		if d.expect(v, listValue, path) {
			out := reflect.MakeSlice(into.Type(), len(v.items), len(v.items))
			for i, item := range v.items {
				at := joinIndex(path, i)
				if item.kind == nullValue && how != "nonempty" {
					d.at[at] = place{line: item.line, column: item.column}
					d.wrongType(item, kindFor(into.Type().Elem()), at)
					continue
				}
				d.decode(item, out.Index(i), at, how)
			}
			into.Set(out)
		}
	case reflect.String:
		if v.kind == numberValue && (into.Type() == quantityType || how == "loose") || d.expect(v, textValue, path) {
			into.SetString(v.text)
		}
	case reflect.Bool:
		if d.expect(v, boolValue, path) {
			into.SetBool(strings.EqualFold(v.text, "true"))
		}
	case reflect.Int, reflect.Int64:
		if d.expect(v, numberValue, path) {
			d.integer(v, into, path)
		}
	}
}

func isScalar(k reflect.Kind) bool {
	return k == reflect.String || k == reflect.Bool || k == reflect.Int || k == reflect.Int64
}

func (d *decoder) expect(v *value, want valueKind, path string) bool {
	if v.kind == want {
		return true
	}
	d.wrongType(v, want, path)
	return false
}

func (d *decoder) wrongType(v *value, want valueKind, path string) {
	d.fault(FieldError{Code: CodeWrongType, Field: path, Value: v.quoted(), Want: "type_" + want.String(),
		Args: map[string]string{"Got": v.kind.String(), "Want": want.String()}}, v.line, v.column)
}

func kindFor(t reflect.Type) valueKind {
	switch t.Kind() {
	case reflect.Pointer:
		return kindFor(t.Elem())
	case reflect.Struct, reflect.Map:
		return mapValue
	case reflect.Slice:
		return listValue
	case reflect.Bool:
		return boolValue
	case reflect.Int, reflect.Int64:
		return numberValue
	default:
		return textValue
	}
}

// decimal is a whole number as every tool reads it: 010, 0x10, 1e3 and 1_000 are read differently by some.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func (d *decoder) integer(v *value, into reflect.Value, path string) {
	n, err := strconv.ParseInt(v.text, 10, 64)
	if decimal.MatchString(v.text) && (err != nil || into.OverflowInt(n)) {
		// A whole number, just one that nothing counts to.
		d.fault(FieldError{Code: CodeOutOfRange, Field: path, Value: v.text, Want: "range", WantArgs: rangeOf(path)}, v.line, v.column)
		return
	}
	if err != nil || !decimal.MatchString(v.text) || into.OverflowInt(n) {
		d.fault(FieldError{Code: CodeWrongType, Field: path, Value: v.text, Want: "type_integer",
			Args: map[string]string{"Got": "number", "Want": "integer"}}, v.line, v.column)
		return
	}
	into.SetInt(n)
}

func (d *decoder) textMap(v *value, into reflect.Value, path string) {
	d.repeated(v, path)
	out := reflect.MakeMapWithSize(into.Type(), len(v.entries))
	for _, e := range v.entries {
		at := joinKey(path, e.key)
		d.at[at] = place{keyLine: e.line, keyColumn: e.column, line: e.value.line, column: e.value.column}
		item := reflect.New(into.Type().Elem()).Elem()
		before := len(d.faults)
		if e.value.kind == nullValue {
			d.wrongType(e.value, kindFor(item.Type()), at)
		} else {
			d.decode(e.value, item, at, "")
		}
		// The key counts all the same: a reserved label is refused whatever its value's type.
		if len(d.faults) > before && e.value.kind != nullValue && item.Kind() == reflect.String {
			item.SetString(e.value.quoted())
		}
		out.SetMapIndex(reflect.ValueOf(e.key), item)
	}
	into.Set(out)
}

func (d *decoder) repeated(v *value, path string) {
	for _, e := range v.repeated {
		d.fault(FieldError{Code: CodeDuplicateKey, Field: joinKey(path, e.key), Value: e.key, Want: "key_once",
			Args: map[string]string{"First": strconv.Itoa(e.firstLine), "Second": strconv.Itoa(e.line)}}, e.line, e.column)
	}
}

func (d *decoder) structure(v *value, into reflect.Value, path string) {
	d.repeated(v, path)
	t := into.Type()
	for _, e := range v.entries {
		at := joinKey(path, e.key)
		field, known := fieldByKey(t, e.key)
		if !known {
			d.unknown(t, path, e)
			continue
		}
		d.at[at] = place{keyLine: e.line, keyColumn: e.column, line: e.value.line, column: e.value.column}
		how := field.Tag.Get("decode")
		d.decode(e.value, into.FieldByIndex(field.Index), at, how)
		if e.value.kind == textValue && e.value.text == "" && how != "nonempty" {
			d.blank(field, at, e.value)
		}
	}
}

// blank refuses "" in an optional field that accepts no such text: to have the default, the field is left out.
func (d *decoder) blank(field reflect.StructField, path string, v *value) {
	rule, optional := strings.CutPrefix(field.Tag.Get("validate"), "omitempty,")
	if optional && field.Type.Kind() == reflect.String {
		for _, f := range validateText("", rule) {
			f.Field = path
			d.fault(f, v.line, v.column)
		}
	}
}

// unknown refuses a key, with the nearest known key as suggestion: one of the same map, or the path of one that
// stands at another depth.
func (d *decoder) unknown(t reflect.Type, path string, e entry) {
	at := joinKey(path, e.key)
	f := FieldError{Code: CodeUnknownField, Field: at, Value: e.key, Want: "known_keys", AtKey: true}
	if fieldOfLater(path, e.key) {
		f.Code, f.Want = CodeFieldUnsupported, "field_left_out"
		d.fault(f, e.line, e.column)
		return
	}
	keys := keysOf(t)
	f.WantArgs = map[string]string{"Keys": strings.Join(keys, ", ")}
	f.Suggestion = nearestKey(e.key, keys, d.schema)
	d.fault(f, e.line, e.column)
}

// fieldOfLater names the fields of a Deployment that a later release brings: refused by name, never stored and
// ignored.
func fieldOfLater(path, key string) bool {
	switch key {
	case "healthCheck":
		return path == "spec"
	case "hostPort":
		return strings.HasPrefix(path, "spec.ports[")
	}
	return false
}
