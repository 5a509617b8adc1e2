package control_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func named(name, text string) string {
	return strings.Replace(text, "name: ledger-api\n", "name: "+name+"\n", 1)
}

func within(namespace, text string) string {
	return strings.Replace(text, "metadata:\n", "metadata:\n  namespace: "+namespace+"\n", 1)
}

func TestApplyCreatesUpdatesAndLeavesAlone(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	stays, changes := named("stays", head), named("changes", head)
	before := r.create(acme, "acme", stays).Object
	r.create(acme, "acme", changes)
	entries := r.auditLength()
	stream := docs(t, stays, "# nothing\n", named("new-one", resident("country: CA")), strings.Replace(changes, "replicas: 2", "replicas: 4", 1))
	applied, faults, err := r.Apply(r.ctx, acme, stream, nil, control.ApplyOptions{})
	r.must(faults, err)
	type item struct {
		name, result string
		warned       []fleet.Code
	}
	var got []item
	for _, a := range applied {
		got = append(got, item{a.Deployment.Metadata.Name, a.Result, warned(a.Warnings)})
	}
	want := []item{{"stays", "unchanged", []fleet.Code{}}, {"new-one", "created", []fleet.Code{fleet.CodeNoMatchingNode}}, {"changes", "updated", []fleet.Code{}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("applied %+v", got)
	}
	if applied[0].Deployment.Metadata.ResourceVersion != before.Metadata.ResourceVersion {
		t.Error("what was unchanged got a new version")
	}
	if n := r.auditLength() - entries; n != 2 {
		t.Errorf("%d audit entries", n)
	}
	for i, e := range r.audit(2) {
		if verb := []string{"create", "update"}[i]; !e.Accepted || e.Verb != verb || e.Tenant != "acme" || e.Namespace != "acme" {
			t.Errorf("audited %+v", e)
		}
	}
	again, faults, err := r.Apply(r.ctx, acme, stream, nil, control.ApplyOptions{})
	r.must(faults, err)
	for _, a := range again {
		if a.Result != "unchanged" {
			t.Errorf("applied again, %s is %s", a.Deployment.Metadata.Name, a.Result)
		}
	}
}

func TestApplyStoresAllOrNothingAndNamesEveryFault(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme", "globex")
	stream := docs(t, named("good", head), named("bad-1", resident("country: UK")), named("bad-2", resident("region: EU-Core", "country: ca")), within("globex", named("theirs", head)), named("good", head))
	_, faults, err := r.Apply(r.ctx, acme, stream, nil, control.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type fault struct {
		code  fleet.Code
		value string
		line  int
	}
	var got []fault
	for _, f := range faults {
		got = append(got, fault{f.Code, f.Value, f.Line})
	}
	want := []fault{
		{fleet.CodeCountryUnassigned, "UK", 18},
		{fleet.CodeRegionUndeclared, "EU-Core", 29},
		{fleet.CodeCountryAndRegion, "EU-Core", 29},
		{fleet.CodeCountryUnassigned, "ca", 30},
		{fleet.CodeNamespaceUnknown, "globex", 35},
		{fleet.CodeRepeated, "good", 44},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("refused %+v\nwant    %+v", got, want)
	}
	page, err := r.Deployments(r.ctx, root, fleet.DeploymentFilter{}, all)
	if err != nil || len(page.Items) != 0 {
		t.Errorf("stored %+v, error %v", page.Items, err)
	}
	if e := r.audit(1)[0]; e.Accepted || e.Verb != "apply" || len(e.Codes) != 5 {
		t.Errorf("audited %+v", e)
	}
}

func TestApplyFindsTheNamespace(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	_, faults, err := r.CreateNamespace(r.ctx, root, "acme", control.Body[control.NewNamespace]{Value: control.NewNamespace{Name: "acme-test"}}, nothing)
	r.must(faults, err)
	for name, c := range map[string]struct {
		actor     control.Actor
		text, ask string
		want      string
		refused   fleet.Code
	}{
		"the document's":               {acme, within("acme-test", head), "acme", "acme-test", ""},
		"the request's":                {acme, head, "acme-test", "acme-test", ""},
		"the tenant's own":             {acme, head, "", "acme", ""},
		"an operator's, none":          {root, head, "", "", fleet.CodeRequired},
		"an operator's, asked for":     {root, head, "globex", "globex", ""},
		"somebody else's":              {acme, within("globex", head), "", "", fleet.CodeNamespaceUnknown},
		"somebody else's, asked for":   {acme, head, "globex", "", fleet.CodeNamespaceUnknown},
		"one that is not there":        {acme, within("nowhere", head), "", "", fleet.CodeNamespaceUnknown},
		"one that could never be":      {acme, within("No_Where", head), "", "", fleet.CodeNamespaceUnknown},
		"not there, and another fault": {acme, within("nowhere", strings.Replace(head, "replicas: 2", "replicas: -1", 1)), "", "", fleet.CodeNamespaceUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			applied, faults, err := r.Apply(r.ctx, c.actor, docs(t, c.text), nil, control.ApplyOptions{Namespace: c.ask, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			if c.refused != "" {
				if len(faults) == 0 || faults[0].Code != c.refused || faults[0].Field != "metadata.namespace" {
					t.Errorf("refused %+v", faults)
				}
				return
			}
			if len(faults) > 0 || len(applied) != 1 || applied[0].Deployment.Metadata.Namespace != c.want {
				t.Errorf("applied %+v, refused %+v", applied, faults)
			}
		})
	}
}

func TestApplyComparesTheVersionOfABody(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	version := r.create(acme, "acme", head).Object.Metadata.ResourceVersion
	seen := func(version string) string {
		return strings.Replace(head, "metadata:\n", "metadata:\n  resourceVersion: \""+version+"\"\n", 1)
	}
	for name, c := range map[string]struct {
		text  string
		stale bool
	}{
		"stored":               {seen(version), false},
		"older":                {seen("1"), true},
		"of something deleted": {named("gone", seen(version)), true},
	} {
		_, faults, err := r.Apply(r.ctx, acme, docs(t, c.text), nil, control.ApplyOptions{DryRun: true})
		if errors.Is(err, fleet.ErrStale) != c.stale || len(faults) > 0 {
			t.Errorf("%s: error %v, refused %v", name, err, faults)
		}
	}
}

func TestApplyOfNothingOrByAViewerIsRefused(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	if _, faults, err := r.Apply(r.ctx, acme, nil, nil, control.ApplyOptions{}); err != nil || !sameCodes(faults.Codes(), fleet.CodeNoDocument) {
		t.Errorf("refused %v, error %v", faults, err)
	}
	if _, _, err := r.Apply(r.ctx, reader, docs(t, head), nil, control.ApplyOptions{}); !errors.Is(err, control.ErrForbidden) {
		t.Errorf("a viewer: %v", err)
	}
	_, broken := fleet.Parse([]byte("a: [\n"), fleet.FormatYAML)
	if _, faults, err := r.Apply(r.ctx, acme, nil, broken, control.ApplyOptions{}); err != nil || !sameCodes(faults.Codes(), fleet.CodeInvalidYAML) {
		t.Errorf("refused %v, error %v", faults, err)
	}
	if e := r.audit(1)[0]; e.Accepted || !sameCodes(e.Codes, fleet.CodeInvalidYAML) {
		t.Errorf("audited %+v", e)
	}
}
