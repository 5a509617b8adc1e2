package locale

import (
	"maps"
	"strconv"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Words makes texts in one language. It is safe for concurrent use.
type Words struct {
	catalogue *Catalogue
	tag       language.Tag
	localizer *i18n.Localizer
	parser    *template.TextParser
	countries display.Namer
}

func newWords(c *Catalogue, tag language.Tag, localizer *i18n.Localizer) *Words {
	return &Words{
		catalogue: c,
		tag:       tag,
		localizer: localizer,
		// An argument that was not given is empty instead of "<no value>".
		parser:    &template.TextParser{Option: "missingkey=zero"},
		countries: display.Regions(tag),
	}
}

// Lang is the language's tag, for the lang attribute of a page.
func (w *Words) Lang() string { return w.tag.String() }

// Has says whether key has words, in this language or in English.
func (w *Words) Has(key string) bool {
	return w.catalogue.keys[w.tag][key] || w.catalogue.keys[English][key]
}

// T is the message of key, made with args. The key itself where it has none: see OnMissing.
func (w *Words) T(key string, args map[string]string) string {
	return w.localize(key, &i18n.LocalizeConfig{MessageID: key, TemplateData: args, TemplateParser: w.parser})
}

// N is T in the plural form that count asks for; the message has the number as {{.Count}}.
func (w *Words) N(key string, count int, args map[string]string) string {
	data := make(map[string]string, len(args)+1)
	maps.Copy(data, args)
	data["Count"] = strconv.Itoa(count)
	return w.localize(key, &i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: count, TemplateParser: w.parser})
}

func (w *Words) localize(key string, c *i18n.LocalizeConfig) string {
	if !w.Has(key) {
		w.catalogue.missing(key)
		return key
	}
	// go-i18n also errs where the language lacks the key and English stepped in; the text is good then.
	text, err := w.localizer.Localize(c)
	if text == "" && err != nil {
		w.catalogue.missing(key)
		return key
	}
	return text
}

// Country is the name of an assigned ISO 3166-1 alpha-2 code; the code itself where it has none.
func (w *Words) Country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil || len(code) != 2 {
		return code
	}
	if name := w.countries.Name(region); name != "" {
		return name
	}
	return code
}
