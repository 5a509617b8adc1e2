package control_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func patch(p control.GeoPatch) control.Body[control.GeoPatch] {
	return control.Body[control.GeoPatch]{Value: p}
}

func ptr[T any](v T) *T { return &v }

func (r *rig) putGeo(p control.GeoPatch, o control.WriteOptions) control.Written[control.GeoWritten] {
	r.t.Helper()
	w, faults, err := r.PutGeoSettings(r.ctx, root, patch(p), o)
	r.must(faults, err)
	return w
}

func TestGeoSettingsKeepWhatIsLeftOut(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	s, err := r.GeoSettings(r.ctx, root)
	if err != nil || s.Enabled || s.OnDrift != "report" || len(s.Regions) != 0 || len(s.Pinned) != 0 {
		t.Errorf("at first %+v, error %v", s, err)
	}
	r.putGeo(control.GeoPatch{Regions: &twoRegions}, nothing)
	r.putGeo(control.GeoPatch{Enabled: ptr(true)}, nothing)
	w := r.putGeo(control.GeoPatch{OnDrift: ptr("reschedule")}, nothing)
	want := fleet.GeoAwareness{Enabled: true, OnDrift: "reschedule", Regions: twoRegions}
	if !reflect.DeepEqual(w.Object.Settings.GeoAwareness, want) {
		t.Errorf("answered %+v", w.Object.Settings)
	}
	if got, err := r.Regions(r.ctx, reader); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a viewer reads %+v, error %v", got, err)
	}
	e := r.audit(1)[0]
	if !e.Accepted || e.Kind != "GeoAwareness" || e.Changes[0] != (fleet.Change{Field: "onDrift", Before: "report", After: "reschedule"}) {
		t.Errorf("audited %+v", e)
	}
	entries := r.auditLength()
	if again := r.putGeo(control.GeoPatch{OnDrift: ptr("reschedule")}, nothing); again.Object.Settings.ResourceVersion != w.Object.Settings.ResourceVersion || r.auditLength() != entries {
		t.Error("the same once more was a write")
	}
	old := control.GeoPatch{Enabled: ptr(false), ResourceVersion: s.ResourceVersion}
	if _, _, err := r.PutGeoSettings(r.ctx, root, patch(old), nothing); !errors.Is(err, fleet.ErrStale) {
		t.Errorf("an old version: %v", err)
	}
	if _, _, err := r.PutGeoSettings(r.ctx, root, patch(control.GeoPatch{Enabled: ptr(false)}), control.WriteOptions{IfMatch: s.ResourceVersion}); !errors.Is(err, fleet.ErrStale) {
		t.Errorf("an old If-Match: %v", err)
	}
}

func TestSettingsOfTheConfigurationArePinned(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	for name, c := range map[string]struct {
		patch control.GeoPatch
		field string
	}{
		"enabled":                      {control.GeoPatch{Enabled: ptr(false)}, "enabled"},
		"enabled, as it is set":        {control.GeoPatch{Enabled: ptr(true)}, "enabled"},
		"regions":                      {control.GeoPatch{Regions: &[]fleet.Region{}}, "regions"},
		"pinned and not, not one kept": {control.GeoPatch{Enabled: ptr(false), OnDrift: ptr("reschedule")}, "enabled"},
	} {
		_, faults, err := r.PutGeoSettings(r.ctx, root, patch(c.patch), nothing)
		if err != nil || !sameCodes(faults.Codes(), fleet.CodeSettingPinned) || faults[0].Field != c.field || faults[0].Args["Source"] != "odysseus.yaml" {
			t.Errorf("%s: refused %+v, error %v", name, faults, err)
		}
	}
	s, err := r.GeoSettings(r.ctx, helper)
	if err != nil || !s.Enabled || s.OnDrift != "report" || s.Pinned["regions"] != "odysseus.yaml" {
		t.Errorf("settings %+v, error %v", s, err)
	}
	r.putGeo(control.GeoPatch{OnDrift: ptr("reschedule")}, nothing)
}

func TestRegionsAreHeldToTheirRules(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		body  string
		code  fleet.Code
		field string
		value string
		line  int
	}{
		"unassigned country":     {"regions:\n  - name: eu\n    countries: [DE, UK]\n", fleet.CodeCountryUnassigned, "regions[0].countries[1]", "UK", 3},
		"repeated name":          {"regions:\n  - {name: eu, countries: [DE]}\n  - {name: eu, countries: [FR]}\n", fleet.CodeRegionRepeated, "regions[1].name", "eu", 3},
		"no countries":           {"regions:\n  - name: eu\n", fleet.CodeRegionWithoutCountry, "regions[0].countries", "[]", 2},
		"not a name":             {"regions:\n  - {name: EU Core, countries: [DE]}\n", fleet.CodeNameInvalid, "regions[0].name", "EU Core", 2},
		"unknown key":            {"enable: true\n", fleet.CodeUnknownField, "enable", "enable", 1},
		"text for a bool":        {"enabled: \"yes\"\n", fleet.CodeWrongType, "enabled", "yes", 1},
		"another drift":          {"onDrift: stop\n", fleet.CodeNotAccepted, "onDrift", "stop", 1},
		"bool where a code goes": {"regions:\n  - {name: no, countries: [no]}\n", fleet.CodeCountryUnassigned, "regions[0].countries[0]", "no", 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults, err := r.PutGeoSettings(r.ctx, root, control.ParseBody[control.GeoPatch]([]byte(c.body), fleet.FormatYAML), nothing)
			if err != nil || !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field || faults[0].Value != c.value || faults[0].Line != c.line {
				t.Errorf("refused %+v, error %v", faults, err)
			}
		})
	}
	if g, err := r.Effective(r.ctx); err != nil || len(g.Regions) != 0 {
		t.Errorf("stored %+v, error %v", g, err)
	}
}

func TestARegionInUseStaysAndTheDryRunShowsIt(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.putGeo(control.GeoPatch{Regions: &twoRegions, Enabled: ptr(true)}, nothing)
	r.create(acme, "acme", resident("region: eu-core"))
	r.create(acme, "acme", named("second", resident("region: eu-core")))
	without := control.GeoPatch{Regions: ptr(twoRegions[1:])}
	_, faults, err := r.PutGeoSettings(r.ctx, root, patch(without), nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeRegionInUse) || faults[0].Value != "eu-core" || faults[0].Args["Count"] != "2" {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	preview := r.putGeo(without, dryRun)
	if got := preview.Object.Impact.RegionInUse; !reflect.DeepEqual(got, map[string]int{"eu-core": 2}) {
		t.Errorf("dry run shows %v", got)
	}
	if got, want := preview.Object.Impact.RegionUsers, map[string][]fleet.Ref{"eu-core": {{Tenant: "acme", Namespace: "acme", Name: "ledger-api"}, {Tenant: "acme", Namespace: "acme", Name: "second"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("dry run names %v", got)
	}
	r.putGeo(control.GeoPatch{Regions: ptr(twoRegions[:1])}, nothing) // nobody names north-america
}

func TestTheDryRunNamesAHundredUsersOfARegionAndNobodyElse(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.putGeo(control.GeoPatch{Regions: &[]fleet.Region{{Name: "CA", Countries: []string{"CA", "US"}}}}, nothing)
	var stream strings.Builder
	for i := range fleet.MaxRegionUsers + 1 {
		fmt.Fprintf(&stream, "%s---\n", named(fmt.Sprintf("a%03d", i), resident("country: CA")))
		fmt.Fprintf(&stream, "%s---\n", named(fmt.Sprintf("b%03d", i), resident("region: CA")))
	}
	docs, faults := fleet.Parse([]byte(stream.String()), fleet.FormatYAML)
	_, faults, err := r.Apply(r.ctx, acme, docs, faults, control.ApplyOptions{Namespace: "acme"})
	r.must(faults, err)
	i := r.putGeo(control.GeoPatch{Regions: &[]fleet.Region{}}, dryRun).Object.Impact
	users := i.RegionUsers["CA"]
	if i.RegionInUse["CA"] != fleet.MaxRegionUsers+1 || len(users) != fleet.MaxRegionUsers || users[0].Name != "b000" || users[fleet.MaxRegionUsers-1].Name != "b099" {
		t.Errorf("%d users, named %v", i.RegionInUse["CA"], users)
	}
}

func TestTurningEnforcementOnShowsItsImpactFirst(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	us := r.node("n-us", "c1", "US", "")
	r.putGeo(control.GeoPatch{Regions: &twoRegions}, nothing)
	r.create(acme, "acme", named("outside", resident("country: CA")))
	r.create(acme, "acme", named("inside", resident("country: US")))
	if run, _ := r.assigned(us); len(run) != 4 {
		t.Fatalf("n-us runs %v", run)
	}
	on := control.GeoPatch{Enabled: ptr(true)}
	preview := r.putGeo(on, dryRun)
	outside := []fleet.Ref{{Tenant: "acme", Namespace: "acme", Name: "outside"}}
	if i := preview.Object.Impact; !reflect.DeepEqual(i.Drift, outside) || !reflect.DeepEqual(i.MatchNothing, outside) || len(i.Freed) != 0 {
		t.Errorf("impact %+v", i)
	}
	if g, err := r.Effective(r.ctx); err != nil || g.Enabled {
		t.Errorf("the dry run turned it on: %+v, error %v", g, err)
	}
	r.putGeo(on, nothing)
	e := r.audit(1)[0]
	want := []fleet.Change{{Field: "enabled", Before: "false", After: "true"}, {Field: "impact.drift", After: "1"}, {Field: "impact.matchNothing", After: "1"}, {Field: "impact.freed", After: "0"}}
	if !reflect.DeepEqual(e.Changes, want) {
		t.Errorf("audited %+v", e.Changes)
	}
	r.settle()
	p, err := r.Placement(r.ctx, acme, "acme", "outside")
	if err != nil || len(p.Drift) != 1 || p.Drift[0].Replicas != 2 || p.Drift[0].Reported.Country != "US" {
		t.Errorf("placement %+v, error %v", p, err)
	}
}

func TestARegionThatLeftTheFileIsShown(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.putGeo(control.GeoPatch{Regions: &twoRegions, Enabled: ptr(true)}, nothing)
	r.create(acme, "acme", resident("region: eu-core"))
	// The next start finds a file that declares another region.
	r.Restart(control.Pinned{Regions: ptr(twoRegions[1:]), Source: map[string]string{"regions": "odysseus.yaml"}})
	d, err := r.Deployment(r.ctx, acme, "acme", "ledger-api")
	if err != nil || d.Status.UndeclaredRegion != "eu-core" {
		t.Errorf("status %+v, error %v", d.Status, err)
	}
	// Other fields can not be changed either while the region is gone: the whole manifest is held to the rules.
	_, faults, err := r.UpdateDeployment(r.ctx, acme, "acme", "ledger-api", manifest(named("ledger-api", resident("region: eu-core"))), nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeRegionUndeclared) {
		t.Errorf("refused %+v, error %v", faults, err)
	}
}
