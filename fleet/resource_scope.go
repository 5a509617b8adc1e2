package fleet

import (
	"encoding/json"
	"strings"
)

// GroupKind names a kind in all of its versions.
type GroupKind struct{ Group, Kind string }

func groupKind(apiVersion, kind string) GroupKind {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group = "" // the core group: "v1"
	}
	return GroupKind{Group: group, Kind: kind}
}

// builtInClusterScoped says whether a kind of Kubernetes itself has no namespace. The list is of all API groups
// that kube-apiserver has served, alpha ones and removed ones too: a kind keeps its scope for good.
func builtInClusterScoped(k GroupKind) bool {
	switch k.Group {
	case "":
		return oneOf(k.Kind, KindNamespace, "Node", "PersistentVolume", "ComponentStatus")
	case "admissionregistration.k8s.io":
		return oneOf(k.Kind, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy",
			"ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "InitializerConfiguration")
	case "apiextensions.k8s.io":
		return k.Kind == kindCustomResourceDefinition
	case "apiregistration.k8s.io":
		return k.Kind == "APIService"
	case "auditregistration.k8s.io":
		return k.Kind == "AuditSink"
	case "authentication.k8s.io":
		return oneOf(k.Kind, "TokenReview", "SelfSubjectReview")
	case "authorization.k8s.io":
		return oneOf(k.Kind, "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview")
	case "certificates.k8s.io":
		return oneOf(k.Kind, "CertificateSigningRequest", "ClusterTrustBundle")
	case "flowcontrol.apiserver.k8s.io":
		return oneOf(k.Kind, "FlowSchema", "PriorityLevelConfiguration")
	case "imagepolicy.k8s.io":
		return k.Kind == "ImageReview"
	case "internal.apiserver.k8s.io":
		return k.Kind == "StorageVersion"
	case "networking.k8s.io":
		return oneOf(k.Kind, "IngressClass", "IPAddress", "ServiceCIDR", "ClusterCIDR")
	case "node.k8s.io":
		return k.Kind == "RuntimeClass"
	case "policy", "extensions":
		return k.Kind == "PodSecurityPolicy"
	case "rbac.authorization.k8s.io":
		return oneOf(k.Kind, "ClusterRole", "ClusterRoleBinding")
	case "resource.k8s.io":
		return oneOf(k.Kind, "DeviceClass", "ResourceSlice", "DeviceTaintRule", "ResourceClass", "ResourcePoolStatusRequest")
	case "scheduling.k8s.io":
		return k.Kind == "PriorityClass"
	case "storage.k8s.io":
		return oneOf(k.Kind, "CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass")
	case "storagemigration.k8s.io":
		return k.Kind == "StorageVersionMigration"
	}
	return false
}

func oneOf(kind string, kinds ...string) bool {
	for _, k := range kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// BuiltInScope is a kind's scope as far as Kubernetes itself says it; namespaced for a kind that is not built in.
func BuiltInScope(apiVersion, kind string) Scope { return Scopes(nil).Of(apiVersion, kind) }

// Scopes are what the known CustomResourceDefinitions say of their kinds; nil knows the built-in kinds alone.
type Scopes map[GroupKind]Scope

// Of is a kind's scope: of a built-in kind Kubernetes', else what a CustomResourceDefinition says, else namespaced.
func (s Scopes) Of(apiVersion, kind string) Scope {
	k := groupKind(apiVersion, kind)
	if builtInClusterScoped(k) || s[k] == ScopeCluster {
		return ScopeCluster
	}
	return ScopeNamespace
}

const kindCustomResourceDefinition = "CustomResourceDefinition"

// DefinedScope reads the kind that a CustomResourceDefinition defines, and its scope; false for any other resource
// and for a definition that does not say.
func DefinedScope(r *Resource) (GroupKind, Scope, bool) {
	if groupKind(r.APIVersion, r.Kind) != (GroupKind{"apiextensions.k8s.io", kindCustomResourceDefinition}) {
		return GroupKind{}, "", false
	}
	var definition struct {
		Spec struct {
			Group string `json:"group"`
			Scope string `json:"scope"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(r.Object, &definition); err != nil || definition.Spec.Group == "" || definition.Spec.Names.Kind == "" {
		return GroupKind{}, "", false // the cluster will refuse it; here it just defines nothing
	}
	k := GroupKind{definition.Spec.Group, definition.Spec.Names.Kind}
	switch definition.Spec.Scope {
	case "Cluster":
		return k, ScopeCluster, true
	case "Namespaced":
		return k, ScopeNamespace, true
	}
	return GroupKind{}, "", false
}
