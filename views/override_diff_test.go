package views

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"odysseus/fleet"
)

// drawn is a difference as text: the two columns, and who changed a line.
func drawn(d RenderedDiff) string {
	var b strings.Builder
	for _, row := range d.Rows {
		switch {
		case row.Fold > 0:
			fmt.Fprintf(&b, "… %d\n", row.Fold)
			continue
		case row.Same:
			fmt.Fprintf(&b, "  %s\n", row.Before)
			continue
		}
		var by []string
		for _, rule := range row.By {
			by = append(by, fmt.Sprintf("%s/%d", rule.Policy.Name, rule.Rule))
		}
		if row.Gone {
			fmt.Fprintf(&b, "- %s", row.Before)
		}
		if row.New {
			if row.Gone {
				b.WriteString(" | ")
			}
			fmt.Fprintf(&b, "+ %s", row.After)
		}
		fmt.Fprintf(&b, "  (%s)\n", strings.Join(by, ", "))
	}
	for _, change := range d.Hidden {
		fmt.Fprintf(&b, "hidden %s (%s/%d)\n", change.Path, change.Policy.Name, change.Rule)
	}
	return b.String()
}

func TestEachChangedLineNamesWhatChangedIt(t *testing.T) {
	step := func(policy string, rule int, path string) fleet.RenderStep {
		return fleet.RenderStep{AppliedRule: fleet.AppliedRule{Policy: fleet.PolicyRef{Kind: fleet.KindOverridePolicy, Name: policy}, Rule: rule}, Path: path}
	}
	for name, tt := range map[string]struct {
		before, after string
		steps         []fleet.RenderStep
		want          string
	}{
		"a value": {`{"kind":"X","spec":{"image":"nginx","replicas":2}}`, `{"kind":"X","spec":{"image":"r.example/nginx","replicas":2}}`,
			[]fleet.RenderStep{step("a", 0, "/spec/image")},
			"  kind: X\n  spec:\n-   image: nginx | +   image: r.example/nginx  (a/0)\n    replicas: 2\n"},
		"two policies one line": {`{"image":"nginx"}`, `{"image":"r.example/nginx:2"}`,
			[]fleet.RenderStep{step("a", 0, "/image"), step("b", 3, "/image"), step("a", 0, "/image")},
			"- image: nginx | + image: r.example/nginx:2  (a/0, b/3)\n"},
		"each line its own": {`{"a":1,"b":1}`, `{"a":2,"b":2}`, []fleet.RenderStep{step("x", 0, "/a"), step("y", 1, "/b")},
			"- a: 1 | + a: 2  (x/0)\n- b: 1 | + b: 2  (y/1)\n"},
		"a map that was added whole": {`{"metadata":{"name":"x"}}`, `{"metadata":{"name":"x","labels":{"a":"1","b":"2"}}}`, []fleet.RenderStep{step("a", 0, "/metadata/labels")},
			"  metadata:\n    name: x\n+   labels:  (a/0)\n+     a: \"1\"  (a/0)\n+     b: \"2\"  (a/0)\n"},
		"the line above what is in it": {`{"labels":{}}`, `{"labels":{"a/b":"1"}}`, []fleet.RenderStep{step("a", 1, "/labels/a~1b")},
			"- labels: {} | + labels:  (a/1)\n+   a/b: \"1\"  (a/1)\n"},
		"an item that went": {`{"args":["a","b","c"]}`, `{"args":["a","c"]}`, []fleet.RenderStep{step("a", 0, "/args"), step("b", 0, "/name")},
			"  args:\n    - a\n-   - b  (a/0)\n    - c\n"},
		"an item behind one that went": {`{"list":[{"k":1},{"k":2}],"z":1}`, `{"list":[{"k":3}],"z":1}`, []fleet.RenderStep{step("a", 0, "/list/0"), step("b", 1, "/list/0/k")},
			"  list:\n-   - k: 1 | +   - k: 3  (a/0, b/1)\n-   - k: 2  (b/1)\n  z: 1\n"},
		"a text of several lines": {`{"data":{"c":"a: 1\nb: 2\n"}}`, `{"data":{"c":"a: 1\nb: 3\n"}}`, []fleet.RenderStep{step("a", 0, "/data/c")},
			"… 1\n    c: |\n      a: 1\n-     b: 2 | +     b: 3  (a/0)\n"},
		"what stays is folded": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, `{"a":1,"b":1,"c":1,"d":2,"e":1,"f":1,"g":1}`, []fleet.RenderStep{step("a", 0, "/d")},
			"… 1\n  b: 1\n  c: 1\n- d: 1 | + d: 2  (a/0)\n  e: 1\n  f: 1\n… 1\n"},
		"a hidden value": {`{"data":{"p":"<hidden>"}}`, `{"data":{"p":"<hidden>"}}`, []fleet.RenderStep{step("a", 0, "/data/p"), step("a", 0, "/data/p")},
			"hidden /data/p (a/0)\n"},
		"nothing": {`{"a":1}`, `{"a":1}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := RenderedDiffOf(json.RawMessage(tt.before), json.RawMessage(tt.after), tt.steps)
			if got := drawn(d); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if d.Same() != (tt.want == "") {
				t.Errorf("same: %v", d.Same())
			}
		})
	}
}
