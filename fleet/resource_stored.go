package fleet

import "time"

// StoredResource is a resource other than an odysseus/v1 Deployment as it is stored: a template that policies
// propagate. Object holds what was written; of a Secret the values are HiddenValue wherever they are not needed.
type StoredResource struct {
	Resource
	// Tenant owns the namespace; empty for a cluster-scoped resource.
	Tenant            string
	Annotations       map[string]string
	UID               string
	ResourceVersion   string
	Generation        int64
	CreationTimestamp time.Time
	// Revision counts the changes of the object beside its metadata, from 1; TemplateRevision is the newest that changed
	// what its containers run. Both are of a workload and stay 1 of other kinds.
	Revision         int64
	TemplateRevision int64
	// LastContainer and Status are as of a Deployment.
	LastContainer int64
	Status        *DeploymentStatus
	// DividedAfresh is the generation for which somebody asked to divide afresh; 0 for none. See Deployment.
	DividedAfresh int64
	// Preserved: the resource was deleted, and what it distributed stays. No API shows it; one created under its name
	// takes it over.
	Preserved bool
}

// HiddenValue stands for a Secret's value wherever one is shown. Sent back it means the value that is stored. It is no
// base64, so no value can look like it.
const HiddenValue = "<hidden>"

// ResourceKey names a stored resource. Namespace is empty for a cluster-scoped one.
type ResourceKey struct {
	APIVersion, Kind, Namespace, Name string
}

// Key of the resource.
func (r *Resource) Key() ResourceKey {
	return ResourceKey{APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// ResourceFilter narrows a list of resources. Empty fields do not narrow, but ClusterScoped decides between the two
// scopes.
type ResourceFilter struct {
	Tenant           string
	Namespace        string
	APIVersion, Kind string
	ClusterScoped    bool
}

// PolicyFilter narrows a list of policies: those of a namespace, of a tenant's namespaces, or, with ClusterScoped, the
// cluster-wide ones. Kind is empty for every kind.
type PolicyFilter struct {
	Tenant        string
	Namespace     string
	Kind          string
	ClusterScoped bool
}
