package views

import (
	"slices"
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

// exampleRegions and exampleClusters stand in for a control plane's own, so that every example is judged by the same
// rules.
var (
	exampleRegions = fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport,
		Regions: []fleet.Region{{Name: "eu-core", Countries: []string{"DE", "FR", "NL"}}}}
	exampleClusters = []string{"cluster-1", "cluster-2"}
)

// Rejections words the whole registry. What the server answers to an example is the validator's own answer.
func Rejections(w *locale.Words) []Rejection {
	registry := fleet.Registry()
	rejections := make([]Rejection, len(registry))
	for i, entry := range registry {
		r := Rejection{Entry: entry, Cause: w.Cause(entry.Code)}
		if f, warning, found := answer(entry); found {
			if entry.Kind == fleet.EntryWarning {
				r.Message = w.Warning(warning)
			} else {
				r.Message, r.Accepted = w.Refusal(f), w.Accepted(f)
			}
		}
		rejections[i] = r
	}
	return rejections
}

// answer is the refusal, or the warning, that an entry's example gives. Warnings that depend on what runs are given
// elsewhere.
func answer(entry fleet.Entry) (fleet.FieldError, fleet.Warning, bool) {
	if entry.Example == "" {
		return fleet.FieldError{}, fleet.Warning{}, false
	}
	faults, warnings := judge(entry.Example)
	if entry.Kind == fleet.EntryWarning {
		i := slices.IndexFunc(warnings, func(w fleet.Warning) bool { return w.Code == entry.Code })
		if i < 0 || len(faults) > 0 {
			return fleet.FieldError{}, fleet.Warning{}, false
		}
		return fleet.FieldError{}, warnings[i], true
	}
	i := slices.IndexFunc(faults, func(f fleet.FieldError) bool { return f.Code == entry.Code })
	if i < 0 {
		return fleet.FieldError{}, fleet.Warning{}, false
	}
	return faults[i], fleet.Warning{}, true
}

// judge holds a document to the rules of its kind.
func judge(text string) (fleet.FieldErrors, []fleet.Warning) {
	doc, faults := fleet.ParseOne([]byte(text), fleet.FormatYAML)
	if len(faults) > 0 {
		return faults, nil
	}
	if fleet.IsPolicy(doc.APIVersion(), doc.Kind()) {
		p, decoding := fleet.DecodePolicy(doc)
		checked, warnings := fleet.ValidatePolicy(&p, exampleClusters)
		return fleet.JoinFaults(decoding, doc.Locate(checked)), warnings
	}
	if fleet.IsOverride(doc.APIVersion(), doc.Kind()) {
		o, decoding := fleet.DecodeOverride(doc)
		checked, warnings := fleet.ValidateOverride(&o, exampleClusters)
		return fleet.JoinFaults(decoding, doc.Locate(checked)), warnings
	}
	d, decoding := fleet.DecodeDeployment(doc)
	checked, warnings := fleet.ValidateDeployment(&d, &exampleRegions)
	return append(decoding, checked...), warnings
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
