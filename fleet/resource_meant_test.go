package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

func TestWhatWasMeantToBeOursIsNoResource(t *testing.T) {
	const (
		policies = "policy.one.alibabacloud.com/v1alpha1, one.alibabacloud.com/v1alpha1, policy.karmada.io/v1alpha1"
		all      = "odysseus/v1, " + policies
	)
	for _, tt := range []struct{ apiVersion, kind, values, suggestion string }{
		{"odyseus/v1", "Deployment", all, "odysseus/v1"},
		{"odyseus/v2", "Deployment", all, "odysseus/v1"},
		{"Odysseus/v1", "Deployment", all, "odysseus/v1"},
		{"odysseusv1", "Deployment", all, "odysseus/v1"},
		{"policy.one.alibabacloud.con/v1alpha1", "PropagationPolicy", policies, "policy.one.alibabacloud.com/v1alpha1"},
		{"policy.karmda.io/v1alpha1", "OverridePolicy", policies, "policy.karmada.io/v1alpha1"},
		{"policy.karmda.io/v1alpha1", "OverridePolcy", all, "policy.karmada.io/v1alpha1"},
		{"policy.karmada.oi/v3beta2", "Anything", all, "policy.karmada.io/v1alpha1"},
		{"apps/v1", "PropagationPolicy", policies, ""},
		{"v1", "ClusterPropagationPolicy", policies, ""},
		{"apps/v1", "overridepolicy", policies, ""},
		{"example.com/v1", "ClusterOverridePolicy", policies, ""},
		{"odyseus/v1", "OverridePolicy", policies, ""},
	} {
		t.Run(tt.apiVersion+" "+tt.kind, func(t *testing.T) {
			_, faults := decodeResource(t, "apiVersion: "+tt.apiVersion+"\nkind: "+tt.kind+"\nmetadata: {name: a}\n", nil)
			if len(faults) != 1 {
				t.Fatalf("refused with %+v", faults)
			}
			f := faults[0]
			if f.Code != fleet.CodeKindUnsupported || f.Field != "apiVersion" || f.Value != tt.apiVersion || f.Want != "one_of" || f.WantArgs["Values"] != tt.values || f.Suggestion != tt.suggestion || f.Line != 1 || f.Column != 13 {
				t.Errorf("refused with %+v", f)
			}
		})
	}
	for _, other := range []string{"apps/v1", "v1", "policy/v1", "example.com/v1", "cluster.karmada.io/v1alpha1", "work.karmada.io/v1alpha2"} {
		if _, faults := decodeResource(t, "apiVersion: "+other+"\nkind: Widget\nmetadata: {name: a}\n", nil); len(faults) > 0 {
			t.Errorf("%s is refused: %+v", other, faults)
		}
	}
}
