package views

import (
	"slices"
	"strings"

	"odysseus/fleet"
)

// overriddenClusters are those on which override policies change a workload; where one holds it back none does.
func overriddenClusters(p fleet.PlacementReport) []fleet.PlacementCluster {
	var overridden []fleet.PlacementCluster
	for _, at := range p.Clusters {
		if len(at.Overrides) > 0 && !slices.ContainsFunc(heldReasons(p), func(r fleet.Reason) bool { return slices.Contains(r.Clusters, at.Name) }) {
			overridden = append(overridden, at)
		}
	}
	return overridden
}

// heldReasons are why override policies hold a workload back.
func heldReasons(p fleet.PlacementReport) []fleet.Reason {
	var held []fleet.Reason
	if p.Pending != nil {
		for _, r := range p.Pending.Reasons {
			if r.Blocked != nil {
				held = append(held, r)
			}
		}
	}
	return held
}

// heldQuietly are those of them that are said nowhere else: where what runs stays, no replica is pending.
func heldQuietly(p fleet.PlacementReport) []fleet.Reason {
	if p.Pending != nil && p.Pending.Replicas > 0 {
		return nil
	}
	return heldReasons(p)
}

// wanted is how many replicas of a workload there are to be: an override decides a cluster's count after the division, and
// copies are counted on each cluster.
func wanted(p fleet.PlacementReport, written int) int {
	desired := 0
	for _, at := range p.Clusters {
		desired += at.Desired
		if at.Divided != nil {
			written += at.Desired - *at.Divided
		}
	}
	return max(written, desired)
}

// policyOf reads a policy's name as placements have it: "OverridePolicy demo/x".
func policyOf(text string) fleet.PolicyRef {
	kind, name, _ := strings.Cut(text, " ")
	if namespace, own, found := strings.Cut(name, "/"); found {
		return fleet.PolicyRef{Kind: kind, Namespace: namespace, Name: own}
	}
	return fleet.PolicyRef{Kind: kind, Name: name}
}
