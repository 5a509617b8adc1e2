package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

func TestWhatAPolicyReaches(t *testing.T) {
	own := accepted(t, underSpec+"  resourceSelectors: [{apiVersion: v1, kind: Secret}, {apiVersion: v1, kind: Namespace}, {apiVersion: v1, kind: Secret, name: a}]\n")
	wide := accepted(t, ackOne+"kind: ClusterPropagationPolicy\nspec: {placement: {}, resourceSelectors: [{apiVersion: v1, kind: Secret}, {apiVersion: v1, kind: Namespace}, {apiVersion: v1, kind: Secret, name: a}]}\n")
	tests := []struct {
		name, kind, namespace, resource string
		own, wide                       fleet.Rank
	}{
		{"its own namespace, by the best selector", "Secret", "demo", "a", fleet.RankName, fleet.RankName},
		{"its own namespace, by the kind", "Secret", "demo", "b", fleet.RankKind, fleet.RankKind},
		{"another namespace", "Secret", "other", "a", fleet.RankNone, fleet.RankName},
		{"a system namespace", "Secret", "kube-system", "a", fleet.RankNone, fleet.RankNone},
		{"a namespace of the platform", "Secret", "odysseus-x", "a", fleet.RankNone, fleet.RankNone},
		{"a cluster-scoped one", "Namespace", "", "demo", fleet.RankNone, fleet.RankKind},
		{"a system namespace itself", "Namespace", "", "kube-system", fleet.RankNone, fleet.RankNone},
		{"another kind", "ConfigMap", "demo", "a", fleet.RankNone, fleet.RankNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := fleet.Resource{APIVersion: "v1", Kind: tt.kind, Namespace: tt.namespace, Name: tt.resource}
			if a, b := own.Selects(&r), wide.Selects(&r); a != tt.own || b != tt.wide {
				t.Errorf("ranks %d and %d, want %d and %d", a, b, tt.own, tt.wide)
			}
		})
	}
}

func TestLabelSelectors(t *testing.T) {
	labels := map[string]string{"app": "web", "empty": ""}
	one := func(key, operator string, values ...string) *fleet.LabelSelector {
		return &fleet.LabelSelector{MatchExpressions: []fleet.LabelRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	tests := []struct {
		name     string
		selector *fleet.LabelSelector
		want     bool
	}{
		{"none", nil, false},
		{"empty", &fleet.LabelSelector{}, true},
		{"an empty value that is there", &fleet.LabelSelector{MatchLabels: map[string]string{"empty": ""}}, true},
		{"an empty value that is not", &fleet.LabelSelector{MatchLabels: map[string]string{"none": ""}}, false},
		{"another value", &fleet.LabelSelector{MatchLabels: map[string]string{"app": "Web"}}, false},
		{"in an empty value", one("empty", fleet.OperatorIn, ""), true},
		{"in, absent", one("none", fleet.OperatorIn, ""), false},
		{"not in, absent", one("none", fleet.OperatorNotIn, "a"), true},
		{"not in, there", one("app", fleet.OperatorNotIn, "web"), false},
		{"exists", one("empty", fleet.OperatorExists), true},
		{"does not exist", one("empty", fleet.OperatorDoesNotExist), false},
		{"an operator that is none", one("app", "Gt", "1"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.selector.Matches(labels); got != tt.want {
				t.Errorf("matches: %v", got)
			}
		})
	}
}
