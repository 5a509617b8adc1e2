package locale

import (
	"strings"
	"testing"
	"testing/fstest"

	"odysseus/fleet"
)

// wordsOf makes English words of one file; a missing key fails the test.
func wordsOf(t *testing.T, text string) *Words {
	t.Helper()
	parts, err := files.ReadFile("messages/words.en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(fstest.MapFS{"messages/a.en.yaml": fileOf(text), "messages/words.en.yaml": fileOf(string(parts))},
		OnMissing(func(key string) { t.Errorf("no words for %q", key) }))
	if err != nil {
		t.Fatal(err)
	}
	return c.Words()
}

func TestRefusalQuotesTheValueBack(t *testing.T) {
	w := wordsOf(t, "refusal.x: \"{{.Quoted}} in {{.Field}}: write {{.Accepted}}{{if .Suggestion}}, {{.Suggestion}}{{end}} {{.Extra}}\"\naccepted.n: up to {{.Max}}\n")
	for name, tt := range map[string]struct {
		value, suggestion, want string
	}{
		"plain":               {"UK", "GB", `"UK" in spec.f: write up to 9, GB e`},
		"space is visible":    {" CA", "", `" CA" in spec.f: write up to 9 e`},
		"markup stays text":   {"<b>", "", `"<b>" in spec.f: write up to 9 e`},
		"control characters":  {"a\n\x1b\u202e", "", `"a\n\x1b\u202e" in spec.f: write up to 9 e`},
		"template stays text": {"{{.Field}}", "", `"{{.Field}}" in spec.f: write up to 9 e`},
		"cut at 200":          {strings.Repeat("é", 300), "", `"` + strings.Repeat("é", 200) + `…" in spec.f: write up to 9 e`},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Refusal(fleet.FieldError{Code: "x", Field: "spec.f", Value: tt.value, Suggestion: tt.suggestion,
				Want: "n", WantArgs: map[string]string{"Max": "9"}, Args: map[string]string{"Extra": "e"}})
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if got := w.Accepted(fleet.FieldError{}); got != "" {
		t.Errorf("no accepted form: got %q", got)
	}
}

func TestWarningListsWhatIsAdvertised(t *testing.T) {
	w := wordsOf(t, "warning.x: \"{{.Setting}}|{{.Field}}|{{.Countries}}|{{.Regions}}|{{.Advertised}}|{{.A}}\"\n")
	for want, warning := range map[string]fleet.Warning{
		"s|f||||a": {Code: "x", Setting: "s", Field: "f", Args: map[string]string{"A": "a"}},
		"||DE, US|north|DE, US and region north|": {Code: "x", Advertised: &fleet.Geography{Countries: []string{"DE", "US"}, Regions: []string{"north"}}},
		"||||neither country nor region|":         {Code: "x", Advertised: &fleet.Geography{}},
	} {
		if got := w.Warning(warning); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTitleOfACodeOrOfRefusals(t *testing.T) {
	w := wordsOf(t, "")
	for code, want := range map[fleet.Code]string{fleet.CodeNotFound: "Nothing here", fleet.CodeCountryUnassigned: "Refused"} {
		if got := w.Title(code); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}
