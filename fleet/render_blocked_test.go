package fleet_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestWhatDoesNotApplyBlocks(t *testing.T) {
	configMap := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"demo"},"data":{"n":5,"j":"{\"a\":[1,2],\"s\":\"x\",\"z\":null}","y":"a: [1]\nb: x\n","bad":"{","two":"a: 1\n---\nb: 2\n","tagged":"!!binary aGk=\n","twice":"{\"a\":1,\"a\":2}"}}`
	pod := func(container string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"demo"},"spec":{"containers":[` + container + `]}}`
	}
	own := `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"ledger","namespace":"demo"},"spec":{"image":"nginx:1","ports":[{"containerPort":80}]}}`
	const tag = "{imageOverrider: [{component: Tag, operator: replace, value: v2}]}"
	tests := []struct {
		name, object, overriders string
		class                    fleet.ErrorClass
		detail, field, path      string
		args                     map[string]string
	}{
		// plaintext
		{"a missing member", configMap, "{plaintext: [{path: /data/none, operator: remove}]}", fleet.ClassMissing, "missing", "plaintext[0].path", "/data/none", nil},
		{"a missing member to replace", configMap, "{plaintext: [{path: /data/n, operator: remove}, {path: /data/none, operator: replace, value: x}]}", fleet.ClassMissing, "missing", "plaintext[1].path", "/data/none", nil},
		{"a missing parent", configMap, "{plaintext: [{path: /binaryData/a, operator: add, value: x}]}", fleet.ClassMissing, "missing_parent", "plaintext[0].path", "/binaryData", nil},
		{"a missing parent above", webManifest, "{plaintext: [{path: /spec/strategy/rollingUpdate/maxSurge, operator: add, value: x}]}", fleet.ClassMissing, "missing_parent", "plaintext[0].path", "/spec/strategy", nil},
		{"a parent that is a text", webManifest, "{plaintext: [{path: /spec/template/spec/containers/0/image/x, operator: add, value: x}]}", fleet.ClassWrongType, "scalar", "plaintext[0].path", "/spec/template/spec/containers/0/image/x", map[string]string{"Got": "text"}},
		{"a way through a number", webManifest, "{plaintext: [{path: /spec/replicas/x/y, operator: remove}]}", fleet.ClassWrongType, "scalar", "plaintext[0].path", "/spec/replicas/x", map[string]string{"Got": "number"}},
		{"an index beyond the end", webManifest, "{plaintext: [{path: /spec/template/spec/containers/2, operator: remove}]}", fleet.ClassIndex, "range", "plaintext[0].path", "/spec/template/spec/containers/2", map[string]string{"Last": "1"}},
		{"an index beyond the end to add at", webManifest, "{plaintext: [{path: /spec/template/spec/containers/3, operator: add, value: {}}]}", fleet.ClassIndex, "range", "plaintext[0].path", "/spec/template/spec/containers/3", map[string]string{"Last": "2"}},
		{"an index that no number holds", webManifest, "{plaintext: [{path: /spec/template/spec/containers/99999999999999999999, operator: remove}]}", fleet.ClassIndex, "range", "plaintext[0].path", "/spec/template/spec/containers/99999999999999999999", map[string]string{"Last": "1"}},
		{"no index", webManifest, "{plaintext: [{path: /spec/template/spec/containers/web, operator: remove}]}", fleet.ClassIndex, "index", "plaintext[0].path", "/spec/template/spec/containers/web", nil},
		{"an index with a plus", webManifest, "{plaintext: [{path: /spec/template/spec/containers/+1, operator: remove}]}", fleet.ClassIndex, "index", "plaintext[0].path", "/spec/template/spec/containers/+1", nil},
		{"behind the last, to replace", webManifest, "{plaintext: [{path: /spec/template/spec/containers/-, operator: replace, value: {}}]}", fleet.ClassIndex, "index", "plaintext[0].path", "/spec/template/spec/containers/-", nil},
		{"behind the last, on the way", webManifest, "{plaintext: [{path: /spec/template/spec/containers/-/image, operator: add, value: x}]}", fleet.ClassIndex, "index", "plaintext[0].path", "/spec/template/spec/containers/-", nil},
		{"a second step that the first one breaks", webManifest, "{plaintext: [{path: /spec/template/spec/containers/1, operator: remove}, {path: /spec/template/spec/containers/1/image, operator: replace, value: x}]}", fleet.ClassIndex, "range", "plaintext[1].path", "/spec/template/spec/containers/1", map[string]string{"Last": "0"}},

		// imageOverrider
		{"a container without an image", pod(`{"name":"a"}`), tag, fleet.ClassImageParse, "no_image", "imageOverrider[0]", "/spec/containers/0/image", nil},
		{"a container whose image is null", pod(`{"name":"a","image":null}`), tag, fleet.ClassImageParse, "no_image", "imageOverrider[0]", "/spec/containers/0/image", nil},
		{"an image that is a number", pod(`{"name":"a","image":5}`), tag, fleet.ClassWrongType, "type", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Got": "number", "Want": "text"}},
		{"an image that cannot be read", pod(`{"name":"a","image":"nginx:v1:v2"}`), tag, fleet.ClassImageParse, "image", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Value": "nginx:v1:v2"}},
		{"the second container's", pod(`{"name":"a","image":"a"},{"name":"b","image":"B"}`), tag, fleet.ClassImageParse, "image", "imageOverrider[0]", "/spec/containers/1/image", map[string]string{"Value": "B"}},
		{"a tag to add to a digest", pod(`{"name":"a","image":"a:1@` + digest("a") + `"}`), "{imageOverrider: [{component: Tag, operator: add, value: -rc1}]}", fleet.ClassImageParse, "tag_of_digest", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Value": "a:1@" + digest("a")}},
		{"a tag that would start with a dash", pod(`{"name":"a","image":"a"}`), "{imageOverrider: [{component: Tag, operator: add, value: -rc1}]}", fleet.ClassImageParse, "image_result", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Value": "a:-rc1"}},
		{"a tag that would be too long", pod(`{"name":"a","image":"a:` + strings.Repeat("x", 120) + `"}`), "{imageOverrider: [{component: Tag, operator: add, value: '-12345678'}]}", fleet.ClassImageParse, "image_result", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Value": "a:" + strings.Repeat("x", 120) + "-12345678"}},
		{"a registry before a port", pod(`{"name":"a","image":"host:5000/a:1"}`), "{imageOverrider: [{component: Registry, operator: add, value: reg.example}]}", fleet.ClassImageParse, "image_result", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Value": "reg.example/host:5000/a:1"}},
		{"a repository that would make up a registry", pod(`{"name":"a","image":"nginx"}`), "{imageOverrider: [{component: Repository, operator: replace, value: my.app/web}]}", fleet.ClassImageParse, "image_result", "imageOverrider[0]", "/spec/containers/0/image", map[string]string{"Value": "my.app/web"}},
		{"a predicate of nothing there", webManifest, "{imageOverrider: [{predicate: {path: /spec/template/spec/containers/0/img}, component: Tag, operator: remove}]}", fleet.ClassPredicatePath, "missing", "imageOverrider[0].predicate.path", "/spec/template/spec/containers/0/img", nil},
		{"a predicate out of range", webManifest, "{imageOverrider: [{predicate: {path: /spec/template/spec/containers/7/image}, component: Tag, operator: remove}]}", fleet.ClassPredicatePath, "range", "imageOverrider[0].predicate.path", "/spec/template/spec/containers/7", map[string]string{"Last": "1"}},
		{"a predicate of a list", webManifest, "{imageOverrider: [{predicate: {path: /spec/template/spec/containers}, component: Tag, operator: remove}]}", fleet.ClassPredicatePath, "type", "imageOverrider[0].predicate.path", "/spec/template/spec/containers", map[string]string{"Got": "list", "Want": "text"}},
		{"a predicate of a text in a list", webManifest, "{imageOverrider: [{predicate: {path: /spec/template/spec/containers/0/command/0/image}, component: Tag, operator: remove}]}", fleet.ClassPredicatePath, "scalar", "imageOverrider[0].predicate.path", "/spec/template/spec/containers/0/command/0/image", map[string]string{"Got": "text"}},
		{"a predicate of no image", webManifest, "{imageOverrider: [{predicate: {path: /spec/template/spec/containers/0/args/0}, component: Registry, operator: add, value: reg.example}, {predicate: {path: /spec/template/spec/containers/0/command/1}, component: Tag, operator: remove}]}", fleet.ClassImageParse, "image", "imageOverrider[1]", "/spec/template/spec/containers/0/command/1", map[string]string{"Value": "-c"}},

		// commandOverrider, argsOverrider, labelsOverrider
		{"an unknown container", webManifest, "{commandOverrider: [{containerName: web, operator: add, value: [x]}, {containerName: none, operator: add, value: [x]}]}", fleet.ClassMissing, "container", "commandOverrider[1].containerName", "", map[string]string{"Container": "none"}},
		{"a kind without containers", configMap, "{argsOverrider: [{containerName: web, operator: remove, value: [x]}]}", fleet.ClassMissing, "container", "argsOverrider[0].containerName", "", map[string]string{"Container": "web"}},
		{"a command that is a text", pod(`{"name":"a","command":"sh"}`), "{commandOverrider: [{containerName: a, operator: add, value: [x]}]}", fleet.ClassWrongType, "type", "commandOverrider[0]", "/spec/containers/0/command", map[string]string{"Got": "text", "Want": "list"}},

		// fieldOverrider
		{"a field that is not there", configMap, "{fieldOverrider: [{fieldPath: /data/none, json: [{subPath: /a, operator: remove}]}]}", fleet.ClassMissing, "missing", "fieldOverrider[0].fieldPath", "/data/none", nil},
		{"a field that is a number", configMap, "{fieldOverrider: [{fieldPath: /data/n, json: [{subPath: /a, operator: remove}]}]}", fleet.ClassWrongType, "type", "fieldOverrider[0].fieldPath", "/data/n", map[string]string{"Got": "number", "Want": "text"}},
		{"a text that is no JSON", configMap, "{fieldOverrider: [{fieldPath: /data/bad, json: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotJSON, "not_json", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/bad"}},
		{"a text of YAML that is no JSON", configMap, "{fieldOverrider: [{fieldPath: /data/y, json: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotJSON, "not_json", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/y"}},
		{"a key twice", configMap, "{fieldOverrider: [{fieldPath: /data/twice, json: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotJSON, "not_json", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/twice"}},
		{"a key twice, as YAML", configMap, "{fieldOverrider: [{fieldPath: /data/twice, yaml: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotYAML, "not_yaml", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/twice"}},
		{"a text that is no YAML", configMap, "{fieldOverrider: [{fieldPath: /data/bad, yaml: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotYAML, "not_yaml", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/bad"}},
		{"two documents", configMap, "{fieldOverrider: [{fieldPath: /data/two, yaml: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotYAML, "not_yaml", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/two"}},
		{"more than plain data", configMap, "{fieldOverrider: [{fieldPath: /data/tagged, yaml: [{subPath: /a, operator: remove}]}]}", fleet.ClassNotYAML, "not_yaml", "fieldOverrider[0].fieldPath", "", map[string]string{"Within": "/data/tagged"}},
		{"a member that the text lacks", configMap, "{fieldOverrider: [{fieldPath: /data/j, json: [{subPath: /a/0, operator: remove}, {subPath: /none, operator: remove}]}]}", fleet.ClassMissing, "missing", "fieldOverrider[0].json[1].subPath", "/none", map[string]string{"Within": "/data/j"}},
		{"a null in the text", configMap, "{fieldOverrider: [{fieldPath: /data/j, json: [{subPath: /z/a, operator: add, value: 1}]}]}", fleet.ClassMissing, "missing_parent", "fieldOverrider[0].json[0].subPath", "/z", map[string]string{"Within": "/data/j"}},
		{"an index that the text's list lacks", configMap, "{fieldOverrider: [{fieldPath: /data/y, yaml: [{subPath: /a/1, operator: replace, value: 2}]}]}", fleet.ClassIndex, "range", "fieldOverrider[0].yaml[0].subPath", "/a/1", map[string]string{"Within": "/data/y", "Last": "0"}},
		{"a way through the text's text", configMap, "{fieldOverrider: [{fieldPath: /data/y, yaml: [{subPath: /b/c, operator: add, value: 2}]}]}", fleet.ClassWrongType, "scalar", "fieldOverrider[0].yaml[0].subPath", "/b/c", map[string]string{"Within": "/data/y", "Got": "text"}},

		// the result
		{"replicas in words", webManifest, "{plaintext: [{path: /spec/replicas, operator: replace, value: three}]}", fleet.ClassWrongType, "refused", "plaintext", "", nil},
		{"fewer replicas than none", webManifest, "{plaintext: [{path: /spec/replicas, operator: replace, value: -1}]}", fleet.ClassWrongType, "refused", "plaintext", "", nil},
		{"half a replica of an own deployment", own, "{plaintext: [{path: /spec/replicas, operator: add, value: 0.5}]}", fleet.ClassWrongType, "refused", "plaintext", "", nil},
		{"more replicas than an own deployment may have", own, "{plaintext: [{path: /spec/replicas, operator: add, value: 10001}]}", fleet.ClassWrongType, "refused", "plaintext", "", nil},
		{"a field that an own deployment does not have", own, "{plaintext: [{path: /spec/paused, operator: add, value: true}]}", fleet.ClassWrongType, "refused", "plaintext", "", nil},
		{"an own deployment without an image", own, "{plaintext: [{path: /spec/image, operator: remove}]}", fleet.ClassMissing, "refused", "plaintext", "", nil},
		{"an own deployment with no image", own, "{plaintext: [{path: /spec/image, operator: replace, value: No Image}]}", fleet.ClassImageParse, "refused", "plaintext", "", nil},
		{"a label that is none", configMap, "{plaintext: [{path: /metadata/labels, operator: add, value: {a: b c}}]}", fleet.ClassWrongType, "refused", "plaintext", "", nil},
		{"deeper than a document may be", configMap, "{plaintext: [{path: /data/a, operator: add, value: " + strings.Repeat("[", 35) + strings.Repeat("]", 35) + "}, {path: /data/a" + strings.Repeat("/0", 34) + "/-, operator: add, value: " + strings.Repeat("[", 15) + strings.Repeat("]", 15) + "}]}", fleet.ClassWrongType, "too_large", "plaintext", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.object)
			o := unchecked(t, &r, tt.overriders)
			if faults, _ := fleet.ValidateOverride(o, nil); len(faults) > 0 && !strings.Contains(tt.overriders, "/metadata/labels") { // that one is stored, by other rules
				t.Fatalf("refused when it is written: %+v", faults)
			}
			got := fleet.Render(&r, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
			if got.Err == nil || got.Object != nil || got.Applied != nil || got.Steps != nil || got.Notes != nil || got.Deployment != nil {
				t.Fatalf("not blocked: %+v", got)
			}
			if tt.args == nil {
				tt.args = map[string]string{}
			}
			want := fleet.RenderError{Code: fleet.ReasonOverrideBlocked, Class: tt.class, AppliedRule: fleet.AppliedRule{Policy: o.Ref()},
				Field: "spec.overrideRules[0].overriders." + tt.field, Path: tt.path, Detail: tt.detail, Args: tt.args, Faults: got.Err.Faults}
			if !reflect.DeepEqual(*got.Err, want) || (tt.detail == "refused") != (len(got.Err.Faults) > 0) {
				t.Errorf("got\n%+v\nwant\n%+v", *got.Err, want)
			}
		})
	}
}

// TestTheRuleAtFaultIsNamed where the result as a whole is refused: the one that last changed what is.
func TestTheRuleAtFaultIsNamed(t *testing.T) {
	own := resource(t, "{apiVersion: odysseus/v1, kind: Deployment, metadata: {name: ledger, namespace: demo}, spec: {image: 'nginx:1', ports: [{containerPort: 80}]}}")
	first := overrideOf(t, fleet.KindOverridePolicy, "a", &own, "", "{plaintext: [{path: /spec/ports/0/containerPort, operator: replace, value: 0}]}")
	then := overrideOf(t, fleet.KindOverridePolicy, "b", &own, "", "{labelsOverrider: [{operator: add, value: {a: b}}]}, targetCluster: {}}, {overriders: {plaintext: [{path: /spec/replicas, operator: add, value: 2}]}")
	got := fleet.Render(&own, fleet.Cluster{Name: "m1"}, []*fleet.Override{first, then})
	if got.Err == nil || got.Err.Policy.Name != "a" || got.Err.Rule != 0 || got.Err.Field != "spec.overrideRules[0].overriders.plaintext" || len(got.Err.Faults) != 1 ||
		got.Err.Faults[0].Code != fleet.CodeOutOfRange || got.Err.Faults[0].Field != "spec.ports[0].containerPort" || got.Err.Faults[0].Line != 0 {
		t.Errorf("%+v", got.Err)
	}
	// What one breaks another may mend: the result counts.
	mend := overrideOf(t, fleet.KindOverridePolicy, "c", &own, "", "{plaintext: [{path: /spec/ports/0/containerPort, operator: replace, value: 8080}]}")
	if got := fleet.Render(&own, fleet.Cluster{Name: "m1"}, []*fleet.Override{first, then, mend}); got.Err != nil || got.Deployment.Spec.Ports[0].ContainerPort != 8080 {
		t.Errorf("%+v", got.Err)
	}
}

// TestNothingOfASecretIsSaid where an override does not apply to it.
func TestNothingOfASecretIsSaid(t *testing.T) {
	secret := resource(t, "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: demo}, stringData: {a: 'Hunter 2', j: '{\"k\":\"hunter2\"}'}}")
	for _, overriders := range []string{
		"{imageOverrider: [{predicate: {path: /stringData/a}, component: Tag, operator: remove}]}",
		"{fieldOverrider: [{fieldPath: /stringData/a, json: [{subPath: /k, operator: remove}]}]}",
		"{fieldOverrider: [{fieldPath: /stringData/j, json: [{subPath: /k/x, operator: remove}]}]}",
	} {
		got := fleet.Render(&secret, fleet.Cluster{Name: "m1"}, []*fleet.Override{overrideOf(t, fleet.KindOverridePolicy, "o", &secret, "", overriders)})
		if got.Err == nil || strings.Contains(strings.ToLower(jsonText(t, got.Err)), "hunter") {
			t.Errorf("%s: %+v", overriders, got.Err)
		}
	}
}

// TestWhatIsRenderedCanBeReadAgain: the limits are those of what is parsed, to the level.
func TestWhatIsRenderedCanBeReadAgain(t *testing.T) {
	r := resource(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"demo"},"data":{"y":"x"}}`)
	rendered := 0
	for depth := fleet.MaxDepth - 5; depth < fleet.MaxDepth+5; depth++ {
		deep := json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		path := "/data/deep"
		o := unchecked(t, &r, "{labelsOverrider: [{operator: add, value: {a: b}}]}")
		o.Spec.OverrideRules[0].Overriders = &fleet.Overriders{Plaintext: []fleet.PlaintextOverrider{{Path: &path, Operator: "add", Value: deep}}}
		got := fleet.Render(&r, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
		_, faults := fleet.ParseOne([]byte(strings.Replace(string(r.Object), `"y":"x"`, `"y":"x","deep":`+string(deep), 1)), fleet.FormatJSON)
		if (got.Err == nil) != (len(faults) == 0) {
			t.Errorf("%d levels: blocked %+v, parsed %+v", depth, got.Err, faults)
		}
		if got.Err == nil {
			rendered++
		}
	}
	if rendered == 0 || rendered == 10 {
		t.Errorf("%d of 10 were rendered", rendered)
	}
}
