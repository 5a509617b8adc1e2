package handlers

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// careful has a comment, an order and keys that the form has no field for.
const careful = `# by hand
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata:
  name: web-demo
  namespace: acme
  labels: {team: blue}
spec:
  # what
  resourceSelectors:
    - kind: Deployment # odd order
      apiVersion: apps/v1
      name: web-demo
    - apiVersion: apps/v1
      kind: Deployment
      labelSelector:
        matchExpressions:
          - key: app
            operator: In
            values: [batch]
    - apiVersion: v1
      kind: Secret
      labelSelector:
        matchLabels:
          app.example/tier: "1"
  preserveResourcesOnDeletion: true
  placement:
    clusterAffinity:
      clusterNames:
        - cluster-1
        - cluster-2
    replicaScheduling:
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - targetCluster:
              clusterNames:
                - cluster-1
            weight: 2
          - targetCluster: {clusterNames: [cluster-2]}
            weight: 1
`

const (
	weightOf0 = views.PolicyWeights + ".0.weight"
	weightOf1 = views.PolicyWeights + ".1.weight"
)

func TestFormReadsAManifest(t *testing.T) {
	form, kept := readPolicy(careful)
	want := map[string]string{
		"name": "web-demo", "apiVersion": fleet.PolicyAPIVersion,
		"resourceSelectors.0.kind": "Deployment", "resourceSelectors.0.apiVersion": "apps/v1", "resourceSelectors.0.name": "web-demo", "resourceSelectors.0.from": "0",
		"resourceSelectors.1.kind": "Deployment", "resourceSelectors.1.apiVersion": "apps/v1", "resourceSelectors.1.from": "1",
		"resourceSelectors.2.kind": "Secret", "resourceSelectors.2.apiVersion": "v1", "resourceSelectors.2.from": "2",
		"resourceSelectors.2.labelSelector.matchLabels.0.key": "app.example/tier", "resourceSelectors.2.labelSelector.matchLabels.0.value": "1",
		views.PolicyClusters + ".0": "cluster-1", views.PolicyClusters + ".1": "cluster-2", weightOf0: "2", weightOf1: "1",
		views.PolicyScheduling: "Divided", views.PolicyPreference: "Weighted", views.PolicyPreserve: "true",
	}
	if !maps.Equal(map[string]string(form), want) {
		t.Errorf("got  %v\nwant %v", form, want)
	}
	if got := strings.Join(kept, " "); got != "metadata.labels spec.resourceSelectors[1].labelSelector.matchExpressions" {
		t.Errorf("kept %s", got)
	}
}

// A change of the form changes the lines that it is about, and no other.
func TestFormChangesNothingElse(t *testing.T) {
	for name, tt := range map[string]struct {
		change    func(f views.PolicyForm)
		gone, new string
	}{
		"nothing": {func(views.PolicyForm) {}, "", ""},
		"a weight": {func(f views.PolicyForm) { f[weightOf0] = "3" },
			"            weight: 2", "            weight: 3"},
		"a name": {func(f views.PolicyForm) { f["resourceSelectors.0.name"] = "shop" },
			"      name: web-demo", "      name: shop"},
		"what is no number stays text": {func(f views.PolicyForm) { f[weightOf1] = "one" },
			"            weight: 1", "            weight: one"},
		"a yes that is a word": {func(f views.PolicyForm) { f["resourceSelectors.0.name"] = "NO" },
			"      name: web-demo", `      name: "NO"`},
		"a label": {func(f views.PolicyForm) { f["resourceSelectors.2.labelSelector.matchLabels.0.value"] = "2" },
			`          app.example/tier: "1"`, `          app.example/tier: "2"`},
		"a cluster leaves with its weight": {func(f views.PolicyForm) { removeRow(f, views.PolicyClusters+".1") },
			"        - cluster-2|          - targetCluster: {clusterNames: [cluster-2]}|            weight: 1", ""},
		"a selector leaves with its own keys": {func(f views.PolicyForm) { removeRow(f, "resourceSelectors.1") },
			"    - apiVersion: apps/v1|      kind: Deployment|      labelSelector:|        matchExpressions:|          - key: app|            operator: In|            values: [batch]", ""},
		"a field that was left out": {func(f views.PolicyForm) { f[views.PolicyPriority] = "5" },
			"", "  priority: 5"},
		"a field is emptied": {func(f views.PolicyForm) { f[views.PolicyPreserve] = "" },
			"  preserveResourcesOnDeletion: true", ""},
		"a type that was left out is written where it means something else": {func(f views.PolicyForm) { f[views.PolicyScheduling] = "Duplicated" },
			"", "      replicaSchedulingType: Duplicated"},
		"failover": {func(f views.PolicyForm) { f[views.PolicyPurge], f[views.PolicyToleration] = "Immediately", "30" },
			"", "  failover:|    application:|      decisionConditions:|        tolerationSeconds: 30|      purgeMode: Immediately"},
		"what the page has no field for is written all the same": {func(f views.PolicyForm) { f["placement.spreadConstraints.0.maxGroups"] = "2" },
			"", "    spreadConstraints:|      - maxGroups: 2"},
	} {
		t.Run(name, func(t *testing.T) {
			form, _ := readPolicy(careful)
			tt.change(form)
			got, err := writePolicy(careful, form)
			if err != nil {
				t.Fatal(err)
			}
			diff := views.DiffOf("", careful, "", got.text)
			var gone, added []string
			for _, l := range diff.Before {
				if l.Mark == "−" {
					gone = append(gone, l.Text)
				}
			}
			for _, l := range diff.After {
				if l.Mark == "+" {
					added = append(added, l.Text)
				}
			}
			// The order in which fields are written where there were none is not promised.
			slices.Sort(added)
			want := strings.FieldsFunc(tt.new, func(c rune) bool { return c == '|' })
			slices.Sort(want)
			if strings.Join(gone, "|") != tt.gone || strings.Join(added, "|") != strings.Join(want, "|") {
				t.Errorf("gone:\n%s\nnew:\n%s", strings.Join(gone, "\n"), strings.Join(added, "\n"))
			}
		})
	}
}

// Rules that say more than a weight for each cluster stand as rules.
func TestWeightsStandBesideClustersWhereThatSaysAll(t *testing.T) {
	rules := func(clusters string, list ...string) string {
		return "apiVersion: " + fleet.PolicyAPIVersion + "\nkind: PropagationPolicy\nspec:\n  placement:\n    clusterAffinity: {clusterNames: [" + clusters +
			"]}\n    replicaScheduling:\n      weightPreference:\n        staticWeightList: [" + strings.Join(list, ", ") + "]\n"
	}
	for name, tt := range map[string]struct {
		text    string
		byRules bool
	}{
		"one each":                    {rules("a, b", "{targetCluster: {clusterNames: [a]}, weight: 3}", "{targetCluster: {clusterNames: [b]}, weight: 1}"), false},
		"one each in another order":   {rules("a, b", "{targetCluster: {clusterNames: [b]}, weight: 3}", "{targetCluster: {clusterNames: [a]}, weight: 1}"), false},
		"none":                        {rules("a, b"), false},
		"one for two":                 {rules("a, b", "{targetCluster: {clusterNames: [a, b]}, weight: 3}"), true},
		"a cluster without one":       {rules("a, b", "{targetCluster: {clusterNames: [a]}, weight: 3}"), true},
		"a cluster that is not named": {rules("a", "{targetCluster: {clusterNames: [a]}, weight: 3}", "{targetCluster: {clusterNames: [b]}, weight: 1}"), true},
		"two for one":                 {rules("a", "{targetCluster: {clusterNames: [a]}, weight: 3}", "{targetCluster: {clusterNames: [a]}, weight: 1}"), true},
	} {
		t.Run(name, func(t *testing.T) {
			form, _ := readPolicy(tt.text)
			if form.ByRules() != tt.byRules {
				t.Errorf("by rules: %v, %v", form.ByRules(), form)
			}
			before := control.ParsePolicy([]byte(tt.text), fleet.FormatYAML)
			w, err := writePolicy(tt.text, form)
			if err != nil {
				t.Fatal(err)
			}
			after := control.ParsePolicy([]byte(w.text), fleet.FormatYAML)
			if len(after.Faults) > 0 || weightsByCluster(before.Policy) != weightsByCluster(after.Policy) {
				t.Errorf("the weights change: %s", w.text)
			}
		})
	}
}

func weightsByCluster(p fleet.Policy) string {
	var b strings.Builder
	for _, w := range p.Scheduling().StaticWeights([]fleet.Cluster{{Name: "a"}, {Name: "b"}, {Name: "c"}}) {
		b.WriteString(string(rune('0'+w)) + " ")
	}
	return b.String()
}

func TestRowsAreAddedAndRemoved(t *testing.T) {
	const clusters = views.PolicyClusters
	for name, tt := range map[string]struct {
		do     func(f views.PolicyForm) string
		focus  string
		fields string // of the lists, in order
	}{
		"a cluster":                      {func(f views.PolicyForm) string { return addRow(f, clusters, "") }, clusters + ".2", "a=3 b=1 ="},
		"a cluster by name":              {func(f views.PolicyForm) string { return addRow(f, clusters, "c") }, views.PolicyWeights + ".2.weight", "a=3 b=1 c="},
		"the first leaves":               {func(f views.PolicyForm) string { return removeRow(f, clusters+".0") }, clusters + ".0", "b=1"},
		"the last leaves":                {func(f views.PolicyForm) string { return removeRow(f, clusters+".1") }, clusters + ".0", "a=3"},
		"what is no row":                 {func(f views.PolicyForm) string { return removeRow(f, clusters+".7") }, "", "a=3 b=1"},
		"what is no list":                {func(f views.PolicyForm) string { return removeRow(f, "name") }, "", "a=3 b=1"},
		"a path that is none":            {func(f views.PolicyForm) string { return addRow(f, "../..", "") }, "", "a=3 b=1"},
		"a named one fills an empty row": {func(f views.PolicyForm) string { addRow(f, clusters, ""); return addRow(f, clusters, "c") }, views.PolicyWeights + ".2.weight", "a=3 b=1 c="},
		"and stands in the row that it is": {func(f views.PolicyForm) string {
			f[clusters+".0"], f[weightOf0] = "", ""
			return addRow(f, clusters, "c")
		}, weightOf0, "c= b=1"},
	} {
		t.Run(name, func(t *testing.T) {
			form := views.PolicyForm{clusters + ".0": "a", clusters + ".1": "b", weightOf0: "3", weightOf1: "1", views.PolicyScheduling: "Divided"}
			focus := tt.do(form)
			var rows []string
			for i, c := range form.Texts(clusters) {
				rows = append(rows, c+"="+form[views.RowAt(views.PolicyWeights, i, "weight")])
			}
			if focus != tt.focus || strings.Join(rows, " ") != tt.fields {
				t.Errorf("focus %q, rows %q", focus, strings.Join(rows, " "))
			}
		})
	}
}

func TestWeightsTurnIntoRules(t *testing.T) {
	form := views.PolicyForm{views.PolicyClusters + ".0": "a", views.PolicyClusters + ".1": "b", weightOf0: "3", weightOf1: "1"}
	if focus := addRow(form, views.PolicyWeights, ""); focus != views.WeightTargets(2)+".0" {
		t.Errorf("focus %q", focus)
	}
	want := views.PolicyForm{views.PolicyClusters + ".0": "a", views.PolicyClusters + ".1": "b", weightOf0: "3", weightOf1: "1", views.PolicyWeights + ".2.weight": "",
		views.WeightTargets(0) + ".0": "a", views.WeightTargets(1) + ".0": "b", views.WeightTargets(2) + ".0": ""}
	if !maps.Equal(form, want) {
		t.Errorf("got %v", form)
	}
	if removeRow(form, views.PolicyWeights+".2"); form.Rows(views.PolicyWeights) != 2 {
		t.Errorf("after removing: %v", form)
	}
	if simplify(form); form.ByRules() || form[weightOf0] != "3" || form[weightOf1] != "1" {
		t.Errorf("put beside the clusters again: %v", form)
	}
}

func TestPickedResourceFillsAnEmptyRow(t *testing.T) {
	form := views.PolicyForm{"resourceSelectors.0.kind": "", "resourceSelectors.0.name": ""}
	if focus := pick(form, "apps/v1|Deployment||web"); focus != "resourceSelectors.0.name" || form.Rows("resourceSelectors") != 1 {
		t.Errorf("focus %q, %v", focus, form)
	}
	if focus := pick(form, "v1|ConfigMap||cm"); focus != "resourceSelectors.1.name" || form["resourceSelectors.1.apiVersion"] != "v1" || form["resourceSelectors.1.kind"] != "ConfigMap" {
		t.Errorf("focus %q, %v", focus, form)
	}
	if focus := pick(form, "nonsense"); focus != "" || form.Rows("resourceSelectors") != 2 {
		t.Errorf("focus %q, %v", focus, form)
	}
}

// A refused field of the manifest leads to the control that it was written in, rows left empty or not.
func TestRefusedFieldLeadsToItsControl(t *testing.T) {
	form := views.PolicyForm{
		"resourceSelectors.0.kind": "", "resourceSelectors.1.kind": "Secret", "resourceSelectors.1.labelSelector.matchLabels.0.key": "a.b/c",
		"resourceSelectors.1.labelSelector.matchLabels.1.key": "d",
		views.PolicyClusters + ".0":                           "", views.PolicyClusters + ".1": "b", weightOf1: "0",
		views.PolicyExcluded + ".0": "", views.PolicyExcluded + ".1": "x", views.PolicyDependent + ".0": "", views.PolicyDependent + ".1": "O",
	}
	w, err := writePolicy(newPolicy(fleet.PolicyRef{Kind: fleet.KindPropagationPolicy, Namespace: "acme"}), form)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"metadata.name": "name", "apiVersion": "apiVersion", "metadata.labels": "",
		"spec.resourceSelectors[0].kind": "resourceSelectors.1.kind", "spec.resourceSelectors[0].apiVersion": "resourceSelectors.1.apiVersion",
		"spec.resourceSelectors[0].labelSelector.matchLabels[a.b/c]":                              "resourceSelectors.1.labelSelector.matchLabels.0.key",
		"spec.resourceSelectors[0].labelSelector.matchLabels.d":                                   "resourceSelectors.1.labelSelector.matchLabels.1.key",
		"spec.resourceSelectors[0].labelSelector.matchExpressions[0].key":                         "",
		"spec.resourceSelectors[9].kind":                                                          "",
		"spec.placement":                                                                          views.PolicyClusters + ".0",
		"spec.placement.clusterAffinity.clusterNames[0]":                                          views.PolicyClusters + ".1",
		"spec.placement.clusterAffinity.excludeClusters[0]":                                       views.PolicyExcluded + ".1",
		"spec.placement.replicaScheduling.weightPreference.staticWeightList":                      weightOf1,
		"spec.placement.replicaScheduling.weightPreference.staticWeightList[0].weight":            weightOf1,
		"spec.placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster":     views.PolicyClusters + ".1",
		"spec.placement.replicaScheduling.weightPreference.dynamicWeight":                         views.PolicyDynamic,
		"spec.placement.replicaScheduling.replicaSchedulingType":                                  views.PolicyScheduling,
		"spec.failover.application.purgeMode":                                                     views.PolicyPurge,
		"spec.dependentOverrides[0]":                                                              views.PolicyDependent + ".1",
		"spec.priority":                                                                           views.PolicyPriority,
		"spec.placement.spreadConstraints":                                                        "",
		"spec.placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster.xxx": views.PolicyClusters + ".1",
	} {
		if got := w.input(field); got != want {
			t.Errorf("%s leads to %q, want %q", field, got, want)
		}
	}
}

// Whatever is sent as fields, beside whatever base, comes to a manifest that can be read or is refused; nothing breaks.
func FuzzPolicyForm(f *testing.F) {
	f.Add(careful, weightOf0+"=3&name=x&resourceSelectors.7.labelSelector.matchLabels.3.key=a", "add:"+views.PolicyWeights)
	f.Add("a: &x [1]\nspec: *x", "spec.placement=1&placement.clusterAffinity.clusterNames.0=a", "remove:placement.clusterAffinity.clusterNames.0")
	f.Add("spec: {placement: text, resourceSelectors: {a: b}}", "resourceSelectors.0.from=0&a.0.0.b=1", "remove:a.0")
	f.Fuzz(func(t *testing.T, base, body, action string) {
		values, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		form, fits := policyForm(values)
		if !fits {
			return
		}
		list, value, _ := strings.Cut(strings.TrimPrefix(action, "add:"), "=")
		addRow(form, list, value)
		removeRow(form, strings.TrimPrefix(action, "remove:"))
		pick(form, value)
		if _, faults := fleet.ParseOne([]byte(base), fleet.FormatYAML); len(faults) > 0 {
			base = ""
		}
		w, err := writePolicy(base, form)
		if err != nil {
			t.Fatal(err)
		}
		m := control.ParsePolicy([]byte(w.text), fleet.FormatYAML)
		for _, fault := range m.Faults {
			w.input(fault.Field)
		}
		if len(m.Faults) == 0 {
			again, _ := readPolicy(w.text)
			same, err := writePolicy(w.text, again)
			if err != nil || same.text != w.text {
				t.Errorf("reading it into the form and writing it again changes\n%s\ninto\n%s", w.text, same.text)
			}
		}
	})
}
