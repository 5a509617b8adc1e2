package fleet

import (
	"strconv"
	"strings"
)

// policyRules are the rules of a policy's fields that no tag says, by part and name: those of ValidatePolicy, and of
// what only a look at the store finds. A test holds them to what the validator gives, in both directions.
func policyRules() map[string]func(*PolicyField) {
	names := func(p *PolicyField) {
		p.accept("name", "", "")
		p.refuse(CodeNameInvalid)
	}
	clusters := func(codes ...Code) func(*PolicyField) {
		return func(p *PolicyField) {
			names(p)
			p.refuse(codes...)
			p.warn(CodeClusterUnknown)
		}
	}
	ownKey := func(code Code, want string) func(*PolicyField) {
		return func(p *PolicyField) {
			p.accept(want, "", "")
			p.refuse(code, CodeLabelReserved, CodeLabelHandwritten)
		}
	}
	oneOf := func(accepted []string) func(*PolicyField) {
		return func(p *PolicyField) {
			p.require()
			p.refuse(CodeKindUnsupported)
			p.accept("one_of", "Values", strings.Join(accepted, ", "))
		}
	}
	means := func(words string) func(*PolicyField) {
		return func(p *PolicyField) { p.meaning(words) }
	}
	return map[string]func(*PolicyField){
		"apiVersion": oneOf(PolicyAPIVersions()),
		"kind":       oneOf(PolicyKinds()),

		"metadata.name": func(p *PolicyField) {
			p.Refusals = nil // unlike a deployment's it may be left out
			names(p)
			p.meaning("policy_name")
			p.refuse(CodeNameMismatch)
		},
		"metadata.namespace": func(p *PolicyField) {
			names(p)
			p.meaning("policy_namespace")
			p.refuse(CodeNamespaceUnknown, CodeNamespaceMismatch, CodeFieldConflict)
		},
		"metadata.resourceVersion": func(p *PolicyField) { p.refuse(CodeStale) },
		"metadata.labels":          ownKey(CodeLabelInvalid, "label_key"),
		"metadata.annotations":     ownKey(CodeAnnotationInvalid, "label_key"),

		"spec.resourceSelectors": func(p *PolicyField) {
			p.meaning("no_selectors")
			p.warn(CodeSelectsNothing)
		},
		"spec.placement": func(p *PolicyField) {
			p.ACKOne, p.Karmada = Absence{Required: true}, Absence{Words: "every_cluster"}
			p.accept("placement", "", "")
			p.refuse(CodeRequired)
			p.warn(CodeAllClusters)
		},
		"spec.dependentOverrides": names,
		"spec.failover":           means("no_failover"),
		"spec.preserveResourcesOnDeletion": func(p *PolicyField) {
			preserves := func(apiVersion string) Absence {
				policy := Policy{APIVersion: apiVersion}
				return Absence{Default: strconv.FormatBool(policy.Preserves())}
			}
			p.ACKOne, p.Karmada = preserves(PolicyAPIVersion), preserves(PolicyAPIVersionKarmada)
		},

		"selector.apiVersion": func(p *PolicyField) {
			p.accept("group_version", "", "")
			p.refuse(CodeNotAccepted)
			p.warn(CodeKindUnusual)
		},
		"selector.kind": func(p *PolicyField) {
			p.accept("kind_word", "", "")
			p.refuse(CodeNotAccepted)
			p.warn(CodeSelectorNoEffect, CodeKindUnusual)
		},
		"selector.namespace": func(p *PolicyField) {
			names(p)
			p.warn(CodeSelectorNoEffect)
		},
		"selector.name": func(p *PolicyField) {
			p.accept("resource_name", "", "")
			p.refuse(CodeNameInvalid, CodeRequired) // required where preemption is Always
			p.warn(CodeSelectorNoEffect)
		},
		"selector.labelSelector": func(p *PolicyField) { p.warn(CodeSelectorNameWins) },

		"labels.matchLabels": func(p *PolicyField) { p.refuse(CodeLabelInvalid) },
		"expression.key": func(p *PolicyField) {
			p.accept("label_key", "", "")
			p.refuse(CodeLabelInvalid)
		},
		"expression.values": func(p *PolicyField) {
			p.accept("label_value", "", "")
			p.refuse(CodeLabelInvalid, CodeRequired, CodeFieldConflict)
		},

		"placement.clusterAffinity":   means("granted_clusters"),
		"placement.replicaScheduling": func(p *PolicyField) { p.fallBack(SchedulingDuplicated) },
		"affinity.clusterNames":       clusters(),
		"affinity.excludeClusters":    clusters(),
		"affinity.exclude":            clusters(CodeExcludeBoth),

		"scheduling.replicaDivisionPreference": func(p *PolicyField) { p.refuse(CodeFieldConflict) },
		"scheduling.weightPreference":          means("equal_weights"),
		"scheduling.customSchedulingType":      func(p *PolicyField) { p.refuse(CodeGangKind) },
		"weights.staticWeightList":             func(p *PolicyField) { p.refuse(CodeFieldConflict) },
		"weights.dynamicWeight":                func(p *PolicyField) { p.refuse(CodeWeightsBoth, CodeFieldConflict) },
		"weight.targetCluster":                 func(p *PolicyField) { p.accept("cluster_affinity", "", "") },

		"application.purgeMode": func(p *PolicyField) {
			ackOne := Policy{APIVersion: PolicyAPIVersion}
			p.accept("one_of", "Values", strings.Join(ackOne.purgeModes(), ", "))
			p.refuse(CodeNotAccepted)
		},
		"application.gracePeriodSeconds": func(p *PolicyField) {
			p.fallBack(strconv.Itoa(DefaultPurgeGrace))
			p.refuse(CodeFieldConflict)
		},
	}
}
