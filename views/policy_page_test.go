package views

import (
	"strconv"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestWhatAPolicySaysInAFewWords(t *testing.T) {
	ctx, _ := stage(t)
	yes, no := true, false
	weight := func(w int64) *int64 { return &w }
	for name, tt := range map[string]struct {
		policy                  fleet.Policy
		divides, goes, deletion string
	}{
		"nothing": {fleet.Policy{APIVersion: fleet.PolicyAPIVersion}, "The full count on each cluster", "All clusters", "policy.keeps_one policy.resource_removes"},
		"weights": {policyWith(fleet.PropagationSpec{PreserveResourcesOnDeletion: &no, Placement: &fleet.PolicyPlacement{
			ClusterAffinity:   &fleet.ClusterAffinity{ClusterNames: []string{"a", "b"}, ExcludeClusters: []string{"c"}},
			ReplicaScheduling: &fleet.ReplicaScheduling{WeightPreference: &fleet.WeightPreference{StaticWeightList: []fleet.StaticWeight{{Weight: weight(3)}, {Weight: weight(1)}}}}}}),
			"By weight 3 : 1", "a, b; without c", "policy.removes_one policy.resource_removes"},
		"equal parts": {policyWith(fleet.PropagationSpec{Placement: &fleet.PolicyPlacement{
			ClusterAffinity: &fleet.ClusterAffinity{LabelSelector: &fleet.LabelSelector{}}, ReplicaScheduling: &fleet.ReplicaScheduling{}}}),
			"In equal parts", "Clusters by label", "policy.keeps_one policy.resource_removes"},
		"room": {policyWith(fleet.PropagationSpec{Placement: &fleet.PolicyPlacement{ClusterAffinity: &fleet.ClusterAffinity{Exclude: []string{"c"}},
			ReplicaScheduling: &fleet.ReplicaScheduling{WeightPreference: &fleet.WeightPreference{DynamicWeight: fleet.WeightAvailableReplicas}}}}),
			"By what each cluster can take", "All clusters; without c", "policy.keeps_one policy.resource_removes"},
		"packed, all at once": {policyWith(fleet.PropagationSpec{PreserveResourcesOnDeletion: &yes, Placement: &fleet.PolicyPlacement{
			ReplicaScheduling: &fleet.ReplicaScheduling{ReplicaDivisionPreference: fleet.PreferenceAggregated, CustomSchedulingType: fleet.SchedulingGang}}}),
			"Into as few clusters as can hold it; all at once or none", "All clusters", "policy.keeps_one policy.resource_removes"},
		"Karmada's": {fleet.Policy{APIVersion: fleet.PolicyAPIVersionKarmada}, "The full count on each cluster", "All clusters", "policy.keeps policy.resource_removes"},
		"Karmada's, preserving": {fleet.Policy{APIVersion: fleet.PolicyAPIVersionKarmada, Spec: fleet.PropagationSpec{PreserveResourcesOnDeletion: &yes}},
			"The full count on each cluster", "All clusters", "policy.keeps policy.resource_keeps"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := divides(ctx, tt.policy); got != tt.divides {
				t.Errorf("divides: %q", got)
			}
			if got := goesTo(ctx, tt.policy); got != tt.goes {
				t.Errorf("goes to: %q", got)
			}
			if got := strings.Join(PolicyPage{Policy: tt.policy}.deletion(), " "); got != tt.deletion {
				t.Errorf("deletion: %q", got)
			}
		})
	}
}

func policyWith(spec fleet.PropagationSpec) fleet.Policy {
	return fleet.Policy{APIVersion: fleet.PolicyAPIVersion, Kind: fleet.KindPropagationPolicy, Spec: spec}
}

func TestPageOfAPolicyThatSelectsEverything(t *testing.T) {
	m := PolicyPage{}
	for i := range 120 {
		m.Reached = append(m.Reached, fleet.Reached{ResourceKey: fleet.ResourceKey{Name: "web-" + strconv.Itoa(i)}})
	}
	for query, want := range map[string]string{"": "50 70", "web-1": "31 0", "nothing": "0 0"} {
		m.Query = query
		rows, more := m.shown()
		if got := number(len(rows)) + " " + number(more); got != want || !m.searchable() || m.follows() == refreshEvery {
			t.Errorf("%q: %s", query, got)
		}
	}
	few := PolicyPage{Reached: m.Reached[:50]}
	if few.searchable() || few.follows() != refreshEvery {
		t.Error("few are searched, or do not follow")
	}
}
