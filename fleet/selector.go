package fleet

// ResourceSelector names resources: by name, by labels, or, with neither, every one of a kind. Kinds and names
// are compared exactly; there are no wildcards.
type ResourceSelector struct {
	APIVersion    string         `json:"apiVersion" validate:"required" default:"required"`
	Kind          string         `json:"kind" validate:"required" default:"required"`
	Namespace     string         `json:"namespace,omitempty"`
	Name          string         `json:"name,omitempty"`
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
}

// Rank is how specifically something is selected; higher is more specific.
type Rank int

// Not at all; as one of its kind; by its labels; by its name.
const (
	RankNone Rank = iota
	RankKind
	RankLabels
	RankName
)

// Match says how specifically the selector names the resource. With a name the labels do not matter; an empty
// labelSelector matches all and ranks as labels.
func (s *ResourceSelector) Match(r *Resource) Rank {
	switch {
	case s.APIVersion != r.APIVersion || s.Kind != r.Kind:
		return RankNone
	case s.Namespace != "" && s.Namespace != r.Namespace:
		return RankNone
	case s.Name != "":
		if s.Name == r.Name {
			return RankName
		}
		return RankNone
	case s.LabelSelector == nil:
		return RankKind
	case s.LabelSelector.Matches(r.Labels):
		return RankLabels
	}
	return RankNone
}

// Selects says how specifically the policy selects the resource: by the best of its selectors. A PropagationPolicy
// reaches its own namespace; a ClusterPropagationPolicy any but system ones, and cluster-scoped resources but the
// system namespaces themselves.
func (p *Policy) Selects(r *Resource) Rank { return p.span().selects(p.Spec.ResourceSelectors, r) }

func (p *Policy) span() span { return span{p.Scope(), p.Metadata.Namespace} }

// span is how far a policy of any kind reaches. Propagation and override policies of one scope reach the same.
type span struct {
	scope     Scope
	namespace string // of the policy itself
}

func (reach span) selects(selectors []ResourceSelector, r *Resource) Rank {
	if !reach.reaches(r) {
		return RankNone
	}
	best := RankNone
	for i := range selectors {
		best = max(best, selectors[i].Match(r))
	}
	return best
}

func (reach span) reaches(r *Resource) bool {
	switch {
	case r.system():
		return false
	case reach.scope == ScopeCluster:
		return true
	}
	return r.Namespace != "" && r.Namespace == reach.namespace
}

const selectorsPath = "spec.resourceSelectors"

func validateSelectors(selectors []ResourceSelector) FieldErrors {
	var faults FieldErrors
	for i := range selectors {
		s, at := &selectors[i], joinIndex(selectorsPath, i)
		if s.APIVersion != "" && !isGroupVersion(s.APIVersion) {
			faults = append(faults, FieldError{Code: CodeNotAccepted, Field: at + ".apiVersion", Value: s.APIVersion, Want: "group_version"})
		}
		if s.Kind != "" && !isKind(s.Kind) {
			faults = append(faults, FieldError{Code: CodeNotAccepted, Field: at + ".kind", Value: s.Kind, Want: "kind_word"})
		}
		if s.Namespace != "" {
			faults = append(faults, validateName(at+".namespace", s.Namespace)...)
		}
		if s.Name != "" && !isResourceName(s.Name) {
			faults = append(faults, FieldError{Code: CodeNameInvalid, Field: at + ".name", Value: s.Name, Want: "resource_name"})
		}
		faults = append(faults, validateLabelSelector(at+".labelSelector", s.LabelSelector)...)
	}
	return faults
}

// selectorWarnings tell of selectors that are well-formed and select nothing, or something else than their
// author may think.
func selectorWarnings(reach span, selectors []ResourceSelector) []Warning {
	var warnings []Warning
	for i := range selectors {
		s, at := &selectors[i], joinIndex(selectorsPath, i)
		if cause, field := reach.idle(s); cause != "" {
			warnings = append(warnings, Warning{Code: CodeSelectorNoEffect, Field: at + "." + field,
				Args: map[string]string{"Cause": cause, "Kind": s.Kind, "Namespace": s.Namespace, "Own": reach.namespace}})
		}
		warnings = append(warnings, unusualKinds(at, s.APIVersion, s.Kind)...)
		if s.Name != "" && s.LabelSelector != nil {
			warnings = append(warnings, Warning{Code: CodeSelectorNameWins, Field: at + ".labelSelector", Args: map[string]string{"Name": s.Name}})
		}
	}
	return warnings
}

// Why a selector can never select anything. The words tell them apart.
const (
	idleClusterScoped   = "cluster_scoped"   // a namespaced policy, or a namespace, for a kind that has none
	idleOtherNamespace  = "other_namespace"  // a namespaced policy that names another namespace
	idleSystemNamespace = "system_namespace" // what runs the platform is never propagated
)

// idle says why a selector selects nothing whatever the resources, and which of its fields makes it so.
func (reach span) idle(s *ResourceSelector) (cause, field string) {
	namespaced := reach.scope == ScopeNamespace
	switch own := reach.namespace; {
	case BuiltInScope(s.APIVersion, s.Kind) == ScopeCluster && (namespaced || s.Namespace != ""):
		if s.Namespace != "" {
			return idleClusterScoped, "namespace"
		}
		return idleClusterScoped, "kind"
	case namespaced && own != "" && s.Namespace != "" && s.Namespace != own:
		return idleOtherNamespace, "namespace"
	case SystemNamespace(s.Namespace):
		return idleSystemNamespace, "namespace"
	case s.APIVersion == "v1" && s.Kind == KindNamespace && SystemNamespace(s.Name):
		return idleSystemNamespace, "name"
	}
	return "", ""
}
