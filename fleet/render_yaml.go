package fleet

import (
	"bytes"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"
)

// patchYAMLText applies steps to a text that holds YAML. What the steps do not touch is written as it was, comments
// included, since readers of older YAML take "yes" for another thing than "\"yes\""; only the indentation is made one,
// and aliases are written out.
func patchYAMLText(text string, steps []change) (patched string, unchanged []int, failed int, why *misfit) {
	roots, fault := parseYAML([]byte(text))
	if fault != nil || len(roots) != 1 || repeatsKeys(roots[0]) {
		return "", nil, 0, &misfit{class: ClassNotYAML, detail: detailNotYAML}
	}
	after, unchanged, failed, why := checkPatch(roots[0], steps)
	if why != nil {
		return "", nil, failed, why
	}
	if len(unchanged) == len(steps) {
		return text, unchanged, 0, nil
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err == nil && len(node.Content) == 1 {
		root := writtenOut(node.Content[0])
		for _, step := range steps {
			changeNode(root, step)
		}
		if out, means := encodedAs(root, after); means {
			return out, unchanged, 0, nil
		}
	}
	// The library does not write every node back as it was; what the text means goes before how it is written.
	if out, means := encodedAs(after.yaml(), after); means {
		return out, unchanged, 0, nil
	}
	return "", nil, 0, &misfit{class: ClassNotYAML, detail: detailNotYAML}
}

// encodedAs writes a node, and says whether it reads back as what is meant.
func encodedAs(root *yaml.Node, meant *value) (string, bool) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return "", false
	}
	roots, fault := parseYAML(b.Bytes())
	return b.String(), fault == nil && len(roots) == 1 && identical(roots[0], meant)
}

// writtenOut copies a node with its aliases and merges replaced by what they stand for, so that a change reaches the
// place that it names and no other. The document was found to be within its limits.
func writtenOut(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	c := *n
	c.Anchor, c.Content = "", nil
	if n.Kind != yaml.MappingNode {
		for _, item := range n.Content {
			c.Content = append(c.Content, writtenOut(item))
		}
		return &c
	}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := writtenOut(n.Content[i]), writtenOut(n.Content[i+1])
		switch {
		case key.ShortTag() != "!!merge":
			c.Content = append(c.Content, key, v)
		case v.Kind == yaml.SequenceNode:
			merged = append(merged, v.Content...)
		default:
			merged = append(merged, v)
		}
	}
	for _, m := range merged {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if keyOfNode(&c, m.Content[i].Value) < 0 {
				c.Content = append(c.Content, m.Content[i], m.Content[i+1])
			}
		}
	}
	return &c
}

// keyOfNode finds a map's key; -1 where there is none.
func keyOfNode(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// changeNode does a step that was checked on the same document's value.
func changeNode(root *yaml.Node, step change) {
	last := len(step.tokens) - 1
	above := root
	for _, token := range step.tokens[:last] {
		if above.Kind == yaml.MappingNode {
			above = above.Content[keyOfNode(above, token)+1]
		} else {
			i, _ := strconv.Atoi(token)
			above = above.Content[i]
		}
	}
	token := step.tokens[last]
	if above.Kind == yaml.MappingNode {
		switch at := keyOfNode(above, token); {
		case step.operator == OverrideRemove:
			above.Content = slices.Delete(above.Content, at, at+2)
		case at >= 0:
			above.Content[at+1] = step.to.yaml()
		default:
			put(above, token, step.to.yaml())
		}
		return
	}
	at := len(above.Content)
	if token != "-" {
		at, _ = strconv.Atoi(token)
	}
	switch step.operator {
	case OverrideRemove:
		above.Content = slices.Delete(above.Content, at, at+1)
	case OverrideAdd:
		above.Content = slices.Insert(above.Content, at, step.to.yaml())
	default:
		above.Content[at] = step.to.yaml()
	}
}
