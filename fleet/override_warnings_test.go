package fleet_test

import (
	"maps"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestOverrideWarnings(t *testing.T) {
	const labels = "overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}"
	const target = "spec.overrideRules[0].targetCluster"
	every := func(api, rule string) string {
		return api + overriding + "  overrideRules: [{" + rule + labels + "}]\n"
	}
	selecting := func(kind, metadata, selector string) string {
		return ackOne + "kind: " + kind + "\nmetadata: " + metadata + "\nspec:\n  resourceSelectors: [" + selector + "]\n  overrideRules: [{targetCluster: {clusterNames: [cluster-1]}, " + labels + "}]\n"
	}
	type warning struct {
		code  fleet.Code
		field string
		args  map[string]string
	}
	all := []warning{{fleet.CodeTargetsAllClusters, target, nil}}
	tests := []struct {
		name, manifest string
		want           []warning
	}{
		{"an empty target", every(ackOne, "targetCluster: {}, "), all},
		{"an empty target under Karmada's API", every(karmada, "targetCluster: {}, "), all},
		{"no target under Karmada's API", every(karmada, ""), all},
		{"empty lists in a target", every(ackOne, "targetCluster: {clusterNames: [], exclude: []}, "), all},
		{"labels that narrow nothing", every(ackOne, "targetCluster: {labelSelector: {}}, "), all},
		{"a target by labels", every(ackOne, "targetCluster: {labelSelector: {matchLabels: {a: b}}}, "), nil},
		{"a target by exclusion", every(ackOne, "targetCluster: {excludeClusters: [cluster-1]}, "), nil},
		{"an unknown cluster", every(ackOne, "targetCluster: {clusterNames: [cluster-3]}, "), []warning{{fleet.CodeClusterUnknown, target + ".clusterNames[0]", map[string]string{"Cluster": "cluster-3", "Suggestion": ""}}}},
		{"another namespace", selecting("OverridePolicy", "{name: o, namespace: demo}", "{apiVersion: v1, kind: Pod, namespace: other}"),
			[]warning{{fleet.CodeSelectorNoEffect, "spec.resourceSelectors[0].namespace", map[string]string{"Cause": "other_namespace", "Kind": "Pod", "Namespace": "other", "Own": "demo", "Reaching": "ClusterOverridePolicy"}}}},
		{"a kind without a namespace", selecting("OverridePolicy", "{name: o, namespace: demo}", "{apiVersion: v1, kind: PersistentVolume}"),
			[]warning{{fleet.CodeSelectorNoEffect, "spec.resourceSelectors[0].kind", map[string]string{"Cause": "cluster_scoped", "Kind": "PersistentVolume", "Namespace": "", "Own": "demo", "Reaching": "ClusterOverridePolicy"}}}},
		{"a kind without a namespace, of the cluster's kind", selecting("ClusterOverridePolicy", "{name: o}", "{apiVersion: v1, kind: PersistentVolume}"), nil},
		{"a system namespace", selecting("ClusterOverridePolicy", "{name: o}", "{apiVersion: v1, kind: Pod, namespace: kube-system}"),
			[]warning{{fleet.CodeSelectorNoEffect, "spec.resourceSelectors[0].namespace", map[string]string{"Cause": "system_namespace", "Kind": "Pod", "Namespace": "kube-system", "Own": "", "Reaching": "ClusterOverridePolicy"}}}},
		{"a name and labels", selecting("OverridePolicy", "{name: o, namespace: demo}", "{apiVersion: v1, kind: Pod, name: web, labelSelector: {matchLabels: {a: b}}}"),
			[]warning{{fleet.CodeSelectorNameWins, "spec.resourceSelectors[0].labelSelector", map[string]string{"Name": "web"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, warnings := checkOverride(t, tt.manifest, fleet.FormatYAML)
			if len(faults) > 0 || len(warnings) != len(tt.want) {
				t.Fatalf("refused %+v, warned %+v", faults, warnings)
			}
			for i, w := range warnings {
				if want := tt.want[i]; w.Code != want.code || w.Field != want.field || !maps.Equal(w.Args, want.args) {
					t.Errorf("warned %+v, want %+v", w, want)
				}
			}
		})
	}
}

func TestTargetsAreCheckedOnlyWhereClustersAreKnown(t *testing.T) {
	o := acceptedOverride(t, rule("{labelsOverrider: [{operator: add, value: {a: b}}]}"))
	if _, warnings := fleet.ValidateOverride(o, nil); len(warnings) > 0 {
		t.Errorf("warned of clusters that nobody named: %+v", warnings)
	}
	if _, warnings := fleet.ValidateOverride(o, []string{}); len(warnings) != 1 || warnings[0].Code != fleet.CodeClusterUnknown {
		t.Errorf("a tenant without clusters: %+v", warnings)
	}
}

// TestTheExamplesOfOverridesGiveTheirCodes holds the registry's examples, which the reference prints.
func TestTheExamplesOfOverridesGiveTheirCodes(t *testing.T) {
	examples := 0
	for _, e := range fleet.Registry() {
		if !strings.Contains(e.Example, "kind: OverridePolicy") {
			continue
		}
		examples++
		_, faults, warnings := checkOverride(t, e.Example, fleet.FormatYAML)
		given := len(faults) == 1 && faults[0].Code == e.Code
		if e.Kind == fleet.EntryWarning {
			given = len(faults) == 0 && len(warnings) == 1 && warnings[0].Code == e.Code
		}
		if !given {
			t.Errorf("the example of %s: refused %+v, warned %+v", e.Code, faults, warnings)
		}
	}
	if examples != 3 {
		t.Errorf("%d examples", examples)
	}
}
