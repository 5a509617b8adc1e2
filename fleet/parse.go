package fleet

import (
	"slices"
	"strconv"
	"strings"
)

// Limits on a body that is parsed, from quality.md: deeper or larger documents are refused before they cost.
const (
	MaxDepth = 50
	MaxNodes = 100_000
)

// Format of a body.
type Format int

// The two formats; every rule is the same for both.
const (
	FormatYAML Format = iota
	FormatJSON
)

// Doc is one document of a stream, parsed and not yet understood. It knows where everything stands.
type Doc struct {
	root *value
	at   map[string]place // filled by DecodeStrict, by field path
	// misread are the fields whose value has the wrong type: what stands in their place in the struct was written
	// by nobody, so nothing more is said of it.
	misread map[string]bool
	// foreign says that the document is of a kind that was not asked for: no rule of another kind means anything.
	foreign bool
}

// place is where a field's key and value stand.
type place struct {
	keyLine, keyColumn int
	line, column       int
}

// Parse reads every document of a body; empty ones are skipped. A body that is no YAML or JSON gives one fault,
// CodeInvalidYAML or CodeInvalidJSON (400); limits give CodeTooLarge. Keys given twice are not refused here but
// when the document is decoded, together with all its other faults.
func Parse(body []byte, format Format) ([]*Doc, FieldErrors) {
	parse := parseYAML
	if format == FormatJSON {
		parse = parseJSON
	}
	roots, fault := parse(body)
	if fault != nil {
		return nil, FieldErrors{*fault}
	}
	docs := make([]*Doc, 0, len(roots))
	for _, root := range roots {
		if root.kind != nullValue {
			docs = append(docs, &Doc{root: root})
		}
	}
	return docs, nil
}

// ParseOne reads a body that holds exactly one document.
func ParseOne(body []byte, format Format) (*Doc, FieldErrors) {
	docs, faults := Parse(body, format)
	switch {
	case len(faults) > 0:
		return nil, faults
	case len(docs) == 0:
		return nil, FieldErrors{{Code: CodeNoDocument, Want: "document"}}
	case len(docs) > 1:
		second := docs[1].root
		return nil, FieldErrors{{Code: CodeTooManyDocuments, Want: "one_document", Value: strconv.Itoa(len(docs)), Line: second.line, Column: second.column}}
	}
	return docs[0], nil
}

// APIVersion of the document as written; empty where it is missing or no text. So are the next three.
func (d *Doc) APIVersion() string { return d.root.textOf("apiVersion") }

// Kind of the document.
func (d *Doc) Kind() string { return d.root.textOf("kind") }

// Namespace of the document's metadata.
func (d *Doc) Namespace() string { return d.root.textOf("metadata", "namespace") }

// Name of the document's metadata.
func (d *Doc) Name() string { return d.root.textOf("metadata", "name") }

// Position of the document's first content.
func (d *Doc) Position() (line, column int) { return d.root.line, d.root.column }

// Locate gives the faults that a validator found their places, and leaves out those that only follow from what
// decoding refused already. It gives each fault that has no position yet the one of its field: the value's, or the key's where AtKey
// says that the key is at fault. A field that was left out gets the nearest parent that was written.
func (d *Doc) Locate(faults FieldErrors) FieldErrors {
	if d.foreign {
		return nil
	}
	faults = slices.DeleteFunc(faults, func(f FieldError) bool {
		return d.misread[f.Field] && (f.Code == CodeRequired || f.Code == CodeOutOfRange)
	})
	for i := range faults {
		f := &faults[i]
		if f.Line != 0 {
			continue
		}
		path, exact := f.Field, true
		for {
			if p, found := d.at[path]; found {
				if f.AtKey || !exact && p.keyLine != 0 {
					f.Line, f.Column = p.keyLine, p.keyColumn
				} else {
					f.Line, f.Column = p.line, p.column
				}
				break
			}
			if path == "" {
				f.Line, f.Column = d.root.line, d.root.column
				break
			}
			path, exact = parentPath(path), false
		}
	}
	return faults
}

// joinKey appends a map key to a field path: plain after a dot, in brackets where it holds a dot or slash.
func joinKey(path, key string) string {
	if key == "" || strings.ContainsAny(key, "./[]") {
		return path + "[" + key + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func joinIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// parentPath takes the last step off a field path.
func parentPath(path string) string {
	if strings.HasSuffix(path, "]") {
		// Keys in brackets may hold brackets themselves; the outermost pair is what joinKey wrote.
		if i := strings.LastIndex(path, "["); i >= 0 {
			return path[:i]
		}
	}
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}
