package db_test

import (
	"context"
	"errors"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// Whatever is asked in the name of one tenant neither shows nor changes what is another's, whoever knows its name or ID.
func TestNoTenantReachesWhatIsAnothers(t *testing.T) {
	r := newRig(t)
	theirs := r.insert(deployment("other", "web", inCountry("CA")))[0]
	uid := theirs.Metadata.UID
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(
			tx.InsertUser(ctx, fleet.User{ID: "their-user", Email: "x@other.example", Tenant: "other", Role: fleet.RoleEditor}),
			tx.InsertUser(ctx, fleet.User{ID: "platform-user", Email: "x@odysseus.example", Role: fleet.RoleOperator}),
			tx.InsertToken(ctx, fleet.Token{ID: "their-token", Tenant: "other", Role: fleet.RoleEditor, Hash: "h1"}),
			tx.InsertToken(ctx, fleet.Token{ID: "platform-token", Role: fleet.RoleOperator, Hash: "h2"}),
			second(tx.InsertCluster(ctx, fleet.Cluster{Name: "theirs", Tenants: []string{"other"}})),
			tx.AppendEvent(ctx, fleet.Event{Tenant: "other", Kind: "Deployment", Namespace: "other", Name: "web", UID: uid, Type: fleet.EventNormal, Reason: "Created"}),
			tx.AppendEvent(ctx, fleet.Event{Kind: "Node", Name: "n0", Type: fleet.EventNormal, Reason: "Enrolled"}),
		)
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "deployment", second(tx.Deployment(ctx, "acme", "other", "web")), fleet.ErrNotFound)
		is(t, "deleting a deployment", tx.DeleteDeployment(ctx, "acme", uid), fleet.ErrNotFound)
		for _, tenant := range []string{"acme", ""} {
			is(t, "deleting a user as "+tenant, tx.DeleteUser(ctx, tenant, "their-user"), fleet.ErrNotFound)
			is(t, "deleting a token as "+tenant, tx.DeleteToken(ctx, tenant, "their-token"), fleet.ErrNotFound)
		}
		is(t, "deleting the platform's user", tx.DeleteUser(ctx, "acme", "platform-user"), fleet.ErrNotFound)
		is(t, "deleting the platform's token", tx.DeleteToken(ctx, "acme", "platform-token"), fleet.ErrNotFound)
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		all := fleet.ListOptions{}
		for _, f := range []fleet.DeploymentFilter{{}, {Namespace: "other"}, {State: fleet.Waiting}, {Residency: "CA"}, {Residency: "any"}} {
			f.Tenant = "acme"
			list, _, err := tx.Deployments(ctx, f, all)
			same(t, "deployments", len(list), 0)
			is(t, "deployments", err, nil)
		}
		counts, err := tx.CountStates(ctx, "acme")
		same(t, "states", counts, map[fleet.PlacementState]int{})
		is(t, "states", err, nil)
		namespaces, _, err := tx.Namespaces(ctx, "acme", all)
		same(t, "namespaces", namespaces, []fleet.Namespace{{Name: "acme", Tenant: "acme", CreatedAt: start}})
		is(t, "namespaces", err, nil)
		users, _, err := tx.Users(ctx, "acme", all)
		same(t, "users", len(users), 0)
		is(t, "users", err, nil)
		tokens, _, err := tx.Tokens(ctx, "acme", all)
		same(t, "tokens", len(tokens), 0)
		is(t, "tokens", err, nil)
		users, _, err = tx.Users(ctx, "", all)
		same(t, "the platform's users", len(users), 1)
		is(t, "the platform's users", err, nil)
		tokens, _, err = tx.Tokens(ctx, "", all)
		same(t, "the platform's tokens", len(tokens), 1)
		is(t, "the platform's tokens", err, nil)
		clusters, _, err := tx.Clusters(ctx, "acme", all)
		same(t, "clusters", len(clusters), 1)
		same(t, "the granted cluster", clusters[0].Name, "canada")
		is(t, "clusters", err, nil)
		clusters, _, err = tx.Clusters(ctx, "other", all)
		same(t, "clusters of the other", len(clusters), 2)
		is(t, "clusters of the other", err, nil)
		for _, object := range []string{uid, "Node//n0"} {
			events, _, err := tx.Events(ctx, "acme", object, all)
			same(t, "events of "+object, len(events), 0)
			is(t, "events of "+object, err, nil)
		}
		return nil
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Deployment(ctx, "", "other", "web")
		is(t, "the platform's own caller", err, nil)
		list, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{}, fleet.ListOptions{})
		same(t, "the platform's list", uids(list), []string{uid})
		return err
	})
}
