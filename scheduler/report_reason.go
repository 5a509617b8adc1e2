package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"odysseus/fleet"
)

// shortage is what stands between a tenant's replicas and the nodes within its reach.
type shortage struct {
	live       bool // some node answers
	refused    bool // the geo filter refuses some
	passed     bool // and some it does not
	unlabelled bool // some refused one reports neither country nor region
	undeclared bool // the region asked for is not declared
}

func (p *picture) shortage(tenant string, r *rule) shortage {
	s := shortage{undeclared: p.settings.Enabled && r.undeclared != ""}
	for _, c := range p.clusterList {
		if c.live == 0 || !c.grants(tenant) {
			continue
		}
		s.live = true
		for _, k := range c.classes {
			switch {
			case k.live == 0:
			case p.passes(r, k):
				s.passed = true
			default:
				s.refused = true
				s.unlabelled = s.unlabelled || k.place.Geo == fleet.Geo{}
			}
		}
	}
	return s
}

// passes says whether the geo filter, where it is in force, accepts the class.
func (p *picture) passes(r *rule, k *class) bool { return !p.settings.Enabled || r.passes[k.place.id] }

// codes of the reasons, in their order, each once. "no_reachable_node only when the tenant can reach no live node at
// all"; "where nodes are refused by the geo filter alone, geo_mismatch is the only reason". A region that is no
// longer declared is a cause of its own: no node could mend it.
func (s shortage) codes(full bool) []fleet.Code {
	var codes []fleet.Code
	for _, r := range [...]struct {
		holds bool
		code  fleet.Code
	}{
		{s.refused && !s.undeclared, fleet.ReasonGeoMismatch},
		{!s.live, fleet.ReasonNoReachableNode},
		{s.passed && full, fleet.ReasonCapacity},
		{s.undeclared, fleet.ReasonRegionUndeclared},
	} {
		if r.holds {
			codes = append(codes, r.code)
		}
	}
	return codes
}

// reasons are why replicas of the deployment have no place, as the fleet is now.
func (p *picture) reasons(d *deployment, detail bool) []fleet.Reason {
	r, tenant := d.pool.rule, d.ref.Tenant
	short := p.shortage(tenant, r)
	reasons := []fleet.Reason{}
	for _, code := range short.codes(!p.hasRoom(d)) {
		reason := fleet.Reason{Code: code}
		switch code {
		case fleet.ReasonGeoMismatch:
			// What a full node where it could run reports is no mismatch: only those that the geo filter refuses speak.
			required, reported := r.requirement, p.geography(tenant, func(k *class) bool { return !p.passes(r, k) })
			reason.Required, reason.Reported, reason.Unlabelled = &required, &reported, short.unlabelled
		case fleet.ReasonRegionUndeclared:
			required := r.requirement
			reason.Required = &required
		}
		reasons = append(reasons, reason)
	}
	if detail && len(reasons) > 0 {
		p.nameNodes(d, reasons, func(*cluster) bool { return true })
	}
	return reasons
}

// hasRoom says whether a replica of the deployment would fit somewhere now: then it is about to be placed.
func (p *picture) hasRoom(d *deployment) bool {
	for _, c := range p.clusterList {
		if c.live == 0 || !c.grants(d.ref.Tenant) {
			continue
		}
		for _, k := range c.classes {
			if k.live > 0 && p.passes(d.pool.rule, k) && k.tree.best(d.need.Amount) >= 0 {
				return true
			}
		}
	}
	return false
}

// nameNodes adds to each reason the nodes that it is about, for operators and support. A lost node stands under the
// reason that it would fall under if it came back, or under the first.
func (p *picture) nameNodes(d *deployment, reasons []fleet.Reason, asked func(*cluster) bool) {
	q := query{d.ref.Tenant, d.pool.rule, d.need.Amount}
	under := func(code fleet.Code) int {
		return max(0, slices.IndexFunc(reasons, func(r fleet.Reason) bool { return r.Code == code }))
	}
	var buf []fleet.Code
	for _, c := range p.clusterList {
		if q.tenant != "" && !c.grants(q.tenant) || !asked(c) {
			continue
		}
		for _, k := range c.classes {
			for _, n := range k.tree.nodes {
				if n == nil {
					continue
				}
				buf = refusals(p.filters, q, n, buf[:0])
				if len(buf) == 0 {
					continue
				}
				kind, shown := buf[0], buf[0]
				if kind != fleet.ReasonGeoMismatch && kind != fleet.ReasonRegionUndeclared {
					kind = fleet.ReasonCapacity
				}
				if !n.live {
					shown = fleet.NodeReasonNotReady
				}
				at := &reasons[under(kind)]
				at.Nodes = append(at.Nodes, fleet.NodeReason{Name: n.name, Cluster: c.name, Country: k.place.Country, Region: k.place.Region, Reason: shown})
			}
		}
	}
	for i := range reasons {
		slices.SortFunc(reasons[i].Nodes, func(a, b fleet.NodeReason) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Cluster, b.Cluster))
		})
	}
}
