package handlers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// refusal is one entry of a problem's errors, as far as a test names it.
type refusal struct {
	code, field, value string
	line, column       int
	suggestion         string
}

// residencyRefusals is every refusal of residency.md, with the manifest that meets it. The residency's first line
// is line 10, its values start at column 16 after "country: ".
var residencyRefusals = map[string]struct {
	manifest string
	want     []refusal
}{
	"UK":                    {resident("country: UK"), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "UK", 10, 16, "GB"}}},
	"EL":                    {resident("country: EL"), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "EL", 10, 16, "GR"}}},
	"small letters":         {resident("country: ca"), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "ca", 10, 16, "CA"}}},
	"surrounding space":     {resident(`country: " CA"`), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", " CA", 10, 16, "CA"}}},
	"a name":                {resident("country: Canada"), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "Canada", 10, 16, "CA"}}},
	"three letters":         {resident("country: CAN"), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "CAN", 10, 16, "CA"}}},
	"no, quoted":            {resident(`country: "no"`), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "no", 10, 16, "NO"}}},
	"XK":                    {resident("country: XK"), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "XK", 10, 16, ""}}},
	"markup":                {resident(`country: "<b>x"`), []refusal{{"residency_country_unassigned", "spec.placement.residency.country", "<b>x", 10, 16, ""}}},
	"a blocked name":        {resident("blockedCountries: [US, Canada]"), []refusal{{"residency_country_unassigned", "spec.placement.residency.blockedCountries[1]", "Canada", 10, 30, "CA"}}},
	"blocked twice":         {resident("blockedCountries: [US, US]"), []refusal{{"residency_country_repeated", "spec.placement.residency.blockedCountries[1]", "US", 10, 30, ""}}},
	"another region's name": {resident("region: EU-Core"), []refusal{{"residency_region_undeclared", "spec.placement.residency.region", "EU-Core", 10, 15, "eu-core"}}},
	"no region's name":      {resident("region: antarctica"), []refusal{{"residency_region_undeclared", "spec.placement.residency.region", "antarctica", 10, 15, ""}}},
	"country and region":    {resident("country: CA", "region: eu-core"), []refusal{{"residency_country_and_region", "spec.placement.residency.region", "eu-core", 11, 15, ""}}},
	"contradiction":         {resident("country: CA", "blockedCountries: [CA]"), []refusal{{"residency_contradiction", "spec.placement.residency.blockedCountries[0]", "CA", 11, 26, ""}}},
	"placement of nothing":  {manifest + "  placement:\n", []refusal{{"residency_empty", "spec.placement", "null", 8, 13, ""}}},
	"placement {}":          {manifest + "  placement: {}\n", []refusal{{"residency_empty", "spec.placement", "{}", 8, 14, ""}}},
	"residency {}":          {manifest + "  placement: {residency: {}}\n", []refusal{{"residency_empty", "spec.placement.residency", "{}", 8, 26, ""}}},
	"residency of nothing":  {manifest + "  placement:\n    residency:\n", []refusal{{"residency_empty", "spec.placement.residency", "null", 9, 15, ""}}},
	"an empty country":      {resident(`country: ""`), []refusal{{"residency_empty", "spec.placement.residency.country", "", 10, 16, ""}}},
	"a country of null":     {resident("country: null"), []refusal{{"residency_empty", "spec.placement.residency.country", "null", 10, 16, ""}}},
	"an empty list":         {resident("blockedCountries: []"), []refusal{{"residency_empty", "spec.placement.residency.blockedCountries", "[]", 10, 25, ""}}},
	"a number":              {resident("country: 7"), []refusal{{"wrong_type", "spec.placement.residency.country", "7", 10, 16, ""}}},
	"a bool":                {resident("country: true"), []refusal{{"wrong_type", "spec.placement.residency.country", "true", 10, 16, ""}}},
	"a list":                {resident("country: [CA]"), []refusal{{"wrong_type", "spec.placement.residency.country", `["CA"]`, 10, 16, ""}}},
	"a misspelt key":        {resident("contry: CA"), []refusal{{"unknown_field", "spec.placement.residency.contry", "contry", 10, 7, "country"}}},
	"a misspelt block":      {manifest + "  placement:\n    residancy: {country: CA}\n", []refusal{{"unknown_field", "spec.placement.residancy", "residancy", 9, 5, "residency"}}},
	"at the wrong depth":    {manifest + "  country: CA\n", []refusal{{"unknown_field", "spec.country", "country", 8, 3, "spec.placement.residency.country"}}},
	"a key twice":           {resident("country: CA", "country: US"), []refusal{{"duplicate_key", "spec.placement.residency.country", "country", 11, 7, ""}}},
	"all at once": {strings.Replace(resident("country: Canada", "contry: CA", "blockedCountries: [ZZ]"), "replicas: 2", "replicas: many", 1), []refusal{
		{"wrong_type", "spec.replicas", "many", 7, 13, ""},
		{"residency_country_unassigned", "spec.placement.residency.country", "Canada", 10, 16, "CA"},
		{"unknown_field", "spec.placement.residency.contry", "contry", 11, 7, "country"},
		{"residency_country_unassigned", "spec.placement.residency.blockedCountries[0]", "ZZ", 12, 26, ""}}},
	"a label by hand": {labelled("odysseus.io/data-residency-country: CA"), []refusal{
		{"residency_label_handwritten", "metadata.labels[odysseus.io/data-residency-country]", "CA", 6, 5, ""}}},
	"a label by hand with a wrong value": {labelled("odysseus.io/data-residency-country: Canada"), []refusal{
		{"residency_label_handwritten", "metadata.labels[odysseus.io/data-residency-country]", "Canada", 6, 5, ""},
		{"residency_country_unassigned", "metadata.labels[odysseus.io/data-residency-country]", "Canada", 6, 41, "CA"}}},
	"a label that agrees": {strings.Replace(labelled("odysseus.io/data-residency-country: CA"), "spec:\n", "spec:\n  placement: {residency: {country: CA}}\n", 1), []refusal{
		{"residency_label_handwritten", "metadata.labels[odysseus.io/data-residency-country]", "CA", 6, 5, ""}}},
	"a near miss of a label": {labelled("odysseus.io/data-residency-contry: CA"), []refusal{
		{"label_reserved", "metadata.labels[odysseus.io/data-residency-contry]", "odysseus.io/data-residency-contry", 6, 5, "spec.placement.residency.country"}}},
	"another prefix": {labelled("odyseus.io/data-residency-country: CA"), []refusal{
		{"label_reserved", "metadata.labels[odyseus.io/data-residency-country]", "odyseus.io/data-residency-country", 6, 5, "spec.placement.residency.country"}}},
	"no prefix": {labelled("blocked-countrys: US"), []refusal{
		{"label_reserved", "metadata.labels.blocked-countrys", "blocked-countrys", 6, 5, "spec.placement.residency.blockedCountries"}}},
	"an enforced label": {labelled("odysseus.io/data-residency-country-enforced: CA"), []refusal{
		{"label_reserved", "metadata.labels[odysseus.io/data-residency-country-enforced]", "odysseus.io/data-residency-country-enforced", 6, 5, ""}}},
}

func refusals(t *testing.T, a answer) []refusal {
	t.Helper()
	var problem struct {
		Errors []struct {
			Code, Field, Value, Suggestion, Message, Accepted string
			Line, Column                                      int
		}
	}
	if err := json.Unmarshal(a.body, &problem); err != nil {
		t.Fatal(err)
	}
	var got []refusal
	for _, e := range problem.Errors {
		got = append(got, refusal{e.Code, e.Field, e.Value, e.Line, e.Column, e.Suggestion})
		if e.Message == "" || e.Value != "" && e.Code != "residency_label_handwritten" && !strings.Contains(e.Message, strings.Trim(strconv.Quote(e.Value), `"`)) && !strings.Contains(e.Message, "odysseus.io") {
			t.Errorf("the message of %s does not quote %q: %q", e.Code, e.Value, e.Message)
		}
	}
	return got
}

func TestEveryRefusalOfResidencyIsTheSameByEveryWayIn(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.want(p.ask(editor, "POST", deployments, strings.Replace(inCanada, "ledger-api\n", "other\n", 1)), 201)
	asOther := func(text string) string { return strings.Replace(text, "  name: ledger-api\n", "  name: other\n", 1) }
	for name, c := range residencyRefusals {
		for way, a := range map[string]answer{
			"create":          p.ask(editor, "POST", deployments, c.manifest),
			"create, dry run": p.ask(editor, "POST", deployments+"?dryRun=All", c.manifest),
			"update":          p.ask(editor, "PUT", deployments+"/other", asOther(c.manifest)),
			"update, dry run": p.ask(editor, "PUT", deployments+"/other?dryRun=All", asOther(c.manifest)),
			"apply":           p.ask(editor, "POST", "/api/v1/apply", c.manifest),
			"apply, dry run":  p.ask(editor, "POST", "/api/v1/apply?dryRun=All", c.manifest),
		} {
			got := refusals(t, a)
			if a.status != 422 || a.header.Get("Content-Type") != "application/problem+json" || !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %d %+v\nwant %+v", name, way, a.status, got, c.want)
			}
			if a.get("type") != "/docs/rejections#"+c.want[0].code || a.get("title") == "" || a.get("status") != "422" {
				t.Errorf("%s, %s: %s", name, way, a.body)
			}
		}
	}
	if a := p.ask(editor, "GET", deployments, ""); a.get("items.1") != "" || a.get("items.0.spec.placement.residency.country") != "CA" || a.get("items.0.metadata.generation") != "1" {
		t.Errorf("something refused was stored: %s", a.body)
	}
}

func TestAFixPutInPlaceIsAccepted(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	for name, c := range map[string]struct {
		manifest, residency string // after the fix
		refused             []string
	}{
		"country":               {labelled("odysseus.io/data-residency-country: CA"), `{"country":"CA"}`, nil},
		"country NO":            {labelled(`odysseus.io/data-residency-country: "NO"`), `{"country":"NO"}`, nil},
		"region":                {labelled("odysseus.io/data-residency-region: eu-core"), `{"region":"eu-core"}`, nil},
		"blocked":               {labelled("odysseus.io/blocked-countries: US,RU"), `{"blockedCountries":["US","RU"]}`, nil},
		"several":               {labelled("odysseus.io/data-residency-country: CA", "odysseus.io/blocked-countries: US"), `{"blockedCountries":["US"],"country":"CA"}`, nil},
		"beside a typed block":  {strings.Replace(labelled("odysseus.io/blocked-countries: US"), "spec:\n", "spec:\n  placement: {residency: {country: CA}}\n", 1), `{"blockedCountries":["US"],"country":"CA"}`, nil},
		"a wrong value":         {labelled("odysseus.io/data-residency-country: Canada"), "", []string{"residency_country_unassigned"}},
		"values that cannot be": {labelled("odysseus.io/data-residency-country: CA", "odysseus.io/data-residency-region: eu-core"), "", []string{"residency_country_and_region"}},
	} {
		a := p.ask(editor, "POST", deployments+"?dryRun=All", c.manifest)
		fix := a.get("errors.0.fix")
		if a.get("errors.0.code") != "residency_label_handwritten" || !strings.HasPrefix(fix, "placement:\n  residency:\n") {
			t.Errorf("%s: %s", name, a.body)
			continue
		}
		fixed := p.ask(editor, "POST", deployments+"?dryRun=All", putInPlace(t, c.manifest, fix))
		if c.refused != nil {
			if fixed.status != 422 || !sameList(fixed.codes("errors"), c.refused...) {
				t.Errorf("%s, fixed: %d %s", name, fixed.status, fixed.body)
			}
			continue
		}
		if fixed.status != 200 || fixed.get("object.spec.placement.residency") != c.residency {
			t.Errorf("%s, fixed: %d %s", name, fixed.status, fixed.body)
		}
	}
}

// putInPlace pastes a fix as a person does: in place of the labels and of any placement there is.
func putInPlace(t *testing.T, manifest, fix string) string {
	t.Helper()
	var whole, placement map[string]any
	if err := yaml.Unmarshal([]byte(manifest), &whole); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(fix), &placement); err != nil {
		t.Fatal(err)
	}
	delete(whole["metadata"].(map[string]any), "labels")
	whole["spec"].(map[string]any)["placement"] = placement["placement"]
	raw, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestOfAll676PairsExactlyTheAssignedAreAccepted(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	assigned := map[string]bool{}
	raw, err := os.ReadFile("../fleet/testdata/iso3166-1-alpha2.txt")
	if err != nil {
		t.Fatal(err)
	}
	for code := range strings.FieldsSeq(string(raw)) {
		assigned[code] = true
	}
	if len(assigned) != 249 {
		t.Fatalf("the list has %d codes", len(assigned))
	}
	p.want(p.ask(editor, "POST", deployments, manifest), 201)
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string([]rune{first, second})
			text := resident(`country: ` + code)
			want := 422
			if assigned[code] {
				want = 200
			}
			for way, a := range map[string]answer{
				"create": p.ask(editor, "POST", deployments+"?dryRun=All", strings.Replace(text, "ledger-api\n", "other\n", 1)),
				"update": p.ask(editor, "PUT", deployments+"/ledger-api?dryRun=All", text),
			} {
				if a.status != want || want == 200 && a.get("object.spec.placement.residency.country") != code {
					t.Errorf("%s %s: %d %s", way, code, a.status, a.body)
				}
			}
		}
	}
	text := "regions:\n"
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			text += fmt.Sprintf("  - {name: r-%c%c, countries: [%c%c]}\n", first+32, second+32, first, second)
		}
	}
	operator := startAPI(t, storing())
	a := operator.ask(operatorToken, "PUT", "/api/v1/scheduler/geo-awareness?dryRun=All", text)
	if n := len(a.codes("errors")); a.status != 422 || n != 676-249 {
		t.Errorf("of the regions, %d were refused: %d", n, a.status)
	}
	for _, r := range refusals(t, a) {
		if assigned[r.value] {
			t.Errorf("refused %+v", r)
		}
	}
}

func TestNorwaySurvivesTheRoundTrip(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.want(p.ask(editor, "POST", deployments, resident("country: NO")), 201)
	a := p.want(p.ask(editor, "GET", deployments+"/ledger-api", ""), 200)
	if a.get("spec.placement.residency.country") != "NO" {
		t.Fatalf("reads %s", a.body)
	}
	again := p.want(p.ask(editor, "PUT", deployments+"/ledger-api", string(a.body)), 200)
	if again.get("object.metadata.resourceVersion") != a.get("metadata.resourceVersion") {
		t.Errorf("what GET answered was a change: %s", again.body)
	}
}

func TestJSONIsHeldToTheSameRulesAsYAML(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	for name, c := range residencyRefusals {
		if strings.Contains(name, "twice") {
			continue // a key twice is lost on the way through a map; the next test has its own
		}
		var v any
		if err := yaml.Unmarshal([]byte(c.manifest), &v); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		a := p.ask(editor, "POST", deployments, string(raw))
		got := refusals(t, a)
		want := slices.Clone(c.want)
		for i := range got {
			if got[i].line != 1 || got[i].column < 2 {
				t.Errorf("%s: at %d:%d", name, got[i].line, got[i].column)
			}
			got[i].line, got[i].column = 0, 0
		}
		for i := range want {
			want[i].line, want[i].column = 0, 0
		}
		byField := func(a, b refusal) int { return strings.Compare(a.field+a.code, b.field+b.code) }
		slices.SortFunc(got, byField)
		slices.SortFunc(want, byField)
		if a.status != 422 || !slices.Equal(got, want) {
			t.Errorf("%s: %d %+v\nwant %+v", name, a.status, got, want)
		}
	}
	twice := `{"apiVersion": "odysseus/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"image": "nginx",
  "placement": {"residency": {"country": "CA", "country": "US"}}}}`
	if a := p.ask(editor, "POST", deployments, twice); a.status != 422 || !slices.Equal(refusals(t, a), []refusal{{"duplicate_key", "spec.placement.residency.country", "country", 2, 48, ""}}) {
		t.Errorf("a key twice: %s", a.body)
	}
}

func TestWarningsAreInTheAnswer(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.node("n-secret-de", "c1", "DE", "eu-core")
	p.want(p.ask(operatorToken, "PUT", "/api/v1/scheduler/geo-awareness", `{"regions": [{"name": "eu-core", "description": "", "countries": ["DE", "FR"]}]}`), 200)
	a := p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	if !sameList(a.codes("warnings"), "enforcement_off", "no_matching_node") {
		t.Fatalf("warned %s", a.body)
	}
	if a.get("warnings.0.setting") != "scheduler.geo_awareness.enabled" || !strings.Contains(a.get("warnings.0.message"), "scheduler.geo_awareness.enabled") || a.get("warnings.0.advertised") != "" {
		t.Errorf("enforcement_off: %s", a.get("warnings.0"))
	}
	if a.get("warnings.1.advertised") != `{"countries":["DE"],"regions":["eu-core"]}` || a.get("warnings.1.field") != "spec.placement.residency" || a.get("warnings.1.setting") != "" {
		t.Errorf("no_matching_node: %s", a.get("warnings.1"))
	}
	p.want(p.ask(operatorToken, "PUT", "/api/v1/scheduler/geo-awareness", `{"enabled": true}`), 200)
	a = p.want(p.ask(editor, "PUT", deployments+"/ledger-api", resident("region: eu-core", "blockedCountries: [FR]")), 200)
	if !sameList(a.codes("warnings"), "blocked_countries_shadowed") {
		t.Errorf("warned %s", a.body)
	}
	a = p.want(p.ask(editor, "PUT", deployments+"/ledger-api", manifest), 200)
	if a.get("warnings") != "[]" {
		t.Errorf("without a residency: %s", a.body)
	}
}

func TestARollbackNeverWidensResidency(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.want(p.ask(editor, "POST", deployments, manifest), 201)
	p.want(p.ask(editor, "PUT", deployments+"/ledger-api", inCanada), 200)
	a := p.ask(editor, "POST", deployments+"/ledger-api/rollback", `{"revision": 1}`)
	if a.status != 422 || !sameList(a.codes("errors"), "rollback_widens_residency") || a.get("errors.0.field") != "revision" || a.get("errors.0.value") != "1" || a.get("errors.0.line") != "1" {
		t.Errorf("refused %d %s", a.status, a.body)
	}
	p.want(p.ask(editor, "PUT", deployments+"/ledger-api", strings.Replace(inCanada, "1.4.0", "1.5.0", 1)), 200)
	a = p.want(p.ask(editor, "POST", deployments+"/ledger-api/rollback", `{"revision": 2}`), 200)
	if a.get("object.spec.image") != "registry.example.com/ledger-api:1.4.0" || a.get("object.status.revision") != "4" {
		t.Errorf("rolled back to %s", a.body)
	}
	revisions := p.want(p.ask(editor, "GET", deployments+"/ledger-api/revisions", ""), 200)
	if revisions.get("items.0.revision") != "4" || revisions.get("items.3.revision") != "1" || revisions.get("items.4") != "" {
		t.Errorf("revisions %s", revisions.body)
	}
}
