package fleet_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestUnreadableBodies(t *testing.T) {
	honest := "x: &a {k: v}\nlist:\n" + strings.Repeat("- *a\n", 50)
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	tests := []struct {
		name, body string
		format     fleet.Format
		code       fleet.Code // empty: readable
		line       int
	}{
		{"an open list", "a: [\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 1},
		{"a tab", "a:\n\tb: c\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 2},
		{"invalid UTF-8", "a: \xff\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 1},
		{"a NUL", "a: \x00\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 0},
		{"a code tag", "a: !!python/object:os.system ls\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 1},
		{"a list as key", "? [a]\n: b\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 1},
		{"an anchor in itself", "a: &a [*a]\n", fleet.FormatYAML, fleet.CodeInvalidYAML, 1},
		{"an alias bomb", bomb, fleet.FormatYAML, fleet.CodeTooLarge, 1},
		{"honest aliases", honest, fleet.FormatYAML, "", 0},
		{"a merge", "a: &a {k: v}\nb: {<<: *a, l: w}\n", fleet.FormatYAML, "", 0},
		{"a mark at the start", "\ufeffa: b\n", fleet.FormatYAML, "", 0},
		{"51 levels", strings.Repeat("[", 51) + strings.Repeat("]", 51), fleet.FormatYAML, fleet.CodeTooLarge, 1},
		{"50 levels", strings.Repeat("[", 50) + strings.Repeat("]", 50), fleet.FormatYAML, "", 0},
		{"ten thousand levels", strings.Repeat("[", 10000), fleet.FormatYAML, fleet.CodeTooLarge, 1},
		{"too many values", strings.Repeat("- a\n", 100001), fleet.FormatYAML, fleet.CodeTooLarge, 100000},
		{"JSON without end", `{"a": [1, 2`, fleet.FormatJSON, fleet.CodeInvalidJSON, 1},
		{"JSON with a comma too many", "{\"a\": 1,\n}", fleet.FormatJSON, fleet.CodeInvalidJSON, 2},
		{"JSON 51 levels", strings.Repeat("[", 51) + strings.Repeat("]", 51), fleet.FormatJSON, fleet.CodeTooLarge, 1},
		{"JSON 50 levels", strings.Repeat("[", 50) + strings.Repeat("]", 50), fleet.FormatJSON, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := fleet.Parse([]byte(tt.body), tt.format)
			if tt.code == "" {
				if len(faults) > 0 {
					t.Errorf("refused: %+v", faults)
				}
				return
			}
			if len(faults) != 1 || faults[0].Code != tt.code || faults[0].Line != tt.line {
				t.Errorf("refused with %+v, want %s in line %d", faults, tt.code, tt.line)
			}
		})
	}
}

func TestEveryDocumentOfAStreamIsRead(t *testing.T) {
	docs, faults := fleet.Parse([]byte("---\nkind: A\n---\n# nothing\n---\nkind: B\nmetadata: {name: b, namespace: n}\napiVersion: v\n---\n"), fleet.FormatYAML)
	if len(faults) > 0 || len(docs) != 2 {
		t.Fatalf("%d documents, %v", len(docs), faults)
	}
	b := docs[1]
	if docs[0].Kind() != "A" || b.Kind() != "B" || b.Name() != "b" || b.Namespace() != "n" || b.APIVersion() != "v" {
		t.Errorf("read %q %q %q %q %q", docs[0].Kind(), b.Kind(), b.Name(), b.Namespace(), b.APIVersion())
	}
}

// TestJSONAndYAMLComeToTheSameVerdict: the JSON twin of a manifest has the same faults, with places of its own.
func TestJSONAndYAMLComeToTheSameVerdict(t *testing.T) {
	for _, spec := range []string{
		`{"image": "nginx", "placement": {"residency": {"country": "UK"}}}`,
		`{"image": "nginx", "placement": {"residency": {"contry": "CA", "region": ""}}}`,
		`{"image": "nginx", "placement": {}, "replicas": "2", "replicas": 3}`,
		`{"image": "nginx", "resources": {"requests": {"cpu": 1, "memory": "1Gi"}}}`,
		`{"image": 5, "env": [{"name": "A", "value": "x"}, null]}`,
	} {
		body := "{\"apiVersion\": \"odysseus/v1\", \"kind\": \"Deployment\",\n \"metadata\": {\"name\": \"a\", \"labels\": {\"odysseus.io/x\": \"y\"}},\n \"spec\": " + spec + "}"
		_, asJSON, _ := check(t, body, fleet.FormatJSON)
		_, asYAML, _ := check(t, body, fleet.FormatYAML)
		expect(t, body, asJSON, refusals(asYAML))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head), false)
	f.Add([]byte("a: &a {b: c}\nd: {<<: *a, <<: [*a]}\n---\n- 1\n"), false)
	f.Add([]byte(`{"a":{"a":1,"a":2}}{"b":[null,true,1e400,"\ud83d\ude00"]}`), true)
	f.Fuzz(func(t *testing.T, body []byte, asJSON bool) {
		format := fleet.FormatYAML
		if asJSON {
			format = fleet.FormatJSON
		}
		docs, faults := fleet.Parse(body, format)
		if len(docs) > 0 && len(faults) > 0 {
			t.Fatal("both read and refused")
		}
		for _, doc := range docs {
			d, faults := fleet.DecodeDeployment(doc)
			more, _ := fleet.ValidateDeployment(&d, &regions)
			for _, fault := range append(faults, doc.Locate(more)...) {
				if _, known := fleet.Lookup(fault.Code); !known {
					t.Fatalf("code %q is not in the registry", fault.Code)
				}
				if fault.Line < 1 || fault.Column < 1 {
					t.Fatalf("no place: %+v", fault)
				}
			}
			// What is accepted comes back the same, in both formats.
			if len(faults)+len(more) == 0 {
				text, err := fleet.YAML(d)
				if err != nil {
					return // larger than a document may be, once its aliases are expanded
				}
				raw, err := json.Marshal(d)
				if err != nil {
					t.Fatal(err)
				}
				for format, written := range map[fleet.Format][]byte{fleet.FormatYAML: []byte(text), fleet.FormatJSON: raw} {
					again, faults := fleet.ParseOne(written, format)
					if len(faults) > 0 {
						t.Fatalf("does not come back: %+v\n%s", faults, written)
					}
					e, faults := fleet.DecodeDeployment(again)
					more, _ := fleet.ValidateDeployment(&e, &regions)
					if len(faults)+len(more) > 0 || !fleet.SameTemplate(d.Spec, e.Spec) || !d.Spec.Residency().Equal(e.Spec.Residency()) {
						t.Fatalf("came back as another: %+v %+v\n%s", faults, more, written)
					}
				}
			}
		}
	})
}
