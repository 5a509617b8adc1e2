package scheduler

import (
	"context"
	"fmt"
	"slices"

	"odysseus/fleet"
)

// How much one transaction takes: as many decisions as wait, until they make this many rows.
const (
	maxDecisions = 512
	maxRows      = 2_000
)

// step decides on what is queued, up to the limit of one commit, and stores it. It answers whether there was
// anything to look at.
//
// Between the decision and its commit the lock is free: the replicas it assigns are already charged, so that other
// decisions do not take the same room, and everything else of it takes effect only when the store has it. What
// happens in between (a report, a node or deployment deleted) finds the charged containers in the picture.
func (s *Scheduler) step(ctx context.Context) (bool, error) {
	plans, looked := s.decide()
	if len(plans) == 0 {
		return looked, nil
	}
	decisions := make([]fleet.Decision, len(plans))
	for i := range plans {
		decisions[i] = plans[i].decision
	}
	began := s.now()
	held, err := s.store.Commit(ctx, decisions)
	if err == nil && len(held) != len(decisions) {
		err = fmt.Errorf("the store answered %d of %d", len(held), len(decisions))
	}
	if err != nil {
		s.undo(plans)
		return true, fmt.Errorf("commit %d decisions: %w", len(decisions), err)
	}
	if s.committed != nil {
		s.committed(s.now().Sub(began))
	}
	nodes, refs := s.conclude(plans, held)
	if s.listener != nil {
		if len(nodes) > 0 {
			s.listener.AssignmentsChanged(nodes)
		}
		if len(refs) > 0 {
			s.listener.DeploymentsChanged(refs)
		}
	}
	return true, nil
}

// decide makes the plans of one commit, and charges what they assign.
func (s *Scheduler) decide() (plans []plan, looked bool) {
	s.mu.Lock()
	defer s.unlock()
	p := s.picture
	now := s.now()
	p.lease.at(now)
	p.expire()
	for rows := 0; p.queue.len() > 0 && len(plans) < s.batch && rows < maxRows; {
		d := p.queue.pop()
		d.queued, looked = false, true
		if p.deployments[d.uid] != d || d.stale {
			continue
		}
		if d.finished() {
			p.forget(d)
			continue
		}
		l := p.schedule(d, now)
		p.charged(&l)
		s.stats.Decisions++
		if l.empty() {
			p.remember(&l)
			continue
		}
		d.committing = true
		plans = append(plans, l)
		rows += 1 + len(l.nodes) + len(l.stops) + len(l.removes) + len(l.adopts)
	}
	s.committing = len(plans) > 0
	return plans, looked
}

// charged puts the plan's new containers into the picture, and has the deployment wait where replicas are left
// without a place.
func (p *picture) charged(l *plan) {
	d := l.deployment
	if l.cleans || d.deleted || l.target == nil {
		return
	}
	p.hold(d, l.target.policy)
	p.dueAt(d, l.target.due)
	if len(l.nodes) > 0 {
		block := make([]container, len(l.nodes))
		d.containers = slices.Grow(d.containers, len(block))
		for i, n := range l.nodes {
			c := &block[i]
			*c = container{
				deployment: d, node: n, need: p.needFor(d, n.class.cluster), revision: d.revision, seq: d.last + 1 + int64(i),
				replica: int32(l.decision.Assign[i].Replica), rendering: int32(l.decision.Assign[i].Rendering), flags: uncommitted,
			}
			p.attach(c)
		}
		d.last += int64(len(block))
	}
	d.lacking, d.blocked = l.heads.lacking, l.blocked
	// What waits for something to be there must not stand before others in their common queue.
	if d.lacking > 0 && l.target.waits == "" && (!l.gated || l.target.policy != nil) {
		p.await(d, l.wantsRoom())
		p.wait(d)
	} else {
		p.wake(p.unwait(d))
	}
}

// await notes the clusters that a deployment under a policy waits for.
func (p *picture) await(d *deployment, short []*cluster) {
	if l := d.pool; l.owner != nil && !slices.Equal(l.short, short) {
		l.short, l.epoch = short, 0
	}
}

// wantsRoom are the clusters where room would lift what the plan left without a place: those that were short, or any
// candidate where the replicas are not divided yet, or would be divided otherwise than to where something is missing.
func (l *plan) wantsRoom() []*cluster {
	if l.target.division.rest == 0 && !(l.gated && l.target.flexible()) {
		return l.short
	}
	clusters := make([]*cluster, len(l.target.parts))
	for i, q := range l.target.parts {
		clusters[i] = q.cluster
	}
	return clusters
}

// remember keeps what the plan said.
func (p *picture) remember(l *plan) {
	for _, m := range l.said {
		m.container.flags = m.container.flags&^(saidLost|saidDraining) | m.flags
	}
	for _, m := range l.drifts {
		m.container.drift = m.at
	}
	if !l.cleans {
		l.deployment.codes = l.codes
	}
}

// conclude carries out the plans that held, takes back those that did not, and answers what changed.
func (s *Scheduler) conclude(plans []plan, held []bool) (nodes []string, refs []fleet.Ref) {
	s.mu.Lock()
	defer s.unlock()
	s.committing = false
	s.stats.Commits++
	for i := range plans {
		l := &plans[i]
		if !held[i] {
			s.stats.Stale++
			// "Looked at again on its next change", which is on its way or has already been heard.
			if !l.deployment.again {
				s.picture.awaitNews(l.deployment)
			}
			s.picture.takeBack(l)
			continue
		}
		s.stats.Assigned += uint64(len(l.nodes))
		s.stats.Stopped += uint64(len(l.stops))
		nodes = l.nodesChanged(nodes)
		if !l.decision.Deleted {
			refs = append(refs, l.decision.Ref)
		}
		s.picture.carryOut(l)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), refs
}

// nodesChanged appends the names of the nodes whose lists the plan changed.
func (l *plan) nodesChanged(names []string) []string {
	for _, n := range l.nodes {
		names = append(names, n.name)
	}
	for _, list := range [...][]*container{l.adopts, l.stops, l.removes} {
		for _, c := range list {
			if !c.is(vanished) {
				names = append(names, c.node.name)
			}
		}
	}
	return names
}

// carryOut makes a stored plan true in the picture.
func (p *picture) carryOut(l *plan) {
	d := l.deployment
	d.committing = false
	d.again = d.again || l.cleans
	d.unsure = d.unsure && l.cleans
	for _, c := range l.fresh() {
		c.flags &^= uncommitted
	}
	for i, c := range l.adopts {
		c.revision = l.decision.Adopt[i].Revision
		d.trust(c, adopting)
	}
	for _, c := range l.stops {
		d.trust(c, halting)
		c.flags |= stopping
		d.again = d.again || c.gone()
	}
	p.remember(l)
	if l.decision.Status != nil {
		p.setStatus(d, l.decision.Status)
	}
	if d.renders != nil && !l.cleans {
		d.renders.stored(&l.decision)
	}
	if l.decision.Binding != nil && !d.deleted {
		p.setBinding(d, *l.decision.Binding)
	}
	if len(l.nodes)+len(l.stops)+len(l.removes) > 0 && len(d.dependencies) > 0 {
		p.follow(d)
	}
	if len(d.binding.Failovers) > 0 && (len(l.nodes)+len(l.stops) > 0 || l.decision.Binding != nil) {
		d.again = true // with other replicas its health may be another, and what became of one cluster bears on the others
	}
	p.sweep(d, l.removes)
	p.lookAgain(d)
}

// fresh are the containers that the plan assigned.
func (l *plan) fresh() []*container {
	k := len(l.nodes)
	if k == 0 {
		return nil
	}
	all := l.deployment.containers
	return all[len(all)-k:]
}

// sweep takes containers out of the picture.
func (p *picture) sweep(d *deployment, containers []*container) {
	if len(containers) == 0 {
		return
	}
	for _, c := range containers {
		d.trust(c, doubtful)
		c.flags |= leaving
	}
	d.containers = slices.DeleteFunc(d.containers, func(c *container) bool { return c.is(leaving) })
	for _, c := range containers {
		p.detach(c)
	}
}

func (p *picture) lookAgain(d *deployment) {
	if d.finished() {
		p.forget(d)
		return
	}
	if d.again {
		d.again = false
		p.enqueue(d)
	}
}

// takeBack undoes the charges of a plan that was not stored.
func (p *picture) takeBack(l *plan) {
	d := l.deployment
	d.committing = false
	p.sweep(d, slices.Clone(l.fresh()))
	p.lookAgain(d)
}

// undo takes back a whole batch whose commit failed, and queues it again. Whether the store has it all the same is
// not known: what it assigned is doubtful until it has been removed, and its counters are never used again.
func (s *Scheduler) undo(plans []plan) {
	s.mu.Lock()
	defer s.unlock()
	s.committing = false
	s.stats.Failures++
	for i := range plans {
		l := &plans[i]
		d := l.deployment
		d.committing, d.again = false, true
		for _, c := range l.fresh() {
			c.flags &^= uncommitted
			d.doubt(c, doubtful)
		}
		for _, c := range l.stops {
			d.doubt(c, halting)
		}
		for _, c := range l.removes {
			d.doubt(c, doubtful) // whatever is heard of it meanwhile
		}
		for i, c := range l.adopts {
			c.revision = l.decision.Adopt[i].Revision
			if !d.deleted {
				d.doubt(c, adopting)
			}
		}
		d.unsure = true
		if d.renders != nil {
			d.renders.forget(&l.decision)
		}
		s.picture.lookAgain(d)
	}
}
