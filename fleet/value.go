package fleet

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Kind of a Value.
type valueKind int

const (
	nullValue valueKind = iota
	boolValue
	numberValue
	textValue
	listValue
	mapValue
)

// value is one node of a parsed document, the same whether it was written as YAML or as JSON: what stands there,
// where, and nothing resolved further than its kind. Decoding, refusing and pointing all work on it, so the two
// formats cannot come to different verdicts.
type value struct {
	kind         valueKind
	text         string // scalars: a string's content, any other scalar as written
	line, column int
	items        []*value // listValue
	entries      []entry  // mapValue, in the order written; keys are distinct
	repeated     []entry  // entries whose key stood before: every one is a fault
}

// entry is one key of a map with its value.
type entry struct {
	key          string
	line, column int // of the key
	firstLine    int // of the same key's first occurrence, where this one repeats it
	value        *value
}

func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	for i := range v.entries {
		if v.entries[i].key == key {
			return v.entries[i].value
		}
	}
	return nil
}

// textOf is the content of a string at the given path of keys; empty where there is none.
func (v *value) textOf(path ...string) string {
	for _, key := range path {
		v = v.get(key)
	}
	if v == nil || v.kind != textValue {
		return ""
	}
	return v.text
}

// quoted is the value as a refusal quotes it: a string's content, other scalars as written, lists and maps as JSON.
func (v *value) quoted() string {
	switch v.kind {
	case nullValue:
		return "null"
	case listValue, mapValue:
		var b strings.Builder
		v.writeJSON(&b)
		return b.String()
	default:
		return v.text
	}
}

// maxQuoted bounds what a refusal repeats of a list or map; the reader has the manifest.
const maxQuoted = 1000

func (v *value) writeJSON(b *strings.Builder) {
	if b.Len() > maxQuoted {
		return
	}
	switch v.kind {
	case nullValue:
		b.WriteString("null")
	case boolValue, numberValue:
		b.WriteString(v.text)
	case textValue:
		raw, _ := json.Marshal(v.text) // a string always marshals
		b.Write(raw)
	case listValue:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b)
		}
		b.WriteByte(']')
	case mapValue:
		b.WriteByte('{')
		for i, e := range v.entries {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Quote(e.key))
			b.WriteByte(':')
			e.value.writeJSON(b)
		}
		b.WriteByte('}')
	}
}

// kindName is the catalogue's word for a kind: type.text, type.number, …
func (k valueKind) String() string {
	return [...]string{"null", "bool", "number", "text", "list", "map"}[k]
}

// empty says whether the value says nothing: null, "", [] or {}.
func (v *value) empty() bool {
	switch v.kind {
	case nullValue:
		return true
	case textValue:
		return v.text == ""
	case listValue:
		return len(v.items) == 0
	case mapValue:
		return len(v.entries) == 0 && len(v.repeated) == 0
	default:
		return false
	}
}
