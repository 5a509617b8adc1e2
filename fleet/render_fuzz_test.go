package fleet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// decodedOverrides are the policies of a stream, whatever is wrong with them: a stored one may be older than a rule.
func decodedOverrides(body string) []*fleet.Override {
	docs, faults := fleet.Parse([]byte(body), fleet.FormatYAML)
	if len(faults) > 0 {
		return nil
	}
	var overrides []*fleet.Override
	for _, doc := range docs {
		o, _ := fleet.DecodeOverride(doc)
		overrides = append(overrides, &o)
	}
	return overrides
}

// FuzzRender renders any document by any policies, and by some that fit it: "nothing panics", nothing hangs, no input is changed, and the same
// comes of the same.
func FuzzRender(f *testing.F) {
	raw, err := os.ReadFile("testdata/override-vectors.json")
	if err != nil {
		f.Fatal(err)
	}
	var all []overrideVector
	if err := json.Unmarshal(raw, &all); err != nil {
		f.Fatal(err)
	}
	for i, v := range all {
		switch v.Type {
		case "overriders":
			f.Add(uint64(i), string(v.Doc), forAll(v.Doc, v.Overriders))
		case "plaintext":
			patch, _ := json.Marshal(v.Patch)
			f.Add(uint64(i), string(v.Doc), forAll(v.Doc, json.RawMessage(`{"plaintext":`+string(patch)+`}`)))
		case "pipeline":
			var b strings.Builder
			for _, p := range v.Policies {
				b.WriteString("---\n" + string(p) + "\n")
			}
			f.Add(uint64(i), string(v.Doc), b.String())
		}
	}
	f.Add(uint64(1), webManifest, rule("{imageOverrider: [{component: Tag, operator: remove}], fieldOverrider: [{fieldPath: /metadata/name, yaml: [{subPath: /a, operator: add, value: {b: [null]}}]}]}"))
	f.Add(uint64(2), `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"demo"},"data":{"y":"a: &x [1, {<<: {b: 2}}] # c\nd: *x\n"}}`,
		forAll(json.RawMessage(`{"apiVersion":"v1","kind":"ConfigMap"}`), json.RawMessage(`{"fieldOverrider":[{"fieldPath":"/data/y","yaml":[{"subPath":"/d/1/b","operator":"replace","value":"yes"},{"subPath":"/a/-","operator":"add","value":1}]}]}`)))
	f.Fuzz(func(t *testing.T, seed uint64, manifest, policies string) {
		doc, faults := fleet.ParseOne([]byte(manifest), fleet.FormatYAML)
		if len(faults) > 0 {
			return
		}
		r, _ := fleet.DecodeResource(doc, nil)
		overrides := append(decodedOverrides(policies), newMaker(seed, r.Object).policies(&r)...)
		object, before := slices.Clone(r.Object), asJSON(t, overrides)
		cluster := fleet.Cluster{Name: "m1", Labels: map[string]string{"region": "A"}}
		got := fleet.Render(&r, cluster, overrides)
		if string(r.Object) != string(object) || asJSON(t, overrides) != before {
			t.Fatal("an input was changed")
		}
		backwards := slices.Clone(overrides)
		slices.Reverse(backwards)
		if again := fleet.Render(&r, cluster, overrides); !reflect.DeepEqual(got, again) {
			t.Fatalf("another time %+v, and %+v", got, again)
		}
		names := map[fleet.PolicyRef]bool{}
		for _, o := range overrides {
			names[o.Ref()] = true
		}
		if again := fleet.Render(&r, cluster, backwards); len(names) == len(overrides) && !reflect.DeepEqual(got, again) {
			t.Fatalf("in another order %+v, and %+v", got, again)
		}
		checkRendered(t, &r, &got)
		for _, o := range overrides {
			fleet.ValidateOverride(o, nil)
		}
	})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// checkRendered holds what every rendering has to be: blocked with a reason that has words, or a document whose identity
// and residency are the resource's.
func checkRendered(t *testing.T, r *fleet.Resource, got *fleet.Rendered) {
	t.Helper()
	if e := got.Err; e != nil {
		classes := []fleet.ErrorClass{fleet.ClassMissing, fleet.ClassIndex, fleet.ClassWrongType, fleet.ClassPredicatePath, fleet.ClassImageParse, fleet.ClassNotJSON, fleet.ClassNotYAML}
		if got.Object != nil || e.Code != fleet.ReasonOverrideBlocked || !slices.Contains(classes, e.Class) || e.Detail == "" || !strings.HasPrefix(e.Field, "spec.overrideRules[") {
			t.Fatalf("blocked as %+v, %s", e, got.Object)
		}
		return
	}
	if len(got.Steps) == 0 {
		if string(got.Object) != string(r.Object) {
			t.Fatalf("nothing changed %s to %s", r.Object, got.Object)
		}
		return
	}
	before, after := unmarshal[map[string]any](t, r.Object), unmarshal[map[string]any](t, got.Object)
	if a, b := outOfReach(before), outOfReach(after); !reflect.DeepEqual(a, b) {
		t.Fatalf("rendered\n%s\nfrom\n%s:\n%v, and not\n%v", got.Object, r.Object, b, a)
	}
}

// outOfReach is what no override may change, found in a way of its own.
func outOfReach(document map[string]any) map[string]string {
	found := map[string]string{}
	note := func(path string, v any, there bool) {
		if there {
			found[path] = fmt.Sprintf("%T %v", v, v)
		}
	}
	for _, key := range []string{"apiVersion", "kind"} {
		v, there := document[key]
		note(key, v, there)
	}
	metadata, _ := document["metadata"].(map[string]any)
	for _, key := range []string{"name", "namespace"} {
		v, there := metadata[key]
		note("metadata."+key, v, there)
	}
	spec, _ := document["spec"].(map[string]any)
	placement, there := spec["placement"]
	note("spec.placement", placement, there)
	var labels func(path string, v any)
	labels = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				labels(path+"[]", item)
			}
		case map[string]any:
			for key, item := range v {
				if strings.HasPrefix(strings.ToLower(key), "odysseus.io/") ||
					(strings.HasSuffix(path, ".labels") || strings.HasSuffix(path, ".annotations")) && strings.Contains(key, "data-residency-") {
					found[path+"."+key] += fmt.Sprintf("%v;", item)
				}
				labels(path+"."+key, item)
			}
		}
	}
	labels("", document)
	return found
}
