package control

import (
	"strings"

	"odysseus/fleet"
)

// maxSearched is the most pages of the store that one page of a list looks through for something that matches:
// an empty page with a cursor is then the answer, and the caller goes on from there.
const maxSearched = 20

// listOf is a page of things that carry no labels: "Lists take limit, continue, labelSelector, q". A selector
// chooses all of them where the empty set of labels satisfies it, and else none.
//
// Where words is nil, the store knows q. Where it is not, an item is kept that says q in one of its words; the
// cursor is always the one of what the store read, so a page may be short and the next one misses nothing.
func listOf[T any](o fleet.ListOptions, words func(T) []string, read func(fleet.ListOptions) ([]T, string, error)) (Page[T], error) {
	if o.Labels != nil && !o.Labels.Matches(nil) {
		return Page[T]{}, nil
	}
	q := strings.ToLower(o.Query)
	if words == nil || q == "" {
		items, next, err := read(o)
		return Page[T]{Items: items, Continue: next}, err
	}
	o.Query = ""
	var page Page[T]
	for range maxSearched {
		items, next, err := read(o)
		if err != nil {
			return Page[T]{}, err
		}
		for _, item := range items {
			if says(words(item), q) {
				page.Items = append(page.Items, item)
			}
		}
		page.Continue = next
		if next == "" || len(page.Items) > 0 {
			break
		}
		o.After = next
	}
	return page, nil
}

// says whether one of the words holds q, which is in small letters.
func says(words []string, q string) bool {
	for _, word := range words {
		if strings.Contains(strings.ToLower(word), q) {
			return true
		}
	}
	return false
}

// wordsOfEvent are its reason and what it is about: the sentence itself is made at the edge.
func wordsOfEvent(e fleet.Event) []string {
	words := []string{e.Reason}
	for _, arg := range e.Args {
		words = append(words, arg)
	}
	return words
}

func wordsOfRevision(r fleet.Revision) []string { return []string{r.Spec.Image} }

func wordsOfAudit(e fleet.AuditEntry) []string { return []string{e.Actor, e.Name} }
