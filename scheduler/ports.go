package scheduler

import (
	"context"

	"odysseus/fleet"
)

// Store is what the scheduler needs of the database.
type Store interface {
	// Load reads the whole fleet, once, at the start.
	Load(ctx context.Context) (fleet.Snapshot, error)
	// Commit stores decisions in one transaction and answers, for each, whether it held: false where the
	// deployment's generation has moved on, then nothing of that decision is stored. Every node whose list of
	// containers changed gets a higher AssignmentVersion.
	Commit(ctx context.Context, decisions []fleet.Decision) ([]bool, error)
}

// Listener hears what was committed, after the commit, in order.
type Listener interface {
	// AssignmentsChanged names the nodes whose lists changed.
	AssignmentsChanged(nodes []string)
	// DeploymentsChanged names the deployments whose placement or status changed.
	DeploymentsChanged(refs []fleet.Ref)
}
