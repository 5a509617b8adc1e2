package scheduler

import (
	"odysseus/fleet"
)

// candidacy is which of the members may get replicas, and why others may not.
type candidacy struct {
	members   []member // candidates, by name
	selected  int
	outside   []member // selected, and refused by the geo filter alone
	silent    []member // selected, and none of its nodes answers
	incapable []member // selected, and its runtime cannot carry the manifest out
	avoided   []member // selected, and the workload was moved off it
	alive     int      // members that answer, selected or not
	required  fleet.Requirement
	byPolicy  bool
	// blocked are the reasons of candidates where an override does not apply.
	blocked []fleet.Reason
}

// candidatesOf filters before anything is divided: "the policy's clusters that the tenant may use, that answer, and, for
// a workload with residency under enforcement, that hold at least one node which passes the geo filter". Beside that a
// cluster has to be able to carry the manifest out, and the workload must not just have been moved off it.
func candidatesOf(members []member, policy *fleet.Policy, required fleet.Requirement) candidacy {
	c := candidacy{required: required, byPolicy: policy != nil}
	var affinity *fleet.ClusterAffinity
	if policy != nil {
		affinity = policy.Affinity()
	}
	for _, m := range members {
		c.alive += oneIf(m.answers)
		if !affinity.Matches(m.Name, m.Labels) {
			continue
		}
		c.selected++
		switch {
		case !m.answers:
			c.silent = append(c.silent, m)
		case !m.passes:
			c.outside = append(c.outside, m)
		case m.unsupported != "":
			c.incapable = append(c.incapable, m)
		case m.avoided:
			c.avoided = append(c.avoided, m)
		default:
			c.members = append(c.members, m)
		}
	}
	return c
}

// excluded are the clusters that were selected and are no candidates, each "named with its reason", by name.
func (c *candidacy) excluded() []fleet.ExcludedCluster {
	var all []fleet.ExcludedCluster
	add := func(members []member, reason func(member) fleet.Reason) {
		for _, m := range members {
			all = append(all, fleet.ExcludedCluster{Name: m.Name, Reason: reason(m)})
		}
	}
	code := func(code fleet.Code) func(member) fleet.Reason {
		return func(member) fleet.Reason { return fleet.Reason{Code: code} }
	}
	add(c.silent, code(fleet.ReasonClusterUnreachable))
	add(c.outside, func(m member) fleet.Reason { return c.mismatch(m) })
	add(c.incapable, func(m member) fleet.Reason {
		return fleet.Reason{Code: fleet.ReasonRuntimeUnsupported, Field: m.unsupported}
	})
	add(c.avoided, code(fleet.ReasonMovedOff))
	sortByName(all)
	return all
}

// mismatch says what the clusters' nodes report and what is required.
func (c *candidacy) mismatch(members ...member) fleet.Reason {
	required, reported := c.required, advertisedBy(members)
	return fleet.Reason{Code: fleet.ReasonGeoMismatch, Required: &required, Reported: &reported, Unlabelled: silentIn(members)}
}

// reasons for which replicas are pending, in their order, each once. Short says that some candidate has no room for its
// part, or all together for the count; full names them where they are known.
func (c *candidacy) reasons(gang, undeclared, short bool, full []string) []fleet.Reason {
	reasons := []fleet.Reason{}
	add := func(holds bool, r fleet.Reason) {
		if holds {
			reasons = append(reasons, r)
		}
	}
	some, none := len(c.members) > 0, len(c.members) == 0
	if len(c.outside) > 0 && !undeclared {
		reasons = append(reasons, c.mismatch(c.outside...))
	}
	// A fleet that was made up without clusters has an affinity that leaves none, and no nodes that went away.
	add(c.alive == 0 && (c.selected > 0 || !c.byPolicy), fleet.Reason{Code: fleet.ReasonNoReachableNode})
	add(some && !gang && short, fleet.Reason{Code: fleet.ReasonCapacity, Clusters: full})
	add(c.selected == 0 && c.byPolicy, fleet.Reason{Code: fleet.ReasonNoClusterSelected})
	add(len(c.outside) > 0 && undeclared, fleet.Reason{Code: fleet.ReasonRegionUndeclared, Required: &c.required})
	add(some && gang, fleet.Reason{Code: fleet.ReasonGang})
	add(none && len(c.silent) > 0 && c.alive > 0, fleet.Reason{Code: fleet.ReasonClusterUnreachable, Clusters: namesOf(c.silent)})
	if none && len(c.incapable) > 0 {
		add(true, fleet.Reason{Code: fleet.ReasonRuntimeUnsupported, Clusters: namesOf(c.incapable), Field: c.incapable[0].unsupported})
	}
	add(none && len(c.avoided) > 0, fleet.Reason{Code: fleet.ReasonMovedOff, Clusters: namesOf(c.avoided)})
	return reasons
}

func namesOf(members []member) []string {
	names := make([]string, len(members))
	for i := range members {
		names[i] = members[i].Name
	}
	return names
}
