package db_test

import (
	"context"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// full has a value in every field that a tenant can write.
func full() fleet.Deployment {
	return deployment("acme", "web", inCountry("NO"), func(d *fleet.Deployment) {
		replicas, grace := 3, 30
		d.Metadata.Labels = map[string]string{"app": "web", "tier": "front"}
		d.Metadata.Annotations = map[string]string{"note": "naïve <&> \"quoted\"\n"}
		d.Spec.Replicas, d.Spec.TerminationGracePeriodSeconds = &replicas, &grace
		d.Spec.Command, d.Spec.Args = []string{"/bin/web"}, []string{"-v", ""}
		d.Spec.Env = []fleet.EnvVar{{Name: "A", Value: "1"}, {Name: "EMPTY"}}
		d.Spec.Ports = []fleet.Port{{ContainerPort: 8080, Protocol: fleet.ProtocolTCP}}
		d.Spec.Resources = &fleet.Resources{Requests: &fleet.ResourceList{CPU: "250m", Memory: "128Mi"}, Limits: &fleet.ResourceList{CPU: "0.5"}}
		d.Spec.RestartPolicy = fleet.RestartOnFailure
	})
}

func TestDeploymentReadsBackAsWritten(t *testing.T) {
	r := newRig(t)
	want := full()
	stored := r.insert(want)[0]
	want.Metadata.ResourceVersion = stored.Metadata.ResourceVersion
	want.Status = &fleet.DeploymentStatus{
		State: fleet.Waiting, Replicas: 3, Revision: 1, ResidencyLabels: map[string]string{fleet.LabelResidencyCountry: "NO"},
	}
	same(t, "as stored", stored, want)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Deployment(ctx, "acme", "acme", "web")
		same(t, "read", got, want)
		is(t, "unknown", second(tx.Deployment(ctx, "acme", "acme", "none")), fleet.ErrNotFound)
		revisions, _, err2 := tx.Revisions(ctx, want.Metadata.UID, fleet.ListOptions{})
		same(t, "revisions", revisions, []fleet.Revision{{Number: 1, Spec: want.Spec, CreatedAt: start, Actor: "ann@acme.example"}})
		is(t, "revisions", err2, nil)
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		twin := full()
		twin.Metadata.UID = "another"
		is(t, "second of the name", second(tx.InsertDeployment(ctx, twin, "")), fleet.ErrExists)
		is(t, "another tenant's namespace", second(tx.InsertDeployment(ctx, deployment("acme", "x", func(d *fleet.Deployment) { d.Metadata.Namespace = "other" }), "")), fleet.ErrNotFound)
		is(t, "an unknown namespace", second(tx.InsertDeployment(ctx, deployment("nowhere", "x"), "")), fleet.ErrNotFound)
		return nil
	})
}

func TestUpdateMovesWhatIsDeclaredAndLeavesTheStatus(t *testing.T) {
	r := newRig(t)
	stored := r.insert(full())[0]
	pending := start.Add(-time.Minute)
	status := fleet.DeploymentStatus{
		State: fleet.PartlyPlaced, Replicas: 3, Placed: 2, Ready: 1, Drifting: 1, PendingSince: &pending, ObservedGeneration: 1, UndeclaredRegion: "moon",
	}
	r.commit(decision(stored, func(d *fleet.Decision) { d.Status, d.LastContainer = &status, 7 }))

	next := stored
	next.Metadata.Labels = map[string]string{"app": "web2"}
	next.Metadata.Annotations = nil
	next.Metadata.Generation, next.Revision, next.TemplateRevision = 2, 2, 2
	next.Spec.Image, next.Spec.Placement = "registry.example/web:2", nil
	next.ResidencyLabels = nil
	r.now = start.Add(time.Hour)
	var updated fleet.Deployment
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		updated, err = tx.UpdateDeployment(ctx, next, "bob@acme.example")
		return err
	})
	want := next
	want.Metadata.ResourceVersion, want.LastContainer = updated.Metadata.ResourceVersion, 7
	status.Revision = 2
	want.Status = &status
	same(t, "as updated", updated, want)
	if updated.Metadata.ResourceVersion == stored.Metadata.ResourceVersion {
		t.Error("an update kept its resourceVersion")
	}

	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "stale", second(tx.UpdateDeployment(ctx, stored, "")), fleet.ErrStale)
		foreign := updated
		foreign.Tenant = "other"
		is(t, "by another tenant", second(tx.UpdateDeployment(ctx, foreign, "")), fleet.ErrNotFound)
		same(t, "labels alone make no revision", second(tx.UpdateDeployment(ctx, updated, "carol@acme.example")), nil)
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		first, cursor, err := tx.Revisions(ctx, stored.Metadata.UID, fleet.ListOptions{Limit: 1})
		same(t, "newest first", first, []fleet.Revision{{Number: 2, Spec: next.Spec, CreatedAt: start.Add(time.Hour), Actor: "bob@acme.example"}})
		is(t, "first page", err, nil)
		rest, cursor, err := tx.Revisions(ctx, stored.Metadata.UID, fleet.ListOptions{Limit: 1, After: cursor})
		same(t, "then the older", rest, []fleet.Revision{{Number: 1, Spec: stored.Spec, CreatedAt: start, Actor: "ann@acme.example"}})
		same(t, "end", cursor, "")
		is(t, "second page", err, nil)
		one, err := tx.Revision(ctx, stored.Metadata.UID, 1)
		same(t, "by number", one, rest[0])
		is(t, "unknown", second(tx.Revision(ctx, stored.Metadata.UID, 3)), fleet.ErrNotFound)
		return err
	})
}

func TestStatusMovesNoResourceVersion(t *testing.T) {
	r := newRig(t)
	stored := r.insert(full())[0]
	r.commit(decision(stored, func(d *fleet.Decision) { d.Status = &fleet.DeploymentStatus{State: fleet.Placed} }))
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Deployment(ctx, "acme", "acme", "web")
		same(t, "resourceVersion", got.Metadata.ResourceVersion, stored.Metadata.ResourceVersion)
		same(t, "state", got.Status.State, fleet.Placed)
		return err
	})
}

func TestCounts(t *testing.T) {
	r := newRig(t)
	placed := deployment("acme", "placed", inRegion("eu-core"))
	placed.Status = &fleet.DeploymentStatus{State: fleet.Placed, Drifting: 2}
	r.insert(placed, deployment("acme", "waiting", inRegion("eu-core")), deployment("other", "waiting", inRegion("alps")), deployment("other", "free", inCountry("CA")))
	r.view(func(ctx context.Context, tx *db.Tx) error {
		mine, err := tx.CountStates(ctx, "acme")
		same(t, "of a tenant", mine, map[fleet.PlacementState]int{fleet.Placed: 1, fleet.Waiting: 1})
		is(t, "of a tenant", err, nil)
		every, err := tx.CountStates(ctx, "")
		same(t, "of all", every, map[fleet.PlacementState]int{fleet.Placed: 1, fleet.Waiting: 3})
		is(t, "of all", err, nil)
		for tenant, want := range map[string]int{"acme": 1, "other": 0, "": 1} {
			drifting, err := tx.CountDrifting(ctx, tenant)
			same(t, "drifting of "+tenant, drifting, want)
			is(t, "drifting of "+tenant, err, nil)
		}
		outside, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{Tenant: "acme", Residency: "eu-core", Drifting: true}, fleet.ListOptions{Limit: 10})
		is(t, "drifting and of a region", err, nil)
		if len(outside) != 1 || outside[0].Metadata.Name != "placed" {
			t.Errorf("drifting and of a region: %v", outside)
		}
		use, err := tx.RegionUse(ctx)
		same(t, "regions", use, map[string]int{"eu-core": 2, "alps": 1})
		return err
	})
}
