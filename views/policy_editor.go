package views

import (
	"context"
	"strings"

	"odysseus/fleet"
)

// PolicyEditorPage is the form for a new policy or an existing one, or its YAML, and beside it what the policy would do.
type PolicyEditorPage struct {
	Chrome    Chrome
	Namespace string // empty for a cluster-wide policy
	Kind      string
	// Existing is the name of the policy that is edited; empty for a new one.
	Existing string
	Version  string
	// AsYAML says which of the two is shown.
	AsYAML bool
	Form   PolicyForm
	// Base is the manifest that the form started from, and that it changes: what it has no field for, Kept, stays.
	Base string
	Kept []string
	YAML string
	// Text is the form as a manifest, as it stands; Named the name in it, and Room says that it divides by what each
	// cluster can still take.
	Text, Named string
	Room        bool
	// TooLong says that the form would have more controls than a page can hold: it is written as YAML.
	TooLong bool
	// Clusters and Resources are offered by name.
	Clusters  []string
	Resources []fleet.ResourceKey
	// Picked is what is chosen among Resources and not added yet.
	Picked   string
	Refusals []Refusal
	// Stays says that the YAML could not be shown as a form, for these Refusals.
	Stays bool
	// Checking says that it is being filled in: nothing is to be announced as a refusal.
	Checking bool
	Preview  PolicyPreview
	// Conflict is set where somebody else changed the policy since the form was opened.
	Conflict *Diff
	// Focus is the id of the control to go on with.
	Focus string
}

// PolicyPreview is what a policy would select and do.
type PolicyPreview struct {
	// Known is false before anything was looked at, Refused true where it could not be stored as it stands.
	Known, Refused bool
	Warnings       []fleet.Warning
	Selected       []PreviewedResource
}

// PreviewedResource is a resource that the policy would select, and where it would go; Report is nil for one without
// replicas, and beyond the first ones.
type PreviewedResource struct {
	fleet.Reached
	Report *fleet.SimulationReport
}

// MayEdit says whether the reader may save.
func (m PolicyEditorPage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Namespace) }

func (m PolicyEditorPage) ref() fleet.PolicyRef {
	return fleet.PolicyRef{Kind: m.Kind, Namespace: m.Namespace, Name: m.Existing}
}

// action is where the form goes.
func (m PolicyEditorPage) action() string {
	if m.Existing == "" {
		return PoliciesPath(m.Namespace)
	}
	return PolicyPath(m.ref())
}

func (m PolicyEditorPage) refused() bool { return len(m.Refusals) > 0 && !m.Checking }

func (m PolicyEditorPage) title(ctx context.Context) string {
	switch {
	case m.Existing != "":
		return t(ctx, "editor.edit", "Name", m.Existing)
	case m.Namespace == "":
		return t(ctx, "policies.new_cluster_wide")
	}
	return t(ctx, "policies.new")
}

func (m PolicyEditorPage) crumbs(ctx context.Context) []Crumb {
	crumbs := PolicyCrumbs(words(ctx), m.Namespace)
	if m.Existing == "" {
		return append(crumbs, Crumb{Text: t(ctx, "policies.new")})
	}
	return append(crumbs, Crumb{Text: m.Existing, Path: PolicyPath(m.ref())}, Crumb{Text: t(ctx, "policy.edit")})
}

// field is a control of the form; its words are field.KEY.label and, where hinted, field.KEY.hint.
func (m PolicyEditorPage) field(id, key, class string, hinted bool) Field {
	return Field{ID: id, Name: id, Key: key, Value: m.Form[id], Hinted: hinted, Class: class, Focus: id == m.Focus, Refusals: at(m.Refusals, id)}
}

// offering is a field with names to choose from.
func (m PolicyEditorPage) offering(id, key, class, list string) Field {
	f := m.field(id, key, class, false)
	f.List = list
	return f
}

func (m PolicyEditorPage) nameField() Field {
	f := m.field(PolicyName, "policy_name", "name", true)
	f.ReadOnly = m.Existing != ""
	return f
}

// pickable are the resources that exist and that no row names yet.
func (m PolicyEditorPage) pickable() []fleet.ResourceKey {
	named := map[fleet.ResourceKey]bool{}
	for i := range m.Form.Rows(PolicySelectors) {
		named[fleet.ResourceKey{APIVersion: m.Form[RowAt(PolicySelectors, i, "apiVersion")], Kind: m.Form[RowAt(PolicySelectors, i, "kind")],
			Name: m.Form[RowAt(PolicySelectors, i, "name")]}] = true
	}
	var free []fleet.ResourceKey
	for _, k := range m.Resources {
		if !named[fleet.ResourceKey{APIVersion: k.APIVersion, Kind: k.Kind, Name: k.Name}] {
			free = append(free, k)
		}
	}
	return free
}

// pickValue is a resource as the choice sends it.
func (m PolicyEditorPage) pickValue(k fleet.ResourceKey) string {
	namespace := ""
	if m.Namespace == "" {
		namespace = k.Namespace
	}
	return strings.Join([]string{k.APIVersion, k.Kind, namespace, k.Name}, "|")
}

// offeredClusters is how many clusters have a button of their own; more are offered while a name is typed.
const offeredClusters = 12

// addable are the clusters that no row names yet.
func (m PolicyEditorPage) addable() []string {
	named := map[string]bool{}
	for _, name := range m.Form.Texts(PolicyClusters) {
		named[name] = true
	}
	var free []string
	for _, name := range m.Clusters {
		if !named[name] {
			free = append(free, name)
		}
	}
	if len(free) > offeredClusters {
		return nil
	}
	return free
}

// kinds and versions that are offered while they are typed: the common ones, and those that exist.
func (m PolicyEditorPage) kinds() (kinds, versions []string) {
	kinds = []string{fleet.KindDeployment, "Job", "ConfigMap", "Secret"}
	versions = []string{fleet.APIVersion, "apps/v1", "batch/v1", "v1"}
	for _, k := range m.Resources {
		kinds, versions = appendNew(kinds, k.Kind), appendNew(versions, k.APIVersion)
	}
	return kinds, versions
}

// resourceNames are the names of the resources, each once.
func (m PolicyEditorPage) resourceNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, k := range m.Resources {
		if !seen[k.Name] {
			seen[k.Name] = true
			names = append(names, k.Name)
		}
	}
	return names
}

func appendNew(all []string, name string) []string {
	for _, known := range all {
		if known == name {
			return all
		}
	}
	return append(all, name)
}

// open says whether a folded part of the form is shown: it holds something, something of it was refused, or is to go on
// with.
func (m PolicyEditorPage) open(prefixes ...string) bool {
	if m.Form.Filled(prefixes...) {
		return true
	}
	within := func(id string) bool {
		for _, p := range prefixes {
			if id == p || strings.HasPrefix(id, p+".") {
				return true
			}
		}
		return false
	}
	for _, r := range m.Refusals {
		if within(r.Input) {
			return true
		}
	}
	return within(m.Focus)
}

// weightField stands beside a cluster, or in a rule.
func (m PolicyEditorPage) weightField(i int) Field {
	f := m.field(RowAt(PolicyWeights, i, "weight"), "policy_weight", "short", false)
	f.InputMode = "numeric"
	return f
}

// nthID is the id of the i-th radio button of a group; the group's own for the first, where a summary's link leads.
func nthID(id string, i int) string {
	if i == 0 {
		return id
	}
	return id + "-" + number(i)
}

// purgeChoices are in ACK One's words, and in Karmada's where the policy is written for its API.
func (m PolicyEditorPage) purgeChoices() []choiceOf {
	choices := []choiceOf{{"", "purge.none"}, {fleet.PurgeImmediately, "purge.immediately"}, {fleet.PurgeGraciously, "purge.graciously"}, {fleet.PurgeNever, "purge.never"}}
	if m.Form[PolicyAPIVersion] == fleet.PolicyAPIVersionKarmada {
		choices = append(choices, choiceOf{"Directly", "purge.directly"}, choiceOf{"Gracefully", "purge.gracefully"})
	}
	return choices
}

func apiChoices() []choiceOf {
	return []choiceOf{{fleet.PolicyAPIVersion, "api.one"}, {fleet.PolicyAPIVersionShort, "api.one_short"}, {fleet.PolicyAPIVersionKarmada, "api.karmada"}}
}

// choiceOf a select: a value and its words.
type choiceOf struct{ Value, Key string }

// deletionChoices are worded by the API that the policy is written for: the field means another thing under each.
func (m PolicyEditorPage) deletionChoices() []choiceOf {
	if m.Form[PolicyAPIVersion] == fleet.PolicyAPIVersionKarmada {
		return []choiceOf{{"", "preserve.karmada_default"}, {"true", "preserve.karmada_true"}, {"false", "preserve.karmada_false"}}
	}
	return []choiceOf{{"", "preserve.one_default"}, {"true", "preserve.one_true"}, {"false", "preserve.one_false"}}
}

// removeLabel says what a button removes.
func removeLabel(ctx context.Context, what string, i int) string {
	return t(ctx, "policy_form.remove_nth", "What", t(ctx, what), "Number", number(i+1))
}

// previewLead says in one line how many resources are selected: the number that is read out while somebody types.
func (p PolicyPreview) lead(ctx context.Context) string {
	if !p.Known {
		return t(ctx, "policy_preview.unknown")
	}
	if len(p.Selected) == 0 {
		return t(ctx, "policy_preview.none")
	}
	return n(ctx, "policy_preview.selected", len(p.Selected))
}

// decides says whether this policy, or a new one without a name yet, decides on a resource that is looked at.
func (m PolicyEditorPage) decides(r PreviewedResource) bool {
	if r.Report == nil || r.Report.Policy == nil {
		return true
	}
	own, decides := m.ref(), *r.Report.Policy
	if own.Name == "" {
		own.Name = m.Named
	}
	if own.Name == "" && !fleet.IsName(decides.Name) {
		return true // the one without a name yet: no stored policy has none
	}
	return decides == own
}
