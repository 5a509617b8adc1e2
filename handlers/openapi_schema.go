package handlers

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"odysseus/fleet"
)

// schemas turns the typed structs into JSON Schema, each named struct once.
type schemas struct{ all object }

func newSchemas() *schemas { return &schemas{all: object{}} }

// enums are the texts that a named type may hold.
func enums(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[fleet.Role]():
		return []string{"operator", "support", "editor", "viewer"}
	case reflect.TypeFor[fleet.PlacementState]():
		return []string{"Placed", "PartlyPlaced", "Pending", "Waiting"}
	case reflect.TypeFor[fleet.ContainerState]():
		var states []string
		for _, s := range fleet.ContainerStates {
			states = append(states, string(s))
		}
		return states
	}
	return nil
}

// of is the schema of a value's type. Of what is read, only what validation demands is required; of what is
// answered, all that is never left out.
func (s *schemas) of(v any, read bool) object { return s.typ(reflect.TypeOf(v), read) }

func (s *schemas) typ(t reflect.Type, read bool) object {
	switch t.Kind() {
	case reflect.Pointer:
		return s.typ(t.Elem(), read)
	case reflect.String:
		out := object{"type": "string"}
		if values := enums(t); values != nil {
			out["enum"] = values
		}
		return out
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return object{} // JSON as it stands: anything
		}
		return object{"type": "array", "items": s.typ(t.Elem(), read)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.typ(t.Elem(), read)}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return object{"type": "string", "format": "date-time"}
		}
		return s.structure(t, read)
	}
	return object{} // anything
}

// structure is a reference to a named struct, or an unnamed one in place.
func (s *schemas) structure(t reflect.Type, read bool) object {
	name := strings.TrimSuffix(t.Name(), "JSON")
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
		if _, known := s.all[name]; known {
			return object{"$ref": "#/components/schemas/" + name}
		}
		s.all[name] = object{} // a type that holds itself ends here
	}
	properties, required := object{}, []string{}
	s.fields(t, read, properties, &required)
	out := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		out["required"] = slices.Compact(required)
	}
	if name == "" {
		return out
	}
	s.all[name] = out
	return object{"$ref": "#/components/schemas/" + name}
}

// fields adds those of embedded structs as their own, as encoding/json does: an outer one wins.
func (s *schemas) fields(t reflect.Type, read bool, properties object, required *[]string) {
	var embedded []reflect.Type
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case f.Anonymous && name == "":
			embedded = append(embedded, f.Type)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		if _, outer := properties[name]; outer {
			continue
		}
		rules := strings.Split(f.Tag.Get("validate"), ",")
		if f.Tag.Get("decode") == "ignore" && read {
			properties[name] = object{} // accepted, and not read
		} else {
			properties[name] = limited(s.typ(f.Type, read), rules, f.Tag.Get("default"))
		}
		if slices.Contains(rules, "required") || !read && !strings.Contains(options, "omitempty") {
			*required = append(*required, name)
		}
	}
	for _, e := range embedded {
		s.fields(e, read, properties, required)
	}
}

// limited adds what the validation tags say.
func limited(schema object, rules []string, def string) object {
	for _, rule := range rules {
		name, value, _ := strings.Cut(rule, "=")
		n, _ := strconv.Atoi(value) // 0 where it is no number, and not used then
		switch {
		case name == "dive":
			return schema // the rules that follow are the items'
		case name == "oneof":
			schema["enum"] = strings.Fields(value)
		case name == "min" && schema["type"] == "integer":
			schema["minimum"] = n
		case name == "max" && schema["type"] == "integer":
			schema["maximum"] = n
		}
	}
	if def != "" && def != "required" {
		schema["default"] = def
		if n, err := strconv.Atoi(def); err == nil && schema["type"] == "integer" {
			schema["default"] = n
		}
	}
	return schema
}
