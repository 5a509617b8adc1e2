package fleet

import "encoding/json"

// The two kinds of override policies. They differ in their scope alone.
const (
	KindOverridePolicy        = "OverridePolicy"
	KindClusterOverridePolicy = "ClusterOverridePolicy"
)

// OverrideKinds lists what kind of an override policy accepts.
func OverrideKinds() []string { return []string{KindOverridePolicy, KindClusterOverridePolicy} }

// IsOverride says whether a document calls itself an override policy, right or wrong: one whose kind is an override
// policy's and whose apiVersion is of a policy's group. Such a document goes to DecodeOverride.
func IsOverride(apiVersion, kind string) bool {
	return (kind == KindOverridePolicy || kind == KindClusterOverridePolicy) && policyGroup(apiVersion)
}

// Override is an override policy: what is different of a resource on some of the clusters that a propagation policy
// takes it to. One type with a scope: an OverridePolicy reaches the resources of its own namespace, a
// ClusterOverridePolicy those of any namespace but system ones, and cluster-scoped ones.
//
// The stored spec is what was written.
type Override struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Metadata   Metadata     `json:"metadata" validate:"-"` // held to the rules of all policies
	Spec       OverrideSpec `json:"spec"`
	// Status is accepted, so that what GET answers can be sent back, and not read.
	Status json.RawMessage `json:"status,omitempty" decode:"ignore"`

	// Tenant owns the namespace; empty for a ClusterOverridePolicy. It is never part of a manifest.
	Tenant string `json:"-"`
}

// OverrideSpec is the part of an override policy that its author writes.
type OverrideSpec struct {
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty" validate:"dive"`
	OverrideRules     []OverrideRule     `json:"overrideRules,omitempty" validate:"dive"`
}

// OverrideRule is what is different on some clusters.
type OverrideRule struct {
	// TargetCluster is required under ACK One's API; under Karmada's its absence means every cluster.
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`
	Overriders    *Overriders      `json:"overriders,omitempty" validate:"required" default:"required"`
}

// Overriders are applied in the order of their fields here, whatever the order in the document; each list in its own.
type Overriders struct {
	ImageOverrider       []ImageOverrider     `json:"imageOverrider,omitempty" validate:"dive"`
	CommandOverrider     []ArgumentsOverrider `json:"commandOverrider,omitempty" validate:"dive"`
	ArgsOverrider        []ArgumentsOverrider `json:"argsOverrider,omitempty" validate:"dive"`
	LabelsOverrider      []MetadataOverrider  `json:"labelsOverrider,omitempty" validate:"dive"`
	AnnotationsOverrider []MetadataOverrider  `json:"annotationsOverrider,omitempty" validate:"dive"`
	FieldOverrider       []FieldOverrider     `json:"fieldOverrider,omitempty" validate:"dive"`
	Plaintext            []PlaintextOverrider `json:"plaintext,omitempty" validate:"dive"`
}

// What overriders do. Commands and arguments have no replace.
const (
	OverrideAdd     = "add"
	OverrideReplace = "replace"
	OverrideRemove  = "remove"
)

// Parts of an image, [registry/]repository[:tag][@digest].
const (
	ImageRegistry   = "Registry"
	ImageRepository = "Repository"
	ImageTag        = "Tag"
)

// ImageOverrider changes a part of images: of every one of the resource, or of the one at the predicate's path.
type ImageOverrider struct {
	Predicate *ImagePredicate `json:"predicate,omitempty"`
	Component string          `json:"component" validate:"required,oneof=Registry Repository Tag" default:"required"`
	Operator  string          `json:"operator" validate:"required,oneof=add replace remove" default:"required"`
	Value     string          `json:"value,omitempty"`
}

// ImagePredicate limits an ImageOverrider to one field, by a JSON Pointer.
type ImagePredicate struct {
	Path string `json:"path" validate:"required" default:"required"`
}

// ArgumentsOverrider changes the command, or the arguments, of the containers of a name.
type ArgumentsOverrider struct {
	ContainerName string   `json:"containerName" validate:"required,name" default:"required"`
	Operator      string   `json:"operator" validate:"required,oneof=add remove" default:"required"`
	Value         []string `json:"value,omitempty"`
}

// MetadataOverrider changes labels, or annotations, of the resource itself. To remove looks at the keys alone.
type MetadataOverrider struct {
	Operator string            `json:"operator" validate:"required,oneof=add replace remove" default:"required"`
	Value    map[string]string `json:"value,omitempty"`
}

// FieldOverrider changes a document that stands as text in a field, of a ConfigMap for example: as JSON or as YAML.
type FieldOverrider struct {
	FieldPath string       `json:"fieldPath" validate:"required" default:"required"`
	JSON      []FieldPatch `json:"json,omitempty" validate:"dive"`
	YAML      []FieldPatch `json:"yaml,omitempty" validate:"dive"`
}

// FieldPatch is one step of a FieldOverrider; its pointer is into the text's document.
type FieldPatch struct {
	SubPath  string          `json:"subPath" validate:"required" default:"required"`
	Operator string          `json:"operator" validate:"required,oneof=add replace remove" default:"required"`
	Value    json.RawMessage `json:"value,omitempty" decode:"any"`
}

// PlaintextOverrider is one step of a JSON Patch (RFC 6902). The steps of a rule are one patch: all of them or none.
type PlaintextOverrider struct {
	// Path is nil where it was left out: "" names the whole document.
	Path     *string         `json:"path" validate:"required" default:"required"`
	Operator string          `json:"operator" validate:"required,oneof=add replace remove" default:"required"`
	Value    json.RawMessage `json:"value,omitempty" decode:"any"`
}

// Scope of the policy, by its kind.
func (o *Override) Scope() Scope {
	if o.Kind == KindClusterOverridePolicy {
		return ScopeCluster
	}
	return ScopeNamespace
}

// Ref names the policy.
func (o *Override) Ref() PolicyRef {
	ref := PolicyRef{Kind: o.Kind, Name: o.Metadata.Name}
	if o.Scope() == ScopeNamespace {
		ref.Namespace = o.Metadata.Namespace
	}
	return ref
}

// Karmada says whether the policy is written for Karmada's API rather than ACK One's.
func (o *Override) Karmada() bool { return o.APIVersion == PolicyAPIVersionKarmada }

// Selects says how specifically the policy selects the resource: by the best of its selectors. It reaches what a
// propagation policy of its scope does; whether one has selected the resource is the caller's affair.
func (o *Override) Selects(r *Resource) Rank { return o.span().selects(o.Spec.ResourceSelectors, r) }

func (o *Override) span() span { return span{o.Scope(), o.Metadata.Namespace} }

// everyCluster says whether an affinity narrows nothing.
func (a *ClusterAffinity) everyCluster() bool {
	if a == nil {
		return true
	}
	labels := a.LabelSelector
	return len(a.ClusterNames)+len(a.ExcludeClusters)+len(a.Exclude) == 0 &&
		(labels == nil || len(labels.MatchLabels)+len(labels.MatchExpressions) == 0)
}
