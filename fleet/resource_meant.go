package fleet

import (
	"slices"
	"strings"
)

// meantElsewhere refuses what was surely meant to be one of this product's own documents: a kind of its policies under
// another group, and an apiVersion that is nearly one of its own. Taken for an opaque resource it would be stored, and do
// nothing of what it says, silently.
func meantElsewhere(apiVersion, kind string) FieldErrors {
	if apiVersion == "" || ownGroup(apiVersion) {
		return nil // of its own groups the decoders of their kinds judge
	}
	own := append([]string{APIVersion}, PolicyAPIVersions()...)
	policies := append(PolicyKinds(), OverrideKinds()...)
	ofPolicy := slices.ContainsFunc(policies, func(k string) bool { return strings.EqualFold(k, kind) })
	near := nearest(apiVersion, own)
	if near == "" {
		near = nearGroup(apiVersion, own)
	}
	switch {
	case ofPolicy:
		own = PolicyAPIVersions()
		if !slices.Contains(own, near) {
			near = ""
		}
	case near == "":
		return nil
	}
	return FieldErrors{{Code: CodeKindUnsupported, Field: "apiVersion", Value: apiVersion, Want: "one_of",
		WantArgs: map[string]string{"Values": strings.Join(own, ", ")}, Suggestion: near}}
}

// nearGroup is the apiVersion whose group alone the text nearly has: odyseus/v2 means odysseus/v1.
func nearGroup(apiVersion string, own []string) string {
	given, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	groups := make([]string, len(own))
	for i, version := range own {
		groups[i], _, _ = strings.Cut(version, "/")
	}
	if i := slices.Index(groups, nearest(given, groups)); i >= 0 {
		return own[i]
	}
	return ""
}

// ownGroup says whether the group is this product's, or one of its policies', as written.
func ownGroup(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	own, _, _ := strings.Cut(APIVersion, "/")
	return group == own || policyGroup(apiVersion)
}
