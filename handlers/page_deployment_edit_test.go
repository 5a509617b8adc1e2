package handlers_test

import (
	"net/url"
	"strings"
	"testing"
)

const (
	deploymentsPage = "/namespaces/acme/deployments"
	goodImage       = "registry.example.com/ledger-api:1.4.0"
)

func TestFormRefusesBesideTheField(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	b.post(deploymentsPage, "name", "taken", "image", goodImage)
	for name, tt := range map[string]struct {
		fields []string
		// control of the refusal, its code, what it quotes, and the value on its button.
		control, code, quoted, suggestion string
	}{
		"a country's name":         {[]string{"country", "Canada"}, "country", "residency_country_unassigned", `"Canada"`, "CA"},
		"a three-letter code":      {[]string{"country", "CAN"}, "country", "residency_country_unassigned", `"CAN"`, "CA"},
		"UK":                       {[]string{"country", "UK"}, "country", "residency_country_unassigned", `"UK"`, "GB"},
		"small letters":            {[]string{"country", "ca"}, "country", "residency_country_unassigned", `"ca"`, "CA"},
		"space around":             {[]string{"country", " CA"}, "country", "residency_country_unassigned", `" CA"`, "CA"},
		"a code nobody has":        {[]string{"country", "XK"}, "country", "residency_country_unassigned", `"XK"`, ""},
		"a near region":            {[]string{"region", "EU-Core"}, "region", "residency_region_undeclared", `"EU-Core"`, "eu-core"},
		"country and region":       {[]string{"country", "CA", "region", "eu-core"}, "region", "residency_country_and_region", "country CA and region eu-core", ""},
		"a blocked country at 2":   {[]string{"blockedCountries", "US", "blockedCountries", "", "blockedCountries", "uk"}, "blockedCountries-2", "residency_country_unassigned", `"uk"`, "GB"},
		"blocked twice":            {[]string{"blockedCountries", "US", "blockedCountries", "US"}, "blockedCountries-1", "residency_country_repeated", `"US"`, ""},
		"required and blocked":     {[]string{"country", "CA", "blockedCountries", "CA"}, "blockedCountries-0", "residency_contradiction", `"CA"`, ""},
		"replicas in words":        {[]string{"replicas", "two"}, "replicas", "wrong_type", `"two"`, ""},
		"too many replicas":        {[]string{"replicas", "10001"}, "replicas", "out_of_range", `"10001"`, ""},
		"fewer than none":          {[]string{"replicas", "-1"}, "replicas", "out_of_range", `"-1"`, ""},
		"an image with a space":    {[]string{"image", "Ledger API"}, "image", "image_invalid", `"Ledger API"`, ""},
		"no image":                 {[]string{"image", ""}, "image", "required", "", ""},
		"a name with capitals":     {[]string{"name", "Ledger"}, "name", "name_invalid", `"Ledger"`, "ledger"},
		"the reserved name":        {[]string{"name", "new"}, "name", "name_reserved", `"new"`, ""},
		"no name":                  {[]string{"name", ""}, "name", "required", "", ""},
		"a name that is taken":     {[]string{"name", "taken"}, "name", "already_exists", `"taken"`, ""},
		"markup in every place":    {[]string{"country", `"><script>alert(1)</script>`}, "country", "residency_country_unassigned", `"\"><script>alert(1)</script>"`, ""},
		"a template in the region": {[]string{"region", "{{.Field}}"}, "region", "residency_region_undeclared", `"{{.Field}}"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := &browser{t: t, plane: p, client: b.client}
			fields := map[string][]string{"name": {"ledger-api"}, "image": {goodImage}, "replicas": {"2"}}
			typed := map[string][]string{}
			for i := 0; i < len(tt.fields); i += 2 {
				typed[tt.fields[i]] = append(typed[tt.fields[i]], tt.fields[i+1])
			}
			for field, values := range typed {
				fields[field] = values
			}
			var sent []string
			for field, values := range fields {
				for _, v := range values {
					sent = append(sent, field, v)
				}
			}
			s := b.answers(b.post(deploymentsPage, sent...), 422)
			text := s.refusal(tt.control)
			if !strings.Contains(text, tt.quoted) || !strings.Contains(text, tt.code) {
				t.Errorf("beside %s: %q, want %s and %s", tt.control, text, tt.quoted, tt.code)
			}
			if got := s.Find(`[id="`+tt.control+`-error"] button[name=use]`).AttrOr("value", ""); tt.suggestion != "" && got != tt.control+"="+tt.suggestion || tt.suggestion == "" && got != "" {
				t.Errorf("button: %q, want %q", got, tt.suggestion)
			}
			summary := s.Find("#problems[role=alert][tabindex='-1'][autofocus]")
			if summary.Find(`a[href="#`+tt.control+`"]`).Length() == 0 || !strings.HasPrefix(s.text("title"), "Error: ") {
				t.Errorf("summary: %s", summary.Text())
			}
			for field, values := range fields {
				id := field
				for i, value := range values {
					if field == "blockedCountries" {
						id = field + "-" + string(rune('0'+i))
					}
					if got := s.value(id); got != value {
						t.Errorf("%s lost what was typed: %q, want %q", id, got, value)
					}
				}
			}
			if strings.Contains(s.raw, "<script>alert") {
				t.Error("markup came through")
			}
			if got := b.get(deploymentsPage + "/ledger-api").status; got != 404 {
				t.Errorf("a refused deployment is there: %d", got)
			}
		})
	}
}

func TestAllRefusalsOfAFormComeAtOnceInItsOrder(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	s := b.answers(b.post(deploymentsPage, "blockedCountries", "zz", "country", "UK", "replicas", "x", "name", "A", "image", "B B"), 422)
	var links []string
	for _, a := range s.Find("#problems a").EachIter() {
		links = append(links, a.AttrOr("href", ""))
	}
	if got := strings.Join(links, " "); got != "#name #image #replicas #country #blockedCountries-0" {
		t.Errorf("got %s", got)
	}
}

func TestYAMLIsRefusedWithLineColumnAndTheBlockToPaste(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	text := "apiVersion: odysseus/v1\r\nkind: Deployment\r\nmetadata:\r\n  name: ledger-api\r\n  labels:\r\n    odysseus.io/blocked-countries: US,RU\r\nspec:\r\n  image: nginx # kept\r\n  replicas: x\r\n"
	s := b.answers(b.post(deploymentsPage, "yaml", text), 422)
	beside := s.refusal("yaml")
	for _, want := range []string{"6:5", "residency_label_handwritten", "9:13", "wrong_type"} {
		if !strings.Contains(beside, want) {
			t.Errorf("no %s in %q", want, beside)
		}
	}
	if got := s.Find("#yaml-error pre").First().Text(); got != "placement:\n  residency:\n    blockedCountries:\n      - US\n      - RU\n" && got != "placement:\n  residency:\n    blockedCountries: [US, RU]\n" {
		t.Errorf("block to paste: %q", got)
	}
	if s.Find("#yaml-error [data-copy]").Length() != 1 {
		t.Error("no copy button")
	}
	if got := s.value("yaml"); got != strings.ReplaceAll(text, "\r\n", "\n") {
		t.Errorf("the text is not kept: %q", got)
	}
	for name, bad := range map[string]string{"no YAML": "a: [", "two documents": inCanada + "---\n" + inCanada, "nothing": "# only this\n", "another kind": "apiVersion: v1\nkind: Pod\n", "empty residency": manifest + "  placement: {}\n"} {
		if s := b.post(deploymentsPage, "yaml", bad); s.status != 422 || s.refusal("yaml") == "" || s.value("yaml") != bad {
			t.Errorf("%s: %d %s", name, s.status, s.text("#yaml-error"))
		}
	}
	b.leads(b.post(deploymentsPage, "yaml", inCanada), deploymentsPage+"/ledger-api")
}

func TestAcceptedFormLeadsToTheDeploymentWithItsWarnings(t *testing.T) {
	p := startAPI(t, storing())
	p.node("edge-fra-7", "canada", "DE", "")
	b := p.person(t, "acme", "editor")
	b.leads(b.post(deploymentsPage, "name", "ledger-api", "image", goodImage, "replicas", "", "country", "CA"), deploymentsPage+"/ledger-api")
	s := b.answers(b.get(deploymentsPage+"/ledger-api"), 200)
	if got := s.text("#flash"); got != "Saved. The scheduler places it now." {
		t.Errorf("flash: %q", got)
	}
	for code, words := range map[string]string{"enforcement_off": "scheduler.geo_awareness.enabled", "no_matching_node": "DE"} {
		if got := s.text(`.warning[data-code="` + code + `"]`); !strings.Contains(got, words) {
			t.Errorf("%s: %q", code, got)
		}
	}
	if b.get(deploymentsPage+"/ledger-api").Find(".warning").Length() != 2 {
		t.Error("the warnings went although they are true")
	}
}

func TestCheckingStoresNothing(t *testing.T) {
	p := startAPI(t, storing())
	b := p.person(t, "acme", "editor")
	form := []string{"name", "ledger-api", "image", goodImage, "country", "CA"}
	s := b.answers(b.post(deploymentsPage, append(form, "action", "check")...), 200)
	if s.Find("#preview .warning").Length() != 2 || s.value("country") != "CA" {
		t.Errorf("preview: %s", s.text("#preview"))
	}
	used := b.answers(b.post(deploymentsPage, "name", "ledger-api", "image", goodImage, "country", "UK", "use", "country=GB"), 200)
	if used.value("country") != "GB" || used.refusal("country") != "" {
		t.Errorf("used: %q", used.value("country"))
	}
	listed := b.answers(b.post(deploymentsPage, "name", "x", "blockedCountries", "US", "blockedCountries", "UK", "use", "blockedCountries-1=GB"), 422)
	if listed.value("blockedCountries-1") != "GB" {
		t.Errorf("used in a list: %q", listed.value("blockedCountries-1"))
	}
	more := b.answers(b.post(deploymentsPage, "blockedCountries", "US", "blockedCountries", "", "action", "add-blocked"), 200)
	if more.Find("[name=blockedCountries]").Length() != 3 || more.Find("#problems").Length() != 0 {
		t.Error("no further input")
	}
	b.answers(b.get(deploymentsPage+"/ledger-api"), 404)
}

func TestFieldsAreCheckedWhileFillingIn(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	b.part = "residency"
	s := b.answers(b.post(deploymentsPage, "country", "UK", "name", "", "check", "residency"), 422)
	if s.refusal("country") == "" || s.Find("#problems, #name, main").Length() != 0 {
		t.Errorf("not the part alone: %s", s.raw)
	}
	if s.Find(`hx-partial[hx-target="#preview"]`).Length() != 1 || s.Find(`hx-partial[hx-target="#live"]`).Length() != 1 {
		t.Error("neither preview nor announcement")
	}
	if got := s.header.Get("Vary"); !strings.Contains(got, "HX-Request") || s.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers: %v", s.header)
	}
	b.answers(b.post(deploymentsPage, "country", "GB", "name", "", "check", "residency"), 200)
	for part, input := range map[string]string{"field-name": "name", "field-image": "image", "field-replicas": "replicas"} {
		b.part = part
		if s := b.answers(b.post(deploymentsPage, input, "?", "check", part), 422); s.refusal(input) == "" {
			t.Errorf("%s: %s", part, s.raw)
		}
	}
	b.part = "field-yaml"
	if s := b.answers(b.post(deploymentsPage, "yaml", "a: [", "check", "field-yaml"), 422); s.refusal("yaml") == "" {
		t.Error("YAML is not checked")
	}
}

func TestFormAndYAMLTurnIntoEachOther(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	asYAML := b.answers(b.post(deploymentsPage, "name", "web", "image", goodImage, "replicas", "3", "country", "NO", "action", "yaml"), 200)
	text := asYAML.value("yaml")
	for _, want := range []string{"name: web", "replicas: 3", `country: "NO"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	asForm := b.answers(b.post(deploymentsPage, "yaml", text, "action", "form"), 200)
	for id, want := range map[string]string{"name": "web", "image": goodImage, "replicas": "3", "country": "NO"} {
		if got := asForm.value(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	stays := b.answers(b.post(deploymentsPage, "yaml", "spec: [", "action", "form"), 422)
	if stays.value("yaml") != "spec: [" {
		t.Error("what cannot be read is lost")
	}
	b.answers(b.get(deploymentsPage+"/new?as=yaml"), 200)
}

func TestEditKeepsWhatTheFormHasNoFieldFor(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	full := strings.Replace(inCanada, "  name: ledger-api\n", "  name: ledger-api\n  labels: {team: ledger}\n", 1) + "  env: [{name: A, value: b}, {name: B, valueFrom: {secretKeyRef: {name: s, key: token}}}]\n  envFrom: [{configMapRef: {name: settings}}]\n  ports: [{containerPort: 80}]\n"
	b.leads(b.post(deploymentsPage, "yaml", full), deploymentsPage+"/ledger-api")
	form := b.answers(b.get(deploymentsPage+"/ledger-api/edit"), 200)
	if form.value("country") != "CA" || form.value("replicas") != "2" || form.Find("#name[readonly]").Length() != 1 {
		t.Errorf("form: %s %s", form.value("country"), form.value("replicas"))
	}
	version := form.Find("input[name=version]").AttrOr("value", "")
	b.leads(b.post(deploymentsPage+"/ledger-api", "name", "ledger-api", "image", goodImage, "replicas", "5", "version", version), deploymentsPage+"/ledger-api")
	text := b.get(deploymentsPage + "/ledger-api").Find("#manifest").Text()
	for want, there := range map[string]bool{"team: ledger": true, "name: A": true, "key: token": true, "name: settings": true, "containerPort: 80": true, "replicas: 5": true, "residency": false} {
		if strings.Contains(text, want) != there {
			t.Errorf("%q: want %v in\n%s", want, there, text)
		}
	}
	yaml := b.answers(b.get(deploymentsPage+"/ledger-api/edit?as=yaml"), 200)
	if !strings.Contains(yaml.value("yaml"), "replicas: 5") {
		t.Error("YAML of the stored one is missing")
	}
}

func TestSecondEditorIsToldAndLosesNothing(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	b.post(deploymentsPage, "yaml", inCanada)
	version := b.get(deploymentsPage+"/ledger-api/edit").Find("input[name=version]").AttrOr("value", "")
	mine := []string{"name", "ledger-api", "image", goodImage, "replicas", "7", "country", "CA", "version", version}
	b.leads(b.post(deploymentsPage+"/ledger-api", "name", "ledger-api", "image", goodImage, "replicas", "3", "country", "CA", "version", version), deploymentsPage+"/ledger-api")

	s := b.answers(b.post(deploymentsPage+"/ledger-api", mine...), 409)
	if s.value("replicas") != "7" || s.Find("#conflict[role=alert]").Length() != 1 {
		t.Errorf("conflict: %s", s.text("main"))
	}
	if got := s.text("#conflict .gone") + s.text("#conflict .new"); got != "− replicas: 3+ replicas: 7" {
		t.Errorf("difference: %q", got)
	}
	fresh := s.Find("input[name=version]").AttrOr("value", "")
	mine[len(mine)-1] = fresh
	b.leads(b.post(deploymentsPage+"/ledger-api", mine...), deploymentsPage+"/ledger-api")
}

func TestMarkupInStoredValuesStaysText(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	attack := `"></pre><script>alert(1)</script>{{.X}}`
	b.leads(b.post(deploymentsPage, "yaml", inCanada+"  env: [{name: A, value: '"+attack+"'}]\n"), deploymentsPage+"/ledger-api")
	for _, path := range []string{"/ledger-api", "/ledger-api/edit?as=yaml", "/ledger-api/revisions", "?q=" + url.QueryEscape("<script>alert(1)"), "?state=" + url.QueryEscape("<script>alert(1)")} {
		s := b.answers(b.get(deploymentsPage+path), 200)
		if strings.Contains(s.raw, "<script>alert") {
			t.Errorf("%s: markup came through", path)
		}
	}
}

func TestAFormIsOfferedToThoseWhoMaySaveIt(t *testing.T) {
	p, editor := acme(t)
	viewer, support, stranger := p.person(t, "acme", "viewer"), p.person(t, "", "support"), p.person(t, "globex", "viewer")
	for name, tt := range map[string]struct {
		who    *browser
		path   string
		status int
	}{
		"an editor, a new one":              {editor, deploymentsPage + "/new", 200},
		"an editor, one that is there":      {editor, deploymentsPage + "/ledger-api/edit", 200},
		"a viewer, a new one":               {viewer, deploymentsPage + "/new", 403},
		"a viewer, one that is there":       {viewer, deploymentsPage + "/ledger-api/edit", 403},
		"a viewer, deleting":                {viewer, deploymentsPage + "/ledger-api/delete", 403},
		"support, a new one":                {support, deploymentsPage + "/new?as=yaml", 403},
		"support, one that is there":        {support, deploymentsPage + "/ledger-api/edit", 403},
		"a stranger learns of nothing":      {stranger, deploymentsPage + "/new", 404},
		"nor whether something is there":    {stranger, deploymentsPage + "/ledger-api/edit", 404},
		"nor does a viewer of what is not":  {viewer, deploymentsPage + "/nothing/edit", 404},
		"a page that is for the platform":   {viewer, "/nodes", 403},
		"a page that is nowhere, signed in": {viewer, "/nowhere/at/all", 404},
	} {
		t.Run(name, func(t *testing.T) {
			b := &browser{t: t, plane: p, client: tt.who.client}
			s := b.answers(b.get(tt.path), tt.status)
			if s.Find(".side .nav a").Length() == 0 || s.Find(`.side a[href="/account"]`).Length() != 1 || s.Find(`.side form[action="/logout"]`).Length() != 1 {
				t.Errorf("no way on: %s", s.text("body"))
			}
			if tt.status != 403 {
				return
			}
			want := "Editors of the tenant and operators change deployments."
			if tt.path == "/nodes" {
				want = "Operators and support have this page."
			}
			if !strings.Contains(s.text("main"), want) || s.Find("main form, main textarea").Length() != 0 {
				t.Errorf("the page: %s", s.text("main"))
			}
		})
	}
	support.t = t
	if s := support.answers(support.post("/settings/residency", "enabled", "true", "action", "preview"), 403); !strings.Contains(s.text("main"), "Only operators change this.") {
		t.Errorf("support, writing: %s", s.text("main"))
	}
}

func TestRefusedYAMLSaysSoFirstAndWhyItStays(t *testing.T) {
	p, b := acme(t)
	const broken = "apiVersion: odysseus/v1\nkind: ["
	s := b.answers(b.post(deploymentsPage, "yaml", broken, "action", "form"), 422)
	if got := s.text("#problems"); !strings.Contains(got, "so this stays YAML until it is mended.") || s.Find("#problems[autofocus]").Length() != 1 ||
		s.Find("button[value=yaml][aria-pressed=true]").Length() != 1 || s.Find("#yaml").Text() != broken {
		t.Errorf("to the form: %s", s.text("main"))
	}
	if got := b.answers(b.post(deploymentsPage, "yaml", broken), 422).text("#problems"); got == "" || strings.Contains(got, "stays") {
		t.Errorf("saving: %q", got)
	}
	if got := b.answers(b.post(deploymentsPage, "name", "x", "replicas", "many", "action", "yaml"), 422).text("#problems"); !strings.Contains(got, "so this stays the form until it is mended.") {
		t.Errorf("to YAML: %q", got)
	}
	// A save that htmx sends is answered with the whole content, wherever it was going to put the answer.
	htmx := &browser{t: t, plane: p, client: b.client, part: "field-yaml"}
	s = htmx.answers(htmx.post(deploymentsPage, "yaml", broken), 422)
	for name, want := range map[string]string{"HX-Retarget": "#main", "HX-Reselect": "#main", "HX-Reswap": "outerHTML"} {
		if got := s.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if s.Find("#main > #problems[autofocus], #main form #yaml").Length() != 2 {
		t.Errorf("htmx: %s", s.text("main"))
	}
}
