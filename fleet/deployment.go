package fleet

import "slices"

// APIVersion and the kinds of this product's own API group.
const (
	APIVersion     = "odysseus/v1"
	KindDeployment = "Deployment"
)

// Limits and defaults of a Deployment, from the reference of the odysseus/v1 Deployment.
const (
	MaxReplicas        = 10_000
	DefaultReplicas    = 1
	MaxGraceSeconds    = 3_600
	DefaultGrace       = 10
	RestartAlways      = "Always"
	RestartOnFailure   = "OnFailure"
	RestartNever       = "Never"
	ProtocolTCP        = "TCP"
	ProtocolUDP        = "UDP"
	reservedDeployment = "new" // /namespaces/{ns}/deployments/new is the form
)

// Deployment is a workload as a tenant declares it: one container image, run replicas times, on nodes that
// satisfy spec.placement.residency.
type Deployment struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   Metadata          `json:"metadata"`
	Spec       DeploymentSpec    `json:"spec"`
	Status     *DeploymentStatus `json:"status,omitempty" decode:"ignore"`

	// Tenant owns the namespace. It is never part of a manifest.
	Tenant string `json:"-"`
	// Revision counts the changes of the spec, from 1.
	Revision int64 `json:"-"`
	// TemplateRevision is the newest revision that changed what a container runs: see SameTemplate.
	TemplateRevision int64 `json:"-"`
	// ResidencyLabels is what the typed block compiled to when it was written, and the only thing the geo
	// filter reads. Enforced labels, which no API sets, are kept over an update.
	ResidencyLabels map[string]string `json:"-"`
	// LastContainer is the highest counter in a container ID so far; the scheduler's commits move it.
	LastContainer int64 `json:"-"`
	// DividedAfresh is the generation for which somebody asked to divide afresh; 0 for none. Asking raises the
	// generation and nothing else, so that the request outlives a restart until a decision has observed it.
	DividedAfresh int64 `json:"-"`
	// Preserved: the deployment was deleted, and what it distributed stays. No API shows it; one created under its name
	// takes it over.
	Preserved bool `json:"-"`
}

// DeploymentSpec is the part of a Deployment that a tenant writes. Pointers and empty values are filled in by
// Default; the stored spec is always complete.
type DeploymentSpec struct {
	Image                         string          `json:"image" validate:"required,image" default:"required"`
	Replicas                      *int            `json:"replicas,omitempty" validate:"omitempty,min=0,max=10000" default:"1"`
	Command                       []string        `json:"command,omitempty"`
	Args                          []string        `json:"args,omitempty"`
	Env                           []EnvVar        `json:"env,omitempty" validate:"dive"`
	EnvFrom                       []EnvFromSource `json:"envFrom,omitempty" validate:"dive"`
	Ports                         []Port          `json:"ports,omitempty" validate:"dive"`
	Resources                     *Resources      `json:"resources,omitempty"`
	RestartPolicy                 string          `json:"restartPolicy,omitempty" validate:"omitempty,oneof=Always OnFailure Never" default:"Always"`
	TerminationGracePeriodSeconds *int            `json:"terminationGracePeriodSeconds,omitempty" validate:"omitempty,min=0,max=3600" default:"10"`
	Placement                     *Placement      `json:"placement,omitempty" decode:"nonempty"`
}

// EnvVar is one environment variable of the container.
type EnvVar struct {
	Name  string `json:"name" validate:"required,envname"`
	Value string `json:"value"`
	// ValueFrom stands instead of Value.
	ValueFrom *EnvVarSource `json:"valueFrom,omitempty"`
}

// EnvVarSource is where a variable's value comes from: exactly one of the two.
type EnvVarSource struct {
	ConfigMapKeyRef *KeySelector `json:"configMapKeyRef,omitempty"`
	SecretKeyRef    *KeySelector `json:"secretKeyRef,omitempty"`
}

// KeySelector is one key of a ConfigMap or Secret of the same namespace.
type KeySelector struct {
	Name     string `json:"name" validate:"required,subdomain"`
	Key      string `json:"key" validate:"required,datakey"`
	Optional bool   `json:"optional,omitempty"`
}

// EnvFromSource makes every key of a ConfigMap or Secret a variable: exactly one of the two.
type EnvFromSource struct {
	Prefix       string        `json:"prefix,omitempty" validate:"omitempty,envname"`
	ConfigMapRef *NameSelector `json:"configMapRef,omitempty"`
	SecretRef    *NameSelector `json:"secretRef,omitempty"`
}

// NameSelector is a ConfigMap or Secret of the same namespace.
type NameSelector struct {
	Name     string `json:"name" validate:"required,subdomain"`
	Optional bool   `json:"optional,omitempty"`
}

// Port is a port that the container listens on.
type Port struct {
	ContainerPort int    `json:"containerPort" validate:"required,min=1,max=65535"`
	Protocol      string `json:"protocol,omitempty" validate:"omitempty,oneof=TCP UDP" default:"TCP"`
}

// Resources says what a replica needs (requests: reserved on a node) and may use at most (limits).
type Resources struct {
	Requests *ResourceList `json:"requests,omitempty"`
	Limits   *ResourceList `json:"limits,omitempty"`
}

// ResourceList holds Kubernetes quantities as written: "500m", "2", "128Mi".
type ResourceList struct {
	CPU    Quantity `json:"cpu,omitempty" validate:"omitempty,quantity"`
	Memory Quantity `json:"memory,omitempty" validate:"omitempty,quantity"`
}

// Placement is where a deployment may run.
type Placement struct {
	Residency *Residency `json:"residency,omitempty" decode:"nonempty"`
}

// Replica count as a number; the default where it was left out.
func (s *DeploymentSpec) ReplicaCount() int {
	if s.Replicas == nil {
		return DefaultReplicas
	}
	return *s.Replicas
}

// Residency of the spec, nil where none is declared.
func (s *DeploymentSpec) Residency() *Residency {
	if s.Placement == nil {
		return nil
	}
	return s.Placement.Residency
}

// Requests of one replica as numbers. Slots is always 1: a replica is one container.
func (s *DeploymentSpec) Requests() Amount {
	need := Amount{Slots: 1}
	if s.Resources != nil && s.Resources.Requests != nil {
		need.MilliCPU = s.Resources.Requests.CPU.Milli()
		need.Memory = s.Resources.Requests.Memory.Bytes()
	}
	return need
}

// Default fills in what was left out. Each line here is an alteration that /docs/rejections lists.
func (d *Deployment) Default() {
	s := &d.Spec
	if s.Replicas == nil {
		s.Replicas = ptr(DefaultReplicas)
	}
	if s.RestartPolicy == "" {
		s.RestartPolicy = RestartAlways
	}
	if s.TerminationGracePeriodSeconds == nil {
		s.TerminationGracePeriodSeconds = ptr(DefaultGrace)
	}
	for i := range s.Ports {
		if s.Ports[i].Protocol == "" {
			s.Ports[i].Protocol = ProtocolTCP
		}
	}
}

// SameTemplate says whether a container started from one spec is what the other asks for too. Replicas and
// placement are no part of it: scaling touches only the difference, and a replica that satisfies a changed
// residency stays where it is.
func SameTemplate(a, b DeploymentSpec) bool {
	return a.Image == b.Image &&
		slices.Equal(a.Command, b.Command) &&
		slices.Equal(a.Args, b.Args) &&
		slices.EqualFunc(a.Env, b.Env, sameEnv) &&
		slices.EqualFunc(a.EnvFrom, b.EnvFrom, sameEnvFrom) &&
		slices.Equal(a.Ports, b.Ports) &&
		sameResources(a.Resources, b.Resources) &&
		a.RestartPolicy == b.RestartPolicy &&
		equalPtr(a.TerminationGracePeriodSeconds, b.TerminationGracePeriodSeconds)
}

func sameResources(a, b *Resources) bool {
	return a.list(true) == b.list(true) && a.list(false) == b.list(false)
}

func (r *Resources) list(requests bool) ResourceList {
	switch {
	case r == nil:
	case requests && r.Requests != nil:
		return *r.Requests
	case !requests && r.Limits != nil:
		return *r.Limits
	}
	return ResourceList{}
}

func sameEnv(a, b EnvVar) bool {
	x, y := valueOr(a.ValueFrom, EnvVarSource{}), valueOr(b.ValueFrom, EnvVarSource{})
	return a.Name == b.Name && a.Value == b.Value && equalPtr(x.ConfigMapKeyRef, y.ConfigMapKeyRef) && equalPtr(x.SecretKeyRef, y.SecretKeyRef)
}

func sameEnvFrom(a, b EnvFromSource) bool {
	return a.Prefix == b.Prefix && equalPtr(a.ConfigMapRef, b.ConfigMapRef) && equalPtr(a.SecretRef, b.SecretRef)
}

func ptr[T any](v T) *T { return &v }

func equalPtr[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
