package handlers_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

// TestASecretsValuesAreNeverShown: not in an answer, not in a refusal, not in the audit, not in an event.
func TestASecretsValuesAreNeverShown(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	const first, second = "swordfish-one", "swordfish-two"
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	head := "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n"
	at := of(resources, "v1", "Secret", "db")
	var seen []answer
	ask := func(status int, token, method, path, body string, headers ...string) answer {
		t.Helper()
		a := p.want(p.ask(token, method, path, body, headers...), status)
		seen = append(seen, a)
		return a
	}

	created := ask(201, editor, "POST", resources, head+"type: Opaque\nstringData: {password: "+first+"}\ndata: {user: "+encoded(second)+"}\n")
	version := created.get("object.metadata.resourceVersion")
	if created.get("object.data") != `{"password":"\u003chidden\u003e","user":"\u003chidden\u003e"}` || created.get("object.stringData") != "" || created.get("object.type") != "Opaque" {
		t.Errorf("created %s", created.body)
	}
	got := ask(200, editor, "GET", at, "")
	ask(200, editor, "GET", resources, "")
	ask(200, operatorToken, "GET", at, "")
	ask(200, editor, "POST", "/api/v1/namespaces/acme/scheduler/simulate", stream(twoClusters, policyFor("v1", "Secret"), head+"stringData: {password: "+first+"}"))

	tests := []struct {
		name, body string
		version    func(answer) bool
	}{
		{"sent back, nothing changes", string(got.body), func(a answer) bool { return a.get("object.metadata.resourceVersion") == version }},
		{"the same values change nothing", head + "type: Opaque\nstringData: {password: " + first + ", user: " + second + "}\n", func(a answer) bool { return a.get("object.metadata.resourceVersion") == version }},
		{"another value is a change", head + "type: Opaque\nstringData: {password: " + second + "}\ndata: {user: <hidden>}\n", func(a answer) bool {
			return a.get("object.metadata.resourceVersion") != version && a.get("object.metadata.generation") == "2"
		}},
		{"a key less is a change", head + "type: Opaque\ndata: {password: <hidden>}\n", func(a answer) bool { return a.get("object.metadata.generation") == "3" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a := ask(200, editor, "PUT", at+"&dryRun=All", tt.body); !tt.version(a) && a.get("object.metadata.generation") == "" {
				t.Errorf("dry run %s", a.body)
			}
			if a := ask(200, editor, "PUT", at, tt.body); !tt.version(a) {
				t.Errorf("answered %s", a.body)
			}
		})
	}
	if a := ask(200, editor, "POST", "/api/v1/apply", head+"type: Opaque\nstringData: {password: "+second+"}\n"); a.get("items.0.result") != "unchanged" {
		t.Errorf("applied %s", a.body)
	}

	for name, text := range map[string]string{
		"hidden, and nothing stored": head + "data: {other: <hidden>, password: " + encoded(first) + "}\n",
		"no base64":                  head + "data: {password: " + first + "}\n",
		"a number":                   head + "stringData: {password: 1234567}\n",
		"an unknown field":           head + "password: " + first + "\n",
		"what kubectl keeps":         "apiVersion: v1\nkind: Secret\nmetadata: {name: db, annotations: {kubectl.kubernetes.io/last-applied-configuration: " + first + "}}\n",
		"a key twice":                head + "stringData: {a: " + first + ", a: " + second + "}\n",
		"a kind in small letters":    strings.Replace(head, "Secret", "secret", 1) + "stringData: {a: " + first + "}\n",
		"no map":                     head + "data: " + first + "\n",
		"a list":                     head + "data: [" + first + "]\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{resources, "/api/v1/apply"} {
				if a := ask(422, editor, "POST", path, text); a.get("errors.0.code") == "" || a.get("errors.0.line") == "" {
					t.Errorf("refused %s", a.body)
				}
			}
		})
	}
	ask(400, editor, "POST", "/api/v1/apply", head+"stringData: {password: !"+first+" x}\n")
	ask(400, editor, "POST", resources, head+"stringData: {password: *"+first+"}\n")

	entries := ask(200, operatorToken, "GET", "/api/v1/audit?limit=100", "")
	for _, want := range []string{`"field":"data.password","before":"\u003chidden\u003e","after":"\u003chidden\u003e"`, `"field":"data.user","before":"\u003chidden\u003e"`, `"kind":"v1 Secret"`} {
		if !bytes.Contains(entries.body, []byte(want)) {
			t.Errorf("the audit lacks %s: %s", want, entries.body)
		}
	}
	ask(200, editor, "DELETE", at, "")
	ask(200, operatorToken, "GET", "/api/v1/audit?limit=100", "")
	for _, a := range seen {
		for _, secret := range []string{first, second, encoded(first), encoded(second), "1234567"} {
			if bytes.Contains(a.body, []byte(secret)) {
				t.Errorf("%q is shown: %d %s", secret, a.status, a.body)
			}
		}
	}
	logged := p.logged.String()
	if !strings.Contains(logged, "/api/v1/namespaces/{ns}/resources") {
		t.Errorf("the requests are not in the log: %s", logged)
	}
	for _, secret := range []string{first, second, encoded(first), encoded(second)} {
		if strings.Contains(logged, secret) {
			t.Errorf("%q is logged", secret)
		}
	}
}

// policyFor selects every resource of a kind.
func policyFor(apiVersion, kind string) string {
	return "apiVersion: " + ackOne + "\nkind: PropagationPolicy\nmetadata: {name: p}\nspec:\n  resourceSelectors: [{apiVersion: " + apiVersion + ", kind: " + kind + "}]\n  placement: {}\n"
}
