package db_test

import (
	"context"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestPreservedDeploymentAnswersToPreservedAloneUntilItIsTakenOver(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web", inRegion("eu-core")), deployment("acme", "beside"))[0]
	since := start
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Assign = []fleet.Container{container(d, 1, "n0")}
		x.Status = &fleet.DeploymentStatus{State: fleet.PartlyPlaced, Replicas: 2, Placed: 1, Drifting: 1, PendingSince: &since}
		x.Binding, x.LastContainer = &fleet.Binding{Clusters: []string{"canada"}}, 1
	}))
	var before fleet.Deployment
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		before, err = tx.Deployment(ctx, "acme", "acme", "web")
		is(t, "not preserved yet", second(tx.PreservedDeployment(ctx, "acme", "acme", "web")), fleet.ErrNotFound)
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "by another tenant", tx.PreserveDeployment(ctx, "other", d.Metadata.UID), fleet.ErrNotFound)
		is(t, "preserve", tx.PreserveDeployment(ctx, "acme", d.Metadata.UID), nil)
		is(t, "again", tx.PreserveDeployment(ctx, "acme", d.Metadata.UID), fleet.ErrNotFound)
		return nil
	})
	preserved := before
	preserved.Preserved = true
	r.view(func(ctx context.Context, tx *db.Tx) error {
		is(t, "read", second(tx.Deployment(ctx, "", "acme", "web")), fleet.ErrNotFound)
		got, err := tx.PreservedDeployment(ctx, "acme", "acme", "web")
		same(t, "preserved", got, preserved)
		is(t, "preserved", err, nil)
		is(t, "to another tenant", second(tx.PreservedDeployment(ctx, "other", "acme", "web")), fleet.ErrNotFound)
		return nil
	})
	eachFilter(func(f fleet.DeploymentFilter, o fleet.ListOptions) {
		r.view(func(ctx context.Context, tx *db.Tx) error {
			list, _, err := tx.Deployments(ctx, f, o)
			for _, listed := range list {
				if listed.Metadata.Name == "web" {
					t.Errorf("%+v lists it", f)
				}
			}
			return err
		})
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for _, tenant := range []string{"acme", ""} {
			states, err := tx.CountStates(ctx, tenant)
			same(t, "states", states, map[fleet.PlacementState]int{fleet.Waiting: 1})
			is(t, "states", err, nil)
			drifting, err := tx.CountDrifting(ctx, tenant)
			same(t, "drifting", drifting, 0)
			is(t, "drifting", err, nil)
		}
		use, err := tx.RegionUse(ctx)
		same(t, "regions", use, map[string]int{})
		return err
	})
	same(t, "its containers stay", r.containers(d.Metadata.UID), []fleet.Container{container(d, 1, "n0")})
	same(t, "its binding stays", r.binding(d.Metadata.UID), fleet.Binding{Clusters: []string{"canada"}})
	same(t, "nothing is told to stop", len(r.assignments("n0").Containers), 1)
	same(t, "as what it is", r.assignments("n0").Containers[0].Stop, false)

	// What the scheduler decides of it is stored.
	r.commit(decision(d, func(x *fleet.Decision) { x.LastContainer = 2 }))
	r.update(func(ctx context.Context, tx *db.Tx) error {
		twin := deployment("acme", "web", func(d *fleet.Deployment) { d.Metadata.UID = "another" })
		is(t, "its name is taken", second(tx.InsertDeployment(ctx, twin, "")), fleet.ErrExists)
		hidden, err := tx.UpdateDeployment(ctx, preserved, "")
		same(t, "an update does not unhide it by itself", hidden.Preserved, true)
		is(t, "update", err, nil)
		next := hidden
		next.Preserved, next.Metadata.Generation, next.Revision = false, 2, 2
		got, err := tx.UpdateDeployment(ctx, next, "bob@acme.example")
		next.Metadata.ResourceVersion, next.LastContainer = got.Metadata.ResourceVersion, 2
		status := *preserved.Status
		status.Revision = 2
		next.Status = &status
		same(t, "taken over", got, next)
		is(t, "taken over", err, nil)
		got.Preserved = true
		got, err = tx.UpdateDeployment(ctx, got, "")
		same(t, "an update does not hide it", got.Preserved, false)
		is(t, "update", err, nil)
		is(t, "read", second(tx.Deployment(ctx, "acme", "acme", "web")), nil)
		is(t, "nothing is preserved", second(tx.PreservedDeployment(ctx, "acme", "acme", "web")), fleet.ErrNotFound)
		return nil
	})
}

func TestPreservedResourceAnswersToPreservedAloneUntilItIsTakenOver(t *testing.T) {
	r := newRig(t)
	s := r.store(workload("acme", "web"), workload("acme", "beside"))[0]
	r.commit(about(s, func(x *fleet.Decision) { x.Binding = &fleet.Binding{Clusters: []string{"canada"}} }))
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "by another tenant", tx.PreserveResource(ctx, "other", s.UID), fleet.ErrNotFound)
		is(t, "not preserved yet", second(tx.PreservedResource(ctx, "acme", s.Key())), fleet.ErrNotFound)
		is(t, "preserve", tx.PreserveResource(ctx, "acme", s.UID), nil)
		is(t, "again", tx.PreserveResource(ctx, "acme", s.UID), fleet.ErrNotFound)
		return nil
	})
	s.Preserved = true
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "read", second(tx.Resource(ctx, "", s.Key())), fleet.ErrNotFound)
		got, err := tx.PreservedResource(ctx, "acme", s.Key())
		same(t, "preserved", got, s)
		is(t, "preserved", err, nil)
		is(t, "to another tenant", second(tx.PreservedResource(ctx, "other", s.Key())), fleet.ErrNotFound)
		list, _, err := tx.Resources(ctx, fleet.ResourceFilter{Tenant: "acme"}, fleet.ListOptions{})
		same(t, "listed", len(list), 1)
		same(t, "the other", list[0].Name, "beside")
		is(t, "listed", err, nil)
		twin := s
		twin.UID = "another"
		is(t, "its key is taken", second(tx.InsertResource(ctx, twin)), fleet.ErrExists)
		return nil
	})
	same(t, "its binding stays", r.binding(s.UID), fleet.Binding{Clusters: []string{"canada"}})
	same(t, "an update does not unhide it by itself", r.change(s).Preserved, true)
	s.Preserved, s.ResourceVersion, s.Generation = false, "", 2
	got := r.change(s)
	s.ResourceVersion = got.ResourceVersion
	same(t, "taken over", got, s)
	got.Preserved = true
	same(t, "an update does not hide it", r.change(got).Preserved, false)
	r.view(func(ctx context.Context, tx *db.Tx) error { return second(tx.Resource(ctx, "acme", s.Key())) })
}

func TestDeletingATenantTakesItsPoliciesAndWhatIsPreserved(t *testing.T) {
	r := newRig(t)
	r.decree(policy("acme", "p"), policy("other", "p"), policy("", "p"))
	d, s := r.insert(deployment("acme", "web"), deployment("other", "web")), r.store(workload("acme", "web"), workload("other", "web"))
	for i := range s {
		r.commit(decision(d[i], func(x *fleet.Decision) { x.Binding = &fleet.Binding{Kept: true} }), about(s[i], func(x *fleet.Decision) { x.Binding = &fleet.Binding{Kept: true} }))
	}
	drop := func() error {
		return r.Update(t.Context(), func(tx *db.Tx) error { return tx.DeleteTenant(t.Context(), "acme") })
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return tx.PreserveDeployment(ctx, "acme", d[0].Metadata.UID)
	})
	if drop() == nil {
		t.Error("a tenant with a resource was deleted")
	}
	same(t, "nothing is lost by trying", r.rows("deployments"), 2)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "preserve", tx.PreserveResource(ctx, "other", s[1].UID), nil)
		return tx.PreserveResource(ctx, "acme", s[0].UID)
	})
	is(t, "delete", drop(), nil)
	for table, want := range map[string]int{"policies": 2, "deployments": 1, "revisions": 1, "resources": 1, "resource_revisions": 1, "bindings": 2, "namespaces": 1} {
		same(t, table, r.rows(table), want)
	}
}
