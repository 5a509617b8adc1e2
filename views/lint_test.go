package views

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the content security policy forbids, or what would need a hole in it.
var forbidden = map[string]*regexp.Regexp{
	"a style attribute":          regexp.MustCompile(`\sstyle\s*=`),
	"a style element":            regexp.MustCompile(`<style[\s>]`),
	"a script without src":       regexp.MustCompile(`<script(>|\s+[^s>])`),
	"an inline handler":          regexp.MustCompile(`\son[a-z]+\s*=`),
	"hx-on":                      regexp.MustCompile(`hx-on`),
	"a computed hx-vals":         regexp.MustCompile(`hx-vals=["{ ]*"?js:`),
	"a filter in a trigger":      regexp.MustCompile(`hx-trigger="[^"]*\[`),
	"markup that is not escaped": regexp.MustCompile(`templ\.Raw|@raw\(`),
	"a link that is a script":    regexp.MustCompile(`javascript:`),
}

func templates(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	texts := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(raw)
	}
	return texts
}

func TestTemplatesHoldNothingThatThePolicyForbids(t *testing.T) {
	for file, text := range templates(t) {
		for what, pattern := range forbidden {
			if found := pattern.FindString(text); found != "" {
				t.Errorf("%s: %s: %q", file, what, found)
			}
		}
	}
}

// literal is text between tags with letters in it; visible is an attribute that people read or hear.
var (
	literal = regexp.MustCompile(`(?m)(?:^\s*|>)([^<>{}@/\n]*[A-Za-z]{2}[^<>{}\n]*)(?:</|$)`)
	visible = regexp.MustCompile(`\s(title|aria-label|alt|placeholder)="[^"]*[A-Za-z]`)
	code    = regexp.MustCompile(`^(templ|for|if|switch|case|default|else|import|package|func|return|var|const|type|\)|\}|@|"|//)|^[a-zA-Z-]+(=|\?=|$)|:=|^[A-Z][A-Za-z]+\(`)
)

func TestVisibleStringsAreKeysOfTheCatalogue(t *testing.T) {
	for file, text := range templates(t) {
		if found := visible.FindString(text); found != "" {
			t.Errorf("%s: %q is in one language", file, strings.TrimSpace(found))
		}
		inside := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "templ ") {
				inside = line
			} else if strings.HasPrefix(line, "}") {
				inside = ""
			}
			trimmed := strings.TrimSpace(line)
			if inside == "" || strings.HasPrefix(line, "templ ") || code.MatchString(trimmed) {
				continue
			}
			for _, match := range literal.FindAllStringSubmatch(trimmed, -1) {
				words := strings.TrimSpace(match[1])
				if words != "" && !code.MatchString(words) && !strings.Contains(words, "={") && !strings.Contains(words, `="`) {
					t.Errorf("%s: %q is no key", file, words)
				}
			}
		}
	}
}
