package views

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"gopkg.in/yaml.v3"

	"odysseus/fleet"
)

// RenderedDiff is a resource before and after its overrides, line beside line, with what changed each.
type RenderedDiff struct {
	Rows []RenderedRow
	// Hidden are changes that no line shows, because values of a Secret are never shown.
	Hidden []RenderedChange
}

// RenderedRow is a line of the resource before, beside the line that takes its place after; either may be missing. Fold
// counts the unchanged lines that the row stands for, where it stands for some.
type RenderedRow struct {
	Before, After   string
	Gone, New, Same bool
	Fold            int
	// By are the rules that changed the line, in the order in which they did.
	By []fleet.AppliedRule
}

// RenderedChange is a place that a rule changed.
type RenderedChange struct {
	fleet.AppliedRule
	Path string
}

// RenderedDiffOf compares what a cluster would receive without overrides and with them.
func RenderedDiffOf(before, after json.RawMessage, steps []fleet.RenderStep) RenderedDiff {
	const context = 2
	was, is := shownYAML(before), shownYAML(after)
	wasPaths, isPaths := linePaths(was), linePaths(is)
	// The edits are of these two texts, so applying them cannot fail.
	unified, _ := udiff.ToUnifiedDiff("", "", was, udiff.Lines(was, is), context)
	var d RenderedDiff
	next := 1 // line of the text before, from 1
	for _, hunk := range unified.Hunks {
		d.fold(hunk.FromLine - next)
		from, to := hunk.FromLine, hunk.ToLine
		var gone, added []numberedLine
		for _, line := range hunk.Lines {
			text := strings.TrimSuffix(line.Content, "\n")
			switch line.Kind {
			case udiff.Delete:
				gone = append(gone, numberedLine{text, pathOf(wasPaths, from)})
				from++
			case udiff.Insert:
				added = append(added, numberedLine{text, pathOf(isPaths, to)})
				to++
			default:
				d.changed(gone, added, steps)
				gone, added = nil, nil
				d.Rows = append(d.Rows, RenderedRow{Before: text, After: text, Same: true})
				from, to = from+1, to+1
			}
		}
		d.changed(gone, added, steps)
		next = from
	}
	if len(d.Rows) > 0 {
		d.fold(strings.Count(was, "\n") + 1 - next)
		return d
	}
	for _, s := range steps {
		if c := (RenderedChange{s.AppliedRule, s.Path}); !slices.Contains(d.Hidden, c) {
			d.Hidden = append(d.Hidden, c)
		}
	}
	return d
}

// Same says whether nothing is different.
func (d RenderedDiff) Same() bool { return len(d.Rows)+len(d.Hidden) == 0 }

func (d *RenderedDiff) fold(lines int) {
	if lines > 0 {
		d.Rows = append(d.Rows, RenderedRow{Fold: lines})
	}
}

// numberedLine is a line with the place in the document that it is about, as a JSON Pointer.
type numberedLine struct{ text, path string }

// changed puts lines that went beside those that came in their place: those about the same place in the document.
func (d *RenderedDiff) changed(gone, added []numberedLine, steps []fleet.RenderStep) {
	for len(gone)+len(added) > 0 {
		switch {
		case len(gone) > 0 && len(added) > 0 && gone[0].path == added[0].path:
			d.Rows = append(d.Rows, RenderedRow{Before: gone[0].text, After: added[0].text, Gone: true, New: true, By: changedBy(added[0].path, steps)})
			gone, added = gone[1:], added[1:]
		case len(added) == 0 || len(gone) > 0 && !slices.ContainsFunc(added, func(l numberedLine) bool { return l.path == gone[0].path }):
			d.Rows = append(d.Rows, RenderedRow{Before: gone[0].text, Gone: true, By: changedBy(gone[0].path, steps)})
			gone = gone[1:]
		default:
			d.Rows = append(d.Rows, RenderedRow{After: added[0].text, New: true, By: changedBy(added[0].path, steps)})
			added = added[1:]
		}
	}
}

// changedBy are the rules behind a changed line: those that changed the place itself or something around it; where there
// are none, something in it; else what lies nearest, as the places behind an item that went are other ones than before.
func changedBy(path string, steps []fleet.RenderStep) []fleet.AppliedRule {
	var by []fleet.AppliedRule
	add := func(rule fleet.AppliedRule) {
		if !slices.Contains(by, rule) {
			by = append(by, rule)
		}
	}
	for _, s := range steps {
		if under(path, s.Path) {
			add(s.AppliedRule)
		}
	}
	if len(by) > 0 {
		return by
	}
	nearest, shared := -1, -1
	for i, s := range steps {
		if under(s.Path, path) {
			add(s.AppliedRule)
		}
		if n := sharedSteps(path, s.Path); n >= shared {
			nearest, shared = i, n
		}
	}
	if len(by) == 0 && nearest >= 0 {
		add(steps[nearest].AppliedRule)
	}
	return by
}

// under says whether a pointer is another one, or leads on from it.
func under(path, from string) bool { return path == from || strings.HasPrefix(path, from+"/") }

func sharedSteps(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// shownYAML is an object for reading; what is larger than a document may be stays as it is.
func shownYAML(object json.RawMessage) string {
	text, err := fleet.YAML(object)
	if err != nil {
		text = string(object)
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// linePaths is the place in the document that each line of its YAML is about, the deepest that begins on it.
func linePaths(text string) []string {
	paths := make([]string, strings.Count(text, "\n"))
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) != 1 {
		return paths
	}
	var walk func(n *yaml.Node, path string)
	mark := func(n *yaml.Node, path string) {
		if n.Line >= 1 && n.Line <= len(paths) {
			paths[n.Line-1] = path
		}
	}
	walk = func(n *yaml.Node, path string) {
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				at := path + "/" + pointerEscapes.Replace(n.Content[i].Value)
				mark(n.Content[i], at)
				walk(n.Content[i+1], at)
			}
		case yaml.SequenceNode:
			for i, item := range n.Content {
				at := path + "/" + strconv.Itoa(i)
				mark(item, at)
				walk(item, at)
			}
		}
	}
	walk(document.Content[0], "")
	for i := 1; i < len(paths); i++ { // a text of several lines
		if paths[i] == "" {
			paths[i] = paths[i-1]
		}
	}
	return paths
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pathOf(paths []string, line int) string {
	if line < 1 || line > len(paths) {
		return ""
	}
	return paths[line-1]
}
