// Package locale holds every word that people read, and nothing that tools read: codes, labels, names of objects and
// settings are never translated.
//
//	fleet.FieldError ─┐
//	fleet.Warning    ─┤
//	fleet.Reason     ─┼─→ Words.Refusal, Warning, Reason, Event … ─→ plain text (templ escapes it, JSON quotes it)
//	fleet.Event      ─┤         │
//	"page.title"     ─┘         └─ Catalogue: messages/AREA.LANGUAGE.yaml, embedded
//
// A refusal carries a code and values; its words are made here, at the edge, so that page, API and command line say
// the same (rule 8). Who calls it: handlers and views for pages, handlers for the API, cmd for the command line.
//
// A file holds one area of one language: refusals.en.yaml, pages.en.yaml. Keys are written out in full, so that they can
// be searched for: "page.login.title". A key stands in exactly one file of a language. Messages are Go text templates
// over the arguments given; an argument that was not given is empty, so {{if .Suggestion}} works.
package locale
