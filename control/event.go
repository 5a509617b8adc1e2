package control

import (
	"strconv"
	"strings"

	"odysseus/fleet"
)

// Reasons of events that control gives; those of placement are the scheduler's. Words: "event.REASON" with Args.
const (
	EventCreated          = "Created"
	EventUpdated          = "Updated"          // Revision
	EventScaled           = "Scaled"           // From, To, Revision
	EventRolledBack       = "RolledBack"       // To (the old revision), Revision
	EventDeleted          = "Deleted"          //
	EventChanged          = "Changed"          // of a resource, without a new revision
	EventRescheduled      = "Rescheduled"      //
	EventResidencyChanged = "ResidencyChanged" // Before, After
	EventResidencyDropped = "ResidencyDropped" // Before

	// Of a container, on its deployment: Replica, and Message where the agent gave one.
	EventStarted   = "Started"
	EventUnhealthy = "Unhealthy"
	EventExited    = "Exited"
	EventFailed    = "Failed"
	EventStopped   = "Stopped"

	// Of a node, for operators.
	EventEnrolled         = "Enrolled"         // Cluster
	EventCordoned         = "Cordoned"         //
	EventUncordoned       = "Uncordoned"       //
	EventDraining         = "Draining"         // GraceSeconds
	EventGeographyChanged = "GeographyChanged" // Before, After
	EventReportRefused    = "ReportRefused"    // Codes
)

func (c *Control) deploymentEvent(d fleet.Deployment, kind, reason string, args map[string]string) fleet.Event {
	return fleet.Event{
		Time: c.deps.Now().UTC(), Tenant: d.Tenant, Kind: fleet.KindDeployment, Namespace: d.Metadata.Namespace, Name: d.Metadata.Name,
		UID: d.Metadata.UID, Type: kind, Reason: reason, Args: args, Count: 1,
	}
}

func (c *Control) nodeEvent(n fleet.Node, kind, reason string, args map[string]string) fleet.Event {
	return fleet.Event{Time: c.deps.Now().UTC(), Kind: kindNode, Name: n.Name, Type: kind, Reason: reason, Args: args, Count: 1}
}

// changeEvents tell a deployment's history what an update did.
func (c *Control) changeEvents(old, next fleet.Deployment) []fleet.Event {
	var events []fleet.Event
	revision := strconv.FormatInt(next.Revision, 10)
	before, after := old.Spec.ReplicaCount(), next.Spec.ReplicaCount()
	unscaled := next.Spec
	unscaled.Replicas = old.Spec.Replicas
	if before != after {
		events = append(events, c.deploymentEvent(next, fleet.EventNormal, EventScaled,
			map[string]string{"From": strconv.Itoa(before), "To": strconv.Itoa(after), "Revision": revision}))
	}
	was, is := old.Spec.Residency(), next.Spec.Residency()
	switch {
	case was.Equal(is):
	case is.Empty():
		events = append(events, c.deploymentEvent(next, fleet.EventWarning, EventResidencyDropped, map[string]string{"Before": residencyText(was)}))
	default:
		events = append(events, c.deploymentEvent(next, fleet.EventNormal, EventResidencyChanged,
			map[string]string{"Before": residencyText(was), "After": residencyText(is)}))
	}
	if !sameJSON(old.Spec, unscaled) || old.Metadata.Generation == next.Metadata.Generation {
		events = append(events, c.deploymentEvent(next, fleet.EventNormal, EventUpdated, map[string]string{"Revision": revision}))
	}
	return events
}

// residencyText is a residency by its keys and values, which no language changes; empty for none.
func residencyText(r *fleet.Residency) string {
	if r.Empty() {
		return ""
	}
	var parts []string
	if r.Country != "" {
		parts = append(parts, "country: "+r.Country)
	}
	if r.Region != "" {
		parts = append(parts, "region: "+r.Region)
	}
	if len(r.BlockedCountries) > 0 {
		parts = append(parts, "blockedCountries: ["+strings.Join(r.BlockedCountries, ", ")+"]")
	}
	return strings.Join(parts, ", ")
}
