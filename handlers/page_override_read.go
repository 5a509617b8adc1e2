package handlers

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// readOverride fills the form from a manifest. kept are the paths that the form has no field for: they stay in the
// manifest.
func readOverride(text string) (form views.PolicyForm, kept []string) {
	form = views.PolicyForm{}
	t, ok := parseTree(text)
	if !ok {
		return form, nil
	}
	form[views.PolicyName] = textOf(t.root, "metadata", "name")
	form[views.PolicyAPIVersion] = textOf(t.root, "apiVersion")
	for _, key := range []string{"labels", "annotations"} {
		if n := find(t.root, "metadata", key); n != nil && len(n.Content) > 0 {
			kept = append(kept, "metadata."+key)
		}
	}
	r := overrideReader{form: form, was: control.ParseOverride([]byte(text), fleet.FormatYAML).Override}
	r.members(get(t.root, "spec"), "", map[string]func(*yaml.Node, string){
		views.PolicySelectors: r.each(r.selector),
		views.OverrideRules:   r.each(r.rule),
	})
	return form, append(kept, r.kept...)
}

// overrideReader walks a spec and notes what the form has a field for.
type overrideReader struct {
	form views.PolicyForm
	// was is the manifest, decoded: of it the values are read as JSON.
	was  fleet.Override
	kept []string
}

func (r *overrideReader) keep(path string) { r.kept = append(r.kept, bracketed(specPath+path)) }

// members reads the members of a map that the form knows, each by its reader, and keeps the others.
func (r *overrideReader) members(n *yaml.Node, path string, known map[string]func(n *yaml.Node, path string)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		at := strings.TrimPrefix(path+"."+key, ".")
		if read := known[key]; read != nil {
			read(value, at)
		} else {
			r.keep(at)
		}
	}
}

// each reads the items of a list, which remember their place.
func (r *overrideReader) each(read func(n *yaml.Node, path string)) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.SequenceNode {
			r.keep(path)
			return
		}
		for i, item := range n.Content {
			at := views.RowAt(path, i)
			if item.Kind != yaml.MappingNode {
				r.keep(at)
				continue
			}
			r.form[at+"."+views.PolicyFrom] = strconv.Itoa(i)
			read(item, at)
		}
	}
}

func (r *overrideReader) scalar(n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode {
		r.keep(path)
		return
	}
	r.form[path] = textOf(n)
}

func (r *overrideReader) texts(n *yaml.Node, path string) {
	if n.Kind != yaml.SequenceNode {
		r.keep(path)
		return
	}
	for i, item := range n.Content {
		r.scalar(item, views.RowAt(path, i))
	}
}

func (r *overrideReader) keys(n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		r.keep(path)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		r.form[views.RowAt(path, i/2, "key")] = n.Content[i].Value
		r.form[views.RowAt(path, i/2, valueKey)] = n.Content[i+1].Value
	}
}

func (r *overrideReader) labels(n *yaml.Node, path string) {
	r.members(n, path, map[string]func(*yaml.Node, string){"matchLabels": r.keys})
}

func (r *overrideReader) selector(n *yaml.Node, path string) {
	r.members(n, path, map[string]func(*yaml.Node, string){"apiVersion": r.scalar, "kind": r.scalar, "namespace": r.scalar, "name": r.scalar, "labelSelector": r.labels})
}

func (r *overrideReader) rule(n *yaml.Node, path string) {
	lists := map[string]func(*yaml.Node, string){}
	for _, list := range views.OverrideLists() {
		lists[list] = r.each(func(n *yaml.Node, path string) { r.overrider(n, list, path) })
	}
	r.members(n, path, map[string]func(*yaml.Node, string){
		targetKey: func(n *yaml.Node, path string) {
			r.members(n, path, map[string]func(*yaml.Node, string){"clusterNames": r.texts, "excludeClusters": r.texts, "exclude": r.texts, "labelSelector": r.labels})
		},
		overridersKey: func(n *yaml.Node, path string) { r.members(n, path, lists) },
	})
}

func (r *overrideReader) overrider(n *yaml.Node, list, path string) {
	known := map[string]func(*yaml.Node, string){}
	for _, field := range views.OverriderFields(list) {
		known[field] = r.scalar
	}
	switch {
	case list == views.ListImage:
		known["predicate"] = func(n *yaml.Node, path string) {
			r.members(n, path, map[string]func(*yaml.Node, string){"path": r.scalar})
		}
	case list == views.ListPlaintext:
		known[valueKey] = r.value
	case views.TextRows(list):
		known[valueKey] = func(n *yaml.Node, values string) {
			if plainTexts(n) {
				r.texts(n, values)
				return
			}
			r.form[path+"."+views.RowKept] = "true"
			r.keep(values)
		}
	case views.KeyRows(list):
		known[valueKey] = r.keys
	}
	r.members(n, path, known)
}

// value of a step, as JSON: the path is overrideRules.I.overriders.plaintext.J.value.
func (r *overrideReader) value(_ *yaml.Node, path string) {
	at := steps(path)
	rule, err := strconv.Atoi(at[1])
	step, err2 := strconv.Atoi(at[4])
	if err != nil || err2 != nil || rule >= len(r.was.Spec.OverrideRules) || r.was.Spec.OverrideRules[rule].Overriders == nil ||
		step >= len(r.was.Spec.OverrideRules[rule].Overriders.Plaintext) {
		r.keep(path)
		return
	}
	r.form[path] = shownJSON(r.was.Spec.OverrideRules[rule].Overriders.Plaintext[step].Value)
}

// input tells the id of the control that a refused field of the manifest stands in; empty where the form has none.
func (w writtenOverride) input(field string) string {
	switch field {
	case "metadata.name", "apiVersion":
		return strings.TrimPrefix(field, "metadata.")
	case specPath + views.PolicySelectors:
		return views.RowAt(views.PolicySelectors, 0, "kind")
	case "spec." + views.OverrideRules:
		return views.RuleOverriders(0)
	}
	path, found := strings.CutPrefix(field, specPath)
	if !found {
		return ""
	}
	id := w.controlOf(path)
	shown := w.form.OverrideInputs()
	for _, candidate := range []string{id, id + ".0", id + ".0.key", id + ".clusterNames.0"} {
		if slices.Contains(shown, candidate) {
			return candidate
		}
	}
	return ""
}

// controlOf turns a path of the manifest into one of the form: an index counts the rows that were filled in, and a key of
// a map is a row. It goes from list to list, each found by its name in the manifest.
func (w writtenOverride) controlOf(path string) string {
	manifest, form := "", ""
	for rest := path; ; {
		step, more, index := nextStep(rest)
		manifest, form = joined(manifest, step), joined(form, step)
		if list, known := w.lists[manifest]; known {
			form = list
			if w.rows[manifest] == nil && more != "" { // a map
				return w.keyRow(list, strings.TrimPrefix(more, "."))
			}
		}
		if !index && more == "" {
			return form
		}
		if strings.HasPrefix(more, "[") {
			at, after, _ := strings.Cut(more[1:], "]")
			if i, err := strconv.Atoi(at); err == nil {
				manifest += "[" + at + "]"
				if rows := w.rows[strings.TrimSuffix(manifest, "["+at+"]")]; i < len(rows) {
					i = rows[i]
				}
				form += "." + strconv.Itoa(i)
			}
			more = after
		}
		if rest = strings.TrimPrefix(more, "."); rest == "" {
			return form
		}
	}
}

// nextStep cuts a path before its next dot or bracket.
func nextStep(path string) (step, rest string, index bool) {
	at := strings.IndexAny(path, ".[")
	if at < 0 {
		return path, "", false
	}
	return path[:at], path[at:], path[at] == '['
}

func joined(path, step string) string { return strings.TrimPrefix(path+"."+step, ".") }

// keyRow is the control of a key in rows of keys and values: "a" or "[x/y]".
func (w writtenOverride) keyRow(list, key string) string {
	key = strings.TrimSuffix(strings.TrimPrefix(key, "["), "]")
	for i := range w.form.Rows(list) {
		if w.form[views.RowAt(list, i, "key")] == key {
			return views.RowAt(list, i, "key")
		}
	}
	return list
}

// overrideText is a stored override policy as YAML, ready to be sent back.
func overrideText(o fleet.Override) (string, error) {
	o.Metadata = fleet.Metadata{Name: o.Metadata.Name, Namespace: o.Metadata.Namespace, Labels: o.Metadata.Labels, Annotations: o.Metadata.Annotations}
	o.Status = nil
	return fleet.YAML(o)
}
