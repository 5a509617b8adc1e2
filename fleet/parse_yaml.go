package fleet

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// yamlLine finds the line in the library's message, which is the only place where it says it.
var yamlLine = regexp.MustCompile(`line (\d+)`)

func parseYAML(body []byte) ([]*value, *FieldError) {
	if !utf8.Valid(body) {
		line, column := firstInvalid(body)
		return nil, &FieldError{Code: CodeInvalidYAML, Want: "yaml", Args: map[string]string{"Detail": "invalid UTF-8"}, Line: line, Column: column}
	}
	if fault := tooDeep(body); fault != nil {
		return nil, fault
	}
	var roots []*value
	decoder := yaml.NewDecoder(bytes.NewReader(body))
	// One budget for the whole stream, so that many small documents cost no more than one large one.
	budget := MaxNodes
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return roots, nil
		}
		if err != nil {
			return nil, yamlFault(err)
		}
		root := &value{line: 1, column: 1}
		if len(node.Content) > 0 {
			c := yamlConverter{budget: &budget, open: map[*yaml.Node]bool{}}
			if root = c.convert(node.Content[0], 1); c.fault != nil {
				return nil, c.fault
			}
		}
		roots = append(roots, root)
	}
}

func yamlFault(err error) *FieldError {
	detail := strings.TrimPrefix(err.Error(), "yaml: ")
	fault := &FieldError{Code: CodeInvalidYAML, Want: "yaml", Args: map[string]string{"Detail": detail}}
	if m := yamlLine.FindStringSubmatch(detail); m != nil {
		fault.Line, _ = strconv.Atoi(m[1]) // digits by the pattern
		fault.Column = 1
	}
	return fault
}

// tooDeep refuses flow collections nested far beyond MaxDepth before the library's own recursion sees them.
func tooDeep(body []byte) *FieldError {
	depth, line, column := 0, 1, 0
	for _, b := range body {
		column++
		switch b {
		case '[', '{':
			// Brackets inside quoted text count too: ten times the limit leaves them room.
			if depth++; depth > 20*MaxDepth {
				return &FieldError{Code: CodeTooLarge, Want: "limits", Line: line, Column: column}
			}
		case ']', '}':
			depth = max(0, depth-1)
		case '\n':
			line, column = line+1, 0
		}
	}
	return nil
}

func firstInvalid(body []byte) (line, column int) {
	line, column = 1, 1
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		if r == utf8.RuneError && size <= 1 {
			break
		}
		if r == '\n' {
			line, column = line+1, 0
		}
		column++
		body = body[size:]
	}
	return line, column
}

// yamlConverter turns the library's nodes into values: aliases expanded within the budget, merge keys applied,
// tags that ask for anything but plain data refused.
type yamlConverter struct {
	budget *int
	open   map[*yaml.Node]bool // anchors being expanded, to refuse one that contains itself
	fault  *FieldError
}

func (c *yamlConverter) fail(code Code, n *yaml.Node, detail string) *value {
	if c.fault == nil {
		want := "yaml"
		if code == CodeTooLarge {
			want = "limits"
		}
		c.fault = &FieldError{Code: code, Want: want, Value: n.Value, Args: map[string]string{"Detail": detail}, Line: n.Line, Column: n.Column}
	}
	return &value{line: n.Line, column: n.Column}
}

func (c *yamlConverter) convert(n *yaml.Node, depth int) *value {
	if *c.budget--; *c.budget < 0 || depth > MaxDepth {
		return c.fail(CodeTooLarge, n, "")
	}
	if c.fault != nil {
		return &value{}
	}
	v := &value{line: n.Line, column: n.Column}
	switch n.Kind {
	case yaml.AliasNode:
		if c.open[n.Alias] {
			return c.fail(CodeInvalidYAML, n, "anchor "+n.Value+" contains itself")
		}
		c.open[n.Alias] = true
		v = c.convert(n.Alias, depth)
		delete(c.open, n.Alias)
		v.line, v.column = n.Line, n.Column // point at where it is used
	case yaml.ScalarNode:
		c.scalar(v, n)
	case yaml.SequenceNode:
		v.kind = listValue
		if tag := n.ShortTag(); tag != "!!seq" {
			return c.fail(CodeInvalidYAML, n, "tag "+tag)
		}
		for _, item := range n.Content {
			v.items = append(v.items, c.convert(item, depth+1))
		}
	case yaml.MappingNode:
		v.kind = mapValue
		if tag := n.ShortTag(); tag != "!!map" {
			return c.fail(CodeInvalidYAML, n, "tag "+tag)
		}
		c.mapping(v, n, depth)
	}
	return v
}

func (c *yamlConverter) scalar(v *value, n *yaml.Node) {
	v.text = n.Value
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		// A date is no type of ours: written plain, it is the text that stands there.
		v.kind = textValue
	case "!!null":
		v.kind, v.text = nullValue, ""
	case "!!bool":
		v.kind = boolValue
	case "!!int", "!!float":
		v.kind = numberValue
	case "!!merge":
		v.kind = textValue
	default:
		c.fail(CodeInvalidYAML, n, "tag "+tag)
	}
}

func (c *yamlConverter) mapping(v *value, n *yaml.Node, depth int) {
	var merged []*value
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			c.fail(CodeInvalidYAML, n.Content[i], "a key that is no text")
			return
		}
		val := c.convert(n.Content[i+1], depth+1)
		if key.ShortTag() == "!!merge" {
			if val.kind == listValue {
				merged = append(merged, val.items...)
			} else {
				merged = append(merged, val)
			}
			continue
		}
		e := entry{key: key.Value, line: n.Content[i].Line, column: n.Content[i].Column, value: val}
		if line, repeated := first[e.key]; repeated {
			e.firstLine = line
			v.repeated = append(v.repeated, e)
			continue
		}
		first[e.key] = e.line
		v.entries = append(v.entries, e)
	}
	// What a map says itself wins over what it merges, and an earlier merge over a later one.
	for _, m := range merged {
		if m.kind != mapValue {
			c.fail(CodeInvalidYAML, n, "a merge of something that is no map")
			return
		}
		for _, e := range m.entries {
			if *c.budget--; *c.budget < 0 {
				c.fail(CodeTooLarge, n, "")
				return
			}
			if _, own := first[e.key]; !own {
				first[e.key] = e.line
				v.entries = append(v.entries, e)
			}
		}
		v.repeated = append(v.repeated, m.repeated...)
	}
}
