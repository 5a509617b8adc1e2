package fleet

import (
	"encoding/json"
	"time"
)

// Snapshot is the whole fleet as it is stored: what the scheduler starts from.
type Snapshot struct {
	Clusters    []Cluster
	Nodes       []Node
	Deployments []Deployment // with Status; preserved ones too
	// Resources with Status; preserved ones too. A Secret's values are hidden.
	Resources  []StoredResource
	Policies   []Policy
	Overrides  []Override
	Containers []Container
	// Bindings by the UID of the deployment or resource; none for what has no policy and no history.
	Bindings map[string]Binding
	// Renderings are what overrides made of resources.
	Renderings []Rendering
}

// Decision is what the scheduler wants stored for one deployment or resource. It holds only while the stored
// generation still is Generation; of one that is gone (Deleted) only Stop and Remove apply.
type Decision struct {
	Ref Ref
	// Resource says that UID names a row of the resources, not of the odysseus/v1 deployments.
	Resource      bool
	DeploymentUID string
	Generation    int64
	Deleted       bool

	Assign []Container
	Adopt  []Adoption
	Stop   []string // container IDs that their agents are to stop
	Remove []string // container IDs of which nothing runs any more
	// Status is nil where it stays as it is.
	Status *DeploymentStatus
	// LastContainer is the highest counter in a container ID of this deployment so far; stored with it so that no
	// ID is ever used twice, over a restart either. 0 where it stays as it is.
	LastContainer int64
	// Binding is nil where it stays as it is.
	Binding *Binding
	// Renderings come to be, Drop are the numbers of those that nothing uses any more.
	Renderings []Rendering
	Drop       []int64
	Events     []Event
}

// Rendering is a resource as one cluster receives it where overrides changed it. It is stored once what it says is to
// be run or read there, and stays the same: a container keeps what it was started with, and what an override was before
// it was deleted is never looked up again.
type Rendering struct {
	UID    string // of the deployment or resource
	Number int64  // from 1, never used twice for one UID
	// Cluster is where it counts now, for a resource that runs nothing; a workload's containers name theirs themselves.
	Cluster string
	// Object is the whole document. Of a Secret the values that no override set are HiddenValue.
	Object json.RawMessage
}

// Adoption marks a container as satisfying a newer revision that asks for nothing else of it.
type Adoption struct {
	ID       string
	Revision int64
}

// Event types.
const (
	EventNormal  = "Normal"
	EventWarning = "Warning"
)

// Event is something that happened to an object. Its words are made at the edge, from Reason and Args; the same
// Reason and Args in a row count up instead of adding a line.
type Event struct {
	Time   time.Time
	Tenant string
	// Kind, Namespace, Name and UID of the object that it happened to.
	Kind, Namespace, Name, UID string
	Type                       string
	Reason                     string
	Args                       map[string]string
	Count                      int
}
