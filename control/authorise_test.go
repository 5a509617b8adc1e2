package control_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

// outcome of a call, in the words of HTTP.
func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, fleet.ErrNotFound):
		return "404"
	case errors.Is(err, control.ErrForbidden):
		return "403"
	case errors.Is(err, control.ErrUnauthenticated):
		return "401"
	}
	return err.Error()
}

// calls are one of each method, on acme's things; writes as dry runs, which go the same way.
func calls(r *rig) []struct {
	name string
	// want is what operator, support, acme's editor, acme's viewer and globex's editor are answered.
	want [5]string
	call func(a control.Actor) error
} {
	user := control.Body[control.NewUser]{Value: control.NewUser{Email: "new@acme.test", Password: "a long enough one", Role: "viewer"}}
	staff := control.Body[control.NewUser]{Value: control.NewUser{Email: "new@example.test", Password: "a long enough one", Role: "support"}}
	token := control.Body[control.NewToken]{Value: control.NewToken{Name: "ci", Role: "viewer"}}
	staffToken := control.Body[control.NewToken]{Value: control.NewToken{Name: "ci", Role: "support"}}
	one := int64(1)
	on := true
	return []struct {
		name string
		want [5]string
		call func(a control.Actor) error
	}{
		{"list tenants", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Tenants(r.ctx, a, all); return err }},
		{"read tenant", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Tenant(r.ctx, a, "acme"); return err }},
		{"create tenant", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error {
			_, _, err := r.CreateTenant(r.ctx, a, control.Body[control.NewTenant]{Value: control.NewTenant{Name: "new-one"}}, dryRun)
			return err
		}},
		{"delete tenant", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.DeleteTenant(r.ctx, a, "acme", dryRun); return err }},
		{"list namespaces", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Namespaces(r.ctx, a, "acme", all); return err }},
		{"create namespace", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error {
			_, _, err := r.CreateNamespace(r.ctx, a, "acme", control.Body[control.NewNamespace]{Value: control.NewNamespace{Name: "acme-2"}}, dryRun)
			return err
		}},
		{"list users", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Users(r.ctx, a, "acme", all); return err }},
		{"create user", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.CreateUser(r.ctx, a, "acme", user, dryRun); return err }},
		{"list the platform's users", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Users(r.ctx, a, "", all); return err }},
		{"create a platform's user", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.CreateUser(r.ctx, a, "", staff, dryRun); return err }},
		{"list tokens", [5]string{"ok", "ok", "ok", "403", "404"}, func(a control.Actor) error { _, err := r.Tokens(r.ctx, a, "acme", all); return err }},
		{"create token", [5]string{"ok", "403", "ok", "403", "404"}, func(a control.Actor) error { _, _, err := r.CreateToken(r.ctx, a, "acme", token, dryRun); return err }},
		{"list the platform's tokens", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Tokens(r.ctx, a, "", all); return err }},
		{"create a platform's token", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.CreateToken(r.ctx, a, "", staffToken, dryRun); return err }},

		{"list clusters", [5]string{"ok", "ok", "ok", "ok", "ok"}, func(a control.Actor) error { _, err := r.Clusters(r.ctx, a, all); return err }},
		{"read cluster", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error { _, err := r.Cluster(r.ctx, a, "c1"); return err }},
		{"create cluster", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error {
			_, _, err := r.CreateCluster(r.ctx, a, control.Body[control.NewCluster]{Value: control.NewCluster{Name: "c9"}}, dryRun)
			return err
		}},
		{"update cluster", [5]string{"ok", "403", "403", "403", "404"}, func(a control.Actor) error {
			_, _, err := r.UpdateCluster(r.ctx, a, "c1", control.Body[control.NewCluster]{}, dryRun)
			return err
		}},
		{"create enrolment token", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error {
			_, _, err := r.CreateEnrolmentToken(r.ctx, a, "c1", control.Body[control.NewEnrolmentToken]{}, dryRun)
			return err
		}},

		{"list nodes", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Nodes(r.ctx, a, fleet.NodeFilter{}, all); return err }},
		{"read node", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Node(r.ctx, a, "n1"); return err }},
		{"list a node's containers", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.NodeContainers(r.ctx, a, "n1"); return err }},
		{"list a node's events", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.NodeEvents(r.ctx, a, "n1", all); return err }},
		{"cordon", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.CordonNode(r.ctx, a, "n1", dryRun); return err }},
		{"uncordon", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.UncordonNode(r.ctx, a, "n1", dryRun); return err }},
		{"drain", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error {
			_, _, err := r.DrainNode(r.ctx, a, "n1", control.Body[control.DrainRequest]{}, dryRun)
			return err
		}},
		{"delete node", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, _, err := r.DeleteNode(r.ctx, a, "n1", dryRun); return err }},
		{"write a node", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error { _, err := r.RefuseNodeWrite(r.ctx, a, "n1"); return err }},

		{"list deployments", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error {
			_, err := r.Deployments(r.ctx, a, fleet.DeploymentFilter{Namespace: "acme"}, all)
			return err
		}},
		{"read deployment", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error { _, err := r.Deployment(r.ctx, a, "acme", "ledger-api"); return err }},
		{"read its page", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error { _, err := r.DeploymentDetail(r.ctx, a, "acme", "ledger-api"); return err }},
		{"read placement", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error { _, err := r.Placement(r.ctx, a, "acme", "ledger-api"); return err }},
		{"list events", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error {
			_, err := r.DeploymentEvents(r.ctx, a, "acme", "ledger-api", all)
			return err
		}},
		{"list revisions", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error { _, err := r.Revisions(r.ctx, a, "acme", "ledger-api", all); return err }},
		{"create deployment", [5]string{"ok", "403", "ok", "403", "404"}, func(a control.Actor) error {
			_, _, err := r.CreateDeployment(r.ctx, a, "acme", manifest(head), dryRun)
			return err
		}},
		{"update deployment", [5]string{"ok", "403", "ok", "403", "404"}, func(a control.Actor) error {
			_, _, err := r.UpdateDeployment(r.ctx, a, "acme", "ledger-api", manifest(head), dryRun)
			return err
		}},
		{"delete deployment", [5]string{"ok", "403", "ok", "403", "404"}, func(a control.Actor) error {
			_, _, err := r.DeleteDeployment(r.ctx, a, "acme", "ledger-api", dryRun)
			return err
		}},
		{"roll back", [5]string{"ok", "403", "ok", "403", "404"}, func(a control.Actor) error {
			_, _, err := r.RollbackDeployment(r.ctx, a, "acme", "ledger-api", control.Body[control.RollbackRequest]{Value: control.RollbackRequest{Revision: &one}}, dryRun)
			return err
		}},
		{"roll back what is not there", [5]string{"404", "404", "404", "404", "404"}, func(a control.Actor) error {
			_, _, err := r.RollbackDeployment(r.ctx, a, "acme", "nothing", control.Body[control.RollbackRequest]{Value: control.RollbackRequest{Revision: &one}}, dryRun)
			return err
		}},
		{"a namespace that is not there", [5]string{"404", "404", "404", "404", "404"}, func(a control.Actor) error {
			_, _, err := r.CreateDeployment(r.ctx, a, "nowhere", manifest(head), dryRun)
			return err
		}},
		{"count states", [5]string{"ok", "ok", "ok", "ok", "ok"}, func(a control.Actor) error { _, err := r.CountStates(r.ctx, a); return err }},
		{"count drifting", [5]string{"ok", "ok", "ok", "ok", "ok"}, func(a control.Actor) error { _, err := r.CountDrifting(r.ctx, a); return err }},
		{"list with what stands", [5]string{"ok", "ok", "ok", "ok", "404"}, func(a control.Actor) error {
			_, err := r.Standings(r.ctx, a, fleet.DeploymentFilter{Namespace: "acme"}, all)
			return err
		}},
		{"read what leaves a node", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Leaving(r.ctx, a, "n1"); return err }},
		{"list pending", [5]string{"ok", "ok", "ok", "ok", "ok"}, func(a control.Actor) error { _, err := r.Pending(r.ctx, a, control.PendingFilter{}, all); return err }},

		{"read regions", [5]string{"ok", "ok", "ok", "ok", "ok"}, func(a control.Actor) error { _, err := r.Regions(r.ctx, a); return err }},
		{"read geography", [5]string{"ok", "ok", "ok", "ok", "ok"}, func(a control.Actor) error { _, err := r.Geography(r.ctx, a); return err }},
		{"read geo settings", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.GeoSettings(r.ctx, a); return err }},
		{"write geo settings", [5]string{"ok", "403", "403", "403", "403"}, func(a control.Actor) error {
			_, _, err := r.PutGeoSettings(r.ctx, a, control.Body[control.GeoPatch]{Value: control.GeoPatch{Enabled: &on}}, dryRun)
			return err
		}},
		{"read the audit", [5]string{"ok", "ok", "403", "403", "403"}, func(a control.Actor) error { _, err := r.Audit(r.ctx, a, all); return err }},
	}
}

func TestWhoMayDoWhat(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.cluster("c1", "acme")
	r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", head)
	actors := []control.Actor{root, helper, acme, reader, globex}
	for _, c := range calls(r) {
		for i, a := range actors {
			if got := outcome(c.call(a)); got != c.want[i] {
				t.Errorf("%s as %s: %s, want %s", c.name, a.Name, got, c.want[i])
			}
		}
		if got := outcome(c.call(control.Actor{})); got != "401" && got != "404" && got != "403" {
			t.Errorf("%s as nobody: %s", c.name, got)
		}
		if got := outcome(c.call(control.Actor{Name: "odd", Role: fleet.RoleEditor})); got != "403" && got != "404" {
			t.Errorf("%s as an editor of no tenant: %s", c.name, got)
		}
	}
}

func TestAForbiddenWriteIsAudited(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", head)
	for name, c := range map[string]struct {
		call func() error
		want fleet.AuditEntry
	}{
		"a viewer deletes": {func() error {
			_, _, err := r.DeleteDeployment(r.ctx, reader, "acme", "ledger-api", nothing)
			return err
		}, fleet.AuditEntry{Actor: reader.Name, Role: "viewer", Tenant: "acme", Address: reader.Address, Verb: "delete", Kind: "Deployment", Namespace: "acme", Name: "ledger-api", Codes: []fleet.Code{fleet.CodeForbidden}}},
		"an editor drains": {func() error {
			_, _, err := r.DrainNode(r.ctx, acme, "n1", control.Body[control.DrainRequest]{}, nothing)
			return err
		}, fleet.AuditEntry{Actor: acme.Name, Role: "editor", Tenant: "acme", Address: acme.Address, Verb: "drain", Kind: "Node", Name: "n1", Codes: []fleet.Code{fleet.CodeForbidden}}},
		"somebody writes another's": {func() error {
			_, _, err := r.UpdateDeployment(r.ctx, globex, "acme", "ledger-api", manifest(head), nothing)
			return err
		}, fleet.AuditEntry{Actor: globex.Name, Role: "editor", Tenant: "globex", Address: globex.Address, Verb: "update", Kind: "Deployment", Namespace: "acme", Name: "ledger-api", Codes: []fleet.Code{fleet.CodeNotFound}}},
		"an operator says where a node is": {func() error {
			_, err := r.RefuseNodeWrite(r.ctx, root, "n1")
			return err
		}, fleet.AuditEntry{Actor: root.Name, Role: "operator", Address: root.Address, Verb: "update", Kind: "Node", Name: "n1", Codes: []fleet.Code{fleet.CodeNodeGeographySelf}, Changes: []fleet.Change{{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := r.auditLength()
			_ = c.call() // what it answers is TestWhoMayDoWhat's
			if n := r.auditLength() - before; n != 1 {
				t.Fatalf("%d audit entries", n)
			}
			got := r.audit(1)[0]
			got.ID, got.Time, got.Changes, c.want.Changes = 0, c.want.Time, nil, nil
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("audited %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestListsHoldTheActorsOwnAlone(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.cluster("shared")
	r.cluster("theirs", "globex")
	r.create(acme, "acme", head)
	r.create(globex, "globex", head)
	deployments := func(a control.Actor, f fleet.DeploymentFilter) []string {
		page, err := r.Deployments(r.ctx, a, f, all)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, d := range page.Items {
			names = append(names, d.Metadata.Namespace+"/"+d.Metadata.Name)
		}
		return names
	}
	for name, c := range map[string]struct {
		got, want []string
	}{
		"operator":                           {deployments(root, fleet.DeploymentFilter{}), []string{"acme/ledger-api", "globex/ledger-api"}},
		"operator, one tenant":               {deployments(root, fleet.DeploymentFilter{Tenant: "globex"}), []string{"globex/ledger-api"}},
		"editor":                             {deployments(acme, fleet.DeploymentFilter{}), []string{"acme/ledger-api"}},
		"editor who names another tenant":    {deployments(acme, fleet.DeploymentFilter{Tenant: "globex"}), []string{"acme/ledger-api"}},
		"editor of a namespace and a tenant": {deployments(acme, fleet.DeploymentFilter{Namespace: "acme", Tenant: "globex"}), []string{"acme/ledger-api"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s sees %v, want %v", name, c.got, c.want)
		}
	}
	clusters, err := r.Clusters(r.ctx, acme, all)
	if err != nil || len(clusters.Items) != 1 || clusters.Items[0].Name != "shared" || clusters.Items[0].Tenants != nil || clusters.Items[0].Nodes != 0 {
		t.Errorf("acme's clusters %+v, error %v", clusters, err)
	}
	namespaces, err := r.OwnNamespaces(r.ctx, acme, all)
	if err != nil || len(namespaces.Items) != 1 || namespaces.Items[0].Name != "acme" {
		t.Errorf("acme's namespaces %+v, error %v", namespaces, err)
	}
}
