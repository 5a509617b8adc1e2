package handlers

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"odysseus/control"
	"odysseus/fleet"
)

// envelope is what every object carries, whatever its kind. The kinds that are no manifests have their fields
// beside it, as they are posted.
type envelope struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   fleet.Metadata `json:"metadata"`
}

func enveloped(kind, name, version string, created time.Time) envelope {
	e := envelope{APIVersion: fleet.APIVersion, Kind: kind, Metadata: fleet.Metadata{Name: name, ResourceVersion: version}}
	if !created.IsZero() {
		e.Metadata.CreationTimestamp = &created
	}
	return e
}

type tenantJSON struct {
	envelope
	fleet.Tenant
}

func tenantObject(t fleet.Tenant) tenantJSON {
	return tenantJSON{enveloped("Tenant", t.Name, "", t.CreatedAt), t}
}

type namespaceJSON struct {
	envelope
	fleet.Namespace
}

func namespaceObject(n fleet.Namespace) namespaceJSON {
	return namespaceJSON{enveloped("Namespace", n.Name, "", n.CreatedAt), n}
}

type userJSON struct {
	envelope
	fleet.User
}

func userObject(u fleet.User) userJSON {
	return userJSON{enveloped("User", u.Email, "", u.CreatedAt), u}
}

// tokenJSON never holds a secret but in the one answer to its creation.
type tokenJSON struct {
	envelope
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Tenant    string     `json:"tenant,omitempty"`
	Role      fleet.Role `json:"role"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"` // left out where it never expires
	Token     string     `json:"token,omitempty"`
}

func tokenObject(t fleet.Token) tokenJSON {
	out := tokenJSON{envelope: enveloped("Token", t.Name, "", t.CreatedAt), ID: t.ID, Name: t.Name, Tenant: t.Tenant, Role: t.Role, CreatedAt: t.CreatedAt}
	if !t.ExpiresAt.IsZero() {
		out.ExpiresAt = &t.ExpiresAt
	}
	return out
}

type enrolmentTokenJSON struct {
	fleet.EnrolmentToken
	Token string `json:"token"`
}

type clusterJSON struct {
	envelope
	fleet.Cluster
	Nodes *nodeCount `json:"nodes,omitempty"` // operators and support only
}

type nodeCount struct {
	Live int `json:"live"`
	All  int `json:"all"`
}

func clusterObject(c fleet.Cluster) clusterJSON {
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	return clusterJSON{envelope: enveloped("Cluster", c.Name, c.ResourceVersion, c.CreatedAt), Cluster: c}
}

// clusterView adds the nodes, for the platform's roles.
func clusterView(a control.Actor) func(control.ClusterView) clusterJSON {
	return func(v control.ClusterView) clusterJSON {
		out := clusterObject(v.Cluster)
		if a.SeesNodes() {
			out.Nodes = &nodeCount{v.NodesLive, v.Nodes}
		}
		return out
	}
}

type nodeJSON struct {
	envelope
	Name     string            `json:"name"`
	Cluster  string            `json:"cluster"`
	Runtime  string            `json:"runtime,omitempty"`
	Country  string            `json:"country,omitempty"`
	Region   string            `json:"region,omitempty"`
	Labels   map[string]string `json:"labels"`
	Capacity capacityJSON      `json:"capacity"`
	Used     capacityJSON      `json:"used"`
	// State is ready or lost.
	State         string        `json:"state"`
	Cordoned      bool          `json:"cordoned"`
	Draining      bool          `json:"draining"`
	DrainDeadline *time.Time    `json:"drainDeadline,omitempty"`
	LastHeartbeat *time.Time    `json:"lastHeartbeat,omitempty"`
	Containers    int           `json:"containers"`
	Refusal       []faultJSON   `json:"refusal"` // why its last report was refused
	Warnings      []warningJSON `json:"warnings"`
}

type capacityJSON struct {
	CPU        string `json:"cpu"`
	Memory     string `json:"memory"`
	Containers int64  `json:"containers"`
}

func capacityOf(a fleet.Amount) capacityJSON {
	return capacityJSON{CPU: resource.NewMilliQuantity(a.MilliCPU, resource.DecimalSI).String(),
		Memory: resource.NewQuantity(a.Memory, resource.BinarySI).String(), Containers: a.Slots}
}

func (e edge) nodeObject(v control.NodeView) nodeJSON {
	n := nodeJSON{
		envelope: enveloped("Node", v.Name, "", v.EnrolledAt), Name: v.Name, Cluster: v.Cluster, Runtime: v.Runtime,
		Country: v.Geo().Country, Region: v.Geo().Region, Labels: v.Labels, Capacity: capacityOf(v.Capacity), Used: capacityOf(v.State.Used),
		State: "lost", Cordoned: v.Cordoned, Draining: v.Draining(), Containers: v.State.Containers, Refusal: faultsJSON(e.words, v.Refusal), Warnings: []warningJSON{},
	}
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Metadata.Labels = n.Labels
	if v.State.Live {
		n.State = "ready"
	}
	if v.Draining() {
		n.DrainDeadline = &v.DrainDeadline
	}
	if !v.State.LastHeartbeat.IsZero() {
		n.LastHeartbeat = &v.State.LastHeartbeat
	}
	if v.State.UndeclaredRegion {
		n.Warnings = e.warnings([]fleet.Warning{{Code: fleet.CodeNodeRegionUnknown, Args: map[string]string{"Region": n.Region, "Node": v.Name}}})
	}
	return n
}

type eventJSON struct {
	Time    time.Time `json:"time"`
	Type    string    `json:"type"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Count   int       `json:"count"`
}

func (e edge) eventObject(v fleet.Event) eventJSON {
	return eventJSON{Time: v.Time, Type: v.Type, Reason: v.Reason, Message: e.words.Event(v), Count: v.Count}
}
