package control_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func TestClustersAreHeldToTheRules(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("taken")
	for name, c := range map[string]struct {
		body  string
		codes []fleet.Code
		field string
	}{
		"no name":                  {`{}`, []fleet.Code{fleet.CodeRequired}, "name"},
		"not a name":               {`{"name": "C 1"}`, []fleet.Code{fleet.CodeNameInvalid}, "name"},
		"taken":                    {`{"name": "taken"}`, []fleet.Code{fleet.CodeAlreadyExists}, "name"},
		"another runtime":          {`{"name": "c1", "runtime": "docker"}`, []fleet.Code{fleet.CodeNotAccepted}, "runtime"},
		"a runtime of a later one": {`{"name": "c1", "runtime": "kubernetes"}`, []fleet.Code{fleet.CodeFieldUnsupported}, "runtime"},
		"where its machines are":   {`{"name": "c1", "labels": {"odysseus.io/country": "CA"}}`, []fleet.Code{fleet.CodeNodeGeographySelf}, "labels[odysseus.io/country]"},
		"a residency label's twin": {`{"name": "c1", "labels": {"data-residency-country": "CA"}}`, []fleet.Code{fleet.CodeLabelReserved}, "labels.data-residency-country"},
		"no label":                 {`{"name": "c1", "labels": {"a b": "c"}}`, []fleet.Code{fleet.CodeLabelInvalid}, "labels.a b"},
		"an unknown tenant":        {`{"name": "c1", "tenants": ["acme", "globex"]}`, []fleet.Code{fleet.CodeTenantUnknown}, "tenants[1]"},
		"a tenant twice":           {`{"name": "c1", "tenants": ["acme", "acme"]}`, []fleet.Code{fleet.CodeRepeated}, "tenants[1]"},
		"everything at once":       {`{"name": "C", "lables": {}, "tenants": ["x"]}`, []fleet.Code{fleet.CodeNameInvalid, fleet.CodeUnknownField, fleet.CodeTenantUnknown}, "name"},
	} {
		_, faults, err := r.CreateCluster(r.ctx, root, control.ParseBody[control.NewCluster]([]byte(c.body), fleet.FormatJSON), nothing)
		if err != nil || !slices.Equal(faults.Codes(), c.codes) || faults[0].Field != c.field || faults[0].Line != 1 {
			t.Errorf("%s: refused %+v, error %v", name, faults, err)
		}
	}
	page, err := r.Clusters(r.ctx, root, all)
	if err != nil || len(page.Items) != 1 {
		t.Errorf("stored %+v, error %v", page.Items, err)
	}
}

func TestAClusterKeepsWhatAPutLeavesOut(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.cluster("c1", "acme")
	put := func(body string, o control.WriteOptions) (fleet.Cluster, fleet.FieldErrors, error) {
		w, faults, err := r.UpdateCluster(r.ctx, root, "c1", control.ParseBody[control.NewCluster]([]byte(body), fleet.FormatJSON), o)
		return w.Object, faults, err
	}
	before, err := r.Cluster(r.ctx, root, "c1")
	if err != nil {
		t.Fatal(err)
	}
	c, faults, err := put(`{"labels": {"tier": "edge"}}`, nothing)
	r.must(faults, err)
	if !reflect.DeepEqual(c.Tenants, []string{"acme"}) || c.Labels["tier"] != "edge" || c.Runtime != "agents" || c.ResourceVersion == before.ResourceVersion {
		t.Errorf("after labels %+v", c)
	}
	if _, err := r.Cluster(r.ctx, globex, "c1"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("globex sees it: %v", err)
	}
	c, faults, err = put(`{"name": "c1", "tenants": ["*"]}`, control.WriteOptions{IfMatch: c.ResourceVersion})
	r.must(faults, err)
	if _, err := r.Cluster(r.ctx, globex, "c1"); err != nil {
		t.Errorf("granted to all, globex does not see it: %v", err)
	}
	entries := r.auditLength()
	again, faults, err := put(`{"name": "c1", "tenants": ["*"]}`, nothing)
	r.must(faults, err)
	if again.ResourceVersion != c.ResourceVersion || r.auditLength() != entries {
		t.Error("the same once more was a write")
	}
	for name, bad := range map[string]struct {
		body  string
		code  fleet.Code
		field string
	}{
		"another name":    {`{"name": "c2"}`, fleet.CodeNameMismatch, "name"},
		"another runtime": {`{"runtime": "kubernetes"}`, fleet.CodeFieldUnsupported, "runtime"},
	} {
		if _, faults, err := put(bad.body, nothing); err != nil || !sameCodes(faults.Codes(), bad.code) || faults[0].Field != bad.field {
			t.Errorf("%s: refused %+v, error %v", name, faults, err)
		}
	}
	if _, _, err := put(`{"labels": {}}`, control.WriteOptions{IfMatch: before.ResourceVersion}); !errors.Is(err, fleet.ErrStale) {
		t.Errorf("an old version: %v", err)
	}
}

func TestAClusterGoesAfterItsNodes(t *testing.T) {
	r := newRig(t)
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	_, faults, err := r.DeleteCluster(r.ctx, root, "c1", nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeClusterInUse) || faults[0].Value != "c1" || faults[0].Args["Count"] != "1" {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	_, faults, err = r.DeleteNode(r.ctx, root, "n1", nothing)
	r.must(faults, err)
	_, faults, err = r.DeleteCluster(r.ctx, root, "c1", nothing)
	r.must(faults, err)
	if _, err := r.Cluster(r.ctx, root, "c1"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("still there: %v", err)
	}
}
