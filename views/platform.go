package views

import (
	"time"

	"odysseus/fleet"
)

// NodesPage lists every node. Operators and support only.
type NodesPage struct {
	Chrome      Chrome
	Rows        []NodeRow
	Query       string
	Cluster     string
	Self        string
	First, Next string
}

func (m NodesPage) filtered() bool { return m.Query != "" || m.Cluster != "" }

// NodeRow is one node with what is known of it.
type NodeRow struct {
	fleet.Node
	State fleet.NodeState
	// Refusals are why the agent's last report was refused, in words.
	Refusals []string
	// Left is how many replicas a draining node still has, Stay the deployments of them that have no other place.
	Left int
	Stay []StayRow
}

// StayRow is a deployment whose replicas stay on a draining node.
type StayRow struct {
	fleet.Ref
	Replicas int
	Reasons  []fleet.Reason
}

// badge of a node: lost stands above what an operator asked of it.
func (r NodeRow) badge() State {
	switch {
	case !r.State.Live:
		return StateLost
	case r.Draining():
		return StateDraining
	case r.Cordoned:
		return StateCordoned
	default:
		return StateLive
	}
}

// ClustersPage lists every cluster with its nodes counted. Operators and support only.
type ClustersPage struct {
	Chrome      Chrome
	Rows        []ClusterRow
	First, Next string
}

// ClusterRow is one cluster.
type ClusterRow struct {
	fleet.Cluster
	Live, All int
}

// TenantsPage lists the tenants and where their deployments are.
type TenantsPage struct {
	Chrome      Chrome
	Rows        []TenantRow
	First, Next string
}

// TenantRow is one tenant with its namespaces.
type TenantRow struct {
	fleet.Tenant
	Namespaces []string
}

// AuditPage lists who wrote what, newest first.
type AuditPage struct {
	Chrome      Chrome
	Query       string
	Rows        []fleet.AuditEntry
	First, Next string
}

// AccountPage is one's own account.
type AccountPage struct {
	Chrome Chrome
	// Tokens of the tenant, or of the platform; only for those who may make some.
	Tokens    []fleet.Token
	MayIssue  bool
	Roles     []fleet.Role
	TokenName string
	ExpiresIn string
	Role      string
	// Secret of a token just made: shown this once.
	Secret   string
	Refusals []Refusal
}

func auditState(accepted bool) State {
	if accepted {
		return StateAccepted
	}
	return StateRefused
}

func object(e fleet.AuditEntry) string {
	if e.Namespace != "" {
		return e.Namespace + "/" + e.Name
	}
	return e.Name
}

func expired(now, at time.Time) bool { return !at.IsZero() && now.After(at) }
