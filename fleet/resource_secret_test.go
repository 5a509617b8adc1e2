package fleet

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func oneDoc(t *testing.T, text string) *Doc {
	t.Helper()
	doc, faults := ParseOne([]byte(text), FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return doc
}

// decodedResource is a resource as every way in has it: decoded, its data admitted.
func decodedResource(t *testing.T, text string, held ...string) (Resource, FieldErrors) {
	t.Helper()
	doc := oneDoc(t, text)
	r, faults := DecodeResource(doc, nil)
	return r, JoinFaults(faults, AdmitData(doc, &r, held))
}

func TestDataIsHeldToItsForm(t *testing.T) {
	const secret, configMap = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	tests := []struct {
		name, text string
		held       []string
		want       []string // code field value want line:column
	}{
		{"a Secret in both forms", secret + "type: Opaque\nimmutable: true\ndata: {a: aGk=}\nstringData: {b: hi}\n", nil, nil},
		{"a Secret without anything", secret + "data:\nstringData: null\n", nil, nil},
		{"no base64", secret + "data:\n  a: geheim!\n", nil, []string{"value_not_accepted data.a  base64 5:6"}},
		{"base64 without padding", secret + "data: {a: aGk}\n", nil, []string{"value_not_accepted data.a  base64 4:11"}},
		{"a number", secret + "data: {a: 1234}\nstringData: {b: 99}\n", nil, []string{"wrong_type data.a  type_text 4:11", "wrong_type stringData.b  type_text 5:17"}},
		{"nothing at all", secret + "data: {a: }\n", nil, []string{"wrong_type data.a  type_text 4:11"}},
		{"no map", secret + "data: [a]\n", nil, []string{"wrong_type data  type_map 4:7"}},
		{"a key that is none", secret + "data: {\"a b\": aGk=}\n", nil, []string{"value_not_accepted data.a b a b data_key 4:8"}},
		{"a key in its dots", secret + "data: {tls.key: geheim!}\n", nil, []string{"value_not_accepted data[tls.key]  base64 4:17"}},
		{"another field", secret + "dta: {a: geheim}\n", nil, []string{"unknown_field dta dta known_keys 4:1"}},
		{"what kubectl keeps", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"a\":\"geheim\"}}'\n", nil,
			[]string{"field_unsupported metadata.annotations[kubectl.kubernetes.io/last-applied-configuration] kubectl.kubernetes.io/last-applied-configuration field_left_out 6:5"}},
		{"a type that is none", secret + "type: 1\nimmutable: soon\n", nil, []string{"wrong_type type  type_text 4:7", "wrong_type immutable  type_bool 5:12"}},
		{"hidden, and stored", secret + "data: {a: <hidden>}\n", []string{"a"}, nil},
		{"hidden, and not stored", secret + "data: {a: <hidden>, b: <hidden>}\n", []string{"b"}, []string{"value_not_accepted data.a <hidden> secret_value 4:11"}},
		{"hidden in plain text is the text", secret + "stringData: {a: <hidden>}\n", nil, nil},
		{"a Secret of another version", "apiVersion: v2\nkind: Secret\nmetadata: {name: s}\n", nil, []string{"kind_unsupported apiVersion v2 one_of 1:13"}},
		{"a slip", "apiVersion: v1\nkind: secret\nmetadata: {name: s}\n", nil, []string{"kind_unsupported kind secret one_of 2:7"}},
		{"somebody else's Secret is opaque", "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: s}\nspec: {a: 1}\ndata: {a: no base64}\n", nil, nil},
		{"but for what is hidden", "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: <hidden>}\n", nil, []string{"value_not_accepted data.a <hidden> secret_value 4:11"}},
		{"a ConfigMap", configMap + "data: {a: text, b: <hidden>}\nbinaryData: {c: aGk=}\nimmutable: false\n", nil, nil},
		{"a ConfigMap's number", configMap + "data: {a: 1}\n", nil, []string{"wrong_type data.a 1 type_text 4:11"}},
		{"a ConfigMap's bytes", configMap + "binaryData: {a: \"?\"}\n", nil, []string{"value_not_accepted binaryData.a  base64 4:17"}},
		{"any other kind is opaque", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: c}\ndata: 1\n", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := decodedResource(t, tt.text, tt.held...)
			var got []string
			for _, f := range faults {
				got = append(got, fmt.Sprintf("%s %s %s %s %d:%d", f.Code, f.Field, f.Value, f.Want, f.Line, f.Column))
				if strings.Contains(fmt.Sprint(f), "geheim") {
					t.Errorf("a value is quoted: %+v", f)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("refused\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestASecretIsStoredInOneForm(t *testing.T) {
	const want = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"a":"aGk=","b":"aG8=","c":"<hidden>"}}`
	for name, text := range map[string]string{
		"base64":       "data: {a: aGk=, b: aG8=, c: <hidden>}\n",
		"broken lines": "data: {a: \"aG\\nk=\", b: aG8=, c: <hidden>}\n",
		"plain text":   "data: {a: bm8=, c: <hidden>}\nstringData: {b: ho, a: hi}\n",
	} {
		r, faults := decodedResource(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"+text, "c")
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		data := r.SecretData()
		if len(data) != 3 || data["a"] != "aGk=" || data["b"] != "aG8=" || data["c"] != HiddenValue {
			t.Errorf("%s: data %v", name, data)
		}
		if same := (&Resource{Object: json.RawMessage(want)}); !SameObject(&r, same, true) {
			t.Errorf("%s: stored %s", name, r.Object)
		}
	}
}

func TestWhatIsHidden(t *testing.T) {
	for name, c := range map[string]struct{ kind, object, want string }{
		"a Secret":          {KindSecret, `{"data":{"a":"aGk=","b":1},"stringData":{"c":"hi"},"type":"Opaque"}`, `{"data":{"a":"<hidden>","b":"<hidden>"},"stringData":{"c":"<hidden>"},"type":"Opaque"}`},
		"whatever its data": {KindSecret, `{"data":"geheim"}`, `{"data":"<hidden>"}`},
		"without data":      {KindSecret, `{"data":null}`, `{"data":null}`},
		"any other kind":    {KindConfigMap, `{"data":{"a":"hi"}}`, `{"data":{"a":"hi"}}`},
	} {
		r := Resource{APIVersion: "v1", Kind: c.kind, Object: json.RawMessage(c.object)}
		if shown := r.Hidden(); !SameObject(&shown, &Resource{Object: json.RawMessage(c.want)}, true) || string(r.Object) != c.object {
			t.Errorf("%s: shown %s, left %s", name, shown.Object, r.Object)
		}
	}
}
