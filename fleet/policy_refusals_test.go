package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

// policyRefusal is one expected fault of a policy, every part of it.
type policyRefusal struct {
	code               fleet.Code
	field, value, want string
	suggestion         string
	line, column       int
}

func policyRefusals(faults fleet.FieldErrors) []policyRefusal {
	var got []policyRefusal
	for _, f := range faults {
		got = append(got, policyRefusal{f.Code, f.Field, f.Value, f.Want, f.Suggestion, f.Line, f.Column})
	}
	return got
}

// Where the lines of a test start: of spec, of the placement, of replicaScheduling, of the failover.
const (
	underSpec      = ackOne + named + "  placement: {}\n"                                                // line 6
	underPlacement = ackOne + named + "  placement:\n"                                                   // line 6
	underAffinity  = underPlacement + "    clusterAffinity:\n"                                           // line 7
	underSchedule  = underPlacement + "    replicaScheduling:\n"                                         // line 7
	underWeights   = underSchedule + "      weightPreference:\n"                                         // line 8
	underFailover  = underSpec + "  failover:\n    application:\n"                                       // line 8
	underSelector  = underSpec + "  resourceSelectors:\n  - apiVersion: apps/v1\n    kind: Deployment\n" // line 9
	underLabels    = underSelector + "    labelSelector:\n"                                              // line 10
)

func TestPolicyRefusals(t *testing.T) {
	const (
		affinity = "spec.placement.clusterAffinity"
		schedule = "spec.placement.replicaScheduling"
		weights  = schedule + ".weightPreference"
		static   = weights + ".staticWeightList"
		failover = "spec.failover.application"
		selector = "spec.resourceSelectors[0]"
		labels   = selector + ".labelSelector"
		expr     = labels + ".matchExpressions[0]"
	)
	tests := []struct {
		name, manifest string
		want           []policyRefusal
	}{
		// apiVersion, kind
		{"no apiVersion", named + "  placement: {}\n", []policyRefusal{{fleet.CodeRequired, "apiVersion", "", "one_of", "", 1, 1}}},
		{"an unknown version", "apiVersion: policy.karmada.io/v1beta1\n" + named + "  placement: {}\n", []policyRefusal{{fleet.CodeKindUnsupported, "apiVersion", "policy.karmada.io/v1beta1", "one_of", "", 1, 13}}},
		{"a misspelt version", "apiVersion: policy.karmada.io/v1alpha\n" + named + "  placement: {}\n", []policyRefusal{{fleet.CodeKindUnsupported, "apiVersion", "policy.karmada.io/v1alpha", "one_of", "policy.karmada.io/v1alpha1", 1, 13}}},
		{"a number as apiVersion", "apiVersion: 1\n" + named + "  placement: {}\n", []policyRefusal{{fleet.CodeWrongType, "apiVersion", "1", "type_text", "", 1, 13}}},
		{"no kind", ackOne + "metadata: {name: p}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeRequired, "kind", "", "one_of", "", 1, 1}}},
		{"a kind in small letters", ackOne + "kind: propagationpolicy\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeKindUnsupported, "kind", "propagationpolicy", "one_of", "PropagationPolicy", 2, 7}}},
		{"another kind", ackOne + "kind: Policy\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeKindUnsupported, "kind", "Policy", "one_of", "", 2, 7}}},

		// metadata
		{"a name in capitals", ackOne + "kind: PropagationPolicy\nmetadata: {name: Web}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeNameInvalid, "metadata.name", "Web", "name", "web", 3, 18}}},
		{"a name with a dot", ackOne + "kind: PropagationPolicy\nmetadata: {name: a.b}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeNameInvalid, "metadata.name", "a.b", "name", "", 3, 18}}},
		{"a number as name", ackOne + "kind: PropagationPolicy\nmetadata: {name: 7}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeWrongType, "metadata.name", "7", "type_text", "", 3, 18}}},
		{"a namespace that is no name", ackOne + "kind: PropagationPolicy\nmetadata: {namespace: A_b}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeNameInvalid, "metadata.namespace", "A_b", "name", "", 3, 23}}},
		{"a system namespace", ackOne + "kind: PropagationPolicy\nmetadata: {namespace: kube-system}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeNamespaceUnknown, "metadata.namespace", "kube-system", "namespace", "", 3, 23}}},
		{"a namespace of the platform", ackOne + "kind: PropagationPolicy\nmetadata: {namespace: odysseus-agents}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeNamespaceUnknown, "metadata.namespace", "odysseus-agents", "namespace", "", 3, 23}}},
		{"a namespace on the cluster's kind", ackOne + "kind: ClusterPropagationPolicy\nmetadata: {namespace: demo}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeFieldConflict, "metadata.namespace", "demo", "field_left_out", "", 3, 23}}},
		{"a label that is none", ackOne + "kind: PropagationPolicy\nmetadata: {labels: {a: \"b c\"}}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeLabelInvalid, "metadata.labels.a", "b c", "label_value", "", 3, 24}}},
		{"an annotation that is none", ackOne + "kind: PropagationPolicy\nmetadata: {annotations: {\"a b\": c}}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeAnnotationInvalid, "metadata.annotations.a b", "a b", "label_key", "", 3, 26}}},
		{"a reserved label", ackOne + "kind: PropagationPolicy\nmetadata: {labels: {odysseus.io/x: y}}\nspec: {placement: {}}\n", []policyRefusal{{fleet.CodeLabelReserved, "metadata.labels[odysseus.io/x]", "odysseus.io/x", "label_not_reserved", "", 3, 21}}},

		// spec
		{"a spec that is a list", ackOne + "kind: PropagationPolicy\nspec: []\n", []policyRefusal{{fleet.CodeWrongType, "spec", "[]", "type_map", "", 3, 7}}},
		{"a misspelt field", underSpec + "  propagateDepts: true\n", []policyRefusal{{fleet.CodeUnknownField, "spec.propagateDepts", "propagateDepts", "known_keys", "propagateDeps", 6, 3}}},
		{"a field at the wrong depth", underSpec + "  clusterNames: []\n", []policyRefusal{{fleet.CodeUnknownField, "spec.clusterNames", "clusterNames", "known_keys", "", 6, 3}}},
		{"a key twice", underSpec + "  priority: 1\n  priority: 2\n", []policyRefusal{{fleet.CodeDuplicateKey, "spec.priority", "priority", "key_once", "", 7, 3}}},
		{"propagateDeps in a word", underSpec + "  propagateDeps: yes\n", []policyRefusal{{fleet.CodeWrongType, "spec.propagateDeps", "yes", "type_bool", "", 6, 18}}},
		{"a priority in words", underSpec + "  priority: high\n", []policyRefusal{{fleet.CodeWrongType, "spec.priority", "high", "type_number", "", 6, 13}}},
		{"half a priority", underSpec + "  priority: 0.5\n", []policyRefusal{{fleet.CodeWrongType, "spec.priority", "0.5", "type_integer", "", 6, 13}}},
		{"a priority above 32 bits", underSpec + "  priority: 2147483648\n", []policyRefusal{{fleet.CodeOutOfRange, "spec.priority", "2147483648", "range", "", 6, 13}}},
		{"a priority below 32 bits", underSpec + "  priority: -2147483649\n", []policyRefusal{{fleet.CodeOutOfRange, "spec.priority", "-2147483649", "range", "", 6, 13}}},
		{"preemption in small letters", underSpec + "  preemption: always\n", []policyRefusal{{fleet.CodeNotAccepted, "spec.preemption", "always", "one_of", "Always", 6, 15}}},
		{"preemption of a whole kind", underSelector + "  preemption: Always\n", []policyRefusal{{fleet.CodeRequired, selector + ".name", "", "name_to_preempt", "", 7, 5}}},
		{"a dependent override that is no name", underSpec + "  dependentOverrides: [a, B_]\n", []policyRefusal{{fleet.CodeNameInvalid, "spec.dependentOverrides[1]", "B_", "name", "", 6, 27}}},
		{"a dependent override that is nothing", underSpec + "  dependentOverrides: [\"\"]\n", []policyRefusal{{fleet.CodeNameInvalid, "spec.dependentOverrides[0]", "", "name", "", 6, 24}}},
		{"dependent overrides that are text", underSpec + "  dependentOverrides: a\n", []policyRefusal{{fleet.CodeWrongType, "spec.dependentOverrides", "a", "type_list", "", 6, 23}}},
		{"preserve in a word", underSpec + "  preserveResourcesOnDeletion: \"true\"\n", []policyRefusal{{fleet.CodeWrongType, "spec.preserveResourcesOnDeletion", "true", "type_bool", "", 6, 32}}},

		// resourceSelectors
		{"selectors that are a map", underSpec + "  resourceSelectors: {}\n", []policyRefusal{{fleet.CodeWrongType, "spec.resourceSelectors", "{}", "type_list", "", 6, 22}}},
		{"a selector that is nothing", underSpec + "  resourceSelectors: [null]\n", []policyRefusal{{fleet.CodeWrongType, selector, "null", "type_map", "", 6, 23}}},
		{"a selector without a version", underSpec + "  resourceSelectors: [{kind: Deployment}]\n", []policyRefusal{{fleet.CodeRequired, selector + ".apiVersion", "", "group_version", "", 6, 23}}},
		{"a selector without a kind", underSpec + "  resourceSelectors: [{apiVersion: v1}]\n", []policyRefusal{{fleet.CodeRequired, selector + ".kind", "", "kind_word", "", 6, 23}}},
		{"a kind that is a number", underSpec + "  resourceSelectors: [{apiVersion: v1, kind: 5}]\n", []policyRefusal{{fleet.CodeWrongType, selector + ".kind", "5", "type_text", "", 6, 46}}},
		{"wildcards", underSpec + "  resourceSelectors: [{apiVersion: apps/*, kind: \"*\"}]\n", []policyRefusal{{fleet.CodeNotAccepted, selector + ".apiVersion", "apps/*", "group_version", "", 6, 36}, {fleet.CodeNotAccepted, selector + ".kind", "*", "kind_word", "", 6, 50}}},
		{"two slashes", underSpec + "  resourceSelectors: [{apiVersion: apps/v1/x, kind: A}]\n", []policyRefusal{{fleet.CodeNotAccepted, selector + ".apiVersion", "apps/v1/x", "group_version", "", 6, 36}}},
		{"a selector's namespace in capitals", underSelector + "    namespace: Demo\n", []policyRefusal{{fleet.CodeNameInvalid, selector + ".namespace", "Demo", "name", "demo", 9, 16}}},
		{"a selector's name with a slash", underSelector + "    name: a/b\n", []policyRefusal{{fleet.CodeNameInvalid, selector + ".name", "a/b", "resource_name", "", 9, 11}}},
		{"a misspelt selector field", underSelector + "    labelselector: {}\n", []policyRefusal{{fleet.CodeUnknownField, selector + ".labelselector", "labelselector", "known_keys", "labelSelector", 9, 5}}},

		// labelSelector
		{"a selector in text", underSelector + "    labelSelector: app=web\n", []policyRefusal{{fleet.CodeWrongType, labels, "app=web", "type_map", "", 9, 20}}},
		{"a label's number", underLabels + "      matchLabels: {app: 1}\n", []policyRefusal{{fleet.CodeWrongType, labels + ".matchLabels.app", "1", "type_text", "", 10, 26}}},
		{"a label's key", underLabels + "      matchLabels: {\"a b\": c}\n", []policyRefusal{{fleet.CodeLabelInvalid, labels + ".matchLabels.a b", "a b", "label_key", "", 10, 21}}},
		{"a label's value", underLabels + "      matchLabels: {a: \"-\"}\n", []policyRefusal{{fleet.CodeLabelInvalid, labels + ".matchLabels.a", "-", "label_value", "", 10, 24}}},
		{"no key", underLabels + "      matchExpressions: [{operator: Exists}]\n", []policyRefusal{{fleet.CodeRequired, expr + ".key", "", "label_key", "", 10, 26}}},
		{"an expression's key", underLabels + "      matchExpressions: [{key: a/b/c, operator: Exists}]\n", []policyRefusal{{fleet.CodeLabelInvalid, expr + ".key", "a/b/c", "label_key", "", 10, 32}}},
		{"no operator", underLabels + "      matchExpressions: [{key: a}]\n", []policyRefusal{{fleet.CodeRequired, expr + ".operator", "", "one_of", "", 10, 26}}},
		{"an operator that is none", underLabels + "      matchExpressions: [{key: a, operator: notin, values: [b]}]\n", []policyRefusal{{fleet.CodeNotAccepted, expr + ".operator", "notin", "one_of", "NotIn", 10, 45}}},
		{"nodes' operators", underLabels + "      matchExpressions: [{key: a, operator: Gt, values: [\"1\"]}]\n", []policyRefusal{{fleet.CodeNotAccepted, expr + ".operator", "Gt", "one_of", "", 10, 45}}},
		{"In nothing", underLabels + "      matchExpressions: [{key: a, operator: In}]\n", []policyRefusal{{fleet.CodeRequired, expr + ".values", "", "selector_values", "", 10, 26}}},
		{"NotIn an empty list", underLabels + "      matchExpressions: [{key: a, operator: NotIn, values: []}]\n", []policyRefusal{{fleet.CodeRequired, expr + ".values", "[]", "selector_values", "", 10, 60}}},
		{"Exists with values", underLabels + "      matchExpressions: [{key: a, operator: Exists, values: [b]}]\n", []policyRefusal{{fleet.CodeFieldConflict, expr + ".values", `["b"]`, "field_left_out", "", 10, 61}}},
		{"DoesNotExist with values", underLabels + "      matchExpressions: [{key: a, operator: DoesNotExist, values: [b]}]\n", []policyRefusal{{fleet.CodeFieldConflict, expr + ".values", `["b"]`, "field_left_out", "", 10, 67}}},
		{"an expression's value", underLabels + "      matchExpressions: [{key: a, operator: In, values: [b, \"c d\"]}]\n", []policyRefusal{{fleet.CodeLabelInvalid, expr + ".values[1]", "c d", "label_value", "", 10, 61}}},

		// placement
		{"no placement under ACK One", ackOne + named + selecting, []policyRefusal{{fleet.CodeRequired, "spec.placement", "", "placement", "", 4, 1}}},
		{"no placement under its other name", "apiVersion: one.alibabacloud.com/v1alpha1\n" + named + selecting, []policyRefusal{{fleet.CodeRequired, "spec.placement", "", "placement", "", 4, 1}}},
		{"a placement of nothing", ackOne + named + "  placement:\n", []policyRefusal{{fleet.CodeRequired, "spec.placement", "", "placement", "", 5, 13}}},
		{"no spec", ackOne + "kind: PropagationPolicy\n", []policyRefusal{{fleet.CodeRequired, "spec.placement", "", "placement", "", 1, 1}}},
		{"cluster names that are text", underAffinity + "      clusterNames: a\n", []policyRefusal{{fleet.CodeWrongType, affinity + ".clusterNames", "a", "type_list", "", 7, 21}}},
		{"a cluster's number", underAffinity + "      clusterNames: [1]\n", []policyRefusal{{fleet.CodeWrongType, affinity + ".clusterNames[0]", "1", "type_text", "", 7, 22}}},
		{"a cluster that cannot be", underAffinity + "      clusterNames: [Cluster-1]\n", []policyRefusal{{fleet.CodeNameInvalid, affinity + ".clusterNames[0]", "Cluster-1", "name", "cluster-1", 7, 22}}},
		{"an excluded cluster that cannot be", underAffinity + "      excludeClusters: [\"*\"]\n", []policyRefusal{{fleet.CodeNameInvalid, affinity + ".excludeClusters[0]", "*", "name", "", 7, 25}}},
		{"the same in Karmada's spelling", underAffinity + "      exclude: [\"*\"]\n", []policyRefusal{{fleet.CodeNameInvalid, affinity + ".exclude[0]", "*", "name", "", 7, 17}}},
		{"both spellings", underAffinity + "      exclude: [cluster-1]\n      excludeClusters: [cluster-1]\n", []policyRefusal{{fleet.CodeExcludeBoth, affinity + ".exclude", `["cluster-1"]`, "exclude_once", "", 7, 16}}},
		{"a cluster's label", underAffinity + "      labelSelector: {matchExpressions: [{key: a, operator: in}]}\n", []policyRefusal{{fleet.CodeNotAccepted, affinity + ".labelSelector.matchExpressions[0].operator", "in", "one_of", "In", 7, 61}}},

		// replicaScheduling
		{"a type in small letters", underSchedule + "      replicaSchedulingType: divided\n", []policyRefusal{{fleet.CodeNotAccepted, schedule + ".replicaSchedulingType", "divided", "one_of", "Divided", 7, 30}}},
		{"a preference that is none", underSchedule + "      replicaDivisionPreference: Weight\n", []policyRefusal{{fleet.CodeNotAccepted, schedule + ".replicaDivisionPreference", "Weight", "one_of", "Weighted", 7, 34}}},
		{"a preference with Duplicated", underSchedule + "      replicaSchedulingType: Duplicated\n      replicaDivisionPreference: Weighted\n", []policyRefusal{{fleet.CodeFieldConflict, schedule + ".replicaDivisionPreference", "Weighted", "field_left_out", "", 8, 34}}},
		{"weights with Duplicated", underSchedule + "      replicaSchedulingType: Duplicated\n      weightPreference: {dynamicWeight: AvailableReplicas}\n", []policyRefusal{{fleet.CodeFieldConflict, weights + ".dynamicWeight", "AvailableReplicas", "field_left_out", "", 8, 41}}},
		{"weights with Aggregated", underSchedule + "      replicaDivisionPreference: Aggregated\n      weightPreference: {staticWeightList: [{targetCluster: {}, weight: 1}]}\n", []policyRefusal{{fleet.CodeFieldConflict, static, `[{"targetCluster":{},"weight":1}]`, "field_left_out", "", 8, 44}}},
		{"another dynamic weight", underWeights + "        dynamicWeight: AvailableReplica\n", []policyRefusal{{fleet.CodeNotAccepted, weights + ".dynamicWeight", "AvailableReplica", "one_of", "AvailableReplicas", 8, 24}}},
		{"static and dynamic", underWeights + "        staticWeightList: [{targetCluster: {}, weight: 1}]\n        dynamicWeight: AvailableReplicas\n", []policyRefusal{{fleet.CodeWeightsBoth, weights + ".dynamicWeight", "AvailableReplicas", "static_or_dynamic", "", 9, 24}}},
		{"no target", underWeights + "        staticWeightList: [{weight: 1}]\n", []policyRefusal{{fleet.CodeRequired, static + "[0].targetCluster", "", "cluster_affinity", "", 8, 28}}},
		{"no weight", underWeights + "        staticWeightList: [{targetCluster: {}}]\n", []policyRefusal{{fleet.CodeRequired, static + "[0].weight", "", "range", "", 8, 28}}},
		{"weight nought", underWeights + "        staticWeightList: [{targetCluster: {}, weight: 0}]\n", []policyRefusal{{fleet.CodeOutOfRange, static + "[0].weight", "0", "range", "", 8, 56}}},
		{"a weight below nought", underWeights + "        staticWeightList: [{targetCluster: {}, weight: -1}]\n", []policyRefusal{{fleet.CodeOutOfRange, static + "[0].weight", "-1", "range", "", 8, 56}}},
		{"half a weight", underWeights + "        staticWeightList: [{targetCluster: {}, weight: 1.5}]\n", []policyRefusal{{fleet.CodeWrongType, static + "[0].weight", "1.5", "type_integer", "", 8, 56}}},
		{"a weight beyond 64 bits", underWeights + "        staticWeightList: [{targetCluster: {}, weight: 9223372036854775808}]\n", []policyRefusal{{fleet.CodeOutOfRange, static + "[0].weight", "9223372036854775808", "range", "", 8, 56}}},
		{"a weight in words", underWeights + "        staticWeightList: [{targetCluster: {}, weight: \"1\"}]\n", []policyRefusal{{fleet.CodeWrongType, static + "[0].weight", "1", "type_number", "", 8, 56}}},
		{"both spellings in a weight", underWeights + "        staticWeightList: [{targetCluster: {exclude: [a], excludeClusters: [b]}, weight: 1}]\n", []policyRefusal{{fleet.CodeExcludeBoth, static + "[0].targetCluster.exclude", `["a"]`, "exclude_once", "", 8, 54}}},
		{"a weight's broken selector", underWeights + "        staticWeightList: [{targetCluster: {labelSelector: {matchExpressions: [{key: a, operator: In}]}}, weight: 1}]\n", []policyRefusal{{fleet.CodeRequired, static + "[0].targetCluster.labelSelector.matchExpressions[0].values", "", "selector_values", "", 8, 80}}},
		{"another custom type", underSchedule + "      customSchedulingType: gang\n", []policyRefusal{{fleet.CodeNotAccepted, schedule + ".customSchedulingType", "gang", "one_of", "Gang", 7, 29}}},
		{"Gang beside the block", underPlacement + "    customSchedulingType: Gang\n", []policyRefusal{{fleet.CodeUnknownField, "spec.placement.customSchedulingType", "customSchedulingType", "known_keys", schedule + ".customSchedulingType", 6, 5}}},
		{"Gang for a Deployment", underSchedule + "      customSchedulingType: Gang\n" + selecting, []policyRefusal{{fleet.CodeGangKind, schedule + ".customSchedulingType", "Gang", "gang_jobs", "", 7, 29}}},
		{"Gang for ConfigMaps alone", underSchedule + "      customSchedulingType: Gang\n  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\n", []policyRefusal{{fleet.CodeGangKind, schedule + ".customSchedulingType", "Gang", "gang_jobs", "", 7, 29}}},

		// failover
		{"no purge mode", underFailover + "      decisionConditions: {}\n", []policyRefusal{{fleet.CodeRequired, failover + ".purgeMode", "", "one_of", "", 7, 5}}},
		{"no purge mode under Karmada", karmada + named + "  placement: {}\n  failover: {application: {}}\n", []policyRefusal{{fleet.CodeRequired, failover + ".purgeMode", "", "one_of", "", 6, 14}}},
		{"Directly under ACK One", underFailover + "      purgeMode: Directly\n", []policyRefusal{{fleet.CodeNotAccepted, failover + ".purgeMode", "Directly", "one_of", "Immediately", 8, 18}}},
		{"Gracefully under ACK One", underFailover + "      purgeMode: Gracefully\n      gracePeriodSeconds: 5\n", []policyRefusal{{fleet.CodeNotAccepted, failover + ".purgeMode", "Gracefully", "one_of", "Graciously", 8, 18}}},
		{"a mode in small letters", underFailover + "      purgeMode: never\n", []policyRefusal{{fleet.CodeNotAccepted, failover + ".purgeMode", "never", "one_of", "Never", 8, 18}}},
		{"a mode nobody has", karmada + named + "  placement: {}\n  failover: {application: {purgeMode: Later}}\n", []policyRefusal{{fleet.CodeNotAccepted, failover + ".purgeMode", "Later", "one_of", "", 6, 39}}},
		{"a grace with Immediately", underFailover + "      purgeMode: Immediately\n      gracePeriodSeconds: 5\n", []policyRefusal{{fleet.CodeFieldConflict, failover + ".gracePeriodSeconds", "5", "field_left_out", "", 9, 27}}},
		{"a grace with Never", underFailover + "      purgeMode: Never\n      gracePeriodSeconds: 600\n", []policyRefusal{{fleet.CodeFieldConflict, failover + ".gracePeriodSeconds", "600", "field_left_out", "", 9, 27}}},
		{"a grace of nothing", underFailover + "      purgeMode: Graciously\n      gracePeriodSeconds: 0\n", []policyRefusal{{fleet.CodeOutOfRange, failover + ".gracePeriodSeconds", "0", "range", "", 9, 27}}},
		{"a grace above 32 bits", underFailover + "      purgeMode: Graciously\n      gracePeriodSeconds: 2147483648\n", []policyRefusal{{fleet.CodeOutOfRange, failover + ".gracePeriodSeconds", "2147483648", "range", "", 9, 27}}},
		{"a grace in words", underFailover + "      purgeMode: Graciously\n      gracePeriodSeconds: 10m\n", []policyRefusal{{fleet.CodeWrongType, failover + ".gracePeriodSeconds", "10m", "type_number", "", 9, 27}}},
		{"a negative toleration", underFailover + "      purgeMode: Never\n      decisionConditions: {tolerationSeconds: -1}\n", []policyRefusal{{fleet.CodeOutOfRange, failover + ".decisionConditions.tolerationSeconds", "-1", "range", "", 9, 47}}},
		{"half a second", underFailover + "      purgeMode: Never\n      decisionConditions: {tolerationSeconds: 0.5}\n", []policyRefusal{{fleet.CodeWrongType, failover + ".decisionConditions.tolerationSeconds", "0.5", "type_integer", "", 9, 47}}},

		{"all faults at once", karmada + named + "  priority: x\n  failover: {application: {purgeMode: no}}\n  suspension: {}\n  placement:\n    clusterAffinity: {exclude: [], excludeClusters: []}\n", []policyRefusal{
			{fleet.CodeWrongType, "spec.priority", "x", "type_number", "", 5, 13},
			{fleet.CodeNotAccepted, failover + ".purgeMode", "no", "one_of", "", 6, 39},
			{fleet.CodeFieldUnsupported, "spec.suspension", "suspension", "field_left_out", "", 7, 3},
			{fleet.CodeExcludeBoth, affinity + ".exclude", "[]", "exclude_once", "", 9, 32}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, _ := checkPolicy(t, tt.manifest, fleet.FormatYAML)
			got := policyRefusals(faults)
			if len(got) != len(tt.want) {
				t.Fatalf("refused with\n%+v\nwant\n%+v\nof\n%s", got, tt.want, tt.manifest)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("refusal %d is\n%+v, want\n%+v\nof\n%s", i, got[i], tt.want[i], tt.manifest)
				}
			}
		})
	}
}

// Every field of Karmada's API that has no table row is refused by name, whatever its value.
func TestWhatKarmadaHasAndIsNotActedOnIsRefusedByName(t *testing.T) {
	tests := []struct{ manifest, field, key, suggestion string }{
		{"metadata: {generateName: p-}", "metadata.generateName", "generateName", ""},
		{"metadata: {finalizers: [x]}", "metadata.finalizers", "finalizers", ""},
		{"metadata: {ownerReferences: []}", "metadata.ownerReferences", "ownerReferences", ""},
		{"metadata: {managedFields: []}", "metadata.managedFields", "managedFields", ""},
		{"metadata: {selfLink: x}", "metadata.selfLink", "selfLink", ""},
		{"metadata: {deletionTimestamp: 2026-01-01T00:00:00Z}", "metadata.deletionTimestamp", "deletionTimestamp", ""},
		{"metadata: {deletionGracePeriodSeconds: 1}", "metadata.deletionGracePeriodSeconds", "deletionGracePeriodSeconds", ""},
		{"spec: {association: true}", "spec.association", "association", "spec.propagateDeps"},
		{"spec: {schedulerName: x}", "spec.schedulerName", "schedulerName", ""},
		{"spec: {conflictResolution: Overwrite}", "spec.conflictResolution", "conflictResolution", ""},
		{"spec: {activationPreference: Lazy}", "spec.activationPreference", "activationPreference", ""},
		{"spec: {suspension: {dispatching: true}}", "spec.suspension", "suspension", ""},
		{"spec: {schedulePriority: {}}", "spec.schedulePriority", "schedulePriority", ""},
		{"spec: {placement: {clusterAffinities: [{affinityName: a}]}}", "spec.placement.clusterAffinities", "clusterAffinities", "spec.placement.clusterAffinity"},
		{"spec: {placement: {clusterTolerations: []}}", "spec.placement.clusterTolerations", "clusterTolerations", ""},
		{"spec: {placement: {spreadConstraints: [{maxGroups: 1}]}}", "spec.placement.spreadConstraints", "spreadConstraints", ""},
		{"spec: {placement: {workloadAffinity: {}}}", "spec.placement.workloadAffinity", "workloadAffinity", ""},
		{"spec: {placement: {clusterAffinity: {fieldSelector: {}}}}", "spec.placement.clusterAffinity.fieldSelector", "fieldSelector", ""},
		{"spec: {placement: {replicaScheduling: {weightPreference: {staticWeightList: [{weight: 1, targetCluster: {fieldSelector: {}}}]}}}}", "spec.placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster.fieldSelector", "fieldSelector", ""},
		{"spec: {failover: {cluster: {purgeMode: Directly}}}", "spec.failover.cluster", "cluster", ""},
		{"spec: {failover: {application: {purgeMode: Never, statePreservation: {rules: []}}}}", "spec.failover.application.statePreservation", "statePreservation", ""},
	}
	for _, tt := range tests {
		t.Run(tt.field, func(t *testing.T) {
			manifest := karmada + "kind: PropagationPolicy\n" + tt.manifest + "\n"
			_, faults, _ := checkPolicy(t, manifest, fleet.FormatYAML)
			if len(faults) != 1 {
				t.Fatalf("refused with %+v", faults)
			}
			f := faults[0]
			if f.Code != fleet.CodeFieldUnsupported || f.Field != tt.field || f.Value != tt.key || f.Want != "field_left_out" || f.Suggestion != tt.suggestion || f.Line != 3 || f.Column < 8 || !f.AtKey {
				t.Errorf("refused with %+v", f)
			}
		})
	}
}
