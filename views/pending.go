package views

import "odysseus/fleet"

// PendingPage lists pending deployments and resources, oldest first.
type PendingPage struct {
	Chrome        Chrome
	Rows          []PendingRow
	Query, Reason string
	Tenant        string
	// Self is the page's own address, Next that of the following page.
	Self, First, Next string
}

// PendingRow is one deployment or resource with replicas that have no node.
type PendingRow struct {
	fleet.Workload
	Pending fleet.PendingReplicas
}

// filtered says whether the list may leave something out.
func (m PendingPage) filtered() bool { return m.Query != "" || m.Reason != "" || m.Tenant != "" }

// reasonCodes are the codes that the list can be narrowed to.
func reasonCodes() []fleet.Code {
	var codes []fleet.Code
	for _, e := range fleet.Registry() {
		if e.Kind == fleet.EntryReason {
			codes = append(codes, e.Code)
		}
	}
	return codes
}
