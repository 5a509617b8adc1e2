package fleet_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"odysseus/fleet"
)

// webManifest is a workload with two containers, one of them by digest, an init container and a text.
const webManifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: demo, labels: {app: web}}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: web}}
    spec:
      initContainers: [{name: init, image: "busybox:1"}]
      containers:
      - {name: web, image: nginx, command: [sh, -c], args: [a, b, a]}
      - {name: side, image: "team/side:1@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
`

func digest(hex string) string { return "sha256:" + strings.Repeat(hex, 64) }

// overrideOf is a policy for every cluster of everything of the resource's kind, held to the rules of writing.
func overrideOf(t *testing.T, kind, name string, r *fleet.Resource, selector, overriders string) *fleet.Override {
	t.Helper()
	namespace := ", namespace: demo"
	if kind == fleet.KindClusterOverridePolicy {
		namespace = ""
	}
	return acceptedOverride(t, fmt.Sprintf("%skind: %s\nmetadata: {name: %s%s}\nspec:\n  resourceSelectors: [{apiVersion: %s, kind: %s%s}]\n  overrideRules: [{overriders: %s}]\n",
		karmada, kind, name, namespace, r.APIVersion, r.Kind, selector, overriders))
}

// at finds a text in a rendered document by its pointer.
func at(t *testing.T, got *fleet.Rendered, pointer string) string {
	t.Helper()
	if got.Err != nil {
		t.Fatalf("blocked: %+v", got.Err)
	}
	walk := unmarshal[any](t, got.Object)
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch v := walk.(type) {
		case map[string]any:
			walk = v[strings.ReplaceAll(token, "~1", "/")]
		case []any:
			var i int
			if _, err := fmt.Sscan(token, &i); err != nil || i >= len(v) {
				return "<none>"
			}
			walk = v[i]
		}
	}
	return fmt.Sprint(walk)
}

const (
	initImage = "/spec/template/spec/initContainers/0/image"
	webImage  = "/spec/template/spec/containers/0/image"
	sideImage = "/spec/template/spec/containers/1/image"
)

func TestImagesAreOverridden(t *testing.T) {
	side := "team/side:1@" + digest("a")
	tests := []struct {
		overrider             string
		initial, image, other string // of the init container, the first, and the one by digest
		notes                 []fleet.NoteCode
	}{
		{"{component: Registry, operator: add, value: reg.example}", "reg.example/busybox:1", "reg.example/nginx", "reg.example/" + side, nil},
		{"{component: Registry, operator: add, value: 'reg.example:5000/mirror'}", "reg.example:5000/mirror/busybox:1", "reg.example:5000/mirror/nginx", "reg.example:5000/mirror/" + side, nil},
		{"{component: Registry, operator: replace, value: localhost}", "localhost/busybox:1", "localhost/nginx", "localhost/" + side, nil},
		{"{component: Registry, operator: remove}", "busybox:1", "nginx", side, []fleet.NoteCode{fleet.NoteNothingChanged, fleet.NoteNothingChanged, fleet.NoteNothingChanged}},
		{"{component: Repository, operator: add, value: -alpine}", "busybox-alpine:1", "nginx-alpine", "team/side-alpine:1@" + digest("a"), nil},
		{"{component: Repository, operator: add, value: /x}", "busybox/x:1", "nginx/x", "team/side/x:1@" + digest("a"), nil},
		{"{component: Repository, operator: replace, value: a/b}", "a/b:1", "a/b", "a/b:1@" + digest("a"), nil},
		{"{component: Tag, operator: replace, value: v2}", "busybox:v2", "nginx:v2", "team/side:v2", []fleet.NoteCode{fleet.NoteDigestDropped}},
		{"{component: Tag, operator: replace, value: '" + digest("b") + "'}", "busybox@" + digest("b"), "nginx@" + digest("b"), "team/side@" + digest("b"), nil},
		{"{component: Tag, operator: remove}", "busybox", "nginx", "team/side", []fleet.NoteCode{fleet.NoteNothingChanged, fleet.NoteDigestDropped}},
		{"{predicate: {path: " + webImage + "}, component: Tag, operator: add, value: '1.27'}", "busybox:1", "nginx:1.27", side, nil},
		{"{predicate: {path: " + initImage + "}, component: Tag, operator: add, value: -rc1}", "busybox:1-rc1", "nginx", side, nil},
		{"{predicate: {path: " + initImage + "}, component: Tag, operator: replace, value: '1'}", "busybox:1", "nginx", side, []fleet.NoteCode{fleet.NoteNothingChanged}},
	}
	web := resource(t, webManifest)
	for _, tt := range tests {
		t.Run(tt.overrider, func(t *testing.T) {
			o := overrideOf(t, fleet.KindOverridePolicy, "o", &web, "", "{imageOverrider: ["+tt.overrider+"]}")
			got := fleet.Render(&web, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
			if a, b, c := at(t, &got, initImage), at(t, &got, webImage), at(t, &got, sideImage); a != tt.initial || b != tt.image || c != tt.other {
				t.Errorf("%s\n%s\n%s", a, b, c)
			}
			var notes []fleet.NoteCode
			for _, n := range got.Notes {
				if n.Policy != o.Ref() || n.Rule != 0 || n.Field != "spec.overrideRules[0].overriders.imageOverrider[0]" || !strings.HasSuffix(n.Path, "/image") {
					t.Errorf("note %+v", n)
				}
				notes = append(notes, n.Code)
			}
			if !reflect.DeepEqual(notes, tt.notes) {
				t.Errorf("notes %v", notes)
			}
		})
	}
}

// TestEveryImageOfAResourceIsFound: "whatever its kind, init containers and CronJobs included".
func TestEveryImageOfAResourceIsFound(t *testing.T) {
	pod := "{initContainers: [{name: i, image: i}], containers: [{name: a, image: a}], ephemeralContainers: [{name: e, image: e}], volumes: [{name: v}]}"
	tests := []struct{ name, manifest, at string }{
		{"a pod", "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: demo}, spec: " + pod + "}", "/spec"},
		{"a stateful set", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: x, namespace: demo}, spec: {template: {spec: " + pod + "}}}", "/spec/template/spec"},
		{"a cron job", "{apiVersion: batch/v1, kind: CronJob, metadata: {name: x, namespace: demo}, spec: {jobTemplate: {spec: {template: {spec: " + pod + "}}}}}", "/spec/jobTemplate/spec/template/spec"},
		{"somebody's own kind", "{apiVersion: example.com/v1, kind: Rollout, metadata: {name: x, namespace: demo}, spec: {workers: [{template: {spec: " + pod + "}}]}, status: {containers: [{image: BAD}]}}", "/spec/workers/0/template/spec"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.manifest)
			o := overrideOf(t, fleet.KindOverridePolicy, "o", &r, "", "{imageOverrider: [{component: Registry, operator: add, value: reg.example}]}")
			got := fleet.Render(&r, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
			for path, want := range map[string]string{"/initContainers/0/image": "reg.example/i", "/containers/0/image": "reg.example/a", "/ephemeralContainers/0/image": "reg.example/e"} {
				if image := at(t, &got, tt.at+path); image != want {
					t.Errorf("%s: %s", path, image)
				}
			}
			if len(got.Steps) != 3 || len(got.Notes) != 0 {
				t.Errorf("%+v %+v", got.Steps, got.Notes)
			}
		})
	}
}

func TestAnOwnDeploymentIsRenderedAsIfItWereWritten(t *testing.T) {
	own := resource(t, "{apiVersion: odysseus/v1, kind: Deployment, metadata: {name: ledger, namespace: demo}, spec: {image: 'nginx:1', replicas: 3, placement: {residency: {country: CA}}}}")
	o := overrideOf(t, fleet.KindOverridePolicy, "o", &own, "", "{imageOverrider: [{component: Registry, operator: add, value: reg.example}], plaintext: [{path: /spec/replicas, operator: replace, value: 0}, {path: /spec/env, operator: add, value: [{name: A, value: b}]}]}")
	got := fleet.Render(&own, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
	if got.Err != nil || got.Deployment == nil {
		t.Fatalf("%+v", got.Err)
	}
	d := got.Deployment
	if d.Spec.Image != "reg.example/nginx:1" || d.Spec.ReplicaCount() != 0 || d.Spec.Env[0].Value != "b" || d.Spec.RestartPolicy != fleet.RestartAlways ||
		d.Spec.Residency().Country != "CA" || d.ResidencyLabels[fleet.LabelResidencyCountry] != "CA" {
		t.Errorf("%+v", d)
	}
	if want := `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"ledger","namespace":"demo"},"spec":{"image":"reg.example/nginx:1","replicas":0,"placement":{"residency":{"country":"CA"}},"env":[{"name":"A","value":"b"}]}}`; string(got.Object) != want {
		t.Errorf("rendered %s", got.Object)
	}
}

func TestRulesOfAPolicyWithoutEffect(t *testing.T) {
	web := resource(t, webManifest)
	elsewhere := acceptedOverride(t, rule("{plaintext: [{path: /spec/none, operator: remove}]}"))
	for name, cluster := range map[string]fleet.Cluster{"another cluster": {Name: "cluster-2"}, "no cluster": {}} {
		got := fleet.Render(&web, cluster, []*fleet.Override{elsewhere})
		if got.Err != nil || string(got.Object) != string(web.Object) || got.Applied != nil || got.Labels["app"] != "web" || got.Deployment != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	same := overrideOf(t, fleet.KindOverridePolicy, "o", &web, "", "{plaintext: [{path: /spec/replicas, operator: replace, value: 3}]}")
	got := fleet.Render(&web, fleet.Cluster{Name: "m1"}, []*fleet.Override{same})
	want := []fleet.RenderNote{{AppliedRule: fleet.AppliedRule{Policy: same.Ref()}, Code: fleet.NoteNothingChanged, Field: "spec.overrideRules[0].overriders.plaintext[0]", Path: "/spec/replicas"}}
	if got.Err != nil || string(got.Object) != string(web.Object) || len(got.Applied) != 1 || !reflect.DeepEqual(got.Notes, want) || got.Steps != nil {
		t.Errorf("the same again: %+v", got)
	}
}

// TestStepsSayWhatChangedWhat is what a diff is marked with.
func TestStepsSayWhatChangedWhat(t *testing.T) {
	web := resource(t, webManifest)
	wide := overrideOf(t, fleet.KindClusterOverridePolicy, "wide", &web, "", "{labelsOverrider: [{operator: add, value: {tier: edge, app: web}}]}, "+
		"targetCluster: {}}, {overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 1}, {path: /spec/template/metadata, operator: remove}]}")
	own := overrideOf(t, fleet.KindOverridePolicy, "own", &web, ", labelSelector: {matchLabels: {tier: edge}}", "{imageOverrider: [{component: Tag, operator: replace, value: '1'}], argsOverrider: [{containerName: web, operator: remove, value: [a]}], "+
		"plaintext: [{path: /spec/replicas, operator: replace, value: 2}, {path: /spec/template/spec/containers/0, operator: add, value: {name: first, image: 'x:1'}}, {path: /spec/paused, operator: add, value: false}]}")
	first, second, third := fleet.AppliedRule{Policy: wide.Ref()}, fleet.AppliedRule{Policy: wide.Ref(), Rule: 1}, fleet.AppliedRule{Policy: own.Ref()}
	got := fleet.Render(&web, fleet.Cluster{Name: "m1"}, []*fleet.Override{own, wide})
	if got.Err != nil {
		t.Fatalf("%+v", got.Err)
	}
	want := []fleet.RenderStep{
		{AppliedRule: first, List: "labelsOverrider", Path: "/metadata/labels/tier"},
		{AppliedRule: second, List: "plaintext", Path: "/spec/replicas"},
		{AppliedRule: second, List: "plaintext", Path: "/spec/template/metadata"},
		{AppliedRule: third, List: "imageOverrider", Path: webImage},
		{AppliedRule: third, List: "imageOverrider", Path: sideImage},
		{AppliedRule: third, List: "argsOverrider", Path: "/spec/template/spec/containers/0/args/0"},
		{AppliedRule: third, List: "plaintext", Path: "/spec/replicas"},
		{AppliedRule: third, List: "plaintext", Path: "/spec/template/spec/containers/0"},
		{AppliedRule: third, List: "plaintext", Path: "/spec/paused"},
	}
	if !reflect.DeepEqual(got.Steps, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got.Steps, want)
	}
	if !reflect.DeepEqual(got.Applied, []fleet.AppliedRule{first, second, third}) || !reflect.DeepEqual(got.Labels, map[string]string{"app": "web", "tier": "edge"}) {
		t.Errorf("applied %+v, labels %v", got.Applied, got.Labels)
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
