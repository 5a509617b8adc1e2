package views

// Fragments are the parts of pages that htmx swaps: the name of the templ.Fragment and the id of the element that it
// replaces, in one.
const (
	FragmentDeployments = "deployments-list"
	FragmentDeployment  = "deployment-live"
	FragmentPending     = "pending-list"
	FragmentNodes       = "nodes-list"
	FragmentOverview    = "overview-live"
	FragmentPolicies    = "policies-list"
	FragmentPolicy      = "policy-live"
	FragmentResources   = "resources-list"
	FragmentResource    = "resource-live"

	// FragmentPolicyEditor is the form of a policy with what it would do; FragmentPolicyPreview is the latter alone, which
	// follows while something is typed.
	FragmentPolicyEditor  = "policy-editor"
	FragmentPolicyPreview = "policy-preview"

	// The parts of the deployment's form that are checked while it is filled in.
	FragmentName      = "field-name"
	FragmentImage     = "field-image"
	FragmentReplicas  = "field-replicas"
	FragmentResidency = "residency"
	FragmentYAML      = "field-yaml"
	// FragmentPreview goes along with each of them.
	FragmentPreview = "preview"
)

// refreshEvery is how often an open page asks for what changed.
const refreshEvery = "every 3s"

// checkAfter is when a part of a form is checked: a moment after it was left, so that an answer does not move the
// button away from under a finger that is pressing it.
const checkAfter = "change delay:250ms"

// followAfter is when a preview follows what is being typed.
const followAfter = "input delay:400ms"
