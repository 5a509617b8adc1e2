package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// parseJSON reads one or more JSON values into the same values as parseYAML, by the standard library's tokens, so
// that keys given twice and places are known.
func parseJSON(body []byte) ([]*value, *FieldError) {
	p := &jsonParser{body: body, budget: MaxNodes, line: 1, column: 1}
	if !utf8.Valid(body) {
		line, column := firstInvalid(body)
		return nil, &FieldError{Code: CodeInvalidJSON, Want: "json", Args: map[string]string{"Detail": "invalid UTF-8"}, Line: line, Column: column}
	}
	p.decoder = json.NewDecoder(bytes.NewReader(body))
	p.decoder.UseNumber()
	var roots []*value
	for {
		v, err := p.value(1)
		switch {
		case err == io.EOF: //nolint:errorlint // Token answers exactly io.EOF at the end of the stream
			return roots, nil
		case errors.Is(err, errJSONLimit):
			return nil, &FieldError{Code: CodeTooLarge, Want: "limits", Line: p.line, Column: p.column}
		case err != nil:
			return nil, p.fault(err)
		}
		roots = append(roots, v)
	}
}

var errJSONLimit = errors.New("document too large")

type jsonParser struct {
	body    []byte
	decoder *json.Decoder
	budget  int
	// where the next token starts, kept by advancing from the last one
	offset, line, column int
}

// skip moves to the start of the next token: the decoder reports only where the last one ended.
func (p *jsonParser) skip() {
	end := int(p.decoder.InputOffset())
	p.advance(end)
	for end < len(p.body) && bytes.IndexByte([]byte(" \t\r\n,:"), p.body[end]) >= 0 {
		end++
	}
	p.advance(end)
}

func (p *jsonParser) advance(to int) {
	for p.offset < to {
		r, size := utf8.DecodeRune(p.body[p.offset:])
		if r == '\n' {
			p.line, p.column = p.line+1, 0
		}
		p.column++
		p.offset += size
	}
}

func (p *jsonParser) value(depth int) (*value, error) {
	p.skip()
	v := &value{line: p.line, column: p.column}
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	if p.budget--; p.budget < 0 || depth > MaxDepth {
		return nil, errJSONLimit
	}
	switch t := token.(type) {
	case nil:
	case bool:
		v.kind, v.text = boolValue, map[bool]string{true: "true", false: "false"}[t]
	case json.Number:
		v.kind, v.text = numberValue, t.String()
	case string:
		v.kind, v.text = textValue, t
	case json.Delim:
		if t == '[' {
			return v, p.list(v, depth)
		}
		return v, p.object(v, depth)
	}
	return v, nil
}

func (p *jsonParser) list(v *value, depth int) error {
	v.kind = listValue
	for p.decoder.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return unexpected(err)
		}
		v.items = append(v.items, item)
	}
	_, err := p.decoder.Token()
	return unexpected(err)
}

func (p *jsonParser) object(v *value, depth int) error {
	v.kind = mapValue
	first := map[string]int{}
	for p.decoder.More() {
		p.skip()
		e := entry{line: p.line, column: p.column}
		token, err := p.decoder.Token()
		if err != nil {
			return unexpected(err)
		}
		e.key, _ = token.(string) // the decoder lets nothing else be a key
		if e.value, err = p.value(depth + 1); err != nil {
			return unexpected(err)
		}
		if line, repeated := first[e.key]; repeated {
			e.firstLine = line
			v.repeated = append(v.repeated, e)
			continue
		}
		first[e.key] = e.line
		v.entries = append(v.entries, e)
	}
	_, err := p.decoder.Token()
	return unexpected(err)
}

// unexpected tells an end in the middle from the end of the stream.
func unexpected(err error) error {
	if err == io.EOF { //nolint:errorlint // Token answers exactly io.EOF
		return io.ErrUnexpectedEOF
	}
	return err
}

func (p *jsonParser) fault(err error) *FieldError {
	at := int(p.decoder.InputOffset())
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && int(syntax.Offset) > at {
		at = int(syntax.Offset) - 1
	}
	p.advance(min(at, len(p.body)))
	return &FieldError{Code: CodeInvalidJSON, Want: "json", Args: map[string]string{"Detail": err.Error()}, Line: p.line, Column: p.column}
}
