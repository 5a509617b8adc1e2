package fleet

import "time"

// Workload is a Deployment of this product or any other resource, as lists over both have it.
type Workload struct {
	ResourceKey
	// Tenant owns the namespace; empty for a cluster-scoped resource.
	Tenant string
	UID    string
	Labels map[string]string
	// Replicas is how many are asked for; nil of a kind that has no count.
	Replicas *int
	// State and PendingSince are as of DeploymentStatus.
	State        PlacementState
	PendingSince time.Time
}
