package db_test

import (
	"context"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

func TestEventsThatRepeatCountUp(t *testing.T) {
	r := newRig(t)
	at := func(minute int, reason, replicas string) fleet.Event {
		return fleet.Event{
			Time: start.Add(time.Duration(minute) * time.Minute), Tenant: "acme", Kind: "Deployment", Namespace: "acme", Name: "web", UID: "uid",
			Type: fleet.EventWarning, Reason: reason, Args: map[string]string{"replicas": replicas, "codes": "capacity"}, Count: 1,
		}
	}
	append := func(events ...fleet.Event) {
		r.update(func(ctx context.Context, tx *db.Tx) error {
			for _, e := range events {
				if err := tx.AppendEvent(ctx, e); err != nil {
					return err
				}
			}
			return nil
		})
	}
	elsewhere := at(1, "Pending", "1")
	elsewhere.UID = "another"
	append(at(0, "Pending", "1"), elsewhere, at(2, "Pending", "1"))
	append(at(3, "Pending", "2"), at(4, "Pending", "1"), at(5, "Scheduled", "1"), at(6, "Scheduled", "1"))
	thrice := at(7, "Scheduled", "1")
	thrice.Count = 3
	append(thrice)

	counted := func(e fleet.Event, minute, count int) fleet.Event {
		e.Time, e.Count = start.Add(time.Duration(minute)*time.Minute), count
		return e
	}
	want := []fleet.Event{
		counted(at(5, "Scheduled", "1"), 7, 5), at(4, "Pending", "1"), at(3, "Pending", "2"), counted(at(0, "Pending", "1"), 2, 2),
	}
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, next, err := tx.Events(ctx, "acme", "uid", fleet.ListOptions{})
		same(t, "newest first", got, want)
		same(t, "end", next, "")
		is(t, "events", err, nil)
		first, next, err := tx.Events(ctx, "acme", "uid", fleet.ListOptions{Limit: 3})
		same(t, "first page", first, want[:3])
		is(t, "first page", err, nil)
		rest, next, err := tx.Events(ctx, "acme", "uid", fleet.ListOptions{Limit: 3, After: next})
		same(t, "second page", rest, want[3:])
		same(t, "end", next, "")
		return err
	})
}

func TestOnlyWhatIsInNoNamespaceHasEventsOfNoTenant(t *testing.T) {
	r := newRig(t)
	enrolled := fleet.Event{Time: start, Kind: "Node", Name: "n0", Type: fleet.EventNormal, Reason: "Enrolled", Count: 1}
	bound := fleet.Event{Time: start, Kind: "ClusterRole", Name: "reader", UID: "role", Type: fleet.EventNormal, Reason: "Bound", Count: 1}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "of a node", tx.AppendEvent(ctx, enrolled), nil)
		is(t, "of a cluster-scoped resource", tx.AppendEvent(ctx, bound), nil)
		is(t, "of an unknown tenant", tx.AppendEvent(ctx, fleet.Event{Tenant: "nobody", Kind: "Deployment", UID: "x"}), fleet.ErrNotFound)
		if tx.AppendEvent(ctx, fleet.Event{Kind: "Deployment", Namespace: "acme", UID: "x", Reason: "Created"}) == nil {
			t.Error("a deployment's event of no tenant was stored")
		}
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, _, err := tx.NodeEvents(ctx, "n0", fleet.ListOptions{})
		same(t, "events", got, []fleet.Event{enrolled})
		is(t, "events", err, nil)
		got, _, err = tx.NodeEvents(ctx, "n1", fleet.ListOptions{})
		same(t, "another node's", len(got), 0)
		is(t, "another node's", err, nil)
		got, _, err = tx.Events(ctx, "", "role", fleet.ListOptions{})
		same(t, "of a cluster-scoped resource", got, []fleet.Event{bound})
		is(t, "of a cluster-scoped resource", err, nil)
		got, _, err = tx.Events(ctx, "acme", "role", fleet.ListOptions{})
		same(t, "the same, to a tenant", len(got), 0)
		return err
	})
}

func TestAuditIsAppendedAndNeverChanged(t *testing.T) {
	r := newRig(t)
	refused := fleet.AuditEntry{
		Time: start, Actor: "ann@acme.example", Role: fleet.RoleEditor, Tenant: "acme", Address: "192.0.2.1", Verb: "create", Kind: "Deployment",
		Namespace: "acme", Name: "web", Codes: []fleet.Code{fleet.CodeCountryUnassigned}, Changes: []fleet.Change{{Field: "spec.placement", After: "UK"}},
	}
	accepted := fleet.AuditEntry{Time: start.Add(time.Second), Actor: "set-up", Role: fleet.RoleOperator, Verb: "sign-in", Accepted: true}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "refused", tx.AppendAudit(ctx, refused), nil)
		return tx.AppendAudit(ctx, accepted)
	})
	refused.ID, accepted.ID = 1, 2
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, next, err := tx.Audit(ctx, fleet.ListOptions{Limit: 1})
		same(t, "newest", got, []fleet.AuditEntry{accepted})
		is(t, "newest", err, nil)
		got, next, err = tx.Audit(ctx, fleet.ListOptions{Limit: 1, After: next})
		same(t, "oldest", got, []fleet.AuditEntry{refused})
		same(t, "end", next, "")
		is(t, "oldest", err, nil)
		got, _, err = tx.Audit(ctx, fleet.ListOptions{Query: "WE"})
		same(t, "searched", got, []fleet.AuditEntry{refused})
		return err
	})
	if _, err := r.Sessions().Exec("UPDATE audit SET actor = 'nobody'"); err == nil {
		t.Error("the audit was changed")
	}
}

func TestSettingsReadBackAsWritten(t *testing.T) {
	r := newRig(t)
	geo := fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReschedule, Regions: []fleet.Region{
		{Name: "eu-core", Description: "The Union's core", Countries: []string{"NL", "DE"}}, {Name: "alps", Countries: []string{"CH"}},
	}}
	var first, second string
	r.update(func(ctx context.Context, tx *db.Tx) error {
		got, version, err := tx.GeoAwareness(ctx)
		same(t, "nothing yet", got, fleet.GeoAwareness{})
		same(t, "its version", version, "0")
		is(t, "nothing yet", err, nil)
		if first, err = tx.PutGeoAwareness(ctx, fleet.GeoAwareness{}); err != nil {
			return err
		}
		second, err = tx.PutGeoAwareness(ctx, geo)
		is(t, "put", tx.PutSetting(ctx, "key", "one"), nil)
		is(t, "put over", tx.PutSetting(ctx, "key", "two"), nil)
		return err
	})
	if first == second || first == "0" {
		t.Errorf("versions %s, %s", first, second)
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		got, version, err := tx.GeoAwareness(ctx)
		same(t, "declaration", got, geo)
		same(t, "version", version, second)
		is(t, "declaration", err, nil)
		value, err := tx.Setting(ctx, "key")
		same(t, "setting", value, "two")
		is(t, "setting", err, nil)
		is(t, "delete", tx.DeleteSetting(ctx, "key"), nil)
		is(t, "delete again", tx.DeleteSetting(ctx, "key"), nil)
		_, err = tx.Setting(ctx, "key")
		is(t, "deleted", err, fleet.ErrNotFound)
		return nil
	})
}
