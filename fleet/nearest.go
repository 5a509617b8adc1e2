package fleet

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxEdits is how far a text may be from a right one to be taken for it: two slips of the hand.
const maxEdits = 2

// nearest is the candidate that text most likely means: equal but for case and surrounding space, else the only
// one within maxEdits that is nearest. Empty where there is none, or where two are equally near.
func nearest(text string, candidates []string) string {
	trimmed := strings.TrimSpace(text)
	for _, c := range candidates {
		if strings.EqualFold(c, trimmed) {
			return c
		}
	}
	best, bestEdits, tie := "", maxEdits+1, false
	for _, c := range candidates {
		// Short texts are within two edits of almost anything.
		if len(c) < 4 || abs(len(c)-len(trimmed)) > maxEdits {
			continue
		}
		switch n := levenshtein.ComputeDistance(strings.ToLower(c), strings.ToLower(trimmed)); {
		case n < bestEdits:
			best, bestEdits, tie = c, n, false
		case n == bestEdits:
			tie = true
		}
	}
	if tie {
		return ""
	}
	return best
}

// nearestKey suggests a key of the same map, else the one path at which the document's type knows the key, or
// one nearly like it.
func nearestKey(key string, here []string, paths map[string][]string) string {
	if near := nearest(key, here); near != "" {
		return near
	}
	elsewhere := paths[key]
	if elsewhere == nil {
		elsewhere = paths[nearest(key, slices.Sorted(maps.Keys(paths)))]
	}
	if len(elsewhere) == 1 {
		return elsewhere[0]
	}
	return ""
}

func abs(n int) int { return max(n, -n) }

// Nearest is the one candidate that text most likely means, for suggestions; empty where none is for sure.
func Nearest(text string, candidates []string) string { return nearest(text, candidates) }
