package db_test

import (
	"context"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestClustersReadBackAsWritten(t *testing.T) {
	r := newRig(t)
	granted := fleet.Cluster{Name: "alps", Runtime: fleet.ClusterKubernetes, Labels: map[string]string{"tier": "gold"}, Tenants: []string{"other", "acme"}, CreatedAt: start}
	var stored, updated fleet.Cluster
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		stored, err = tx.InsertCluster(ctx, granted)
		is(t, "insert", err, nil)
		is(t, "second of the name", second(tx.InsertCluster(ctx, granted)), fleet.ErrExists)
		is(t, "an unknown tenant", second(tx.InsertCluster(ctx, fleet.Cluster{Name: "x", Tenants: []string{"nobody"}})), fleet.ErrNotFound)
		return nil
	})
	want := granted
	want.Tenants, want.ResourceVersion = []string{"acme", "other"}, stored.ResourceVersion
	same(t, "as stored", stored, want)
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		next := stored
		next.Labels, next.Tenants = nil, []string{"*", "acme", "acme"}
		updated, err = tx.UpdateCluster(ctx, next)
		is(t, "update", err, nil)
		is(t, "stale", second(tx.UpdateCluster(ctx, stored)), fleet.ErrStale)
		is(t, "unknown", second(tx.UpdateCluster(ctx, fleet.Cluster{Name: "nowhere"})), fleet.ErrNotFound)
		return nil
	})
	if updated.ResourceVersion == stored.ResourceVersion {
		t.Error("an update kept its resourceVersion")
	}
	same(t, "everyone and one", updated.Tenants, []string{"*", "acme"})
	same(t, "labels are a map even where there are none", updated.Labels, map[string]string{})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Cluster(ctx, "alps")
		same(t, "by name", got, updated)
		is(t, "unknown", second(tx.Cluster(ctx, "nowhere")), fleet.ErrNotFound)
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		if tx.DeleteCluster(ctx, "canada") == nil {
			t.Error("a cluster with nodes was deleted")
		}
		is(t, "delete", tx.DeleteCluster(ctx, "alps"), nil)
		is(t, "delete again", tx.DeleteCluster(ctx, "alps"), fleet.ErrNotFound)
		return nil
	})
}

func TestNodesReadBackAsWritten(t *testing.T) {
	r := newRig(t)
	bare := fleet.Node{Name: "bare", Cluster: "canada", EnrolledAt: start}
	var stored, updated fleet.Node
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		stored, err = tx.InsertNode(ctx, bare, "secret")
		is(t, "insert", err, nil)
		is(t, "second of the name", second(tx.InsertNode(ctx, bare, "another")), fleet.ErrExists)
		is(t, "a credential that is taken", second(tx.InsertNode(ctx, fleet.Node{Name: "b2", Cluster: "canada"}, "secret")), fleet.ErrExists)
		is(t, "an unknown cluster", second(tx.InsertNode(ctx, fleet.Node{Name: "b3", Cluster: "nowhere"}, "b3")), fleet.ErrNotFound)
		return nil
	})
	want := bare
	want.Version, want.AssignmentVersion = stored.Version, 1
	same(t, "as stored", stored, want)
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		next := stored
		next.Labels = map[string]string{fleet.LabelNodeCountry: "NO", "disk": "ssd"}
		next.Capacity = fleet.Amount{MilliCPU: 1500, Memory: 1 << 40, Slots: 7}
		next.Cordoned, next.DrainDeadline = true, start.Add(300e9)
		next.Refusal = fleet.FieldErrors{{Code: fleet.CodeNodeCountryInvalid, Field: "labels[odysseus.io/country]", Value: "UK", Want: "country", Suggestion: "GB"}}
		updated, err = tx.UpdateNode(ctx, next)
		next.Version = updated.Version
		same(t, "updated", updated, next)
		is(t, "unknown", second(tx.UpdateNode(ctx, fleet.Node{Name: "nowhere"})), fleet.ErrNotFound)
		return err
	})
	if updated.Version <= stored.Version {
		t.Errorf("version went from %d to %d", stored.Version, updated.Version)
	}
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.NodeByCredential(ctx, "secret")
		same(t, "by credential", got, updated)
		is(t, "by credential", err, nil)
		is(t, "unknown credential", second(tx.NodeByCredential(ctx, "x")), fleet.ErrNotFound)
		is(t, "unknown node", second(tx.Node(ctx, "x")), fleet.ErrNotFound)
		return nil
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "delete", tx.DeleteNode(ctx, "bare"), nil)
		is(t, "delete again", tx.DeleteNode(ctx, "bare"), fleet.ErrNotFound)
		again, err := tx.InsertNode(ctx, bare, "secret")
		if again.Version <= updated.Version {
			t.Errorf("enrolled again under the name: version %d after %d", again.Version, updated.Version)
		}
		return err
	})
}
