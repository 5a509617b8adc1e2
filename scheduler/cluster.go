package scheduler

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// cluster is a group of nodes that tenants are granted together.
type cluster struct {
	name    string
	labels  map[string]string
	runtime string
	// known: its row was heard of; a node's may come before its cluster's.
	known   bool
	version uint64
	grant   grant
	classes []*class // sorted by place
	nodes   int
	live    int
	// simulated counts the live nodes that only pretend to run containers.
	simulated int
}

// grant is whom a cluster is granted to.
type grant struct {
	all     bool
	tenants map[string]bool
}

func grantTo(tenants []string) grant {
	g := grant{all: slices.Contains(tenants, fleet.AllTenants), tenants: make(map[string]bool, len(tenants))}
	for _, t := range tenants {
		g.tenants[t] = true
	}
	return g
}

func (g grant) holds(tenant string) bool { return g.all || g.tenants[tenant] }

func (c *cluster) grants(tenant string) bool { return c.grant.holds(tenant) }

// clusterOf finds the cluster, or makes one that is granted to nobody: a node's row can be heard of before its
// cluster's.
func (p *picture) clusterOf(name string) *cluster {
	if c, ok := p.clusters[name]; ok {
		return c
	}
	c := &cluster{name: p.intern(name)}
	p.clusters[name] = c
	at, _ := slices.BinarySearchFunc(p.clusterList, name, func(o *cluster, name string) int { return strings.Compare(o.name, name) })
	p.clusterList = slices.Insert(p.clusterList, at, c)
	p.epoch++
	return c
}

// setCluster takes a cluster's row over.
func (p *picture) setCluster(row fleet.Cluster) {
	c := p.clusterOf(row.Name)
	version := versionOf(row.ResourceVersion)
	if version < c.version {
		return
	}
	c.version = version
	before := c.known && maps.Equal(c.labels, row.Labels) && c.runtime == row.Runtime
	c.known, c.labels, c.runtime = true, row.Labels, row.Runtime
	p.setGrant(c, grantTo(row.Tenants))
	if !before {
		// "A label removed from a cluster takes it out of the selection at once."
		p.candidacyChanged()
	}
}

// setGrant changes whom the cluster is granted to: replicas of those who lost it have to move, and those who gained
// it and wait are looked at.
func (p *picture) setGrant(c *cluster, to grant) {
	before := c.grant
	c.grant = to
	if before.all == to.all && maps.Equal(before.tenants, to.tenants) {
		return
	}
	p.epoch++
	p.candidacyChanged()
	for _, k := range c.classes {
		for _, n := range k.tree.nodes {
			if n == nil {
				continue
			}
			for _, held := range n.containers {
				if t := held.deployment.ref.Tenant; before.holds(t) != to.holds(t) {
					p.enqueue(held.deployment)
				}
			}
		}
	}
	for _, r := range p.sleeping {
		for _, g := range r.groups {
			if t := g.pool.tenant; to.holds(t) && !before.holds(t) && g.pool.within(c) && p.roomIn(c, g) {
				p.enqueue(g.first)
			}
		}
	}
}

// roomIn says whether the cluster has a node that could serve the group now.
func (p *picture) roomIn(c *cluster, g *group) bool {
	p.settle()
	return slices.ContainsFunc(c.classes, func(k *class) bool {
		return p.passes(g.pool.rule, k) && k.tree.best(g.need.Amount) >= 0
	})
}

// deleteCluster forgets it; nodes that are still there are granted to nobody.
func (p *picture) deleteCluster(name string) {
	c, ok := p.clusters[name]
	if !ok {
		return
	}
	c.known = false
	p.setGrant(c, grant{})
	p.candidacyChanged()
	if c.nodes > 0 {
		return
	}
	delete(p.clusters, name)
	p.clusterList = slices.DeleteFunc(p.clusterList, func(o *cluster) bool { return o == c })
	p.epoch++
}

// versionOf reads a resourceVersion; versions are decimal numbers of one sequence.
func versionOf(s string) uint64 {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0 // written before it was stored: older than anything
	}
	return v
}
