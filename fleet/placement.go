package fleet

import "time"

// PlacementState is a deployment's placement in one word.
type PlacementState string

// Placed: every desired replica is assigned to a node, running or not (0 replicas too). PartlyPlaced: some.
// Pending: none. Waiting: not divided yet. A replica that has to leave its node and finds no other is assigned still;
// one that is lost, or that is not what the newest revision asks for and cannot be replaced, does not count.
const (
	Placed       PlacementState = "Placed"
	PartlyPlaced PlacementState = "PartlyPlaced"
	Pending      PlacementState = "Pending"
	Waiting      PlacementState = "Waiting"
)

// DeploymentStatus is what the scheduler stores with a deployment for lists to filter by. Reasons are not
// stored: they are derived from the fleet as it is when somebody asks. Placed counts the replicas that a live node
// holds, whatever State says of them; PendingSince is set while there are PendingReplicas, also where State is Placed.
type DeploymentStatus struct {
	State              PlacementState    `json:"state"`
	Replicas           int               `json:"replicas"`
	Placed             int               `json:"placed"`
	Ready              int               `json:"ready"`
	Drifting           int               `json:"drifting"`
	PendingSince       *time.Time        `json:"pendingSince,omitempty"`
	ObservedGeneration int64             `json:"observedGeneration"`
	Revision           int64             `json:"revision"`
	ResidencyLabels    map[string]string `json:"residencyLabels,omitempty"`
	// UndeclaredRegion names the region that the residency asks for and that no longer is declared.
	UndeclaredRegion string `json:"undeclaredRegion,omitempty"`
}

// PlacementReport answers where a deployment runs, and why not elsewhere.
type PlacementReport struct {
	State    PlacementState     `json:"state"`
	Policy   *PolicyRef         `json:"policy"`
	Clusters []PlacementCluster `json:"clusters"`
	// Excluded are the clusters that were selected and are no candidates: "named with its reason". Sorted by name.
	Excluded []ExcludedCluster `json:"excluded,omitempty"`
	// Unmanaged: the policy that distributed it is gone and left it where it is.
	Unmanaged bool `json:"unmanaged,omitempty"`
	// Outranking are the policies that would decide instead of Policy if nobody held the resource, best first.
	Outranking []PolicyRef      `json:"outranking,omitempty"`
	Pending    *PendingReplicas `json:"pending,omitempty"`
	Drift      []Drift          `json:"drift,omitempty"`
}

// PolicyRef names the propagation policy that decides; nil where none does.
type PolicyRef struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// PlacementCluster is one cluster's part. Weight is absent where none applies. For operators and support Available
// is the number of replicas that the cluster can still take. For tenants it is how many of the workload's own it
// holds or, while some are pending, could hold: of free room they learn no more than concerns them.
type PlacementCluster struct {
	Name      string `json:"name"`
	Weight    *int64 `json:"weight,omitempty"`
	Available int64  `json:"available"`
	Desired   int    `json:"desired"`
	// Divided is the part that the division gave, where an override decides another count.
	Divided   *int            `json:"divided,omitempty"`
	Placed    int             `json:"placed"`
	Ready     int             `json:"ready"`
	Overrides []string        `json:"overrides,omitempty"`
	Nodes     []PlacementNode `json:"nodes,omitempty"` // operators and support only
}

// PlacementNode is a node that holds at least one replica.
type PlacementNode struct {
	Name     string `json:"name"`
	Replicas int    `json:"replicas"`
}

// PendingReplicas are the replicas without an acceptable place, and every reason for it: those without a node, and
// those that stay on one which they should leave.
type PendingReplicas struct {
	Replicas int       `json:"replicas"`
	Since    time.Time `json:"since"`
	Reasons  []Reason  `json:"reasons"`
}

// Reason is why replicas are pending. Its words are made at the edge, from Code and the values. Reported holds what
// the nodes advertise that the geo filter refuses, and those alone.
type Reason struct {
	Code     Code         `json:"code"`
	Message  string       `json:"message"`
	Required *Requirement `json:"required,omitempty"`
	Reported *Geography   `json:"reported,omitempty"`
	// Unlabelled is set where some node that was refused reports neither country nor region.
	Unlabelled bool `json:"-"`
	// Blocked is why an override does not apply, of ReasonOverrideBlocked.
	Blocked *RenderError `json:"-"`
	// Clusters that the reason is about, where it is about some of them: those without room, or that do not answer.
	Clusters []string `json:"clusters,omitempty"`
	// Field of the manifest that a runtime cannot carry out, or the dependency that is not there ("ConfigMap cm").
	Field string       `json:"field,omitempty"`
	Nodes []NodeReason `json:"nodes,omitempty"` // operators and support only
}

// NodeReason is why one node takes no replica. Reason is a Code; its words are made at the edge.
type NodeReason struct {
	Name    string `json:"name"`
	Cluster string `json:"cluster"`
	Country string `json:"country"`
	Region  string `json:"region"`
	Reason  Code   `json:"reason"`
}

// Drift is replicas that run outside what their deployment requires.
type Drift struct {
	Required Requirement `json:"required"`
	Reported Geo         `json:"reported"`
	Replicas int         `json:"replicas"`
}

// Ref names a deployment.
type Ref struct {
	Tenant    string `json:"-"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// MaxRegionUsers bounds how many deployments an impact names for each region in use.
const MaxRegionUsers = 100

// Impact is what a change of GeoAwareness would do, before it is saved. Lists are sorted by namespace and name.
type Impact struct {
	// Drift: deployments with a replica that would come to be outside its residency.
	Drift []Ref `json:"drift"`
	// MatchNothing: deployments that no live node within reach would satisfy any more.
	MatchNothing []Ref `json:"matchNothing"`
	// Freed: deployments that are held back by residency today and would not be any more.
	Freed []Ref `json:"freed"`
	// RegionInUse: how many deployments name each region that the change removes.
	RegionInUse map[string]int `json:"regionInUse"`
	// RegionUsers: the first of those deployments, at most MaxRegionUsers for each region.
	RegionUsers map[string][]Ref `json:"regionUsers"`
}
