package db_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// same fails where got is not want, all fields compared.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// is fails where err is not the sentinel (nil: no error).
func is(t testing.TB, what string, err, want error) {
	t.Helper()
	if want == nil && err != nil || !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func TestTenantsAndNamespacesReadBackAsWritten(t *testing.T) {
	r := newRig(t)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "second of the name", tx.InsertTenant(ctx, fleet.Tenant{Name: "acme", CreatedAt: start}), fleet.ErrExists)
		is(t, "a namespace that another tenant has", tx.InsertNamespace(ctx, fleet.Namespace{Name: "other", Tenant: "acme"}), fleet.ErrExists)
		is(t, "a namespace of nobody", tx.InsertNamespace(ctx, fleet.Namespace{Name: "lost", Tenant: "nobody"}), fleet.ErrNotFound)
		return tx.InsertNamespace(ctx, fleet.Namespace{Name: "staging", Tenant: "acme", CreatedAt: start.Add(time.Second)})
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		tenants, next, err := tx.Tenants(ctx, fleet.ListOptions{})
		same(t, "tenants", tenants, []fleet.Tenant{
			{Name: "acme", DisplayName: "The acme", CreatedAt: start}, {Name: "other", DisplayName: "The other", CreatedAt: start},
		})
		same(t, "cursor", next, "")
		is(t, "tenants", err, nil)

		n, err := tx.Namespace(ctx, "staging")
		same(t, "namespace", n, fleet.Namespace{Name: "staging", Tenant: "acme", CreatedAt: start.Add(time.Second)})
		is(t, "namespace", err, nil)

		_, err = tx.Tenant(ctx, "nobody")
		is(t, "unknown tenant", err, fleet.ErrNotFound)
		_, err = tx.Namespace(ctx, "nothing")
		is(t, "unknown namespace", err, fleet.ErrNotFound)
		return nil
	})
}

func TestDeletingATenantTakesWhatIsItsAlone(t *testing.T) {
	r := newRig(t)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(
			tx.InsertUser(ctx, fleet.User{ID: "u", Email: "a@acme.example", Tenant: "acme", Role: fleet.RoleEditor, CreatedAt: start}),
			tx.InsertToken(ctx, fleet.Token{ID: "t", Name: "ci", Tenant: "acme", Role: fleet.RoleEditor, Hash: "hash", CreatedAt: start, ExpiresAt: start}),
			tx.AppendEvent(ctx, fleet.Event{Time: start, Tenant: "acme", Kind: "Deployment", UID: "gone", Type: fleet.EventNormal, Reason: "Deleted"}),
			tx.AppendAudit(ctx, fleet.AuditEntry{Time: start, Tenant: "acme", Verb: "delete"}),
			second(tx.InsertCluster(ctx, fleet.Cluster{Name: "granted", Tenants: []string{"acme", "other"}, CreatedAt: start})),
		)
	})
	stored := r.insert(deployment("acme", "web"))
	if err := r.Update(t.Context(), func(tx *db.Tx) error { return tx.DeleteTenant(t.Context(), "acme") }); err == nil {
		t.Error("a tenant with a deployment was deleted")
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(tx.DeleteDeployment(ctx, "acme", stored[0].Metadata.UID), tx.DeleteTenant(ctx, "acme"))
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for what, find := range map[string]func() error{
			"tenant":    func() error { return second(tx.Tenant(ctx, "acme")) },
			"namespace": func() error { return second(tx.Namespace(ctx, "acme")) },
			"user":      func() error { return second(tx.User(ctx, "u")) },
			"token":     func() error { return second(tx.TokenByHash(ctx, "hash")) },
		} {
			is(t, what, find(), fleet.ErrNotFound)
		}
		c, err := tx.Cluster(ctx, "granted")
		same(t, "grants", c.Tenants, []string{"other"})
		is(t, "cluster", err, nil)
		events, _, err := tx.Events(ctx, "", "gone", fleet.ListOptions{})
		same(t, "events", len(events), 0)
		is(t, "events", err, nil)
		audit, _, err := tx.Audit(ctx, fleet.ListOptions{})
		same(t, "audit outlives the tenant", len(audit), 1)
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "deleting again", tx.DeleteTenant(ctx, "acme"), fleet.ErrNotFound)
		return nil
	})
}

// second is the error of a call that also answers a value.
func second[T any](_ T, err error) error { return err }
