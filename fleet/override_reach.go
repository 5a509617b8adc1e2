package fleet

import (
	"encoding/json"
	"strings"
)

// What no override reaches, in whatever spelling: "a patch that touches /spec/placement, a reserved label, or a parent
// of either (/spec of an odysseus/v1 Deployment, /metadata, /metadata/labels, the whole document), and a labels
// overrider with a reserved key, are refused when the policy is written, always as override_residency". What gets past
// these rules in more than one step is caught when it is applied: see fingerprintOf.

// outOfReach judges the path of a change: the code that it is refused with, empty where it may be made. ownDeployments
// says whether the policy may select odysseus/v1 Deployments.
func outOfReach(path jsonPointer, ownDeployments bool) Code {
	tokens := path.loose()
	switch {
	case touchesResidency(tokens, ownDeployments):
		return CodeOverrideResidency
	case touchesIdentity(tokens):
		return CodeOverrideIdentity
	}
	return ""
}

func touchesResidency(tokens []string, ownDeployments bool) bool {
	switch {
	case len(tokens) == 0:
		return true // the whole document
	case tokens[0] == "metadata" && (len(tokens) == 1 || len(tokens) == 2 && tokens[1] == "labels"):
		return true
	case tokens[0] == "spec" && (len(tokens) > 1 && tokens[1] == "placement" || len(tokens) == 1 && ownDeployments):
		return true
	}
	for i, token := range tokens {
		above, below := "", ""
		if i > 0 {
			above = tokens[i-1]
		}
		if i+1 < len(tokens) {
			below = tokens[i+1]
		}
		// An unescaped slash cuts a key in two.
		if reservedKey(above, token) || below != "" && reservedKey(above, token+"/"+below) {
			return true
		}
	}
	return false
}

// touchesIdentity: "so are changes of apiVersion, kind, metadata.name, metadata.namespace".
func touchesIdentity(tokens []string) bool {
	switch tokens[0] {
	case "apiVersion", "kind":
		return true
	case "metadata":
		return len(tokens) > 1 && (tokens[1] == "name" || tokens[1] == "namespace")
	}
	return false
}

// reservedKey says whether a key is a reserved label's, by what it stands under. One of the product's own prefix is
// nothing else anywhere; a near miss is a plain word in a ConfigMap's data, and a misspelt label among labels.
func reservedKey(above, key string) bool {
	prefix, _, prefixed := strings.Cut(key, "/")
	if prefixed && strings.EqualFold(prefix+"/", LabelPrefix) {
		return true
	}
	return labelKeys(above) && reservedLabel(key)
}

// reservedWithin finds a reserved label in what a change would put under a name: the key, empty where there is none.
func reservedWithin(v *value, above string) string {
	if v == nil {
		return ""
	}
	for _, item := range v.items {
		if key := reservedWithin(item, ""); key != "" {
			return key
		}
	}
	for _, e := range v.entries {
		if reservedKey(above, e.key) {
			return e.key
		}
		if key := reservedWithin(e.value, e.key); key != "" {
			return key
		}
	}
	return ""
}

// reach refuses what a change at a path may not touch; at is the field that says the path.
func (v *overrideValidator) reach(at string, path jsonPointer) bool {
	switch code := outOfReach(path, v.ownDeployments); code {
	case CodeOverrideResidency:
		v.fault(FieldError{Code: code, Field: at, Value: string(path), Want: "outside_residency"})
	case CodeOverrideIdentity:
		v.fault(FieldError{Code: code, Field: at, Value: string(path), Want: "outside_identity"})
	default:
		return true
	}
	return false
}

// carries refuses reserved labels within a value that is put at a path.
func (v *overrideValidator) carries(at string, path jsonPointer, raw json.RawMessage) {
	roots, fault := parseJSON(raw)
	if fault != nil || len(roots) != 1 {
		v.fault(FieldError{Code: CodeNotAccepted, Field: at, Value: string(raw), Want: "json_value"})
		return
	}
	above := ""
	if tokens := path.loose(); len(tokens) > 0 {
		above = tokens[len(tokens)-1]
	}
	if key := reservedWithin(roots[0], above); key != "" {
		v.fault(FieldError{Code: CodeOverrideResidency, Field: at, Value: key, Want: "outside_residency"})
	}
}
