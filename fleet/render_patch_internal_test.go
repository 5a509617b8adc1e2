package fleet

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestTheChecksOfAPatchAgreeWithTheLibrary: a patch that passes the checks is applied, and to the same end; one that the
// library refuses does not pass. The other way round the library takes more.
func TestTheChecksOfAPatchAgreeWithTheLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2026))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	var document func(depth int) *value
	document = func(depth int) *value {
		switch n := random.IntN(10); {
		case n < 4 && depth > 0:
			v := &value{kind: mapValue}
			for range random.IntN(4) {
				v.set(pick("a", "b", "a/b", "~", "0", "-", "<é>"), document(depth-1))
			}
			return v
		case n < 7 && depth > 0:
			v := &value{kind: listValue}
			for range random.IntN(4) {
				v.items = append(v.items, document(depth-1))
			}
			return v
		case n == 7:
			return &value{kind: nullValue}
		case n == 8:
			return &value{kind: textValue, text: pick("", "x", "<&>", "\u2028")}
		}
		return &value{kind: numberValue, text: pick("0", "9007199254740993", "1.10")}
	}
	applied := 0
	for i := range 15_000 {
		root := document(4)
		if root.kind != mapValue && root.kind != listValue {
			continue
		}
		steps := make([]change, 1+random.IntN(4))
		for j := range steps {
			steps[j].operator = pick(OverrideAdd, OverrideAdd, OverrideReplace, OverrideRemove)
			for range 1 + random.IntN(3) {
				steps[j].tokens = append(steps[j].tokens, pick("a", "b", "a/b", "~", "0", "1", "2", "-", "<é>"))
			}
			if steps[j].operator != OverrideRemove {
				steps[j].to = document(2)
			}
		}
		text := string(root.json())
		after, _, _, why := checkPatch(root, steps)
		if text != string(root.json()) {
			t.Fatalf("%d: the document changed from %s to %s", i, text, root.json())
		}
		patched, err := applyPatch([]byte(text), steps)
		if why != nil {
			continue
		}
		applied++
		if err != nil {
			t.Fatalf("%d: %v\n%s\n%s", i, err, text, show(steps))
		}
		roots, fault := parseJSON(patched)
		if fault != nil || len(roots) != 1 || !identical(roots[0], after) {
			t.Fatalf("%d: %s, want %s\n%s\n%s", i, patched, after.json(), text, show(steps))
		}
		// The same steps on the same document as YAML.
		text = encodeYAML(root.yaml())
		written, _, _, why := patchYAMLText(text, steps)
		if roots, fault = parseYAML([]byte(written)); why != nil || fault != nil || len(roots) != 1 || !identical(roots[0], after) {
			t.Fatalf("%d: %s, want %s\n%s\n%s", i, written, after.json(), text, show(steps))
		}
	}
	if applied < 400 {
		t.Errorf("only %d patches were applied", applied)
	}
}

func show(steps []change) string {
	text := ""
	for _, s := range steps {
		to := ""
		if s.to != nil {
			to = string(s.to.json())
		}
		text += fmt.Sprintln(s.operator, pointerTo(s.tokens), to)
	}
	return text
}
