package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// unsupportedPolicyFields are what Karmada's API has, or Kubernetes' metadata, and this product does not act on:
// refused by name, never accepted and ignored. The value is the field that does what is meant, where there is one.
func unsupportedPolicyFields() map[string]string {
	return map[string]string{
		"metadata.generateName":               "",
		"metadata.finalizers":                 "",
		"metadata.ownerReferences":            "",
		"metadata.managedFields":              "",
		"metadata.selfLink":                   "",
		"metadata.deletionTimestamp":          "",
		"metadata.deletionGracePeriodSeconds": "",

		"spec.association":          "spec.propagateDeps", // the same, by an older name
		"spec.schedulerName":        "",
		"spec.conflictResolution":   "",
		"spec.activationPreference": "",
		"spec.suspension":           "",
		"spec.schedulePriority":     "",

		"spec.placement.clusterAffinities":  "spec.placement.clusterAffinity",
		"spec.placement.clusterTolerations": "",
		"spec.placement.spreadConstraints":  "",
		"spec.placement.workloadAffinity":   "",

		"spec.placement.clusterAffinity.fieldSelector":                                                     "",
		"spec.placement.replicaScheduling.weightPreference.staticWeightList[].targetCluster.fieldSelector": "",

		"spec.failover.cluster":                       "",
		"spec.failover.application.statePreservation": "",
	}
}

// DecodePolicy decodes a propagation policy strictly. The Policy holds whatever was well-formed, so that
// ValidatePolicy can add its faults to those returned here; JoinFaults puts them together.
func DecodePolicy(doc *Doc) (Policy, FieldErrors) {
	var p Policy
	faults := nameUnsupported(DecodeStrict(doc, &p), unsupportedPolicyFields())
	faults = append(faults, expectPolicy(doc, p.APIVersion, p.Kind, PolicyKinds())...)
	return p, faults.Sorted()
}

// nameUnsupported refuses by name the unknown fields that are known to somebody else's API.
func nameUnsupported(faults FieldErrors, unsupported map[string]string) FieldErrors {
	for i := range faults {
		f := &faults[i]
		if f.Code != CodeUnknownField {
			continue
		}
		if instead, known := unsupported[withoutIndexes(f.Field)]; known {
			f.Code, f.Want, f.WantArgs, f.Suggestion = CodeFieldUnsupported, "field_left_out", nil, instead
		}
	}
	return faults
}

// withoutIndexes turns the index of each list item in a path into [].
func withoutIndexes(path string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(path, '[')
		if open < 0 {
			return b.String() + path
		}
		closing := strings.IndexByte(path[open:], ']')
		if closing < 0 {
			return b.String() + path
		}
		b.WriteString(path[:open] + "[]")
		path = path[open+closing+1:]
	}
}

func expectPolicy(doc *Doc, apiVersion, kind string, kinds []string) FieldErrors {
	expect := func(field, got, want string, accepted []string) FieldErrors {
		args := map[string]string{"Values": strings.Join(accepted, ", ")}
		if v := doc.root.get(field); v == nil || v.kind == nullValue || v.kind == textValue && v.text == "" {
			return FieldErrors{{Code: CodeRequired, Field: field, Want: want, WantArgs: args}}
		}
		if got == "" || slices.Contains(accepted, got) {
			return nil // another type than text is refused by the decoder
		}
		return FieldErrors{{Code: CodeKindUnsupported, Field: field, Value: got, Want: want, WantArgs: args, Suggestion: nearest(got, accepted)}}
	}
	faults := expect("apiVersion", apiVersion, "one_of", PolicyAPIVersions())
	return doc.Locate(append(faults, expect("kind", kind, "one_of", kinds)...))
}

// JoinFaults puts the faults of decoding and of validation together, sorted. What could not be read is said once, as
// what it is: not also as something that is missing or malformed, and what holds it not as empty.
func JoinFaults(decoded, validated FieldErrors) FieldErrors {
	unread := map[string]bool{}
	for _, f := range decoded {
		if f.Code == CodeWrongType || f.Code == CodeOutOfRange {
			unread[f.Field] = true
		}
	}
	joined := slices.Clone(decoded)
	for _, f := range validated {
		empty := f.Code == CodeRequired && slices.ContainsFunc(decoded, func(d FieldError) bool {
			below, holds := strings.CutPrefix(d.Field, f.Field)
			return holds && below != "" && (below[0] == '.' || below[0] == '[')
		})
		if !within(f.Field, unread) && !empty {
			joined = append(joined, f)
		}
	}
	return joined.Sorted()
}

// within says whether a path, or one that it lies under, is in the set.
func within(path string, set map[string]bool) bool {
	for ; path != ""; path = parentPath(path) {
		if set[path] {
			return true
		}
	}
	return set[""] // the document itself
}

// conflict refuses a field that another one's value leaves nothing to decide.
func conflict(field, value, beside string) FieldError {
	return FieldError{Code: CodeFieldConflict, Field: field, Value: value, Want: "field_left_out", Args: map[string]string{"Beside": beside}}
}

// notOneOf refuses a word that an enum does not have.
func notOneOf(field, value string, accepted []string) (FieldError, bool) {
	return FieldError{Code: CodeNotAccepted, Field: field, Value: value, Want: "one_of",
		WantArgs: map[string]string{"Values": strings.Join(accepted, ", ")}, Suggestion: nearest(value, accepted)}, !slices.Contains(accepted, value)
}

// jsonOf quotes a list or map as the decoder does.
func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("marshal %T: %v", v, err)) // plain data of ours
	}
	return string(raw)
}
