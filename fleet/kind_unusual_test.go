package fleet_test

import (
	"fmt"
	"testing"

	"odysseus/fleet"
)

func TestANearMissOfABuiltInKindIsWarnedOf(t *testing.T) {
	apiVersion := func(written, meant string) string { return "apiVersion " + written + " " + meant }
	kind := func(written, meant string) string { return "kind " + written + " " + meant }
	for _, tt := range []struct {
		apiVersion, kind string
		want             []string
	}{
		{"apps/v1", "Deployment", nil},
		{"apps/v1", "Deploymnt", []string{kind("Deploymnt", "Deployment")}},
		{"apps/v1", "deployment", []string{kind("deployment", "Deployment")}},
		{"apps/v1", "Deployments", []string{kind("Deployments", "Deployment")}},
		{"networking.k8s.io/v1", "networkpolicies", []string{kind("networkpolicies", "NetworkPolicy")}},
		{"networking.k8s.io/v1", "Ingresses", []string{kind("Ingresses", "Ingress")}},
		{"batch/v1", "jobs", []string{kind("jobs", "Job")}},
		{"app/v1", "Deployment", []string{apiVersion("app/v1", "apps/v1")}},
		{"app/v1", "Deploymnt", []string{apiVersion("app/v1", "apps/v1"), kind("Deploymnt", "Deployment")}},
		{"v1", "Deployment", []string{apiVersion("v1", "apps/v1")}},
		{"v1", "Configmap", []string{kind("Configmap", "ConfigMap")}},
		{"odysseus/v1", "Deploymnt", []string{kind("Deploymnt", "Deployment")}},
		{"odyseus/v1", "Deployment", []string{apiVersion("odyseus/v1", "odysseus/v1")}},
		{"apps/v1", "Widget", nil},
		{"v1", "HorizontalPodAutoscaler", nil}, // of two versions
		{"example.com/v1", "Deploymnt", nil},
		{"apps/v1beta1", "Deployment", nil},
		{"autoscaling/v2", "HorizontalPodAutoscaler", nil},
	} {
		t.Run(tt.apiVersion+" "+tt.kind, func(t *testing.T) {
			warnings := fleet.UnusualKind(tt.apiVersion, tt.kind, nil)
			var got []string
			for _, w := range warnings {
				if w.Code != fleet.CodeKindUnusual {
					t.Errorf("warned of %s", w.Code)
				}
				got = append(got, w.Field+" "+w.Args["Written"]+" "+w.Args["Suggestion"])
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("warned of %q, want %q", got, tt.want)
			}
		})
	}
	if got := fleet.UnusualKind("app/v1", "Deployment", fleet.Scopes{{Group: "app", Kind: "Deployment"}: fleet.ScopeNamespace}); got != nil {
		t.Errorf("a kind that is defined is warned of: %+v", got)
	}
}

func TestASelectorOfANearMissIsWarnedOf(t *testing.T) {
	p := fleet.Policy{APIVersion: fleet.PolicyAPIVersion, Kind: fleet.KindPropagationPolicy, Spec: fleet.PropagationSpec{
		ResourceSelectors: []fleet.ResourceSelector{{APIVersion: "v1", Kind: "Secret"}, {APIVersion: "apps/v1", Kind: "Deploymnt"}}}}
	_, warnings := fleet.ValidatePolicy(&p, nil)
	if len(warnings) != 1 || warnings[0].Code != fleet.CodeKindUnusual || warnings[0].Field != "spec.resourceSelectors[1].kind" || warnings[0].Args["Suggestion"] != "Deployment" {
		t.Errorf("warned of %+v", warnings)
	}
}
