package handlers

import (
	"regexp"
	"strconv"
	"strings"

	"odysseus/fleet"
	"odysseus/views"
)

// maxRow bounds the index of a row, and of a row within a row, so that a field's name cannot ask for a million of them;
// maxSteps how deep a path goes.
const (
	maxRow       = 499
	maxNestedRow = 49
	maxSteps     = 20
)

// fieldPath is the name of a field of the form: steps of letters and digits, an index being a step of its own.
var fieldPath = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$`)

// policyForm is what was typed into the form of a policy. Fields that steer the form itself are no part of it. fits is false
// where it holds more than a form does: nothing of it is to be taken then, since the rest would be lost.
func policyForm(values map[string][]string) (form views.PolicyForm, fits bool) {
	form = views.PolicyForm{}
	for name, typed := range values {
		switch name {
		case "action", "use", "check", "version", "base", "yaml", views.PolicyPick:
			continue
		}
		if name == "metadata.name" {
			name = views.PolicyName
		}
		name = strings.TrimPrefix(name, specPath) // as the manifest has it
		if !fieldPath.MatchString(name) || len(typed) == 0 {
			continue // no field of any form
		}
		if !indexesFit(name) {
			return form, false
		}
		form[name] = typed[0]
	}
	simplify(form)
	return form, formFits(form)
}

// formFits says whether a page can hold the form.
func formFits(form views.PolicyForm) bool {
	for name := range form {
		if !indexesFit(name) {
			return false
		}
	}
	return len(form)+len(form.Inputs()) <= 2*views.MaxControls
}

func indexesFit(name string) bool {
	depth, most := 0, uint64(maxRow)
	for step := range strings.SplitSeq(name, ".") {
		if depth++; depth > maxSteps {
			return false
		}
		if i, err := strconv.ParseUint(step, 10, 64); err == nil {
			if i > most {
				return false
			}
			most = maxNestedRow
		}
	}
	return true
}

// simplify puts the static weights beside the clusters where that says all of it: a rule for each cluster that is named,
// and each for that one alone.
func simplify(form views.PolicyForm) {
	clusters, rules := form.Texts(views.PolicyClusters), form.Rows(views.PolicyWeights)
	if !form.ByRules() {
		return
	}
	weights := map[string]string{}
	for i := range rules {
		targets := form.Texts(views.WeightTargets(i))
		if len(targets) != 1 || targets[0] == "" || weights[targets[0]] != "" || form[views.RowAt(views.PolicyWeights, i, "weight")] == "" || hasOthers(form, i) {
			return
		}
		weights[targets[0]] = form[views.RowAt(views.PolicyWeights, i, "weight")]
	}
	named := map[string]bool{}
	for _, cluster := range clusters {
		if named[cluster] || cluster != "" && weights[cluster] == "" {
			return
		}
		named[cluster] = cluster != ""
	}
	for cluster := range weights {
		if !named[cluster] {
			return
		}
	}
	dropRows(form, views.PolicyWeights)
	for i, cluster := range clusters {
		form[views.RowAt(views.PolicyWeights, i, "weight")] = weights[cluster]
	}
}

// hasOthers says whether a rule has a field that stands nowhere beside a cluster.
func hasOthers(form views.PolicyForm, rule int) bool {
	own := views.RowAt(views.PolicyWeights, rule) + "."
	for name, value := range form {
		if rest, found := strings.CutPrefix(name, own); found && value != "" && rest != "weight" && rest != "targetCluster.clusterNames.0" && rest != views.PolicyFrom {
			return true
		}
	}
	return false
}

// addRow carries out add:LIST and add:LIST=VALUE, and answers the id of the control to go on with. The value, or what was
// picked, goes into the first row that is empty.
func addRow(form views.PolicyForm, list, value string) (focus string) {
	if !fieldPath.MatchString(list) || !indexesFit(list) {
		return ""
	}
	if list == views.PolicyWeights && !form.ByRules() {
		byRules(form)
	}
	i := form.Rows(list)
	if value != "" {
		for row := range i {
			if rowEmpty(form, list, row) {
				i = row
				break
			}
		}
	}
	if i > maxRow {
		return ""
	}
	first := firstField(list)
	switch {
	case list == views.PolicyWeights:
		target := views.RowAt(views.WeightTargets(i), 0)
		form[target], form[views.RowAt(list, i, "weight")] = value, ""
		return target
	case first != "":
		form[views.RowAt(list, i, first)] = value
		return views.RowAt(list, i, first)
	}
	form[views.RowAt(list, i)] = value
	if list == views.PolicyClusters && value != "" && !form.ByRules() && form[views.PolicyScheduling] != fleet.SchedulingDuplicated {
		return views.RowAt(views.PolicyWeights, i, "weight")
	}
	return views.RowAt(list, i)
}

// firstField of the rows of a list; empty where a row is one field.
func firstField(list string) string {
	switch {
	case list == views.PolicySelectors:
		return "kind"
	case strings.HasSuffix(list, ".matchLabels"):
		return "key"
	}
	return ""
}

// byRules turns the weights that stand beside the clusters into rules of their own.
func byRules(form views.PolicyForm) {
	clusters := form.Texts(views.PolicyClusters)
	weights := make([]string, len(clusters))
	for i := range clusters {
		weights[i] = form[views.RowAt(views.PolicyWeights, i, "weight")]
	}
	dropRows(form, views.PolicyWeights)
	rule := 0
	for i, cluster := range clusters {
		if cluster != "" && weights[i] != "" {
			form[views.RowAt(views.WeightTargets(rule), 0)] = cluster
			form[views.RowAt(views.PolicyWeights, rule, "weight")] = weights[i]
			rule++
		}
	}
}

// pick makes a selector of a resource that was chosen from those that exist: "apiVersion|kind|namespace|name".
func pick(form views.PolicyForm, choice string) (focus string) {
	parts := strings.Split(choice, "|")
	if len(parts) != 4 {
		return ""
	}
	row := form.Rows(views.PolicySelectors)
	for i := range row {
		if rowEmpty(form, views.PolicySelectors, i) {
			row = i
			break
		}
	}
	for i, field := range []string{"apiVersion", "kind", "namespace", "name"} {
		form[views.RowAt(views.PolicySelectors, row, field)] = parts[i]
	}
	return views.RowAt(views.PolicySelectors, row, "name")
}

// removeRow carries out remove:ROW. The rows after it move up. It answers the id of the control to go on with: that of the
// row before it, or of the one that took its place.
func removeRow(form views.PolicyForm, row string) (focus string) {
	dot := strings.LastIndexByte(row, '.')
	if dot < 0 {
		return ""
	}
	list := row[:dot]
	i, err := strconv.Atoi(row[dot+1:])
	if err != nil || i < 0 || i >= form.Rows(list) {
		return ""
	}
	if list == views.PolicyClusters && !form.ByRules() && i < form.Rows(views.PolicyWeights) {
		shiftRows(form, views.PolicyWeights, i)
	}
	shiftRows(form, list, i)
	at := max(i-1, 0)
	if first := firstField(list); first != "" {
		return views.RowAt(list, at, first)
	}
	if list == views.PolicyWeights {
		if form.ByRules() {
			return views.RowAt(views.WeightTargets(at), 0)
		}
		return views.RowAt(views.PolicyClusters, 0)
	}
	return views.RowAt(list, at)
}

// shiftRows takes the i-th row out of a list.
func shiftRows(form views.PolicyForm, list string, i int) {
	rows := form.Rows(list)
	moved := views.PolicyForm{}
	for name, value := range form {
		rest, found := strings.CutPrefix(name, list+".")
		if !found {
			continue
		}
		index, field, nested := strings.Cut(rest, ".")
		n, err := strconv.Atoi(index)
		if err != nil || n < i || n >= rows {
			continue
		}
		delete(form, name)
		if n == i {
			continue
		}
		to := views.RowAt(list, n-1)
		if nested {
			to += "." + field
		}
		moved[to] = value
	}
	for name, value := range moved {
		form[name] = value
	}
}

func dropRows(form views.PolicyForm, list string) {
	for name := range form {
		if strings.HasPrefix(name, list+".") {
			delete(form, name)
		}
	}
}

// rowEmpty says whether nothing was filled into a row.
func rowEmpty(form views.PolicyForm, list string, i int) bool {
	row := views.RowAt(list, i)
	for name, value := range form {
		if value != "" && (name == row || strings.HasPrefix(name, row+".") && !strings.HasSuffix(name, "."+views.PolicyFrom)) {
			return false
		}
	}
	return true
}
