package views

import "odysseus/fleet"

// DeploymentsPage lists a namespace's deployments.
type DeploymentsPage struct {
	Chrome    Chrome
	Namespace string
	Rows      []StandingRow
	// Query, State and Residency are the filters as asked for.
	Query, State, Residency string
	// Self is the page's own address, First and Next those of other pages of the list; empty where there is none.
	Self, First, Next string
}

func (m DeploymentsPage) filtered() bool { return m.Query != "" || m.State != "" || m.Residency != "" }

// StandingRow is one deployment of a list with what stands about it now.
type StandingRow struct {
	fleet.Deployment
	Warnings []fleet.Warning
	Drift    []fleet.Drift
}

// state of placement as it is stored, which lists are filtered by.
func (r StandingRow) state() fleet.PlacementState {
	if r.Status == nil {
		return fleet.Waiting
	}
	return r.Status.State
}

func (r StandingRow) drifting() bool { return r.Status != nil && r.Status.Drifting > 0 }

func placed(d fleet.Deployment) string {
	if d.Status == nil {
		return "0/" + number(d.Spec.ReplicaCount())
	}
	if d.Status.ObservedGeneration == d.Metadata.Generation {
		return number(d.Status.Placed) + "/" + number(d.Status.Replicas) // an override may decide another count
	}
	return number(d.Status.Placed) + "/" + number(d.Spec.ReplicaCount())
}

func ready(d fleet.Deployment) string {
	if d.Status == nil {
		return "0"
	}
	return number(d.Status.Ready)
}
