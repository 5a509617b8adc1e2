package scheduler

import (
	"strconv"
	"strings"
	"time"

	"odysseus/fleet"
)

// Reasons of the events that the scheduler writes, all on a Deployment. Their Args hold numbers of the deployment's
// own replicas, values of its residency and values that nodes advertise: never a node, never how many there are.
const (
	// EventScheduled: replicas that had no node got one. Args: replicas.
	EventScheduled = "Scheduled"
	// EventReplacing: replacements got a node; the old ones go on until these run. Args: replicas, cause (one of the
	// Cause constants).
	EventReplacing = "Replacing"
	// EventReplaced: the old ones were told to stop. Args: replicas.
	EventReplaced = "Replaced"
	// EventStopped: replicas were scaled away. Args: replicas.
	EventStopped = "Stopped"
	// EventPending: replicas have no acceptable place. Args: replicas, codes (of the reasons, comma separated, in
	// their order). Written again when the codes change.
	EventPending = "Pending"
	// EventDriftDetected: replicas came to be outside the residency. Args: replicas; country, region, blocked,
	// enforcedCountry, enforcedRegion of what is required; reportedCountry, reportedRegion; what is empty is left out.
	EventDriftDetected = "DriftDetected"
	// EventDriftEnded: none is outside any more. No Args.
	EventDriftEnded = "DriftEnded"
	// EventNodeLost: a node with replicas of the deployment was lost. Args: replicas.
	EventNodeLost = "NodeLost"
	// EventMovedOff: failover moves the workload off a cluster. Args: Cluster.
	EventMovedOff = "MovedOff"
	// EventMoveCalledOff: it recovered there before the move was over. Args: Cluster.
	EventMoveCalledOff = "MoveCalledOff"
	// EventFailoverManual: it is unhealthy there, and its policy leaves that to a person. Args: Cluster.
	EventFailoverManual = "FailoverManual"
	// EventOverrideBlocked: an override does not apply on a cluster; what runs there stays. Args: Cluster, Policy.
	EventOverrideBlocked = "OverrideBlocked"
	// EventClaimed: a policy came to hold it. Args: PolicyKind, Policy. EventReleased: no policy holds it any more. Args: those, and Kept
	// ("true" where what was distributed stays).
	EventClaimed  = "Claimed"
	EventReleased = "Released"
	// EventDraining: replicas are being moved off a node. Args: replicas.
	EventDraining = "Draining"
)

// Causes of a replacement.
const (
	CauseRevision = "revision"
	CauseDrift    = "drift"
	CauseDrain    = "drain"
	CauseGrant    = "grant"
	CauseNodeLost = "node_lost"
)

// events collects what one decision has to say, in the order in which it happened.
type events struct {
	deployment *deployment
	now        time.Time
	events     []fleet.Event
	replacings map[standing]int
}

func (e *events) add(kind, reason string, args map[string]string) {
	d := e.deployment
	e.events = append(e.events, fleet.Event{
		Time: e.now, Tenant: d.ref.Tenant, Kind: d.object.Kind, Namespace: d.ref.Namespace, Name: d.ref.Name, UID: d.uid,
		Type: kind, Reason: reason, Args: args, Count: 1,
	})
}

func replicas(n int) map[string]string { return map[string]string{"replicas": strconv.Itoa(n)} }

func (e *events) count(kind, reason string, n int) {
	if n > 0 {
		e.add(kind, reason, replicas(n))
	}
}

func (e *events) scheduled(n int) { e.count(fleet.EventNormal, EventScheduled, n) }
func (e *events) replaced(n int)  { e.count(fleet.EventNormal, EventReplaced, n) }
func (e *events) stopped(n int)   { e.count(fleet.EventNormal, EventStopped, n) }

// replacing counts a replacement; one event for each cause is added by flush.
func (e *events) replacing(why standing) {
	if e.replacings == nil {
		e.replacings = map[standing]int{}
	}
	e.replacings[why]++
}

func (e *events) flush() {
	for why := outdated; why <= lost; why++ {
		if n := e.replacings[why]; n > 0 {
			args := replicas(n)
			args["cause"] = causes[why]
			e.add(fleet.EventNormal, EventReplacing, args)
		}
	}
	e.replacings = nil
}

var causes = [...]string{outdated: CauseRevision, drifting: CauseDrift, draining: CauseDrain, evicted: CauseGrant, lost: CauseNodeLost}

func (e *events) pending(n int, codes string) {
	args := replicas(n)
	args["codes"] = codes
	e.add(fleet.EventWarning, EventPending, args)
}

// troubled says what keeps replicas from a place or, where all have theirs, which overrides hold a cluster back.
func (e *events) troubled(lacking int, codes string, t *target) {
	if lacking > 0 {
		e.pending(lacking, codes)
		return
	}
	for _, q := range t.parts {
		if q.blocked != nil {
			e.add(fleet.EventWarning, EventOverrideBlocked, map[string]string{"Cluster": q.cluster.name, "Policy": q.blocked.Policy.String()})
		}
	}
}

func (e *events) driftDetected(n int, r fleet.Requirement, at fleet.Geo) {
	args := replicas(n)
	for key, value := range map[string]string{
		"country": r.Country, "region": r.Region, "blocked": strings.Join(r.BlockedCountries, ","),
		"enforcedCountry": r.EnforcedCountry, "enforcedRegion": r.EnforcedRegion,
		"reportedCountry": at.Country, "reportedRegion": at.Region,
	} {
		if value != "" {
			args[key] = value
		}
	}
	e.add(fleet.EventWarning, EventDriftDetected, args)
}

// bound says who came to hold the deployment, and what failover did.
func (e *events) bound(d *deployment, t *target) {
	before, after := d.binding.Policy, t.binding.Policy
	switch {
	case after != nil && (before == nil || *before != *after):
		e.add(fleet.EventNormal, EventClaimed, map[string]string{"PolicyKind": after.Kind, "Policy": after.Name})
	case after == nil && before != nil:
		e.add(fleet.EventNormal, EventReleased, map[string]string{"PolicyKind": before.Kind, "Policy": before.Name, "Kept": strconv.FormatBool(t.binding.Kept)})
	}
	for _, m := range t.moves {
		kind := fleet.EventWarning
		if m.reason == EventMoveCalledOff {
			kind = fleet.EventNormal
		}
		e.add(kind, m.reason, map[string]string{"Cluster": m.cluster})
	}
}
