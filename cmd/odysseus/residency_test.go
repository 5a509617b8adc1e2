package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"odysseus/fleet"
)

// written is a residency as somebody writes it, and what every way in must answer.
type written struct {
	name string
	// block stands under spec.placement.residency, one line each.
	block []string
	// form are the same values as the form's fields; nil where the form cannot say it.
	form url.Values
	want refused // Line 0: the place does not matter; Fix and Message are not compared
}

func refusedResidencies() []written {
	country := func(v string) url.Values { return url.Values{"country": {v}} }
	at := func(code fleet.Code, field, value, suggestion string, line, column int) refused {
		return refused{Code: string(code), Field: "spec.placement.residency." + field, Value: value, Suggestion: suggestion, Line: line, Column: column}
	}
	unassigned, undeclared := fleet.CodeCountryUnassigned, fleet.CodeRegionUndeclared
	return []written{
		{"the United Kingdom's other code", []string{"country: UK"}, country("UK"), at(unassigned, "country", "UK", "GB", 10, 16)},
		{"Greece's other code", []string{"country: EL"}, country("EL"), at(unassigned, "country", "EL", "GR", 10, 16)},
		{"small letters", []string{"country: ca"}, country("ca"), at(unassigned, "country", "ca", "CA", 10, 16)},
		{"surrounding space", []string{`country: " CA"`}, country(" CA"), at(unassigned, "country", " CA", "CA", 10, 16)},
		{"a name", []string{"country: Canada"}, country("Canada"), at(unassigned, "country", "Canada", "CA", 10, 16)},
		{"three letters", []string{"country: CAN"}, country("CAN"), at(unassigned, "country", "CAN", "CA", 10, 16)},
		{"Norway in small letters", []string{`country: "no"`}, country("no"), at(unassigned, "country", "no", "NO", 10, 16)},
		{"not ISO's", []string{"country: XK"}, country("XK"), at(unassigned, "country", "XK", "", 10, 16)},
		{"markup", []string{`country: "<b>x"`}, country("<b>x"), at(unassigned, "country", "<b>x", "", 10, 16)},
		{"an undeclared region", []string{"region: apac"}, url.Values{"region": {"apac"}}, at(undeclared, "region", "apac", "", 10, 15)},
		{"a region in another case", []string{"region: EU-Core"}, url.Values{"region": {"EU-Core"}}, at(undeclared, "region", "EU-Core", "eu-core", 10, 15)},
		{"country and region", []string{"country: CA", "region: eu-core"}, url.Values{"country": {"CA"}, "region": {"eu-core"}}, at(fleet.CodeCountryAndRegion, "region", "eu-core", "", 11, 15)},
		{"a contradiction", []string{"country: CA", "blockedCountries: [US, CA]"}, url.Values{"country": {"CA"}, "blockedCountries": {"US", "CA"}}, at(fleet.CodeContradiction, "blockedCountries[1]", "CA", "", 11, 30)},
		{"a country blocked by name", []string{"blockedCountries: [US, Canada]"}, url.Values{"blockedCountries": {"US", "Canada"}}, at(unassigned, "blockedCountries[1]", "Canada", "CA", 10, 30)},
		{"a country blocked twice", []string{"blockedCountries: [US, US]"}, url.Values{"blockedCountries": {"US", "US"}}, at(fleet.CodeCountryRepeated, "blockedCountries[1]", "US", "", 10, 30)},
		{"nothing", []string{`country: ""`}, nil, at(fleet.CodeResidencyEmpty, "country", "", "", 10, 16)},
		{"an empty list", []string{"blockedCountries: []"}, nil, at(fleet.CodeResidencyEmpty, "blockedCountries", "[]", "", 10, 25)},
		{"a number", []string{"country: 124"}, nil, at(fleet.CodeWrongType, "country", "124", "", 10, 16)},
		{"a misspelt key", []string{"contry: CA"}, nil, at(fleet.CodeUnknownField, "contry", "contry", "country", 10, 7)},
		{"a key twice", []string{"country: CA", "country: US"}, nil, at(fleet.CodeDuplicateKey, "country", "country", "", 11, 7)},
	}
}

// manifestOf is the reference's manifest with another name and residency.
func manifestOf(name string, block []string) string {
	return "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: " + name +
		"\nspec:\n  image: registry.example.com/ledger-api:1.4.0\n  replicas: 2\n  placement:\n    residency:\n      " + strings.Join(block, "\n      ") + "\n"
}

func same(got, want refused) bool {
	got.Message, got.Accepted, got.Fix = "", "", ""
	return got == want
}

// TestEveryWayInRefusesTheSame: create, update, apply and dry run by the API, and the form, hold a residency to one
// validator; nothing refused is stored, and a refused update leaves the old version as it was.
func TestEveryWayInRefusesTheSame(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	editor := p.person("acme", "ada@acme.example", "editor")
	const list = "/api/v1/namespaces/acme/deployments"
	p.must(http.StatusCreated, http.MethodPost, list, token, ledgerAPI)
	before := p.must(http.StatusOK, http.MethodGet, list+"/ledger-api", token, nil)

	for i, w := range refusedResidencies() {
		t.Run(w.name, func(t *testing.T) {
			name := fmt.Sprintf("new-%d", i)
			created, updated := manifestOf(name, w.block), manifestOf("ledger-api", w.block)
			ways := []struct {
				name, method, path, body string
			}{
				{"create", http.MethodPost, list, created},
				{"create, dry run", http.MethodPost, list + "?dryRun=All", created},
				{"apply", http.MethodPost, "/api/v1/apply", created},
				{"update", http.MethodPut, list + "/ledger-api", updated},
				{"update, dry run", http.MethodPut, list + "/ledger-api?dryRun=All", updated},
				{"apply of an update", http.MethodPost, "/api/v1/apply", updated},
			}
			for _, way := range ways {
				r := p.call(way.method, way.path, token, way.body)
				if r.status != http.StatusUnprocessableEntity {
					t.Errorf("%s: %d %s", way.name, r.status, r.body)
					continue
				}
				got := r.errors(t)
				if len(got) != 1 || !same(got[0], w.want) {
					t.Errorf("%s is refused with\n%+v, want\n%+v", way.name, got, w.want)
					continue
				}
				if got[0].Accepted == "" || got[0].Message == "" {
					t.Errorf("%s: no words: %+v", way.name, got[0])
				}
			}
			if r := p.call(http.MethodGet, list+"/"+name, token, nil); r.status != http.StatusNotFound {
				t.Errorf("something of it is stored: %d %s", r.status, r.body)
			}
			if w.form == nil {
				return
			}
			form := url.Values{"name": {name}, "image": {"nginx"}, "replicas": {"2"}}
			for key, values := range w.form {
				form[key] = values
			}
			for _, path := range []string{"/namespaces/acme/deployments", "/namespaces/acme/deployments/ledger-api"} {
				r := p.post(editor, path, form)
				if r.status != http.StatusUnprocessableEntity {
					t.Errorf("form to %s: %d", path, r.status)
					continue
				}
				if !strings.Contains(r.body, html.EscapeString(w.want.Value)) || strings.Contains(r.body, "<b>x") {
					t.Errorf("form to %s does not quote %q, or not as text", path, w.want.Value)
				}
				for _, must := range []string{`aria-invalid="true"`, `role="alert"`} {
					if !strings.Contains(r.body, must) {
						t.Errorf("form to %s lacks %s", path, must)
					}
				}
				if w.want.Suggestion != "" && !strings.Contains(r.body, w.want.Suggestion) {
					t.Errorf("form to %s does not suggest %s", path, w.want.Suggestion)
				}
			}
			if r := p.call(http.MethodGet, list+"/"+name, token, nil); r.status != http.StatusNotFound {
				t.Errorf("something of the form is stored: %d", r.status)
			}
		})
	}
	after := p.must(http.StatusOK, http.MethodGet, list+"/ledger-api", token, nil)
	var a, b struct{ Metadata, Spec json.RawMessage }
	before.decode(t, &a)
	after.decode(t, &b)
	if string(a.Metadata) != string(b.Metadata) || string(a.Spec) != string(b.Spec) {
		t.Errorf("a refused update changed it:\n%s\n%s", before.body, after.body)
	}
}

func TestEveryTwoLetterCodeByTheAPI(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	const list = "/api/v1/namespaces/acme/deployments"
	p.must(http.StatusCreated, http.MethodPost, list, token, ledgerAPI)
	assigned := fleet.Countries()
	accepted := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			want := http.StatusUnprocessableEntity
			if slices.Contains(assigned, code) {
				accepted++
				want = http.StatusOK
			}
			block := []string{"country: " + code}
			if r := p.call(http.MethodPost, list+"?dryRun=All", token, manifestOf("new-"+strings.ToLower(code), block)); r.status != want {
				t.Errorf("create with %s: %d, want %d", code, r.status, want)
			}
			if r := p.call(http.MethodPut, list+"/ledger-api?dryRun=All", token, manifestOf("ledger-api", block)); r.status != want {
				t.Errorf("update with %s: %d", code, r.status)
			}
		}
	}
	if accepted != 249 {
		t.Errorf("%d codes are assigned, want 249", accepted)
	}
}

func TestEveryTwoLetterCodeInAnOperatorsRegion(t *testing.T) {
	p := startPlane(t, "")
	assigned := fleet.Countries()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			r := p.call(http.MethodPut, "/api/v1/scheduler/geo-awareness?dryRun=All", operatorToken,
				map[string]any{"regions": []map[string]any{{"name": "x", "description": "", "countries": []string{code}}}})
			if (r.status == http.StatusOK) != slices.Contains(assigned, code) {
				t.Errorf("region with %s: %d %s", code, r.status, r.body)
			}
		}
	}
}

// TestTheManifestOfTheReferencePlaces walks it through: accepted with a warning while nothing matches, pending with
// the values, placed by itself once a node in Canada is there, and nowhere else.
func TestTheManifestOfTheReferencePlaces(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("europe")
	german := p.node("n-de", "europe", "DE", "eu-core")
	r := p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, ledgerAPI)
	var answer struct {
		Warnings []struct {
			Code       string
			Field      string
			Message    string
			Advertised fleet.Geography
		}
	}
	r.decode(t, &answer)
	if len(answer.Warnings) != 1 || answer.Warnings[0].Code != "no_matching_node" || answer.Warnings[0].Field != "spec.placement.residency" ||
		!slices.Equal(answer.Warnings[0].Advertised.Countries, []string{"DE"}) || !slices.Equal(answer.Warnings[0].Advertised.Regions, []string{"eu-core"}) {
		t.Errorf("warned %+v", answer.Warnings)
	}
	pending := p.placement(token, "acme", "ledger-api")
	if pending.State != fleet.Pending || pending.Pending == nil || pending.Pending.Replicas != 2 || len(pending.Pending.Reasons) != 1 {
		t.Fatalf("placement %+v", pending)
	}
	reason := pending.Pending.Reasons[0]
	if reason.Code != fleet.ReasonGeoMismatch || reason.Required.Country != "CA" || !slices.Equal(reason.Reported.Countries, []string{"DE"}) || reason.Nodes != nil ||
		!strings.Contains(reason.Message, "requires country CA; nodes report DE") {
		t.Errorf("reason %+v", reason)
	}
	staff := p.placement(operatorToken, "acme", "ledger-api")
	if nodes := staff.Pending.Reasons[0].Nodes; len(nodes) != 1 || nodes[0].Name != "n-de" || nodes[0].Country != "DE" || nodes[0].Reason == "" {
		t.Errorf("an operator is told %+v", nodes)
	}
	canadian := p.node("n-ca", "europe", "CA", "")
	p.settle()
	if german.running() != 0 || canadian.running() != 2 {
		t.Fatalf("%d replicas in Germany, %d in Canada", german.running(), canadian.running())
	}
	canadian.carryOut()
	placed := p.placement(token, "acme", "ledger-api")
	if placed.State != fleet.Placed || placed.Pending != nil || len(placed.Clusters) != 1 || placed.Clusters[0].Placed != 2 || placed.Clusters[0].Ready != 2 {
		t.Errorf("placement %+v", placed)
	}
}

func TestTheTwoWarningsHoldTogether(t *testing.T) {
	p := startPlane(t, fmt.Sprintf(declaredRegions, "false"))
	token := p.tenant("acme")
	p.cluster("europe")
	german := p.node("n-de", "europe", "DE", "")
	r := p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, ledgerAPI)
	if got := r.warnings(t); !slices.Equal(got, []string{"enforcement_off", "no_matching_node"}) {
		t.Errorf("warned %v", got)
	}
	if !strings.Contains(r.body, fleet.SettingEnforcement) {
		t.Errorf("the setting is not named: %s", r.body)
	}
	p.settle()
	if german.running() != 2 {
		t.Errorf("switched off, it limits where %d of 2 run", german.running())
	}
}

// TestAPrintedFixIsAccepted pastes the block of each refusal, by the YAML library that everybody uses.
func TestAPrintedFixIsAccepted(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	for i, labels := range []map[string]string{
		{fleet.LabelResidencyCountry: "CA"},
		{fleet.LabelResidencyCountry: "NO"},
		{fleet.LabelResidencyRegion: "eu-core"},
		{fleet.LabelBlockedCountries: "US,RU"},
		{fleet.LabelResidencyCountry: "CA", fleet.LabelBlockedCountries: "US"},
	} {
		manifest := map[string]any{"apiVersion": "odysseus/v1", "kind": "Deployment",
			"metadata": map[string]any{"name": fmt.Sprintf("fixed-%d", i), "labels": labels}, "spec": map[string]any{"image": "nginx"}}
		r := p.must(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, manifest)
		faults := r.errors(t)
		if len(faults) != len(labels) {
			t.Fatalf("%v is refused with %+v", labels, faults)
		}
		var block map[string]any
		if err := yaml.Unmarshal([]byte(faults[0].Fix), &block); err != nil || !strings.HasPrefix(faults[0].Fix, "placement:") {
			t.Fatalf("the fix is no YAML: %v\n%s", err, faults[0].Fix)
		}
		delete(manifest["metadata"].(map[string]any), "labels")
		manifest["spec"].(map[string]any)["placement"] = block["placement"]
		r = p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, manifest)
		var answer struct{ Object fleet.Deployment }
		r.decode(t, &answer)
		compiled := answer.Object.Status.ResidencyLabels
		if len(compiled) != len(labels) {
			t.Errorf("pasted, it compiles to %v, written was %v", compiled, labels)
		}
		for key, v := range labels {
			if compiled[key] != v {
				t.Errorf("pasted, %s is %q, written was %q", key, compiled[key], v)
			}
		}
	}
}

func TestARefusedWriteIsAuditedAndADryRunIsNot(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	long := strings.Repeat("x", 300)
	p.must(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/namespaces/acme/deployments?dryRun=All", token, manifestOf("dry", []string{"country: UK"}))
	p.must(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, manifestOf("wet", []string{"country: " + long}))
	body := p.must(http.StatusOK, http.MethodGet, "/api/v1/audit", operatorToken, nil).body
	if strings.Contains(body, `"dry"`) {
		t.Error("a dry run is audited")
	}
	var list struct{ Items []fleet.AuditEntry }
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Items, func(e fleet.AuditEntry) bool { return e.Name == "wet" })
	if i < 0 {
		t.Fatalf("a refused write is not audited: %s", body)
	}
	e := list.Items[i]
	if e.Accepted || !slices.Equal(e.Codes, []fleet.Code{fleet.CodeCountryUnassigned}) || e.Tenant != "acme" || e.Actor == "" || e.Verb != "create" {
		t.Errorf("audited as %+v", e)
	}
	if strings.Contains(body, strings.Repeat("x", 201)) {
		t.Error("a quoted value is not cut at 200 characters")
	}
}

func TestAnUpdateThatDropsTheResidencySaysSo(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, ledgerAPI)
	without, _, _ := strings.Cut(ledgerAPI, "  placement:")
	p.must(http.StatusOK, http.MethodPut, "/api/v1/namespaces/acme/deployments/ledger-api", token, without)
	body := p.must(http.StatusOK, http.MethodGet, "/api/v1/audit", operatorToken, nil).body
	if !strings.Contains(body, "spec.placement.residency") || !strings.Contains(body, `"before":"CA"`) && !strings.Contains(body, "country") {
		t.Errorf("the audit does not say that the residency went: %s", body)
	}
}
