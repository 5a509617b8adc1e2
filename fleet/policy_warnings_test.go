package fleet_test

import (
	"maps"
	"testing"

	"odysseus/fleet"
)

func TestPolicyWarnings(t *testing.T) {
	const clusterKind = ackOne + "kind: ClusterPropagationPolicy\nmetadata: {name: p}\nspec:\n  placement: {}\n"
	selectors := func(items string) string { return "  resourceSelectors: [" + items + "]\n" }
	type warning struct {
		code  fleet.Code
		field string
		args  map[string]string
	}
	idle := func(field, cause, kind, namespace, own string) []warning {
		return []warning{{fleet.CodeSelectorNoEffect, "spec.resourceSelectors[0]." + field,
			map[string]string{"Cause": cause, "Kind": kind, "Namespace": namespace, "Own": own}}}
	}
	unknown := func(field, name, suggestion string) warning {
		return warning{fleet.CodeClusterUnknown, field, map[string]string{"Cluster": name, "Suggestion": suggestion}}
	}
	tests := []struct {
		name, manifest string
		want           []warning
	}{
		{"nothing to say", underSpec + selecting, nil},
		{"no selectors", underSpec, []warning{{fleet.CodeSelectsNothing, "spec.resourceSelectors", nil}}},
		{"an empty list of selectors", underSpec + selectors(""), []warning{{fleet.CodeSelectsNothing, "spec.resourceSelectors", nil}}},
		{"no placement under Karmada", karmada + named + selecting, []warning{{fleet.CodeAllClusters, "spec.placement", nil}}},
		{"no spec under Karmada", karmada + "kind: PropagationPolicy\n", []warning{{fleet.CodeSelectsNothing, "spec.resourceSelectors", nil}, {fleet.CodeAllClusters, "spec.placement", nil}}},
		{"its own namespace", underSpec + selectors("{apiVersion: v1, kind: Secret, namespace: demo}"), nil},
		{"another namespace", underSpec + selectors("{apiVersion: v1, kind: Secret, namespace: other}"), idle("namespace", "other_namespace", "Secret", "other", "demo")},
		{"the path is not known yet", ackOne + "kind: PropagationPolicy\nspec:\n  placement: {}\n" + selectors("{apiVersion: v1, kind: Secret, namespace: other}"), nil},
		{"a cluster-scoped kind in a namespaced policy", underSpec + selectors("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}"), idle("kind", "cluster_scoped", "ClusterRole", "", "demo")},
		{"a cluster-scoped kind in a cluster's policy", clusterKind + selectors("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}"), nil},
		{"a cluster-scoped kind with a namespace", clusterKind + selectors("{apiVersion: v1, kind: PersistentVolume, namespace: demo}"), idle("namespace", "cluster_scoped", "PersistentVolume", "demo", "")},
		{"any namespace in a cluster's policy", clusterKind + selectors("{apiVersion: v1, kind: Secret, namespace: other}"), nil},
		{"a system namespace in a cluster's policy", clusterKind + selectors("{apiVersion: v1, kind: Secret, namespace: kube-public}"), idle("namespace", "system_namespace", "Secret", "kube-public", "")},
		{"a system namespace itself", clusterKind + selectors("{apiVersion: v1, kind: Namespace, name: odysseus-agents}"), idle("name", "system_namespace", "Namespace", "", "")},
		{"a namespace itself", clusterKind + selectors("{apiVersion: v1, kind: Namespace, name: demo}"), nil},
		{"a name and labels", underSpec + selectors("{apiVersion: v1, kind: Secret, name: a, labelSelector: {}}"), []warning{{fleet.CodeSelectorNameWins, "spec.resourceSelectors[0].labelSelector", map[string]string{"Name": "a"}}}},
		{"unknown clusters everywhere", underPlacement + "    clusterAffinity: {clusterNames: [cluster-1, cluster-01], excludeClusters: [far]}\n" +
			"    replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [cluster-1], exclude: [near]}, weight: 1}]}}\n" + selecting, []warning{
			unknown("spec.placement.clusterAffinity.clusterNames[1]", "cluster-01", "cluster-1"),
			unknown("spec.placement.clusterAffinity.excludeClusters[0]", "far", ""),
			unknown("spec.placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster.exclude[0]", "near", "")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, warnings := checkPolicy(t, tt.manifest, fleet.FormatYAML)
			if len(faults) > 0 {
				t.Fatalf("refused: %+v", faults)
			}
			if len(warnings) != len(tt.want) {
				t.Fatalf("warned %+v, want %+v", warnings, tt.want)
			}
			for i, w := range warnings {
				if want := tt.want[i]; w.Code != want.code || w.Field != want.field || !maps.Equal(w.Args, want.args) {
					t.Errorf("warned %+v, want %+v", w, want)
				}
			}
		})
	}
}

func TestClustersAreCheckedOnlyWhereTheyAreKnown(t *testing.T) {
	p := accepted(t, underPlacement+"    clusterAffinity: {clusterNames: [far]}\n"+selecting)
	if _, warnings := fleet.ValidatePolicy(&p, nil); len(warnings) > 0 {
		t.Errorf("warned of clusters that nobody named: %+v", warnings)
	}
	if _, warnings := fleet.ValidatePolicy(&p, []string{}); len(warnings) != 1 || warnings[0].Code != fleet.CodeClusterUnknown {
		t.Errorf("a tenant without clusters: %+v", warnings)
	}
}

// TestTheExamplesOfWarningsGiveThem holds the registry's examples, which the reference prints.
func TestTheExamplesOfWarningsGiveThem(t *testing.T) {
	for _, e := range fleet.Registry() {
		if e.Kind != fleet.EntryWarning || !fleet.IsPolicy(firstDocument(t, e.Example)) {
			continue
		}
		_, faults, warnings := checkPolicy(t, e.Example, fleet.FormatYAML)
		given := false
		for _, w := range warnings {
			given = given || w.Code == e.Code
		}
		if len(faults) > 0 || !given {
			t.Errorf("the example of %s: refused %+v, warned %+v", e.Code, faults, warnings)
		}
	}
}

func firstDocument(t *testing.T, manifest string) (apiVersion, kind string) {
	t.Helper()
	docs, faults := fleet.Parse([]byte(manifest), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatalf("%+v in\n%s", faults, manifest)
	}
	if len(docs) == 0 {
		return "", ""
	}
	return docs[0].APIVersion(), docs[0].Kind()
}

func TestRangesOfAPolicySayTheirLimits(t *testing.T) {
	tests := []struct{ name, manifest, low, high string }{
		{"priority", underSpec + "  priority: 2147483648\n", "-2147483648", "2147483647"},
		{"weight", underWeights + "        staticWeightList: [{targetCluster: {}, weight: 0}]\n", "1", "9223372036854775807"},
		{"no weight", underWeights + "        staticWeightList: [{targetCluster: {}}]\n", "1", "9223372036854775807"},
		{"toleration", underFailover + "      purgeMode: Never\n      decisionConditions: {tolerationSeconds: -1}\n", "0", "2147483647"},
		{"grace", underFailover + "      purgeMode: Graciously\n      gracePeriodSeconds: 0\n", "1", "2147483647"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, _ := checkPolicy(t, tt.manifest, fleet.FormatYAML)
			if len(faults) != 1 || faults[0].WantArgs["Low"] != tt.low || faults[0].WantArgs["High"] != tt.high {
				t.Errorf("%+v", faults)
			}
		})
	}
}

func TestEachAPISaysItsOwnPurgeModes(t *testing.T) {
	for api, want := range map[string]string{
		ackOne:  "Immediately, Graciously, Never",
		karmada: "Immediately, Graciously, Never, Directly, Gracefully",
	} {
		for _, mode := range []string{"", "purgeMode: x"} {
			_, faults, _ := checkPolicy(t, api+named+"  placement: {}\n  failover: {application: {"+mode+"}}\n", fleet.FormatYAML)
			if len(faults) != 1 || faults[0].WantArgs["Values"] != want {
				t.Errorf("%+v", faults)
			}
		}
	}
}
