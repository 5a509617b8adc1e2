package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// ResidencySettings is GET /settings/residency.
func (p *Pages) ResidencySettings(w http.ResponseWriter, r *http.Request) {
	settings, err := p.Control.GeoSettings(r.Context(), control.ActorFrom(r.Context()))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.settings(w, r, http.StatusOK, views.SettingsPage{Enforced: settings.Enabled, Form: settingsOf(settings), Pinned: settings.Pinned})
}

// SaveResidencySettings is POST /settings/residency: action is preview (the impact, nothing stored) or save, which
// stores the fields if they are those that were previewed.
func (p *Pages) SaveResidencySettings(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	actor := control.ActorFrom(r.Context())
	settings, err := p.Control.GeoSettings(r.Context(), actor)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	form := settingsForm(r.PostForm, settings)
	page := views.SettingsPage{Enforced: settings.Enabled, Form: form, Pinned: settings.Pinned}
	if r.PostForm.Get("action") == "add-region" {
		page.Form.Regions = append(page.Form.Regions, views.RegionForm{})
		p.settings(w, r, http.StatusOK, page)
		return
	}
	// "Save" stores what was previewed and nothing else: what was changed since comes to a preview of its own.
	wanted, mark := r.PostForm.Get("action") == "save", form.Mark()
	// Who may not save is refused for that, and the attempt stands in the audit.
	save := wanted && (r.PostForm.Get("previewed") == mark || actor.Role != fleet.RoleOperator)
	written, faults, err := p.Control.PutGeoSettings(r.Context(), actor, settingsBody(form, settings.Pinned),
		control.WriteOptions{DryRun: !save, IfMatch: form.Version})
	switch {
	case errors.Is(err, fleet.ErrStale):
		page.Conflict, page.Form.Version = true, settings.ResourceVersion
		p.settings(w, r, http.StatusConflict, page)
	case err != nil:
		p.fail(w, r, err)
	case len(faults) > 0:
		page.Refusals = views.RefusalsOf(p.words(r), faults, settingsInput(form))
		p.settings(w, r, refusedStatus(faults), page)
	case save:
		p.done(w, r, "/settings/residency", "settings.saved", nil)
	default:
		page.Impact, page.Previewed = &written.Object.Impact, mark
		if wanted {
			page.Unsaved = unsaved(r.PostForm.Get("previewed"))
		}
		p.settings(w, r, http.StatusOK, page)
	}
}

// unsaved is the key of why nothing was saved yet.
func unsaved(previewed string) string {
	if previewed == "" {
		return "impact.not_previewed"
	}
	return "impact.changed_since"
}

func (p *Pages) settings(w http.ResponseWriter, r *http.Request, status int, page views.SettingsPage) {
	chrome, err := p.chrome(w, r, views.SectionResidency)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	page.Chrome = chrome
	p.render(w, r, status, views.Settings(page))
}

// settingsOf fills the form from the settings.
func settingsOf(s control.GeoSettings) views.SettingsForm {
	form := views.SettingsForm{Enabled: strconv.FormatBool(s.Enabled), OnDrift: s.OnDrift, Version: s.ResourceVersion}
	for _, region := range s.Regions {
		form.Regions = append(form.Regions, views.RegionForm{Name: region.Name, Description: region.Description, Countries: strings.Join(region.Countries, ", ")})
	}
	return form
}

// regionField is the name of one field of a region: regions.0.name.
var regionField = regexp.MustCompile(`^regions\.(\d{1,3})\.(name|description|countries)$`)

// settingsForm is what was typed; of what is pinned, what it is pinned to.
func settingsForm(values url.Values, s control.GeoSettings) views.SettingsForm {
	pinned := settingsOf(s)
	form := views.SettingsForm{Enabled: values.Get("enabled"), OnDrift: values.Get("onDrift"), Version: values.Get("version")}
	if s.Pinned["enabled"] != "" {
		form.Enabled = pinned.Enabled
	}
	if s.Pinned["onDrift"] != "" {
		form.OnDrift = pinned.OnDrift
	}
	if s.Pinned["regions"] != "" {
		form.Regions = pinned.Regions
		return form
	}
	for name := range values {
		match := regionField.FindStringSubmatch(name)
		if match == nil {
			continue
		}
		i, _ := strconv.Atoi(match[1]) // three digits
		for len(form.Regions) <= i {
			form.Regions = append(form.Regions, views.RegionForm{})
		}
		switch value := values.Get(name); match[2] {
		case "name":
			form.Regions[i].Name = value
		case "description":
			form.Regions[i].Description = value
		default:
			form.Regions[i].Countries = value
		}
	}
	return form
}

// settingsBody is the change that the form asks for: what is pinned is left out, a region whose fields are all
// empty is removed.
func settingsBody(form views.SettingsForm, pinned map[string]string) control.Body[control.GeoPatch] {
	values := map[string]any{}
	if pinned["enabled"] == "" && form.Enabled != "" {
		values["enabled"] = boolOrText(form.Enabled)
	}
	if pinned["onDrift"] == "" && form.OnDrift != "" {
		values["onDrift"] = form.OnDrift
	}
	if pinned["regions"] == "" {
		regions := []any{}
		for _, region := range form.Regions {
			if region != (views.RegionForm{}) {
				regions = append(regions, map[string]any{"name": region.Name, "description": region.Description, "countries": codesOf(region.Countries)})
			}
		}
		values["regions"] = regions
	}
	return formBody[control.GeoPatch](values)
}

func boolOrText(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	default:
		return text
	}
}

// codesOf splits a list of codes at commas and spaces; a code itself is taken as it was written.
func codesOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\n' || c == '\r' })
}

// settingsInput tells the id of the control that a refused field stands in.
func settingsInput(form views.SettingsForm) func(field string) string {
	var inputs []int // the row of each region that is declared
	for i, region := range form.Regions {
		if region != (views.RegionForm{}) {
			inputs = append(inputs, i)
		}
	}
	return func(field string) string {
		if field == "enabled" || field == "onDrift" {
			return field
		}
		rest, found := strings.CutPrefix(field, "regions[")
		index, part, closed := strings.Cut(rest, "]")
		i, err := strconv.Atoi(index)
		if !found || !closed || err != nil || i >= len(inputs) {
			return ""
		}
		row := "regions." + strconv.Itoa(inputs[i])
		switch {
		case strings.HasPrefix(part, ".countries"):
			return row + ".countries"
		case part == ".description":
			return row + ".description"
		default:
			return row + ".name"
		}
	}
}
