package handlers_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"odysseus/fleet"
)

// refusedOverride is a bad value of one field, and the one fault that it gives. What is written is a whole document where
// it starts with "apiVersion" or "kind", the metadata, the selectors or the rules where it starts with these, and
// otherwise the overriders of a rule. A field that starts with a dot is one of these.
type refusedOverride struct {
	name, written      string
	code, field, value string
	accepted           string
	suggestion         string
	// only one of the APIs refuses it; empty for both.
	only string
}

func refusedOverrides() []refusedOverride {
	const (
		selector  = "spec.resourceSelectors[0]"
		selects   = "resourceSelectors: [{apiVersion: v1, kind: ConfigMap, "
		labelled  = selects + "labelSelector: "
		target    = "spec.overrideRules[0].targetCluster"
		targets   = "overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}, targetCluster: "
		image     = "imageOverrider: [{component: Registry, operator: add, value: reg.example"
		step      = "plaintext: [{path: /spec/a, operator: add, value: 1"
		aName     = "at most 63 lower-case letters, digits and \"-\", starting and ending with a letter or digit"
		aKind     = "a kind as Kubernetes spells it, such as Deployment; there are no wildcards"
		aVersion  = "an API group and its version, such as apps/v1, or v1 of the core; there are no wildcards"
		anAPI     = "one of " + ackOne + ", " + ackShort + ", " + karmada
		operators = "one of In, NotIn, Exists, DoesNotExist"
		all       = "one of add, replace, remove"
		some      = "one of add, remove"
		parts     = "one of Registry, Repository, Tag"
		aPointer  = `a JSON Pointer that starts with "/", such as /spec/replicas`
		aRegistry = "a registry, host[:port], with a path in it or without; its host holds a dot or a port, or is localhost"
		aTag      = "a tag, such as v2, or a digest, such as sha256: and 64 digits"
		aKey      = `an optional DNS prefix and "/", then at most 63 letters, digits, "-", "_" and "."`
		aValue    = `at most 63 letters, digits, "-", "_" and ".", starting and ending with a letter or digit`
		leftOut   = "the field left out"
		outside   = "a path or a key outside spec.placement and the reserved labels, and not a parent of them; residency is changed on the Deployment itself"
		identity  = "a path outside apiVersion, kind, metadata.name and metadata.namespace"
	)
	return []refusedOverride{
		{name: "the version", written: "apiVersion: policy.karmada.io/v2\nkind: OverridePolicy\nmetadata: {name: o}\nREST", code: "kind_unsupported", field: "apiVersion", value: "policy.karmada.io/v2", accepted: anAPI},
		{name: "no version", written: "kind: OverridePolicy\nmetadata: {name: o}\nREST", code: "required", field: "apiVersion", accepted: anAPI},
		{name: "the kind", written: "apiVersion: " + karmada + "\nkind: OverridePolicies", code: "kind_unsupported", field: "kind", value: "OverridePolicies", accepted: "one of OverridePolicy, ClusterOverridePolicy"},
		{name: "a propagation policy", written: "apiVersion: " + karmada + "\nkind: PropagationPolicy", code: "kind_unsupported", field: "kind", value: "PropagationPolicy", accepted: "one of OverridePolicy, ClusterOverridePolicy"},
		{name: "another API's resource", written: "apiVersion: v1\nkind: ConfigMap", code: "kind_unsupported", field: "kind", value: "ConfigMap", accepted: "one of OverridePolicy, ClusterOverridePolicy"},
		{name: "the cluster-wide kind", written: "apiVersion: " + karmada + "\nkind: ClusterOverridePolicy\nmetadata: {name: o}\nREST", code: "kind_unsupported", field: "kind", value: "ClusterOverridePolicy", accepted: "one of OverridePolicy", suggestion: "OverridePolicy"},

		{name: "no name", written: "metadata: {}", code: "required", field: "metadata.name", accepted: aName},
		{name: "the name", written: "metadata: {name: Web_1}", code: "name_invalid", field: "metadata.name", value: "Web_1", accepted: aName},
		{name: "a number as name", written: "metadata: {name: 7}", code: "wrong_type", field: "metadata.name", value: "7", accepted: "a text"},
		{name: "another namespace", written: "metadata: {name: o, namespace: acme-2}", code: "namespace_mismatch", field: "metadata.namespace", value: "acme-2", accepted: "acme, or leave it out", suggestion: "acme"},
		{name: "a namespace that is not there", written: "metadata: {name: o, namespace: nowhere}", code: "namespace_unknown", field: "metadata.namespace", value: "nowhere", accepted: "a namespace of yours"},
		{name: "somebody else's namespace", written: "metadata: {name: o, namespace: globex}", code: "namespace_unknown", field: "metadata.namespace", value: "globex", accepted: "a namespace of yours"},
		{name: "a system namespace", written: "metadata: {name: o, namespace: kube-system}", code: "namespace_unknown", field: "metadata.namespace", value: "kube-system", accepted: "a namespace of yours"},
		{name: "a label", written: "metadata: {name: o, labels: {a: b c}}", code: "label_invalid", field: "metadata.labels.a", value: "b c", accepted: aValue},
		{name: "a residency label", written: "metadata: {name: o, labels: {odysseus.io/data-residency-country: CA}}", code: "residency_label_handwritten", field: "metadata.labels[odysseus.io/data-residency-country]", value: "CA", accepted: "the label left out; residency is declared on odysseus/v1 Deployments, under spec.placement.residency"},
		{name: "a reserved label", written: "metadata: {name: o, labels: {odysseus.io/anything: CA}}", code: "label_reserved", field: "metadata.labels[odysseus.io/anything]", value: "odysseus.io/anything"},
		{name: "an annotation", written: "metadata: {name: o, annotations: {a b: c}}", code: "annotation_invalid", field: "metadata.annotations.a b", value: "a b"},
		{name: "the version that it is one of", written: "metadata: {name: o, resourceVersion: 1}", code: "wrong_type", field: "metadata.resourceVersion", value: "1", accepted: "a text"},
		{name: "what Kubernetes has", written: "metadata: {name: o, finalizers: [x]}", code: "field_unsupported", field: "metadata.finalizers", value: "finalizers", accepted: leftOut},

		{name: "the selectors", written: "resourceSelectors: {}", code: "wrong_type", field: "spec.resourceSelectors", value: "{}", accepted: "a list"},
		{name: "no selector", written: "resourceSelectors: []", code: "required", field: "spec.resourceSelectors", value: "[]", accepted: "at least one selector of resources"},
		{name: "a selector's version", written: "resourceSelectors: [{apiVersion: \"*\", kind: Job}]", code: "value_not_accepted", field: selector + ".apiVersion", value: "*", accepted: aVersion},
		{name: "no version of a selector", written: "resourceSelectors: [{kind: Job}]", code: "required", field: selector + ".apiVersion", accepted: aVersion},
		{name: "a selector's kind", written: "resourceSelectors: [{apiVersion: v1, kind: \"Config Map\"}]", code: "value_not_accepted", field: selector + ".kind", value: "Config Map", accepted: aKind},
		{name: "no kind of a selector", written: "resourceSelectors: [{apiVersion: v1}]", code: "required", field: selector + ".kind", accepted: aKind},
		{name: "a selector's namespace", written: selects + "namespace: A_b}]", code: "name_invalid", field: selector + ".namespace", value: "A_b", accepted: aName},
		{name: "a selector's name", written: selects + "name: a/b}]", code: "name_invalid", field: selector + ".name", value: "a/b", accepted: `the name of a resource: at most 253 characters without "/" and "%"`},
		{name: "a selector's field", written: selects + "fieldSelector: x}]", code: "unknown_field", field: selector + ".fieldSelector", value: "fieldSelector"},
		{name: "a label selector", written: labelled + "app=web}]", code: "wrong_type", field: selector + ".labelSelector", value: "app=web", accepted: "a map of keys and values"},
		{name: "its labels", written: labelled + "{matchLabels: {a: 1}}}]", code: "wrong_type", field: selector + ".labelSelector.matchLabels.a", value: "1", accepted: "a text"},
		{name: "an expression's key", written: labelled + "{matchExpressions: [{key: a b, operator: Exists}]}}]", code: "label_invalid", field: selector + ".labelSelector.matchExpressions[0].key", value: "a b", accepted: aKey},
		{name: "an expression's operator", written: labelled + "{matchExpressions: [{key: a, operator: in, values: [b]}]}}]", code: "value_not_accepted", field: selector + ".labelSelector.matchExpressions[0].operator", value: "in", accepted: operators, suggestion: "In"},
		{name: "In without values", written: labelled + "{matchExpressions: [{key: a, operator: In}]}}]", code: "required", field: selector + ".labelSelector.matchExpressions[0].values", accepted: "at least one value for the operator In"},

		{name: "the rules", written: "overrideRules: {}", code: "wrong_type", field: "spec.overrideRules", value: "{}", accepted: "a list"},
		{name: "no rule", written: "overrideRules: []", code: "required", field: "spec.overrideRules", value: "[]", accepted: "at least one rule"},
		{name: "a rule that is none", written: "overrideRules: [a]", code: "wrong_type", field: "spec.overrideRules[0]", value: "a", accepted: "a map of keys and values"},
		{name: "no target", written: "overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]", code: "required", field: target, accepted: `a clusterAffinity; "{}" is every cluster`, only: ackOne},
		{name: "the target", written: targets + "a}]", code: "wrong_type", field: target, value: "a", accepted: "a map of keys and values"},
		{name: "a target's name", written: targets + "{clusterNames: [A]}}]", code: "name_invalid", field: target + ".clusterNames[0]", value: "A", accepted: aName, suggestion: "a"},
		{name: "a target's exclusion", written: targets + "{excludeClusters: [A]}}]", code: "name_invalid", field: target + ".excludeClusters[0]", value: "A", accepted: aName, suggestion: "a"},
		{name: "the same in Karmada's spelling", written: targets + "{exclude: [A]}}]", code: "name_invalid", field: target + ".exclude[0]", value: "A", accepted: aName, suggestion: "a"},
		{name: "both spellings", written: targets + "{exclude: [a], excludeClusters: [a]}}]", code: "exclude_both", field: target + ".exclude", value: `["a"]`, accepted: "either excludeClusters or exclude"},
		{name: "a target's labels", written: targets + "{labelSelector: {matchLabels: {a: \"-\"}}}}]", code: "label_invalid", field: target + ".labelSelector.matchLabels.a", value: "-", accepted: aValue},
		{name: "a target's operator", written: targets + "{labelSelector: {matchExpressions: [{key: a, operator: Gt}]}}}]", code: "value_not_accepted", field: target + ".labelSelector.matchExpressions[0].operator", value: "Gt", accepted: operators},
		{name: "a target's key", written: targets + "{labelSelector: {matchExpressions: [{key: \"/\", operator: Exists}]}}}]", code: "label_invalid", field: target + ".labelSelector.matchExpressions[0].key", value: "/", accepted: aKey},
		{name: "a target's values", written: targets + "{labelSelector: {matchExpressions: [{key: a, operator: NotIn, values: []}]}}}]", code: "required", field: target + ".labelSelector.matchExpressions[0].values", value: "[]", accepted: "at least one value for the operator NotIn"},
		{name: "a target's fields", written: targets + "{fieldSelector: {}}}]", code: "field_unsupported", field: target + ".fieldSelector", value: "fieldSelector", accepted: leftOut},
		{name: "no overriders", written: "overrideRules: [{targetCluster: {}}]", code: "required", field: "spec.overrideRules[0].overriders", accepted: "at least one overrider in one of the lists"},
		{name: "overriders of nothing", written: "{}", code: "required", field: "spec.overrideRules[0].overriders", value: "{}", accepted: "at least one overrider in one of the lists"},
		{name: "a list that nobody knows", written: "imageOverriders: [{}]", code: "unknown_field", field: ".imageOverriders", value: "imageOverriders", suggestion: "imageOverrider"},
		{name: "the form of old", written: "targetCluster: {}", code: "field_unsupported", field: "spec.targetCluster", value: "targetCluster", accepted: leftOut, suggestion: "spec.overrideRules[].targetCluster"},
		{name: "what nobody knows", written: "overideRules: []", code: "unknown_field", field: "spec.overideRules", value: "overideRules", suggestion: "overrideRules"},

		{name: "images", written: "imageOverrider: {}", code: "wrong_type", field: ".imageOverrider", value: "{}", accepted: "a list"},
		{name: "no component", written: "imageOverrider: [{operator: add, value: a}]", code: "required", field: ".imageOverrider[0].component", accepted: parts},
		{name: "a component", written: "imageOverrider: [{component: tag, operator: replace, value: v2}]", code: "value_not_accepted", field: ".imageOverrider[0].component", value: "tag", accepted: parts, suggestion: "Tag"},
		{name: "no operator", written: "imageOverrider: [{component: Tag}]", code: "required", field: ".imageOverrider[0].operator", accepted: all},
		{name: "an operator", written: "imageOverrider: [{component: Tag, operator: delete}]", code: "value_not_accepted", field: ".imageOverrider[0].operator", value: "delete", accepted: all},
		{name: "no registry", written: "imageOverrider: [{component: Registry, operator: add}]", code: "required", field: ".imageOverrider[0].value", accepted: aRegistry},
		{name: "a registry", written: "imageOverrider: [{component: Registry, operator: replace, value: \"https://reg.example\"}]", code: "value_not_accepted", field: ".imageOverrider[0].value", value: "https://reg.example", accepted: aRegistry, suggestion: "reg.example"},
		{name: "a repository", written: "imageOverrider: [{component: Repository, operator: replace, value: Team/Web}]", code: "value_not_accepted", field: ".imageOverrider[0].value", value: "Team/Web", accepted: "a repository in lower case, such as team/web, without registry and tag", suggestion: "team/web"},
		{name: "what follows in a repository", written: "imageOverrider: [{component: Repository, operator: add, value: \":v2\"}]", code: "value_not_accepted", field: ".imageOverrider[0].value", value: ":v2", accepted: `what may follow in a repository, such as "-alpine" or "/web", in lower case`},
		{name: "a tag", written: "imageOverrider: [{component: Tag, operator: replace, value: \":v2\"}]", code: "value_not_accepted", field: ".imageOverrider[0].value", value: ":v2", accepted: aTag, suggestion: "v2"},
		{name: "what follows in a tag", written: "imageOverrider: [{component: Tag, operator: add, value: \"/x\"}]", code: "value_not_accepted", field: ".imageOverrider[0].value", value: "/x", accepted: `what may follow in a tag: letters, digits, "_", "." and "-"`},
		{name: "a tag to remove", written: "imageOverrider: [{component: Tag, operator: remove, value: v2}]", code: "field_conflict", field: ".imageOverrider[0].value", value: "v2", accepted: leftOut},
		{name: "a repository to remove", written: "imageOverrider: [{component: Repository, operator: remove}]", code: "value_not_accepted", field: ".imageOverrider[0].operator", value: "remove", accepted: "one of add, replace"},
		{name: "no predicate's path", written: image + ", predicate: {}}]", code: "required", field: ".imageOverrider[0].predicate.path", accepted: aPointer},
		{name: "a predicate's path", written: image + ", predicate: {path: spec/image}}]", code: "value_not_accepted", field: ".imageOverrider[0].predicate.path", value: "spec/image", accepted: aPointer, suggestion: "/spec/image"},
		{name: "a predicate of the name", written: image + ", predicate: {path: /metadata/name}}]", code: "override_identity", field: ".imageOverrider[0].predicate.path", value: "/metadata/name", accepted: identity},

		{name: "no container", written: "commandOverrider: [{operator: add, value: [a]}]", code: "required", field: ".commandOverrider[0].containerName", accepted: aName},
		{name: "a container", written: "commandOverrider: [{containerName: A, operator: add, value: [a]}]", code: "name_invalid", field: ".commandOverrider[0].containerName", value: "A", accepted: aName, suggestion: "a"},
		{name: "a command's operator", written: "commandOverrider: [{containerName: a, operator: replace, value: [a]}]", code: "value_not_accepted", field: ".commandOverrider[0].operator", value: "replace", accepted: some},
		{name: "no command", written: "commandOverrider: [{containerName: a, operator: add}]", code: "required", field: ".commandOverrider[0].value", accepted: "at least one argument"},
		{name: "an argument's container", written: "argsOverrider: [{containerName: a/b, operator: add, value: [a]}]", code: "name_invalid", field: ".argsOverrider[0].containerName", value: "a/b", accepted: aName},
		{name: "no operator of arguments", written: "argsOverrider: [{containerName: a, value: [a]}]", code: "required", field: ".argsOverrider[0].operator", accepted: some},
		{name: "arguments", written: "argsOverrider: [{containerName: a, operator: add, value: -x}]", code: "wrong_type", field: ".argsOverrider[0].value", value: "-x", accepted: "a list"},
		{name: "an argument", written: "argsOverrider: [{containerName: a, operator: add, value: [1]}]", code: "wrong_type", field: ".argsOverrider[0].value[0]", value: "1", accepted: "a text"},

		{name: "no operator of labels", written: "labelsOverrider: [{value: {a: b}}]", code: "required", field: ".labelsOverrider[0].operator", accepted: all},
		{name: "no label", written: "labelsOverrider: [{operator: add, value: {}}]", code: "required", field: ".labelsOverrider[0].value", value: "{}", accepted: "at least one key with its value"},
		{name: "a label's key", written: "labelsOverrider: [{operator: add, value: {a b: c}}]", code: "label_invalid", field: ".labelsOverrider[0].value.a b", value: "a b", accepted: aKey},
		{name: "a label's value", written: "labelsOverrider: [{operator: add, value: {a: b c}}]", code: "label_invalid", field: ".labelsOverrider[0].value.a", value: "b c", accepted: aValue},
		{name: "a reserved label", written: "labelsOverrider: [{operator: remove, value: {odysseus.io/data-residency-country: \"\"}}]", code: "override_residency", field: ".labelsOverrider[0].value[odysseus.io/data-residency-country]", value: "odysseus.io/data-residency-country", accepted: outside},
		{name: "an operator of annotations", written: "annotationsOverrider: [{operator: set, value: {a: b}}]", code: "value_not_accepted", field: ".annotationsOverrider[0].operator", value: "set", accepted: all},
		{name: "an annotation's key", written: "annotationsOverrider: [{operator: add, value: {a b: c}}]", code: "annotation_invalid", field: ".annotationsOverrider[0].value.a b", value: "a b", accepted: aKey},
		{name: "a reserved annotation", written: "annotationsOverrider: [{operator: add, value: {odysseus.io/blocked-countries: US}}]", code: "override_residency", field: ".annotationsOverrider[0].value[odysseus.io/blocked-countries]", value: "odysseus.io/blocked-countries", accepted: outside},

		{name: "no field's path", written: "fieldOverrider: [{json: [{subPath: /a, operator: remove}]}]", code: "required", field: ".fieldOverrider[0].fieldPath", accepted: aPointer},
		{name: "a field's path", written: "fieldOverrider: [{fieldPath: data.config, json: [{subPath: /a, operator: remove}]}]", code: "value_not_accepted", field: ".fieldOverrider[0].fieldPath", value: "data.config", accepted: aPointer, suggestion: "/data/config"},
		{name: "neither form of text", written: "fieldOverrider: [{fieldPath: /data/config}]", code: "required", field: ".fieldOverrider[0].json", accepted: "steps under json or under yaml"},
		{name: "both forms", written: "fieldOverrider: [{fieldPath: /data/config, json: [{subPath: /a, operator: remove}], yaml: [{subPath: /a, operator: remove}]}]", code: "field_conflict", field: ".fieldOverrider[0].yaml", value: `[{"subPath":"/a","operator":"remove"}]`, accepted: leftOut},
		{name: "a step's path", written: "fieldOverrider: [{fieldPath: /data/config, json: [{subPath: a, operator: remove}]}]", code: "value_not_accepted", field: ".fieldOverrider[0].json[0].subPath", value: "a", accepted: aPointer, suggestion: "/a"},
		{name: "a step's operator", written: "fieldOverrider: [{fieldPath: /data/config, json: [{subPath: /a, operator: set, value: 1}]}]", code: "value_not_accepted", field: ".fieldOverrider[0].json[0].operator", value: "set", accepted: all},
		{name: "no value of a step", written: "fieldOverrider: [{fieldPath: /data/config, json: [{subPath: /a, operator: add}]}]", code: "required", field: ".fieldOverrider[0].json[0].value", accepted: `a value to add; "null" is one`},
		{name: "a step's path in YAML", written: "fieldOverrider: [{fieldPath: /data/config, yaml: [{subPath: /a~2, operator: remove}]}]", code: "value_not_accepted", field: ".fieldOverrider[0].yaml[0].subPath", value: "/a~2", accepted: `a JSON Pointer in which "~" stands only in "~0", for "~", and in "~1", for "/"`, suggestion: "/a~02"},
		{name: "no operator in YAML", written: "fieldOverrider: [{fieldPath: /data/config, yaml: [{subPath: /a}]}]", code: "required", field: ".fieldOverrider[0].yaml[0].operator", accepted: all},
		{name: "a value to remove in YAML", written: "fieldOverrider: [{fieldPath: /data/config, yaml: [{subPath: /a, operator: remove, value: {b: 1}}]}]", code: "field_conflict", field: ".fieldOverrider[0].yaml[0].value", value: `{"b":1}`, accepted: leftOut},

		{name: "no path", written: "plaintext: [{operator: remove}]", code: "required", field: ".plaintext[0].path", accepted: aPointer},
		{name: "a path", written: "plaintext: [{path: spec.replicas, operator: replace, value: 1}]", code: "value_not_accepted", field: ".plaintext[0].path", value: "spec.replicas", accepted: aPointer, suggestion: "/spec/replicas"},
		{name: "a path with an index from the end", written: "plaintext: [{path: /spec/ports/-1, operator: remove}]", code: "value_not_accepted", field: ".plaintext[0].path", value: "/spec/ports/-1", accepted: `an index that counts from 0, without sign or leading zero; "-" adds behind the last`},
		{name: "a path with a leading zero", written: "plaintext: [{path: /spec/ports/00, operator: remove}]", code: "value_not_accepted", field: ".plaintext[0].path", value: "/spec/ports/00", accepted: `an index that counts from 0, without sign or leading zero; "-" adds behind the last`},
		{name: "a path with a slash in a key", written: "plaintext: [{path: /metadata/annotations/example.com/team, operator: remove}]", code: "value_not_accepted", field: ".plaintext[0].path", value: "/metadata/annotations/example.com/team", accepted: `the "/" within a key as "~1"`, suggestion: "/metadata/annotations/example.com~1team"},
		{name: "a path with an empty key", written: "plaintext: [{path: /spec//replicas, operator: remove}]", code: "value_not_accepted", field: ".plaintext[0].path", value: "/spec//replicas", accepted: `a JSON Pointer without an empty key: one "/" before each key, none at the end`, suggestion: "/spec/replicas"},
		{name: "the whole document", written: "plaintext: [{path: \"\", operator: remove}]", code: "override_residency", field: ".plaintext[0].path", accepted: outside},
		{name: "the kind of the resource", written: "plaintext: [{path: /kind, operator: replace, value: Pod}]", code: "override_identity", field: ".plaintext[0].path", value: "/kind", accepted: identity},
		{name: "a path's operator", written: "plaintext: [{path: /spec/a, operator: test, value: 1}]", code: "value_not_accepted", field: ".plaintext[0].operator", value: "test", accepted: all},
		{name: "no operator of a path", written: "plaintext: [{path: /spec/a}]", code: "required", field: ".plaintext[0].operator", accepted: all},
		{name: "no value", written: "plaintext: [{path: /spec/a, operator: replace}]", code: "required", field: ".plaintext[0].value", accepted: `a value to replace; "null" is one`},
		{name: "a null to remove", written: "plaintext: [{path: /spec/a, operator: remove, value: null}]", code: "field_conflict", field: ".plaintext[0].value", value: "null", accepted: leftOut},
		{name: "a number that JSON does not have", written: "plaintext: [{path: /spec/a, operator: add, value: .nan}]", code: "wrong_type", field: ".plaintext[0].value", value: ".nan", accepted: "a number"},
		{name: "a key twice", written: "plaintext: [{path: /spec/a, operator: add, value: {b: 1, b: 2}}]", code: "duplicate_key", field: ".plaintext[0].value.b", value: "b", accepted: "each key once"},
		{name: "another standard's field", written: step + ", from: /spec/b}]", code: "unknown_field", field: ".plaintext[0].from", value: "from"},
	}
}

const (
	anySelectors = "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]"
	anyRules     = "overrideRules: [{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]"
)

func (r refusedOverride) document(apiVersion string) string {
	head, metadata, selectors, rules := "apiVersion: "+apiVersion+"\nkind: OverridePolicy\n", "metadata: {name: o}\n", anySelectors, anyRules
	rest := "spec:\n  " + anySelectors + "\n  " + anyRules + "\n"
	switch written := r.written; {
	case strings.HasPrefix(written, "apiVersion"), strings.HasPrefix(written, "kind"):
		return strings.Replace(written+"\n", "REST\n", rest, 1)
	case strings.HasPrefix(written, "metadata"):
		metadata = written + "\n"
	case strings.HasPrefix(written, "resourceSelectors"):
		selectors = written
	case strings.HasPrefix(written, "overrideRules"):
		rules = written
	case strings.HasPrefix(written, "targetCluster"), strings.HasPrefix(written, "overideRules"):
		rules += "\n  " + written
	case written == "{}":
		rules = "overrideRules: [{targetCluster: {}, overriders: {}}]"
	default:
		rules = "overrideRules: [{targetCluster: {}, overriders: {" + written + "}}]"
	}
	return head + metadata + "spec:\n  " + selectors + "\n  " + rules + "\n"
}

// TestEveryFieldOfAnOverrideIsRefusedByName over HTTP, under the three APIs: the code, the field, what was written, what
// is accepted, and where it stands; and nothing is stored.
func TestEveryFieldOfAnOverrideIsRefusedByName(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.tenant("globex", "editor")
	p.want(p.ask(operatorToken, "POST", "/api/v1/tenants/acme/namespaces", `{"name": "acme-2"}`), 201)
	rows := map[string]bool{}
	index := regexp.MustCompile(`\[\d+\]`)
	for _, tt := range refusedOverrides() {
		if strings.HasPrefix(tt.field, ".") {
			tt.field = "spec.overrideRules[0].overriders" + tt.field
		}
		rows[index.ReplaceAllString(tt.field, "[]")] = true
		for _, apiVersion := range []string{ackOne, ackShort, karmada} {
			if tt.only != "" && (tt.only == karmada) != (apiVersion == karmada) {
				continue
			}
			t.Run(tt.name+" under "+apiVersion, func(t *testing.T) {
				a := p.want(p.ask(editor, "POST", overridesAPI, tt.document(apiVersion)), 422)
				got := refusedOverride{name: tt.name, written: tt.written, only: tt.only, code: a.get("errors.0.code"), field: a.get("errors.0.field"), value: a.get("errors.0.value"),
					accepted: tt.accepted, suggestion: a.get("errors.0.suggestion")}
				if tt.accepted != "" {
					got.accepted = a.get("errors.0.accepted")
				}
				if got != tt || a.get("errors.1") != "" {
					t.Errorf("refused %s\nwant %+v", a.body, tt)
				}
				if a.get("errors.0.accepted") == "" || a.get("errors.0.message") == "" || a.get("errors.0.line") == "" || a.get("errors.0.column") == "" || a.get("type") != "/docs/rejections#"+tt.code || a.get("title") != "Policy refused" {
					t.Errorf("answered %s", a.body)
				}
			})
		}
	}
	// Each field has a row, itself or one of what it holds.
	for _, path := range fieldsOf(reflect.TypeFor[fleet.OverrideSpec](), "spec") {
		found := false
		for row := range rows {
			found = found || row == path || strings.HasPrefix(row, path+".") || strings.HasPrefix(row, path+"[")
		}
		if !found {
			t.Errorf("%s has no row", path)
		}
	}
	if a := p.want(p.ask(editor, "GET", overridesAPI, ""), 200); a.get("items") != "[]" {
		t.Errorf("stored %s", a.body)
	}
}

// fieldsOf are the paths of all fields that a type is decoded from.
func fieldsOf(t reflect.Type, at string) []string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return nil
	case t.Kind() == reflect.Pointer:
		return fieldsOf(t.Elem(), at)
	case t.Kind() == reflect.Slice:
		return fieldsOf(t.Elem(), at+"[]")
	case t.Kind() != reflect.Struct:
		return nil
	}
	var all []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		path := at + "." + name
		all = append(append(all, path), fieldsOf(f.Type, path)...)
	}
	return all
}

// TestEveryFaultOfAnOverrideIsSaidAtOnce, in the order of the lines, as YAML and as JSON.
func TestEveryFaultOfAnOverrideIsSaidAtOnce(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	text := "apiVersion: " + ackOne + "\nkind: OverridePolicy\nmetadata: {name: A, namespace: nowhere}\nspec:\n  overrideRules:\n" +
		"  - {overriders: {plaintext: [{path: /metadata, operator: remove, value: 1}], commandOverrider: [{}]}}\n  resourceSelectors: [{}]\n"
	want := []string{"name_invalid", "namespace_unknown", "required", "override_residency", "field_conflict", "required", "required", "required", "required", "required"}
	if a := p.want(p.ask(editor, "POST", overridesAPI, text), 422); !sameList(a.codes("errors"), want...) {
		t.Errorf("refused %s", a.body)
	}
	asJSON := `{"apiVersion": "` + ackOne + `", "kind": "OverridePolicy", "metadata": {"name": "A", "namespace": "nowhere"},
		"spec": {"overrideRules": [{"overriders": {"plaintext": [{"path": "/metadata", "operator": "remove", "value": 1}], "commandOverrider": [{}]}}], "resourceSelectors": [{}]}}`
	if a := p.want(p.ask(editor, "POST", overridesAPI, asJSON), 422); !sameList(a.codes("errors"), want...) || a.get("errors.3.line") != "2" {
		t.Errorf("refused %s", a.body)
	}
}
