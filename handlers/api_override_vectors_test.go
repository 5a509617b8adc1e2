package handlers_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// overrideVector is one case of override-vectors.json: of an image, of one rule's overriders, of one patch, or of all the
// policies of a cluster; of a selector, an affinity, or of who wins.
type overrideVector struct {
	policyVector
	Image, Component, Operator, Value string
	Doc, Overriders, Expected         json.RawMessage
	Patch                             []json.RawMessage
	Error, ErrorClass                 string
	AppliedCluster, AppliedNamespaced []string
}

// simulated asks what the vector's document becomes on its cluster, under the given policies.
func (v *overrideVector) simulated(p *apiPlane, doc json.RawMessage, policies ...string) answer {
	p.t.Helper()
	name := v.Cluster.Metadata.Name
	if name == "" {
		name = "m1"
	}
	var id struct{ APIVersion, Kind string }
	if err := json.Unmarshal(doc, &id); err != nil {
		p.t.Fatal(err)
	}
	kind := fleet.KindPropagationPolicy
	if id.Kind == fleet.KindNamespace {
		kind = fleet.KindClusterPropagationPolicy
	}
	docs := []string{
		jsonText(p.t, map[string]any{"apiVersion": "odysseus/v1", "kind": "Fleet", "spec": map[string]any{"clusters": []any{map[string]any{"name": name, "labels": v.Cluster.Metadata.Labels}}}}),
		`{"apiVersion":"` + fleet.PolicyAPIVersionKarmada + `","kind":"` + kind + `","metadata":{"name":"p"},"spec":{"resourceSelectors":[{"apiVersion":"` + id.APIVersion + `","kind":"` + id.Kind + `"}]}}`,
	}
	return p.ask(operatorToken, "POST", simulatePath, stream(append(append(docs, policies...), string(doc))...), "Content-Type: application/yaml")
}

// overrideOf is a policy with one rule for every cluster and resource of the document's kind.
func overrideOf(doc json.RawMessage, overriders string) string {
	var id struct{ APIVersion, Kind string }
	_ = json.Unmarshal(doc, &id) // simulated looks at it
	return `{"apiVersion":"` + fleet.PolicyAPIVersionKarmada + `","kind":"OverridePolicy","metadata":{"name":"o"},"spec":{"resourceSelectors":[{"apiVersion":"` +
		id.APIVersion + `","kind":"` + id.Kind + `"}],"overrideRules":[{"overriders":` + overriders + `}]}}`
}

// sameValue compares as JSON, numbers by what they count: 1.0 is 1, and 64 bits are told apart.
func sameValue(t *testing.T, a any, expected json.RawMessage) bool {
	t.Helper()
	var want any
	d := json.NewDecoder(strings.NewReader(string(expected)))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(counted(a), counted(want))
}

func counted(v any) any {
	switch v := v.(type) {
	case json.Number:
		return strings.TrimSuffix(v.String(), ".0")
	case []any:
		for i := range v {
			v[i] = counted(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = counted(v[key])
		}
	}
	return v
}

// agrees checks an answer: "compare expected as JSON, an error as an error (errorClass where one is given)". What is
// refused when it is written is an error too.
func (v *overrideVector) agrees(p *apiPlane, a answer) {
	p.t.Helper()
	if a.status == 422 {
		if v.Error == "" || v.ErrorClass != "" {
			p.t.Errorf("%s: refused %s, want %q%s", v.ID, a.body, v.Error, v.Expected)
		}
		return
	}
	p.want(a, 200)
	list, _ := a.json["rendered"].([]any)
	if len(list) != 1 {
		p.t.Fatalf("%s: rendered %s", v.ID, a.body)
	}
	rendered, _ := list[0].(map[string]any)
	switch {
	case v.Error != "":
		if rendered["object"] != nil || a.get("rendered.0.applied") != "[]" || a.get("rendered.0.error.code") != "override_blocked" || a.get("rendered.0.error.message") == "" ||
			v.ErrorClass != "" && a.get("rendered.0.error.errorClass") != v.ErrorClass {
			p.t.Errorf("%s: %s, want an error of class %q", v.ID, a.body, v.ErrorClass)
		}
	case rendered["error"] != nil || !sameValue(p.t, rendered["object"], v.Expected):
		p.t.Errorf("%s: %s, want %s", v.ID, a.body, v.Expected)
	}
}

// "All image, plaintext, overriders and pipeline vectors agree", here as simulate answers them.
func TestSimulateRendersLikeTheVectors(t *testing.T) {
	p := startAPI(t, storing())
	p.tenant("demo", "editor")
	said := map[string]int{}
	for _, v := range loadCases[overrideVector](t, "testdata/override-vectors.json") {
		said[v.Type]++
		switch v.Type {
		case "image":
			doc := func(image string) json.RawMessage {
				return json.RawMessage(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"demo"},"spec":{"containers":[{"name":"c","image":` + jsonText(t, image) + `}]}}`)
			}
			if v.Error == "" {
				var image string
				if err := json.Unmarshal(v.Expected, &image); err != nil {
					t.Fatal(err)
				}
				v.Expected = doc(image)
			}
			overrider := jsonText(t, fleet.ImageOverrider{Component: v.Component, Operator: v.Operator, Value: v.Value})
			v.agrees(p, v.simulated(p, doc(v.Image), overrideOf(doc(v.Image), `{"imageOverrider":[`+overrider+`]}`)))
		case "overriders":
			v.agrees(p, v.simulated(p, v.Doc, overrideOf(v.Doc, string(v.Overriders))))
		case "plaintext":
			patch := make([]string, len(v.Patch))
			for i := range v.Patch {
				patch[i] = string(v.Patch[i])
			}
			v.agrees(p, v.simulated(p, v.Doc, overrideOf(v.Doc, `{"plaintext":[`+strings.Join(patch, ",")+`]}`)))
		case "pipeline":
			policies := make([]string, len(v.Policies))
			for i := range v.Policies {
				policies[i] = string(v.Policies[i])
			}
			a := v.simulated(p, v.Doc, policies...)
			v.agrees(p, a)
			if v.Error == "" {
				v.appliedIn(p, a)
			}
		}
	}
	if want := map[string]int{"image": 47, "overriders": 35, "plaintext": 27, "selector": 20, "priority": 15, "pipeline": 13, "cluster": 8}; !reflect.DeepEqual(said, want) {
		t.Errorf("there are %v", said)
	}
}

// appliedIn checks which policies were applied, in their order.
func (v *overrideVector) appliedIn(p *apiPlane, a answer) {
	p.t.Helper()
	var answered struct {
		Rendered []struct {
			Applied []struct {
				Policy string
				Rule   *int
			}
		}
	}
	if err := json.Unmarshal(a.body, &answered); err != nil || len(answered.Rendered) != 1 {
		p.t.Fatalf("%s: %v %s", v.ID, err, a.body)
	}
	var got, want []string
	for _, applied := range answered.Rendered[0].Applied {
		if applied.Rule == nil {
			p.t.Errorf("%s: no rule: %s", v.ID, a.body)
		}
		got = append(got, applied.Policy)
	}
	for _, name := range v.AppliedCluster {
		want = append(want, "ClusterOverridePolicy "+name)
	}
	for _, name := range v.AppliedNamespaced {
		want = append(want, "OverridePolicy demo/"+name)
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("%s: applied %v, want %v", v.ID, got, want)
	}
}

// TestOverridesSelectAndTargetLikeTheVectors: the selectors and affinities of override policies are those of propagation
// policies.
func TestOverridesSelectAndTargetLikeTheVectors(t *testing.T) {
	p := startAPI(t, storing())
	p.tenant("demo", "editor")
	p.tenant("other", "editor")
	const marks = `{"annotationsOverrider":[{"operator":"add","value":{"marked":"yes"}}]}`
	for _, v := range loadCases[overrideVector](t, "testdata/override-vectors.json") {
		doc := json.RawMessage(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}}`)
		var selectors, target any = []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}, map[string]any{}
		kind := fleet.KindOverridePolicy
		switch v.Type {
		case "selector":
			doc, selectors = json.RawMessage(jsonText(t, v.Resource)), []any{v.Selector}
			if v.Resource["kind"] == fleet.KindNamespace {
				kind = fleet.KindClusterOverridePolicy
			}
			v.Match = v.Match || v.ID == "sel-009" // there the resource takes the path's namespace, and is selected
		case "cluster":
			target = v.Affinity
		default:
			continue
		}
		policy := jsonText(t, map[string]any{"apiVersion": fleet.PolicyAPIVersionKarmada, "kind": kind, "metadata": map[string]any{"name": "o"},
			"spec": map[string]any{"resourceSelectors": selectors, "overrideRules": []any{map[string]any{"targetCluster": target, "overriders": json.RawMessage(marks)}}}})
		a := v.simulated(p, doc, policy)
		if v.ID == "sel-014" { // wildcards where none can be
			if got := a.codes("errors"); a.status != 422 || !slices.Equal(got, []string{"value_not_accepted", "value_not_accepted"}) {
				t.Errorf("%s: %d %s", v.ID, a.status, a.body)
			}
			continue
		}
		p.want(a, 200)
		if got := a.get("rendered.0.object.metadata.annotations.marked") == "yes"; a.get("rendered.0.cluster") == "" || got != v.Match || got != (a.get("rendered.0.applied") != "[]") {
			t.Errorf("%s: %s", v.ID, a.body)
		}
	}
}

// TestDependentOverridesLikeTheVectors: the policy is the claimant whether they are there or not, and waits for them.
func TestDependentOverridesLikeTheVectors(t *testing.T) {
	p := startAPI(t, storing())
	p.tenant("demo", "editor")
	asked := 0
	for _, v := range loadCases[overrideVector](t, "testdata/override-vectors.json") {
		if v.Type != "priority" || len(v.Overrides) == 0 {
			continue
		}
		asked++
		doc := jsonText(t, v.Resource)
		ask := func(overrides ...string) answer {
			docs := []string{"apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: m1}]}"}
			for _, policy := range v.Policies {
				docs = append(docs, string(policy))
			}
			return p.want(p.ask(operatorToken, "POST", simulatePath, stream(append(append(docs, overrides...), doc)...), "Content-Type: application/yaml"), 200)
		}
		var overrides []string
		for _, override := range v.Overrides {
			// The vector's are empty, which none is that is written.
			overrides = append(overrides, strings.Replace(string(override), `"spec":{}`,
				`"spec":{"resourceSelectors":[{"apiVersion":"apps/v1","kind":"Deployment"}],"overrideRules":[{"overriders":{"annotationsOverrider":[{"operator":"add","value":{"marked":"yes"}}]}}]}`, 1))
		}
		if a := ask(overrides...); a.get("placement.policy.kind")+"/"+a.get("placement.policy.namespace")+"/"+a.get("placement.policy.name") != v.Winner ||
			a.get("placement.state") != "Placed" || a.get("rendered.0.object.metadata.annotations.marked") != "yes" {
			t.Errorf("%s: %s", v.ID, a.body)
		}
		if a := ask(); a.get("placement.policy.name") == "" || a.get("placement.state") != "Waiting" || a.get("placement.pending.reasons.0.code") != "waiting_for_override_policy" || a.get("rendered") != "[]" {
			t.Errorf("%s without them: %s", v.ID, a.body)
		}
	}
	if asked == 0 {
		t.Error("none was asked")
	}
}
