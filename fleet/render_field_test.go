package fleet_test

import (
	"strings"
	"testing"

	"odysseus/fleet"
)

// renderedText is what a fieldOverrider makes of a text.
func renderedText(t *testing.T, text, steps string) (string, *fleet.Rendered) {
	t.Helper()
	r := resource(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"demo"},"data":{"a/b":`+string(mustJSON(text))+`}}`)
	got := fleet.Render(&r, fleet.Cluster{Name: "m1"}, []*fleet.Override{overrideOf(t, fleet.KindOverridePolicy, "o", &r, "", "{fieldOverrider: [{fieldPath: /data/a~1b, "+steps+"}]}")})
	return at(t, &got, "/data/a~1b"), &got
}

func TestTextsOfJSONKeepTheirOrderAndNumbers(t *testing.T) {
	tests := []struct{ name, text, steps, want string }{
		{"members keep their order", `{"z":1,"b":{"y":1,"a":2},"a":[]}`, "json: [{subPath: /b/a, operator: replace, value: 3}, {subPath: /c, operator: add, value: {q: 1, d: 2}}]", `{"z":1,"b":{"y":1,"a":3},"a":[],"c":{"q":1,"d":2}}`},
		{"numbers keep their digits", `{"n":9007199254740993,"f":1.10,"e":1E5}`, "json: [{subPath: /m, operator: add, value: 12345678901234567890}]", `{"n":9007199254740993,"f":1.10,"e":1E5,"m":12345678901234567890}`},
		{"texts keep their characters", `{"html":"<b>&\u2028é"}`, "json: [{subPath: /x, operator: add, value: '<i>'}]", `{"html":"<b>&\u2028é","x":"<i>"}`},
		{"steps see those before", `{"l":[1]}`, "json: [{subPath: /l/-, operator: add, value: 2}, {subPath: /l/0, operator: add, value: 0}, {subPath: /l/1, operator: remove}]", `{"l":[0,2]}`},
		{"what was added can be changed", `{}`, "json: [{subPath: /l, operator: add, value: [a]}, {subPath: /l/-, operator: add, value: b}]", `{"l":["a","b"]}`},
		{"null", `{"a":1}`, "json: [{subPath: /a, operator: replace, value: null}, {subPath: /b, operator: add, value: null}]", `{"a":null,"b":null}`},
		{"a list", " [ 1, 2 ] ", "json: [{subPath: /1, operator: remove}]", `[1]`},
		{"nothing that changes leaves the text", `{ "a": 1 }`, "json: [{subPath: /a, operator: replace, value: 1}]", `{ "a": 1 }`},
		{"a key with both escapes", `{"a/b~c":1}`, "json: [{subPath: /a~1b~0c, operator: replace, value: 2}]", `{"a/b~c":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := renderedText(t, tt.text, tt.steps); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestTextsOfYAMLKeepTheirMeaning, for readers of older YAML too: what is not touched is written as it was.
func TestTextsOfYAMLKeepTheirMeaning(t *testing.T) {
	tests := []struct{ name, text, steps, want string }{
		{"comments, order and words", "# head\nz: yes # on\nb:\n  y: 0x1F\n  a: 'x'\na: 2020-01-01\n", "yaml: [{subPath: /b/a, operator: replace, value: z}]", "# head\nz: yes # on\nb:\n  y: 0x1F\n  a: z\na: 2020-01-01\n"},
		{"a new member", "a: 1\n", "yaml: [{subPath: /b, operator: add, value: {country: 'NO', m: 9007199254740993}}]", "a: 1\nb:\n  country: \"NO\"\n  m: 9007199254740993\n"},
		{"a member that goes", "a: 1\nb: 2\n", "yaml: [{subPath: /a, operator: remove}]", "b: 2\n"},
		{"lists", "l:\n  - a\n  - c\n", "yaml: [{subPath: /l/1, operator: add, value: b}, {subPath: /l/-, operator: add, value: d}, {subPath: /l/0, operator: remove}, {subPath: /l/2, operator: replace, value: e}]", "l:\n  - b\n  - c\n  - e\n"},
		{"an alias is written out", "base: &b {x: 1, y: yes}\none: *b\ntwo: *b\n", "yaml: [{subPath: /one/x, operator: replace, value: 2}]", "base: {x: 1, y: yes}\none: {x: 2, y: yes}\ntwo: {x: 1, y: yes}\n"},
		{"so is a merge", "base: &b\n  x: 1\n  y: 2\none:\n  <<: *b\n  y: 3\n", "yaml: [{subPath: /one/x, operator: replace, value: 5}]", "base:\n  x: 1\n  y: 2\none:\n  y: 3\n  x: 5\n"},
		{"a text over lines", "t: |\n  one\n  two\nn: 1\n", "yaml: [{subPath: /n, operator: replace, value: null}]", "t: |\n  one\n  two\nn: null\n"},
		{"JSON is YAML", `{"a": [1, "no"]}`, "yaml: [{subPath: /a/0, operator: replace, value: true}]", "{\"a\": [true, \"no\"]}\n"},
		{"no number of JSON", "a: .inf\nb: 1\n", "yaml: [{subPath: /b, operator: replace, value: 2}]", "a: .inf\nb: 2\n"},
		{"nothing that changes leaves the text", "a:   1   # x\n", "yaml: [{subPath: /a, operator: replace, value: 1}]", "a:   1   # x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := renderedText(t, tt.text, tt.steps); got != tt.want {
				t.Errorf("\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestNotesOfTextsNameTheStep(t *testing.T) {
	for _, form := range []string{"json", "yaml"} {
		_, got := renderedText(t, `{"a":1}`, form+": [{subPath: /b, operator: add, value: 2}, {subPath: /a, operator: replace, value: 1}]")
		if len(got.Notes) != 1 || got.Notes[0].Field != "spec.overrideRules[0].overriders.fieldOverrider[0]."+form+"[1]" || got.Notes[0].Path != "/data/a~1b" || got.Notes[0].Code != fleet.NoteNothingChanged {
			t.Errorf("%s: %+v", form, got.Notes)
		}
		if len(got.Steps) != 1 || got.Steps[0].Path != "/data/a~1b" || !strings.HasPrefix(got.Steps[0].List, "field") {
			t.Errorf("%s: %+v", form, got.Steps)
		}
	}
}
