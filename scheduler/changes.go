package scheduler

import (
	"odysseus/fleet"
)

// DeploymentChanged tells of a deployment that was created or changed.
func (s *Scheduler) DeploymentChanged(d fleet.Deployment) {
	s.mu.Lock()
	defer s.unlock()
	if known := s.picture.setDeployment(d, s.now()); known != nil {
		s.picture.enqueue(known)
	}
}

// DeploymentDeleted tells of a deployment whose row is gone. Its containers are told to stop.
func (s *Scheduler) DeploymentDeleted(d fleet.Deployment) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.takeAway(d.Metadata.UID, d.Metadata.Generation, d.Preserved)
}

// ResourceChanged tells of a resource that was created or changed.
func (s *Scheduler) ResourceChanged(r fleet.StoredResource) {
	s.mu.Lock()
	defer s.unlock()
	if known := s.picture.setResource(r, s.now()); known != nil {
		s.picture.enqueue(known)
	}
}

// ResourceDeleted tells of a resource whose row is gone, or preserved.
func (s *Scheduler) ResourceDeleted(r fleet.StoredResource) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.takeAway(r.UID, r.Generation, r.Preserved)
}

// PolicyChanged tells of a propagation policy that was created or changed.
func (s *Scheduler) PolicyChanged(p fleet.Policy) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.setPolicy(p)
}

// PolicyDeleted tells of a propagation policy whose row is gone, and those of its claims with it.
func (s *Scheduler) PolicyDeleted(p fleet.Policy) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.deletePolicy(p)
}

// OverrideChanged tells of an override policy that was created or changed.
func (s *Scheduler) OverrideChanged(o fleet.Override) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.setOverride(o)
}

// OverrideDeleted tells of an override policy whose row is gone.
func (s *Scheduler) OverrideDeleted(o fleet.Override) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.deleteOverride(o, s.picture.steady(s.now()))
}

// ClusterChanged tells of a cluster that was created or changed.
func (s *Scheduler) ClusterChanged(c fleet.Cluster) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.setCluster(c)
}

// ClusterDeleted tells of a cluster whose row is gone.
func (s *Scheduler) ClusterDeleted(name string) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.deleteCluster(name)
}

// NodeChanged tells of a node that enrolled, or whose row changed. A new node counts as alive, and its lease begins.
func (s *Scheduler) NodeChanged(n fleet.Node) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.setNode(n, s.now())
}

// NodeDeleted tells of a node whose row is gone, and those of its containers with it.
func (s *Scheduler) NodeDeleted(name string) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.deleteNode(name)
}

// Heartbeat renews the node's lease; a lost node is back.
func (s *Scheduler) Heartbeat(node string) {
	s.mu.Lock()
	p := s.picture
	now := s.now()
	p.lease.at(now)
	n, known := p.nodes[node]
	if !known {
		s.mu.Unlock()
		return
	}
	if n.live {
		// Nothing changes but the lease: nobody is woken.
		n.heard = now
		p.lease.renew(n)
		s.mu.Unlock()
		return
	}
	p.revive(n, now)
	s.unlock()
}

// Reported tells of containers whose state an accepted report changed. Containers that it does not know are none of
// its own any more.
func (s *Scheduler) Reported(node string, changed []fleet.ContainerReport) {
	s.mu.Lock()
	defer s.unlock()
	p := s.picture
	for i := range changed {
		uid, seq, err := splitID(changed[i].ID)
		if err != nil {
			continue
		}
		d, ok := p.deployments[uid]
		if !ok {
			continue
		}
		c := d.find(seq)
		if c == nil || c.node.name != node {
			continue
		}
		to := stateOf(changed[i].State)
		d.crash(c, to, p.steady(s.now()))
		if c.report(to) || d.policy != nil && d.policy.Failover() != nil {
			p.enqueue(d)
		}
	}
}

// GeoAwarenessChanged takes the operator's settings over, at once. Only deployments whose verdicts it changes, and
// those that drift, are looked at.
func (s *Scheduler) GeoAwarenessChanged(g fleet.GeoAwareness) {
	s.mu.Lock()
	defer s.unlock()
	s.picture.setSettings(g)
}
