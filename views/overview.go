package views

import "odysseus/fleet"

// OverviewPage is the first page after the sign-in.
type OverviewPage struct {
	Chrome Chrome
	// Counts are of deployments, Others of other resources that have a replica count.
	Counts, Others map[fleet.PlacementState]int
	// Drifting is how many run something outside their residency, whatever else their state is.
	Drifting int
	// Enforced says whether residency limits where things run.
	Enforced  bool
	Geography fleet.Geography
	// Attention are pending deployments and resources, oldest first, a few of them.
	Attention []PendingRow
	// Drifts are drifting deployments, Warned those with a warning that stands; a few of each.
	Drifts, Warned []StandingRow
	// Searched is how many deployments were looked through for warnings, where that was not all; otherwise 0.
	Searched int
}

// states in the order in which they are counted.
var states = []fleet.PlacementState{fleet.Placed, fleet.PartlyPlaced, fleet.Pending, fleet.Waiting}

// in counts what is in a state, of whichever kind.
func (m OverviewPage) in(s fleet.PlacementState) int { return m.Counts[s] + m.Others[s] }

// total number of what is counted.
func (m OverviewPage) total() int {
	sum := 0
	for _, s := range states {
		sum += m.in(s)
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

// othersPath is where the counted others are found, which the list that countPath leads to may not have: everything that is
// not wholly placed among what is pending, the rest among a namespace's resources. The platform has no list of those.
func (m OverviewPage) othersPath(s fleet.PlacementState) string {
	switch {
	case s != fleet.Placed:
		return "/pending"
	case m.Chrome.Who.Role.Platform():
		return ""
	}
	return ResourcesPath(m.Chrome.home())
}

// driftPath is where the drifting are listed: the filtered list where one list has them all, and else this page.
func (m OverviewPage) driftPath() string {
	if !m.Chrome.Who.Role.Platform() && len(m.Chrome.Who.Namespaces) == 1 {
		return DeploymentsPath(m.Chrome.Who.Namespaces[0]) + "?state=" + FilterDrifting
	}
	return "#attention"
}

// calm says that nothing needs attention.
func (m OverviewPage) calm() bool {
	return len(m.Attention) == 0 && len(m.Drifts) == 0 && len(m.Warned) == 0
}
