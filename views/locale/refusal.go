package locale

import (
	"maps"
	"strings"

	"odysseus/fleet"
)

// Refusal says in one sentence what was written and what is accepted.
//
// The message "refusal.CODE" has all of Args and WantArgs, and: Value (cut), Quoted (cut, in quotes), Field,
// Suggestion, Accepted.
func (w *Words) Refusal(e fleet.FieldError) string {
	args := make(map[string]string, len(e.Args)+len(e.WantArgs)+5)
	maps.Copy(args, e.WantArgs)
	maps.Copy(args, e.Args)
	args["Value"] = cut(e.Value)
	args["Quoted"] = quoted(e.Value)
	args["Field"] = e.Field
	args["Suggestion"] = e.Suggestion
	args["Accepted"] = w.Accepted(e)
	return w.T("refusal."+string(e.Code), args)
}

// Accepted is the form that would have been accepted, a noun phrase; empty where the refusal names none.
func (w *Words) Accepted(e fleet.FieldError) string {
	if e.Want == "" {
		return ""
	}
	return w.T("accepted."+e.Want, e.WantArgs)
}

// Warning says what was accepted and has no effect, or another than its author may think.
//
// The message "warning.CODE" has all of Args, and: Field, Setting, Countries and Regions (advertised, comma
// separated, empty where none are), Advertised (both in words, or that nothing is).
func (w *Words) Warning(warning fleet.Warning) string {
	args := make(map[string]string, len(warning.Args)+5)
	maps.Copy(args, warning.Args)
	args["Field"] = warning.Field
	args["Setting"] = warning.Setting
	if a := warning.Advertised; a != nil {
		args["Countries"] = strings.Join(a.Countries, ", ")
		args["Regions"] = strings.Join(a.Regions, ", ")
		args["Advertised"] = w.Reported(*a, false)
	}
	return w.T("warning."+string(warning.Code), args)
}

// Title is the heading of an answer that a code decides as a whole; of all codes without one of their own, that
// of a refusal.
func (w *Words) Title(code fleet.Code) string {
	if key := "title." + string(code); w.Has(key) {
		return w.T(key, nil)
	}
	return w.T("title.refused", nil)
}

// Cause says in the reference why a code is given.
func (w *Words) Cause(code fleet.Code) string { return w.T("cause."+string(code), nil) }
