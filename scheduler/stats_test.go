package scheduler

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"odysseus/fleet"
)

// TestDriftIsCountedAtOnce: "the deployment shows the drift at once (event, badge, metric)".
func TestDriftIsCountedAtOnce(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inGermany})
	other := w.deploy("acme", "other", spec{image: "a", replicas: 1, residency: inGermany})
	w.obey()
	for _, step := range []struct {
		name                  string
		do                    func()
		replicas, deployments int
	}{
		{"none", func() {}, 0, 0},
		{"a node says it is elsewhere", func() { w.relabel("de-1", "US", "") }, 3, 2},
		{"a restart", w.restart, 3, 2},
		{"enforcement off", func() { w.set(fleet.GeoAwareness{OnDrift: fleet.OnDriftReport}) }, 0, 0},
		{"and on again", func() { w.set(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport}) }, 3, 2},
		{"one deleted", func() { w.undeploy(other) }, 2, 1},
		{"one allowed there", func() { w.edit(uid, spec{image: "a", replicas: 2}) }, 0, 0},
	} {
		step.do()
		w.rest()
		if st := w.scheduler.Stats(); st.DriftingReplicas != step.replicas || st.DriftingDeployments != step.deployments {
			t.Errorf("%s: %d replicas of %d, want %d of %d", step.name, st.DriftingReplicas, st.DriftingDeployments, step.replicas, step.deployments)
		}
	}
}

func TestPendingReasonsCountDeployments(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport, Regions: allRegions})
	w.cluster("one", "acme")
	w.node("us", "one", "US", "", slots(2))
	none := map[string]int{"geo_mismatch": 0, "no_reachable_node": 0, "capacity": 0, "region_undeclared": 0}
	if got := w.scheduler.PendingReasons(); !maps.Equal(got, none) {
		t.Errorf("nobody waits: %v", got)
	}
	for i, s := range []spec{
		{image: "a", replicas: 3}, // two are placed, one finds no room
		{image: "a", replicas: 1, residency: inFrance},
		{image: "a", replicas: 1, residency: inFrance, cpu: "1"},
		{image: "a", replicas: 1, residency: fleet.Residency{BlockedCountries: []string{"CA"}}},
		{image: "a", replicas: 1, residency: fleet.Residency{Region: "gone"}},
	} {
		w.deploy("acme", fmt.Sprint("d", i), s)
		w.rest()
	}
	w.deploy("zen", "unreachable", spec{image: "a", replicas: 2})
	w.rest()
	want := map[string]int{"geo_mismatch": 2, "no_reachable_node": 1, "capacity": 2, "region_undeclared": 1}
	if got := w.scheduler.PendingReasons(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	w.node("fr", "one", "FR", "", roomy)
	w.cluster("one", fleet.AllTenants)
	w.rest()
	none["region_undeclared"] = 1
	if got := w.scheduler.PendingReasons(); !maps.Equal(got, none) {
		t.Errorf("with room %v, want %v", got, none)
	}
}

func TestCommitsAreTimedOnceTheyAreStored(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	var took []time.Duration
	w.scheduler.committed = func(d time.Duration) { took = append(took, d) }
	failed := false
	w.store.before = func([]fleet.Decision) error {
		w.clock.Advance(30 * time.Millisecond)
		if !failed {
			failed = true
			return errStore
		}
		return nil
	}
	w.deploy("acme", "d", spec{image: "a", replicas: 1})
	w.rest()
	if commits := w.scheduler.Stats().Commits; len(took) == 0 || len(took) != int(commits) {
		t.Fatalf("%d timed of %d", len(took), commits)
	}
	for _, d := range took {
		if d != 30*time.Millisecond {
			t.Errorf("took %s", d)
		}
	}
}
