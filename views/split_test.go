package views

import (
	"strings"
	"testing"

	"odysseus/fleet"
)

func clusters(placed ...int) []fleet.PlacementCluster {
	var all []fleet.PlacementCluster
	for i, n := range placed {
		all = append(all, fleet.PlacementCluster{Name: string(rune('a' + i)), Desired: n, Placed: n, Ready: n})
	}
	return all
}

func TestSplitDividesTheBarByReplicas(t *testing.T) {
	for name, tt := range map[string]struct {
		report          fleet.PlacementReport
		total           int
		widths, shares  string
		end, drift, out int
	}{
		"one cluster":     {fleet.PlacementReport{Clusters: clusters(2)}, 2, "1000", "100 %", 1000, 0, 0},
		"three":           {fleet.PlacementReport{Clusters: clusters(1, 2, 1)}, 4, "250 500 250", "25 % 50 % 25 %", 1000, 0, 0},
		"half pending":    {fleet.PlacementReport{Clusters: clusters(2), Pending: &fleet.PendingReplicas{Replicas: 2}}, 4, "500", "100 %", 500, 0, 2},
		"all pending":     {fleet.PlacementReport{Pending: &fleet.PendingReplicas{Replicas: 3}}, 3, "", "", 0, 0, 3},
		"nothing wanted":  {fleet.PlacementReport{Clusters: clusters(0)}, 0, "0", "0 %", 0, 0, 0},
		"while replacing": {fleet.PlacementReport{Clusters: clusters(2, 2)}, 2, "500 500", "50 % 50 %", 1000, 0, 0},
		"drifting":        {fleet.PlacementReport{Clusters: clusters(4), Drift: []fleet.Drift{{Replicas: 1}}}, 4, "1000", "100 %", 1000, 250, 0},
		"thirds":          {fleet.PlacementReport{Clusters: clusters(1, 1, 1)}, 3, "333 333 333", "33 % 33 % 33 %", 999, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := SplitOf(tt.report, tt.total)
			var widths, shares []string
			start := 0
			for _, segment := range s.Segments {
				widths, shares = append(widths, number(segment.Width)), append(shares, s.share(segment))
				if segment.Start != start {
					t.Errorf("%s starts at %d, want %d", segment.Name, segment.Start, start)
				}
				start += segment.Width
			}
			if got := strings.Join(widths, " "); got != tt.widths {
				t.Errorf("widths: got %s", got)
			}
			if got := strings.Join(shares, " "); got != tt.shares {
				t.Errorf("shares: got %s", got)
			}
			if s.placedEnd() != tt.end || s.driftWidth() != tt.drift || s.Pending != tt.out {
				t.Errorf("got end %d, drift %d, pending %d", s.placedEnd(), s.driftWidth(), s.Pending)
			}
		})
	}
}

func TestSeventhClusterSharesTheLastColourWithAnotherHatch(t *testing.T) {
	s := SplitOf(fleet.PlacementReport{Clusters: clusters(1, 1, 1, 1, 1, 1, 1, 1)}, 8)
	seen := map[string]bool{}
	for _, segment := range s.Segments {
		look := segment.colour() + " " + s.hatchID(segment.hatch())
		if seen[look] {
			t.Errorf("%s looks like another", segment.Name)
		}
		seen[look] = true
	}
	if s.Segments[5].colour() != "k6" || s.Segments[7].colour() != "k6" {
		t.Errorf("colours: %s %s", s.Segments[5].colour(), s.Segments[7].colour())
	}
}

func TestDiffStandsSideBySide(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\n"
	for name, tt := range map[string]struct{ after, left, right string }{
		"nothing changed": {before, "", ""},
		"a line changed":  {"a\nb\nc\nD\ne\nf\ng\n", "…| b| c|−d| e| f", "…| b| c|+D| e| f"},
		"a line added":    {"a\nb\nc\nx\nd\ne\nf\ng\n", "…| b| c| | d| e", "…| b| c|+x| d| e"},
		"a line gone":     {"b\nc\nd\ne\nf\ng\n", "−a| b| c", " | b| c"},
	} {
		t.Run(name, func(t *testing.T) {
			d := DiffOf("then", before, "now", tt.after)
			if got := flat(d.Before); got != tt.left {
				t.Errorf("before: %q", got)
			}
			if got := flat(d.After); got != tt.right {
				t.Errorf("after: %q", got)
			}
			if d.Same() != (tt.left == "") || len(d.Before) != len(d.After) {
				t.Error("the sides do not match")
			}
		})
	}
}

func flat(lines []DiffLine) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Mark+l.Text)
	}
	return strings.Join(all, "|")
}
