package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

func TestBuiltInScopes(t *testing.T) {
	cluster := map[string][]string{
		"v1":                                 {"Namespace", "Node", "PersistentVolume", "ComponentStatus"},
		"admissionregistration.k8s.io/v1":    {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"},
		"apiextensions.k8s.io/v1":            {"CustomResourceDefinition"},
		"apiregistration.k8s.io/v1":          {"APIService"},
		"authentication.k8s.io/v1":           {"TokenReview", "SelfSubjectReview"},
		"authorization.k8s.io/v1":            {"SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"},
		"certificates.k8s.io/v1":             {"CertificateSigningRequest", "ClusterTrustBundle"},
		"flowcontrol.apiserver.k8s.io/v1":    {"FlowSchema", "PriorityLevelConfiguration"},
		"internal.apiserver.k8s.io/v1alpha1": {"StorageVersion"},
		"networking.k8s.io/v1":               {"IngressClass", "IPAddress", "ServiceCIDR"},
		"node.k8s.io/v1":                     {"RuntimeClass"},
		"policy/v1beta1":                     {"PodSecurityPolicy"},
		"rbac.authorization.k8s.io/v1":       {"ClusterRole", "ClusterRoleBinding"},
		"resource.k8s.io/v1":                 {"DeviceClass", "ResourceSlice", "DeviceTaintRule"},
		"scheduling.k8s.io/v1":               {"PriorityClass"},
		"storage.k8s.io/v1":                  {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
		"storagemigration.k8s.io/v1alpha1":   {"StorageVersionMigration"},
	}
	namespaced := map[string][]string{
		"v1":                           {"Pod", "Service", "ConfigMap", "Secret", "ServiceAccount", "PersistentVolumeClaim", "Event", "Endpoints", "LimitRange", "ResourceQuota", "ReplicationController", "PodTemplate", "StorageClass"},
		"apps/v1":                      {"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "ControllerRevision", "Namespace"},
		"batch/v1":                     {"Job", "CronJob"},
		"authorization.k8s.io/v1":      {"LocalSubjectAccessReview"},
		"certificates.k8s.io/v1beta1":  {"PodCertificateRequest"},
		"coordination.k8s.io/v1":       {"Lease", "LeaseCandidate"},
		"networking.k8s.io/v1":         {"Ingress", "NetworkPolicy"},
		"policy/v1":                    {"PodDisruptionBudget"},
		"rbac.authorization.k8s.io/v1": {"Role", "RoleBinding"},
		"resource.k8s.io/v1":           {"ResourceClaim", "ResourceClaimTemplate"},
		"storage.k8s.io/v1":            {"CSIStorageCapacity"},
		"example.com/v1":               {"ClusterRole", "Widget"},
		"odysseus/v1":                  {"Deployment"},
	}
	for want, kinds := range map[fleet.Scope]map[string][]string{fleet.ScopeCluster: cluster, fleet.ScopeNamespace: namespaced} {
		for apiVersion, list := range kinds {
			for _, kind := range list {
				if got := fleet.BuiltInScope(apiVersion, kind); got != want {
					t.Errorf("%s %s is of scope %s", apiVersion, kind, got)
				}
			}
		}
	}
}

func TestDefinitionsSayTheScopeOfTheirKind(t *testing.T) {
	definition := func(apiVersion, spec string) string {
		return "apiVersion: " + apiVersion + "\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: " + spec + "\n"
	}
	tests := []struct {
		name, manifest string
		scope          fleet.Scope
		known          bool
	}{
		{"cluster", definition("apiextensions.k8s.io/v1", "{group: example.com, scope: Cluster, names: {kind: Widget}}"), fleet.ScopeCluster, true},
		{"namespaced", definition("apiextensions.k8s.io/v1beta1", "{group: example.com, scope: Namespaced, names: {kind: Widget}}"), fleet.ScopeNamespace, true},
		{"no scope", definition("apiextensions.k8s.io/v1", "{group: example.com, names: {kind: Widget}}"), "", false},
		{"no kind", definition("apiextensions.k8s.io/v1", "{group: example.com, scope: Cluster}"), "", false},
		{"a scope of another type", definition("apiextensions.k8s.io/v1", "{group: example.com, scope: [Cluster], names: {kind: Widget}}"), "", false},
		{"another group's", definition("example.com/v1", "{group: example.com, scope: Cluster, names: {kind: Widget}}"), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.manifest)
			kind, scope, known := fleet.DefinedScope(&r)
			if known != tt.known || scope != tt.scope || known && kind != (fleet.GroupKind{Group: "example.com", Kind: "Widget"}) {
				t.Fatalf("%+v, %q, %v", kind, scope, known)
			}
			want := fleet.ScopeNamespace
			if scope == fleet.ScopeCluster {
				want = fleet.ScopeCluster
			}
			if got := (fleet.Scopes{kind: scope}).Of("example.com/v2", "Widget"); got != want {
				t.Errorf("a Widget is of scope %s", got)
			}
		})
	}
	scopes := fleet.Scopes{{Group: "example.com", Kind: "Widget"}: fleet.ScopeCluster, {Group: "", Kind: "Node"}: fleet.ScopeNamespace}
	if scopes.Of("v1", "Node") != fleet.ScopeCluster {
		t.Error("a definition overrides what Kubernetes says of its own kinds")
	}
	_, faults := decodeResource(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: demo}\n", scopes)
	if len(faults) != 1 || faults[0].Code != fleet.CodeFieldConflict {
		t.Errorf("a namespace on a cluster-scoped kind of a definition: %+v", faults)
	}
}
