package handlers

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"odysseus/fleet"
	"odysseus/views"
)

const (
	placementKey = "placement" // may stay empty: "placement: {}" is every cluster
	specPath     = "spec."
)

// written is a form as a manifest, and where in the form each row of the manifest's lists is: rows left empty are no part
// of it.
type written struct {
	text      string
	selectors []int
	clusters  []int
	excluded  []int
	dependent []int
	weights   []int
	form      views.PolicyForm
}

// writePolicy changes the manifest that a form started from into what the form says. Everything that the form has no
// field for stays: nothing is made anew from the fields alone.
func writePolicy(base string, form views.PolicyForm) (written, error) {
	t, ok := parseTree(base)
	if !ok {
		t = tree{&yaml.Node{Kind: yaml.MappingNode}}
	}
	w := written{form: form}
	if apiVersion := form[views.PolicyAPIVersion]; apiVersion != "" {
		set(t.root, apiVersion, asText, "", "apiVersion")
	}
	set(t.root, form[views.PolicyName], asText, "metadata", "metadata", "name")
	spec := mapAt(t.root, "spec")
	w.selectors = writeSelectors(spec, form)
	w.clusters = filledRows(form.Texts(views.PolicyClusters))
	setTexts(spec, form.Texts(views.PolicyClusters), placementKey, steps(views.PolicyClusters)...)
	for _, list := range []string{views.PolicyExcluded, views.PolicyExclude} {
		texts := form.Texts(list)
		setTexts(spec, texts, placementKey, steps(list)...)
		if list == form.ExcludedList() {
			w.excluded = filledRows(texts)
		}
	}
	writeLabels(spec, form, views.PolicyClusterLabels, placementKey, steps(views.PolicyClusterLabels)...)
	writeScheduling(spec, form)
	w.weights = writeWeights(spec, form)
	for field, s := range policyScalars() {
		if field != views.PolicyScheduling {
			set(spec, form[field], s, placementKey, steps(field)...)
		}
	}
	setTexts(spec, form.Texts(views.PolicyDependent), "", steps(views.PolicyDependent)...)
	w.dependent = filledRows(form.Texts(views.PolicyDependent))
	if find(spec, placementKey) == nil && textOf(t.root, "apiVersion") != fleet.PolicyAPIVersionKarmada {
		put(spec, placementKey, &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}) // every cluster granted
	}
	writeOthers(spec, form)
	var err error
	w.text, err = t.text()
	return w, err
}

// policyScalars are the fields of the form that are one value each, under spec.
func policyScalars() map[string]sort {
	return map[string]sort{
		views.PolicyScheduling: asText, views.PolicyPreference: asText, views.PolicyCustom: asText, views.PolicyDynamic: asText,
		views.PolicyDeps: asBool, views.PolicyPreserve: asBool, views.PolicyPriority: asNumber, views.PolicyPreemption: asText,
		views.PolicyPurge: asText, views.PolicyGrace: asNumber, views.PolicyToleration: asNumber,
	}
}

func steps(path string) []string { return strings.Split(path, ".") }

func textOf(m *yaml.Node, path ...string) string {
	if n := find(m, path...); n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return n.Value
	}
	return ""
}

func filledRows(texts []string) []int {
	var rows []int
	for i, text := range texts {
		if text != "" {
			rows = append(rows, i)
		}
	}
	return rows
}

// writeSelectors: each row changes the selector that it was made from.
func writeSelectors(spec *yaml.Node, form views.PolicyForm) []int {
	var had []*yaml.Node
	if old := find(spec, views.PolicySelectors); old != nil && old.Kind == yaml.SequenceNode {
		had = old.Content
	}
	var items []*yaml.Node
	var rows []int
	for i := range form.Rows(views.PolicySelectors) {
		item := from(had, form[views.RowAt(views.PolicySelectors, i, views.PolicyFrom)])
		if item == nil && rowEmpty(form, views.PolicySelectors, i) {
			continue
		}
		if item == nil {
			item = &yaml.Node{Kind: yaml.MappingNode}
		}
		for _, field := range []string{"apiVersion", "kind", "namespace", "name"} {
			set(item, form[views.RowAt(views.PolicySelectors, i, field)], asText, "", field)
		}
		writeLabels(item, form, views.SelectorLabels(i), "labelSelector", "labelSelector", "matchLabels")
		if len(item.Content) == 0 {
			continue // all of it was emptied
		}
		items, rows = append(items, item), append(rows, i)
	}
	setList(spec, items, "", views.PolicySelectors)
	return rows
}

// from is the item that a row was made from; nil for a new row.
func from(had []*yaml.Node, index string) *yaml.Node {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(had) || had[i].Kind != yaml.MappingNode {
		return nil
	}
	return had[i]
}

// writeLabels makes a map of rows of keys and values. A row with a value and no key is a label without a key, which is
// refused as one.
func writeLabels(m *yaml.Node, form views.PolicyForm, list, keep string, path ...string) {
	rows := &yaml.Node{Kind: yaml.MappingNode}
	for i := range form.Rows(list) {
		key, value := form[views.RowAt(list, i, "key")], form[views.RowAt(list, i, "value")]
		if key != "" || value != "" {
			rows.Content = append(rows.Content, scalarOf(key, asText), scalarOf(value, asText))
		}
	}
	old := find(m, path...)
	switch {
	case len(rows.Content) == 0 && (old == nil || len(old.Content) == 0):
	case len(rows.Content) == 0:
		cut(m, keep, path...)
	case old != nil && old.Kind == yaml.MappingNode && sameScalars(old.Content, rows.Content):
	default:
		for _, key := range path[:len(path)-1] {
			m = mapAt(m, key)
		}
		put(m, path[len(path)-1], rows)
	}
}

func sameScalars(a, b []*yaml.Node) bool {
	return slices.EqualFunc(a, b, func(x, y *yaml.Node) bool { return x.Kind == y.Kind && x.Value == y.Value })
}

// writeScheduling leaves a type that was left out left out, while it means what the form says: without the block
// Duplicated, inside it Divided.
func writeScheduling(spec *yaml.Node, form views.PolicyForm) {
	typed, path := form[views.PolicyScheduling], steps(views.PolicyScheduling)
	if find(spec, path...) == nil && find(spec, placementKey) != nil && typed == leftOutType(spec) {
		return
	}
	set(spec, typed, asText, placementKey, path...)
}

func leftOutType(spec *yaml.Node) string {
	if find(spec, placementKey, "replicaScheduling") == nil {
		return fleet.SchedulingDuplicated
	}
	return fleet.SchedulingDivided
}

// writeWeights writes the weights that stand beside clusters, or the rules. It answers the row of each rule.
func writeWeights(spec *yaml.Node, form views.PolicyForm) []int {
	var had []*yaml.Node
	if old := find(spec, steps(views.PolicyWeights)...); old != nil && old.Kind == yaml.SequenceNode {
		had = old.Content
	}
	byRules, weighted := form.ByRules(), form.Filled(views.PolicyWeights)
	var items []*yaml.Node
	var rows []int
	for i := range max(form.Rows(views.PolicyWeights), form.Rows(views.PolicyClusters)) {
		weight := form[views.RowAt(views.PolicyWeights, i, "weight")]
		var rule *yaml.Node
		targets := form.Texts(views.WeightTargets(i))
		if byRules {
			rule = from(had, form[views.RowAt(views.PolicyWeights, i, views.PolicyFrom)])
			if rule == nil && rowEmpty(form, views.PolicyWeights, i) {
				continue
			}
		} else {
			cluster := form[views.RowAt(views.PolicyClusters, i)]
			// Once one cluster has a weight, a cluster without one would get nothing: it is asked for, not guessed.
			if weight == "" && (cluster == "" || !weighted) {
				continue
			}
			targets, rule = []string{cluster}, ruleFor(had, cluster)
		}
		if rule == nil {
			rule = &yaml.Node{Kind: yaml.MappingNode}
		}
		setTexts(rule, targets, "", "targetCluster", "clusterNames")
		set(rule, weight, asNumber, "", "weight")
		items, rows = append(items, rule), append(rows, i)
	}
	setList(spec, items, placementKey, steps(views.PolicyWeights)...)
	return rows
}

// ruleFor is the rule of one cluster alone.
func ruleFor(had []*yaml.Node, cluster string) *yaml.Node {
	for _, rule := range had {
		if names := find(rule, "targetCluster", "clusterNames"); names != nil && len(names.Content) == 1 && names.Content[0].Value == cluster {
			return rule
		}
	}
	return nil
}

// writeOthers writes the fields that the page has no control for, by their path, so that what a policy does not have is
// refused by name instead of dropped.
func writeOthers(spec *yaml.Node, form views.PolicyForm) {
	for _, name := range form.OtherFields() {
		if form[name] != "" {
			setPath(spec, steps(name), form[name])
		}
	}
}

func setPath(m *yaml.Node, path []string, text string) {
	for i, step := range path {
		last := i == len(path)-1
		if m.Kind == yaml.SequenceNode {
			at, err := strconv.Atoi(step)
			if err != nil {
				return
			}
			for len(m.Content) <= at {
				m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"})
			}
			if last {
				m.Content[at] = scalarOf(text, sortOf(text))
				return
			}
			if !collection(m.Content[at]) {
				m.Content[at] = emptyFor(path[i+1])
			}
			m = m.Content[at]
			continue
		}
		if last {
			put(m, step, scalarOf(text, sortOf(text)))
			return
		}
		child := get(m, step)
		if child == nil || !collection(child) {
			child = emptyFor(path[i+1])
			put(m, step, child)
		}
		m = child
	}
}

func collection(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
}

func emptyFor(step string) *yaml.Node {
	if _, err := strconv.Atoi(step); err == nil {
		return &yaml.Node{Kind: yaml.SequenceNode}
	}
	return &yaml.Node{Kind: yaml.MappingNode}
}

func sortOf(text string) sort {
	if text == "true" || text == "false" {
		return asBool
	}
	return asNumber
}
