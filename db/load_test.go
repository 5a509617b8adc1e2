package db_test

import (
	"context"
	"errors"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestLoadReadsTheWholeFleet(t *testing.T) {
	r := newRig(t)
	empty := openRig(t, r.path+".empty", db.Options{})
	snapshot, err := empty.Load(t.Context())
	is(t, "empty", err, nil)
	same(t, "empty", snapshot, fleet.Snapshot{})

	web := r.insert(full(), deployment("other", "job"))
	first := container(web[0], 2, "n1")
	first.StartedAt, first.State, first.Message, first.Restarts = start, fleet.StateRunning, "up", 1
	assigned := []fleet.Container{first, container(web[1], 1, "n0"), container(web[0], 1, "n1")}
	for _, c := range assigned {
		d := web[0]
		if c.Tenant == "other" {
			d = web[1]
		}
		r.commit(decision(d, func(x *fleet.Decision) {
			x.Assign, x.Status = []fleet.Container{c}, &fleet.DeploymentStatus{State: fleet.Placed, ObservedGeneration: 1}
		}))
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return tx.DeleteDeployment(ctx, "other", web[1].Metadata.UID)
	})
	snapshot, err = r.Load(t.Context())
	is(t, "load", err, nil)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		canada, err1 := tx.Cluster(ctx, "canada")
		nodes, _, err2 := tx.Nodes(ctx, fleet.NodeFilter{}, fleet.ListOptions{})
		stored, err3 := tx.Deployment(ctx, "acme", "acme", "web")
		same(t, "snapshot", snapshot, fleet.Snapshot{
			Clusters: []fleet.Cluster{canada}, Nodes: nodes, Deployments: []fleet.Deployment{stored}, Containers: assigned,
		})
		return errors.Join(err1, err2, err3)
	})
}

// Preserved deployments and resources are part of the fleet: their containers run.
func TestLoadReadsPoliciesResourcesAndBindings(t *testing.T) {
	r := newRig(t)
	policies := r.decree(policy("other", "b"), policy("acme", "a"), policy("", "c"))
	overriding := r.override(override("other", "b"), override("acme", "a"), override("", "c"))
	kept := r.insert(deployment("acme", "kept"))[0]
	stored := r.store(workload("other", "web"), secret("acme", "db", `{"data":{"a":"b25l"}}`), resource("", "v1", "Node", "n", `{}`), workload("acme", "gone"))
	as := func(s fleet.StoredResource) fleet.Deployment {
		return fleet.Deployment{Tenant: s.Tenant, Revision: 1, Metadata: fleet.Metadata{UID: s.UID, Namespace: s.Namespace, Name: s.Name}}
	}
	running := []fleet.Container{container(as(stored[0]), 1, "n0"), container(as(stored[3]), 1, "n1"), container(kept, 1, "n2")}
	r.commit(about(stored[0], func(x *fleet.Decision) { x.Assign, x.Binding = running[:1], boundBy(policies[0]) }),
		about(stored[3], func(x *fleet.Decision) { x.Assign, x.Binding = running[1:2], boundBy(policies[1]) }),
		decision(kept, func(x *fleet.Decision) { x.Assign, x.Binding = running[2:], boundBy(policies[2]) }))
	parts := map[string]fleet.ContainerReport{"web": {ID: running[0].ID + ".web", State: fleet.StateRunning, StartedAt: at(start)}, "log": {ID: running[0].ID + ".log", State: fleet.StateFailed, Message: "no"}}
	running[0].State, running[0].Message, running[0].Parts = fleet.StateFailed, "no", parts
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(
			second(tx.ReportContainer(ctx, "n0", fleet.ContainerReport{ID: running[0].ID, State: fleet.StateFailed, Message: "no"}, parts)),
			tx.PreserveDeployment(ctx, "acme", kept.Metadata.UID), tx.PreserveResource(ctx, "other", stored[0].UID), tx.DeleteResource(ctx, "acme", stored[3].UID),
		)
	})
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	kept.Preserved, stored[0].Preserved = true, true
	same(t, "deployments", snapshot.Deployments, []fleet.Deployment{kept})
	same(t, "resources", snapshot.Resources, []fleet.StoredResource{stored[2], stored[1], stored[0]})
	same(t, "policies", snapshot.Policies, []fleet.Policy{policies[2], policies[1], policies[0]})
	same(t, "overrides", snapshot.Overrides, []fleet.Override{overriding[2], overriding[1], overriding[0]})
	same(t, "bindings", snapshot.Bindings, map[string]fleet.Binding{stored[0].UID: *boundBy(policies[0]), kept.Metadata.UID: *boundBy(policies[2])})
	same(t, "containers", snapshot.Containers, running)
}

func TestLoadEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Load(ctx)
	is(t, "load", err, context.Canceled)
}
