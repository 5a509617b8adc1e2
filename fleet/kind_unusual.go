package fleet

import (
	"maps"
	"slices"
	"strings"
)

// unusualKinds warns of an apiVersion or kind that is none of Kubernetes' own and nearly one: "nothing misspelt is ever
// silent". It is a warning and no refusal, since any kind may be defined. What is near nothing is somebody's own kind.
// under is the path of what holds the two fields; empty for the document itself.
func unusualKinds(under, apiVersion, kind string) []Warning {
	if apiVersion == "" || kind == "" {
		return nil
	}
	var warnings []Warning
	warn := func(field, text, meant string) {
		warnings = append(warnings, Warning{Code: CodeKindUnusual, Field: joinKey(under, field), Args: map[string]string{"Written": text, "Suggestion": meant}})
	}
	usual := usualKinds()
	kinds, known := usual[apiVersion]
	if !known {
		meant := nearest(apiVersion, slices.Sorted(maps.Keys(usual)))
		if meant == "" {
			return nil
		}
		warn("apiVersion", apiVersion, meant)
		kinds = usual[meant]
	}
	if slices.Contains(kinds, kind) {
		return warnings
	}
	if meant := nearestKind(kind, kinds); meant != "" {
		warn("kind", kind, meant)
	} else if holder := holderOfKind(usual, kind); known && holder != "" {
		warn("apiVersion", apiVersion, holder) // Kubernetes' own kind, under another of its groups
	}
	return warnings
}

// nearestKind also knows plurals, as kubectl takes them.
func nearestKind(kind string, kinds []string) string {
	for _, k := range kinds {
		for _, plural := range []string{k + "s", k + "es", strings.TrimSuffix(k, "y") + "ies"} {
			if strings.EqualFold(kind, plural) {
				return k
			}
		}
	}
	return nearest(kind, kinds)
}

// holderOfKind is the one apiVersion of Kubernetes that has the kind; empty where several have it, or none.
func holderOfKind(usual map[string][]string, kind string) string {
	var holders []string
	for version, kinds := range usual {
		if version != APIVersion && slices.Contains(kinds, kind) {
			holders = append(holders, version)
		}
	}
	if len(holders) != 1 {
		return ""
	}
	return holders[0]
}

// UnusualKind warns of a resource whose kind is nearly one of Kubernetes' own; not of one that is defined.
func UnusualKind(apiVersion, kind string, scopes Scopes) []Warning {
	if _, defined := scopes[groupKind(apiVersion, kind)]; defined {
		return nil
	}
	return unusualKinds("", apiVersion, kind)
}

// usualKinds are what Kubernetes itself serves and somebody may distribute, and this product's own, by apiVersion.
func usualKinds() map[string][]string {
	return map[string][]string{
		APIVersion: {KindDeployment},
		"v1": {"ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod",
			"PodTemplate", "ReplicationController", "ResourceQuota", "Secret", "Service", "ServiceAccount"},
		"apps/v1":                         {"ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"},
		"batch/v1":                        {"CronJob", "Job"},
		"autoscaling/v1":                  {"HorizontalPodAutoscaler"},
		"autoscaling/v2":                  {"HorizontalPodAutoscaler"},
		"policy/v1":                       {"PodDisruptionBudget"},
		"networking.k8s.io/v1":            {"IPAddress", "Ingress", "IngressClass", "NetworkPolicy", "ServiceCIDR"},
		"rbac.authorization.k8s.io/v1":    {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"},
		"storage.k8s.io/v1":               {"CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
		"scheduling.k8s.io/v1":            {"PriorityClass"},
		"node.k8s.io/v1":                  {"RuntimeClass"},
		"coordination.k8s.io/v1":          {"Lease"},
		"discovery.k8s.io/v1":             {"EndpointSlice"},
		"events.k8s.io/v1":                {"Event"},
		"certificates.k8s.io/v1":          {"CertificateSigningRequest"},
		"apiregistration.k8s.io/v1":       {"APIService"},
		"apiextensions.k8s.io/v1":         {kindCustomResourceDefinition},
		"flowcontrol.apiserver.k8s.io/v1": {"FlowSchema", "PriorityLevelConfiguration"},
		"admissionregistration.k8s.io/v1": {"MutatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"},
		"resource.k8s.io/v1":              {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"},
	}
}
