package handlers_test

import (
	"regexp"
	"strings"
	"testing"

	"odysseus/fleet"
)

// refusedPolicy is a bad value of one field: what is written under spec, or as the whole document where it starts with
// "apiVersion" or "kind", and the one fault that it gives.
type refusedPolicy struct {
	name, spec         string
	code, field, value string
	accepted           string
	suggestion         string
	// only one of the APIs refuses it; empty for both.
	only string
}

func refusedPolicies() []refusedPolicy {
	const (
		affinity  = "spec.placement.clusterAffinity"
		schedule  = "spec.placement.replicaScheduling"
		static    = schedule + ".weightPreference.staticWeightList[0]"
		failover  = "spec.failover.application"
		selector  = "spec.resourceSelectors[0]"
		selects   = "resourceSelectors: [{apiVersion: v1, kind: ConfigMap, "
		labelled  = selects + "labelSelector: "
		cluster   = "placement: {clusterAffinity: {"
		weighs    = "placement: {replicaScheduling: {weightPreference: {staticWeightList: [{"
		fails     = "failover: {application: {"
		aName     = "at most 63 lower-case letters, digits and \"-\", starting and ending with a letter or digit"
		aKind     = "a kind as Kubernetes spells it, such as Deployment; there are no wildcards"
		aVersion  = "an API group and its version, such as apps/v1, or v1 of the core; there are no wildcards"
		operators = "one of In, NotIn, Exists, DoesNotExist"
		purges    = "one of Immediately, Graciously, Never"
	)
	return []refusedPolicy{
		{name: "the version", spec: "apiVersion: policy.karmada.io/v2\nkind: PropagationPolicy\nspec: {placement: {}}", code: "kind_unsupported", field: "apiVersion", value: "policy.karmada.io/v2", accepted: "one of " + ackOne + ", " + ackShort + ", " + karmada},
		{name: "no version", spec: "kind: PropagationPolicy\nspec: {placement: {}}", code: "required", field: "apiVersion", accepted: "one of " + ackOne + ", " + ackShort + ", " + karmada},
		{name: "the kind", spec: "apiVersion: " + karmada + "\nkind: PropagationPolicies", code: "kind_unsupported", field: "kind", value: "PropagationPolicies", accepted: "one of PropagationPolicy, ClusterPropagationPolicy"},
		{name: "an override", spec: "apiVersion: " + karmada + "\nkind: OverridePolicy", code: "kind_unsupported", field: "kind", value: "OverridePolicy", accepted: "one of PropagationPolicy, ClusterPropagationPolicy"},
		{name: "another API's resource", spec: "apiVersion: v1\nkind: ConfigMap", code: "kind_unsupported", field: "kind", value: "ConfigMap", accepted: "one of PropagationPolicy, ClusterPropagationPolicy"},
		{name: "the cluster-wide kind", spec: "apiVersion: " + karmada + "\nkind: ClusterPropagationPolicy\nspec: {placement: {}}", code: "kind_unsupported", field: "kind", value: "ClusterPropagationPolicy", accepted: "one of PropagationPolicy", suggestion: "PropagationPolicy"},

		{name: "the name", spec: "metadata: {name: Web_1}", code: "name_invalid", field: "metadata.name", value: "Web_1", accepted: aName},
		{name: "a number as name", spec: "metadata: {name: 7}", code: "wrong_type", field: "metadata.name", value: "7", accepted: "a text"},
		{name: "another namespace", spec: "metadata: {namespace: acme-2}", code: "namespace_mismatch", field: "metadata.namespace", value: "acme-2", accepted: "acme, or leave it out", suggestion: "acme"},
		{name: "a namespace that is not there", spec: "metadata: {namespace: nowhere}", code: "namespace_unknown", field: "metadata.namespace", value: "nowhere", accepted: "a namespace of yours"},
		{name: "somebody else's namespace", spec: "metadata: {namespace: globex}", code: "namespace_unknown", field: "metadata.namespace", value: "globex", accepted: "a namespace of yours"},
		{name: "a system namespace", spec: "metadata: {namespace: kube-system}", code: "namespace_unknown", field: "metadata.namespace", value: "kube-system", accepted: "a namespace of yours"},
		{name: "a label", spec: "metadata: {labels: {a: b c}}", code: "label_invalid", field: "metadata.labels.a", value: "b c"},
		{name: "a residency label", spec: "metadata: {labels: {odysseus.io/data-residency-country: CA}}", code: "residency_label_handwritten", field: "metadata.labels[odysseus.io/data-residency-country]", value: "CA", accepted: "the label left out; residency is declared on odysseus/v1 Deployments, under spec.placement.residency"},
		{name: "an annotation", spec: "metadata: {annotations: {a b: c}}", code: "annotation_invalid", field: "metadata.annotations.a b", value: "a b"},
		{name: "the version that it is one of", spec: "metadata: {resourceVersion: 1}", code: "wrong_type", field: "metadata.resourceVersion", value: "1", accepted: "a text"},

		{name: "the selectors", spec: "resourceSelectors: {}", code: "wrong_type", field: "spec.resourceSelectors", value: "{}", accepted: "a list"},
		{name: "a selector's version", spec: "resourceSelectors: [{apiVersion: \"*\", kind: Job}]", code: "value_not_accepted", field: selector + ".apiVersion", value: "*", accepted: aVersion},
		{name: "no version of a selector", spec: "resourceSelectors: [{kind: Job}]", code: "required", field: selector + ".apiVersion", accepted: aVersion},
		{name: "a selector's kind", spec: "resourceSelectors: [{apiVersion: v1, kind: \"Config Map\"}]", code: "value_not_accepted", field: selector + ".kind", value: "Config Map", accepted: aKind},
		{name: "no kind of a selector", spec: "resourceSelectors: [{apiVersion: v1}]", code: "required", field: selector + ".kind", accepted: aKind},
		{name: "a selector's namespace", spec: selects + "namespace: A_b}]", code: "name_invalid", field: selector + ".namespace", value: "A_b", accepted: aName},
		{name: "a selector's name", spec: selects + "name: a/b}]", code: "name_invalid", field: selector + ".name", value: "a/b", accepted: `the name of a resource: at most 253 characters without "/" and "%"`},
		{name: "a selector's field", spec: selects + "fieldSelector: x}]", code: "unknown_field", field: selector + ".fieldSelector", value: "fieldSelector"},
		{name: "a label selector", spec: labelled + "app=web}]", code: "wrong_type", field: selector + ".labelSelector", value: "app=web", accepted: "a map of keys and values"},
		{name: "its labels", spec: labelled + "{matchLabels: {a: 1}}}]", code: "wrong_type", field: selector + ".labelSelector.matchLabels.a", value: "1", accepted: "a text"},
		{name: "its expressions", spec: labelled + "{matchExpressions: {}}}]", code: "wrong_type", field: selector + ".labelSelector.matchExpressions", value: "{}", accepted: "a list"},
		{name: "an expression's key", spec: labelled + "{matchExpressions: [{key: a b, operator: Exists}]}}]", code: "label_invalid", field: selector + ".labelSelector.matchExpressions[0].key", value: "a b"},
		{name: "an expression's operator", spec: labelled + "{matchExpressions: [{key: a, operator: in, values: [b]}]}}]", code: "value_not_accepted", field: selector + ".labelSelector.matchExpressions[0].operator", value: "in", accepted: operators, suggestion: "In"},
		{name: "In without values", spec: labelled + "{matchExpressions: [{key: a, operator: In}]}}]", code: "required", field: selector + ".labelSelector.matchExpressions[0].values", accepted: "at least one value for the operator In"},
		{name: "Exists with values", spec: labelled + "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}}]", code: "field_conflict", field: selector + ".labelSelector.matchExpressions[0].values", value: `["b"]`, accepted: "the field left out"},

		{name: "propagateDeps", spec: "propagateDeps: \"yes\"", code: "wrong_type", field: "spec.propagateDeps", value: "yes", accepted: "true or false"},
		{name: "the same by its older name", spec: "association: true", code: "field_unsupported", field: "spec.association", value: "association", accepted: "the field left out", suggestion: "spec.propagateDeps"},
		{name: "the priority", spec: "priority: 2147483648", code: "out_of_range", field: "spec.priority", value: "2147483648"},
		{name: "the preemption", spec: "preemption: always", code: "value_not_accepted", field: "spec.preemption", value: "always", accepted: "one of Always, Never", suggestion: "Always"},
		{name: "preemption without a name", spec: "preemption: Always\n  " + selects + "}]", code: "required", field: selector + ".name", accepted: "a name in every selector, since preemption is Always"},
		{name: "the dependent overrides", spec: "dependentOverrides: [B_]", code: "name_invalid", field: "spec.dependentOverrides[0]", value: "B_", accepted: aName},
		{name: "what is preserved", spec: "preserveResourcesOnDeletion: 1", code: "wrong_type", field: "spec.preserveResourcesOnDeletion", value: "1", accepted: "true or false"},
		{name: "what is not acted on", spec: "suspension: {}", code: "field_unsupported", field: "spec.suspension", value: "suspension", accepted: "the field left out"},
		{name: "what nobody knows", spec: "priorty: 1", code: "unknown_field", field: "spec.priorty", value: "priorty", suggestion: "priority"},

		{name: "the placement", spec: "placement: []", code: "wrong_type", field: "spec.placement", value: "[]", accepted: "a map of keys and values"},
		{name: "no placement", spec: "priority: 1", code: "required", field: "spec.placement", accepted: `a placement; "placement: {}" is every cluster granted to you`, only: ackOne},
		{name: "spread constraints", spec: "placement: {spreadConstraints: []}", code: "field_unsupported", field: "spec.placement.spreadConstraints", value: "spreadConstraints", accepted: "the field left out"},
		{name: "tolerations", spec: "placement: {clusterTolerations: []}", code: "field_unsupported", field: "spec.placement.clusterTolerations", value: "clusterTolerations", accepted: "the field left out"},
		{name: "several affinities", spec: "placement: {clusterAffinities: []}", code: "field_unsupported", field: "spec.placement.clusterAffinities", value: "clusterAffinities", accepted: "the field left out", suggestion: "spec.placement.clusterAffinity"},
		{name: "the affinity", spec: "placement: {clusterAffinity: a}", code: "wrong_type", field: affinity, value: "a", accepted: "a map of keys and values"},
		{name: "a cluster's name", spec: cluster + "clusterNames: [A]}}", code: "name_invalid", field: affinity + ".clusterNames[0]", value: "A", accepted: aName, suggestion: "a"},
		{name: "an excluded cluster's", spec: cluster + "excludeClusters: [A]}}", code: "name_invalid", field: affinity + ".excludeClusters[0]", value: "A", accepted: aName, suggestion: "a"},
		{name: "the same in Karmada's spelling", spec: cluster + "exclude: [A]}}", code: "name_invalid", field: affinity + ".exclude[0]", value: "A", accepted: aName, suggestion: "a"},
		{name: "both spellings", spec: cluster + "exclude: [a], excludeClusters: [a]}}", code: "exclude_both", field: affinity + ".exclude", value: `["a"]`, accepted: "either excludeClusters or exclude"},
		{name: "a cluster's labels", spec: cluster + "labelSelector: {matchLabels: {a: \"-\"}}}}", code: "label_invalid", field: affinity + ".labelSelector.matchLabels.a", value: "-"},
		{name: "a cluster's operator", spec: cluster + "labelSelector: {matchExpressions: [{key: a, operator: Gt}]}}}", code: "value_not_accepted", field: affinity + ".labelSelector.matchExpressions[0].operator", value: "Gt", accepted: operators},
		{name: "a cluster's fields", spec: cluster + "fieldSelector: {}}}", code: "field_unsupported", field: affinity + ".fieldSelector", value: "fieldSelector", accepted: "the field left out"},

		{name: "the scheduling", spec: "placement: {replicaScheduling: Divided}", code: "wrong_type", field: schedule, value: "Divided", accepted: "a map of keys and values"},
		{name: "its type", spec: "placement: {replicaScheduling: {replicaSchedulingType: Duplicate}}", code: "value_not_accepted", field: schedule + ".replicaSchedulingType", value: "Duplicate", accepted: "one of Duplicated, Divided", suggestion: "Duplicated"},
		{name: "its preference", spec: "placement: {replicaScheduling: {replicaDivisionPreference: weighted}}", code: "value_not_accepted", field: schedule + ".replicaDivisionPreference", value: "weighted", accepted: "one of Weighted, Aggregated", suggestion: "Weighted"},
		{name: "a preference of copies", spec: "placement: {replicaScheduling: {replicaSchedulingType: Duplicated, replicaDivisionPreference: Aggregated}}", code: "field_conflict", field: schedule + ".replicaDivisionPreference", value: "Aggregated", accepted: "the field left out"},
		{name: "weights of copies", spec: "placement: {replicaScheduling: {replicaSchedulingType: Duplicated, weightPreference: {dynamicWeight: AvailableReplicas}}}", code: "field_conflict", field: schedule + ".weightPreference.dynamicWeight", value: "AvailableReplicas", accepted: "the field left out"},
		{name: "the weights", spec: "placement: {replicaScheduling: {weightPreference: []}}", code: "wrong_type", field: schedule + ".weightPreference", value: "[]", accepted: "a map of keys and values"},
		{name: "the static weights", spec: "placement: {replicaScheduling: {weightPreference: {staticWeightList: {}}}}", code: "wrong_type", field: schedule + ".weightPreference.staticWeightList", value: "{}", accepted: "a list"},
		{name: "no weight", spec: weighs + "targetCluster: {}}]}}}", code: "required", field: static + ".weight"},
		{name: "a weight of nothing", spec: weighs + "targetCluster: {}, weight: 0}]}}}", code: "out_of_range", field: static + ".weight", value: "0"},
		{name: "half a weight", spec: weighs + "targetCluster: {}, weight: 1.5}]}}}", code: "wrong_type", field: static + ".weight", value: "1.5", accepted: "a whole number in decimal digits"},
		{name: "no target", spec: weighs + "weight: 1}]}}}", code: "required", field: static + ".targetCluster", accepted: `a clusterAffinity; "{}" is every cluster of the placement`},
		{name: "a target's name", spec: weighs + "weight: 1, targetCluster: {clusterNames: [a.b]}}]}}}", code: "name_invalid", field: static + ".targetCluster.clusterNames[0]", value: "a.b", accepted: aName},
		{name: "a target's exclusion", spec: weighs + "weight: 1, targetCluster: {exclude: [a.b]}}]}}}", code: "name_invalid", field: static + ".targetCluster.exclude[0]", value: "a.b", accepted: aName},
		{name: "a target's exclusion in the other spelling", spec: weighs + "weight: 1, targetCluster: {excludeClusters: [a.b]}}]}}}", code: "name_invalid", field: static + ".targetCluster.excludeClusters[0]", value: "a.b", accepted: aName},
		{name: "a target's labels", spec: weighs + "weight: 1, targetCluster: {labelSelector: {matchLabels: {a b: c}}}}]}}}", code: "label_invalid", field: static + ".targetCluster.labelSelector.matchLabels.a b", value: "a b"},
		{name: "a target's key", spec: weighs + "weight: 1, targetCluster: {labelSelector: {matchExpressions: [{key: \"/\", operator: Exists}]}}}]}}}", code: "label_invalid", field: static + ".targetCluster.labelSelector.matchExpressions[0].key", value: "/"},
		{name: "a target's operator", spec: weighs + "weight: 1, targetCluster: {labelSelector: {matchExpressions: [{key: a, operator: Lt}]}}}]}}}", code: "value_not_accepted", field: static + ".targetCluster.labelSelector.matchExpressions[0].operator", value: "Lt", accepted: operators},
		{name: "a target's values", spec: weighs + "weight: 1, targetCluster: {labelSelector: {matchExpressions: [{key: a, operator: NotIn, values: []}]}}}]}}}", code: "required", field: static + ".targetCluster.labelSelector.matchExpressions[0].values", value: "[]", accepted: "at least one value for the operator NotIn"},
		{name: "a cluster's key", spec: cluster + "labelSelector: {matchExpressions: [{key: \"/\", operator: Exists}]}}}", code: "label_invalid", field: affinity + ".labelSelector.matchExpressions[0].key", value: "/"},
		{name: "a cluster's values", spec: cluster + "labelSelector: {matchExpressions: [{key: a, operator: DoesNotExist, values: [b]}]}}}", code: "field_conflict", field: affinity + ".labelSelector.matchExpressions[0].values", value: `["b"]`, accepted: "the field left out"},
		{name: "the dynamic weight", spec: "placement: {replicaScheduling: {weightPreference: {dynamicWeight: Available}}}", code: "value_not_accepted", field: schedule + ".weightPreference.dynamicWeight", value: "Available", accepted: "one of AvailableReplicas"},
		{name: "both weights", spec: weighs + "weight: 1, targetCluster: {}}], dynamicWeight: AvailableReplicas}}}", code: "weights_both", field: schedule + ".weightPreference.dynamicWeight", value: "AvailableReplicas", accepted: "either staticWeightList or dynamicWeight"},
		{name: "the custom type", spec: "placement: {replicaScheduling: {customSchedulingType: gang}}", code: "value_not_accepted", field: schedule + ".customSchedulingType", value: "gang", accepted: "one of Gang", suggestion: "Gang"},
		{name: "a gang of what is no job", spec: "placement: {replicaScheduling: {customSchedulingType: Gang}}\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]", code: "gang_needs_job", field: schedule + ".customSchedulingType", value: "Gang", accepted: "selectors of batch/v1 Job alone, beside what has no replicas, or leave customSchedulingType out"},

		{name: "the failover", spec: "failover: true", code: "wrong_type", field: "spec.failover", value: "true", accepted: "a map of keys and values"},
		{name: "a cluster's failover", spec: "failover: {cluster: {}}", code: "field_unsupported", field: "spec.failover.cluster", value: "cluster", accepted: "the field left out"},
		{name: "an application's", spec: "failover: {application: []}", code: "wrong_type", field: failover, value: "[]", accepted: "a map of keys and values"},
		{name: "no mode", spec: fails + "}}", code: "required", field: failover + ".purgeMode", accepted: purges, only: ackOne},
		{name: "no mode under Karmada's", spec: fails + "}}", code: "required", field: failover + ".purgeMode", accepted: purges + ", Directly, Gracefully", only: karmada},
		{name: "Karmada's mode", spec: fails + "purgeMode: Directly}}", code: "value_not_accepted", field: failover + ".purgeMode", value: "Directly", accepted: purges, suggestion: "Immediately", only: ackOne},
		{name: "Karmada's other mode", spec: fails + "purgeMode: Gracefully}}", code: "value_not_accepted", field: failover + ".purgeMode", value: "Gracefully", accepted: purges, suggestion: "Graciously", only: ackOne},
		{name: "a grace that no mode waits for", spec: fails + "purgeMode: Never, gracePeriodSeconds: 5}}", code: "field_conflict", field: failover + ".gracePeriodSeconds", value: "5", accepted: "the field left out"},
		{name: "no grace", spec: fails + "purgeMode: Graciously, gracePeriodSeconds: 0}}", code: "out_of_range", field: failover + ".gracePeriodSeconds", value: "0"},
		{name: "the conditions", spec: fails + "purgeMode: Never, decisionConditions: 5}}", code: "wrong_type", field: failover + ".decisionConditions", value: "5", accepted: "a map of keys and values"},
		{name: "less than no patience", spec: fails + "purgeMode: Never, decisionConditions: {tolerationSeconds: -1}}}", code: "out_of_range", field: failover + ".decisionConditions.tolerationSeconds", value: "-1"},
	}
}

func (r refusedPolicy) document(apiVersion string) string {
	switch {
	case strings.HasPrefix(r.spec, "apiVersion") || strings.HasPrefix(r.spec, "kind"):
		return r.spec + "\n"
	case strings.HasPrefix(r.spec, "metadata"):
		return "apiVersion: " + apiVersion + "\nkind: PropagationPolicy\n" + r.spec + "\nspec: {placement: {}}\n"
	}
	text := "apiVersion: " + apiVersion + "\nkind: PropagationPolicy\nmetadata: {name: p}\nspec:\n  " + r.spec + "\n"
	if !strings.Contains(r.spec, "placement: ") && r.field != "spec.placement" {
		text += "  placement: {}\n"
	}
	return text
}

// TestEveryFieldOfAPolicyIsRefusedByName over HTTP, under both APIs: the code, the field, what was written, what is
// accepted, and where it stands; and nothing is stored.
func TestEveryFieldOfAPolicyIsRefusedByName(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.tenant("globex", "editor")
	p.want(p.ask(operatorToken, "POST", "/api/v1/tenants/acme/namespaces", `{"name": "acme-2"}`), 201)
	rows := map[string]bool{}
	index := regexp.MustCompile(`\[\d+\]`)
	for _, tt := range refusedPolicies() {
		rows[index.ReplaceAllString(tt.field, "[]")] = true
		for _, apiVersion := range []string{ackOne, ackShort, karmada} {
			if tt.only != "" && (tt.only == karmada) != (apiVersion == karmada) {
				continue
			}
			t.Run(tt.name+" under "+apiVersion, func(t *testing.T) {
				a := p.want(p.ask(editor, "POST", policies, tt.document(apiVersion)), 422)
				got := refusedPolicy{name: tt.name, spec: tt.spec, only: tt.only, code: a.get("errors.0.code"), field: a.get("errors.0.field"), value: a.get("errors.0.value"),
					accepted: tt.accepted, suggestion: a.get("errors.0.suggestion")}
				if tt.accepted != "" {
					got.accepted = a.get("errors.0.accepted")
				}
				if got != tt || a.get("errors.1") != "" {
					t.Errorf("refused %s\nwant %+v", a.body, tt)
				}
				if a.get("errors.0.accepted") == "" || a.get("errors.0.line") == "" || a.get("type") != "/docs/rejections#"+tt.code || a.get("title") != "Policy refused" {
					t.Errorf("answered %s", a.body)
				}
			})
		}
	}
	// Each field has a row, itself or one of what it holds.
	for _, f := range fleet.PolicyFields() {
		found := false
		for row := range rows {
			found = found || row == f.Path || strings.HasPrefix(row, f.Path+".") || strings.HasPrefix(row, f.Path+"[")
		}
		if !found && f.Path != "spec" && f.Path != "metadata" {
			t.Errorf("%s has no row", f.Path)
		}
	}
	if a := p.want(p.ask(editor, "GET", policies, ""), 200); a.get("items") != "[]" {
		t.Errorf("stored %s", a.body)
	}
}

// TestEveryFaultOfAPolicyIsSaidAtOnce, in the order of the lines, as YAML and as JSON.
func TestEveryFaultOfAPolicyIsSaidAtOnce(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	text := "apiVersion: " + ackOne + "\nkind: PropagationPolicy\nmetadata: {name: A, namespace: nowhere}\nspec:\n  priority: high\n  placement: {clusterAffinity: {exclude: [], excludeClusters: []}}\n  failover: {application: {purgeMode: Directly}}\n"
	want := []string{"name_invalid", "namespace_unknown", "wrong_type", "exclude_both", "value_not_accepted"}
	if a := p.want(p.ask(editor, "POST", policies, text), 422); !sameList(a.codes("errors"), want...) {
		t.Errorf("refused %s", a.body)
	}
	asJSON := `{"apiVersion": "` + ackOne + `", "kind": "PropagationPolicy", "metadata": {"name": "A", "namespace": "nowhere"},
		"spec": {"priority": "high", "placement": {"clusterAffinity": {"exclude": [], "excludeClusters": []}}, "failover": {"application": {"purgeMode": "Directly"}}}}`
	if a := p.want(p.ask(editor, "POST", policies, asJSON), 422); !sameList(a.codes("errors"), want...) || a.get("errors.2.line") != "2" {
		t.Errorf("refused %s", a.body)
	}
}
