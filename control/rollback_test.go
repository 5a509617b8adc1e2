package control_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func revision(n int64) control.Body[control.RollbackRequest] {
	return control.Body[control.RollbackRequest]{Value: control.RollbackRequest{Revision: &n}}
}

func TestRollbackMakesAnOldSpecTheNextRevision(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.create(acme, "acme", resident("country: CA"))
	r.update(acme, "acme", "ledger-api", strings.Replace(resident("country: CA"), "1.4.0", "1.5.0", 1))
	w, faults, err := r.RollbackDeployment(r.ctx, acme, "acme", "ledger-api", revision(1), nothing)
	r.must(faults, err)
	if d := w.Object; d.Spec.Image != "registry.example.com/ledger-api:1.4.0" || d.Revision != 3 || d.Metadata.Generation != 3 || d.Status.Revision != 3 {
		t.Errorf("rolled back to %+v", d)
	}
	e := r.audit(1)[0]
	if !e.Accepted || e.Verb != "rollback" || len(e.Changes) != 1 || e.Changes[0].Field != "spec.image" {
		t.Errorf("audited %+v", e)
	}
	events := r.events("acme", "ledger-api")
	if last := events[len(events)-1]; last.Reason != control.EventRolledBack || last.Args["To"] != "1" || last.Args["Revision"] != "3" {
		t.Errorf("events %+v", events)
	}
	_, faults, err = r.RollbackDeployment(r.ctx, acme, "acme", "ledger-api", revision(9), nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeRevisionUnknown) || faults[0].Value != "9" || faults[0].Field != "revision" {
		t.Errorf("unknown revision: refused %+v, error %v", faults, err)
	}
	_, faults, err = r.RollbackDeployment(r.ctx, acme, "acme", "ledger-api", control.Body[control.RollbackRequest]{}, nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeRequired) {
		t.Errorf("no revision: refused %+v, error %v", faults, err)
	}
}

func TestRollbackGoesByTheRulesOfToday(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	regions := twoRegions
	put := func(regions []fleet.Region) {
		t.Helper()
		_, faults, err := r.PutGeoSettings(r.ctx, root, control.Body[control.GeoPatch]{Value: control.GeoPatch{Regions: &regions}}, nothing)
		r.must(faults, err)
	}
	put(regions)
	r.create(acme, "acme", resident("region: eu-core"))
	r.update(acme, "acme", "ledger-api", resident("country: CA"))
	put(regions[1:])
	_, faults, err := r.RollbackDeployment(r.ctx, acme, "acme", "ledger-api", revision(1), nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeRegionUndeclared) || faults[0].Value != "eu-core" {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	d, err := r.Deployment(r.ctx, acme, "acme", "ledger-api")
	if err != nil || d.Spec.Residency().Country != "CA" || d.Revision != 2 {
		t.Errorf("left %+v, error %v", d, err)
	}
}

func TestARollbackNeverWidensResidency(t *testing.T) {
	for name, c := range map[string]struct {
		now, old []string
		refused  bool
	}{
		"to none":                               {[]string{"country: CA"}, nil, true},
		"from none":                             {nil, []string{"country: CA"}, false},
		"to another country":                    {[]string{"country: CA"}, []string{"country: US"}, false},
		"to a region with the country":          {[]string{"country: DE"}, []string{"region: eu-core"}, true},
		"to a region without the country":       {[]string{"country: CA"}, []string{"region: eu-core"}, false},
		"from the region to its country":        {[]string{"region: eu-core"}, []string{"country: DE"}, false},
		"to anywhere but some":                  {[]string{"country: CA"}, []string{"blockedCountries: [US]"}, true},
		"to anywhere but here":                  {[]string{"country: CA"}, []string{"blockedCountries: [CA]"}, false},
		"to fewer blocked":                      {[]string{"blockedCountries: [US, RU]"}, []string{"blockedCountries: [US]"}, true},
		"to more blocked":                       {[]string{"blockedCountries: [US]"}, []string{"blockedCountries: [US, RU]"}, false},
		"to other blocked":                      {[]string{"blockedCountries: [US]"}, []string{"blockedCountries: [RU]"}, false},
		"to blocked that leave the region out":  {[]string{"region: eu-core"}, []string{"blockedCountries: [US]"}, true},
		"to blocked that cut into the region":   {[]string{"region: eu-core"}, []string{"blockedCountries: [FR]"}, false},
		"the country without its blocked":       {[]string{"country: CA", "blockedCountries: [US]"}, []string{"country: CA"}, false},
		"the region without blocked, which are": {[]string{"region: eu-core", "blockedCountries: [FR]"}, []string{"region: eu-core"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, pinned(true, twoRegions...))
			r.tenants("acme")
			r.create(acme, "acme", resident(c.old...))
			r.update(acme, "acme", "ledger-api", resident(c.now...))
			w, faults, err := r.RollbackDeployment(r.ctx, acme, "acme", "ledger-api", revision(1), nothing)
			if err != nil {
				t.Fatal(err)
			}
			want := fleet.FieldErrors(nil)
			if c.refused {
				want = fleet.FieldErrors{{Code: fleet.CodeRollbackWidens}}
			}
			if !slices.Equal(faults.Codes(), want.Codes()) {
				t.Fatalf("refused %+v", faults)
			}
			d, err := r.Deployment(r.ctx, acme, "acme", "ledger-api")
			if err != nil {
				t.Fatal(err)
			}
			as := c.old
			if c.refused {
				as = c.now
			}
			m := manifest(resident(as...))
			expected := m.Deployment.Spec.Residency()
			if !reflect.DeepEqual(d.Spec.Residency(), expected) {
				t.Errorf("residency is %+v, want %+v; answered %+v", d.Spec.Residency(), expected, w.Object.Spec.Residency())
			}
		})
	}
}
