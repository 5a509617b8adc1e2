package control_test

import (
	"testing"

	"odysseus/fleet"
)

// Anybody may ask: no member of the store is ever in the answer, not even where the question names none.
func TestExampleKnowsMadeUpClustersAlone(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("atlantic", "*")
	r.node("n-1", "atlantic", "CA", "")
	web := fleet.Resource{APIVersion: "odysseus/v1", Kind: "Deployment", Namespace: "demo", Name: "web", Object: []byte(`{"spec":{"replicas":3}}`)}
	two := int64(2)
	for _, tt := range []struct {
		name       string
		hypothesis *fleet.HypothesisSpec
		want       map[string]int
	}{
		{"two clusters", &fleet.HypothesisSpec{Clusters: []fleet.HypotheticalCluster{{Name: "a", Available: &two}, {Name: "b", Available: new(int64)}}}, map[string]int{"a": 2, "b": 0}},
		{"none", &fleet.HypothesisSpec{}, map[string]int{}},
		{"nothing said", nil, map[string]int{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			report := r.Example(fleet.Simulation{Tenant: "acme", Resource: web, Hypothesis: tt.hypothesis, Detail: true})
			if len(report.Clusters) != len(tt.want) {
				t.Fatalf("%+v", report.Clusters)
			}
			for _, c := range report.Clusters {
				if want, known := tt.want[c.Name]; !known || c.Desired != want {
					t.Errorf("%s: %d", c.Name, c.Desired)
				}
			}
		})
	}
}
