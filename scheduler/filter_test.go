package scheduler

import (
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestEveryFilterAnswers(t *testing.T) {
	tests := []struct {
		name     string
		settings fleet.GeoAwareness
		tenants  []string
		change   func(*node)
		need     fleet.Amount
		require  fleet.Residency
		want     []fleet.Code
	}{
		{
			"a fit", fleet.GeoAwareness{Enabled: true}, []string{"acme"}, func(*node) {}, fleet.Amount{Slots: 1}, fleet.Residency{Country: "DE"}, nil,
		},
		{
			"all at once, in order", fleet.GeoAwareness{Enabled: true}, []string{"zen"}, func(n *node) { n.live = false }, fleet.Amount{Slots: 11},
			fleet.Residency{Country: "CA"}, []fleet.Code{refusedTenancy, fleet.ReasonGeoMismatch, fleet.NodeReasonNotReady, fleet.ReasonCapacity},
		},
		{
			"the geo filter is absent while off", fleet.GeoAwareness{}, []string{"acme"}, func(*node) {}, fleet.Amount{Slots: 1},
			fleet.Residency{Country: "CA"}, nil,
		},
		{
			"a region that is not declared", fleet.GeoAwareness{Enabled: true}, []string{fleet.AllTenants}, func(*node) {}, fleet.Amount{Slots: 1},
			fleet.Residency{Region: "gone"}, []fleet.Code{fleet.ReasonRegionUndeclared},
		},
		{
			"cordoned", fleet.GeoAwareness{Enabled: true}, []string{"acme"}, func(n *node) { n.cordoned = true }, fleet.Amount{Slots: 1},
			fleet.Residency{Country: "DE"}, []fleet.Code{fleet.NodeReasonCordoned},
		},
		{
			"draining", fleet.GeoAwareness{Enabled: true}, []string{"acme"}, func(n *node) { n.draining = true }, fleet.Amount{Slots: 1},
			fleet.Residency{Country: "DE"}, []fleet.Code{fleet.NodeReasonCordoned},
		},
		{
			"too little CPU", fleet.GeoAwareness{Enabled: true}, []string{"acme"}, func(*node) {}, fleet.Amount{MilliCPU: 4001, Slots: 1},
			fleet.Residency{Country: "DE"}, []fleet.Code{fleet.ReasonCapacity},
		},
		{
			"too little memory", fleet.GeoAwareness{Enabled: true}, []string{"acme"}, func(*node) {}, fleet.Amount{Memory: 8<<30 + 1, Slots: 1},
			fleet.Residency{Country: "DE"}, []fleet.Code{fleet.ReasonCapacity},
		},
		{
			"what is used is not free", fleet.GeoAwareness{Enabled: true}, []string{"acme"}, func(n *node) { n.used.Slots = 10 }, fleet.Amount{Slots: 1},
			fleet.Residency{Country: "DE"}, []fleet.Code{fleet.ReasonCapacity},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.settings)
			w.cluster("one", tt.tenants...)
			w.node("n", "one", "DE", "", slots(10))
			p := w.scheduler.picture
			n := p.nodes["n"]
			tt.change(n)
			q := query{"acme", p.rule(tt.require.Labels()), tt.need}
			if got := refusals(p.filters, q, n, nil); !slices.Equal(got, tt.want) {
				t.Errorf("refusals = %v, want %v", got, tt.want)
			}
			if got := admits(p.filters, q, n); got != (len(tt.want) == 0) {
				t.Errorf("admits = %v", got)
			}
		})
	}
}

func TestFiltersStandInOrder(t *testing.T) {
	for enforced, want := range map[bool][]string{
		true:  {"tenancy", "residency", "readiness", "capacity"},
		false: {"tenancy", "readiness", "capacity"},
	} {
		var names []string
		for _, f := range filtersFor(enforced) {
			names = append(names, f.name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("filters with enforcement %v are %v, want %v", enforced, names, want)
		}
	}
}
