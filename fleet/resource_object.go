package fleet

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// object writes the document as JSON, with its keys in the order written, and refuses keys given twice and numbers
// that JSON does not have.
func (d *Doc) object() (json.RawMessage, FieldErrors) {
	w := objectWriter{}
	w.write(d.root, "")
	return w.out.Bytes(), w.faults.Sorted()
}

type objectWriter struct {
	out    bytes.Buffer
	faults FieldErrors
	// verbatim leaves <, > and & as they are: for texts that people read.
	verbatim bool
}

func (w *objectWriter) text(s string) {
	if !w.verbatim {
		raw, _ := json.Marshal(s) // a string always marshals
		w.out.Write(raw)
		return
	}
	e := json.NewEncoder(&w.out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	w.out.Truncate(w.out.Len() - 1)
}

func (w *objectWriter) write(v *value, path string) {
	switch v.kind {
	case nullValue:
		w.out.WriteString("null")
	case boolValue:
		w.out.WriteString(strconv.FormatBool(strings.EqualFold(v.text, "true")))
	case numberValue:
		w.number(v, path)
	case textValue:
		w.text(v.text)
	case listValue:
		w.out.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				w.out.WriteByte(',')
			}
			w.write(item, joinIndex(path, i))
		}
		w.out.WriteByte(']')
	case mapValue:
		for _, e := range v.repeated {
			w.faults = append(w.faults, FieldError{Code: CodeDuplicateKey, Field: joinKey(path, e.key), Value: e.key, Want: "key_once",
				Args: map[string]string{"First": strconv.Itoa(e.firstLine), "Second": strconv.Itoa(e.line)}, Line: e.line, Column: e.column})
		}
		w.out.WriteByte('{')
		for i, e := range v.entries {
			if i > 0 {
				w.out.WriteByte(',')
			}
			w.text(e.key)
			w.out.WriteByte(':')
			w.write(e.value, joinKey(path, e.key))
		}
		w.out.WriteByte('}')
	}
}

// isJSONNumber takes what JSON writes as a number, and nothing that no float could hold. A tag can make any text a
// number (!!int true), so the text is not trusted.
func isJSONNumber(text string) bool {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !json.Valid([]byte(text)) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// number writes a number that JSON has as it stands, so that 64 bits survive, and one of YAML's other spellings
// (0644, 0x1F, 1_000, +1, .5) as the number that Kubernetes' tools read there.
func (w *objectWriter) number(v *value, path string) {
	if isJSONNumber(v.text) {
		w.out.WriteString(v.text)
		return
	}
	var n any
	if err := (&yaml.Node{Kind: yaml.ScalarNode, Value: v.text}).Decode(&n); err == nil {
		switch n := n.(type) {
		case int, int64, uint64:
			w.out.WriteString(textOf(n))
			return
		case float64:
			if raw, err := json.Marshal(n); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
				w.out.Write(raw)
				return
			}
		}
	}
	w.out.WriteString("null")
	w.faults = append(w.faults, FieldError{Code: CodeWrongType, Field: path, Value: v.text, Want: "type_number",
		Args: map[string]string{"Got": "number", "Want": "number"}, Line: v.line, Column: v.column})
}
