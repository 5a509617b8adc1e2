package handlers_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"odysseus/control"
)

const settingsPage = "/settings/residency"

// region is the fields of the i-th region of the form.
func regionFields(i, name, description, countries string) []string {
	return []string{"regions." + i + ".name", name, "regions." + i + ".description", description, "regions." + i + ".countries", countries}
}

func fields(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func TestImpactIsShownBeforeItIsSaved(t *testing.T) {
	p := startAPI(t, storing())
	p.node("edge-yul-1", "canada", "CA", "")
	editor := p.person(t, "acme", "editor")
	for name, country := range map[string]string{"inside": "CA", "outside": "JP", "free": ""} {
		editor.post(deploymentsPage, "name", name, "image", goodImage, "country", country)
	}
	p.settle()
	b := p.person(t, "", "operator")
	form := b.answers(b.get(settingsPage), 200)
	if form.Find("#enabled-false[checked]").Length() != 1 || form.Find("#onDrift[checked]").Length() != 1 || form.Find(".actions button").Length() != 2 {
		t.Errorf("form: %s", form.text("main"))
	}
	wanted := fields([]string{"version", form.Find("input[name=version]").AttrOr("value", ""), "enabled", "true", "onDrift", "reschedule"},
		regionFields("0", "eu-core", "The Union's core", "DE, FR NL"), regionFields("1", "", "", ""))

	preview := b.answers(b.post(settingsPage, append(wanted, "action", "preview")...), 200)
	impact := preview.text("#impact")
	for _, want := range []string{"1 deployment would run outside its residency", "1 deployment would match no live node", "acme/outside"} {
		if !strings.Contains(impact, want) {
			t.Errorf("no %q in %q", want, impact)
		}
	}
	if strings.Contains(impact, "acme/inside") || strings.Contains(impact, "acme/free") {
		t.Errorf("impact names who is not affected: %q", impact)
	}
	if got := preview.text("main .lead"); !strings.HasPrefix(got, "Residency is not enforced.") {
		t.Errorf("the preview says what is not so yet: %q", got)
	}
	if b.get(settingsPage).Find("#enabled-false[checked]").Length() != 1 {
		t.Fatal("a preview was stored")
	}

	// What was changed after the preview comes to a preview of its own, with what was typed.
	edited := append(sent(preview.Find("main form")), "action", "save")
	for i := 0; i < len(edited); i += 2 {
		if edited[i] == "regions.0.countries" {
			edited[i+1] = "DE"
		}
	}
	again := b.answers(b.post(settingsPage, edited...), 200)
	if !strings.Contains(again.text("#impact"), "The form was changed after the preview, so nothing has been saved.") || again.value("regions.0.countries") != "DE" {
		t.Errorf("changed after the preview: %q", again.text("#impact"))
	}
	if b.get(settingsPage).Find("#enabled-false[checked]").Length() != 1 {
		t.Fatal("what was not previewed was stored")
	}
	// Save stands in the form and sends what it shows.
	b.leads(b.post(settingsPage, append(sent(preview.Find("main form")), "action", "save")...), settingsPage)
	saved := b.answers(b.get(settingsPage), 200)
	if saved.Find("#enabled[checked]").Length() != 1 || saved.Find("#onDrift-reschedule[checked]").Length() != 1 ||
		saved.value("regions.0.name") != "eu-core" || saved.value("regions.0.countries") != "DE, FR, NL" || saved.value("regions.1.name") != "" {
		t.Errorf("saved: %s", saved.text("main"))
	}
	if got := b.get("/audit").text("tbody tr"); !strings.Contains(got, "geo-awareness") {
		t.Errorf("audit: %q", got)
	}
	b.answers(b.post(settingsPage, append(wanted, "action", "save")...), 409)

	off := b.answers(b.post(settingsPage, "enabled", "false", "action", "preview"), 200)
	if got := off.text("#impact"); !strings.Contains(got, "Replicas may then be placed outside their residency.") || !strings.Contains(got, "moves none of them back") {
		t.Errorf("turning it off: %q", got)
	}
}

// sent is what a form without JavaScript sends, but for the button.
func sent(form *goquery.Selection) []string {
	var all []string
	for _, input := range form.Find("input[name]:not([disabled])").EachIter() {
		if kind := input.AttrOr("type", ""); kind == "radio" && input.Is(":not([checked])") {
			continue
		}
		all = append(all, input.AttrOr("name", ""), input.AttrOr("value", ""))
	}
	return all
}

// saveSettings previews what is asked for, and saves it as it was previewed.
func (b *browser) saveSettings(wanted ...string) sheet {
	b.t.Helper()
	preview := b.answers(b.post(settingsPage, append(wanted, "action", "preview")...), 200)
	return b.post(settingsPage, append(sent(preview.Find("main form")), "action", "save")...)
}

func TestSavingWithoutAPreviewComesToOne(t *testing.T) {
	p := startAPI(t, storing())
	b := p.person(t, "", "operator")
	s := b.answers(b.post(settingsPage, "enabled", "true", "action", "save"), 200)
	if got := s.text("#impact"); !strings.Contains(got, "Nothing has been saved yet.") {
		t.Errorf("impact: %q", got)
	}
	b.leads(b.post(settingsPage, append(sent(s.Find("main form")), "action", "save")...), settingsPage)
	if b.get(settingsPage).Find("#enabled[checked]").Length() != 1 {
		t.Error("not saved the second time")
	}
}

func TestSupportReadsSettingsAsFacts(t *testing.T) {
	p := startAPI(t, storing())
	b := p.person(t, "", "operator")
	b.leads(b.saveSettings(regionFields("0", "eu", "", "DE, FR")...), settingsPage)
	support := p.person(t, "", "support")
	s := support.answers(support.get(settingsPage), 200)
	if s.Find("main input, main select, main textarea, main form, main button").Length() != 0 {
		t.Errorf("there is something to fill in: %s", s.text("main"))
	}
	for _, want := range []string{"Only operators change these settings.", "EnforcementOff", "Report it", "eu–DE, FR"} {
		if !strings.Contains(s.text("main"), want) {
			t.Errorf("no %q in %q", want, s.text("main"))
		}
	}
}

func TestRegionsAreRefusedBesideTheirFields(t *testing.T) {
	p := startAPI(t, storing())
	b := p.person(t, "", "operator")
	for name, tt := range map[string]struct {
		fields  []string
		control string
		code    string
		quoted  string
	}{
		"a country nobody has": {fields(regionFields("0", "", "", ""), regionFields("2", "eu", "", "DE, UK")), "regions.2.countries", "residency_country_unassigned", `"UK"`},
		"no countries":         {regionFields("0", "eu", "", ""), "regions.0.countries", "region_without_countries", "eu"},
		"the same name twice":  {fields(regionFields("0", "eu", "", "DE"), regionFields("1", "eu", "", "FR")), "regions.1.name", "region_repeated", `"eu"`},
		"another switch":       {[]string{"enabled", "perhaps"}, "", "wrong_type", `"perhaps"`},
		"another drift":        {[]string{"onDrift", "panic"}, "", "value_not_accepted", `"panic"`},
	} {
		t.Run(name, func(t *testing.T) {
			b := &browser{t: t, plane: p, client: b.client}
			for _, action := range []string{"preview", "save"} {
				s := b.answers(b.post(settingsPage, append(tt.fields, "action", action)...), 422)
				if text := s.text("#problems"); !strings.Contains(text, tt.quoted) {
					t.Errorf("summary: %q", text)
				}
				if tt.control != "" && !strings.Contains(s.refusal(tt.control), tt.code) {
					t.Errorf("beside %s: %q", tt.control, s.refusal(tt.control))
				}
				for i := 0; i < len(tt.fields); i += 2 {
					if strings.HasPrefix(tt.fields[i], "regions") && s.value(tt.fields[i]) != tt.fields[i+1] {
						t.Errorf("%s lost %q", tt.fields[i], tt.fields[i+1])
					}
				}
			}
		})
	}
	if more := b.answers(b.post(settingsPage, append(regionFields("0", "eu", "", "DE"), "action", "add-region")...), 200); more.Find("input[id$='.name']").Length() != 2 {
		t.Error("no further row")
	}
}

func TestRegionInUseStays(t *testing.T) {
	p := startAPI(t, storing())
	b := p.person(t, "", "operator")
	b.leads(b.saveSettings(regionFields("0", "eu", "", "DE")...), settingsPage)
	editor := p.person(t, "acme", "editor")
	editor.leads(editor.post(deploymentsPage, "name", "web", "image", goodImage, "region", "eu"), deploymentsPage+"/web")
	preview := b.answers(b.post(settingsPage, "enabled", "false", "action", "preview"), 200)
	if got := preview.text("#impact"); !strings.Contains(got, "The region eu is named by 1 deployment and cannot be removed.") || preview.Find("button[value=save]").Length() != 0 {
		t.Errorf("preview: %q", got)
	}
	if got := preview.Find(`#impact a[href$="/web"]`).Text(); got != "acme/web" {
		t.Errorf("preview names %q", got)
	}
	s := b.answers(b.post(settingsPage, append(sent(preview.Find("main form")), "action", "save")...), 409)
	if s.Find(`#problems [data-code="region_in_use"]`).Length() != 1 {
		t.Errorf("summary: %s", s.text("#problems"))
	}
}

func TestPinnedSettingsAreShownNotEdited(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "", "operator")
	s := b.answers(b.get(settingsPage), 200)
	if got := s.text("#pinned-enabled"); got != "Set in odysseus.yaml; it cannot be changed here." {
		t.Errorf("enabled: %q", got)
	}
	if s.Find("#enabled[disabled][checked]").Length() != 1 || s.Find("#onDrift[disabled]").Length() != 0 || s.Find(`[id="regions.0.name"][readonly]`).Length() != 1 ||
		s.Find("button[value=add-region]").Length() != 0 || s.Find("button[value=preview]").Length() != 1 {
		t.Errorf("form: %s", s.text("main"))
	}
	b.leads(b.saveSettings("onDrift", "reschedule"), settingsPage)
	on, drift := true, "report"
	all := startAPI(t, control.Pinned{Enabled: &on, OnDrift: &drift, Regions: &apiRegions,
		Source: map[string]string{"enabled": "a.yaml", "onDrift": "ODYSSEUS_SCHEDULER_GEO_AWARENESS_ON_DRIFT", "regions": "a.yaml"}})
	b = all.person(t, "", "operator")
	if b.answers(b.get(settingsPage), 200).Find("main form button").Length() != 0 {
		t.Error("there is a button although all is pinned")
	}
}
