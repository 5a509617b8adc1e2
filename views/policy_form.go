package views

import (
	"slices"
	"strconv"
	"strings"
)

// PolicyForm holds what was typed into the form of a policy, by the name of each field, word for word, whether or not it
// can be read. A field is named by its path under spec, with the index of a row as a step of its own:
// resourceSelectors.0.kind. The ids of the controls are the same.
type PolicyForm map[string]string

// Fields of a policy's form, and the lists of it whose rows are added and removed.
const (
	PolicyName       = "name"
	PolicyAPIVersion = "apiVersion"

	PolicySelectors     = "resourceSelectors"
	PolicyClusters      = "placement.clusterAffinity.clusterNames"
	PolicyExcluded      = "placement.clusterAffinity.excludeClusters"
	PolicyExclude       = "placement.clusterAffinity.exclude" // Karmada's spelling of the same list
	PolicyClusterLabels = "placement.clusterAffinity.labelSelector.matchLabels"
	PolicyScheduling    = "placement.replicaScheduling.replicaSchedulingType"
	PolicyPreference    = "placement.replicaScheduling.replicaDivisionPreference"
	PolicyCustom        = "placement.replicaScheduling.customSchedulingType"
	PolicyDynamic       = "placement.replicaScheduling.weightPreference.dynamicWeight"
	PolicyWeights       = "placement.replicaScheduling.weightPreference.staticWeightList"
	PolicyDeps          = "propagateDeps"
	PolicyPreserve      = "preserveResourcesOnDeletion"
	PolicyPriority      = "priority"
	PolicyPreemption    = "preemption"
	PolicyDependent     = "dependentOverrides"
	PolicyPurge         = "failover.application.purgeMode"
	PolicyGrace         = "failover.application.gracePeriodSeconds"
	PolicyToleration    = "failover.application.decisionConditions.tolerationSeconds"

	// PolicyFrom, in a row, is the place that the row has in the manifest that the form started from: what the form has
	// no field for stays with its row.
	PolicyFrom = "from"
	// PolicyPick is one of the resources that exist, chosen to become a selector.
	PolicyPick = "pick." + PolicySelectors

	targetNames = ".targetCluster.clusterNames"
	matchLabels = ".labelSelector.matchLabels"
)

// RowAt is the name of a field in the i-th row of a list, from 0, or of the row itself where it is one field.
func RowAt(list string, i int, field ...string) string {
	return strings.Join(append([]string{list, strconv.Itoa(i)}, field...), ".")
}

// SelectorLabels is the list of labels of the i-th selector.
func SelectorLabels(i int) string { return RowAt(PolicySelectors, i) + matchLabels }

// WeightTargets is the list of clusters that the i-th rule of the static weights is for.
func WeightTargets(i int) string { return RowAt(PolicyWeights, i) + targetNames }

// Rows is how many rows of a list were sent, empty ones included.
func (f PolicyForm) Rows(list string) int {
	rows := 0
	for name := range f {
		rest, found := strings.CutPrefix(name, list+".")
		if !found {
			continue
		}
		index, _, _ := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(index); err == nil && i >= rows {
			rows = i + 1
		}
	}
	return rows
}

// Texts are the values of a list whose rows are one field each, in the order of the rows.
func (f PolicyForm) Texts(list string) []string {
	texts := make([]string, f.Rows(list))
	for i := range texts {
		texts[i] = f[RowAt(list, i)]
	}
	return texts
}

// ByRules says whether the static weights stand by rules of their own instead of beside the clusters: a rule may be for
// several clusters, or for those with some label.
func (f PolicyForm) ByRules() bool {
	for name := range f {
		rest, found := strings.CutPrefix(name, PolicyWeights+".")
		if _, field, _ := strings.Cut(rest, "."); found && strings.HasPrefix(field, targetNames[1:]) {
			return true
		}
	}
	return false
}

// ExcludedList is the list of excluded clusters in the spelling that the policy has it in.
func (f PolicyForm) ExcludedList() string {
	if f.Rows(PolicyExclude) > 0 && f.Rows(PolicyExcluded) == 0 {
		return PolicyExclude
	}
	return PolicyExcluded
}

// MaxControls is how many controls the form may have.
const MaxControls = 3000

// Inputs are the ids of the form's controls in the order in which the page has them.
func (f PolicyForm) Inputs() []string {
	ids := []string{PolicyName}
	for i := range f.shownRows(PolicySelectors) {
		ids = append(ids, RowAt(PolicySelectors, i, "kind"), RowAt(PolicySelectors, i, "apiVersion"), RowAt(PolicySelectors, i, "name"), RowAt(PolicySelectors, i, "namespace"))
		ids = append(ids, f.labelInputs(SelectorLabels(i))...)
	}
	byRules := f.ByRules()
	for i := range f.shownRows(PolicyClusters) {
		ids = append(ids, RowAt(PolicyClusters, i))
		if !byRules {
			ids = append(ids, RowAt(PolicyWeights, i, "weight"))
		}
	}
	ids = append(ids, f.labelInputs(PolicyClusterLabels)...)
	for i := range f.shownRows(f.ExcludedList()) {
		ids = append(ids, RowAt(f.ExcludedList(), i))
	}
	ids = append(ids, PolicyScheduling, PolicyDynamic)
	if byRules {
		for i := range f.Rows(PolicyWeights) {
			for j := range f.shownRows(WeightTargets(i)) {
				ids = append(ids, RowAt(WeightTargets(i), j))
			}
			ids = append(ids, RowAt(PolicyWeights, i, "weight"))
		}
	}
	ids = append(ids, PolicyPreference, PolicyCustom, PolicyDeps, PolicyPreserve, PolicyPurge, PolicyToleration, PolicyGrace, PolicyPriority, PolicyPreemption)
	for i := range f.shownRows(PolicyDependent) {
		ids = append(ids, RowAt(PolicyDependent, i))
	}
	return append(ids, PolicyAPIVersion)
}

func (f PolicyForm) labelInputs(list string) []string {
	var ids []string
	for i := range f.shownRows(list) {
		ids = append(ids, RowAt(list, i, "key"), RowAt(list, i, "value"))
	}
	return ids
}

// shownRows is how many rows the page has of a list: those sent, and one to begin with.
func (f PolicyForm) shownRows(list string) int { return max(f.Rows(list), 1) }

// OtherFields are those that were sent and that the page has no control for. They are sent again as they are, so that
// none is dropped without a word: what a policy does not have is refused by its name.
func (f PolicyForm) OtherFields() []string {
	shown := f.Inputs()
	var others []string
	for name := range f {
		if !slices.Contains(shown, name) && !strings.HasSuffix(name, "."+PolicyFrom) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return others
}

// Filled says whether any field was filled in whose name starts so.
func (f PolicyForm) Filled(prefixes ...string) bool {
	for name, value := range f {
		for _, p := range prefixes {
			if value != "" && (name == p || strings.HasPrefix(name, p+".")) && !strings.HasSuffix(name, "."+PolicyFrom) {
				return true
			}
		}
	}
	return false
}
