package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// overrideRefusal is one expected fault of an override policy: its code, field, value, accepted form and suggestion. A
// field that starts with a dot is one of the first rule's overriders.
type overrideRefusal struct {
	code                           fleet.Code
	field, value, want, suggestion string
}

func overrideRefusals(t *testing.T, manifest string, format fleet.Format) []overrideRefusal {
	t.Helper()
	_, faults, _ := checkOverride(t, manifest, format)
	var got []overrideRefusal
	for _, f := range faults {
		if e, known := fleet.Lookup(f.Code); !known || e.Kind != fleet.EntryRefusal || f.Line < 1 || f.Column < 1 {
			t.Errorf("not in the registry, or without a place: %+v", f)
		}
		field := f.Field
		if own, cut := strings.CutPrefix(field, "spec.overrideRules[0].overriders"); cut && own != "" {
			field = own
		}
		got = append(got, overrideRefusal{f.Code, field, f.Value, f.Want, f.Suggestion})
	}
	return got
}

func TestOverrideRefusals(t *testing.T) {
	const head = "kind: OverridePolicy\nmetadata: {name: o, namespace: demo}\n"
	const rules = "spec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n  overrideRules: [{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]\n"
	inSpec := func(spec string) string { return ackOne + head + "spec: " + spec + "\n" }
	aRule := "overrideRules: [{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]"
	selectors := "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]"
	overriders := "overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}"
	tests := []struct {
		name, manifest string
		want           []overrideRefusal
	}{
		// apiVersion, kind, metadata
		{"no apiVersion", head + rules, []overrideRefusal{{fleet.CodeRequired, "apiVersion", "", "one_of", ""}}},
		{"an unknown version", "apiVersion: policy.karmada.io/v1alpha2\n" + head + rules, []overrideRefusal{{fleet.CodeKindUnsupported, "apiVersion", "policy.karmada.io/v1alpha2", "one_of", "policy.karmada.io/v1alpha1"}}},
		{"a kind in small letters", ackOne + "kind: overridepolicy\nmetadata: {name: o}\n" + rules, []overrideRefusal{{fleet.CodeKindUnsupported, "kind", "overridepolicy", "one_of", "OverridePolicy"}}},
		{"no name", ackOne + "kind: OverridePolicy\nmetadata: {namespace: demo}\n" + rules, []overrideRefusal{{fleet.CodeRequired, "metadata.name", "", "name", ""}}},
		{"a name in capitals", ackOne + "kind: OverridePolicy\nmetadata: {name: Edge}\n" + rules, []overrideRefusal{{fleet.CodeNameInvalid, "metadata.name", "Edge", "name", "edge"}}},
		{"a system namespace", ackOne + "kind: OverridePolicy\nmetadata: {name: o, namespace: kube-system}\n" + rules, []overrideRefusal{{fleet.CodeNamespaceUnknown, "metadata.namespace", "kube-system", "namespace", ""}}},
		{"a namespace on the cluster's kind", ackOne + "kind: ClusterOverridePolicy\nmetadata: {name: o, namespace: demo}\n" + rules, []overrideRefusal{{fleet.CodeFieldConflict, "metadata.namespace", "demo", "field_left_out", ""}}},
		{"a reserved label of its own", ackOne + "kind: OverridePolicy\nmetadata: {name: o, labels: {odysseus.io/x: y}}\n" + rules, []overrideRefusal{{fleet.CodeLabelReserved, "metadata.labels[odysseus.io/x]", "odysseus.io/x", "label_not_reserved", ""}}},
		{"finalizers", ackOne + "kind: OverridePolicy\nmetadata: {name: o, finalizers: [x]}\n" + rules, []overrideRefusal{{fleet.CodeFieldUnsupported, "metadata.finalizers", "finalizers", "field_left_out", ""}}},

		// spec
		{"no spec", ackOne + head, []overrideRefusal{{fleet.CodeRequired, "spec.resourceSelectors", "", "resource_selectors", ""}, {fleet.CodeRequired, "spec.overrideRules", "", "override_rules", ""}}},
		{"no selectors", inSpec("{" + aRule + "}"), []overrideRefusal{{fleet.CodeRequired, "spec.resourceSelectors", "", "resource_selectors", ""}}},
		{"an empty list of selectors", inSpec("{resourceSelectors: [], " + aRule + "}"), []overrideRefusal{{fleet.CodeRequired, "spec.resourceSelectors", "[]", "resource_selectors", ""}}},
		{"no selectors under Karmada's API either", karmada + head + "spec: {" + aRule + "}\n", []overrideRefusal{{fleet.CodeRequired, "spec.resourceSelectors", "", "resource_selectors", ""}}},
		{"a selector without a kind", inSpec("{resourceSelectors: [{apiVersion: v1}], " + aRule + "}"), []overrideRefusal{{fleet.CodeRequired, "spec.resourceSelectors[0].kind", "", "kind_word", ""}}},
		{"a selector that never matches", inSpec("{resourceSelectors: [{apiVersion: v1, kind: Pod, labelSelector: {matchExpressions: [{key: a, operator: in, values: [b]}]}}], " + aRule + "}"), []overrideRefusal{{fleet.CodeNotAccepted, "spec.resourceSelectors[0].labelSelector.matchExpressions[0].operator", "in", "one_of", "In"}}},
		{"no rules", inSpec("{" + selectors + "}"), []overrideRefusal{{fleet.CodeRequired, "spec.overrideRules", "", "override_rules", ""}}},
		{"an empty list of rules", inSpec("{" + selectors + ", overrideRules: []}"), []overrideRefusal{{fleet.CodeRequired, "spec.overrideRules", "[]", "override_rules", ""}}},
		{"Karmada's form of old", inSpec("{" + selectors + ", targetCluster: {}, " + overriders + ", " + aRule + "}"), []overrideRefusal{
			{fleet.CodeFieldUnsupported, "spec.targetCluster", "targetCluster", "field_left_out", "spec.overrideRules[].targetCluster"},
			{fleet.CodeFieldUnsupported, "spec.overriders", "overriders", "field_left_out", "spec.overrideRules[].overriders"}}},
		{"a field selector", inSpec("{" + selectors + ", overrideRules: [{targetCluster: {fieldSelector: {}}, " + overriders + "}]}"), []overrideRefusal{{fleet.CodeFieldUnsupported, "spec.overrideRules[0].targetCluster.fieldSelector", "fieldSelector", "field_left_out", ""}}},
		{"a misspelt list", rule("{imageOverriders: [], labelsOverrider: [{operator: add, value: {a: b}}]}"), []overrideRefusal{{fleet.CodeUnknownField, ".imageOverriders", "imageOverriders", "known_keys", "imageOverrider"}}},
		{"no target", inSpec("{" + selectors + ", overrideRules: [{" + overriders + "}]}"), []overrideRefusal{{fleet.CodeRequired, "spec.overrideRules[0].targetCluster", "", "target_cluster", ""}}},
		{"a target that is no cluster's name", inSpec("{" + selectors + ", overrideRules: [{targetCluster: {clusterNames: [A_b]}, " + overriders + "}]}"), []overrideRefusal{{fleet.CodeNameInvalid, "spec.overrideRules[0].targetCluster.clusterNames[0]", "A_b", "name", ""}}},
		{"both spellings of the exclusion", inSpec("{" + selectors + ", overrideRules: [{targetCluster: {exclude: [a], excludeClusters: [a]}, " + overriders + "}]}"), []overrideRefusal{{fleet.CodeExcludeBoth, "spec.overrideRules[0].targetCluster.exclude", `["a"]`, "exclude_once", ""}}},
		{"no overriders", inSpec("{" + selectors + ", overrideRules: [{targetCluster: {}}]}"), []overrideRefusal{{fleet.CodeRequired, "spec.overrideRules[0].overriders", "", "overriders", ""}}},
		{"overriders without a list", rule("{}"), []overrideRefusal{{fleet.CodeRequired, "spec.overrideRules[0].overriders", "{}", "overriders", ""}}},
		{"a misspelt list alone is no empty one", rule("{imageOverriders: [{}]}"), []overrideRefusal{{fleet.CodeUnknownField, ".imageOverriders", "imageOverriders", "known_keys", "imageOverrider"}}},
		{"a list that is none, alone", rule("{plaintext: {}}"), []overrideRefusal{{fleet.CodeWrongType, ".plaintext", "{}", "type_list", ""}}},
		{"an empty list alone", rule("{plaintext: []}"), []overrideRefusal{{fleet.CodeRequired, "spec.overrideRules[0].overriders", "{}", "overriders", ""}}},
		{"more than can be applied", rule("{labelsOverrider: [" + strings.Repeat("{operator: add, value: {a: b}},", fleet.MaxOverriders+1) + "]}"), []overrideRefusal{{fleet.CodeTooLarge, "spec.overrideRules", "", "overriders_limit", ""}}},

		// imageOverrider
		{"an image overrider of nothing", rule("{imageOverrider: [{}]}"), []overrideRefusal{{fleet.CodeRequired, ".imageOverrider[0].component", "", "one_of", ""}, {fleet.CodeRequired, ".imageOverrider[0].operator", "", "one_of", ""}}},
		{"a component in small letters", rule("{imageOverrider: [{component: tag, operator: replace, value: v2}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].component", "tag", "one_of", "Tag"}}},
		{"an operator in capitals", rule("{imageOverrider: [{component: Tag, operator: Replace, value: v2}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].operator", "Replace", "one_of", "replace"}}},
		{"a registry without a value", rule("{imageOverrider: [{component: Registry, operator: add}]}"), []overrideRefusal{{fleet.CodeRequired, ".imageOverrider[0].value", "", "image_registry", ""}}},
		{"a repository without a value", rule("{imageOverrider: [{component: Repository, operator: replace}]}"), []overrideRefusal{{fleet.CodeRequired, ".imageOverrider[0].value", "", "image_repository", ""}}},
		{"a tag without a value", rule(`{imageOverrider: [{component: Tag, operator: replace, value: ""}]}`), []overrideRefusal{{fleet.CodeRequired, ".imageOverrider[0].value", "", "image_tag", ""}}},
		{"a value to remove", rule("{imageOverrider: [{component: Registry, operator: remove, value: reg.example}]}"), []overrideRefusal{{fleet.CodeFieldConflict, ".imageOverrider[0].value", "reg.example", "field_left_out", ""}}},
		{"no repository", rule("{imageOverrider: [{component: Repository, operator: remove}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].operator", "remove", "one_of", ""}}},
		{"a registry with a scheme", rule("{imageOverrider: [{component: Registry, operator: replace, value: \"https://reg.example\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "https://reg.example", "image_registry", "reg.example"}}},
		{"a registry with a slash behind", rule("{imageOverrider: [{component: Registry, operator: add, value: reg.example/}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "reg.example/", "image_registry", "reg.example"}}},
		{"a registry that reads as a repository", rule("{imageOverrider: [{component: Registry, operator: add, value: myhost}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "myhost", "image_registry", ""}}},
		{"a registry with a tag", rule("{imageOverrider: [{component: Registry, operator: add, value: \"reg.example/a:1\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "reg.example/a:1", "image_registry", ""}}},
		{"a registry with a path in capitals", rule("{imageOverrider: [{component: Registry, operator: add, value: reg.example/Team}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "reg.example/Team", "image_registry", ""}}},
		{"a repository in capitals", rule("{imageOverrider: [{component: Repository, operator: replace, value: Team/Web}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "Team/Web", "image_repository", "team/web"}}},
		{"a repository with a tag", rule("{imageOverrider: [{component: Repository, operator: replace, value: \"web:1\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "web:1", "image_repository", ""}}},
		{"a suffix that no repository has", rule("{imageOverrider: [{component: Repository, operator: add, value: \"-\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "-", "image_repository_suffix", ""}}},
		{"a tag with a colon", rule("{imageOverrider: [{component: Tag, operator: replace, value: \":v2\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", ":v2", "image_tag", "v2"}}},
		{"a tag that starts with a dash", rule("{imageOverrider: [{component: Tag, operator: replace, value: \"-v2\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "-v2", "image_tag", ""}}},
		{"a short digest", rule("{imageOverrider: [{component: Tag, operator: replace, value: \"sha256:abc\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "sha256:abc", "image_tag", ""}}},
		{"a digest as its field's own documentation spells it", rule("{imageOverrider: [{component: Tag, operator: replace, value: \"@sha256:" + strings.Repeat("a", 64) + "\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "@sha256:" + strings.Repeat("a", 64), "image_tag", "sha256:" + strings.Repeat("a", 64)}}},
		{"a digest to add", rule("{imageOverrider: [{component: Tag, operator: add, value: \"sha256:" + strings.Repeat("a", 64) + "\"}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].value", "sha256:" + strings.Repeat("a", 64), "image_tag_suffix", ""}}},
		{"a predicate of nothing", rule("{imageOverrider: [{predicate: {}, component: Tag, operator: replace, value: v2}]}"), []overrideRefusal{{fleet.CodeRequired, ".imageOverrider[0].predicate.path", "", "json_pointer", ""}}},
		{"a predicate without a slash", rule("{imageOverrider: [{predicate: {path: spec/image}, component: Tag, operator: replace, value: v2}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".imageOverrider[0].predicate.path", "spec/image", "json_pointer", "/spec/image"}}},

		// commandOverrider, argsOverrider
		{"a command overrider of nothing", rule("{commandOverrider: [{}]}"), []overrideRefusal{{fleet.CodeRequired, ".commandOverrider[0].containerName", "", "name", ""}, {fleet.CodeRequired, ".commandOverrider[0].operator", "", "one_of", ""}, {fleet.CodeRequired, ".commandOverrider[0].value", "", "arguments", ""}}},
		{"a command to replace", rule("{commandOverrider: [{containerName: a, operator: replace, value: [x]}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".commandOverrider[0].operator", "replace", "one_of", ""}}},
		{"no arguments", rule("{argsOverrider: [{containerName: a, operator: add, value: []}]}"), []overrideRefusal{{fleet.CodeRequired, ".argsOverrider[0].value", "[]", "arguments", ""}}},
		{"a number as argument", rule("{argsOverrider: [{containerName: a, operator: add, value: [1]}]}"), []overrideRefusal{{fleet.CodeWrongType, ".argsOverrider[0].value[0]", "1", "type_text", ""}}},
		{"an argument that no process can be given", rule(`{argsOverrider: [{containerName: a, operator: add, value: ["a\0b"]}]}`), []overrideRefusal{{fleet.CodeNotAccepted, ".argsOverrider[0].value[0]", "a\x00b", "no_nul", ""}}},
		{"a container's name that is none", rule("{argsOverrider: [{containerName: A, operator: add, value: [x]}]}"), []overrideRefusal{{fleet.CodeNameInvalid, ".argsOverrider[0].containerName", "A", "name", "a"}}},

		// labelsOverrider, annotationsOverrider
		{"a labels overrider of nothing", rule("{labelsOverrider: [{}]}"), []overrideRefusal{{fleet.CodeRequired, ".labelsOverrider[0].operator", "", "one_of", ""}, {fleet.CodeRequired, ".labelsOverrider[0].value", "", "labels_to_override", ""}}},
		{"no labels", rule("{labelsOverrider: [{operator: add, value: {}}]}"), []overrideRefusal{{fleet.CodeRequired, ".labelsOverrider[0].value", "{}", "labels_to_override", ""}}},
		{"a label's key that is none", rule("{labelsOverrider: [{operator: add, value: {a b: c}}]}"), []overrideRefusal{{fleet.CodeLabelInvalid, ".labelsOverrider[0].value.a b", "a b", "label_key", ""}}},
		{"a label's value that is none", rule("{labelsOverrider: [{operator: add, value: {a: b c}}]}"), []overrideRefusal{{fleet.CodeLabelInvalid, ".labelsOverrider[0].value.a", "b c", "label_value", ""}}},
		{"a number as label", rule("{labelsOverrider: [{operator: add, value: {a: 1}}]}"), []overrideRefusal{{fleet.CodeWrongType, ".labelsOverrider[0].value.a", "1", "type_text", ""}}},
		{"an annotation's key that is none", rule("{annotationsOverrider: [{operator: add, value: {a/b/c: d}}]}"), []overrideRefusal{{fleet.CodeAnnotationInvalid, ".annotationsOverrider[0].value[a/b/c]", "a/b/c", "label_key", ""}}},
		{"an operator for labels that is none", rule("{labelsOverrider: [{operator: set, value: {a: b}}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".labelsOverrider[0].operator", "set", "one_of", ""}}},

		// fieldOverrider
		{"a field overrider of nothing", rule("{fieldOverrider: [{}]}"), []overrideRefusal{{fleet.CodeRequired, ".fieldOverrider[0].fieldPath", "", "json_pointer", ""}, {fleet.CodeRequired, ".fieldOverrider[0].json", "", "json_or_yaml", ""}}},
		{"both forms", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /a, operator: remove}], yaml: [{subPath: /a, operator: remove}]}]}"), []overrideRefusal{{fleet.CodeFieldConflict, ".fieldOverrider[0].yaml", `[{"subPath":"/a","operator":"remove"}]`, "field_left_out", ""}}},
		{"neither form", rule("{fieldOverrider: [{fieldPath: /data/a, json: []}]}"), []overrideRefusal{{fleet.CodeRequired, ".fieldOverrider[0].json", "[]", "json_or_yaml", ""}}},
		{"a field path without a slash", rule("{fieldOverrider: [{fieldPath: data/a, json: [{subPath: /a, operator: remove}]}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".fieldOverrider[0].fieldPath", "data/a", "json_pointer", "/data/a"}}},
		{"a step of nothing", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{}]}]}"), []overrideRefusal{{fleet.CodeRequired, ".fieldOverrider[0].json[0].subPath", "", "json_pointer", ""}, {fleet.CodeRequired, ".fieldOverrider[0].json[0].operator", "", "one_of", ""}}},
		{"a step to the text as a whole", rule(`{fieldOverrider: [{fieldPath: /data/a, yaml: [{subPath: "", operator: remove}]}]}`), []overrideRefusal{{fleet.CodeRequired, ".fieldOverrider[0].yaml[0].subPath", "", "json_pointer", ""}}},
		{"a sub-path of one slash", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /, operator: remove}]}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".fieldOverrider[0].json[0].subPath", "/", "json_pointer_keys", ""}}},
		{"a dot", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: ., operator: remove}]}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".fieldOverrider[0].json[0].subPath", ".", "json_pointer", ""}}},
		{"a sub-path without a slash", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: a, operator: remove}]}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".fieldOverrider[0].json[0].subPath", "a", "json_pointer", "/a"}}},
		{"a step without its value", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /a, operator: replace}]}]}"), []overrideRefusal{{fleet.CodeRequired, ".fieldOverrider[0].json[0].value", "", "value_to_set", ""}}},
		{"a step with a value to remove", rule("{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /a, operator: remove, value: null}]}]}"), []overrideRefusal{{fleet.CodeFieldConflict, ".fieldOverrider[0].json[0].value", "null", "field_left_out", ""}}},

		// plaintext
		{"a step of a patch of nothing", rule("{plaintext: [{}]}"), []overrideRefusal{{fleet.CodeRequired, ".plaintext[0].path", "", "json_pointer", ""}, {fleet.CodeRequired, ".plaintext[0].operator", "", "one_of", ""}}},
		{"no path is not the whole document", rule("{plaintext: [{path: null, operator: remove}]}"), []overrideRefusal{{fleet.CodeRequired, ".plaintext[0].path", "", "json_pointer", ""}}},
		{"an operation of another standard", rule("{plaintext: [{path: /spec/a, operator: test, value: 1}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].operator", "test", "one_of", ""}}},
		{"a move", rule("{plaintext: [{path: /spec/a, from: /spec/b, operator: move}]}"), []overrideRefusal{{fleet.CodeUnknownField, ".plaintext[0].from", "from", "known_keys", ""}, {fleet.CodeNotAccepted, ".plaintext[0].operator", "move", "one_of", "remove"}}},
		{"nothing to add", rule("{plaintext: [{path: /spec/a, operator: add}]}"), []overrideRefusal{{fleet.CodeRequired, ".plaintext[0].value", "", "value_to_set", ""}}},
		{"nothing to put in place", rule("{plaintext: [{path: /spec/a, operator: replace}]}"), []overrideRefusal{{fleet.CodeRequired, ".plaintext[0].value", "", "value_to_set", ""}}},
		{"something to remove", rule("{plaintext: [{path: /spec/a, operator: remove, value: x}]}"), []overrideRefusal{{fleet.CodeFieldConflict, ".plaintext[0].value", "x", "field_left_out", ""}}},
		{"a null to remove", rule("{plaintext: [{path: /spec/a, operator: remove, value: null}]}"), []overrideRefusal{{fleet.CodeFieldConflict, ".plaintext[0].value", "null", "field_left_out", ""}}},
		{"null is a value", rule("{plaintext: [{path: /spec/a, operator: add, value: null}]}"), nil},
		{"a number that is none", rule("{plaintext: [{path: /spec/a, operator: add, value: .inf}]}"), []overrideRefusal{{fleet.CodeWrongType, ".plaintext[0].value", ".inf", "type_number", ""}}},
		{"a key twice within a value", rule("{plaintext: [{path: /spec/a, operator: add, value: {b: 1, b: 2}}]}"), []overrideRefusal{{fleet.CodeDuplicateKey, ".plaintext[0].value.b", "b", "key_once", ""}}},
		{"a path without a slash", rule("{plaintext: [{path: spec/replicas, operator: replace, value: 1}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "spec/replicas", "json_pointer", "/spec/replicas"}}},
		{"a path with dots", rule("{plaintext: [{path: spec.replicas, operator: replace, value: 1}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "spec.replicas", "json_pointer", "/spec/replicas"}}},
		{"a path of one slash", rule("{plaintext: [{path: /, operator: replace, value: 1}]}"), []overrideRefusal{{fleet.CodeOverrideResidency, ".plaintext[0].path", "/", "outside_residency", ""}}},
		{"a slash behind", rule("{plaintext: [{path: /spec/replicas/, operator: replace, value: 1}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/replicas/", "json_pointer_keys", "/spec/replicas"}}},
		{"two slashes", rule("{plaintext: [{path: //spec/replicas, operator: replace, value: 1}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "//spec/replicas", "json_pointer_keys", "/spec/replicas"}}},
		{"a tilde alone", rule("{plaintext: [{path: /data/a~b, operator: add, value: x}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/data/a~b", "json_pointer_escapes", "/data/a~0b"}}},
		{"another escape", rule("{plaintext: [{path: /data/a~2, operator: add, value: x}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/data/a~2", "json_pointer_escapes", "/data/a~02"}}},
		{"a tilde at the end", rule("{plaintext: [{path: /data/a~, operator: add, value: x}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/data/a~", "json_pointer_escapes", "/data/a~0"}}},
		{"the escapes that there are", rule("{plaintext: [{path: /data/a~0b~1c~01, operator: add, value: x}]}"), nil},
		{"an index from the end", rule("{plaintext: [{path: /spec/template/spec/containers/-1, operator: remove}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/template/spec/containers/-1", "json_pointer_index", ""}}},
		{"an index with a leading zero", rule("{plaintext: [{path: /spec/template/spec/containers/01/image, operator: remove}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/template/spec/containers/01/image", "json_pointer_index", ""}}},
		{"zero, with a sign", rule("{plaintext: [{path: /spec/ports/-0, operator: remove}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/ports/-0", "json_pointer_index", ""}}},
		{"zero, and behind the last", rule("{plaintext: [{path: /spec/ports/0, operator: remove}, {path: /spec/ports/-, operator: add, value: 1}]}"), nil},
		{"a key of digits, where keys are their author's", rule("{plaintext: [{path: /data/007, operator: add, value: x}, {path: /metadata/annotations/-1, operator: add, value: x}]}"), nil},
		{"an unescaped slash in an annotation", rule("{plaintext: [{path: /metadata/annotations/example.com/team, operator: add, value: x}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/metadata/annotations/example.com/team", "json_pointer_slash", "/metadata/annotations/example.com~1team"}}},
		{"an unescaped slash in a label of the template", rule("{plaintext: [{path: /spec/template/metadata/labels/app.kubernetes.io/name, operator: add, value: x}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/template/metadata/labels/app.kubernetes.io/name", "json_pointer_slash", "/spec/template/metadata/labels/app.kubernetes.io~1name"}}},
		{"an unescaped slash in what a node is selected by", rule("{plaintext: [{path: /spec/template/spec/nodeSelector/kubernetes.io/arch, operator: add, value: x}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/template/spec/nodeSelector/kubernetes.io/arch", "json_pointer_slash", "/spec/template/spec/nodeSelector/kubernetes.io~1arch"}}},
		{"an unescaped slash in a device", rule("{plaintext: [{path: /spec/template/spec/containers/0/resources/limits/nvidia.com/gpu, operator: add, value: 1}]}"), []overrideRefusal{{fleet.CodeNotAccepted, ".plaintext[0].path", "/spec/template/spec/containers/0/resources/limits/nvidia.com/gpu", "json_pointer_slash", "/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu"}}},
		{"all of them at once", rule("{plaintext: [{path: a.b, operator: add}, {path: /kind, operator: remove, value: x}, {path: /spec/placement, operator: set}]}"), []overrideRefusal{
			{fleet.CodeNotAccepted, ".plaintext[0].path", "a.b", "json_pointer", "/a/b"},
			{fleet.CodeRequired, ".plaintext[0].value", "", "value_to_set", ""},
			{fleet.CodeOverrideIdentity, ".plaintext[1].path", "/kind", "outside_identity", ""},
			{fleet.CodeFieldConflict, ".plaintext[1].value", "x", "field_left_out", ""},
			{fleet.CodeOverrideResidency, ".plaintext[2].path", "/spec/placement", "outside_residency", ""},
			{fleet.CodeNotAccepted, ".plaintext[2].operator", "set", "one_of", ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := overrideRefusals(t, tt.manifest, fleet.FormatYAML); !slices.Equal(byField(got), byField(tt.want)) {
				t.Errorf("got\n%s\nwant\n%s", lines(got), lines(tt.want))
			}
		})
	}
}

// byField puts faults of one place in an order.
func byField(faults []overrideRefusal) []overrideRefusal {
	sorted := slices.Clone(faults)
	slices.SortFunc(sorted, func(a, b overrideRefusal) int {
		return strings.Compare(a.field+string(a.code), b.field+string(b.code))
	})
	return sorted
}

func lines(faults []overrideRefusal) string {
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%+v\n", f)
	}
	return b.String()
}

func TestIdentityIsOutOfReach(t *testing.T) {
	for _, path := range []string{"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "metadata/name", "//metadata//name/", "/metadata/name/x", "/metadata/ name"} {
		for _, overrider := range []string{
			"{plaintext: [{path: '%s', operator: replace, value: x}]}",
			"{plaintext: [{path: '%s', operator: add, value: {a: b}}]}",
			"{plaintext: [{path: '%s', operator: remove}]}",
			"{imageOverrider: [{predicate: {path: '%s'}, component: Tag, operator: remove}]}",
			"{fieldOverrider: [{fieldPath: '%s', json: [{subPath: /a, operator: remove}]}]}",
		} {
			got := overrideRefusals(t, rule(fmt.Sprintf(overrider, path)), fleet.FormatYAML)
			if len(got) != 1 || got[0].code != fleet.CodeOverrideIdentity || got[0].value != path || got[0].want != "outside_identity" {
				t.Errorf("%s of %s: %s", overrider, path, lines(got))
			}
		}
	}
}
