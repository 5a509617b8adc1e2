package db_test

import (
	"context"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

func TestUsersReadBackAsWritten(t *testing.T) {
	r := newRig(t)
	ann := fleet.User{ID: "1", Email: "Ann@acme.example", Tenant: "acme", Role: fleet.RoleEditor, PasswordHash: "argon", CreatedAt: start, SessionEpoch: 3}
	root := fleet.User{ID: "2", Email: "root@odysseus.example", Role: fleet.RoleOperator, PasswordHash: "argon2", CreatedAt: start}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.CountUsers(ctx)
		same(t, "users before", n, 0)
		is(t, "count", err, nil)
		is(t, "ann", tx.InsertUser(ctx, ann), nil)
		is(t, "root", tx.InsertUser(ctx, root), nil)
		is(t, "the email in other letters", tx.InsertUser(ctx, fleet.User{ID: "3", Email: "ann@ACME.example", Tenant: "other", Role: fleet.RoleViewer}), fleet.ErrExists)
		is(t, "an unknown tenant", tx.InsertUser(ctx, fleet.User{ID: "4", Email: "x@y", Tenant: "nobody", Role: fleet.RoleViewer}), fleet.ErrNotFound)
		if tx.InsertUser(ctx, fleet.User{ID: "5", Email: "5@y", Tenant: "acme", Role: fleet.RoleOperator}) == nil {
			t.Error("a tenant's operator was stored")
		}
		if tx.InsertUser(ctx, fleet.User{ID: "6", Email: "6@y", Role: fleet.RoleEditor}) == nil {
			t.Error("an editor of no tenant was stored")
		}
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.CountUsers(ctx)
		same(t, "users", n, 2)
		is(t, "count", err, nil)
		got, err := tx.UserByEmail(ctx, "ANN@acme.example")
		same(t, "by email", got, ann)
		is(t, "by email", err, nil)
		got, err = tx.User(ctx, "2")
		same(t, "by ID", got, root)
		is(t, "by ID", err, nil)
		is(t, "unknown email", second(tx.UserByEmail(ctx, "bob@acme.example")), fleet.ErrNotFound)
		is(t, "unknown ID", second(tx.User(ctx, "9")), fleet.ErrNotFound)
		list, _, err := tx.Users(ctx, "", fleet.ListOptions{})
		same(t, "the platform's", list, []fleet.User{root})
		is(t, "list", err, nil)
		list, _, err = tx.Users(ctx, "acme", fleet.ListOptions{Query: "ANN@"})
		same(t, "the tenant's, searched", list, []fleet.User{ann})
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		changed := ann
		changed.PasswordHash, changed.SessionEpoch, changed.Role = "new", 4, fleet.RoleViewer
		is(t, "update", tx.UpdateUser(ctx, changed), nil)
		got, err := tx.User(ctx, "1")
		same(t, "hash", got.PasswordHash, "new")
		same(t, "epoch", got.SessionEpoch, int64(4))
		same(t, "role stays", got.Role, fleet.RoleEditor)
		is(t, "updating nobody", tx.UpdateUser(ctx, fleet.User{ID: "9"}), fleet.ErrNotFound)
		return err
	})
}

func TestTokensReadBackAsWritten(t *testing.T) {
	r := newRig(t)
	ci := fleet.Token{ID: "1", Name: "ci", Tenant: "acme", Role: fleet.RoleViewer, Hash: "h1", CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	twin := fleet.Token{ID: "2", Name: "ci", Tenant: "acme", Role: fleet.RoleEditor, Hash: "h2", CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	ops := fleet.Token{ID: "3", Name: "ops", Role: fleet.RoleSupport, Hash: "h3", CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for _, token := range []fleet.Token{ci, twin, ops} {
			is(t, token.ID, tx.InsertToken(ctx, token), nil)
		}
		is(t, "a hash that is taken", tx.InsertToken(ctx, fleet.Token{ID: "4", Hash: "h1", Tenant: "acme", Role: fleet.RoleViewer}), fleet.ErrExists)
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.TokenByHash(ctx, "h3")
		same(t, "by hash", got, ops)
		is(t, "by hash", err, nil)
		is(t, "unknown hash", second(tx.TokenByHash(ctx, "h9")), fleet.ErrNotFound)
		first, next, err := tx.Tokens(ctx, "acme", fleet.ListOptions{Limit: 1})
		same(t, "first page", first, []fleet.Token{ci})
		is(t, "first page", err, nil)
		rest, next, err := tx.Tokens(ctx, "acme", fleet.ListOptions{Limit: 1, After: next})
		same(t, "second page", rest, []fleet.Token{twin})
		same(t, "end", next, "")
		return err
	})
}

func TestEnrolmentTokensAreUsedUp(t *testing.T) {
	r := newRig(t)
	token := fleet.EnrolmentToken{ID: "e", Cluster: "canada", Hash: "hash", Uses: 2, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "insert", tx.InsertEnrolmentToken(ctx, token), nil)
		is(t, "unknown cluster", tx.InsertEnrolmentToken(ctx, fleet.EnrolmentToken{ID: "f", Cluster: "nowhere", Hash: "f"}), fleet.ErrNotFound)
		is(t, "first use", tx.UseEnrolmentToken(ctx, "e"), nil)
		is(t, "second use", tx.UseEnrolmentToken(ctx, "e"), nil)
		is(t, "third use", tx.UseEnrolmentToken(ctx, "e"), fleet.ErrNotFound)
		got, err := tx.EnrolmentTokenByHash(ctx, "hash")
		token.Used = 2
		same(t, "token", got, token)
		is(t, "unknown", second(tx.EnrolmentTokenByHash(ctx, "other")), fleet.ErrNotFound)
		return err
	})
}
