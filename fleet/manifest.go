package fleet

import "strings"

// Declared is what a document of a stream of manifests declares.
type Declared int

// An odysseus/v1 Deployment; a propagation policy; an override policy; a policy of a kind that is not handled; any other
// resource.
const (
	DeclaresDeployment Declared = iota
	DeclaresPolicy
	DeclaresOverride
	DeclaresForeignPolicy
	DeclaresResource
)

// Declares says what the document is to be held to, by its apiVersion and kind alone. One of this product's API group is
// a Deployment, or refused as one that is none, and so is one that does not say what it is. What is nobody else's is a
// resource.
func (d *Doc) Declares() Declared {
	apiVersion, kind := d.APIVersion(), d.Kind()
	group, _, _ := strings.Cut(apiVersion, "/")
	own, _, _ := strings.Cut(APIVersion, "/")
	switch {
	case IsOverride(apiVersion, kind), apiVersion == "" && IsOverride(PolicyAPIVersion, kind):
		return DeclaresOverride
	case policyGroup(apiVersion) && !IsPolicy(apiVersion, kind):
		return DeclaresForeignPolicy
	case IsPolicy(apiVersion, kind), apiVersion == "" && IsPolicy(PolicyAPIVersion, kind):
		return DeclaresPolicy
	case group == own, apiVersion == "" && (kind == "" || kind == KindDeployment):
		return DeclaresDeployment
	}
	return DeclaresResource
}
