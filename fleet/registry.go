package fleet

// EntryKind tells what a code of the registry is given as.
type EntryKind string

// Kinds of entries: refusals of a write, warnings beside an accepted one, reasons for which replicas are pending.
const (
	EntryRefusal EntryKind = "refusal"
	EntryWarning EntryKind = "warning"
	EntryReason  EntryKind = "reason"
)

// Entry is one code as the reference documents it. Its words stand in the catalogue: cause.CODE for why it is
// given; a refusal's message and accepted form under refusal.CODE and accepted.WANT.
type Entry struct {
	Code Code      `json:"code"`
	Kind EntryKind `json:"kind"`
	// Status is the HTTP status that the code answers with; 0 for warnings and reasons.
	Status int `json:"status,omitempty"`
	// Field is where the code is given; empty where it may be anywhere.
	Field string `json:"field,omitempty"`
	// Example is a manifest, or a part of one, that gives the code.
	Example string `json:"example,omitempty"`
}

// example is a whole manifest with the given lines under spec.
func example(spec string) string {
	return "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\nspec:\n  image: registry.example.com/ledger-api:1.4.0\n" + spec
}

// labelled is a whole manifest with the given line under metadata.labels.
func labelled(line string) string {
	return "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\n  labels:\n    " + line + "\nspec:\n  image: registry.example.com/ledger-api:1.4.0\n"
}

func resident(line string) string {
	return example("  placement:\n    residency:\n      " + line + "\n")
}

// ackOnePolicy is a whole policy under ACK One's API that selects a kind, with the given lines under spec.
func ackOnePolicy(selects, spec string) string {
	return "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata:\n  name: web\n  namespace: demo\nspec:\n" +
		"  resourceSelectors:\n    - {" + selects + "}\n" + spec
}

// karmadaPolicy is a whole policy under Karmada's API with the given lines under spec.
func karmadaPolicy(spec string) string {
	return "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata:\n  name: web\n  namespace: demo\nspec:\n" + spec
}

// ackOneOverride is a whole override policy under ACK One's API, with the given lines of a rule.
func ackOneOverride(rule string) string {
	return "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nmetadata:\n  name: web\n  namespace: demo\nspec:\n" +
		"  resourceSelectors:\n    - {apiVersion: apps/v1, kind: Deployment, name: web}\n  overrideRules:\n" + rule
}

// Registry holds every code, in the order of the reference. The pages /docs/deployment and /docs/rejections and
// their JSON twins are made from it; tests fail when a code is given that it lacks, or listed and never given.
func Registry() []Entry {
	return []Entry{
		{CodeCountryUnassigned, EntryRefusal, 422, "spec.placement.residency.country", resident("country: UK")},
		{CodeCountryRepeated, EntryRefusal, 422, "spec.placement.residency.blockedCountries[i]", resident("blockedCountries: [US, US]")},
		{CodeRegionUndeclared, EntryRefusal, 422, "spec.placement.residency.region", resident("region: nowhere-declared")},
		{CodeCountryAndRegion, EntryRefusal, 422, "spec.placement.residency.region", example("  placement:\n    residency:\n      country: CA\n      region: eu-core\n")},
		{CodeContradiction, EntryRefusal, 422, "spec.placement.residency.blockedCountries[i]", example("  placement:\n    residency:\n      country: CA\n      blockedCountries: [CA]\n")},
		{CodeResidencyEmpty, EntryRefusal, 422, "spec.placement", example("  placement: {}\n")},
		{CodeLabelHandwritten, EntryRefusal, 422, "metadata.labels", labelled("odysseus.io/data-residency-country: CA")},
		{CodeLabelReserved, EntryRefusal, 422, "metadata.labels", labelled("odysseus.io/data-residency-contry: CA")},

		{CodeInvalidYAML, EntryRefusal, 400, "", "spec: [\n"},
		{CodeInvalidJSON, EntryRefusal, 400, "", ""},
		{CodeTooLarge, EntryRefusal, 422, "", ""},
		{CodeTooManyDocuments, EntryRefusal, 422, "", example("") + "---\n" + example("")},
		{CodeNoDocument, EntryRefusal, 422, "", "# nothing\n"},
		{CodeDuplicateKey, EntryRefusal, 422, "", example("  replicas: 1\n  replicas: 2\n")},
		{CodeUnknownField, EntryRefusal, 422, "", example("  residancy: {country: CA}\n")},
		{CodeWrongType, EntryRefusal, 422, "", example("  replicas: two\n")},
		{CodeRequired, EntryRefusal, 422, "", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\nspec: {replicas: 1}\n"},
		{CodeKindUnsupported, EntryRefusal, 422, "kind", "apiVersion: odysseus/v1\nkind: Deploymnt\nmetadata:\n  name: ledger-api\nspec: {image: nginx}\n"},
		{CodeFieldUnsupported, EntryRefusal, 422, "spec.healthCheck", example("  healthCheck: {http: {path: /, port: 80}}\n")},
		{CodeOutOfRange, EntryRefusal, 422, "spec.replicas", example("  replicas: 10001\n")},
		{CodeNotAccepted, EntryRefusal, 422, "spec.restartPolicy", example("  restartPolicy: always\n")},
		{CodeRepeated, EntryRefusal, 422, "spec.env[i].name", example("  env:\n    - {name: A, value: x}\n    - {name: A, value: y}\n")},
		{CodeTooLong, EntryRefusal, 422, "regions[i].description", ""},

		{CodeNameInvalid, EntryRefusal, 422, "metadata.name", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: Ledger_API\nspec: {image: nginx}\n"},
		{CodeNameReserved, EntryRefusal, 422, "metadata.name", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: new\nspec: {image: nginx}\n"},
		{CodeNameMismatch, EntryRefusal, 422, "metadata.name", ""},
		{CodeNamespaceMismatch, EntryRefusal, 422, "metadata.namespace", ""},
		{CodeNamespaceUnknown, EntryRefusal, 422, "metadata.namespace", ""},
		{CodeImageInvalid, EntryRefusal, 422, "spec.image", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\nspec: {image: \"Ledger API\"}\n"},
		{CodeEnvNameInvalid, EntryRefusal, 422, "spec.env[i].name", example("  env:\n    - {name: \"1A\", value: x}\n")},
		{CodeQuantityInvalid, EntryRefusal, 422, "spec.resources", example("  resources: {requests: {memory: 128 MB}}\n")},
		{CodeRequestExceedsLimit, EntryRefusal, 422, "spec.resources.requests", example("  resources: {requests: {cpu: 2}, limits: {cpu: 1}}\n")},
		{CodeLabelInvalid, EntryRefusal, 422, "metadata.labels", labelled("team: \"ledger & co\"")},
		{CodeAnnotationInvalid, EntryRefusal, 422, "metadata.annotations", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\n  annotations: {\"a b\": c}\nspec: {image: nginx}\n"},
		{CodeRevisionUnknown, EntryRefusal, 422, "revision", ""},
		{CodeRollbackWidens, EntryRefusal, 422, "revision", ""},

		{CodeEmailInvalid, EntryRefusal, 422, "email", ""},
		{CodePasswordInvalid, EntryRefusal, 422, "password", ""},
		{CodeRoleInvalid, EntryRefusal, 422, "role", ""},
		{CodeDurationInvalid, EntryRefusal, 422, "expiresIn", ""},
		{CodeTenantUnknown, EntryRefusal, 422, "tenants[i]", ""},
		{CodeSelectorInvalid, EntryRefusal, 422, "labelSelector", ""},
		{CodeNodeGeographySelf, EntryRefusal, 422, "", ""},
		{CodeNodeCountryInvalid, EntryRefusal, 422, "labels[odysseus.io/country]", ""},
		{CodeContainerUnknown, EntryRefusal, 422, "containers[i].id", ""},
		{CodeRegionRepeated, EntryRefusal, 422, "regions[i].name", ""},
		{CodeRegionWithoutCountry, EntryRefusal, 422, "regions[i].countries", ""},
		{CodeRegionInUse, EntryRefusal, 409, "regions", ""},
		{CodeSettingPinned, EntryRefusal, 409, "", ""},
		{CodeTenantInUse, EntryRefusal, 409, "", ""},
		{CodeClusterInUse, EntryRefusal, 409, "", ""},
		{CodeAlreadyExists, EntryRefusal, 409, "", ""},
		{CodeLastOperator, EntryRefusal, 409, "email", ""},

		{CodeWeightsBoth, EntryRefusal, 422, "spec.placement.replicaScheduling.weightPreference.dynamicWeight", ackOnePolicy("apiVersion: apps/v1, kind: Deployment",
			"  placement:\n    replicaScheduling:\n      weightPreference:\n        staticWeightList:\n          - {targetCluster: {clusterNames: [cluster-1]}, weight: 2}\n        dynamicWeight: AvailableReplicas\n")},
		{CodeExcludeBoth, EntryRefusal, 422, "spec.placement.clusterAffinity.exclude", ackOnePolicy("apiVersion: apps/v1, kind: Deployment",
			"  placement:\n    clusterAffinity:\n      excludeClusters: [cluster-1]\n      exclude: [cluster-2]\n")},
		{CodeFieldConflict, EntryRefusal, 422, "", ackOnePolicy("apiVersion: apps/v1, kind: Deployment",
			"  placement: {}\n  failover:\n    application:\n      purgeMode: Immediately\n      gracePeriodSeconds: 600\n")},
		{CodeGangKind, EntryRefusal, 422, "spec.placement.replicaScheduling.customSchedulingType", ackOnePolicy("apiVersion: apps/v1, kind: Deployment",
			"  placement:\n    replicaScheduling: {customSchedulingType: Gang}\n")},

		{CodeOverrideResidency, EntryRefusal, 422, "spec.overrideRules[i].overriders", ackOneOverride("    - targetCluster: {clusterNames: [cluster-1]}\n      overriders:\n        plaintext:\n          - {path: /spec/placement/residency/country, operator: replace, value: US}\n")},
		{CodeOverrideIdentity, EntryRefusal, 422, "spec.overrideRules[i].overriders", ackOneOverride("    - targetCluster: {clusterNames: [cluster-1]}\n      overriders:\n        plaintext:\n          - {path: /metadata/name, operator: replace, value: other}\n")},

		{CodeBadRequest, EntryRefusal, 400, "", ""},
		{CodeUnauthenticated, EntryRefusal, 401, "", ""},
		{CodeSignInFailed, EntryRefusal, 401, "", ""},
		{CodeForbidden, EntryRefusal, 403, "", ""},
		{CodeCrossOrigin, EntryRefusal, 403, "", ""},
		{CodeNotFound, EntryRefusal, 404, "", ""},
		{CodeMethodNotAllowed, EntryRefusal, 405, "", ""},
		{CodeStale, EntryRefusal, 412, "metadata.resourceVersion", ""},
		{CodeBodyTooLarge, EntryRefusal, 413, "", ""},
		{CodeUnsupportedMedia, EntryRefusal, 415, "", ""},
		{CodeTooManyRequests, EntryRefusal, 429, "", ""},
		{CodeInternal, EntryRefusal, 500, "", ""},
		{CodeBusy, EntryRefusal, 503, "", ""},
		{CodeStorageFull, EntryRefusal, 507, "", ""},

		{CodeEnforcementOff, EntryWarning, 0, "spec.placement.residency", resident("country: CA")},
		{CodeNoMatchingNode, EntryWarning, 0, "spec.placement.residency", resident("country: CA")},
		{CodeBlockedShadowed, EntryWarning, 0, "spec.placement.residency.blockedCountries", example("  placement:\n    residency:\n      region: eu-core\n      blockedCountries: [FR]\n")},
		{CodeRegionUnchecked, EntryWarning, 0, "spec.placement.residency.region", ""},
		{CodeNodeRegionUnknown, EntryWarning, 0, "", ""},
		{CodeSelectsNothing, EntryWarning, 0, "spec.resourceSelectors", karmadaPolicy("  placement: {}\n")},
		{CodeSelectorNoEffect, EntryWarning, 0, "spec.resourceSelectors[i].namespace", karmadaPolicy("  placement: {}\n  resourceSelectors:\n    - {apiVersion: apps/v1, kind: Deployment, namespace: other}\n")},
		{CodeSelectorNameWins, EntryWarning, 0, "spec.resourceSelectors[i].labelSelector", karmadaPolicy("  placement: {}\n  resourceSelectors:\n    - {apiVersion: apps/v1, kind: Deployment, name: web, labelSelector: {matchLabels: {app: web}}}\n")},
		{CodeKindUnusual, EntryWarning, 0, "spec.resourceSelectors[i].kind", karmadaPolicy("  placement: {}\n  resourceSelectors:\n    - {apiVersion: apps/v1, kind: Deploymnt}\n")},
		{CodeKeptOnMembers, EntryWarning, 0, "", ""},
		{CodeClusterUnknown, EntryWarning, 0, "spec.placement.clusterAffinity.clusterNames[i]", karmadaPolicy("  placement:\n    clusterAffinity: {clusterNames: [no-such-cluster]}\n  resourceSelectors:\n    - {apiVersion: apps/v1, kind: Deployment}\n")},
		{CodeAllClusters, EntryWarning, 0, "spec.placement", karmadaPolicy("  resourceSelectors:\n    - {apiVersion: apps/v1, kind: Deployment}\n")},
		{CodeTargetsAllClusters, EntryWarning, 0, "spec.overrideRules[i].targetCluster", ackOneOverride("    - targetCluster: {}\n      overriders: {labelsOverrider: [{operator: add, value: {tier: edge}}]}\n")},

		{ReasonGeoMismatch, EntryReason, 0, "", ""},
		{ReasonNoReachableNode, EntryReason, 0, "", ""},
		{ReasonCapacity, EntryReason, 0, "", ""},
		{ReasonNoClusterSelected, EntryReason, 0, "", ""},
		{ReasonWaitingOverride, EntryReason, 0, "", ""},
		{ReasonWaitingDependency, EntryReason, 0, "", ""},
		{ReasonNoPolicy, EntryReason, 0, "", ""},
		{ReasonOverrideBlocked, EntryReason, 0, "", ""},
		{ReasonRegionUndeclared, EntryReason, 0, "", ""},
		{ReasonFailoverManual, EntryReason, 0, "", ""},
		{ReasonGang, EntryReason, 0, "", ""},
		{ReasonClusterUnreachable, EntryReason, 0, "", ""},
		{ReasonRuntimeUnsupported, EntryReason, 0, "", ""},
		{ReasonMovedOff, EntryReason, 0, "", ""},
	}
}

// Lookup finds a code's entry.
func Lookup(code Code) (Entry, bool) {
	for _, e := range Registry() {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}
