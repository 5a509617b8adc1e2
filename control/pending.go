package control

import (
	"context"

	"odysseus/fleet"
)

// PendingDeployment is a deployment with replicas that have no node, and every reason for it.
type PendingDeployment struct {
	Deployment fleet.Deployment
	Pending    fleet.PendingReplicas
}

// PendingFilter narrows the list of pending deployments.
type PendingFilter struct {
	Tenant string // not heeded for tenants
	Reason fleet.Code
}

// Pending lists pending deployments, oldest first: all for the platform's roles, a tenant's own for it. A page may
// hold fewer than asked for where reasons filter.
func (c *Control) Pending(ctx context.Context, a Actor, f PendingFilter, o fleet.ListOptions) (Page[PendingDeployment], error) {
	var page Page[PendingDeployment]
	tenant := f.Tenant
	if !a.Platform() {
		tenant = a.Tenant
	}
	err := c.read(ctx, a, kindDeployment, func(tx Reader) error {
		geo, _, err := c.effective(ctx, tx)
		if err != nil {
			return err
		}
		for {
			deployments, next, err := tx.Deployments(ctx, fleet.DeploymentFilter{Tenant: tenant, PendingFirst: true}, o)
			if err != nil {
				return err
			}
			for _, d := range deployments {
				pending := c.deps.Fleet.Placement(d.Metadata.UID, a.SeesNodes()).Pending
				if pending == nil || f.Reason != "" && !hasReason(*pending, f.Reason) {
					continue
				}
				complete(&d, geo)
				page.Items = append(page.Items, PendingDeployment{Deployment: d, Pending: *pending})
			}
			page.Continue = next
			if next == "" || len(page.Items) > 0 {
				return nil
			}
			o.After = next
		}
	})
	return page, wrap("list pending", err)
}

func hasReason(p fleet.PendingReplicas, code fleet.Code) bool {
	for _, r := range p.Reasons {
		if r.Code == code {
			return true
		}
	}
	return false
}
