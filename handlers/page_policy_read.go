package handlers

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"odysseus/fleet"
	"odysseus/views"
)

// readPolicy fills the form from a manifest. kept are the paths that the form has no field for: they stay in the manifest.
func readPolicy(text string) (form views.PolicyForm, kept []string) {
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
	spec := get(t.root, "spec")
	if spec != nil && spec.Kind == yaml.MappingNode {
		r := reader{form: form}
		r.read(spec, "")
		kept = append(kept, r.kept...)
		if find(spec, placementKey) != nil && form[views.PolicyScheduling] == "" {
			form[views.PolicyScheduling] = leftOutType(spec)
		}
	}
	simplify(form)
	return form, kept
}

// reader walks a spec and notes what the form has a field for.
type reader struct {
	form views.PolicyForm
	kept []string
}

func (r *reader) read(n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.ScalarNode:
		if _, known := policyScalars()[path]; known || rowField(path) {
			r.form[path] = textOf(n)
			return
		}
		r.keep(path)
	case n.Kind == yaml.MappingNode && strings.HasSuffix(path, ".matchLabels"):
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.form[views.RowAt(path, i/2, "key")] = n.Content[i].Value
			r.form[views.RowAt(path, i/2, "value")] = n.Content[i+1].Value
		}
	case n.Kind == yaml.MappingNode && !r.knows(path):
		r.keep(path)
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.read(n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."))
		}
	case n.Kind == yaml.SequenceNode:
		if !r.knows(path + ".0") {
			r.keep(path)
			return
		}
		for i, item := range n.Content {
			if item.Kind == yaml.MappingNode {
				r.form[views.RowAt(path, i, views.PolicyFrom)] = strconv.Itoa(i)
			}
			r.read(item, views.RowAt(path, i))
		}
	}
}

// rows of the form: a list, and the fields of each of its rows; without any where a row is one field itself.
func policyRows() map[string][]string {
	return map[string][]string{
		views.PolicySelectors: {"apiVersion", "kind", "namespace", "name"},
		views.PolicyClusters:  nil, views.PolicyExcluded: nil, views.PolicyExclude: nil, views.PolicyDependent: nil,
		views.PolicyWeights: {"weight"},
	}
}

// rowField says whether a path is one of a row's fields.
func rowField(path string) bool {
	if rest, found := strings.CutPrefix(path, views.PolicyWeights+"."); found {
		_, field, _ := strings.Cut(rest, ".")
		return field == "weight" || strings.HasPrefix(field, "targetCluster.clusterNames.")
	}
	for list, fields := range policyRows() {
		rest, found := strings.CutPrefix(path, list+".")
		if !found {
			continue
		}
		index, field, nested := strings.Cut(rest, ".")
		if _, err := strconv.Atoi(index); err == nil && (!nested && fields == nil || nested && slices.Contains(fields, field)) {
			return true
		}
	}
	return false
}

// knows says whether some field of the form lies at the path or under it.
func (r *reader) knows(path string) bool {
	if path == "" {
		return true
	}
	for field := range policyScalars() {
		if strings.HasPrefix(field, path+".") {
			return true
		}
	}
	bare := withoutIndex(path)
	for list := range policyRows() {
		if strings.HasPrefix(list+".0", path+".") || bare == list {
			return true
		}
	}
	return bare == views.PolicySelectors+".labelSelector" || bare == "placement.clusterAffinity.labelSelector" || bare == views.PolicyWeights+".targetCluster" || bare == views.PolicyWeights+".targetCluster.clusterNames"
}

// withoutIndex takes the indexes of rows out of a path.
func withoutIndex(path string) string {
	return strings.Join(slices.DeleteFunc(steps(path), func(step string) bool { _, err := strconv.Atoi(step); return err == nil }), ".")
}

// keep notes a path as a manifest's reader knows it: with its indexes in brackets.
func (r *reader) keep(path string) { r.kept = append(r.kept, bracketed(specPath+path)) }

func bracketed(path string) string {
	var b strings.Builder
	for i, step := range steps(path) {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// input tells the id of the control that a refused field of the manifest stands in; empty where the form has none.
func (w written) input(field string) string {
	switch field {
	case "metadata.name", "apiVersion":
		return strings.TrimPrefix(field, "metadata.")
	case "spec.placement", "spec.placement.clusterAffinity", specPath + views.PolicyClusters:
		return views.RowAt(views.PolicyClusters, 0)
	case "spec.failover.application", "spec.failover":
		return views.PolicyPurge
	case specPath + views.PolicySelectors:
		return views.RowAt(views.PolicySelectors, 0, "kind")
	case "spec.placement.replicaScheduling":
		return views.PolicyScheduling
	case specPath + views.PolicyWeights, "spec.placement.replicaScheduling.weightPreference":
		return w.firstWeight()
	}
	path, found := strings.CutPrefix(field, specPath)
	if !found {
		return ""
	}
	id := w.controlOf(path)
	if slices.Contains(w.form.Inputs(), id) {
		return id
	}
	return ""
}

func (w written) firstWeight() string {
	row := 0
	if len(w.weights) > 0 {
		row = w.weights[0]
	}
	return views.RowAt(views.PolicyWeights, row, "weight")
}

// controlOf turns a path of the manifest into one of the form: an index counts the rows that were filled in, and a label
// is a row.
func (w written) controlOf(path string) string {
	path, label, labelled := cutLabel(path)
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	for list, rows := range map[string][]int{views.PolicySelectors: w.selectors, views.PolicyClusters: w.clusters, w.form.ExcludedList(): w.excluded,
		views.PolicyDependent: w.dependent, views.PolicyWeights: w.weights} {
		rest, found := strings.CutPrefix(path, list+".")
		if !found {
			continue
		}
		index, field, _ := strings.Cut(rest, ".")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(rows) {
			return ""
		}
		path = views.RowAt(list, rows[i])
		if field != "" {
			path += "." + field
		}
		if list == views.PolicyWeights && !w.form.ByRules() && field != "weight" {
			return views.RowAt(views.PolicyClusters, rows[i])
		}
		if list == views.PolicyWeights && strings.TrimSuffix(field, ".clusterNames") == "targetCluster" {
			return views.RowAt(views.WeightTargets(rows[i]), 0)
		}
		break
	}
	if !labelled {
		return path
	}
	for i := range w.form.Rows(path) {
		if w.form[views.RowAt(path, i, "key")] == label {
			return views.RowAt(path, i, "key")
		}
	}
	return ""
}

// cutLabel takes the key of a label off a path: "a.matchLabels[x/y]" and "a.matchLabels.x".
func cutLabel(path string) (list, label string, found bool) {
	const labels = ".matchLabels"
	at := strings.Index(path, labels)
	if at < 0 || at+len(labels) == len(path) {
		return path, "", false
	}
	label = path[at+len(labels):]
	if strings.HasPrefix(label, "[") {
		return path[:at+len(labels)], strings.TrimSuffix(label[1:], "]"), true
	}
	return path[:at+len(labels)], label[1:], true
}

// policyManifest is a stored policy as YAML, ready to be sent back.
func policyManifest(p fleet.Policy) (string, error) {
	p.Metadata = fleet.Metadata{Name: p.Metadata.Name, Namespace: p.Metadata.Namespace, Labels: p.Metadata.Labels, Annotations: p.Metadata.Annotations}
	p.Status = nil
	return fleet.YAML(p)
}
