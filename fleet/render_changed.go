package fleet

import (
	"slices"
	"strconv"
)

// changedPaths are the places in which a document came to differ, as JSON Pointers in the order of the document as it
// is now, what is gone from a map behind what is there. Of an added or changed value its own place alone.
func changedPaths(before, after *value) []string {
	var d differ
	d.compare(before, after, nil)
	return d.paths
}

type differ struct{ paths []string }

func (d *differ) changed(path []string) { d.paths = append(d.paths, pointerTo(path)) }

func (d *differ) compare(before, after *value, path []string) {
	switch {
	case before.kind == mapValue && after.kind == mapValue:
		d.maps(before, after, path)
	case before.kind == listValue && after.kind == listValue:
		d.lists(before, after, path)
	case before.kind != after.kind || before.text != after.text:
		d.changed(path)
	}
}

func (d *differ) maps(before, after *value, path []string) {
	was, is := before.byKey(), after.byKey()
	for _, e := range after.entries {
		at := append(slices.Clone(path), e.key)
		if old, there := was[e.key]; there {
			d.compare(old, e.value, at)
		} else {
			d.changed(at)
		}
	}
	for _, e := range before.entries {
		if _, there := is[e.key]; !there {
			d.changed(append(slices.Clone(path), e.key))
		}
	}
}

// lists that are as long as each other are compared item by item. In others the items that are alike at both ends are
// left out; what is between them was put in, or, where nothing is, taken out.
func (d *differ) lists(before, after *value, path []string) {
	was, is, start := before.items, after.items, 0
	if len(was) != len(is) {
		for start < len(was) && start < len(is) && identical(was[start], is[start]) {
			start++
		}
		for len(was) > start && len(is) > start && identical(was[len(was)-1], is[len(is)-1]) {
			was, is = was[:len(was)-1], is[:len(is)-1]
		}
	}
	for i := start; i < len(is); i++ {
		at := append(slices.Clone(path), strconv.Itoa(i))
		if len(before.items) == len(after.items) {
			d.compare(was[i], is[i], at)
		} else {
			d.changed(at)
		}
	}
	if len(before.items) != len(after.items) && start == len(is) {
		d.changed(path)
	}
}
