package fleet

import "slices"

// FieldError is one fault of what was submitted: a code from the registry, where it is, what was written and
// what is accepted. Words are made at the edge, from the catalogue: message "refusal.CODE" with Args, accepted
// form "accepted.WANT" with WantArgs.
type FieldError struct {
	Code Code
	// Field is a path such as spec.ports[0].containerPort; map keys with a dot or slash stand in brackets:
	// metadata.labels[odysseus.io/blocked-countries].
	Field string
	// Value is what was written: a scalar's text, a list or map as JSON, null as "null". Empty where nothing was.
	Value string
	// Args are further values for the message's words.
	Args map[string]string
	// Want names the accepted form in the catalogue.
	Want     string
	WantArgs map[string]string
	// Suggestion is the nearest right value, where there is exactly one.
	Suggestion string
	// Fix is YAML that starts in column 1 with "placement:", to go under "spec:".
	Fix string
	// Line and Column count from 1; 0 where there is no text to point into.
	Line, Column int
	// AtKey says that the key is at fault, not the value: Locate points there.
	AtKey bool
}

// FieldErrors are all faults of a submission at once. They are a value, not a Go error: error means that
// something broke.
type FieldErrors []FieldError

// Codes in order, for tests and the audit.
func (e FieldErrors) Codes() []Code {
	codes := make([]Code, len(e))
	for i := range e {
		codes[i] = e[i].Code
	}
	return codes
}

// Sorted by line, then column, then field, then code: the order in which a person reads the manifest.
func (e FieldErrors) Sorted() FieldErrors {
	out := slices.Clone(e)
	slices.SortStableFunc(out, func(a, b FieldError) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return out
}

// Warning is something accepted that its author should know. Words: message "warning.CODE" with Args.
type Warning struct {
	Code Code
	// Field is where it was declared; empty where no one field is meant.
	Field string
	// Setting names the operator's setting that matters.
	Setting string
	// Advertised are the values that the tenant's live nodes advertise; nil where they do not matter.
	Advertised *Geography
	Args       map[string]string
}
