package views

import (
	"math"
	"strings"
	"testing"

	"odysseus/fleet"
)

func weighted(weights ...int64) fleet.PlacementReport {
	r := fleet.PlacementReport{Clusters: clusters(make([]int, len(weights))...)}
	for i, w := range weights {
		if w >= 0 {
			r.Clusters[i].Weight = &w
		}
	}
	return r
}

func TestIdealShareIsExact(t *testing.T) {
	for name, tt := range map[string]struct {
		report fleet.PlacementReport
		total  int
		ideal  string
	}{
		"three to one":                    {weighted(3, 1), 5, "3.75 1.25"},
		"whole":                           {weighted(2, 1), 3, "2 1"},
		"thirds":                          {weighted(1, 1, 1), 4, "1.33 1.33 1.33"},
		"nothing":                         {weighted(2, 1), 0, "0 0"},
		"a weight of nothing":             {weighted(2, 0), 3, "3 0"},
		"no weights":                      {weighted(-1, -1), 3, " "},
		"weights beyond 64 bits together": {weighted(math.MaxInt64, math.MaxInt64), 3, "1.5 1.5"},
	} {
		t.Run(name, func(t *testing.T) {
			s := placementSplit("split", tt.report, tt.total, false)
			var ideal []string
			for _, c := range s.Segments {
				ideal = append(ideal, c.Ideal)
			}
			if got := strings.Join(ideal, " "); got != tt.ideal {
				t.Errorf("got %q, want %q", got, tt.ideal)
			}
		})
	}
}

// Each way in which a remainder is decided has its words, for who got it and for who did not.
func TestEveryDecisionOverARemainderHasWords(t *testing.T) {
	ctx, _ := stage(t)
	for _, by := range []string{"quotient", "seats", "hash", "name"} {
		got := step(ctx, fleet.Share{Cluster: "a", Rival: "b", By: by, Replicas: 4, Extra: 1})
		gave := step(ctx, fleet.Share{Cluster: "b", Rival: "a", By: by, Replicas: 1})
		if !strings.HasPrefix(got, "a got 1 of the remainder, ahead of b") || !strings.HasPrefix(gave, "b got none of the remainder, behind a") {
			t.Errorf("%s: %q, %q", by, got, gave)
		}
	}
	for _, s := range []fleet.Share{{Cluster: "a", Replicas: 3}, {Cluster: "a", Replicas: 3, Kept: 3}} {
		if got := step(ctx, s); got != "" {
			t.Errorf("nothing was decided: %q", got)
		}
	}
	if got := step(ctx, fleet.Share{Cluster: "a", Replicas: 3, Kept: 2}); got != "2 stay where they are." {
		t.Errorf("kept: %q", got)
	}
}

func TestPlannedSplitDrawsWhatIsDesired(t *testing.T) {
	ctx, _ := stage(t)
	r := fleet.SimulationReport{PlacementReport: weighted(3, 1)}
	r.Clusters[0].Desired, r.Clusters[1].Desired = 3, 1
	r.Pending = &fleet.PendingReplicas{Replicas: 4}
	s := plannedSplit(ctx, "x", r, true)
	if s.parts() != "a 3, b 1" || s.Total != 4 || s.Pending != 0 || s.Segments[0].Width != 750 || !s.Planned || !s.Room || s.columns() != 6 {
		t.Errorf("got %+v", s)
	}
	if r.Clusters[0].Placed != 0 {
		t.Error("the report is changed")
	}
	nowhere := plannedSplit(ctx, "x", fleet.SimulationReport{PlacementReport: fleet.PlacementReport{Pending: &fleet.PendingReplicas{Replicas: 4}}}, false)
	if nowhere.Total != 4 || nowhere.Pending != 4 || len(nowhere.Segments) != 0 {
		t.Errorf("nowhere: %+v", nowhere)
	}
}
