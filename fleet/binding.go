package fleet

import (
	"maps"
	"time"
)

// Binding is what the scheduler remembers of a resource beside its containers: who holds it, and what is moved off.
type Binding struct {
	// Policy holds the resource; nil for none. "A claim is sticky."
	Policy *PolicyRef `json:"policy,omitempty"`
	// Kept: the policy that distributed it was deleted and left it on the members. It is shown as no longer managed.
	Kept bool `json:"kept,omitempty"`
	// Clusters are where a resource without replicas is, sorted by name; of a workload its containers say so.
	Clusters []string `json:"clusters,omitempty"`
	// Renderings are the numbers of what the clusters receive where overrides changed it; a cluster that receives the
	// resource as it stands is not among them.
	Renderings map[string]int64 `json:"renderings,omitempty"`
	// LastRendering is the highest number used.
	LastRendering int64 `json:"lastRendering,omitempty"`
	// Divided are the parts of clusters whose count an override decides: what the next division goes on from.
	Divided map[string]int `json:"divided,omitempty"`
	// Failovers are by cluster, sorted by name.
	Failovers []ClusterFailover `json:"failovers,omitempty"`
}

// ClusterFailover is what is known of a workload's health on a cluster: since when it is unhealthy there, and what
// came of it. Times are of the wall clock, so that timers survive a restart.
type ClusterFailover struct {
	Cluster string `json:"cluster"`
	// UnhealthySince is zero once it recovered, or was moved off for good.
	UnhealthySince time.Time `json:"unhealthySince,omitzero"`
	// MovedAt is when it was moved off: the cluster is no candidate from then on, until the workload changes or
	// somebody asks to divide afresh. Zero while it was not.
	MovedAt time.Time `json:"movedAt,omitzero"`
	// Purged: what ran there was told to stop. Under Graciously that is later than MovedAt.
	Purged bool `json:"purged,omitempty"`
	// Manual: "left in place, flagged for a person".
	Manual bool `json:"manual,omitempty"`
	// Generation of the workload when it was moved.
	Generation int64 `json:"generation,omitempty"`
}

// Equal compares two bindings.
func (b *Binding) Equal(o *Binding) bool {
	if (b.Policy == nil) != (o.Policy == nil) || b.Policy != nil && *b.Policy != *o.Policy || b.Kept != o.Kept ||
		!maps.Equal(b.Renderings, o.Renderings) || !maps.Equal(b.Divided, o.Divided) || b.LastRendering != o.LastRendering || len(b.Clusters) != len(o.Clusters) || len(b.Failovers) != len(o.Failovers) {
		return false
	}
	for i := range b.Clusters {
		if b.Clusters[i] != o.Clusters[i] {
			return false
		}
	}
	for i := range b.Failovers {
		if !b.Failovers[i].equal(o.Failovers[i]) {
			return false
		}
	}
	return true
}

func (f ClusterFailover) equal(o ClusterFailover) bool {
	return f.Cluster == o.Cluster && f.UnhealthySince.Equal(o.UnhealthySince) && f.MovedAt.Equal(o.MovedAt) &&
		f.Purged == o.Purged && f.Manual == o.Manual && f.Generation == o.Generation
}
