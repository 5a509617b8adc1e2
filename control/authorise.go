package control

import (
	"context"
	"slices"

	"odysseus/fleet"
)

// kinds of things that somebody may read or write, as the audit names them.
const (
	kindTenant         = "Tenant"
	kindNamespace      = "Namespace"
	kindUser           = "User"
	kindToken          = "Token"
	kindPlatformToken  = "PlatformToken"
	kindCluster        = "Cluster"
	kindEnrolmentToken = "EnrolmentToken"
	kindNode           = "Node"
	kindDeployment     = fleet.KindDeployment
	kindGeoAwareness   = "GeoAwareness"
	kindRegion         = "Region"
	kindAudit          = "AuditEntry"
	kindSession        = "Session"
	kindSimulation     = "Simulation"
	kindPolicy         = fleet.KindPropagationPolicy
	kindClusterPolicy  = fleet.KindClusterPropagationPolicy

	kindOverride        = fleet.KindOverridePolicy
	kindClusterOverride = fleet.KindClusterOverridePolicy
	// A resource is audited as what it is: "apps/v1 Deployment".
	kindResource        = "Resource"
	kindClusterResource = "ClusterResource"
	kindManifest        = "Manifest" // a stream of documents, each under its own kind's rule
)

// rule is who may read and who may write a kind. Whose thing it is, is decided by where it is looked up.
type rule struct{ read, write []fleet.Role }

const (
	operator = fleet.RoleOperator
	support  = fleet.RoleSupport
	editor   = fleet.RoleEditor
	viewer   = fleet.RoleViewer
)

// rules is the one table of authorisation: role × kind × read or write. "Support may GET whatever operators may
// GET, secrets apart, and nothing else." A kind without a line is nobody's.
func rules(kind string) rule {
	everyone := []fleet.Role{operator, support, editor, viewer}
	platform := []fleet.Role{operator, support}
	operators := []fleet.Role{operator}
	switch kind {
	case kindDeployment, kindPolicy, kindOverride, kindResource, kindManifest:
		return rule{read: everyone, write: []fleet.Role{operator, editor}}
	case kindToken: // of a tenant
		return rule{read: []fleet.Role{operator, support, editor}, write: []fleet.Role{operator, editor}}
	case kindTenant, kindNamespace, kindUser, kindPlatformToken, kindEnrolmentToken, kindNode, kindGeoAwareness, kindClusterPolicy, kindClusterOverride, kindClusterResource:
		return rule{read: platform, write: operators}
	case kindCluster: // tenants see those granted to them
		return rule{read: everyone, write: operators}
	case kindRegion: // and the geography that nodes advertise
		return rule{read: everyone}
	case kindSimulation: // "tenant, operator": nothing is stored, and support POSTs nothing
		return rule{read: everyone, write: []fleet.Role{operator, editor, viewer}}
	case kindAudit:
		return rule{read: platform}
	}
	return rule{}
}

// mayRead comes first, before anything is looked up: what a role can never see is 403, whether it is there or not.
func mayRead(a Actor, kind string) error { return may(a, rules(kind).read) }

// mayWrite comes once the caller is known to see the thing: 404 goes before 403.
func mayWrite(a Actor, kind string) error { return may(a, rules(kind).write) }

func may(a Actor, roles []fleet.Role) error {
	switch {
	case a.Role == "":
		return ErrUnauthenticated
	case !slices.Contains(roles, a.Role):
		return ErrForbidden
	case !a.Platform() && a.Tenant == "":
		return ErrForbidden // a tenant's role without its tenant would read everybody's things
	}
	return nil
}

// ownNamespace finds a namespace that the actor may look into. Somebody else's is not found, after the same look-up.
func ownNamespace(ctx context.Context, tx Reader, a Actor, name string) (fleet.Namespace, error) {
	ns, err := tx.Namespace(ctx, name)
	if err != nil {
		return fleet.Namespace{}, err
	}
	if !a.Platform() && ns.Tenant != a.Tenant {
		return fleet.Namespace{}, fleet.ErrNotFound
	}
	return ns, nil
}

// ownTenant finds a tenant whose things the actor may manage; an empty name is the platform itself.
func ownTenant(ctx context.Context, tx Reader, a Actor, name string) error {
	if name == "" {
		if !a.Platform() {
			return ErrForbidden
		}
		return nil
	}
	if _, err := tx.Tenant(ctx, name); err != nil {
		return err
	}
	if !a.Platform() && name != a.Tenant {
		return fleet.ErrNotFound
	}
	return nil
}
