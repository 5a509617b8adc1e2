package views

import (
	"slices"
	"strings"

	"odysseus/fleet"
)

// Lists of an override policy's form. Fields are named as those of PolicyForm are, by their path under spec:
// overrideRules.0.overriders.imageOverrider.0.value. The values of labels and annotations are rows of a key and a value.
const (
	OverrideRules = "overrideRules"

	// OverridePick, before the name of a rule's overriders, is the sort of change that is chosen to be added; before the
	// name of a path, the field of the resource that is chosen for it.
	OverridePick = "pick."
	// OverrideLook is the resource that the page looks at: its fields and containers are offered, and what becomes of it is
	// shown.
	OverrideLook = "look"

	overridersKey = "overriders"
)

// Lists of overriders that the form has rows for, in the order in which they are applied. Those of fieldOverrider are
// written as YAML.
const (
	ListImage       = "imageOverrider"
	ListCommand     = "commandOverrider"
	ListArgs        = "argsOverrider"
	ListLabels      = "labelsOverrider"
	ListAnnotations = "annotationsOverrider"
	ListPlaintext   = "plaintext"
)

// OverrideLists are those lists.
func OverrideLists() []string {
	return []string{ListImage, ListCommand, ListArgs, ListLabels, ListAnnotations, ListPlaintext}
}

// RuleTargets is the list of clusters that the i-th rule is for; RuleLabels the labels of such clusters.
func RuleTargets(i int) string { return RowAt(OverrideRules, i) + targetNames }

// RuleLabels is the list of labels of the clusters that the i-th rule is for.
func RuleLabels(i int) string { return RowAt(OverrideRules, i, "targetCluster") + matchLabels }

// RuleExcluded is the list of clusters that the i-th rule is not for, in the spelling that the policy has it in.
func (f PolicyForm) RuleExcluded(i int) string {
	karmada, own := RowAt(OverrideRules, i, "targetCluster", "exclude"), RowAt(OverrideRules, i, "targetCluster", "excludeClusters")
	if f.Rows(karmada) > 0 && f.Rows(own) == 0 {
		return karmada
	}
	return own
}

// RuleOverriders is the name of the i-th rule's overriders, and the id of the control that adds one.
func RuleOverriders(i int) string { return RowAt(OverrideRules, i, overridersKey) }

// RuleList is one of the lists of the i-th rule's overriders.
func RuleList(i int, list string) string { return RuleOverriders(i) + "." + list }

// OverriderFields are the fields of a row of a list of overriders that hold one value each. Commands and arguments have
// rows of texts, labels and annotations rows of keys and values beside them, under "value".
func OverriderFields(list string) []string {
	switch list {
	case ListImage:
		return []string{"component", "operator", "value", "predicate.path"}
	case ListCommand, ListArgs:
		return []string{"containerName", "operator"}
	case ListLabels, ListAnnotations:
		return []string{"operator"}
	default:
		return []string{"operator", "path", "value"}
	}
}

// TextRows says whether the values of a list are rows of texts; KeyRows whether they are rows of keys and values.
func TextRows(list string) bool { return list == ListCommand || list == ListArgs }

// KeyRows says whether the values of a list are rows of a key and a value.
func KeyRows(list string) bool { return list == ListLabels || list == ListAnnotations }

// OverrideInputs are the ids of the controls of an override policy's form in the order in which the page has them.
func (f PolicyForm) OverrideInputs() []string {
	ids := []string{PolicyName}
	for i := range f.shownRows(PolicySelectors) {
		ids = append(ids, RowAt(PolicySelectors, i, "kind"), RowAt(PolicySelectors, i, "apiVersion"), RowAt(PolicySelectors, i, "name"), RowAt(PolicySelectors, i, "namespace"))
		ids = append(ids, f.labelInputs(SelectorLabels(i))...)
	}
	for i := range f.shownRows(OverrideRules) {
		for j := range f.shownRows(RuleTargets(i)) {
			ids = append(ids, RowAt(RuleTargets(i), j))
		}
		ids = append(ids, f.labelInputs(RuleLabels(i))...)
		for j := range f.shownRows(f.RuleExcluded(i)) {
			ids = append(ids, RowAt(f.RuleExcluded(i), j))
		}
		for _, list := range OverrideLists() {
			for j := range f.Rows(RuleList(i, list)) {
				ids = append(ids, f.overriderInputs(RuleList(i, list), list, j)...)
			}
		}
		ids = append(ids, RuleOverriders(i))
	}
	return append(ids, PolicyAPIVersion)
}

func (f PolicyForm) overriderInputs(at, list string, i int) []string {
	var ids []string
	for _, field := range OverriderFields(list) {
		ids = append(ids, RowAt(at, i, field))
	}
	values := RowAt(at, i, "value")
	switch {
	case TextRows(list):
		for j := range f.shownRows(values) {
			ids = append(ids, RowAt(values, j))
		}
	case KeyRows(list):
		ids = append(ids, f.labelInputs(values)...)
	}
	return ids
}

// OverrideOthers are the fields that were sent and that the page has no control for, as OtherFields are.
func (f PolicyForm) OverrideOthers() []string {
	shown := map[string]bool{}
	for _, id := range f.OverrideInputs() {
		shown[id] = true
	}
	var others []string
	for name := range f {
		if !shown[name] && !strings.HasSuffix(name, "."+PolicyFrom) && !strings.HasSuffix(name, "."+RowKept) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return others
}

// RowKept, in a row, says that its values cannot be shown in rows and stay as the YAML has them: an empty argument for
// example, which a form would take for none.
const RowKept = "kept"

// changeChoices are the sorts of change that a rule is given one of: the list that each is added to, and of an image its
// component.
func changeChoices() []choiceOf {
	return []choiceOf{
		{ListImage + "=" + fleet.ImageRegistry, "change.registry"}, {ListImage + "=" + fleet.ImageRepository, "change.repository"},
		{ListImage + "=" + fleet.ImageTag, "change.tag"}, {ListCommand, "change.command"}, {ListArgs, "change.args"},
		{ListLabels, "change.labels"}, {ListAnnotations, "change.annotations"}, {ListPlaintext, "change.plaintext"},
	}
}
