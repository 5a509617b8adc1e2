package views

import "odysseus/fleet"

// OverviewPage is the first page after the sign-in.
type OverviewPage struct {
	Chrome Chrome
	Counts map[fleet.PlacementState]int
	// Enforced says whether residency limits where things run.
	Enforced  bool
	Geography fleet.Geography
	// Attention are pending deployments, oldest first, a few of them.
	Attention []PendingRow
}

// states in the order in which they are counted.
var states = []fleet.PlacementState{fleet.Placed, fleet.PartlyPlaced, fleet.Pending, fleet.Waiting}

// total number of deployments.
func (m OverviewPage) total() int {
	sum := 0
	for _, count := range m.Counts {
		sum += count
	}
	return sum
}

// countPath is the filtered list that a count leads to.
func (m OverviewPage) countPath(s fleet.PlacementState) string {
	if ns := m.Chrome.home(); ns != "" && !m.Chrome.Who.Role.Platform() {
		return DeploymentsPath(ns) + "?state=" + string(s)
	}
	if s == fleet.Pending || s == fleet.PartlyPlaced {
		return "/pending"
	}
	return "/tenants"
}
