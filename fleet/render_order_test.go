package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// appending is a policy that leaves its name behind the arguments of the container web.
func appending(t *testing.T, r *fleet.Resource, kind, name, selector string) *fleet.Override {
	t.Helper()
	return overrideOf(t, kind, name, r, selector, fmt.Sprintf("{argsOverrider: [{containerName: web, operator: add, value: [%s]}]}", name))
}

// TestOverridesAreAppliedInOneOrder: ClusterOverridePolicies first; within a kind less precise first, then by name, byte
// by byte. The order in which they are given does not matter.
func TestOverridesAreAppliedInOneOrder(t *testing.T) {
	web := resource(t, webManifest)
	const own, wide = fleet.KindOverridePolicy, fleet.KindClusterOverridePolicy
	const byLabels, byName = ", labelSelector: {matchLabels: {app: web}}", ", name: web"
	overrides := []*fleet.Override{
		appending(t, &web, wide, "w-name", byName),
		appending(t, &web, wide, "w-kind", ""),
		appending(t, &web, own, "a-name", byName),
		appending(t, &web, own, "b10", ""),
		appending(t, &web, own, "b9", ""),
		appending(t, &web, own, "m-labels", byLabels+"}, {apiVersion: v1, kind: Pod, name: web"),
		appending(t, &web, own, "all", ", labelSelector: {}"),
		appending(t, &web, own, "none", ", name: other"),
	}
	want := "[a b a w-kind w-name b10 b9 all m-labels a-name]"
	for range 20 {
		got := fleet.Render(&web, fleet.Cluster{Name: "m1"}, overrides)
		if args := at(t, &got, "/spec/template/spec/containers/0/args"); args != want {
			t.Fatalf("arguments %s, want %s", args, want)
		}
		overrides = append(overrides[3:len(overrides):len(overrides)], overrides[:3]...)
		slices.Reverse(overrides[:4])
	}
}

// TestListsOfARuleAreAppliedInOneOrder "whatever the order in the YAML; a list in its own order".
func TestListsOfARuleAreAppliedInOneOrder(t *testing.T) {
	r := resource(t, `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: demo}, spec: {containers: [{name: a, image: x}]}, data: {j: '{"k":1}'}}`)
	reversed := `{plaintext: [{path: /metadata/annotations/seen, operator: add, value: p}, {path: /data/j, operator: replace, value: p}, {path: /spec/containers/0/image, operator: replace, value: 'p:1'}],
      fieldOverrider: [{fieldPath: /data/j, json: [{subPath: /k, operator: replace, value: f}]}, {fieldPath: /metadata/annotations/n, json: [{subPath: /v, operator: replace, value: f}]}],
      annotationsOverrider: [{operator: add, value: {n: '{"v":"a"}', seen: a}}],
      labelsOverrider: [{operator: add, value: {l: first}}, {operator: replace, value: {l: second}}, {operator: remove, value: {gone: ''}}, {operator: add, value: {gone: ''}}],
      argsOverrider: [{containerName: a, operator: add, value: [x, y]}, {containerName: a, operator: remove, value: [x]}],
      commandOverrider: [{containerName: a, operator: remove, value: [x]}, {containerName: a, operator: add, value: [x]}],
      imageOverrider: [{component: Tag, operator: add, value: '1'}, {component: Tag, operator: add, value: '2'}, {predicate: {path: /spec/containers/0/image}, component: Registry, operator: add, value: localhost}]}`
	o := overrideOf(t, fleet.KindOverridePolicy, "o", &r, "", reversed)
	got := fleet.Render(&r, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
	for pointer, want := range map[string]string{
		"/spec/containers/0/image":   "p:1",
		"/spec/containers/0/command": "[x]",
		"/spec/containers/0/args":    "[y]",
		"/metadata/labels":           "map[gone: l:second]",
		"/metadata/annotations/seen": "p",
		"/metadata/annotations/n":    `{"v":"f"}`,
		"/data/j":                    "p",
	} {
		if text := at(t, &got, pointer); text != want {
			t.Errorf("%s: %s, want %s", pointer, text, want)
		}
	}
	var lists []string
	for _, step := range got.Steps {
		if !slices.Contains(lists, step.List) {
			lists = append(lists, step.List)
		}
	}
	if got := strings.Join(lists, " "); got != "imageOverrider commandOverrider argsOverrider labelsOverrider annotationsOverrider fieldOverrider plaintext" {
		t.Errorf("order %s", got)
	}
}

// TestWhatMatchesIsDecidedOnceAKind: "OverridePolicies match the object as the ClusterOverridePolicies left it; within a
// kind, what matches is decided before anything of that kind is applied".
func TestWhatMatchesIsDecidedOnceAKind(t *testing.T) {
	web := resource(t, webManifest)
	label := func(kind, name, selector, value string) *fleet.Override {
		return overrideOf(t, kind, name, &web, selector, "{labelsOverrider: [{operator: "+value+"}]}")
	}
	const own, wide = fleet.KindOverridePolicy, fleet.KindClusterOverridePolicy
	edge := ", labelSelector: {matchLabels: {tier: edge}}"
	tests := []struct {
		name      string
		overrides []*fleet.Override
		applied   string
	}{
		{"a label of a cluster's policy switches a namespace's on", []*fleet.Override{label(own, "b", edge, "add, value: {x: y}"), label(wide, "a", "", "add, value: {tier: edge}")}, "a b"},
		{"a label that it takes off switches one off", []*fleet.Override{label(own, "b", ", labelSelector: {matchLabels: {app: web}}", "add, value: {x: y}"), label(wide, "a", "", "remove, value: {app: ''}")}, "a"},
		{"labels of the same kind come too late", []*fleet.Override{label(own, "a", "", "add, value: {tier: edge}"), label(own, "b", edge, "add, value: {x: y}")}, "a"},
		{"and go too late", []*fleet.Override{label(wide, "a", "", "remove, value: {app: ''}"), label(wide, "b", ", labelSelector: {matchLabels: {app: web}}", "add, value: {x: y}")}, "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fleet.Render(&web, fleet.Cluster{Name: "m1"}, tt.overrides)
			var names []string
			for _, applied := range got.Applied {
				names = append(names, applied.Policy.Name)
			}
			if strings.Join(names, " ") != tt.applied || got.Err != nil {
				t.Errorf("applied %v, %+v", names, got.Err)
			}
		})
	}
}

// TestRulesTargetClusters: "each that targets the cluster", in order, each on what the one before left.
func TestRulesTargetClusters(t *testing.T) {
	web := resource(t, webManifest)
	o := acceptedOverride(t, underRules+`  - {targetCluster: {labelSelector: {matchLabels: {region: a}}}, overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 5}]}}
  - {targetCluster: {clusterNames: [cluster-2]}, overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 6}]}}
  - {targetCluster: {clusterNames: [cluster-1, cluster-9], excludeClusters: [cluster-9]}, overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 7}]}}
`)
	tests := []struct {
		cluster  fleet.Cluster
		replicas string
		rules    []int
	}{
		{fleet.Cluster{Name: "cluster-1", Labels: map[string]string{"region": "a"}}, "7", []int{0, 2}},
		{fleet.Cluster{Name: "cluster-2"}, "6", []int{1}},
		{fleet.Cluster{Name: "cluster-9", Labels: map[string]string{"region": "a"}}, "5", []int{0}},
		{fleet.Cluster{Name: "cluster-9", Labels: map[string]string{"region": "b"}}, "3", nil},
	}
	for _, tt := range tests {
		got := fleet.Render(&web, tt.cluster, []*fleet.Override{o})
		var rules []int
		for _, applied := range got.Applied {
			rules = append(rules, applied.Rule)
		}
		if at(t, &got, "/spec/replicas") != tt.replicas || !slices.Equal(rules, tt.rules) {
			t.Errorf("%+v: rules %v, %s", tt.cluster, rules, got.Object)
		}
	}
}
