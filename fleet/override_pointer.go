package fleet

import (
	"regexp"
	"strings"
)

// jsonPointer is a path as its author wrote it, judged when the policy is written. What it names, and whether that is
// there, is found when it is applied: see pointedAt.
type jsonPointer string

// tokens of a pointer that is well-formed.
func (p jsonPointer) tokens() []string {
	if p == "" {
		return nil
	}
	tokens := strings.Split(string(p), "/")[1:]
	for i := range tokens {
		tokens[i] = unescapeToken(tokens[i])
	}
	return tokens
}

func unescapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// loose reads what a pointer may have been meant to name, however badly it is written: nobody gets past a rule by a
// fault in their spelling.
func (p jsonPointer) loose() []string {
	path := strings.TrimLeft(string(p), "#$ ") // as a URI's fragment, or as a JSONPath
	if !strings.Contains(path, "/") {
		path = strings.ReplaceAll(path, ".", "/")
	}
	var tokens []string
	for token := range strings.SplitSeq(path, "/") {
		for range 4 { // escaped more often than once
			token = unescapeToken(token)
		}
		if token = strings.TrimSpace(token); token != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

var (
	// escapes other than ~0 and ~1: a "~" alone means nothing.
	strayTilde = regexp.MustCompile(`~([^01]|$)`)
	// indices that RFC 6901 does not have, and that the patch library reads as others: from the end, or octal-looking.
	strangeIndex = regexp.MustCompile(`^(-|0)[0-9]+$`)
)

// wantPointerIndex is the accepted form of an index that is none.
const wantPointerIndex = "json_pointer_index"

// faults of a pointer that must name something within a document, and not the document itself.
func (p jsonPointer) faults(field string) FieldErrors {
	want, better := p.judge()
	if want == "" {
		return nil
	}
	f := FieldError{Code: CodeNotAccepted, Field: field, Value: string(p), Want: want}
	if others, _ := better.judge(); others == "" {
		f.Suggestion = string(better)
	}
	return FieldErrors{f}
}

// judge names the accepted form that the pointer lacks, and what may have been meant, good or not.
func (p jsonPointer) judge() (want string, better jsonPointer) {
	path := string(p)
	switch {
	case !strings.HasPrefix(path, "/"):
		if !strings.Contains(path, "/") {
			path = strings.ReplaceAll(path, ".", "/") // spec.replicas, as refusals spell it
		}
		return "json_pointer", jsonPointer("/" + path)
	case strayTilde.MatchString(path):
		return "json_pointer_escapes", jsonPointer(strayTilde.ReplaceAllString(path, "~0$1"))
	}
	tokens := p.tokens()
	for i, token := range tokens {
		above := ""
		if i > 0 {
			above = tokens[i-1]
		}
		switch {
		case token == "":
			keys := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
			return "json_pointer_keys", jsonPointer("/" + strings.Join(keys, "/"))
		case strangeIndex.MatchString(token) && !ownKeys(above):
			return wantPointerIndex, p
		case qualifiedKeys(above) && i == len(tokens)-2 && strings.Contains(token, ".") && IsLabelKey(token+"/"+tokens[i+1]):
			cut := strings.LastIndexByte(path, '/')
			return "json_pointer_slash", jsonPointer(path[:cut] + "~1" + path[cut+1:])
		}
	}
	return "", p
}

// ownKeys says whether the keys under a name are their author's own, so that a number there is no index.
func ownKeys(name string) bool {
	return qualifiedKeys(name) || name == "data" || name == "stringData" || name == "binaryData"
}

// qualifiedKeys says whether the keys under a name are qualified names, "example.com/team", and what stands under them
// a scalar: a "/" that is left unescaped can only be part of the key.
func qualifiedKeys(name string) bool {
	return labelKeys(name) || name == "limits" || name == "requests" || name == "capacity"
}

// labelKeys says whether the keys under a name are labels' or annotations', of the resource itself, of what it makes,
// or of what it selects.
func labelKeys(name string) bool {
	switch name {
	case "labels", "annotations", "matchLabels", "nodeSelector":
		return true
	}
	return false
}
