package handlers_test

import (
	"net/http"
	"strings"
	"testing"
)

const (
	overridesAPI        = "/api/v1/namespaces/acme/overridepolicies"
	clusterOverridesAPI = "/api/v1/clusteroverridepolicies"
)

// wholeOverride is an override policy with every field.
func wholeOverride(apiVersion, kind string) string {
	exclude := map[bool]string{true: "exclude", false: "excludeClusters"}[apiVersion == karmada]
	return "apiVersion: " + apiVersion + "\nkind: " + kind + `
metadata:
  name: everything
  labels: {team: web}
  annotations: {example.com/note: "as written"}
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: web, namespace: acme}
    - {apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: In, values: [d]}, {key: e, operator: Exists}]}}
  overrideRules:
    - targetCluster:
        clusterNames: [cluster-1]
        labelSelector: {matchLabels: {az: zone0}, matchExpressions: [{key: old, operator: DoesNotExist}]}
        ` + exclude + `: [cluster-9]
      overriders:
        plaintext:
          - {path: /spec/paused, operator: add, value: null}
          - {path: /spec/revisionHistoryLimit, operator: replace, value: 9007199254740993}
          - {path: /spec/strategy, operator: add, value: {type: "1.10", rollingUpdate: {maxSurge: 1.10, list: [1, "2", true, null, {}]}}}
          - {path: /metadata/annotations/example.com~1note, operator: remove}
        fieldOverrider:
          - {fieldPath: /data/config, json: [{subPath: /a~1b, operator: add, value: null}, {subPath: /c, operator: replace, value: -9223372036854775808}, {subPath: /d, operator: remove}]}
          - {fieldPath: /data/yaml, yaml: [{subPath: /a/0, operator: add, value: {z: 1, a: 2}}]}
        annotationsOverrider: [{operator: remove, value: {example.com/note: ""}}]
        labelsOverrider: [{operator: add, value: {tier: edge}}, {operator: replace, value: {tier: core}}]
        argsOverrider: [{containerName: a, operator: add, value: ["--x", ""]}]
        commandOverrider: [{containerName: a, operator: remove, value: [sh]}]
        imageOverrider:
          - {component: Registry, operator: add, value: "reg.example:5000/team"}
          - {predicate: {path: /spec/template/spec/containers/0/image}, component: Tag, operator: remove}
    - targetCluster: {}
      overriders:
        plaintext: [{path: /spec/replicas, operator: replace, value: 0}]
`
}

// specOfWholeOverride is what comes back of it.
const specOfWholeOverride = `{"resourceSelectors":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","namespace":"acme"},` +
	`{"apiVersion":"v1","kind":"ConfigMap","labelSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"In","values":["d"]},{"key":"e","operator":"Exists"}]}}],` +
	`"overrideRules":[{"targetCluster":{"clusterNames":["cluster-1"],"labelSelector":{"matchLabels":{"az":"zone0"},"matchExpressions":[{"key":"old","operator":"DoesNotExist"}]},"EXCLUDE":["cluster-9"]},` +
	`"overriders":{"plaintext":[{"path":"/spec/paused","operator":"add","value":null},{"path":"/spec/revisionHistoryLimit","operator":"replace","value":9007199254740993},` +
	`{"path":"/spec/strategy","operator":"add","value":{"type":"1.10","rollingUpdate":{"maxSurge":1.10,"list":[1,"2",true,null,{}]}}},{"path":"/metadata/annotations/example.com~1note","operator":"remove"}],` +
	`"fieldOverrider":[{"fieldPath":"/data/config","json":[{"subPath":"/a~1b","operator":"add","value":null},{"subPath":"/c","operator":"replace","value":-9223372036854775808},{"subPath":"/d","operator":"remove"}]},` +
	`{"fieldPath":"/data/yaml","yaml":[{"subPath":"/a/0","operator":"add","value":{"z":1,"a":2}}]}],` +
	`"annotationsOverrider":[{"operator":"remove","value":{"example.com/note":""}}],"labelsOverrider":[{"operator":"add","value":{"tier":"edge"}},{"operator":"replace","value":{"tier":"core"}}],` +
	`"argsOverrider":[{"containerName":"a","operator":"add","value":["--x",""]}],"commandOverrider":[{"containerName":"a","operator":"remove","value":["sh"]}],` +
	`"imageOverrider":[{"component":"Registry","operator":"add","value":"reg.example:5000/team"},{"predicate":{"path":"/spec/template/spec/containers/0/image"},"component":"Tag","operator":"remove"}]}},` +
	`{"targetCluster":{},"overriders":{"plaintext":[{"path":"/spec/replicas","operator":"replace","value":0}]}}]}`

// TestAnOverrideComesBackAsItWasWritten under each of the three apiVersions and both kinds, explicit null and 64-bit
// numbers included; and what comes back, sent again, changes nothing.
func TestAnOverrideComesBackAsItWasWritten(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	for _, kind := range []struct{ name, path, token string }{{"OverridePolicy", overridesAPI, editor}, {"ClusterOverridePolicy", clusterOverridesAPI, operatorToken}} {
		for _, apiVersion := range []string{ackOne, ackShort, karmada} {
			t.Run(kind.name+" "+apiVersion, func(t *testing.T) {
				created := p.want(p.ask(kind.token, "POST", kind.path, wholeOverride(apiVersion, kind.name)), 201)
				got := p.want(p.ask(kind.token, "GET", kind.path+"/everything", ""), 200)
				exclude := map[bool]string{true: "exclude", false: "excludeClusters"}[apiVersion == karmada]
				namespace := map[bool]string{true: "acme"}[kind.path == overridesAPI]
				for path, want := range map[string]string{
					"apiVersion": apiVersion, "kind": kind.name, "metadata.name": "everything", "metadata.namespace": namespace, "metadata.generation": "1",
					"metadata.labels": `{"team":"web"}`, "metadata.annotations": `{"example.com/note":"as written"}`,
					"spec": sortedKeys(t, strings.Replace(specOfWholeOverride, "EXCLUDE", exclude, 1)), "status.selected": "0", "status.blocked": "[]",
				} {
					if text := got.get(path); text != want {
						t.Errorf("%s is\n%s, want\n%s", path, text, want)
					}
				}
				if !strings.Contains(string(got.body), `{"z":1,"a":2}`) || !strings.Contains(string(got.body), `"maxSurge":1.10`) {
					t.Errorf("values are not as they were written: %s", got.body)
				}
				if got.header.Get("ETag") != `"`+created.get("object.metadata.resourceVersion")+`"` || created.header.Get("ETag") != got.header.Get("ETag") || got.get("metadata.uid") == "" || got.get("metadata.creationTimestamp") == "" {
					t.Errorf("answered %v %s", got.header, got.body)
				}
				again := p.want(p.ask(kind.token, "PUT", kind.path+"/everything", string(got.body)), 200)
				if again.get("object.metadata.resourceVersion") != got.get("metadata.resourceVersion") || again.get("object.metadata.generation") != "1" || again.get("object.spec") != got.get("spec") {
					t.Errorf("sent back: %s", again.body)
				}
				applied := p.want(p.ask(kind.token, "POST", "/api/v1/apply?namespace=acme", string(got.body)), 200)
				if applied.get("items.0.result") != "unchanged" || applied.get("items.0.object.kind") != kind.name || applied.get("items.0.object.spec") != got.get("spec") {
					t.Errorf("applied: %s", applied.body)
				}
				p.want(p.ask(kind.token, "DELETE", kind.path+"/everything", ""), 200)
				p.want(p.ask(kind.token, "GET", kind.path+"/everything", ""), 404)
			})
		}
	}
}

const onePlaintext = "apiVersion: " + ackOne + "\nkind: OverridePolicy\nmetadata: {name: web}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n" +
	"  overrideRules: [{targetCluster: {clusterNames: [cluster-1]}, overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 1}]}}]\n"

func TestOverridesOverHTTP(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "cluster-1", "tenants": ["*"]}`)
	version := p.want(p.ask(editor, "POST", overridesAPI, onePlaintext), 201).get("object.metadata.resourceVersion")
	changed := strings.Replace(onePlaintext, "value: 1", "value: null", 1)
	relabelled := strings.Replace(onePlaintext, "{name: web}", "{name: web, labels: {a: b}}", 1)
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     map[string]string
	}{
		{"the name is taken", "POST", overridesAPI, onePlaintext, nil, 409, map[string]string{"errors.0.code": "already_exists", "errors.0.field": "metadata.name", "errors.0.value": "web"}},
		{"a propagation policy may have it too", "POST", policies, splitPolicy, nil, 201, map[string]string{"object.metadata.name": "web"}},
		{"without a name", "POST", overridesAPI, strings.Replace(onePlaintext, "metadata: {name: web}\n", "", 1), nil, 422, map[string]string{"errors.0.code": "required", "errors.0.field": "metadata.name", "errors.1": ""}},
		{"a dry run of a new one", "POST", overridesAPI + "?dryRun=All", strings.Replace(onePlaintext, "name: web", "name: dry", 1), nil, 200, map[string]string{"object.metadata.name": "dry", "object.metadata.generation": "1"}},
		{"stored nothing", "GET", overridesAPI + "/dry", "", nil, 404, nil},
		{"a stale version", "PUT", overridesAPI + "/web", changed, []string{`If-Match: "0"`}, 412, map[string]string{"errors.0.code": "stale"}},
		{"a stale version in the body", "PUT", overridesAPI + "/web", strings.Replace(changed, "{name: web}", `{name: web, resourceVersion: "0"}`, 1), nil, 412, map[string]string{"errors.0.code": "stale"}},
		{"a dry run of a change", "PUT", overridesAPI + "/web?dryRun=All", changed, []string{`If-Match: "` + version + `"`}, 200, map[string]string{"object.metadata.generation": "2"}},
		{"changed nothing", "GET", overridesAPI + "/web", "", nil, 200, map[string]string{"metadata.generation": "1", "metadata.resourceVersion": version, "spec.overrideRules.0.overriders.plaintext.0.value": "1"}},
		{"unchanged", "PUT", overridesAPI + "/web", onePlaintext, []string{"If-Match: " + version}, 200, map[string]string{"object.metadata.resourceVersion": version}},
		{"a name left out is the path's", "PUT", overridesAPI + "/web", strings.Replace(relabelled, "{name: web, ", "{", 1), []string{"If-Match: *"}, 200, map[string]string{"object.metadata.generation": "1", "object.metadata.labels": `{"a":"b"}`}},
		{"changed to null", "PUT", overridesAPI + "/web", changed, nil, 200, map[string]string{"object.metadata.generation": "2", "warnings": "[]", "object.spec.overrideRules.0.overriders.plaintext.0": `{"operator":"replace","path":"/spec/replicas","value":null}`}},
		{"under the other API", "PUT", overridesAPI + "/web", strings.Replace(changed, ackOne, karmada, 1), nil, 200, map[string]string{"object.metadata.generation": "3", "object.apiVersion": karmada}},
		{"of the other scope", "PUT", overridesAPI + "/web", strings.Replace(onePlaintext, "kind: O", "kind: ClusterO", 1), nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "kind", "errors.0.suggestion": "OverridePolicy", "errors.0.line": "2", "title": "Policy refused"}},
		{"of the other sort", "PUT", overridesAPI + "/web", splitPolicy, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.value": "PropagationPolicy", "errors.0.accepted": "one of OverridePolicy, ClusterOverridePolicy", "errors.0.suggestion": ""}},
		{"a propagation policy's path", "PUT", policies + "/web", onePlaintext, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.value": "OverridePolicy", "errors.0.accepted": "one of PropagationPolicy, ClusterPropagationPolicy"}},
		{"of another name", "PUT", overridesAPI + "/web", strings.Replace(onePlaintext, "name: web", "name: api", 1), nil, 422, map[string]string{"errors.0.code": "name_mismatch", "errors.0.value": "api", "errors.0.suggestion": "web"}},
		{"one that is not there", "PUT", overridesAPI + "/nothing", onePlaintext, nil, 404, map[string]string{"errors.0.code": "not_found"}},
		{"a refused change", "PUT", overridesAPI + "/web", strings.Replace(onePlaintext, "/spec/replicas", "/kind", 1), nil, 422, map[string]string{"errors.0.code": "override_identity"}},
		{"left the old one", "GET", overridesAPI + "/web", "", nil, 200, map[string]string{"metadata.generation": "3"}},
		{"a stale deletion", "DELETE", overridesAPI + "/web", "", []string{`If-Match: "` + version + `"`}, 412, nil},
		{"a dry run of deleting", "DELETE", overridesAPI + "/web?dryRun=All", "", nil, 200, map[string]string{"object.metadata.name": "web"}},
		{"another media type", "POST", overridesAPI, onePlaintext, []string{"Content-Type: text/plain"}, 415, map[string]string{"errors.0.code": "unsupported_media_type"}},
		{"two documents", "POST", overridesAPI, onePlaintext + "---\n" + onePlaintext, nil, 422, map[string]string{"errors.0.code": "too_many_documents", "errors.0.line": "8"}},
		{"too large", "POST", overridesAPI, onePlaintext + "# " + strings.Repeat("x", 1<<20), nil, 413, map[string]string{"errors.0.code": "body_too_large"}},
		{"no YAML", "POST", overridesAPI, "spec: [", []string{"Content-Type: application/yaml"}, 400, map[string]string{"errors.0.code": "invalid_yaml"}},
		{"no JSON", "POST", overridesAPI, `{"spec": `, nil, 400, map[string]string{"errors.0.code": "invalid_json"}},
		{"nothing", "POST", overridesAPI, "# nothing\n", nil, 422, map[string]string{"errors.0.code": "no_document"}},
		{"a method that there is not", "PATCH", overridesAPI + "/web", onePlaintext, nil, 405, map[string]string{"errors.0.code": "method_not_allowed"}},
		{"in a system namespace", "POST", "/api/v1/namespaces/kube-system/overridepolicies", onePlaintext, nil, 404, nil},
		{"the list", "GET", overridesAPI + "?limit=1&q=web", "", nil, 200, map[string]string{"items.0.metadata.name": "web", "items.0.kind": "OverridePolicy", "items.1": "", "items.0.status": "", "metadata.continue": ""}},
		{"the list by labels", "GET", overridesAPI + "?labelSelector=a%3Dc", "", nil, 200, map[string]string{"items": "[]"}},
		{"a place in no list", "GET", overridesAPI + "?continue=nowhere", "", nil, 422, map[string]string{"errors.0.field": "continue"}},
		{"deleted", "DELETE", overridesAPI + "/web", "", nil, 200, map[string]string{"object.metadata.name": "web", "warnings": "[]"}},
		{"gone", "DELETE", overridesAPI + "/web", "", nil, 404, nil},
		{"and the propagation policy of its name is not", "GET", policies + "/web", "", nil, 200, map[string]string{"kind": "PropagationPolicy"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(editor, tt.method, tt.path, tt.body, tt.headers...), tt.status)
			for path, want := range tt.want {
				if got := a.get(path); got != want {
					t.Errorf("%s is %q, want %q\nof %s", path, got, want, a.body)
				}
			}
		})
	}
}

// TestWarningsOfAnOverrideAreThoseOfThisMoment: given when it is written, and again as long as they are true.
func TestWarningsOfAnOverrideAreThoseOfThisMoment(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.tenant("globex", "editor")
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "theirs", "tenants": ["globex"]}`), 201)
	text := strings.NewReplacer("[cluster-1]", "[mine, theirs]", "kind: Deployment}]", "kind: Deployment, name: a, labelSelector: {}}, {apiVersion: v1, kind: Pod, namespace: globex}, {apiVersion: v1, kind: Namespace}]",
		"overrideRules: [", "overrideRules: [{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}, ").Replace(onePlaintext)
	want := []string{"selector_name_wins spec.resourceSelectors[0].labelSelector", "selector_no_effect spec.resourceSelectors[1].namespace", "selector_no_effect spec.resourceSelectors[2].kind",
		"targets_all_clusters spec.overrideRules[0].targetCluster", "cluster_unknown spec.overrideRules[1].targetCluster.clusterNames[0]", "cluster_unknown spec.overrideRules[1].targetCluster.clusterNames[1]"}
	warned := func(list any) []string {
		var all []string
		warnings, _ := list.([]any)
		for _, w := range warnings {
			w, _ := w.(map[string]any)
			field, _ := w["field"].(string)
			code, _ := w["code"].(string)
			all = append(all, code+" "+field)
			if message, _ := w["message"].(string); message == "" {
				t.Errorf("without words: %v", w)
			}
		}
		return all
	}
	a := p.want(p.ask(editor, "POST", overridesAPI, text), 201)
	if got := warned(a.json["warnings"]); !sameList(got, want...) {
		t.Errorf("warned %s\nof %s", strings.Join(got, "\n"), a.body)
	}
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "mine", "tenants": ["acme"]}`), 201)
	a = p.want(p.ask(editor, "GET", overridesAPI+"/web", ""), 200)
	status, _ := a.json["status"].(map[string]any)
	if got := warned(status["warnings"]); !sameList(got, want[0], want[1], want[2], want[3], want[5]) {
		t.Errorf("still warned %s\nof %s", strings.Join(got, "\n"), a.body)
	}
	// A cluster-wide one is an operator's: all clusters are known, and selectors may name a namespace.
	wide := strings.Replace(text, "kind: O", "kind: ClusterO", 1)
	if a := p.want(p.ask(operatorToken, "POST", clusterOverridesAPI, wide), 201); !sameList(warned(a.json["warnings"]), want[0], want[3]) {
		t.Errorf("an operator is warned %s", a.body)
	}
	// Under Karmada's API the target may be left out, and means the same.
	open := strings.NewReplacer(ackOne, karmada, "targetCluster: {clusterNames: [cluster-1]}, ", "", "name: web", "name: open").Replace(onePlaintext)
	if a := p.want(p.ask(editor, "POST", overridesAPI, open), 201); !sameList(warned(a.json["warnings"]), "targets_all_clusters spec.overrideRules[0].targetCluster") || a.get("object.spec.overrideRules.0.targetCluster") != "" {
		t.Errorf("warned %s", a.body)
	}
}

// TestWhoMayReadAndWriteOverrides: role by verb, for each kind.
func TestWhoMayReadAndWriteOverrides(t *testing.T) {
	p := startAPI(t, storing())
	roles := []struct{ name, token string }{
		{"operator", operatorToken}, {"support", p.token("/api/v1/tokens", "support")}, {"editor", p.tenant("acme", "editor")},
		{"viewer", p.tenant("acme", "viewer")}, {"another tenant's editor", p.tenant("globex", "editor")}, {"nobody", ""},
	}
	wide := strings.Replace(onePlaintext, "kind: O", "kind: ClusterO", 1)
	verbs := []string{"GET list", "GET one", "POST", "PUT", "DELETE", "apply"}
	tests := []struct {
		path, body string
		want       map[string][]int // by role, in the order of the verbs
	}{
		{overridesAPI, onePlaintext, map[string][]int{
			"operator": {200, 200, 201, 200, 200, 200}, "support": {200, 200, 403, 403, 403, 403}, "editor": {200, 200, 201, 200, 200, 200},
			"viewer": {200, 200, 403, 403, 403, 403}, "another tenant's editor": {404, 404, 404, 404, 404, 422}, "nobody": {401, 401, 401, 401, 401, 401},
		}},
		{clusterOverridesAPI, wide, map[string][]int{
			"operator": {200, 200, 201, 200, 200, 200}, "support": {200, 200, 403, 403, 403, 403}, "editor": {403, 403, 403, 403, 403, 403},
			"viewer": {403, 403, 403, 403, 403, 403}, "another tenant's editor": {403, 403, 403, 403, 403, 403}, "nobody": {401, 401, 401, 401, 401, 401},
		}},
	}
	for _, tt := range tests {
		for _, role := range roles {
			for i, verb := range verbs {
				p.ask(operatorToken, "DELETE", tt.path+"/web", "")
				if verb != "POST" {
					p.want(p.ask(operatorToken, "POST", tt.path, tt.body), 201)
				}
				method, path, body := verb, tt.path+"/web", tt.body
				switch verb {
				case "GET list":
					method, path, body = http.MethodGet, tt.path, ""
				case "GET one":
					method, body = http.MethodGet, ""
				case "POST":
					path = tt.path
				case "DELETE":
					body = ""
				case "apply":
					method, path = http.MethodPost, "/api/v1/apply?namespace=acme"
				}
				if a := p.ask(role.token, method, path, body); a.status != tt.want[role.name][i] {
					t.Errorf("%s of %s by %s: %d %s, want %d", verb, tt.path, role.name, a.status, a.body, tt.want[role.name][i])
				}
			}
		}
	}
}
