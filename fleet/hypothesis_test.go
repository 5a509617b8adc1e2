package fleet_test

import (
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestHypothesis(t *testing.T) {
	doc, faults := fleet.ParseOne([]byte("apiVersion: odysseus/v1\nkind: Fleet\nspec:\n  clusters: [{name: b, labels: {zone: x}, available: 6, countries: [CA]}, {name: a}]\n  previous: {a: 2, gone: 1}\n  fresh: true\n"), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	h, faults := fleet.DecodeHypothesis(doc)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s := h.Spec
	if !slices.Equal(s.Names(), []string{"b", "a"}) || *s.Clusters[0].Available != 6 || s.Clusters[0].Labels["zone"] != "x" || s.Clusters[0].Countries[0] != "CA" {
		t.Errorf("read %+v", s)
	}
	if s.Clusters[1].Available != nil || s.Clusters[1].Countries != nil || s.Previous["gone"] != 1 || s.Previous["a"] != 2 || !s.Fresh {
		t.Errorf("read %+v", s)
	}
}

func TestSimulationPartOfADocument(t *testing.T) {
	tests := []struct {
		apiVersion, kind string
		want             fleet.SimulationPart
	}{
		{"odysseus/v1", "Fleet", fleet.PartHypothesis},
		{"odysseus/v1", "Deployment", fleet.PartWorkload},
		{"example.com/v1", "Fleet", fleet.PartWorkload},
		{"policy.karmada.io/v1alpha1", "PropagationPolicy", fleet.PartPolicy},
		{"one.alibabacloud.com/v2", "ClusterPropagationPolicy", fleet.PartPolicy}, // refused as the policy that it is
		{"policy.karmada.io/v1alpha1", "OverridePolicy", fleet.PartOverride},
		{"policy.karmada.io/v2", "ClusterOverridePolicy", fleet.PartOverride},
		{"policy.karmada.io/v1alpha1", "FederatedResourceQuota", fleet.PartForeignPolicy},
		{"policy.one.alibabacloud.com/v1alpha1", "PropagationPolcy", fleet.PartForeignPolicy},
		{"apps/v1", "PropagationPolicy", fleet.PartWorkload},
	}
	for _, tt := range tests {
		doc, faults := fleet.ParseOne([]byte("apiVersion: "+tt.apiVersion+"\nkind: "+tt.kind+"\n"), fleet.FormatYAML)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if got := doc.SimulationPart(); got != tt.want {
			t.Errorf("%s %s is part %d, want %d", tt.apiVersion, tt.kind, got, tt.want)
		}
	}
}

func TestForeignPolicyIsRefusedByItsKind(t *testing.T) {
	tests := []struct{ kind, value, suggestion string }{
		{"OverridePolicy", "OverridePolicy", ""},
		{"PropagationPolcy", "PropagationPolcy", "PropagationPolicy"},
	}
	for _, tt := range tests {
		doc, _ := fleet.ParseOne([]byte("apiVersion: policy.karmada.io/v1alpha1\nkind: "+tt.kind+"\n"), fleet.FormatYAML)
		faults := fleet.ForeignPolicy(doc)
		if len(faults) != 1 || faults[0].Code != fleet.CodeKindUnsupported || faults[0].Value != tt.value || faults[0].Suggestion != tt.suggestion || faults[0].Line != 2 || faults[0].Column != 7 {
			t.Errorf("refused with %+v", faults)
		}
	}
}
