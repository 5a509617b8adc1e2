package control

import (
	"context"
	"slices"

	"odysseus/fleet"
)

// PendingWorkload is a deployment or a resource with replicas that have no node, and every reason for it.
type PendingWorkload struct {
	fleet.Workload
	Pending fleet.PendingReplicas
}

// PendingFilter narrows the list of what is pending.
type PendingFilter struct {
	Tenant string // not heeded for tenants
	Reason fleet.Code
}

// Pending lists deployments and resources that are pending, oldest first: all for the platform's roles, a tenant's own for
// it. A page may hold fewer than asked for where reasons filter.
func (c *Control) Pending(ctx context.Context, a Actor, f PendingFilter, o fleet.ListOptions) (Page[PendingWorkload], error) {
	var page Page[PendingWorkload]
	tenant := f.Tenant
	if !a.Platform() {
		tenant = a.Tenant
	}
	err := c.read(ctx, a, kindDeployment, func(tx Reader) error {
		if err := mayRead(a, kindResource); err != nil {
			return err
		}
		for {
			workloads, next, err := tx.PendingWorkloads(ctx, tenant, o)
			if err != nil {
				return err
			}
			for _, w := range workloads {
				pending := c.deps.Fleet.Placement(w.UID, a.SeesNodes()).Pending
				if pending == nil || f.Reason != "" && !hasReason(*pending, f.Reason) {
					continue
				}
				page.Items = append(page.Items, PendingWorkload{Workload: w, Pending: *pending})
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
	return slices.ContainsFunc(p.Reasons, func(r fleet.Reason) bool { return r.Code == code })
}

// StateCounts are how many are in each state; states that nothing is in are left out.
type StateCounts struct {
	Deployments map[fleet.PlacementState]int
	// Others are the resources that have a replica count.
	Others map[fleet.PlacementState]int
}

// CountStates of what the actor may look into.
func (c *Control) CountStates(ctx context.Context, a Actor) (StateCounts, error) {
	var counts StateCounts
	err := c.read(ctx, a, kindDeployment, func(tx Reader) (err error) {
		if err = mayRead(a, kindResource); err != nil {
			return err
		}
		if counts.Deployments, err = tx.CountStates(ctx, a.Tenant); err != nil {
			return err
		}
		counts.Others, err = tx.CountResourceStates(ctx, a.Tenant)
		return err
	})
	return counts, wrap("count states", err)
}
