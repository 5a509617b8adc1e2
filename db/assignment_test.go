package db_test

import (
	"context"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

func (r *rig) assignments(node string) fleet.AssignmentList {
	r.Helper()
	var out fleet.AssignmentList
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		out, err = tx.Assignments(ctx, node)
		return err
	})
	return out
}

func TestAssignmentsAreWhatEachContainersRevisionAsksFor(t *testing.T) {
	r := newRig(t)
	one := r.insert(full())[0]
	same(t, "nothing yet", r.assignments("n0"), fleet.AssignmentList{Version: 1, Containers: []fleet.Assignment{}})
	is(t, "unknown node", r.View(t.Context(), func(tx *db.Tx) error { return second(tx.Assignments(t.Context(), "nowhere")) }), fleet.ErrNotFound)

	two := one
	two.Metadata.Generation, two.Revision, two.Spec.Image = 2, 2, "registry.example/web:2"
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		two, err = tx.UpdateDeployment(ctx, two, "")
		return err
	})
	r.commit(decision(two, func(x *fleet.Decision) {
		x.Assign = []fleet.Container{container(two, 2, "n0"), container(one, 1, "n0"), container(two, 3, "n0"), container(two, 4, "n1")}
	}))
	r.commit(decision(two, func(x *fleet.Decision) { x.Stop = []string{two.Metadata.UID + "-3"} }))

	running := func(d fleet.Deployment, n int) fleet.Assignment {
		return fleet.Assignment{
			ID: container(d, n, "").ID, Namespace: "acme", Deployment: "web", Revision: d.Revision, Replica: n,
			Image: d.Spec.Image, Command: d.Spec.Command, Args: d.Spec.Args, Env: d.Spec.Env, Ports: d.Spec.Ports, Resources: d.Spec.Resources,
			RestartPolicy: fleet.RestartOnFailure, TerminationGracePeriodSeconds: 30,
		}
	}
	stopping := func(d fleet.Deployment, n, grace int) fleet.Assignment {
		return fleet.Assignment{ID: container(d, n, "").ID, Namespace: "acme", Deployment: "web", Revision: d.Revision, Replica: n,
			TerminationGracePeriodSeconds: grace, Stop: true}
	}
	same(t, "running and stopping", r.assignments("n0"), fleet.AssignmentList{
		Version: 3, Containers: []fleet.Assignment{running(one, 1), running(two, 2), stopping(two, 3, 30)},
	})
	same(t, "another node's", r.assignments("n1"), fleet.AssignmentList{Version: 2, Containers: []fleet.Assignment{running(two, 4)}})

	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteDeployment(ctx, "acme", two.Metadata.UID) })
	same(t, "the deployment is gone", r.assignments("n0").Containers, []fleet.Assignment{stopping(one, 1, 0), stopping(two, 2, 0), stopping(two, 3, 0)})
}

func TestAgentReportsItsOwnContainersAlone(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	r.commit(decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, 1, "n0"), container(d, 2, "n1")} }))
	running := fleet.ContainerReport{ID: container(d, 1, "").ID, State: fleet.StateRunning, Message: "up", Restarts: 2, StartedAt: at(start.Add(time.Second))}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for name, c := range map[string]struct {
			node string
			id   string
			ok   bool
		}{
			"its own": {"n0", running.ID, true}, "another node's": {"n0", container(d, 2, "").ID, false},
			"unknown": {"n0", d.Metadata.UID + "-9", false}, "no container's ID": {"n0", "x", false},
		} {
			report := running
			report.ID = c.id
			ok, err := tx.ReportContainer(ctx, c.node, report, nil)
			same(t, name, ok, c.ok)
			is(t, name, err, nil)
		}
		return nil
	})
	want := container(d, 1, "n0")
	want.State, want.Message, want.Restarts, want.StartedAt = fleet.StateRunning, "up", 2, start.Add(time.Second)
	same(t, "containers", r.containers(d.Metadata.UID), []fleet.Container{want, container(d, 2, "n1")})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.NodeContainers(ctx, "n0")
		same(t, "of the node", got, []fleet.Container{want})
		return err
	})
	parts := map[string]fleet.ContainerReport{"web": running, "log": {ID: running.ID + ".log", State: fleet.StateExited}}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return second(tx.ReportContainer(ctx, "n0", running, parts))
	})
	want.Parts = parts
	same(t, "what it sums up", r.containers(d.Metadata.UID), []fleet.Container{want, container(d, 2, "n1")})
	r.update(func(ctx context.Context, tx *db.Tx) error { return second(tx.ReportContainer(ctx, "n0", running, nil)) })
	want.Parts = nil
	same(t, "of a replica of one", r.containers(d.Metadata.UID), []fleet.Container{want, container(d, 2, "n1")})
	same(t, "a report changes no list", r.versions(), map[string]int64{"n0": 2, "n1": 2, "n2": 1})
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteNode(ctx, "n0") })
	same(t, "nothing is known of a deleted node's", r.containers(d.Metadata.UID), []fleet.Container{container(d, 2, "n1")})
}
