package fleet_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"odysseus/fleet"
)

// overrideVector is one case with a known answer: of one image, one rule, one patch, or all policies of a cluster.
type overrideVector struct {
	ID, Type                           string
	Image, Component, Operator, Value  string
	Doc, Cluster, Overriders, Expected json.RawMessage
	Patch, Policies                    []json.RawMessage
	Error, ErrorClass                  string
	AppliedCluster, AppliedNamespaced  []string
}

func overrideVectors(t *testing.T, kind string, want int) []overrideVector {
	t.Helper()
	var all, own []overrideVector
	if err := json.Unmarshal([]byte(readFile(t, "override-vectors.json")), &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Type == kind {
			own = append(own, v)
		}
	}
	if len(own) != want {
		t.Fatalf("%d vectors of %s", len(own), kind)
	}
	return own
}

// forAll is a policy with one rule for every cluster and resource of the document's kind.
func forAll(doc, overriders json.RawMessage) string {
	var id struct{ APIVersion, Kind string }
	_ = json.Unmarshal(doc, &id) // the decoder judges it
	return `{"apiVersion":"policy.karmada.io/v1alpha1","kind":"OverridePolicy","metadata":{"name":"o","namespace":"demo"},"spec":{"resourceSelectors":[{"apiVersion":"` +
		id.APIVersion + `","kind":"` + id.Kind + `"}],"overrideRules":[{"overriders":` + string(overriders) + `}]}}`
}

// agree checks a vector: "compare expected as JSON, an error as an error (errorClass where one is given)". What is
// refused when it is written is an error too.
func (v *overrideVector) agree(t *testing.T, doc json.RawMessage, cluster fleet.Cluster, policies ...string) *fleet.Rendered {
	t.Helper()
	r := resource(t, string(doc))
	var overrides []*fleet.Override
	for _, policy := range policies {
		o, faults, _ := checkOverride(t, policy, fleet.FormatJSON)
		if len(faults) > 0 {
			if v.Error == "" || v.ErrorClass != "" {
				t.Errorf("%s: refused %+v, want %q", v.ID, faults, v.Error+string(v.Expected))
			}
			return nil
		}
		overrides = append(overrides, &o)
	}
	got := fleet.Render(&r, cluster, overrides)
	switch {
	case v.Error != "" && got.Err == nil:
		t.Errorf("%s: rendered %s, want an error: %s", v.ID, got.Object, v.Error)
	case v.Error != "":
		if v.ErrorClass != "" && string(got.Err.Class) != v.ErrorClass || got.Err.Code != fleet.ReasonOverrideBlocked || got.Object != nil || got.Applied != nil {
			t.Errorf("%s: %+v, want an error of class %q", v.ID, got, v.ErrorClass)
		}
	case got.Err != nil:
		t.Errorf("%s: blocked %+v, want %s", v.ID, got.Err, v.Expected)
	case !sameJSON(t, got.Object, v.Expected):
		t.Errorf("%s: rendered %s, want %s", v.ID, got.Object, v.Expected)
	}
	return &got
}

// sameJSON compares as JSON, numbers by what they count: 1.0 is 1, and 64 bits are told apart.
func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	read := func(raw json.RawMessage) any {
		var v any
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		return plain(v)
	}
	return reflect.DeepEqual(read(a), read(b))
}

func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		return json.Number(strings.TrimSuffix(v.String(), ".0"))
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	}
	return v
}

func TestImageVectors(t *testing.T) {
	for _, v := range overrideVectors(t, "image", 47) {
		image, _ := json.Marshal(v.Image)
		doc := json.RawMessage(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"demo"},"spec":{"containers":[{"name":"c","image":` + string(image) + `}]}}`)
		overrider, _ := json.Marshal(fleet.ImageOverrider{Component: v.Component, Operator: v.Operator, Value: v.Value})
		if v.Error == "" {
			var image string
			if err := json.Unmarshal(v.Expected, &image); err != nil {
				t.Fatal(err)
			}
			v.Expected = json.RawMessage(strings.Replace(string(doc), string(mustJSON(v.Image)), string(mustJSON(image)), 1))
		}
		v.agree(t, doc, fleet.Cluster{Name: "m1"}, forAll(doc, json.RawMessage(`{"imageOverrider":[`+string(overrider)+`]}`)))
	}
}

func mustJSON(text string) []byte {
	raw, _ := json.Marshal(text) // a string always marshals
	return raw
}

func TestOverriderVectors(t *testing.T) {
	for _, v := range overrideVectors(t, "overriders", 35) {
		v.agree(t, v.Doc, fleet.Cluster{Name: "m1"}, forAll(v.Doc, v.Overriders))
	}
}

func TestPlaintextVectors(t *testing.T) {
	for _, v := range overrideVectors(t, "plaintext", 27) {
		patch, err := json.Marshal(v.Patch)
		if err != nil {
			t.Fatal(err)
		}
		v.agree(t, v.Doc, fleet.Cluster{Name: "m1"}, forAll(v.Doc, json.RawMessage(`{"plaintext":`+string(patch)+`}`)))
	}
}

func TestPipelineVectors(t *testing.T) {
	for _, v := range overrideVectors(t, "pipeline", 13) {
		member := resource(t, string(v.Cluster))
		policies := make([]string, len(v.Policies))
		for i := range v.Policies {
			policies[i] = string(v.Policies[i])
		}
		got := v.agree(t, v.Doc, fleet.Cluster{Name: member.Name, Labels: member.Labels}, policies...)
		if got == nil || got.Err != nil {
			continue
		}
		names := map[string][]string{fleet.KindClusterOverridePolicy: {}, fleet.KindOverridePolicy: {}}
		for _, applied := range got.Applied {
			names[applied.Policy.Kind] = append(names[applied.Policy.Kind], applied.Policy.Name)
		}
		if !reflect.DeepEqual(names[fleet.KindClusterOverridePolicy], v.AppliedCluster) || !reflect.DeepEqual(names[fleet.KindOverridePolicy], v.AppliedNamespaced) {
			t.Errorf("%s: applied %v, want %v and %v", v.ID, names, v.AppliedCluster, v.AppliedNamespaced)
		}
	}
}
