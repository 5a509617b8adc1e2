package fleet

import "strings"

// PodTemplate is what one replica of a workload runs: containers that live together on one node. An odysseus/v1
// Deployment is one container; of an apps/v1 Deployment or a batch/v1 Job it is the part of the pod template that
// agents can run.
type PodTemplate struct {
	Containers                    []PodContainer `json:"containers"`
	RestartPolicy                 string         `json:"restartPolicy"`
	TerminationGracePeriodSeconds int            `json:"terminationGracePeriodSeconds"`
}

// PodContainer is one of a replica's containers. Name is empty for an odysseus/v1 Deployment, which has only one.
type PodContainer struct {
	Name      string          `json:"name,omitempty"`
	Image     string          `json:"image"`
	Command   []string        `json:"command,omitempty"`
	Args      []string        `json:"args,omitempty"`
	Env       []EnvVar        `json:"env,omitempty"`
	EnvFrom   []EnvFromSource `json:"envFrom,omitempty"`
	Ports     []Port          `json:"ports,omitempty"`
	Resources *Resources      `json:"resources,omitempty"`
}

// Dependency is a ConfigMap or Secret that a workload names.
type Dependency struct {
	Kind string // ConfigMap or Secret
	Name string
	// Key is the one that is read; empty for all of them.
	Key      string
	Optional bool
}

// ContainerID is how an agent knows the container at that index of a replica whose row has the given ID: as the row
// where it is the only one, and otherwise as the row, a dot and its name, which is a DNS label and has no dot.
func (t PodTemplate) ContainerID(row string, i int) string {
	if len(t.Containers) == 1 {
		return row
	}
	return row + "." + t.Containers[i].Name
}

// CutContainerID takes an agent's ID of a container apart; the name is empty where it is the row's own.
func CutContainerID(id string) (row, name string) {
	if i := strings.LastIndexByte(id, '.'); i >= 0 {
		return id[:i], id[i+1:]
	}
	return id, ""
}
