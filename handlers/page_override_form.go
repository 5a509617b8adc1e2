package handlers

import (
	"encoding/json"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

const (
	targetKey     = "targetCluster" // may stay empty: "targetCluster: {}" is every cluster
	overridersKey = "overriders"
	valueKey      = "value"
)

// writtenOverride is a form as a manifest, and where in the form each row of the manifest's lists is: rows left empty are
// no part of it.
type writtenOverride struct {
	text string
	form views.PolicyForm
	// rows of each list of the manifest, by its name in the manifest: "overrideRules[0].overriders.plaintext".
	rows map[string][]int
	// lists are the names in the form of the lists of the manifest.
	lists map[string]string
	// faults are what the form alone can be at fault with: a value that is no JSON.
	faults fleet.FieldErrors
}

// writeOverride changes the manifest that a form started from into what the form says. Everything that the form has no
// field for stays, as with writePolicy.
func writeOverride(base string, form views.PolicyForm) (writtenOverride, error) {
	t, ok := parseTree(base)
	if !ok {
		t = tree{&yaml.Node{Kind: yaml.MappingNode}}
	}
	w := writtenOverride{form: form, rows: map[string][]int{}, lists: map[string]string{}}
	if apiVersion := form[views.PolicyAPIVersion]; apiVersion != "" {
		set(t.root, apiVersion, asText, "", "apiVersion")
	}
	set(t.root, form[views.PolicyName], asText, "metadata", "metadata", "name")
	spec := mapAt(t.root, "spec")
	selectors := writeSelectors(spec, form)
	w.list(views.PolicySelectors, views.PolicySelectors, selectors)
	for n, i := range selectors {
		w.list(views.PolicySelectors+"["+strconv.Itoa(n)+"].labelSelector.matchLabels", views.SelectorLabels(i), nil)
	}
	w.rules(spec, textOf(t.root, "apiVersion") == fleet.PolicyAPIVersionKarmada, control.ParseOverride([]byte(base), fleet.FormatYAML).Override)
	for _, name := range form.OverrideOthers() {
		if form[name] != "" {
			setPath(spec, steps(name), form[name])
		}
	}
	var err error
	w.text, err = t.text()
	return w, err
}

func (w *writtenOverride) list(manifest, form string, rows []int) {
	w.rows[manifest], w.lists[manifest] = rows, form
}

// rules: each row changes the rule that it was made from. was is what the form started from, read.
func (w *writtenOverride) rules(spec *yaml.Node, karmada bool, was fleet.Override) {
	had := itemsAt(spec, views.OverrideRules)
	var items []*yaml.Node
	var rows []int
	for i := range w.form.Rows(views.OverrideRules) {
		index := w.form[views.RowAt(views.OverrideRules, i, views.PolicyFrom)]
		item := from(had, index)
		if item == nil && rowEmpty(w.form, views.OverrideRules, i) {
			continue
		}
		var old fleet.Overriders
		if item == nil {
			item = &yaml.Node{Kind: yaml.MappingNode}
		} else if at, err := strconv.Atoi(index); err == nil && at < len(was.Spec.OverrideRules) && was.Spec.OverrideRules[at].Overriders != nil {
			old = *was.Spec.OverrideRules[at].Overriders
		}
		w.rule(item, i, len(items), karmada, old)
		items, rows = append(items, item), append(rows, i)
	}
	setList(spec, items, "", views.OverrideRules)
	w.list(views.OverrideRules, views.OverrideRules, rows)
}

// rule writes the i-th row of the form as the n-th rule of the manifest.
func (w *writtenOverride) rule(item *yaml.Node, i, n int, karmada bool, was fleet.Overriders) {
	at := views.OverrideRules + "[" + strconv.Itoa(n) + "]."
	names := func(list string) {
		texts := w.form.Texts(list)
		path := steps(strings.TrimPrefix(list, views.RowAt(views.OverrideRules, i)+"."))
		setTexts(item, texts, targetKey, path...)
		w.list(at+strings.Join(path, "."), list, filledRows(texts))
	}
	names(views.RuleTargets(i))
	// The other spelling first: both lists are looked at, and the one that is shown counts.
	for _, key := range []string{"exclude", "excludeClusters"} {
		names(views.RowAt(views.OverrideRules, i, targetKey, key))
	}
	writeLabels(item, w.form, views.RuleLabels(i), targetKey, targetKey, "labelSelector", "matchLabels")
	w.list(at+"targetCluster.labelSelector.matchLabels", views.RuleLabels(i), nil)
	if find(item, targetKey) == nil && !karmada {
		every := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		item.Content = append([]*yaml.Node{scalarOf(targetKey, asText), every}, item.Content...)
	}
	written := find(item, overridersKey) != nil
	overriders := mapAt(item, overridersKey)
	for _, list := range views.OverrideLists() {
		w.overriders(overriders, list, i, at+overridersKey+"."+list, was.Plaintext)
	}
	if len(overriders.Content) == 0 && !written {
		cut(item, "", overridersKey)
	}
}

// overriders writes one list of a rule. At is its name in the manifest.
func (w *writtenOverride) overriders(m *yaml.Node, list string, rule int, at string, was []fleet.PlaintextOverrider) {
	had, name := itemsAt(m, list), views.RuleList(rule, list)
	var items []*yaml.Node
	var rows []int
	for i := range w.form.Rows(name) {
		index := w.form[views.RowAt(name, i, views.PolicyFrom)]
		item := from(had, index)
		if item == nil && rowEmpty(w.form, name, i) {
			continue
		}
		var old json.RawMessage
		if item == nil {
			item = &yaml.Node{Kind: yaml.MappingNode}
		} else if at, err := strconv.Atoi(index); err == nil && at < len(was) {
			old = was[at].Value
		}
		here := at + "[" + strconv.Itoa(len(items)) + "]"
		for _, field := range views.OverriderFields(list) {
			typed := w.form[views.RowAt(name, i, field)]
			switch {
			case list == views.ListPlaintext && field == valueKey:
				w.value(item, here, typed, old)
			case list == views.ListPlaintext && field == "path" && typed == "" && textIs(get(item, field), ""):
				// "" is a path, and stays as it was written: it is refused for what it is.
			default:
				set(item, typed, asText, "", steps(field)...)
			}
		}
		values := views.RowAt(name, i, valueKey)
		switch {
		case views.TextRows(list):
			if plainTexts(get(item, valueKey)) {
				texts := w.form.Texts(values)
				setTexts(item, texts, "", valueKey)
				w.list(here+"."+valueKey, values, filledRows(texts))
			}
		case views.KeyRows(list):
			writeLabels(item, w.form, values, "", valueKey)
			w.list(here+"."+valueKey, values, nil)
		}
		items, rows = append(items, item), append(rows, i)
	}
	setList(m, items, "", list)
	w.list(at, name, rows)
}

// value writes what was typed as JSON; one that is the same already stays as it was written. What is no JSON is refused,
// and most likely meant as a text.
func (w *writtenOverride) value(item *yaml.Node, at, typed string, was json.RawMessage) {
	switch {
	case typed == "":
		cut(item, "", valueKey)
		return
	case was != nil && typed == shownJSON(was):
		return
	}
	node, ok := nodeOf(typed)
	if !ok {
		w.faults = append(w.faults, fleet.FieldError{Code: fleet.CodeNotAccepted, Field: specPath + at + "." + valueKey, Value: typed, Want: "json_value", Suggestion: quotedJSON(typed)})
		node = scalarOf(typed, asText)
	}
	put(item, valueKey, node)
}

// nodeOf reads JSON as YAML nodes, members in their order and numbers as they are written.
func nodeOf(text string) (*yaml.Node, bool) {
	if !json.Valid([]byte(text)) {
		return nil, false
	}
	written, err := fleet.YAML(json.RawMessage(text))
	if err != nil {
		return nil, false
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(written), &document); err != nil || len(document.Content) != 1 {
		return nil, false
	}
	return document.Content[0], true
}

// shownJSON is a value as the form has it.
func shownJSON(raw json.RawMessage) string { return strings.TrimSpace(string(raw)) }

func itemsAt(m *yaml.Node, path ...string) []*yaml.Node {
	if list := find(m, path...); list != nil && list.Kind == yaml.SequenceNode {
		return list.Content
	}
	return nil
}

func textIs(n *yaml.Node, text string) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value == text
}

// plainTexts says whether a list can be shown as rows of texts: an empty one would be taken for none.
func plainTexts(n *yaml.Node) bool {
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return true
	}
	if n.Kind != yaml.SequenceNode {
		return false
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.Value == "" || item.ShortTag() == "!!null" {
			return false
		}
	}
	return true
}
