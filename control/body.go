package control

import (
	"strings"

	"odysseus/fleet"
)

// Body is what was submitted for a small object: the well-formed part decoded, the faults of decoding beside it.
// Doc is nil for a form: its faults then have no line.
type Body[T any] struct {
	Value  T
	Faults fleet.FieldErrors
	Doc    *fleet.Doc
	unread bool
}

// ParseBody reads a body that holds exactly one document.
func ParseBody[T any](body []byte, format fleet.Format) Body[T] {
	doc, faults := fleet.ParseOne(body, format)
	if len(faults) > 0 {
		return Body[T]{Faults: faults, unread: true}
	}
	b := Body[T]{Doc: doc}
	b.Faults = fleet.DecodeStrict(doc, &b.Value)
	return b
}

// check is every fault of the body: of decoding, of its shape, and the given further ones.
func (b Body[T]) check(further ...fleet.FieldError) fleet.FieldErrors {
	if b.unread {
		return b.Faults
	}
	return located(b.Doc, merge(b.Faults, append(fleet.ValidateStruct(&b.Value), further...)))
}

// merge puts the faults of checking behind those of decoding, without those that only follow from them: what
// could not be decoded looks as if it was left out.
func merge(decoding, checking fleet.FieldErrors) fleet.FieldErrors {
	out := append(fleet.FieldErrors{}, decoding...)
	for _, f := range checking {
		if f.Code == fleet.CodeRequired && covered(f.Field, decoding) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// covered says whether a field, or one that it is a part of, is at fault already.
func covered(field string, faults fleet.FieldErrors) bool {
	for _, f := range faults {
		rest, part := strings.CutPrefix(field, f.Field)
		if part && f.Code != fleet.CodeUnknownField && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

func located(doc *fleet.Doc, faults fleet.FieldErrors) fleet.FieldErrors {
	if doc != nil {
		faults = doc.Locate(faults)
	}
	return faults.Sorted()
}
