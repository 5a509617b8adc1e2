package control_test

import (
	"errors"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func TestATenantComesWithItsNamespaceAndGoesWithAll(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.cluster("c1", "acme", "globex")
	ns, err := r.Namespace(r.ctx, acme, "acme")
	if err != nil || ns.Tenant != "acme" {
		t.Errorf("namespace %+v, error %v", ns, err)
	}
	r.create(acme, "acme", head)
	_, faults, err := r.DeleteTenant(r.ctx, root, "acme", nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeTenantInUse) || faults[0].Args["Count"] != "1" {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	_, faults, err = r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", nothing)
	r.must(faults, err)
	r.settle()
	u := r.user("acme", "ada@acme.test", fleet.RoleEditor)
	_, faults, err = r.DeleteTenant(r.ctx, root, "acme", nothing)
	r.must(faults, err)
	if _, err := r.Tenant(r.ctx, root, "acme"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("tenant: %v", err)
	}
	if _, err := r.Namespace(r.ctx, root, "acme"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("namespace: %v", err)
	}
	if _, err := r.ActorOf(r.ctx, u.ID, u.SessionEpoch, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("its people: %v", err)
	}
	c, err := r.Cluster(r.ctx, root, "c1")
	if err != nil || len(c.Tenants) != 1 || c.Tenants[0] != "globex" {
		t.Errorf("cluster %+v, error %v", c, err)
	}
}

func TestATenantWithContainersStaysUntilTheyStopped(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", head)
	run, _ := r.assigned(n)
	faults, err := r.report(n, "{}", run[0]+"=running", run[1]+"=running")
	r.must(faults, err)
	_, faults, err = r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", nothing)
	r.must(faults, err)
	if _, stop := r.assigned(n); len(stop) != 2 {
		t.Fatalf("to stop %v", stop)
	}
	_, faults, err = r.DeleteTenant(r.ctx, root, "acme", nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeTenantInUse) {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	faults, err = r.report(n, "{}", run[0]+"=stopped", run[1]+"=stopped")
	r.must(faults, err)
	r.settle()
	_, faults, err = r.DeleteTenant(r.ctx, root, "acme", nothing)
	r.must(faults, err)
}

func TestTenantsAndNamespacesAreHeldToTheRules(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	_, faults, err := r.CreateNamespace(r.ctx, root, "acme", control.Body[control.NewNamespace]{Value: control.NewNamespace{Name: "taken"}}, nothing)
	r.must(faults, err)
	for name, c := range map[string]struct {
		body  string
		code  fleet.Code
		field string
	}{
		"no name":             {`{}`, fleet.CodeRequired, "name"},
		"not a name":          {`{"name": "Acme Inc"}`, fleet.CodeNameInvalid, "name"},
		"a taken name":        {`{"name": "acme"}`, fleet.CodeAlreadyExists, "name"},
		"a taken namespace":   {`{"name": "taken"}`, fleet.CodeAlreadyExists, "name"},
		"the platform's":      {`{"name": "kube-system"}`, fleet.CodeNotAccepted, "name"},
		"an unknown key":      {`{"name": "b", "display": "B"}`, fleet.CodeUnknownField, "display"},
		"a number for a name": {`{"name": 7}`, fleet.CodeWrongType, "name"},
	} {
		_, faults, err := r.CreateTenant(r.ctx, root, control.ParseBody[control.NewTenant]([]byte(c.body), fleet.FormatJSON), nothing)
		if err != nil || !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field {
			t.Errorf("tenant, %s: refused %+v, error %v", name, faults, err)
		}
		if name == "an unknown key" {
			continue // a namespace has no other key to mistake
		}
		_, faults, err = r.CreateNamespace(r.ctx, root, "acme", control.ParseBody[control.NewNamespace]([]byte(c.body), fleet.FormatJSON), nothing)
		if err != nil || !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field {
			t.Errorf("namespace, %s: refused %+v, error %v", name, faults, err)
		}
	}
	if _, _, err := r.CreateNamespace(r.ctx, root, "nobody", control.Body[control.NewNamespace]{Value: control.NewNamespace{Name: "b"}}, nothing); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("of nobody: %v", err)
	}
}
