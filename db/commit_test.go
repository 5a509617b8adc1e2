package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// versions of the nodes' assignment lists.
func (r *rig) versions() map[string]int64 {
	r.Helper()
	out := map[string]int64{}
	r.view(func(ctx context.Context, tx *db.Tx) error {
		nodes, _, err := tx.Nodes(ctx, fleet.NodeFilter{}, fleet.ListOptions{})
		for _, n := range nodes {
			out[n.Name] = n.AssignmentVersion
		}
		return err
	})
	return out
}

func (r *rig) containers(uid string) []fleet.Container {
	r.Helper()
	var out []fleet.Container
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		out, err = tx.DeploymentContainers(ctx, uid)
		return err
	})
	return out
}

func TestCommitStoresADecisionWhole(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	since := start.Add(time.Minute)
	status := fleet.DeploymentStatus{
		State: fleet.PartlyPlaced, Replicas: 4, Placed: 3, Ready: 2, Drifting: 1, PendingSince: &since, ObservedGeneration: 1, UndeclaredRegion: "moon",
	}
	assigned := []fleet.Container{container(d, 1, "n0"), container(d, 2, "n1"), container(d, 3, "n0")}
	event := fleet.Event{
		Time: start, Tenant: "acme", Kind: "Deployment", Namespace: "acme", Name: "web", UID: d.Metadata.UID, Type: fleet.EventNormal, Reason: "Scheduled",
		Args: map[string]string{"replicas": "3"}, Count: 1,
	}
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Assign, x.Status, x.LastContainer, x.Events = assigned, &status, 3, []fleet.Event{event}
	}))
	same(t, "containers", r.containers(d.Metadata.UID), assigned)
	same(t, "each node touched is raised once", r.versions(), map[string]int64{"n0": 2, "n1": 2, "n2": 1})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Deployment(ctx, "acme", "acme", "web")
		status.Revision = 1
		same(t, "status", *got.Status, status)
		same(t, "last container", got.LastContainer, int64(3))
		is(t, "deployment", err, nil)
		events, _, err := tx.Events(ctx, "acme", d.Metadata.UID, fleet.ListOptions{})
		same(t, "events", events, []fleet.Event{event})
		return err
	})

	r.commit(decision(d, func(x *fleet.Decision) {
		x.Adopt = []fleet.Adoption{{ID: assigned[0].ID, Revision: 2}}
		x.Stop = []string{assigned[1].ID, "unknown"}
		x.Remove = []string{assigned[2].ID, "unknown"}
		x.LastContainer = 2
	}))
	adopted, stopped := assigned[0], assigned[1]
	adopted.Revision, stopped.Stop = 2, true
	same(t, "adopted, stopped, removed", r.containers(d.Metadata.UID), []fleet.Container{adopted, stopped})
	same(t, "raised", r.versions(), map[string]int64{"n0": 3, "n1": 3, "n2": 1})
	r.commit(decision(d, func(x *fleet.Decision) { x.Stop = []string{stopped.ID} }))
	same(t, "stopping again changes no list", r.versions(), map[string]int64{"n0": 3, "n1": 3, "n2": 1})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Deployment(ctx, "acme", "acme", "web")
		same(t, "a status that is left out stays", *got.Status, status)
		same(t, "the last container never falls", got.LastContainer, int64(3))
		return err
	})
}

func TestCommitStoresNothingOfADecisionThatDoesNotHold(t *testing.T) {
	r := newRig(t)
	stored := r.insert(deployment("acme", "moved"), deployment("acme", "deleted"), deployment("acme", "lost"), deployment("acme", "sound"))
	moved, deleted, lost, sound := stored[0], stored[1], stored[2], stored[3]
	for _, d := range stored {
		r.commit(decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, 1, "n0")} }))
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		next := moved
		next.Metadata.Generation, next.Revision = 2, 2
		is(t, "update", second(tx.UpdateDeployment(ctx, next, "")), nil)
		is(t, "delete", tx.DeleteDeployment(ctx, "acme", deleted.Metadata.UID), nil)
		return tx.DeleteNode(ctx, "n2")
	})
	before := r.versions()
	everything := func(node string) func(*fleet.Decision) {
		return func(x *fleet.Decision) {
			id := x.DeploymentUID + "-1"
			x.Assign = []fleet.Container{container(fleet.Deployment{Tenant: "acme", Metadata: fleet.Metadata{UID: x.DeploymentUID, Name: x.Ref.Name, Namespace: "acme"}}, 2, node)}
			x.Assign[0].Revision = 1
			x.Adopt, x.Stop = []fleet.Adoption{{ID: id, Revision: 9}}, []string{id}
			x.Status = &fleet.DeploymentStatus{State: fleet.Placed}
			x.LastContainer = 2
			x.Events = []fleet.Event{{Tenant: "acme", Kind: "Deployment", UID: x.DeploymentUID, Reason: "Scheduled", Type: fleet.EventNormal}}
		}
	}
	held, err := r.Commit(t.Context(), []fleet.Decision{
		decision(moved, everything("n1")), decision(deleted, everything("n1")), decision(lost, everything("n2")),
		decision(sound, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(sound, 2, "n0")} }),
	})
	is(t, "commit", err, nil)
	same(t, "held", held, []bool{false, false, false, true})
	for _, d := range stored[:3] {
		same(t, d.Metadata.Name, r.containers(d.Metadata.UID), []fleet.Container{container(d, 1, "n0")})
		r.view(func(ctx context.Context, tx *db.Tx) error {
			events, _, err := tx.Events(ctx, "", d.Metadata.UID, fleet.ListOptions{})
			same(t, "events", len(events), 0)
			return err
		})
	}
	same(t, "the sound one", len(r.containers(sound.Metadata.UID)), 2)
	before["n0"]++
	same(t, "nodes", r.versions(), before)
}

// Of a deployment that is gone only Stop and Remove apply.
func TestCommitOfADeletedDeploymentStopsAndRemoves(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	r.commit(decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, 1, "n0"), container(d, 2, "n1")} }))
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteDeployment(ctx, "acme", d.Metadata.UID) })
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Deleted = true
		x.Stop, x.Remove = []string{d.Metadata.UID + "-1"}, []string{d.Metadata.UID + "-2"}
		x.Assign = []fleet.Container{container(d, 3, "n2")}
		x.Adopt = []fleet.Adoption{{ID: d.Metadata.UID + "-1", Revision: 5}}
		x.Status = &fleet.DeploymentStatus{}
		x.Events = []fleet.Event{{Tenant: "acme", Kind: "Deployment", UID: d.Metadata.UID, Reason: "Scheduled"}}
	}))
	want := container(d, 1, "n0")
	want.Stop = true
	same(t, "containers", r.containers(d.Metadata.UID), []fleet.Container{want})
	same(t, "nodes", r.versions(), map[string]int64{"n0": 3, "n1": 3, "n2": 1})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		events, _, err := tx.Events(ctx, "", d.Metadata.UID, fleet.ListOptions{})
		same(t, "events", len(events), 0)
		return err
	})
}

// More rows than a bulk statement takes, and not a multiple of them.
func TestCommitOfManyContainers(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	var want []fleet.Container
	for i := range 137 {
		want = append(want, container(d, i, fmt.Sprintf("n%d", i%3)))
	}
	r.commit(decision(d, func(x *fleet.Decision) { x.Assign = want }))
	same(t, "containers", r.containers(d.Metadata.UID), want)
}

func TestCommitOfNothing(t *testing.T) {
	r := newRig(t)
	held, err := r.Commit(t.Context(), nil)
	same(t, "held", held, []bool{})
	is(t, "commit", err, nil)
}

// A commit shares its transaction with nobody who came before it, and with everyone who comes after.
func TestCommitAmongOtherWrites(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	put := func(key string, answer error) func() error {
		return func() error {
			return r.Update(t.Context(), func(tx *db.Tx) error {
				if err := tx.PutSetting(t.Context(), key, "value"); err != nil {
					return err
				}
				return answer
			})
		}
	}
	commit := func(n int, node string) func() error {
		return func() error {
			_, err := r.Commit(t.Context(), []fleet.Decision{decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, n, node)} })})
			return err
		}
	}
	errs := queued(t, r, put("a", nil), commit(1, "n0"), put("b", errOwn), commit(1, "n1"), put("c", nil), commit(2, "n1"))
	for i, want := range []error{nil, nil, errOwn, fleet.ErrExists, nil, nil} {
		is(t, fmt.Sprint("caller ", i), errs[i], want)
	}
	same(t, "containers", r.containers(d.Metadata.UID), []fleet.Container{container(d, 1, "n0"), container(d, 2, "n1")})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for key, want := range map[string]error{"a": nil, "b": fleet.ErrNotFound, "c": nil} {
			is(t, key, second(tx.Setting(ctx, key)), want)
		}
		return nil
	})
}
