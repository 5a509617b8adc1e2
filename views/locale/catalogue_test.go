package locale

import (
	"strings"
	"testing"
	"testing/fstest"
)

func fileOf(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestWordsChoosesTheFirstLanguageItHas(t *testing.T) {
	c, err := load(fstest.MapFS{
		"messages/a.en.yaml":    fileOf("page.title: Pending\npage.only: English only\n"),
		"messages/a.fr.yaml":    fileOf("page.title: En attente\n"),
		"messages/a.pt-BR.yaml": fileOf("page.title: Pendente\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		langs      []string
		lang, text string
	}{
		"nothing asked":                     {nil, "en", "Pending"},
		"nothing usable asked":              {[]string{"", "%%%"}, "en", "Pending"},
		"a tag":                             {[]string{"fr"}, "fr", "En attente"},
		"a more exact tag":                  {[]string{"fr-CA"}, "fr", "En attente"},
		"a chosen tag before the header":    {[]string{"pt-BR", "fr,en;q=0.5"}, "pt-BR", "Pendente"},
		"an empty choice before the header": {[]string{"", "de;q=0.9,fr;q=0.8,en;q=0.1"}, "fr", "En attente"},
		"a language it does not have":       {[]string{"de"}, "en", "Pending"},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.Words(tt.langs...)
			if w.Lang() != tt.lang || w.T("page.title", nil) != tt.text {
				t.Errorf("got %s %q, want %s %q", w.Lang(), w.T("page.title", nil), tt.lang, tt.text)
			}
			if got := w.T("page.only", nil); got != "English only" {
				t.Errorf("a key that the language lacks: got %q", got)
			}
		})
	}
	if got := strings.Join(c.Languages(), " "); got != "en fr pt-BR" {
		t.Errorf("languages: got %q", got)
	}
}

func TestMessagesTakeArgumentsAndCounts(t *testing.T) {
	c, err := load(fstest.MapFS{"messages/a.en.yaml": fileOf(
		"say: \"{{.Name}}{{if .Hint}} ({{.Hint}}){{end}}{{.Gone}}\"\nrun:\n  one: \"{{.Count}} replica of {{.Name}}\"\n  other: \"{{.Count}} replicas of {{.Name}}\"\n")})
	if err != nil {
		t.Fatal(err)
	}
	w := c.Words()
	for want, got := range map[string]string{
		"a":               w.T("say", map[string]string{"Name": "a"}),
		"a (b)":           w.T("say", map[string]string{"Name": "a", "Hint": "b"}),
		"":                w.T("say", nil),
		"1 replica of x":  w.N("run", 1, map[string]string{"Name": "x"}),
		"0 replicas of x": w.N("run", 0, map[string]string{"Name": "x"}),
		"2 replicas of x": w.N("run", 2, map[string]string{"Name": "x"}),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMissingKeyIsShownAndReported(t *testing.T) {
	var missing []string
	c, err := load(fstest.MapFS{"messages/a.en.yaml": fileOf("a: A\nbroken: \"{{len .X.Y}}\"\n")},
		OnMissing(func(key string) { missing = append(missing, key) }))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"page.gone", "broken"} {
		if got := c.Words().T(key, nil); got != key {
			t.Errorf("got %q, want the key %q", got, key)
		}
	}
	if strings.Join(missing, " ") != "page.gone broken" {
		t.Errorf("reported %q", missing)
	}
	if !c.Words().Has("a") || c.Words().Has("page.gone") {
		t.Error("Has is wrong")
	}
}

func TestBadMessageFilesAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"a key in two files": {fstest.MapFS{"messages/a.en.yaml": fileOf("k: a\n"), "messages/b.en.yaml": fileOf("k: b\n")}, `read b.en.yaml: key "k" stands in two files`},
		"no YAML":            {fstest.MapFS{"messages/a.en.yaml": fileOf("k: [\n")}, "read a.en.yaml: "},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := load(tt.files); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCountryNames(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{"CA": "Canada", "GB": "United Kingdom", "ZZZ": "ZZZ", "": "", "??": "??"} {
		if got := c.Words().Country(code); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}
