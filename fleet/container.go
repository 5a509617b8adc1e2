package fleet

import "time"

// ContainerState is a container's state as the agents' API names it.
type ContainerState string

// States: assigned is the control plane's own, all others are what an agent reports.
const (
	StateAssigned  ContainerState = "assigned"
	StateStarting  ContainerState = "starting"
	StateRunning   ContainerState = "running"
	StateUnhealthy ContainerState = "unhealthy"
	StateExited    ContainerState = "exited"
	StateFailed    ContainerState = "failed"
	StateStopped   ContainerState = "stopped"
)

// ContainerStates in the order a container passes through them.
var ContainerStates = []ContainerState{StateAssigned, StateStarting, StateRunning, StateUnhealthy, StateExited, StateFailed, StateStopped}

// Container is one replica of a deployment, assigned to a node. Two containers may hold the same replica
// number while one replaces the other.
type Container struct {
	// ID is the deployment's UID, a dash and a counter: unique for ever, and says nothing of the node.
	ID            string
	Tenant        string
	Namespace     string
	Deployment    string
	DeploymentUID string
	// Revision of the deployment that the container satisfies. It runs the template of that revision.
	Revision int64
	Replica  int
	// Rendering is the number of what it runs where overrides changed that; 0 for the revision's own template.
	Rendering int64
	Node      string
	// Requests is what it takes of its node, as of the revision that it was assigned with.
	Requests  Amount
	State     ContainerState
	Message   string
	Restarts  int
	StartedAt time.Time
	// Parts is what the agent reported of each container of a replica that has several, by the container's name; nil
	// for a replica of one. State to StartedAt sum them up.
	Parts map[string]ContainerReport
	// Stop asks the agent to stop it; the row goes when the agent says that it did.
	Stop      bool
	CreatedAt time.Time
}

// Ready says whether the container serves.
func (c Container) Ready() bool { return c.State == StateRunning && !c.Stop }

// Gone says whether nothing of it runs any more, for good.
func (c Container) Gone() bool {
	return c.State == StateStopped || c.Stop && (c.State == StateExited || c.State == StateFailed)
}

// ContainerReport is what an agent says of one of its containers.
type ContainerReport struct {
	ID        string         `json:"id"`
	State     ContainerState `json:"state"`
	Message   string         `json:"message"`
	Restarts  int            `json:"restarts"`
	StartedAt *time.Time     `json:"startedAt"`
}

// Assignment is one container as its agent receives it. Image and all that follows are left out with Stop.
type Assignment struct {
	ID                            string     `json:"id"`
	Namespace                     string     `json:"namespace"`
	Deployment                    string     `json:"deployment"`
	Revision                      int64      `json:"revision"`
	Replica                       int        `json:"replica"`
	Image                         string     `json:"image,omitempty"`
	Command                       []string   `json:"command,omitempty"`
	Args                          []string   `json:"args,omitempty"`
	Env                           []EnvVar   `json:"env,omitempty"`
	Ports                         []Port     `json:"ports,omitempty"`
	Resources                     *Resources `json:"resources,omitempty"`
	RestartPolicy                 string     `json:"restartPolicy,omitempty"`
	TerminationGracePeriodSeconds int        `json:"terminationGracePeriodSeconds"`
	Stop                          bool       `json:"stop,omitempty"`
}

// AssignmentList is everything one node is to run, at a version that rises with each change.
type AssignmentList struct {
	Version    int64        `json:"version"`
	Containers []Assignment `json:"containers"`
}
