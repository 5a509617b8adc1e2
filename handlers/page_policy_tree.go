package handlers

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// tree is a manifest as YAML nodes: what is not touched stays as it was written, comments and order included.
type tree struct{ root *yaml.Node }

// parseTree reads a manifest that fleet has read before: it is one document, and its limits are kept. False where it is no
// map, or has anchors: changing one place would change another.
func parseTree(text string) (tree, bool) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) != 1 {
		return tree{}, false
	}
	root := document.Content[0]
	return tree{root}, root.Kind == yaml.MappingNode && plain(root)
}

// plain says whether no anchor, alias or merge is in it.
func plain(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.ShortTag() == "!!merge" {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(child *yaml.Node) bool { return !plain(child) })
}

// text writes the manifest.
func (t tree) text() (string, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(t.root); err != nil {
		return "", fmt.Errorf("encode manifest: %w", err)
	}
	return b.String(), nil
}

// get is the value of a key; nil where it has none.
func get(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// find is the value at a path of keys; nil where there is none.
func find(m *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		m = get(m, key)
	}
	return m
}

// put gives a key its value, and a new key the last place.
func put(m *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content[i+1] = value
			return
		}
	}
	m.Style = 0 // what is added to {} stands in lines of its own
	m.Content = append(m.Content, scalarOf(key, asText), value)
}

// mapAt is the map under a key, made where there is none.
func mapAt(m *yaml.Node, key string) *yaml.Node {
	if child := get(m, key); child != nil && child.Kind == yaml.MappingNode {
		return child
	}
	child := &yaml.Node{Kind: yaml.MappingNode}
	if key == "clusterAffinity" || key == "targetCluster" { // where comes before how much, for those who read it
		m.Content = append([]*yaml.Node{scalarOf(key, asText), child}, m.Content...)
		return child
	}
	put(m, key, child)
	return child
}

// cut takes the value at a path out, and every map that this leaves empty. keep is one that may stay so: an empty one
// means something.
func cut(m *yaml.Node, keep string, path ...string) {
	if len(path) == 0 {
		return
	}
	if len(path) > 1 {
		child := get(m, path[0])
		if get(child, path[1]) == nil {
			return
		}
		cut(child, keep, path[1:]...)
		if len(child.Content) > 0 || path[0] == keep {
			return
		}
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == path[0] { //nolint:gosec // a path has a step at least
			m.Content = slices.Delete(m.Content, i, i+2)
			return
		}
	}
}

// sort of scalar that a field holds.
type sort int

const (
	asText sort = iota
	asNumber
	asBool
)

var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// scalarOf is what was typed as a value: what is no number, where one belongs, stays text, for the decoder to quote.
func scalarOf(text string, s sort) *yaml.Node {
	n := &yaml.Node{}
	switch {
	case s == asNumber && wholeNumber.MatchString(text):
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!int", text
	case s == asBool && (text == "true" || text == "false"):
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!bool", text
	default:
		n.SetString(text)
		switch strings.ToLower(text) {
		case "y", "n", "yes", "no", "on", "off":
			n.Style = yaml.DoubleQuotedStyle // text to us, a boolean to tools that read YAML 1.1
		}
	}
	return n
}

// set gives the value at a path what was typed, and takes it out where nothing was: "an empty field counts as left out". A
// value that is the same already stays as it was written.
func set(m *yaml.Node, text string, s sort, keep string, path ...string) {
	old := find(m, path...)
	switch {
	case text == "" && old != nil && old.Kind == yaml.ScalarNode && old.ShortTag() == "!!null":
	case text == "":
		cut(m, keep, path...)
	case old != nil && old.Kind == yaml.ScalarNode && old.ShortTag() != "!!null" && old.Value == text:
	default:
		for _, key := range path[:len(path)-1] {
			m = mapAt(m, key)
		}
		n := scalarOf(text, s)
		if old != nil {
			n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
		}
		put(m, path[len(path)-1], n)
	}
}

// setList gives the list at a path its items; without any it is taken out, but for one that was written empty.
func setList(m *yaml.Node, items []*yaml.Node, keep string, path ...string) {
	old := find(m, path...)
	if len(items) == 0 {
		if old != nil && len(old.Content) > 0 {
			cut(m, keep, path...)
		}
		return
	}
	if old == nil || old.Kind != yaml.SequenceNode {
		for _, key := range path[:len(path)-1] {
			m = mapAt(m, key)
		}
		old = &yaml.Node{Kind: yaml.SequenceNode}
		put(m, path[len(path)-1], old)
	}
	if len(old.Content) == 0 {
		old.Style = 0
	}
	old.Content = items
}

// setTexts is setList of texts. An item that was there stays as it was written.
func setTexts(m *yaml.Node, texts []string, keep string, path ...string) {
	var had []*yaml.Node
	if old := find(m, path...); old != nil && old.Kind == yaml.SequenceNode {
		had = slices.Clone(old.Content)
	}
	var items []*yaml.Node
	for _, text := range texts {
		if text == "" {
			continue
		}
		at := slices.IndexFunc(had, func(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value == text })
		if at < 0 {
			items = append(items, scalarOf(text, asText))
			continue
		}
		items, had = append(items, had[at]), slices.Delete(had, at, at+1)
	}
	setList(m, items, keep, path...)
}
