package locale

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"gopkg.in/yaml.v3"
)

//go:embed messages/*.yaml
var files embed.FS

// English is the language that every key has words in; the others fall back on it.
var English = language.English

// Catalogue is all messages in all languages. It is read-only once made, and safe for concurrent use.
type Catalogue struct {
	tags    []language.Tag // English first: what nothing matches falls back on it
	matcher language.Matcher
	words   []*Words // one for each of tags
	keys    map[language.Tag]map[string]bool
	missing func(key string)
}

// Option changes how a Catalogue behaves.
type Option func(*Catalogue)

// OnMissing is called with each key that has no words, or whose words cannot be made. The key itself is shown
// then: a page with one odd word beats no page. A server logs; a test fails.
func OnMissing(report func(key string)) Option {
	return func(c *Catalogue) { c.missing = report }
}

// New reads the embedded messages. The error names the file at fault: it is a fault of the build, not of the caller.
func New(options ...Option) (*Catalogue, error) { return load(files, options...) }

func load(files fs.FS, options ...Option) (*Catalogue, error) {
	c := &Catalogue{keys: map[language.Tag]map[string]bool{}, missing: func(string) {}}
	for _, option := range options {
		option(c)
	}
	bundle := i18n.NewBundle(English)
	bundle.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	names, err := fs.Glob(files, "messages/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	for _, name := range names {
		file, err := bundle.LoadMessageFileFS(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path.Base(name), err)
		}
		if c.keys[file.Tag] == nil {
			c.keys[file.Tag] = map[string]bool{}
		}
		for _, message := range file.Messages {
			if c.keys[file.Tag][message.ID] {
				return nil, fmt.Errorf("read %s: key %q stands in two files", path.Base(name), message.ID)
			}
			c.keys[file.Tag][message.ID] = true
		}
	}
	c.tags = bundle.LanguageTags()
	slices.SortStableFunc(c.tags, func(a, b language.Tag) int { return rank(a) - rank(b) })
	c.matcher = language.NewMatcher(c.tags)
	for _, tag := range c.tags {
		c.words = append(c.words, newWords(c, tag, i18n.NewLocalizer(bundle, tag.String(), English.String())))
	}
	return c, nil
}

// rank puts English before all others.
func rank(tag language.Tag) int {
	if tag == English {
		return 0
	}
	return 1
}

// Words in the first language of langs that the catalogue has; English where it has none. Each of langs is a tag
// ("pt-BR") or the value of an Accept-Language header; empty and malformed ones are passed over.
func (c *Catalogue) Words(langs ...string) *Words {
	for _, lang := range langs {
		wanted, _, err := language.ParseAcceptLanguage(lang)
		if err != nil || len(wanted) == 0 {
			continue
		}
		if _, i, confidence := c.matcher.Match(wanted...); confidence > language.No {
			return c.words[i]
		}
	}
	return c.words[0]
}

// Languages that the catalogue has, English first.
func (c *Catalogue) Languages() []string {
	langs := make([]string, len(c.tags))
	for i, tag := range c.tags {
		langs[i] = tag.String()
	}
	return langs
}

// Keys of the English messages, sorted.
func (c *Catalogue) Keys() []string {
	keys := make([]string, 0, len(c.keys[English]))
	for key := range c.keys[English] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
