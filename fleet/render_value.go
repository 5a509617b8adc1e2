package fleet

import "slices"

// identical compares exactly: unlike sameValue it tells null from nothing. The order of a map's keys does not matter.
func identical(a, b *value) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.kind != b.kind || a.text != b.text || len(a.items) != len(b.items) || len(a.entries) != len(b.entries) {
		return false
	}
	for i := range a.items {
		if !identical(a.items[i], b.items[i]) {
			return false
		}
	}
	others := b.byKey()
	for _, e := range a.entries {
		if other, there := others[e.key]; !there || !identical(e.value, other) {
			return false
		}
	}
	return true
}

// byKey indexes a map's values, for maps of any size.
func (v *value) byKey() map[string]*value {
	index := make(map[string]*value, len(v.entries))
	for _, e := range v.entries {
		index[e.key] = e.value
	}
	return index
}

// clone copies a document, to change the copy.
func (v *value) clone() *value {
	if v == nil {
		return nil
	}
	c := *v
	c.items = slices.Clone(v.items)
	for i := range c.items {
		c.items[i] = c.items[i].clone()
	}
	c.entries = slices.Clone(v.entries)
	for i := range c.entries {
		c.entries[i].value = c.entries[i].value.clone()
	}
	return &c
}

// fits says whether a document is within the limits of one that is parsed.
func (v *value) fits(depth int, nodes *int) bool {
	if *nodes--; *nodes < 0 || depth == 0 {
		return false
	}
	for _, item := range v.items {
		if !item.fits(depth-1, nodes) {
			return false
		}
	}
	for _, e := range v.entries {
		if !e.value.fits(depth-1, nodes) {
			return false
		}
	}
	return true
}
