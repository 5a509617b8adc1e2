package views

import (
	"github.com/a-h/templ"

	"strconv"
	"strings"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// Refusal is one refusal as a page shows it.
type Refusal struct {
	Code       fleet.Code
	Message    string
	Suggestion string
	Fix        string
	Line       int
	Column     int
	// Input is the id of the control that it is about; empty where the form has none.
	Input string
}

// RefusalsOf words faults for a form; input tells the control of a field's path.
func RefusalsOf(w *locale.Words, faults fleet.FieldErrors, input func(field string) string) []Refusal {
	refusals := make([]Refusal, len(faults))
	for i, f := range faults {
		refusals[i] = Refusal{Code: f.Code, Message: w.Refusal(f), Suggestion: f.Suggestion, Fix: f.Fix, Line: f.Line, Column: f.Column, Input: input(f.Field)}
	}
	return refusals
}

// at are the refusals of one control.
func at(refusals []Refusal, input string) []Refusal {
	var own []Refusal
	for _, r := range refusals {
		if r.Input == input {
			own = append(own, r)
		}
	}
	return own
}

// Field is one labelled control. Its words are the keys field.KEY.label and, where Hinted, field.KEY.hint.
type Field struct {
	// ID of the input, stable; its hint is ID-hint and its refusals ID-error.
	ID   string
	Name string
	Key  string
	// Value as typed, whether or not it can be read.
	Value    string
	Hinted   bool
	Type     string // of the input; text where empty
	Class    string // its width says what is expected: code, short, name
	List     string // id of a datalist
	Complete string // the autocomplete attribute
	// InputMode tells a phone which keys to show.
	InputMode string
	ReadOnly  bool
	// Focus says that this is the control to go on with.
	Focus    bool
	Refusals []Refusal
}

// describedBy names hint and refusals, in this order, for the control.
func describedBy(id string, hinted bool, refusals []Refusal) templ.Attributes {
	var ids []string
	if hinted {
		ids = append(ids, id+"-hint")
	}
	attributes := templ.Attributes{}
	if len(refusals) > 0 {
		ids = append(ids, id+"-error")
		attributes["aria-invalid"] = "true"
	}
	if len(ids) > 0 {
		attributes["aria-describedby"] = strings.Join(ids, " ")
	}
	return attributes
}

// place is where in a text a refusal points, "10:16"; empty where it points nowhere.
func (r Refusal) place() string {
	if r.Line == 0 {
		return ""
	}
	return strconv.Itoa(r.Line) + ":" + strconv.Itoa(r.Column)
}
