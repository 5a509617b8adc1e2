package scheduler

import (
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestImpactBeforeASettingIsSaved(t *testing.T) {
	on := func(regions ...fleet.Region) fleet.GeoAwareness {
		return fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport, Regions: regions}
	}
	off := func(regions ...fleet.Region) fleet.GeoAwareness {
		return fleet.GeoAwareness{OnDrift: fleet.OnDriftReport, Regions: regions}
	}
	core := fleet.Region{Name: "core", Countries: []string{"DE"}}
	wider := fleet.Region{Name: "core", Countries: []string{"DE", "US"}}
	other := fleet.Region{Name: "core", Countries: []string{"NO"}}
	tests := []struct {
		name                 string
		today, proposed      fleet.GeoAwareness
		drift, nothing, free []string
	}{
		{"nothing changes", on(core), on(core), nil, nil, nil},
		// While off, what asks for France runs anywhere, and what asks for Canada or the region runs outside in part.
		{"turned on", off(core), on(core), []string{"canada", "core", "france"}, []string{"france"}, nil},
		{"turned off frees what waits", on(core), off(core), nil, nil, []string{"france"}},
		{"a region grows", on(core), on(wider), nil, nil, nil},
		{"a region changes hands", on(core), on(other), []string{"core"}, []string{"core"}, nil},
		{"a region is removed", on(core), on(), []string{"core"}, []string{"core"}, nil},
		{"a region is removed while off", off(core), off(), nil, nil, nil},
		{"a region comes back", on(), on(core), nil, nil, []string{"core"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.today)
			w.cluster("one", fleet.AllTenants)
			w.node("ca-1", "one", "CA", "", roomy)
			w.node("de-1", "one", "DE", "", roomy)
			w.node("us-1", "one", "US", "", roomy)
			for name, s := range map[string]spec{
				"canada": {image: "a", replicas: 3, residency: inCanada}, "france": {image: "a", replicas: 3, residency: inFrance},
				"core": {image: "a", replicas: 3, residency: fleet.Residency{Region: "core"}}, "free": {image: "a", replicas: 3},
			} {
				w.deploy("acme", name, s)
			}
			w.obey()
			before := w.scheduler.Geography("")
			got := w.scheduler.Impact(tt.proposed)
			for _, c := range []struct {
				name string
				refs []fleet.Ref
				want []string
			}{{"drift", got.Drift, tt.drift}, {"match nothing", got.MatchNothing, tt.nothing}, {"freed", got.Freed, tt.free}} {
				names := []string(nil)
				for _, r := range c.refs {
					names = append(names, r.Name)
				}
				if !slices.Equal(names, c.want) || c.refs == nil {
					t.Errorf("%s: %v, want %v", c.name, names, c.want)
				}
			}
			if after := w.scheduler.Geography(""); !slices.Equal(after.Countries, before.Countries) {
				t.Error("the preview changed something")
			}
			w.set(tt.proposed)
			w.obey()
			for _, d := range w.store.deployments {
				if drifts := d.Status.Drifting > 0; slices.Contains(tt.drift, d.Metadata.Name) && !drifts {
					t.Errorf("%s was said to drift and does not", d.Metadata.Name)
				}
			}
		})
	}
}

// TestWhatDriftsAlreadyIsNoImpact: only replicas that come to be outside are news.
func TestWhatDriftsAlreadyIsNoImpact(t *testing.T) {
	core := fleet.Region{Name: "core", Countries: []string{"DE", "FR"}}
	w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport, Regions: []fleet.Region{core}})
	w.cluster("one", fleet.AllTenants)
	w.node("a", "one", "DE", "", slots(1))
	drifts := w.deploy("acme", "drifts", spec{image: "a", replicas: 1, residency: fleet.Residency{Region: "core"}})
	w.obey()
	w.relabel("a", "US", "")
	w.node("b", "one", "FR", "", slots(1))
	w.deploy("acme", "would", spec{image: "a", replicas: 1, residency: fleet.Residency{Region: "core"}})
	w.obey()
	got := w.scheduler.Impact(fleet.GeoAwareness{Enabled: true, Regions: []fleet.Region{{Name: "core", Countries: []string{"DE"}}}})
	if w.status(drifts).Drifting != 1 || len(got.Drift) != 1 || got.Drift[0].Name != "would" {
		t.Errorf("%+v", got)
	}
}
