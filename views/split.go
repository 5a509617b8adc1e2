package views

import (
	"slices"
	"strconv"

	"odysseus/fleet"
)

// Split is how a workload's replicas are divided, as one bar and as a table.
type Split struct {
	// ID tells the bar from others of the page.
	ID       string
	Segments []Segment
	// Total is the number of replicas wanted, Pending those without a node, Drifting those outside the residency.
	Total, Pending, Drifting int
	// Weighted says whether any cluster has a weight to show, Room whether the replicas that each can take are shown.
	Weighted, Room bool
	// Planned says that it is what would be, not what is: nothing is placed yet.
	Planned bool
	// Steps are what each cluster got of the remainder and why, in words, by cluster.
	Steps map[string]string
}

// Segment is one cluster's part.
type Segment struct {
	fleet.PlacementCluster
	// Drawn is the number that the bar shows: the placed replicas, or those planned.
	Drawn int
	// Ideal is what its weight comes to if replicas could be cut, "2.25"; empty without one.
	Ideal string
	// Colour and hatch go by the cluster's place in order of name, from 1.
	Index int
	// Start and Width in thousandths of the bar.
	Start, Width int
}

// SplitOf divides a bar among the clusters of a placement. Clusters are sorted by name there.
func SplitOf(p fleet.PlacementReport, total int) Split {
	s := Split{ID: "split", Total: total}
	if p.Pending != nil {
		s.Pending = p.Pending.Replicas
	}
	for _, d := range p.Drift {
		s.Drifting += d.Replicas
	}
	placed := 0
	for _, c := range p.Clusters {
		placed += c.Placed
	}
	// While replicas are replaced more may be placed than are wanted: the bar shows all of them.
	whole := max(total, placed+s.Pending, 1)
	start := 0
	for i, c := range p.Clusters {
		width := 1000 * c.Placed / whole
		s.Segments = append(s.Segments, Segment{PlacementCluster: c, Drawn: c.Placed, Index: i + 1, Start: start, Width: width})
		start += width
		s.Weighted = s.Weighted || c.Weight != nil
	}
	return s
}

// columns of the table.
func (s Split) columns() int {
	columns := 5
	if s.Weighted {
		columns += 2
	}
	if s.Room {
		columns++
	}
	if s.Planned {
		columns -= 2
	}
	return columns
}

// placedEnd is where the placed part of the bar ends.
func (s Split) placedEnd() int {
	if len(s.Segments) == 0 {
		return 0
	}
	last := s.Segments[len(s.Segments)-1]
	return last.Start + last.Width
}

// driftWidth is the drifting part, at the end of the placed one.
func (s Split) driftWidth() int {
	placed := 0
	for _, segment := range s.Segments {
		placed += segment.Placed
	}
	if placed == 0 {
		return 0
	}
	return s.placedEnd() * min(s.Drifting, placed) / placed
}

// colours are six; a seventh cluster and later share the last, with other hatches.
const (
	colours = 6
	hatches = 12
)

func (s Segment) colour() string { return "k" + strconv.Itoa(min(s.Index, colours)) }

func (s Segment) hatch() int { return (s.Index - 1) % hatches }

// hatchID is the id of a hatch of this bar.
func (s Split) hatchID(hatch int) string { return s.ID + "-hatch-" + strconv.Itoa(hatch+1) }

// hatchFill refers to it.
func (s Split) hatchFill(hatch int) string { return "url(#" + s.hatchID(hatch) + ")" }

// hatchesUsed are those that the bar needs.
func (s Split) hatchesUsed() []int {
	var used []int
	for _, segment := range s.Segments {
		if !slices.Contains(used, segment.hatch()) {
			used = append(used, segment.hatch())
		}
	}
	return used
}

// fits says whether a number can be read inside a part of the bar.
func fits(width int) bool { return width >= 50 }

// percent of thousandths.
func percent(thousandths int) string {
	return strconv.FormatFloat(float64(thousandths)/10, 'f', -1, 64) + "%"
}

// share of a cluster among the replicas drawn, in whole percents.
func (s Split) share(c Segment) string {
	placed := 0
	for _, segment := range s.Segments {
		placed += segment.Drawn
	}
	if placed == 0 {
		return "0 %"
	}
	return strconv.Itoa((200*c.Drawn+placed)/(2*placed)) + " %"
}

// hatchPaths are the strokes of each hatch, in a tile of 8 by 8. The first cluster's is plain.
var hatchPaths = [hatches]string{
	"", "M0 8L8 0", "M0 0L8 8", "M4 0V8", "M0 4H8", "M0 8L8 0M0 0L8 8",
	"M2 0V8M6 0V8", "M0 2H8M0 6H8", "M4 0V8M0 4H8", "M0 4L4 0M4 8L8 4", "M0 4L4 8M4 0L8 4", "M2 2h1M6 6h1",
}
