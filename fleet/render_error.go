package fleet

import "maps"

// ErrorClass tells tools what kind of thing did not apply.
type ErrorClass string

// Classes of what blocks a resource on a cluster.
const (
	ClassMissing       ErrorClass = "missing"        // a path, its parent or a container that is not there
	ClassIndex         ErrorClass = "index"          // no index of the list, or one out of its range
	ClassWrongType     ErrorClass = "wrong-type"     // something of another type stands there, or would
	ClassPredicatePath ErrorClass = "predicate-path" // no image where a predicate says
	ClassImageParse    ErrorClass = "image-parse"    // no readable image, or none that would come of it
	ClassNotJSON       ErrorClass = "not-json"       // a text that a fieldOverrider reads
	ClassNotYAML       ErrorClass = "not-yaml"
)

// RenderError is why a resource is blocked on a cluster: "the reason, on the policy and on the workload, while what runs
// there stays". Words are made at the edge: message "blocked.DETAIL".
type RenderError struct {
	// Code is ReasonOverrideBlocked.
	Code  Code
	Class ErrorClass
	// Policy and Rule that are at fault; of a result that is refused as a whole those that last changed what is.
	AppliedRule
	// Field of the policy: spec.overrideRules[0].overriders.plaintext[1].path.
	Field string
	// Path in the resource, as a JSON Pointer; empty where it is about nothing there.
	Path string
	// Detail names the message, and Args are its values; neither holds anything of a Secret.
	Detail string
	Args   map[string]string
	// Faults are what the result would be refused with if it were written; nil where it did not come to that.
	Faults FieldErrors
}

// Details of what blocks.
const (
	detailMissing     = "missing"        // nothing stands at the path
	detailParent      = "missing_parent" // nor at the one above it
	detailScalar      = "scalar"         // the path leads through something that has no members
	detailIndex       = "index"          // no index
	detailRange       = "range"          // an index out of range
	detailType        = "type"           // the value there is of another type
	detailContainer   = "container"      // no container of that name
	detailNoImage     = "no_image"       // a container without an image
	detailImage       = "image"          // an image that cannot be read
	detailImageResult = "image_result"   // no image would come of it
	detailTagOfDigest = "tag_of_digest"  // nothing can be added to the tag of an image with a digest
	detailNotJSON     = "not_json"
	detailNotYAML     = "not_yaml"
	detailResidency   = "residency"
	detailIdentity    = "identity"
	detailTooLarge    = "too_large"
	detailPatch       = "patch"
	detailRefused     = "refused"
)

// misfit is why one change does not apply, before it is known whose change it is.
type misfit struct {
	class  ErrorClass
	detail string
	// path in the resource, or in the text within it, up to where it went wrong.
	path string
	// value that was read: of a resource that is not a Secret it may be quoted.
	value string
	args  map[string]string
}

// blocked completes a misfit to what is answered. The field is within the rule's overriders.
func (r *renderer) blocked(field string, why *misfit) *RenderError {
	args := maps.Clone(why.args)
	if args == nil {
		args = map[string]string{}
	}
	if why.value != "" && r.resource.Kind != KindSecret {
		args["Value"] = why.value
	}
	return &RenderError{Code: ReasonOverrideBlocked, Class: why.class, AppliedRule: r.at, Field: r.ruleField(field), Path: why.path, Detail: why.detail, Args: args}
}

// ruleField is the path in the policy of a field of the rule's overriders, or theirs as a whole.
func (r *renderer) ruleField(field string) string {
	overriders := joinIndex(rulesPath, r.at.Rule) + ".overriders"
	if field == "" {
		return overriders
	}
	return overriders + "." + field
}
