package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// YAML writes a value as YAML, with the keys and the order of its JSON form, so that the two never differ. What
// YAML would read as something else (NO, 1.10) is quoted.
func YAML(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("marshal %T: %w", v, err)
	}
	roots, fault := parseJSON(raw)
	if fault != nil || len(roots) != 1 {
		return "", fmt.Errorf("marshal %T: larger than a document may be", v)
	}
	return encodeYAML(roots[0].yaml()), nil
}

func (v *value) yaml() *yaml.Node {
	switch v.kind {
	case nullValue:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case boolValue:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: v.text}
	case numberValue:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.text}
	case listValue:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v.items {
			list.Content = append(list.Content, item.yaml())
		}
		return list
	case mapValue:
		m := mapping()
		for _, e := range v.entries {
			put(m, e.key, e.value.yaml())
		}
		return m
	default:
		return scalar(v.text)
	}
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func scalar(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		// Text to us, a boolean to tools that read YAML 1.1: Norway above all.
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func put(m *yaml.Node, key string, v *yaml.Node) {
	m.Content = append(m.Content, scalar(key), v)
}

func encodeYAML(root *yaml.Node) string {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		panic(fmt.Sprintf("encode YAML node: %v", err)) // a node of ours is malformed, or memory is
	}
	return b.String()
}
