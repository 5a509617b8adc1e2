package scheduler

import "odysseus/fleet"

// query is what a replica asks of a node: whose it is, where it may run, what it takes.
type query struct {
	tenant string
	rule   *rule
	need   fleet.Amount
}

// filter is one named reason to refuse a node. Filters stand in an ordered slice and every one of them answers,
// so that every reason is known; none depends on what another said.
//
// The answer is the code of the refusal, empty where the filter has no objection. A filter judges either what
// all nodes of a class share (class) or one node (node): the index is built by the first kind and asked by the
// second, and refusals applies both to a single node.
type filter struct {
	name  string
	class func(q query, c *class) fleet.Code
	node  func(q query, n *node) fleet.Code
}

// refusals are the answers of all filters on one node, in the order of the filters. The slice is buf's.
func refusals(filters []filter, q query, n *node, buf []fleet.Code) []fleet.Code {
	for i := range filters {
		if code := filters[i].refuse(q, n); code != "" {
			buf = append(buf, code)
		}
	}
	return buf
}

// admits says whether no filter refuses the node.
func admits(filters []filter, q query, n *node) bool {
	for i := range filters {
		if filters[i].refuse(q, n) != "" {
			return false
		}
	}
	return true
}

// admitsClass says whether no filter refuses what all nodes of the class share.
func admitsClass(filters []filter, q query, c *class) bool {
	for i := range filters {
		if f := filters[i].class; f != nil && f(q, c) != "" {
			return false
		}
	}
	return true
}

func (f *filter) refuse(q query, n *node) fleet.Code {
	if f.class != nil {
		return f.class(q, n.class)
	}
	return f.node(q, n)
}

// filtersFor is the pipeline under the operator's settings: "added to the scheduler only when
// scheduler.geo_awareness.enabled is true".
func filtersFor(enforced bool) []filter {
	if enforced {
		return []filter{tenancyFilter, residencyFilter, readinessFilter, capacityFilter}
	}
	return []filter{tenancyFilter, readinessFilter, capacityFilter}
}
