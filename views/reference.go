package views

import (
	"reflect"
	"strings"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// ReferenceField is one field of a manifest as the reference documents it, made from the typed struct.
type ReferenceField struct {
	Path     string `json:"path"`
	Type     string `json:"type"`
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required"`
	// Accepted and About are in words.
	Accepted string `json:"accepted,omitempty"`
	About    string `json:"about"`
}

// DeploymentReference lists the fields of a Deployment in the order of the struct, so that page and code cannot
// drift: a field without words fails a test.
func DeploymentReference(w *locale.Words) []ReferenceField {
	var fields []ReferenceField
	walkFields(reflect.TypeFor[fleet.Deployment](), "", func(path string, f reflect.StructField) {
		if f.Tag.Get("decode") == "ignore" {
			return
		}
		field := ReferenceField{
			Path:     path,
			Type:     typeName(f.Type),
			Default:  strings.TrimPrefix(f.Tag.Get("default"), "required"),
			Required: strings.HasPrefix(f.Tag.Get("validate"), "required"),
			Accepted: acceptedBy(w, f.Tag.Get("validate")),
			About:    w.T("reference."+path, nil),
		}
		switch path { // what a document is stands in no tag: the decoder asks for it before it looks at fields
		case "apiVersion":
			field.Required, field.Accepted = true, fleet.APIVersion
		case "kind":
			field.Required, field.Accepted = true, fleet.KindDeployment
		}
		fields = append(fields, field)
	})
	return fields
}

// walkFields visits every field of a document's type, parents first. The items of a list stand as [].
func walkFields(t reflect.Type, path string, visit func(path string, f reflect.StructField)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		visit(at, f)
		if f.Tag.Get("decode") == "ignore" {
			continue
		}
		if f.Type.Kind() == reflect.Slice {
			at += "[]"
		}
		walkFields(f.Type, at, visit)
	}
}

// typeName is what a manifest calls a type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		return "list of " + typeName(t.Elem())
	case reflect.Struct, reflect.Map:
		return "map"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Bool:
		return "bool"
	default:
		return "string"
	}
}

// acceptedBy words the rules of a validate tag; empty where anything of the type goes.
func acceptedBy(w *locale.Words, tag string) string {
	limits := map[string]string{}
	for rule := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "name", "image", "country", "quantity", "subdomain":
			return w.T("accepted."+name, nil)
		case "datakey":
			return w.T("accepted.data_key", nil)
		case "envname":
			return w.T("accepted.env_name", nil)
		case "oneof":
			return w.T("accepted.one_of", map[string]string{"Values": strings.ReplaceAll(value, " ", ", ")})
		case "min":
			limits["Low"] = value
		case "max":
			limits["High"] = value
		}
	}
	if limits["High"] != "" {
		return w.T("accepted.range", limits)
	}
	return ""
}
