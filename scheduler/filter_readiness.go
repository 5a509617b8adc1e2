package scheduler

import "odysseus/fleet"

// readinessFilter refuses nodes that are lost, and those that an operator has closed to new replicas.
var readinessFilter = filter{name: "readiness", node: func(_ query, n *node) fleet.Code {
	switch {
	case !n.live:
		return fleet.NodeReasonNotReady
	case n.cordoned || n.draining:
		return fleet.NodeReasonCordoned
	}
	return ""
}}
