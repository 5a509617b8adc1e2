package fleet

import (
	"encoding/json"
	"testing"
	"time"
)

// TestWhatIsAnsweredCanBeSentBack stores a document, answers it and stores that: the same, byte for byte.
func TestWhatIsAnsweredCanBeSentBack(t *testing.T) {
	const written = `
status: {replicas: 9}
kind: Deployment
metadata:
  uid: theirs
  annotations: {note: x}
  labels: {app: web}
  name: web
  managedFields: []
  resourceVersion: "5"
spec: {z: 1.10, a: {replicas: 12345678901234567890}, template: null}
apiVersion: apps/v1
`
	const stored = `{"kind":"Deployment","metadata":{"annotations":{"note":"x"},"labels":{"app":"web"},"name":"web","namespace":"demo"},"spec":{"z":1.10,"a":{"replicas":12345678901234567890},"template":null},"apiVersion":"apps/v1"}`
	const answered = `{"kind":"Deployment","metadata":{"name":"web","namespace":"demo","uid":"u-1","resourceVersion":"17","generation":2,"creationTimestamp":"2026-11-30T10:00:00Z",` +
		`"labels":{"app":"web"},"annotations":{"note":"x"}},"spec":{"z":1.10,"a":{"replicas":12345678901234567890},"template":null},"apiVersion":"apps/v1","status":{"a":1}}`
	r, faults := decodedResource(t, written)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	r.Namespace = "demo"
	first := r.AsStored()
	if string(first) != stored {
		t.Fatalf("stored %s", first)
	}
	r.Object = first
	s := StoredResource{Resource: r, UID: "u-1", ResourceVersion: "17", Generation: 2, CreationTimestamp: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
	out, err := s.Answered(map[string]int{"a": 1})
	if err != nil || string(out) != answered {
		t.Fatalf("answered %s, error %v", out, err)
	}
	back, faults := decodedResource(t, string(out))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	back.Object = back.AsStored()
	if !SameObject(&r, &back, true) {
		t.Errorf("sent back it is stored as %s", back.Object)
	}
	if bare, err := s.Answered(nil); err != nil || len(bare) != len(answered)-len(`,"status":{"a":1}`) {
		t.Errorf("without a status: %s, error %v", bare, err)
	}
}

func TestSameObject(t *testing.T) {
	const base = `{"apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"data":{"a":"b","c":null},"n":[1,2]}`
	for name, c := range map[string]struct {
		other          string
		whole, without bool
	}{
		"the same":                {base, true, true},
		"in another order":        {`{"n":[1,2],"data":{"c":null,"a":"b"},"apiVersion":"v1","metadata":{"labels":{"x":"y"},"name":"a"}}`, true, true},
		"without what is null":    {`{"apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"data":{"a":"b"},"n":[1,2]}`, true, true},
		"another label":           {`{"apiVersion":"v1","metadata":{"name":"a","labels":{"x":"z"}},"data":{"a":"b"},"n":[1,2]}`, false, true},
		"another value":           {`{"apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"data":{"a":"c"},"n":[1,2]}`, false, false},
		"a list in another order": {`{"apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"data":{"a":"b"},"n":[2,1]}`, false, false},
		"a text for a number":     {`{"apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"data":{"a":"b"},"n":["1",2]}`, false, false},
	} {
		a, b := Resource{Object: json.RawMessage(base)}, Resource{Object: json.RawMessage(c.other)}
		if SameObject(&a, &b, true) != c.whole || SameObject(&b, &a, true) != c.whole || SameObject(&a, &b, false) != c.without {
			t.Errorf("%s: with metadata %t, without %t", name, SameObject(&a, &b, true), SameObject(&a, &b, false))
		}
	}
}

func TestWhatADocumentDeclares(t *testing.T) {
	for text, want := range map[string]Declared{
		"apiVersion: odysseus/v1\nkind: Deployment":                             DeclaresDeployment,
		"apiVersion: odysseus/v2\nkind: Deployment":                             DeclaresDeployment,
		"apiVersion: odysseus/v1\nkind: Fleet":                                  DeclaresDeployment, // refused as none
		"spec: {}":                                                              DeclaresDeployment,
		"kind: Deployment":                                                      DeclaresDeployment,
		"apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy":       DeclaresPolicy,
		"apiVersion: policy.karmada.io/v2\nkind: ClusterPropagationPolicy":      DeclaresPolicy,
		"kind: PropagationPolicy":                                               DeclaresPolicy,
		"apiVersion: one.alibabacloud.com/v1alpha1\nkind: OverridePolicy":       DeclaresOverride,
		"kind: ClusterOverridePolicy":                                           DeclaresOverride,
		"apiVersion: policy.karmada.io/v1alpha1\nkind: FederatedResourceQuota":  DeclaresForeignPolicy,
		"apiVersion: policy.one.alibabacloud.com/v1alpha1":                      DeclaresForeignPolicy,
		"apiVersion: apps/v1\nkind: Deployment":                                 DeclaresResource,
		"apiVersion: v1\nkind: ConfigMap":                                       DeclaresResource,
		"kind: ConfigMap":                                                       DeclaresResource,
		"apiVersion: example.com/v1\nkind: PropagationPolicy\nmetadata: {n: 1}": DeclaresResource,
	} {
		if got := oneDoc(t, text).Declares(); got != want {
			t.Errorf("%q declares %d, want %d", text, got, want)
		}
	}
}
