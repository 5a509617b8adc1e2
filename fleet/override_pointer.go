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
	path := string(p)
	fault := FieldError{Code: CodeNotAccepted, Field: field, Value: path}
	switch {
	case !strings.HasPrefix(path, "/"):
		fault.Want = "json_pointer"
		rooted := "/" + path
		if !strings.Contains(path, "/") {
			rooted = "/" + strings.ReplaceAll(path, ".", "/") // spec.replicas, as refusals spell it
		}
		fault.suggestPointer(rooted)
		return FieldErrors{fault}
	case strayTilde.MatchString(path):
		fault.Want = "json_pointer_escapes"
		fault.suggestPointer(strayTilde.ReplaceAllString(path, "~0$1"))
		return FieldErrors{fault}
	}
	tokens := p.tokens()
	for i, token := range tokens {
		above := ""
		if i > 0 {
			above = tokens[i-1]
		}
		switch {
		case token == "":
			fault.Want = "json_pointer_keys"
			fault.suggestPointer("/" + strings.Join(strings.FieldsFunc(path, func(c rune) bool { return c == '/' }), "/"))
			return FieldErrors{fault}
		case strangeIndex.MatchString(token) && !ownKeys(above):
			fault.Want = wantPointerIndex
			return FieldErrors{fault}
		case qualifiedKeys(above) && i == len(tokens)-2 && strings.Contains(token, ".") && IsLabelKey(token+"/"+tokens[i+1]):
			fault.Want = "json_pointer_slash"
			cut := strings.LastIndexByte(path, '/')
			fault.Suggestion = path[:cut] + "~1" + path[cut+1:]
			return FieldErrors{fault}
		}
	}
	return nil
}

// suggestPointer suggests a path, if it is a good one.
func (f *FieldError) suggestPointer(path string) {
	if p := jsonPointer(path); len(p.faults("")) == 0 {
		f.Suggestion = path
	}
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
