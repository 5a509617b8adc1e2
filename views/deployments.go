package views

import "odysseus/fleet"

// DeploymentsPage lists a namespace's deployments.
type DeploymentsPage struct {
	Chrome    Chrome
	Namespace string
	Items     []fleet.Deployment
	// Query, State and Residency are the filters as asked for.
	Query, State, Residency string
	// Self is the page's own address, First and Next those of other pages of the list; empty where there is none.
	Self, First, Next string
}

func (m DeploymentsPage) filtered() bool { return m.Query != "" || m.State != "" || m.Residency != "" }

// badge of a deployment in a list: drift stands above how much is placed.
func badge(d fleet.Deployment) State {
	if d.Status == nil {
		return StateWaiting
	}
	if d.Status.Drifting > 0 {
		return StateDrift
	}
	return StateOf(d.Status.State)
}

func (m DeploymentsPage) placed(d fleet.Deployment) string {
	if d.Status == nil {
		return "0/" + number(d.Spec.ReplicaCount())
	}
	return number(d.Status.Placed) + "/" + number(d.Spec.ReplicaCount())
}

func ready(d fleet.Deployment) string {
	if d.Status == nil {
		return "0"
	}
	return number(d.Status.Ready)
}
