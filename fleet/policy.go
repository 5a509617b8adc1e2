package fleet

import (
	"encoding/json"
	"strings"
)

// The apiVersions of policies: ACK One's two spellings and Karmada's. Each comes back as it was written, since
// some fields and defaults go by it.
const (
	PolicyAPIVersion        = "policy.one.alibabacloud.com/v1alpha1"
	PolicyAPIVersionShort   = "one.alibabacloud.com/v1alpha1"
	PolicyAPIVersionKarmada = "policy.karmada.io/v1alpha1"
)

// The two kinds of propagation policies. They differ in their scope alone.
const (
	KindPropagationPolicy        = "PropagationPolicy"
	KindClusterPropagationPolicy = "ClusterPropagationPolicy"
)

// PolicyAPIVersions lists what apiVersion of a policy accepts.
func PolicyAPIVersions() []string {
	return []string{PolicyAPIVersion, PolicyAPIVersionShort, PolicyAPIVersionKarmada}
}

// PolicyKinds lists what kind of a propagation policy accepts.
func PolicyKinds() []string { return []string{KindPropagationPolicy, KindClusterPropagationPolicy} }

// IsPolicy says whether a document calls itself a propagation policy, right or wrong: one whose kind is a
// policy's and whose apiVersion is of a policy's group. Such a document goes to DecodePolicy.
func IsPolicy(apiVersion, kind string) bool {
	return (kind == KindPropagationPolicy || kind == KindClusterPropagationPolicy) && policyGroup(apiVersion)
}

// policyGroup takes any version of the three groups, so that a misspelt version is refused as a policy's.
func policyGroup(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	for _, known := range PolicyAPIVersions() {
		if own, _, _ := strings.Cut(known, "/"); group == own {
			return true
		}
	}
	return false
}

// Scope is how far an object reaches.
type Scope string

// Scopes of kinds, and of policies.
const (
	ScopeNamespace Scope = "namespace"
	ScopeCluster   Scope = "cluster"
)

// Values of a propagation policy's enums.
const (
	PreemptionAlways = "Always"
	PreemptionNever  = "Never"
)

// Policy is a propagation policy: which resources go to which clusters, and in which parts. One type with a
// scope: a PropagationPolicy reaches the resources of its own namespace, a ClusterPropagationPolicy those of any
// namespace but system ones, and cluster-scoped ones.
//
// The stored spec is what was written. What was left out is answered by methods, never filled in.
type Policy struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   Metadata        `json:"metadata" validate:"-"` // the name may be left out: the caller makes one
	Spec       PropagationSpec `json:"spec"`
	// Status is accepted, so that what GET answers can be sent back, and not read.
	Status json.RawMessage `json:"status,omitempty" decode:"ignore"`

	// Tenant owns the namespace; empty for a ClusterPropagationPolicy. It is never part of a manifest.
	Tenant string `json:"-"`
}

// PropagationSpec is the part of a propagation policy that its author writes.
type PropagationSpec struct {
	ResourceSelectors  []ResourceSelector `json:"resourceSelectors,omitempty" validate:"dive"`
	PropagateDeps      bool               `json:"propagateDeps,omitempty" default:"false"`
	Placement          *PolicyPlacement   `json:"placement,omitempty"`
	Priority           *int64             `json:"priority,omitempty" validate:"omitempty,min=-2147483648,max=2147483647" default:"0"`
	Preemption         string             `json:"preemption,omitempty" validate:"omitempty,oneof=Always Never" default:"Never"`
	DependentOverrides []string           `json:"dependentOverrides,omitempty"`
	Failover           *Failover          `json:"failover,omitempty"`
	// PreserveResourcesOnDeletion means another thing under each of the two APIs; see KeepsOnPolicyDeletion.
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`
}

// PolicyPlacement is where a policy's resources go.
type PolicyPlacement struct {
	ClusterAffinity   *ClusterAffinity   `json:"clusterAffinity,omitempty"`
	ReplicaScheduling *ReplicaScheduling `json:"replicaScheduling,omitempty"`
}

// Scope of the policy, by its kind.
func (p *Policy) Scope() Scope {
	if p.Kind == KindClusterPropagationPolicy {
		return ScopeCluster
	}
	return ScopeNamespace
}

// Ref names the policy.
func (p *Policy) Ref() PolicyRef {
	ref := PolicyRef{Kind: p.Kind, Name: p.Metadata.Name}
	if p.Scope() == ScopeNamespace {
		ref.Namespace = p.Metadata.Namespace
	}
	return ref
}

// Karmada says whether the policy is written for Karmada's API rather than ACK One's.
func (p *Policy) Karmada() bool { return p.APIVersion == PolicyAPIVersionKarmada }

// Priority of the policy; 0 where it was left out.
func (p *Policy) Priority() int64 { return valueOr(p.Spec.Priority, 0) }

// Preempts says whether the policy may take resources from others.
func (p *Policy) Preempts() bool { return p.Spec.Preemption == PreemptionAlways }

// Affinity of the clusters; nil stands for every cluster granted to the tenant.
func (p *Policy) Affinity() *ClusterAffinity {
	if p.Spec.Placement == nil {
		return nil
	}
	return p.Spec.Placement.ClusterAffinity
}

// Scheduling is how replicas are divided; nil stands for Duplicated.
func (p *Policy) Scheduling() *ReplicaScheduling {
	if p.Spec.Placement == nil {
		return nil
	}
	return p.Spec.Placement.ReplicaScheduling
}

// KeepsOnPolicyDeletion says whether what the policy distributed stays on the members when the policy is deleted:
// under ACK One's API what preserveResourcesOnDeletion says (default true), under Karmada's always.
func (p *Policy) KeepsOnPolicyDeletion() bool {
	return p.Karmada() || valueOr(p.Spec.PreserveResourcesOnDeletion, true)
}

// KeepsOnResourceDeletion says whether a resource stays on the members when the resource itself is deleted: under
// Karmada's API what preserveResourcesOnDeletion says (default false), under ACK One's never.
func (p *Policy) KeepsOnResourceDeletion() bool {
	return p.Karmada() && valueOr(p.Spec.PreserveResourcesOnDeletion, false)
}

// Preserves is preserveResourcesOnDeletion with its default, which the apiVersion decides.
func (p *Policy) Preserves() bool { return valueOr(p.Spec.PreserveResourcesOnDeletion, !p.Karmada()) }

func valueOr[T any](p *T, or T) T {
	if p == nil {
		return or
	}
	return *p
}
