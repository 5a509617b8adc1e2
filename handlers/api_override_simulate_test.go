package handlers_test

import (
	"os"
	"strings"
	"testing"
)

// overrideOn is an OverridePolicy of what policyOn selects, with its rules as flow YAML.
func overrideOn(name, rules string) string {
	return "apiVersion: " + ackOne + "\nkind: OverridePolicy\nmetadata: {name: " + name + "}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: odysseus/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]\n  overrideRules: " + rules
}

const (
	webContainers = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {app: web}}\nspec: {replicas: 3, template: {spec: {containers: [{name: a, image: 'nginx:1@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}]}}}"
	onA           = "[{targetCluster: {clusterNames: [a]}, overriders: "
	oneOnA        = onA + "{plaintext: [{path: /spec/replicas, operator: replace, value: 1}]}}]"
)

// TestSimulateACKOnesOverride: "a registry makes nginx:latest into registry…/nginx:latest; replacing /spec/replicas by 1
// changes it on that cluster alone."
func TestSimulateACKOnesOverride(t *testing.T) {
	p := startAPI(t, storing())
	token := p.tenant("demo", "editor")
	text, err := os.ReadFile("testdata/ack-one-examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs := strings.Split(string(text), "\n---\n")
	const clusters = "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: cluster-1}, {name: cluster-2}]}"
	a := p.want(p.ask(token, "POST", simulatePath, stream(clusters, docs[0], docs[2], docs[3])), 200)
	for path, want := range map[string]string{
		"rendered.0.cluster": "cluster-1", "rendered.0.object.spec.replicas": "1", "rendered.0.object.spec.template.spec.containers.0.image": "registry.cn-hangzhou.aliyuncs.com/team/nginx:latest",
		"rendered.0.applied": `[{"policy":"OverridePolicy demo/demo","rule":0}]`, "rendered.0.error": "", "rendered.0.notes": "",
		"rendered.1.cluster": "cluster-2", "rendered.1.object.spec.replicas": "1", "rendered.1.object.spec.template.spec.containers.0.image": "nginx:latest", "rendered.1.applied": "[]", "rendered.1.error": "",
		"placement.clusters.0.desired": "1", "placement.clusters.0.divided": "2", "placement.clusters.0.overrides": `["OverridePolicy demo/demo"]`,
		"placement.clusters.1.desired": "1", "placement.clusters.1.divided": "", "placement.clusters.1.overrides": "", "warnings": "[]",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	// The policy is of the Deployment of that name: the ConfigMap stays as it is.
	a = p.want(p.ask(token, "POST", simulatePath, stream(clusters, docs[0], docs[2], docs[4])), 200)
	if a.get("rendered.0.applied") != "[]" || a.get("rendered.0.object.data") != `{"greeting":"hello"}` || a.get("rendered.1.object.data") != `{"greeting":"hello"}` {
		t.Errorf("of the ConfigMap: %s", a.body)
	}
}

func TestSimulateRenders(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("demo", "editor")
	const fleetOf = "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a, labels: {tier: edge}}, {name: b}]}"
	const digest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	in := func(more ...string) string { return stream(append([]string{fleetOf, policyOn("{}")}, more...)...) }
	tests := []struct {
		name, body string
		want       map[string]string
	}{
		{"what blocks one cluster, and no other", in(overrideOn("o", onA+"{plaintext: [{path: /spec/paused, operator: replace, value: true}]}}]"), webWorkload), map[string]string{
			"rendered.0.cluster": "a", "rendered.0.object": "", "rendered.0.applied": "[]",
			"rendered.0.error": `{"code":"override_blocked","errorClass":"missing","message":"OverridePolicy demo/o does not apply, by spec.overrideRules[0].overriders.plaintext[0].path: nothing stands at /spec/paused"}`,
			"rendered.1.error": "", "rendered.1.object.spec.replicas": "3", "placement.clusters.0.overrides": `["OverridePolicy demo/o"]`}},
		{"each class by its name", in(overrideOn("o", onA+"{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /x, operator: remove}]}]}}, {targetCluster: {clusterNames: [b]}, overriders: {fieldOverrider: [{fieldPath: /data/a, yaml: [{subPath: /x, operator: remove}]}]}}]"),
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: \"[{\"}"), map[string]string{"rendered.0.error.errorClass": "not-json", "rendered.1.error.errorClass": "not-yaml", "rendered.1.object": ""}},
		{"a container that is not there blocks", in(overrideOn("o", onA+"{argsOverrider: [{containerName: z, operator: add, value: [x]}]}}]"), webContainers), map[string]string{"rendered.0.error.errorClass": "missing"}},
		{"a predicate of no image blocks", in(overrideOn("o", onA+"{imageOverrider: [{predicate: {path: /spec/replicas}, component: Tag, operator: remove}]}}]"), webContainers), map[string]string{"rendered.0.error.errorClass": "predicate-path"}},
		{"an index out of range blocks", in(overrideOn("o", onA+"{plaintext: [{path: /spec/template/spec/containers/1, operator: remove}]}}]"), webContainers), map[string]string{"rendered.0.error.errorClass": "index"}},
		{"a result that would be refused blocks", in(overrideOn("o", onA+"{plaintext: [{path: /spec/replicas, operator: replace, value: -1}]}}]"), ledger), map[string]string{
			"rendered.0.error.errorClass": "wrong-type", "rendered.0.object": "", "rendered.1.object.spec.replicas": "3"}},
		{"what changes nothing is said", in(overrideOn("o", onA+"{imageOverrider: [{component: Registry, operator: remove}]}}]"), webContainers), map[string]string{
			"rendered.0.applied": `[{"policy":"OverridePolicy demo/o","rule":0}]`, "rendered.1.notes": "",
			"rendered.0.notes": `[{"code":"nothing_changed","field":"spec.overrideRules[0].overriders.imageOverrider[0]","message":"/spec/template/spec/containers/0/image stays as it is","path":"/spec/template/spec/containers/0/image","policy":"OverridePolicy demo/o","rule":0}]`}},
		{"a digest that goes is said", in(overrideOn("o", onA+"{imageOverrider: [{component: Tag, operator: replace, value: v2}]}}]"), webContainers), map[string]string{
			"rendered.0.object.spec.template.spec.containers.0.image": "nginx:v2", "rendered.1.object.spec.template.spec.containers.0.image": "nginx:1@" + digest,
			"rendered.0.notes.0.code": "digest_dropped", "rendered.0.notes.0.message": "/spec/template/spec/containers/0/image loses its digest with the tag", "rendered.0.notes.1": ""}},
		{"rules by the clusters' labels, in order", in(overrideOn("o", "[{targetCluster: {labelSelector: {matchLabels: {tier: edge}}}, overriders: {labelsOverrider: [{operator: add, value: {x: one}}]}}, {targetCluster: {excludeClusters: [b]}, overriders: {labelsOverrider: [{operator: replace, value: {x: two}}]}}]"), webWorkload), map[string]string{
			"rendered.0.object.metadata.labels": `{"x":"two"}`, "rendered.0.applied": `[{"policy":"OverridePolicy demo/o","rule":0},{"policy":"OverridePolicy demo/o","rule":1}]`, "rendered.1.object.metadata.labels": ""}},
		{"null is a value, and 64 bits are kept", in(overrideOn("o", onA+"{plaintext: [{path: /spec/paused, operator: add, value: null}, {path: /spec/size, operator: add, value: 9007199254740993}]}}]"), webWorkload), map[string]string{
			"rendered.0.object.spec.size": "9007199254740993", "rendered.0.object.spec": `{"paused":null,"replicas":3,"size":9007199254740993,"template":{"metadata":{"labels":{"z":1.10}}}}`}},
		{"a count after division", in(overrideOn("o", oneOnA), strings.Replace(webWorkload, "replicas: 3", "replicas: 5", 1)), map[string]string{
			"placement.clusters.0.desired": "1", "placement.clusters.0.divided": "5", "placement.clusters.1.desired": "5", "placement.clusters.1.divided": "", "rendered.0.object.spec.replicas": "1"}},
		{"without a propagation policy nothing is overridden", stream(fleetOf, overrideOn("o", oneOnA), ledger), map[string]string{"placement.policy": "", "rendered.0.applied": "[]", "placement.clusters.0.overrides": ""}},
		{"in another namespace nothing either", in(strings.Replace(overrideOn("o", oneOnA), "{name: o}", "{name: o, namespace: demo-2}", 1), webWorkload), map[string]string{"rendered.0.applied": "[]", "rendered.0.object.spec.replicas": "3"}},
		{"a Secret's values are hidden", in(strings.NewReplacer("kind: ConfigMap", "kind: Secret").Replace(overrideOn("o", onA+"{labelsOverrider: [{operator: add, value: {a: b}}]}}]")), "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {word: swordfish}"), map[string]string{"rendered": "[]", "placement.state": "Waiting"}},
		{"warnings of all policies", in(overrideOn("o", "[{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}, {targetCluster: {clusterNames: [z]}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]"), webWorkload), map[string]string{
			"warnings.0.code": "targets_all_clusters", "warnings.1.code": "cluster_unknown", "warnings.1.field": "spec.overrideRules[1].targetCluster.clusterNames[0]", "warnings.2": ""}},
	}
	p.want(p.ask(operatorToken, "POST", "/api/v1/tenants/demo/namespaces", `{"name": "demo-2"}`), 201)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(editor, "POST", simulatePath, tt.body), 200)
			for path, want := range tt.want {
				if got := a.get(path); got != want {
					t.Errorf("%s is %s, want %s\nof %s", path, got, want, a.body)
				}
			}
			if strings.Contains(string(a.body), "swordfish") || strings.Contains(string(a.body), "c3dvcmRmaXNo") {
				t.Errorf("a Secret is shown: %s", a.body)
			}
		})
	}
	for name, body := range map[string]string{"no rule": overrideOn("o", "[]"), "the same twice": overrideOn("o", oneOnA) + "\n---\n" + overrideOn("o", oneOnA),
		"somebody else's namespace": strings.Replace(overrideOn("o", oneOnA), "{name: o}", "{name: o, namespace: nowhere}", 1), "no name": strings.Replace(overrideOn("o", oneOnA), "{name: o}", "{}", 1)} {
		want := map[string]string{"no rule": "required", "the same twice": "value_repeated", "somebody else's namespace": "namespace_unknown", "no name": "required"}[name]
		if a := p.want(p.ask(editor, "POST", simulatePath, in(body, webWorkload)), 422); !sameList(a.codes("errors"), want) || a.get("errors.0.line") == "" || a.get("rendered") != "" {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	// One may be called as a propagation policy is, and cluster-wide ones are anybody's to try.
	a := p.want(p.ask(editor, "POST", simulatePath, in(overrideOn("p", oneOnA), strings.NewReplacer("kind: O", "kind: ClusterO", "value: 1", "value: 2").Replace(overrideOn("p", oneOnA)), webWorkload)), 200)
	if a.get("rendered.0.applied") != `[{"policy":"ClusterOverridePolicy p","rule":0},{"policy":"OverridePolicy demo/p","rule":0}]` || a.get("rendered.0.object.spec.replicas") != "1" {
		t.Errorf("both kinds: %s", a.body)
	}
}

// TestSimulateCountsStoredOverrides, one of the same name replaced; beside a Fleet that is given with policies these alone
// count.
func TestSimulateCountsStoredOverrides(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("demo", "editor")
	p.tenant("other", "editor")
	p.node("n-a", "a", "", "")
	stored := func(token, path, doc string) {
		t.Helper()
		p.want(p.ask(token, "POST", path, doc), 201)
	}
	stored(editor, "/api/v1/namespaces/demo/propagationpolicies", policyOn("{}"))
	stored(editor, "/api/v1/namespaces/demo/overridepolicies", overrideOn("o", oneOnA))
	stored(operatorToken, "/api/v1/clusteroverridepolicies", strings.Replace(overrideOn("wide", onA+"{labelsOverrider: [{operator: add, value: {wide: 'yes'}}]}}]"), "kind: O", "kind: ClusterO", 1))
	stored(operatorToken, "/api/v1/namespaces/other/overridepolicies", overrideOn("theirs", oneOnA))
	p.settle()
	const (
		made = "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a}]}"
		wide = `{"policy":"ClusterOverridePolicy wide","rule":0}`
		mine = `{"policy":"OverridePolicy demo/o","rule":0}`
	)
	for name, c := range map[string]struct{ body, applied, replicas string }{
		"on the real members":            {webContainers, "[" + wide + "," + mine + "]", "1"},
		"replaced":                       {stream(overrideOn("o", strings.Replace(oneOnA, "value: 1", "value: 2", 1)), webContainers), "[" + wide + "," + mine + "]", "2"},
		"beside a Fleet":                 {stream(made, webContainers), "[" + wide + "," + mine + "]", "1"},
		"beside a Fleet, with policies":  {stream(made, policyOn("{}"), webContainers), "[]", "3"},
		"beside a Fleet, with overrides": {stream(made, overrideOn("new", strings.Replace(oneOnA, "value: 1", "value: 7", 1)), webContainers), `[{"policy":"OverridePolicy demo/new","rule":0}]`, "7"},
		"of the other scope beside it":   {stream(strings.Replace(overrideOn("o", oneOnA), "kind: O", "kind: ClusterO", 1), webContainers), `[{"policy":"ClusterOverridePolicy o","rule":0},` + wide + "," + mine + "]", "1"},
	} {
		a := p.want(p.ask(editor, "POST", simulatePath, c.body), 200)
		if a.get("rendered.0.applied") != c.applied || a.get("rendered.0.object.spec.replicas") != c.replicas {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	if a := p.want(p.ask(editor, "GET", "/api/v1/namespaces/demo/overridepolicies/o", ""), 200); a.get("metadata.generation") != "1" {
		t.Errorf("stored %s", a.body)
	}
}
