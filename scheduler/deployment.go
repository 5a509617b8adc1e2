package scheduler

import (
	"cmp"
	"slices"
	"time"

	"odysseus/fleet"
)

// deployment is what the scheduler needs to know of a workload, or of another resource that policies propagate: an
// odysseus/v1 Deployment, or a resource (resource.go).
type deployment struct {
	ref fleet.Ref
	// object is its identity and labels, without the document: what policies select by.
	object fleet.Resource
	runs   runs
	// source is the whole of it, for those who render it; renders is what overrides make of it, nil for nothing.
	source     func() fleet.Resource
	renders    *renders
	uid        string
	generation int64
	revision   int64
	template   int64
	replicas   int
	need       *need
	pool       *pool
	member     int // in pool.members
	deleted    bool

	// status is what the store has; nil before the first decision. Set by setStatus.
	status *fleet.DeploymentStatus
	// containers by counter, all of them: also those that are stopping, and those about to be committed.
	containers []*container
	last       int64 // the highest counter used
	doubts     int   // how many of the containers are doubtful, halting or adopting, counted once for each
	unsure     bool  // status may not be what the store has

	// What the last decision left: replicas without an acceptable place, and whether replacing outdated ones is held
	// up by that.
	lacking int
	blocked bool
	codes   string // of the last Pending event
	changed time.Time

	// resource: its row is one of the resources. preserved: it was deleted, and what it distributed stays.
	resource, preserved bool
	// afresh is the generation for which somebody asked to divide afresh.
	afresh int64
	// policy holds it, nil for none; binding is as the store has it.
	policy  *policy
	binding fleet.Binding
	// dependencies that it names; data are the keys of a ConfigMap or Secret.
	dependencies []fleet.Dependency
	data         map[string]bool
	// due is when it is to be looked at again by the clock; zero for never. crashed are containers, by counter, that
	// ended under a policy with failover.
	due     time.Time
	crashed map[int64]crashes

	queued, committing, again bool
	// stale: the store did not take the last decision, so something changed that we were not told of: the deployment,
	// or a node that is gone. It is not looked at before we are.
	stale bool

	group         *group
	before, after *deployment // in the group
}

// tombstones remember deleted deployments for a while, so that a late word of one does not bring it back.
type tombstones struct {
	uids  map[string]bool
	order []string
}

// maxTombstones is far more than the words that can be under way at once.
const maxTombstones = 10_000

func (t *tombstones) add(uid string) {
	if t.uids == nil {
		t.uids = map[string]bool{}
	}
	if t.uids[uid] {
		return
	}
	if len(t.order) == maxTombstones {
		delete(t.uids, t.order[0])
		t.order = slices.Delete(t.order, 0, 1)
	}
	t.uids[uid] = true
	t.order = append(t.order, uid)
}

// row is what deployments and resources have in common.
type row struct {
	object     fleet.Resource
	tenant     string
	uid        string
	resource   bool
	generation int64
	revision   int64
	template   int64
	replicas   int
	last       int64
	afresh     int64
	preserved  bool
	need       fleet.Amount
	labels     map[string]string // residency, compiled
	runs       runs
	depends    []fleet.Dependency
	data       map[string]bool
	source     func() fleet.Resource
}

func rowOf(d *fleet.Deployment) row {
	m, kept := d.Metadata, *d
	return row{
		object: fleet.Resource{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Namespace: m.Namespace, Name: m.Name, Labels: m.Labels},
		tenant: d.Tenant, uid: m.UID, generation: m.Generation, revision: d.Revision, template: d.TemplateRevision,
		replicas: d.Spec.ReplicaCount(), last: d.LastContainer, afresh: d.DividedAfresh, preserved: d.Preserved,
		need: d.Spec.Requests(), labels: d.ResidencyLabels, runs: runs{counted: true, containers: true, own: true}, depends: d.Spec.Dependencies(),
		source: func() fleet.Resource { return kept.Resource() },
	}
}

// setDeployment takes a deployment's row over, and answers nil where the word is too late.
func (p *picture) setDeployment(d fleet.Deployment, now time.Time) *deployment {
	return p.setRow(rowOf(&d), now)
}

func (p *picture) setRow(r row, now time.Time) *deployment {
	if p.gone.uids[r.uid] {
		return nil
	}
	d, known := p.deployments[r.uid]
	if !known {
		d = &deployment{uid: r.uid, resource: r.resource, ref: fleet.Ref{Tenant: p.intern(r.tenant), Namespace: p.intern(r.object.Namespace), Name: r.object.Name}}
		p.deployments[r.uid] = d
	} else if d.deleted || r.generation < d.generation {
		return nil // every change of what matters here has a generation of its own
	}
	if d.preserved && !r.preserved {
		// Taken over. Whether the store forgets the same depends on whether something is to be stored.
		d.binding.Failovers, d.unsure = movesOf(d.binding.Failovers), true
	}
	d.generation, d.changed, d.stale = r.generation, now, false
	d.revision, d.template, d.replicas = r.revision, r.template, r.replicas
	d.last = max(d.last, r.last)
	d.afresh, d.preserved, d.runs, d.source = r.afresh, r.preserved, r.runs, r.source
	p.describe(d, r)
	if want := p.needOf(r.need); d.need == nil {
		d.need = want
	} else {
		d.need, want = want, d.need
		p.dropNeed(want)
	}
	p.rejoin(d, p.rule(r.labels))
	return d
}

// rejoin puts the deployment into the pool that fits its requirement and its policy.
func (p *picture) rejoin(d *deployment, r *rule) {
	switch {
	case d.pool == nil:
		p.join(d, r)
	case d.pool.rule != r || (d.pool.owner != nil) != (d.policy != nil):
		r.pools++ // the pool that is left may be the rule's last
		p.part(d)
		p.join(d, r)
		r.pools--
	}
}

// deleteDeployment marks it; its containers stop, and it is forgotten with the last of them.
func (p *picture) deleteDeployment(uid string) {
	p.gone.add(uid)
	if d, ok := p.deployments[uid]; ok && !d.deleted {
		p.bury(d)
		p.enqueue(d)
	}
}

// bury takes a deployment out of all questions but that of its containers.
func (p *picture) bury(d *deployment) {
	d.deleted, d.stale, d.lacking = true, false, 0
	p.setStatus(d, nil)
	p.dueAt(d, time.Time{})
	p.delist(d)
	for _, c := range d.containers {
		d.trust(c, adopting) // of no matter any more, and nothing that could be told again
	}
	p.wake(p.unwait(d))
	if d.pool != nil {
		p.part(d)
		d.pool = nil
	}
	if !d.committing && d.finished() {
		p.forget(d)
	}
}

// doubt notes what a failed commit may have done to a container; trust forgets it.
func (d *deployment) doubt(c *container, what flags) {
	if !c.is(what) {
		c.flags |= what
		d.doubts++
	}
}

func (d *deployment) trust(c *container, what flags) {
	if c.is(what) {
		c.flags &^= what
		d.doubts--
	}
}

// awaitNews has the deployment left alone until what made its decision stale is heard of.
func (p *picture) awaitNews(d *deployment) {
	d.stale = true
	p.stales = append(slices.DeleteFunc(p.stales, func(o *deployment) bool { return !o.stale || o == d }), d)
}

// news looks again at what may have been stale for a node or policy that turns out to be gone.
func (p *picture) news() {
	for _, d := range p.stales {
		if d.stale {
			d.stale = false
			p.enqueue(d)
		}
	}
	p.stales = nil
}

// finished says that a deleted deployment has left nothing behind.
func (d *deployment) finished() bool {
	return d.deleted && len(d.containers) == 0
}

func (p *picture) forget(d *deployment) {
	if p.deployments[d.uid] != d {
		return
	}
	delete(p.deployments, d.uid)
	if d.need != nil {
		p.dropNeed(d.need)
		d.need = nil
	}
}

// orphan is the record of a deployment that is deleted while containers of it are left.
func (p *picture) orphan(c fleet.Container) *deployment {
	d := &deployment{
		ref: fleet.Ref{Tenant: p.intern(c.Tenant), Namespace: p.intern(c.Namespace), Name: c.Deployment},
		uid: c.DeploymentUID, need: p.needOf(fleet.Amount{Slots: 1}), deleted: true,
	}
	p.deployments[d.uid] = d
	return d
}

// find answers the container with that counter.
func (d *deployment) find(seq int64) *container {
	at, ok := slices.BinarySearchFunc(d.containers, seq, func(c *container, seq int64) int { return cmp.Compare(c.seq, seq) })
	if !ok {
		return nil
	}
	return d.containers[at]
}
