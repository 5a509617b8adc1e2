package fleet

import "time"

// AllTenants in Cluster.Tenants grants the cluster to every tenant.
const AllTenants = "*"

// Runtimes of a cluster, and of an agent.
const (
	ClusterAgents     = "agents"
	ClusterKubernetes = "kubernetes"

	RuntimeSimulated = "simulated"
	RuntimeDocker    = "docker"
)

// Cluster is a group of nodes that tenants are granted together.
type Cluster struct {
	Name            string            `json:"name"`
	Runtime         string            `json:"runtime"`
	Labels          map[string]string `json:"labels"`
	Tenants         []string          `json:"tenants,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	CreatedAt       time.Time         `json:"createdAt"`
}

// Grants says whether the tenant may use the cluster.
func (c Cluster) Grants(tenant string) bool {
	for _, t := range c.Tenants {
		if t == AllTenants || t == tenant {
			return true
		}
	}
	return false
}

// Node is a machine that an agent enrolled. Labels and Capacity are what its agent last reported and the
// control plane accepted: nothing else sets them.
type Node struct {
	Name     string
	Cluster  string
	Runtime  string // simulated or docker; empty where the agent did not say
	Labels   map[string]string
	Capacity Amount
	// Cordoned takes no new replicas. DrainDeadline is when replicas with a replacement stop even if it does
	// not run yet; zero where the node is not draining.
	Cordoned      bool
	DrainDeadline time.Time
	// Refusal is why the last report was refused; empty where it was accepted. For operators.
	Refusal FieldErrors
	// Version rises with every write of the row: an older copy never overwrites a newer one in memory.
	Version int64
	// AssignmentVersion rises whenever the list of the node's containers changes.
	AssignmentVersion int64
	EnrolledAt        time.Time
}

// Geo is what the node's labels say of where it is.
func (n Node) Geo() Geo {
	return Geo{Country: n.Labels[LabelNodeCountry], Region: n.Labels[LabelNodeGeoRegion]}
}

// Draining says whether replicas are being moved off the node.
func (n Node) Draining() bool { return !n.DrainDeadline.IsZero() }

// NodeState is what the control plane knows of a node beside its row.
type NodeState struct {
	Live bool `json:"live"`
	// LastHeartbeat is zero where the node was not heard since the control plane started.
	LastHeartbeat time.Time `json:"lastHeartbeat"`
	Used          Amount    `json:"used"`
	Containers    int       `json:"containers"`
	// UndeclaredRegion is set where the node advertises a region that this control plane does not declare.
	UndeclaredRegion bool `json:"undeclaredRegion"`
}
