package control

import (
	"context"

	"odysseus/fleet"
)

// Reschedule divides a deployment afresh: by what each cluster can take now plus what it holds. "Asking raises
// the generation and nothing else": the spec, its revision and the resourceVersion stay.
func (c *Control) Reschedule(ctx context.Context, a Actor, namespace, name string, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	s := &subject{verb: "reschedule", kind: kindDeployment, namespace: namespace, name: name}
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (deploymentDraft, fleet.FieldErrors, error) {
			_, old, err := c.forWriting(ctx, tx, a, s, o)
			if err != nil {
				return deploymentDraft{}, nil, err
			}
			geo, _, err := c.effective(ctx, tx)
			if err != nil {
				return deploymentDraft{}, nil, err
			}
			next := old
			next.Metadata.Generation++
			next.DividedAfresh = next.Metadata.Generation
			return deploymentDraft{old: &old, next: next, geo: geo, warnings: c.warnNow(old, geo),
				events: []fleet.Event{c.deploymentEvent(next, fleet.EventNormal, EventRescheduled, nil)}}, nil, nil
		},
		func(tx Writer, d *deploymentDraft) (effect, error) {
			changes, err := c.storeDeployment(ctx, tx, a, d)
			return effect{changes: changes}, err
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Deployment]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.DeploymentChanged(draft.next)
	}
	return draft.written(), nil, nil
}
