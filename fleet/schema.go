package fleet

import (
	"reflect"
	"slices"
	"strings"
)

// fieldByKey finds the field that a key of a document goes to, by its json tag.
func fieldByKey(t reflect.Type, key string) (reflect.StructField, bool) {
	for field := range t.Fields() {
		if jsonName(field) == key {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// jsonName is the key of a field; empty for a field that is no part of a document.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// keysOf lists the keys that a struct knows, sorted, for "accepted: …".
func keysOf(t reflect.Type) []string {
	var keys []string
	for field := range t.Fields() {
		if name := jsonName(field); name != "" {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	return keys
}

// fieldPaths maps every key of a document's type to the paths at which it is known, sorted. List items stand
// as [].
func fieldPaths(t reflect.Type) map[string][]string {
	paths := map[string][]string{}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		switch t.Kind() {
		case reflect.Pointer:
			walk(t.Elem(), path)
		case reflect.Slice:
			walk(t.Elem(), path+"[]")
		case reflect.Struct:
			for field := range t.Fields() {
				name := jsonName(field)
				if name == "" {
					continue
				}
				at := joinKey(path, name)
				paths[name] = append(paths[name], at)
				if field.Tag.Get("decode") != "ignore" {
					walk(field.Type, at)
				}
			}
		}
	}
	walk(t, "")
	for _, p := range paths {
		slices.Sort(p)
	}
	return paths
}
