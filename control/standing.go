package control

import (
	"cmp"
	"context"
	"slices"

	"odysseus/fleet"
)

// Standing is a deployment of a list with what stands about it at this moment.
type Standing struct {
	Deployment fleet.Deployment
	Warnings   []fleet.Warning
	// Drift is where it runs outside what it requires.
	Drift []fleet.Drift
}

// Standings are Deployments with what stands about each: worked out for the page that is asked for, never for a fleet.
func (c *Control) Standings(ctx context.Context, a Actor, f fleet.DeploymentFilter, o fleet.ListOptions) (Page[Standing], error) {
	var page Page[Standing]
	deployments, err := c.Deployments(ctx, a, f, o)
	if err != nil {
		return page, err
	}
	geo, err := c.Effective(ctx)
	if err != nil {
		return page, err
	}
	page.Continue = deployments.Continue
	for _, d := range deployments.Items {
		s := Standing{Deployment: d, Warnings: c.warnNow(d, geo)}
		if d.Status.Drifting > 0 {
			s.Drift = c.deps.Fleet.Placement(d.Metadata.UID, false).Drift
		}
		page.Items = append(page.Items, s)
	}
	return page, nil
}

// CountDrifting counts the deployments that the actor may look into and that run something outside their residency.
func (c *Control) CountDrifting(ctx context.Context, a Actor) (int, error) {
	var count int
	err := c.read(ctx, a, kindDeployment, func(tx Reader) (err error) {
		count, err = tx.CountDrifting(ctx, a.Tenant)
		return err
	})
	return count, wrap("count drifting deployments", err)
}

// Simulated says whether containers within the actor's reach are only pretended to run: "It says on every page and in
// the API that it is simulated."
func (c *Control) Simulated(a Actor) bool {
	return mayRead(a, kindDeployment) == nil && c.deps.Fleet.Simulated(a.Tenant)
}

// Leaving is what is left on a node that is being drained.
type Leaving struct {
	// Replicas are the containers that were not told to stop yet.
	Replicas int
	// Stay are the deployments whose replicas have no other place, by namespace and name.
	Stay []Stay
}

// Stay is a deployment whose replicas stay on a draining node, and why they have no other place.
type Stay struct {
	fleet.Ref
	Replicas int
	Reasons  []fleet.Reason
}

// Leaving of one node. Operators and support only.
func (c *Control) Leaving(ctx context.Context, a Actor, node string) (Leaving, error) {
	var l Leaving
	containers, err := c.NodeContainers(ctx, a, node)
	if err != nil {
		return l, err
	}
	at := map[string]int{} // the place in Stay by the deployment's UID; -1 where it has another place
	for _, held := range containers {
		if held.Stop {
			continue
		}
		l.Replicas++
		i, known := at[held.DeploymentUID]
		if !known {
			i = -1
			if pending := c.deps.Fleet.Placement(held.DeploymentUID, a.SeesNodes()).Pending; pending != nil {
				i = len(l.Stay)
				l.Stay = append(l.Stay, Stay{Ref: fleet.Ref{Tenant: held.Tenant, Namespace: held.Namespace, Name: held.Deployment}, Reasons: pending.Reasons})
			}
			at[held.DeploymentUID] = i
		}
		if i >= 0 {
			l.Stay[i].Replicas++
		}
	}
	slices.SortFunc(l.Stay, func(a, b Stay) int { return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name)) })
	return l, nil
}
