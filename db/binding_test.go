package db_test

import (
	"context"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// boundBy is a binding with a value in every field.
func boundBy(p fleet.Policy) *fleet.Binding {
	ref := p.Ref()
	return &fleet.Binding{
		Policy: &ref, Clusters: []string{"canada", "europe"},
		Failovers: []fleet.ClusterFailover{
			{Cluster: "canada", UnhealthySince: start, MovedAt: start.Add(time.Second), Purged: true, Generation: 3}, {Cluster: "europe", Manual: true},
		},
	}
}

func TestCommitWritesBindingsOfDeploymentsAndResources(t *testing.T) {
	r := newRig(t)
	p := r.decree(policy("acme", "p"), policy("", "p"))
	d, s := r.insert(deployment("acme", "web"))[0], r.store(workload("acme", "web"), configMap("acme", "web", `{}`))
	same(t, "none yet", r.binding(d.Metadata.UID), fleet.Binding{})
	first := boundBy(p[0])
	r.commit(decision(d, func(x *fleet.Decision) { x.Binding = first }), about(s[0], func(x *fleet.Decision) { x.Binding = boundBy(p[1]) }),
		about(s[1], func(x *fleet.Decision) { x.Binding = &fleet.Binding{Kept: true} }))
	same(t, "deployment's", r.binding(d.Metadata.UID), *first)
	same(t, "resource's", r.binding(s[0].UID), *boundBy(p[1]))
	same(t, "kept", r.binding(s[1].UID), fleet.Binding{Kept: true})

	second := fleet.Binding{Policy: boundBy(p[1]).Policy, Clusters: []string{"alps"}}
	r.commit(decision(d, func(x *fleet.Decision) { x.Binding = &second }))
	same(t, "replaced", r.binding(d.Metadata.UID), second)
	r.commit(decision(d, func(x *fleet.Decision) { x.Status = &fleet.DeploymentStatus{State: fleet.Placed} }))
	same(t, "left out, it stays", r.binding(d.Metadata.UID), second)
	r.commit(decision(d, func(x *fleet.Decision) { x.Binding = &fleet.Binding{Clusters: []string{}} }))
	same(t, "the zero value is none", r.rows("bindings WHERE uid = ?", d.Metadata.UID), 0)
}

func TestCommitOfAResourceIsAsOfADeployment(t *testing.T) {
	r := newRig(t)
	s := r.store(workload("acme", "web"))[0]
	r.insert(deployment("acme", "web", func(d *fleet.Deployment) { d.Metadata.UID = "same-name" }))
	one := container(fleet.Deployment{Tenant: "acme", Revision: 1, Metadata: fleet.Metadata{UID: s.UID, Namespace: "acme", Name: "web"}}, 1, "n0")
	status := fleet.DeploymentStatus{
		State: fleet.PartlyPlaced, Replicas: 3, Placed: 2, Ready: 1, Drifting: 1, PendingSince: at(start), ObservedGeneration: 1, UndeclaredRegion: "moon",
	}
	event := fleet.Event{Time: start, Tenant: "acme", Kind: "Deployment", Namespace: "acme", Name: "web", UID: s.UID, Type: fleet.EventNormal, Reason: "Bound", Count: 1}
	r.commit(about(s, func(x *fleet.Decision) {
		x.Assign, x.Status, x.LastContainer, x.Events = []fleet.Container{one}, &status, 1, []fleet.Event{event}
	}))
	r.commit(about(s, func(x *fleet.Decision) { x.LastContainer = 5 }))
	r.commit(about(s, func(x *fleet.Decision) { x.LastContainer = 4 }))
	same(t, "containers", r.containers(s.UID), []fleet.Container{one})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Resource(ctx, "acme", s.Key())
		want := s
		status.Revision = 1
		want.Status, want.LastContainer = &status, 5
		same(t, "resource", got, want)
		is(t, "resource", err, nil)
		d, err := tx.Deployment(ctx, "acme", "acme", "web")
		same(t, "a deployment of the same name", *d.Status, fleet.DeploymentStatus{State: fleet.Waiting, Replicas: 1, Revision: 1})
		is(t, "a deployment of the same name", err, nil)
		events, _, err := tx.Events(ctx, "acme", s.UID, fleet.ListOptions{})
		same(t, "events", events, []fleet.Event{event})
		return err
	})
}

func TestCommitStoresNothingForAResourceThatMovedOrAPolicyThatIsGone(t *testing.T) {
	r := newRig(t)
	p := r.decree(policy("acme", "stays"), policy("acme", "goes"))
	s, d := r.store(workload("acme", "moved"), workload("acme", "deleted"), workload("acme", "orphaned"), workload("acme", "sound")), r.insert(deployment("acme", "web"))[0]
	r.update(func(ctx context.Context, tx *db.Tx) error {
		next := s[0]
		next.Generation = 2
		is(t, "update", second(tx.UpdateResource(ctx, next)), nil)
		is(t, "delete", tx.DeleteResource(ctx, "acme", s[1].UID), nil)
		return tx.DeletePolicy(ctx, p[1])
	})
	everything := func(by fleet.Policy) func(*fleet.Decision) {
		return func(x *fleet.Decision) {
			x.Status, x.LastContainer, x.Binding = &fleet.DeploymentStatus{State: fleet.Placed}, 9, boundBy(by)
		}
	}
	mistaken := decision(d, everything(p[0]))
	mistaken.Resource = true // the UID is a deployment's
	held, err := r.Commit(t.Context(), []fleet.Decision{
		about(s[0], everything(p[0])), about(s[1], everything(p[0])), about(s[2], everything(p[1])), about(s[3], everything(p[0])), mistaken, decision(d, everything(p[1])),
	})
	is(t, "commit", err, nil)
	same(t, "held", held, []bool{false, false, false, true, false, false})
	same(t, "bindings", r.rows("bindings"), 1)
	same(t, "placed", r.rows("resources WHERE state = 'Placed' AND last_container = 9 AND name = 'sound'"), 1)
	same(t, "placed in all", r.rows("resources WHERE state = 'Placed'"), 1)
	same(t, "deployments", r.rows("deployments WHERE state = 'Placed'"), 0)

	// "Of one that is gone (Deleted) only Stop and Remove apply."
	r.commit(about(s[1], func(x *fleet.Decision) { x.Deleted, x.Binding = true, boundBy(p[0]) }))
	same(t, "of one that is gone", r.binding(s[1].UID), fleet.Binding{})
}

func TestDeletingAPolicyFreesWhatItHolds(t *testing.T) {
	no := false
	for name, c := range map[string]struct {
		change func(*fleet.Policy)
		kept   bool
	}{
		"which stays by default":   {func(*fleet.Policy) {}, true},
		"which goes where it says": {func(p *fleet.Policy) { p.Spec.PreserveResourcesOnDeletion = &no }, false},
		"which stays under Karmada's": {func(p *fleet.Policy) {
			p.APIVersion, p.Spec.PreserveResourcesOnDeletion = fleet.PolicyAPIVersionKarmada, &no
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			// One that differs in each part of the name alone.
			p := r.decree(policy("acme", "p", c.change), policy("other", "p"), policy("", "p"), policy("acme", "q"))
			s := r.store(workload("acme", "web"), workload("other", "web"), workload("acme", "wide"), workload("acme", "q"), configMap("acme", "nowhere", `{}`))
			for i := range p {
				r.commit(about(s[i], func(x *fleet.Decision) { x.Binding = boundBy(p[i]) }))
			}
			r.commit(about(s[4], func(x *fleet.Decision) { x.Binding = &fleet.Binding{Policy: boundBy(p[0]).Policy} }))
			r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeletePolicy(ctx, p[0]) })
			freed := *boundBy(p[0])
			freed.Policy, freed.Kept = nil, c.kept
			same(t, "freed", r.binding(s[0].UID), freed)
			same(t, "nowhere yet", r.binding(s[4].UID), fleet.Binding{Kept: c.kept})
			same(t, "rows", r.rows("bindings WHERE uid = ?", s[4].UID) == 1, c.kept)
			for i := 1; i < 4; i++ {
				same(t, "another's", r.binding(s[i].UID), *boundBy(p[i]))
			}
		})
	}
}
