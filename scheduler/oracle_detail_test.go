package scheduler

import (
	"fmt"
	"maps"

	"odysseus/fleet"
)

// inspectDetail checks what staff see: each node once with why it takes nothing, and those that hold replicas.
func inspectDetail(uid string, r fleet.PlacementReport, refused map[string]fleet.Code, held map[string]int) (faults []string) {
	shown := map[string]int{}
	for _, c := range r.Clusters {
		for _, n := range c.Nodes {
			shown[n.Name] = n.Replicas
		}
	}
	if !maps.Equal(shown, held) {
		faults = append(faults, fmt.Sprintf("%s: nodes %v, want %v", uid, shown, held))
	}
	if r.Pending == nil {
		return faults
	}
	why := map[string]fleet.Code{}
	for _, reason := range r.Pending.Reasons {
		for _, n := range reason.Nodes {
			why[n.Name] = n.Reason
		}
	}
	if !maps.Equal(why, refused) {
		faults = append(faults, fmt.Sprintf("%s: node reasons %v, want %v", uid, why, refused))
	}
	return faults
}
