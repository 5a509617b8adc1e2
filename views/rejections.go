package views

import (
	"strings"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// Rejection is one code of the registry as the reference documents it.
type Rejection struct {
	fleet.Entry
	// Cause, Message and Accepted are in words; the last two of a refusal as the example gives it.
	Cause    string `json:"cause"`
	Message  string `json:"message,omitempty"`
	Accepted string `json:"accepted,omitempty"`
}

// Alteration is a change that the server makes to what was submitted.
type Alteration struct {
	Key  string `json:"alteration"`
	Text string `json:"about"`
}

// RejectionsPage is /docs/rejections: generated from the registry.
type RejectionsPage struct {
	Chrome      Chrome
	Rejections  []Rejection
	Alterations []Alteration
}

// exampleRegions stand in for a control plane's own, so that every example is judged by the same rules.
var exampleRegions = fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport,
	Regions: []fleet.Region{{Name: "eu-core", Countries: []string{"DE", "FR", "NL"}}}}

// Rejections words the whole registry. What the server answers to an example is the validator's own answer.
func Rejections(w *locale.Words) []Rejection {
	registry := fleet.Registry()
	rejections := make([]Rejection, len(registry))
	for i, entry := range registry {
		r := Rejection{Entry: entry, Cause: w.Cause(entry.Code)}
		if f, found := answer(entry); found {
			r.Message, r.Accepted = w.Refusal(f), w.Accepted(f)
		}
		rejections[i] = r
	}
	return rejections
}

// answer is the refusal that an entry's example gives.
func answer(entry fleet.Entry) (fleet.FieldError, bool) {
	if entry.Kind != fleet.EntryRefusal || entry.Example == "" {
		return fleet.FieldError{}, false
	}
	doc, faults := fleet.ParseOne([]byte(entry.Example), fleet.FormatYAML)
	if len(faults) == 0 {
		d, decoding := fleet.DecodeDeployment(doc)
		checked, _ := fleet.ValidateDeployment(&d, &exampleRegions)
		faults = append(decoding, checked...)
	}
	for _, f := range faults {
		if f.Code == entry.Code {
			return f, true
		}
	}
	return fleet.FieldError{}, false
}

// alterationPrefix of the keys that describe what the server changes.
const alterationPrefix = "alteration."

// Alterations of what was submitted, all of them.
func Alterations(c *locale.Catalogue, w *locale.Words) []Alteration {
	var all []Alteration
	for _, key := range c.Keys() {
		if name, found := strings.CutPrefix(key, alterationPrefix); found {
			all = append(all, Alteration{Key: name, Text: w.T(key, nil)})
		}
	}
	return all
}

// kinds of codes, in the order of the page.
var kinds = []fleet.EntryKind{fleet.EntryRefusal, fleet.EntryWarning, fleet.EntryReason}

func (m RejectionsPage) of(kind fleet.EntryKind) []Rejection {
	var own []Rejection
	for _, r := range m.Rejections {
		if r.Kind == kind {
			own = append(own, r)
		}
	}
	return own
}
