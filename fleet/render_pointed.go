package fleet

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pointedAt finds the value that a pointer names.
func pointedAt(root *value, tokens []string) (*value, *misfit) {
	at := root
	for i, token := range tokens {
		next, why := at.member(token)
		if why != nil {
			why.path = pointerTo(tokens[:i+1])
			if why.detail == detailMissing && i < len(tokens)-1 {
				why.detail = detailParent
			}
			return nil, why
		}
		at = next
	}
	return at, nil
}

// member is what a token of a pointer names in a map or list.
func (v *value) member(token string) (*value, *misfit) {
	switch {
	case v.null():
		return nil, &misfit{class: ClassMissing, detail: detailParent}
	case v.kind == mapValue:
		if at := v.get(token); at != nil {
			return at, nil
		}
		return nil, &misfit{class: ClassMissing, detail: detailMissing}
	case v.kind == listValue:
		i, why := listIndex(token, len(v.items)-1)
		if why != nil {
			return nil, why
		}
		return v.items[i], nil
	}
	return nil, &misfit{class: ClassWrongType, detail: detailScalar, args: map[string]string{"Got": v.kind.String()}}
}

// indexToken is what RFC 6901 takes as an index: no sign, no leading zero.
var indexToken = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

func listIndex(token string, last int) (int, *misfit) {
	if !indexToken.MatchString(token) {
		return 0, &misfit{class: ClassIndex, detail: detailIndex}
	}
	i, err := strconv.Atoi(token)
	if err != nil || i > last {
		return 0, &misfit{class: ClassIndex, detail: detailRange, args: map[string]string{"Last": strconv.Itoa(last)}}
	}
	return i, nil
}

// pointerTo writes a JSON Pointer.
func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// change is one step of a patch: add, replace or remove at a pointer.
type change struct {
	operator string
	tokens   []string
	to       *value
}

// carryOut does the step as RFC 6902 has it, or says why it cannot be done and leaves the document alone. It says whether
// anything came to be different.
func (c change) carryOut(root *value) (changed bool, why *misfit) {
	last := len(c.tokens) - 1
	above, why := pointedAt(root, c.tokens[:last])
	if why != nil {
		if why.detail == detailMissing {
			why.detail = detailParent
		}
		return false, why
	}
	token := c.tokens[last]
	if above.null() || above.kind != listValue || c.operator != OverrideAdd {
		// What is added to a map need not be there.
		before, why := above.member(token)
		if why != nil && !(c.operator == OverrideAdd && why.detail == detailMissing) {
			why.path = pointerTo(c.tokens)
			if why.detail == detailParent {
				why.path = pointerTo(c.tokens[:last])
			}
			return false, why
		}
		return c.set(above, token, before), nil
	}
	at := len(above.items)
	if token != "-" {
		if at, why = listIndex(token, at); why != nil {
			why.path = pointerTo(c.tokens)
			return false, why
		}
	}
	above.items = slices.Insert(above.items, at, c.to.clone())
	return true, nil
}

func (c change) set(above *value, token string, before *value) bool {
	changed := before == nil || c.to == nil || !identical(before, c.to)
	if above.kind == mapValue {
		if c.operator == OverrideRemove {
			above.remove(token)
		} else {
			above.set(token, c.to.clone())
		}
		return changed
	}
	i, _ := strconv.Atoi(token) // member found it
	if c.operator == OverrideRemove {
		above.items = slices.Delete(above.items, i, i+1)
	} else {
		above.items[i] = c.to.clone()
	}
	return changed
}
