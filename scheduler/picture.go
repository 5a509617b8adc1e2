package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// picture is the fleet as the scheduler knows it: what is stored, kept current by what it is told, and what it has
// decided but not yet committed. Nothing in it is ever read from the store after the start. The scheduler's
// lock guards it; what only reads it needs the trees settled.
type picture struct {
	settings fleet.GeoAwareness
	regions  declared
	filters  []filter

	policies    policies
	resources   resources
	overrides   overrides
	clusters    map[string]*cluster
	clusterList []*cluster // sorted by name
	nodes       map[string]*node
	deployments map[string]*deployment // by UID
	gone        tombstones
	goneNodes   map[string]goneNode

	rules      map[string]*rule
	pools      map[poolKey]*pool
	places     []*place // by number; nil where one is free
	placeByGeo map[fleet.Geo]*place
	freePlaces []int
	needs      map[fleet.Amount]*need
	names      map[string]string

	// epoch rises whenever the classes that some pool may use can have changed.
	epoch     uint64
	unsettled []*class
	// turn numbers the decisions, so that tallies on nodes need no clearing.
	turn     uint64
	sleeping []*rule
	sleepers int // deployments that wait
	// By the statuses that are stored.
	driftingReplicas, driftingDeployments int
	// stales are deployments whose decision the store did not take, for something that we have yet to hear.
	stales []*deployment

	// dues are the deployments that are due by the clock.
	dues    map[*deployment]struct{}
	lease   leases
	queue   queue
	scratch scratch
	survey  survey
}

func newPicture() *picture {
	p := &picture{
		policies:    newPolicies(),
		resources:   newResources(),
		overrides:   newOverrides(),
		clusters:    map[string]*cluster{},
		nodes:       map[string]*node{},
		deployments: map[string]*deployment{},
		goneNodes:   map[string]goneNode{},
		rules:       map[string]*rule{},
		pools:       map[poolKey]*pool{},
		placeByGeo:  map[fleet.Geo]*place{},
		needs:       map[fleet.Amount]*need{},
		names:       map[string]string{},
		dues:        map[*deployment]struct{}{},
		epoch:       1,
	}
	p.adopt(fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	return p
}

// adopt takes the settings over, without looking at what they change.
func (p *picture) adopt(g fleet.GeoAwareness) {
	p.settings = g
	p.regions = declaredRegions(g.Regions)
	p.filters = filtersFor(g.Enabled)
	p.epoch++
}

// intern keeps one copy of a text that many records share.
func (p *picture) intern(s string) string {
	if kept, ok := p.names[s]; ok {
		return kept
	}
	p.names[s] = s
	return s
}

// need is an Amount that many containers share; it is forgotten with the last of them.
type need struct {
	fleet.Amount
	users int
}

func (p *picture) needOf(a fleet.Amount) *need {
	n, ok := p.needs[a]
	if !ok {
		n = &need{Amount: a}
		p.needs[a] = n
	}
	n.users++
	return n
}

func (p *picture) dropNeed(n *need) {
	if n.users--; n.users == 0 {
		delete(p.needs, n.Amount)
	}
}

// poolKey groups deployments that may use the same nodes.
type poolKey struct {
	tenant string
	rule   *rule
	// owner has the pool to itself: a policy says where it may go, and what it lacks nobody else need lack. nil where no
	// policy decides.
	owner *deployment
}

// pool is the deployments of one tenant with one requirement, and the classes of nodes that they may use.
type pool struct {
	poolKey
	classes []*class
	epoch   uint64 // of classes
	members []*deployment
	groups  []*group
	// short are the clusters that the owner waits for.
	short []*cluster
}

// selects says whether the pool's deployments may go to the cluster, whatever is free there.
func (l *pool) selects(c *cluster) bool {
	return c.grants(l.tenant) && (l.owner == nil || l.owner.policy == nil || l.owner.policy.Affinity().Matches(c.name, c.labels))
}

func (l *pool) ownerUID() string {
	if l.owner == nil {
		return ""
	}
	return l.owner.uid
}

// within says whether the cluster is one that the pool's deployments may use.
func (l *pool) within(c *cluster) bool { return l.owner == nil || slices.Contains(l.short, c) }

// join puts the deployment into the pool of its tenant and requirement.
func (p *picture) join(d *deployment, r *rule) {
	key := poolKey{tenant: d.ref.Tenant, rule: r}
	if d.policy != nil {
		key.owner = d
	}
	l, ok := p.pools[key]
	if !ok {
		l = &pool{poolKey: key}
		p.pools[key] = l
		r.pools++
	}
	d.pool, d.member = l, len(l.members)
	l.members = append(l.members, d)
}

// part takes it out again; a pool without members and a rule without pools are forgotten.
func (p *picture) part(d *deployment) {
	p.wake(p.unwait(d))
	l := d.pool
	last := len(l.members) - 1
	l.members[d.member] = l.members[last]
	l.members[d.member].member = d.member
	l.members[last] = nil
	l.members = l.members[:last]
	if last > 0 {
		return
	}
	delete(p.pools, l.poolKey)
	if l.rule.pools--; l.rule.pools == 0 {
		delete(p.rules, l.rule.key)
	}
}

// classesOf answers the classes that the pool's deployments may use, in the order of clusters and places.
func (p *picture) classesOf(l *pool) []*class {
	if l.epoch == p.epoch {
		return l.classes
	}
	l.epoch, l.classes = p.epoch, l.classes[:0]
	q := query{tenant: l.tenant, rule: l.rule}
	for _, c := range p.clusterList {
		if !l.within(c) {
			continue
		}
		for _, k := range c.classes {
			if admitsClass(p.filters, q, k) {
				l.classes = append(l.classes, k)
			}
		}
	}
	return l.classes
}
