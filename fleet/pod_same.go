package fleet

import (
	"reflect"
	"slices"
	"strings"
)

// SameTemplateResource says whether a replica started from one state of a workload is what the other asks for too, as SameTemplate
// does of Deployments. As Kubernetes has it, the pod template alone decides, its labels and annotations included: by
// changing an annotation people ask for fresh containers. Scaling, and all metadata of the resource, touch nothing. The
// order of keys does not matter, nor how a value that agents read is spelt: 1 CPU and 1000m are the same request.
// Resources without a pod template are always the same.
func SameTemplateResource(a, b *Resource) bool {
	x, y := podTemplateOf(a), podTemplateOf(b)
	if sameValue(x, y) {
		return true
	}
	s, unsupported, known := PodTemplateOf(a)
	t, unsupportedToo, _ := PodTemplateOf(b)
	return known && len(unsupported) == 0 && len(unsupportedToo) == 0 && sameValue(x.get("metadata"), y.get("metadata")) && s.equal(t)
}

func podTemplateOf(r *Resource) *value {
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 {
		return nil
	}
	if r.APIVersion == "v1" && r.Kind == "Pod" {
		return &value{kind: mapValue, entries: []entry{{key: "spec", value: roots[0].get("spec")}}}
	}
	return podTemplateIn(roots[0], r.APIVersion, r.Kind)
}

func (t PodTemplate) equal(o PodTemplate) bool {
	return t.RestartPolicy == o.RestartPolicy && t.TerminationGracePeriodSeconds == o.TerminationGracePeriodSeconds &&
		slices.EqualFunc(t.Containers, o.Containers, func(a, b PodContainer) bool {
			if !sameAmounts(a.Resources, b.Resources) {
				return false
			}
			a.Resources, b.Resources = nil, nil
			return reflect.DeepEqual(a, b)
		})
}

func sameAmounts(a, b *Resources) bool {
	for _, requests := range []bool{true, false} {
		x, y := a.list(requests), b.list(requests)
		if (x.CPU == "") != (y.CPU == "") || (x.Memory == "") != (y.Memory == "") ||
			x.CPU.Milli() != y.CPU.Milli() || x.Memory.Bytes() != y.Memory.Bytes() {
			return false
		}
	}
	return true
}

// sameValue compares two documents: the order of a map's keys has no meaning, and null is left out.
func sameValue(a, b *value) bool {
	if a.null() || b.null() {
		return a.null() && b.null()
	}
	if a.kind != b.kind || a.text != b.text {
		return false
	}
	return slices.EqualFunc(a.items, b.items, sameValue) &&
		slices.EqualFunc(a.sorted(), b.sorted(), func(x, y entry) bool { return x.key == y.key && sameValue(x.value, y.value) })
}

func (v *value) null() bool { return v == nil || v.kind == nullValue }

// sorted are the entries that say something, by key.
func (v *value) sorted() []entry {
	out := slices.DeleteFunc(slices.Clone(v.entries), func(e entry) bool { return e.value.null() })
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return out
}
