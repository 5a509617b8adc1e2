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

func TestLoadEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Load(ctx)
	is(t, "load", err, context.Canceled)
}
