package fleet

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// podReader reads the part of a Kubernetes workload that an agent can carry out, and keeps the path of everything
// else: "anything else is refused for that cluster by name, never dropped".
type podReader struct{ refused map[string]bool }

func (p *podReader) refuse(path string) { p.refused[path] = true }

// within says whether something under the path was refused.
func (p *podReader) within(path string) bool {
	for at := range p.refused {
		if strings.HasPrefix(at, path+".") {
			return true
		}
	}
	return false
}

// unsupported are the paths that were refused, sorted; nil for none.
func (p *podReader) unsupported() []string {
	return slices.Sorted(maps.Keys(p.refused))
}

// fieldReaders are the fields of a map that are read, by key.
type fieldReaders map[string]func(v *value, at string)

// fields reads a map: the fields that are known by their reader, those that say nothing not at all. Of the others those
// without effect pass, and the rest is refused.
func (p *podReader) fields(v *value, path string, read fieldReaders, passes []inert) {
	if v == nil || v.kind == nullValue {
		return
	}
	if v.kind != mapValue {
		p.refuse(path)
		return
	}
	for _, e := range v.entries {
		at := joinKey(path, e.key)
		switch reader := read[e.key]; {
		case reader != nil:
			reader(e.value, at)
		case e.value.empty(), passed(passes, e.key, e.value):
		default:
			p.refuse(at)
		}
	}
}

// skip is the reader of a field that is read elsewhere, or that concerns the members no more than its name does.
func skip(*value, string) {}

// decode reads a value into the struct, strictly: what the struct lacks and what has another type is refused, and so is
// what its validate tags do not accept.
func (p *podReader) decode(v *value, path string, into any) {
	target := reflect.ValueOf(into).Elem()
	d := decoder{at: map[string]place{}}
	d.decode(v, target, path, "")
	for _, f := range d.faults {
		p.refuse(f.Field)
	}
	for _, f := range ValidateStruct(into) {
		p.refuse(path + "." + f.Field)
	}
}

// list calls item for each item of a list.
func (p *podReader) list(v *value, path string, item func(v *value, at string)) {
	switch {
	case v == nil || v.kind == nullValue:
	case v.kind != listValue:
		p.refuse(path)
	default:
		for i, each := range v.items {
			item(each, joinIndex(path, i))
		}
	}
}
