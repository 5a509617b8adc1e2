package fleet_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"odysseus/fleet"
)

func decodeResource(t *testing.T, manifest string, scopes fleet.Scopes) (fleet.Resource, fleet.FieldErrors) {
	t.Helper()
	doc, faults := fleet.ParseOne([]byte(manifest), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatalf("%+v of\n%s", faults, manifest)
	}
	return fleet.DecodeResource(doc, scopes)
}

func TestIdentityOfAnyDocument(t *testing.T) {
	r := resource(t, `{apiVersion: example.com/v1alpha1, kind: Widget, metadata: {name: "system:a", namespace: demo, labels: {country: NO}, annotations: {a: b}}, spec: {anything: [1, {b: null}]}, data: 7}`)
	want := fleet.Resource{APIVersion: "example.com/v1alpha1", Kind: "Widget", Namespace: "demo", Name: "system:a"}
	if r.APIVersion != want.APIVersion || r.Kind != want.Kind || r.Namespace != want.Namespace || r.Name != want.Name || !maps.Equal(r.Labels, map[string]string{"country": "NO"}) {
		t.Errorf("read %+v", r)
	}
}

func TestTheObjectKeepsEveryKeyAndNumber(t *testing.T) {
	r := resource(t, `apiVersion: v1
kind: Widget
metadata: {name: a}
z: NO
a: [true, TRUE, null, ~, "", 1.10, "1.10", 9007199254740993, 9223372036854775808, -0, 1e3]
yaml: [0644, 0x1F, 0o17, 1_000, +1, .5, 2.]
text: 2026-01-01
`)
	want := `{"apiVersion":"v1","kind":"Widget","metadata":{"name":"a"},"z":"NO",` +
		`"a":[true,true,null,null,"",1.10,"1.10",9007199254740993,9223372036854775808,-0,1e3],` +
		`"yaml":[420,31,15,1000,1,0.5,2],"text":"2026-01-01"}`
	if string(r.Object) != want {
		t.Errorf("the object is\n%s, want\n%s", r.Object, want)
	}
}

func TestResourceRefusals(t *testing.T) {
	const widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
	deployment := func(spec string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {" + spec + "}\n"
	}
	tests := []struct {
		name, manifest string
		want           []policyRefusal
	}{
		{"nothing of an identity", "spec: {}\n", []policyRefusal{{fleet.CodeRequired, "apiVersion", "", "group_version", "", 1, 1}, {fleet.CodeRequired, "kind", "", "kind_word", "", 1, 1}, {fleet.CodeRequired, "metadata.name", "", "resource_name", "", 1, 1}}},
		{"a list", "[a]\n", []policyRefusal{{fleet.CodeWrongType, "", `["a"]`, "type_map", "", 1, 1}}},
		{"a version that is none", "apiVersion: a/b/c\nkind: Widget\nmetadata: {name: a}\n", []policyRefusal{{fleet.CodeNotAccepted, "apiVersion", "a/b/c", "group_version", "", 1, 13}}},
		{"a kind that is none", "apiVersion: v1\nkind: my-kind\nmetadata: {name: a}\n", []policyRefusal{{fleet.CodeNotAccepted, "kind", "my-kind", "kind_word", "", 2, 7}}},
		{"a kind of another type", "apiVersion: v1\nkind: [A]\nmetadata: {name: a}\n", []policyRefusal{{fleet.CodeWrongType, "kind", `["A"]`, "type_text", "", 2, 7}}},
		{"a name with a slash", "apiVersion: v1\nkind: Widget\nmetadata: {name: a/b}\n", []policyRefusal{{fleet.CodeNameInvalid, "metadata.name", "a/b", "resource_name", "", 3, 18}}},
		{"too long a name", "apiVersion: v1\nkind: Widget\nmetadata: {name: " + strings.Repeat("a", 254) + "}\n", []policyRefusal{{fleet.CodeNameInvalid, "metadata.name", strings.Repeat("a", 254), "resource_name", "", 3, 18}}},
		{"a namespace that is none", "apiVersion: v1\nkind: Widget\nmetadata: {name: a, namespace: B_}\n", []policyRefusal{{fleet.CodeNameInvalid, "metadata.namespace", "B_", "name", "", 3, 32}}},
		{"a namespace on a cluster-scoped kind", "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a, namespace: demo}\n", []policyRefusal{{fleet.CodeFieldConflict, "metadata.namespace", "demo", "field_left_out", "", 3, 32}}},
		{"a label that is none", "apiVersion: v1\nkind: Widget\nmetadata: {name: a, labels: {b: \"c d\"}}\n", []policyRefusal{{fleet.CodeLabelInvalid, "metadata.labels.b", "c d", "label_value", "", 3, 33}}},
		{"a label's number", "apiVersion: v1\nkind: Widget\nmetadata: {name: a, labels: {b: 1}}\n", []policyRefusal{{fleet.CodeWrongType, "metadata.labels.b", "1", "type_text", "", 3, 33}}},
		{"residency by hand", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {odysseus.io/data-residency-country: CA}}\n", []policyRefusal{{fleet.CodeLabelHandwritten, "metadata.labels[odysseus.io/data-residency-country]", "CA", "residency_elsewhere", "", 3, 30}}},
		{"a key twice, deep in it", widget + "spec: {a: {b: 1, b: 2}}\n", []policyRefusal{{fleet.CodeDuplicateKey, "spec.a.b", "b", "key_once", "", 4, 18}}},
		{"no number", widget + "spec: [.inf, .nan, !!float 1e999]\n", []policyRefusal{{fleet.CodeWrongType, "spec[0]", ".inf", "type_number", "", 4, 8}, {fleet.CodeWrongType, "spec[1]", ".nan", "type_number", "", 4, 14}, {fleet.CodeWrongType, "spec[2]", "1e999", "type_number", "", 4, 20}}},
		{"text under a number's tag", widget + "spec: !!int true\n", []policyRefusal{{fleet.CodeWrongType, "spec", "true", "type_number", "", 4, 7}}},
		{"replicas in words", deployment("replicas: two"), []policyRefusal{{fleet.CodeWrongType, "spec.replicas", "two", "type_integer", "", 4, 18}}},
		{"half a replica", deployment("replicas: 1.5"), []policyRefusal{{fleet.CodeWrongType, "spec.replicas", "1.5", "type_integer", "", 4, 18}}},
		{"fewer than none", deployment("replicas: -1"), []policyRefusal{{fleet.CodeOutOfRange, "spec.replicas", "-1", "range", "", 4, 18}}},
		{"more than 32 bits", deployment("replicas: 2147483648"), []policyRefusal{{fleet.CodeOutOfRange, "spec.replicas", "2147483648", "range", "", 4, 18}}},
		{"a Job's counts", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {parallelism: -1, completions: x}\n", []policyRefusal{{fleet.CodeOutOfRange, "spec.parallelism", "-1", "range", "", 4, 21}, {fleet.CodeWrongType, "spec.completions", "x", "type_integer", "", 4, 38}}},
		{"a Secret's values are not quoted", "apiVersion: v1\nkind: Secret\nmetadata: {name: a, labels: {b: 1}}\ndata: {key: .inf}\n", []policyRefusal{{fleet.CodeWrongType, "metadata.labels.b", "1", "type_text", "", 3, 33}, {fleet.CodeWrongType, "data.key", "", "type_number", "", 4, 13}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := decodeResource(t, tt.manifest, nil)
			got := policyRefusals(faults)
			if len(got) != len(tt.want) {
				t.Fatalf("refused with\n%+v\nwant\n%+v\nof\n%s", got, tt.want, tt.manifest)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("refusal %d is\n%+v, want\n%+v\nof\n%s", i, got[i], tt.want[i], tt.manifest)
				}
			}
		})
	}
}

func TestReplicasOfAResource(t *testing.T) {
	two, nought := int64(2), int64(0)
	tests := []struct {
		name, apiVersion, kind, spec string
		has                          bool
		count                        int64
		completions                  *int64
	}{
		{"a Deployment", "apps/v1", "Deployment", "{replicas: 3}", true, 3, nil},
		{"left out", "apps/v1", "Deployment", "{}", true, 1, nil},
		{"null", "apps/v1", "StatefulSet", "{replicas: null}", true, 1, nil},
		{"none wanted", "apps/v1", "ReplicaSet", "{replicas: 0}", true, 0, nil},
		{"one of ours", "odysseus/v1", "Deployment", "{replicas: 4}", true, 4, nil},
		{"a Job", "batch/v1", "Job", "{parallelism: 5, completions: 2}", true, 5, &two},
		{"a Job's defaults", "batch/v1", "Job", "{}", true, 1, nil},
		{"a Job of nothing", "batch/v1", "Job", "{parallelism: 0, completions: 0}", true, 0, &nought},
		{"a Job with replicas", "batch/v1", "Job", "{replicas: 7}", true, 1, nil},
		{"no spec", "apps/v1", "Deployment", "null", true, 1, nil},
		{"a DaemonSet", "apps/v1", "DaemonSet", "{replicas: 7}", false, 0, nil},
		{"a CronJob", "batch/v1", "CronJob", "{parallelism: 7}", false, 0, nil},
		{"another group's Deployment", "example.com/v1", "Deployment", "{replicas: 7}", false, 0, nil},
		{"a ConfigMap", "v1", "ConfigMap", "{replicas: 7}", false, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, "apiVersion: "+tt.apiVersion+"\nkind: "+tt.kind+"\nmetadata: {name: a}\nspec: "+tt.spec+"\n")
			got, has := r.Replicas()
			if has != tt.has || got.Count != tt.count || (got.Completions == nil) != (tt.completions == nil) {
				t.Fatalf("%+v, %v", got, has)
			}
			if tt.completions != nil && *got.Completions != *tt.completions {
				t.Errorf("completions %d", *got.Completions)
			}
			if fleet.HasReplicas(tt.apiVersion, tt.kind) != tt.has {
				t.Error("the kind says otherwise")
			}
		})
	}
}

func FuzzResource(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: !!int true, b: 0x1F, c: .5, d: !!bool x}\n"))
	f.Add([]byte("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {parallelism: 1, completions: +2}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		docs, _ := fleet.Parse(body, fleet.FormatYAML)
		for _, doc := range docs {
			r, faults := fleet.DecodeResource(doc, nil)
			for _, fault := range faults {
				if e, known := fleet.Lookup(fault.Code); !known || e.Kind != fleet.EntryRefusal || fault.Line < 1 || fault.Column < 1 || fault.Want == "" {
					t.Fatalf("a fault without its parts: %+v", fault)
				}
			}
			if !json.Valid(r.Object) {
				t.Fatalf("no JSON: %s", r.Object)
			}
			if len(faults) > 0 {
				continue
			}
			again, faults := fleet.ParseOne(r.Object, fleet.FormatJSON)
			if len(faults) > 0 {
				return // larger than a document may be, once its aliases are expanded
			}
			same, faults := fleet.DecodeResource(again, nil)
			if len(faults) > 0 || string(same.Object) != string(r.Object) || same.Name != r.Name {
				t.Fatalf("came back as another: %+v\n%s\nof\n%s", faults, same.Object, r.Object)
			}
		}
	})
}
