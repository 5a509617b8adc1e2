package db_test

import (
	"context"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// stubborn has its keys in an order that no map would keep, 64-bit integers, and texts that JSON's writers like to escape.
const stubborn = `{"kind":"Deployment","apiVersion":"apps/v1","spec":{"z":9223372036854775807,"a":-9223372036854775808,"m":1.50,"b":"<&>\u00e9",` +
	`"replicas":3},"metadata":{"name":"web","labels":{"b":"2","a":"1"}},"x":null,"big":18446744073709551615}`

func TestResourceReadsBackAsWritten(t *testing.T) {
	r := newRig(t)
	want := resource("acme", "apps/v1", "Deployment", "web", stubborn, func(s *fleet.StoredResource) {
		s.Labels = map[string]string{"b": "2", "a": "1"}
		s.Annotations = map[string]string{"note": "naïve <&> \"quoted\"\n"}
		s.Generation, s.Revision, s.TemplateRevision, s.LastContainer, s.DividedAfresh = 4, 3, 2, 9, 4
	})
	role := resource("", "rbac.authorization.k8s.io/v1", "ClusterRole", "system:reader", `{"rules":[]}`)
	stored := r.store(want, role)
	want.ResourceVersion, role.ResourceVersion = stored[0].ResourceVersion, stored[1].ResourceVersion
	want.Status = &fleet.DeploymentStatus{State: fleet.Waiting, Replicas: 3, Revision: 3}
	role.Status = &fleet.DeploymentStatus{State: fleet.Waiting, Revision: 1}
	same(t, "as stored", stored, []fleet.StoredResource{want, role})
	if want.ResourceVersion == "" || want.ResourceVersion == role.ResourceVersion {
		t.Errorf("resourceVersions %q and %q", want.ResourceVersion, role.ResourceVersion)
	}
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for _, tenant := range []string{"acme", ""} {
			got, err := tx.Resource(ctx, tenant, want.Key())
			same(t, "read by "+tenant, got, want)
			same(t, "object, byte by byte", string(got.Object), stubborn)
			is(t, "read by "+tenant, err, nil)
		}
		got, err := tx.Resource(ctx, "", role.Key())
		same(t, "cluster-scoped", got, role)
		is(t, "cluster-scoped", err, nil)
		older := want.Key()
		older.APIVersion = "apps/v1beta1"
		is(t, "of another version", second(tx.Resource(ctx, "acme", older)), fleet.ErrNotFound)
		return nil
	})
	var object string
	inFile(t, r.path, "SELECT object FROM resource_revisions WHERE uid = '"+want.UID+"' AND number = 3", &object)
	same(t, "first revision", object, stubborn)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		twin := want
		twin.UID = "another"
		is(t, "second of the key", second(tx.InsertResource(ctx, twin)), fleet.ErrExists)
		is(t, "another tenant's namespace", second(tx.InsertResource(ctx, resource("acme", "v1", "Service", "x", `{}`, func(s *fleet.StoredResource) { s.Namespace = "other" }))), fleet.ErrNotFound)
		is(t, "an unknown namespace", second(tx.InsertResource(ctx, configMap("nowhere", "x", `{}`))), fleet.ErrNotFound)
		if err := second(tx.InsertResource(ctx, resource("acme", "v1", "Service", "x", `{}`, func(s *fleet.StoredResource) { s.Namespace = "" }))); err == nil {
			t.Error("a tenant's resource without a namespace was stored")
		}
		return nil
	})
}

func TestUpdateOfAResourceMovesWhatIsDeclaredAndLeavesTheStatus(t *testing.T) {
	r := newRig(t)
	stored := r.store(workload("acme", "web"))[0]
	status := fleet.DeploymentStatus{
		State: fleet.PartlyPlaced, Replicas: 3, Placed: 2, Ready: 1, Drifting: 1, PendingSince: at(start), ObservedGeneration: 1, UndeclaredRegion: "moon",
	}
	r.commit(about(stored, func(d *fleet.Decision) { d.Status, d.LastContainer = &status, 7 }))
	next := stored
	next.Labels, next.Annotations = map[string]string{"app": "web2"}, map[string]string{"note": "new"}
	next.Generation, next.Revision, next.TemplateRevision = 2, 2, 2
	next.Object = []byte(`{"spec":{"replicas":5}}`)
	updated := r.change(next)
	want := next
	status.Revision = 2
	want.ResourceVersion, want.LastContainer, want.Status = updated.ResourceVersion, 7, &status
	same(t, "as updated", updated, want)
	if updated.ResourceVersion == stored.ResourceVersion {
		t.Error("an update kept its resourceVersion")
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "stale", second(tx.UpdateResource(ctx, stored)), fleet.ErrStale)
		for _, tenant := range []string{"other", ""} {
			foreign := updated
			foreign.Tenant = tenant
			is(t, "by "+tenant, second(tx.UpdateResource(ctx, foreign)), fleet.ErrNotFound)
		}
		is(t, "labels alone make no revision", second(tx.UpdateResource(ctx, updated)), nil)
		return nil
	})
	same(t, "revisions", r.rows("resource_revisions WHERE uid = ? AND number IN (1, 2)", stored.UID), 2)
	same(t, "revisions in all", r.rows("resource_revisions"), 2)
}

// "reschedule: generation+1 …, resourceVersion and revision unchanged."
func TestAskingToDivideAfreshRaisesTheGenerationAlone(t *testing.T) {
	r := newRig(t)
	d, s := r.insert(full())[0], r.store(workload("acme", "web"))[0]
	d.Metadata.Generation, d.DividedAfresh = 2, 2
	s.Generation, s.DividedAfresh = 2, 2
	asked := s
	r.update(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.UpdateDeployment(ctx, d, "ann@acme.example")
		same(t, "deployment", got, d)
		is(t, "deployment", err, nil)
		asked, err = tx.UpdateResource(ctx, s)
		same(t, "resource", asked, s)
		return err
	})
	// What comes after is a change as any other, and leaves the request where it is.
	d.Metadata.Generation, asked.Generation = 3, 3
	r.update(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.UpdateDeployment(ctx, d, "ann@acme.example")
		same(t, "deployment's request", got.DividedAfresh, int64(2))
		is(t, "deployment", err, nil)
		again, err := tx.UpdateResource(ctx, asked)
		same(t, "resource's request", again.DividedAfresh, int64(2))
		if got.Metadata.ResourceVersion == d.Metadata.ResourceVersion || again.ResourceVersion == asked.ResourceVersion {
			t.Error("a change kept its resourceVersion")
		}
		return err
	})
}

func TestDeletingAResourceTakesItsRevisionsAndItsBinding(t *testing.T) {
	r := newRig(t)
	s := r.store(workload("acme", "web"))[0]
	r.commit(about(s, func(d *fleet.Decision) { d.Binding = &fleet.Binding{Clusters: []string{"canada"}} }))
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "by another tenant", tx.DeleteResource(ctx, "other", s.UID), fleet.ErrNotFound)
		is(t, "its own", tx.DeleteResource(ctx, "acme", s.UID), nil)
		is(t, "again", tx.DeleteResource(ctx, "", s.UID), fleet.ErrNotFound)
		is(t, "read", second(tx.Resource(ctx, "", s.Key())), fleet.ErrNotFound)
		return nil
	})
	for _, table := range []string{"resources", "resource_revisions", "bindings"} {
		same(t, table, r.rows(table), 0)
	}
}

func TestDefinedScopesAreReadOfDefinitions(t *testing.T) {
	r := newRig(t)
	define := func(name, scope string) fleet.StoredResource {
		return resource("", "apiextensions.k8s.io/v1", "CustomResourceDefinition", name,
			`{"spec":{"group":"example.com","scope":"`+scope+`","names":{"kind":"`+name+`"}}}`)
	}
	stored := r.store(define("Global", "Cluster"), define("Local", "Namespaced"), define("Odd", "Sideways"), define("Gone", "Cluster"),
		resource("", "example.com/v1", "CustomResourceDefinition", "Fake", `{"spec":{"group":"example.com","scope":"Cluster","names":{"kind":"Fake"}}}`))
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PreserveResource(ctx, "", stored[3].UID) })
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.DefinedScopes(ctx)
		same(t, "scopes", got, fleet.Scopes{{Group: "example.com", Kind: "Global"}: fleet.ScopeCluster, {Group: "example.com", Kind: "Local"}: fleet.ScopeNamespace})
		return err
	})
	none := newRig(t)
	none.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.DefinedScopes(ctx)
		same(t, "none", got, fleet.Scopes(nil))
		return err
	})
}

func TestTrimKeepsTheNewestRevisionsOfAResource(t *testing.T) {
	r := newRig(t)
	s := r.store(workload("acme", "web"), workload("acme", "young"))[0]
	running := container(fleet.Deployment{Tenant: "acme", Revision: 2, Metadata: fleet.Metadata{UID: s.UID, Namespace: "acme", Name: "web"}}, 1, "n0")
	r.commit(about(s, func(d *fleet.Decision) { d.Assign = []fleet.Container{running} }))
	for range db.RevisionsKept + 4 { // revisions 2 to 25
		s.Revision, s.Generation = s.Revision+1, s.Generation+1
		s = r.change(s)
	}
	is(t, "trim", r.Trim(t.Context(), start.Add(time.Hour)), nil)
	same(t, "the newest", r.rows("resource_revisions WHERE uid = ? AND number BETWEEN 6 AND 25", s.UID), 20)
	same(t, "what runs", r.rows("resource_revisions WHERE uid = ? AND number = 2", s.UID), 1)
	same(t, "in all", r.rows("resource_revisions WHERE uid = ?", s.UID), 21)
	same(t, "of the young one", r.rows("resource_revisions WHERE uid <> ?", s.UID), 1)
}
