package views

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"odysseus/fleet"
)

// SettingsPage is the operator's declaration of residency: the switch, what happens on drift, the regions.
type SettingsPage struct {
	Chrome Chrome
	// Enforced says whether residency is enforced now, whatever stands in the form.
	Enforced bool
	Form     SettingsForm
	// Pinned holds where a setting is set, by key (enabled, onDrift, regions): those are shown, not edited.
	Pinned   map[string]string
	Refusals []Refusal
	// Impact of what stands in the form; nil before it was asked for. Previewed tells that form from another: only
	// what was previewed is saved.
	Impact    *fleet.Impact
	Previewed string
	// Unsaved is the key of why a save only came to a preview; empty where none was asked for.
	Unsaved string
	// Conflict says that somebody else saved the settings since the form was opened.
	Conflict bool
}

// SettingsForm holds what was typed.
type SettingsForm struct {
	Enabled string // "true" or "false"
	OnDrift string
	Regions []RegionForm
	Version string
}

// Mark tells what the form asks for from what another does. The version is none of it, nor are rows left empty.
func (f SettingsForm) Mark() string {
	f.Version = ""
	f.Regions = slices.DeleteFunc(slices.Clone(f.Regions), func(r RegionForm) bool { return r == RegionForm{} })
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", f))
	return hex.EncodeToString(sum[:8])
}

// RegionForm is one row; all empty means no region.
type RegionForm struct {
	Name, Description, Countries string
}

// Names of the fields of the i-th region, from 0; their ids are the same.
func (SettingsPage) regionInput(i int, field string) string {
	return "regions." + strconv.Itoa(i) + "." + field
}

// rows are the regions and one empty row to add another.
func (m SettingsPage) rows() []RegionForm {
	if m.pinned("regions") {
		return m.Form.Regions
	}
	if count := len(m.Form.Regions); count > 0 && m.Form.Regions[count-1] == (RegionForm{}) {
		return m.Form.Regions
	}
	return append(append([]RegionForm{}, m.Form.Regions...), RegionForm{})
}

func (m SettingsPage) pinned(key string) bool { return m.Pinned[key] != "" }

// editable says whether there is anything to save.
func (m SettingsPage) editable() bool {
	return m.Chrome.Who.Operates() && !(m.pinned("enabled") && m.pinned("onDrift") && m.pinned("regions"))
}

func (m SettingsPage) regionField(i int, field, value, class string) Field {
	id := m.regionInput(i, field)
	return Field{ID: id, Name: id, Key: "region_" + field, Value: value, Class: class, ReadOnly: m.pinned("regions"), Refusals: at(m.Refusals, id)}
}

// turnsOff says whether the change ends enforcement.
func (m SettingsPage) turnsOff() bool { return m.Enforced && m.Form.Enabled == "false" }

// impactList is one part of an impact.
type impactList struct {
	Key  string
	Refs []fleet.Ref
}

func impactLists(i fleet.Impact) []impactList {
	return []impactList{{"impact.drift", i.Drift}, {"impact.match_nothing", i.MatchNothing}, {"impact.freed", i.Freed}}
}

// quiet says whether a change does nothing to any deployment.
func quiet(i fleet.Impact) bool {
	return len(i.Drift) == 0 && len(i.MatchNothing) == 0 && len(i.Freed) == 0 && len(i.RegionInUse) == 0
}

// settingOnDrift is the name of the setting in the configuration file.
const settingOnDrift = "scheduler.geo_awareness.on_drift"
