package scheduler

import (
	"slices"

	"odysseus/fleet"
)

// gate is the first thing that keeps the deployment's replicas from being started on a cluster: a ConfigMap or Secret
// that it needs and that is not there. nil where all are.
func (p *picture) gate(d *deployment, t *target, c *cluster) *fleet.Dependency {
	needs := d.dependencies
	if x := d.rendered(c); x != nil && x.blocked == nil && c != nil {
		needs = x.dependencies
	}
	for i := range needs {
		if dep := &needs[i]; !dep.Optional && !p.there(d, t, dep, c) {
			return dep
		}
	}
	return nil
}

// there says whether a dependency is on the cluster, or travels to it with the deployment: "ConfigMaps and Secrets that a
// selected workload names travel with it". So do those of a deployment that no policy decides on.
func (p *picture) there(d *deployment, t *target, dep *fleet.Dependency, c *cluster) bool {
	on, known := p.resources.byKey[dependencyKey(d, *dep)]
	if !known || on.deleted || on.preserved {
		return false
	}
	if t.deciding {
		p.rerender(on, p.distributed(on))
	}
	data := on.data
	if x := on.rendered(c); x != nil {
		if x.blocked != nil || x.fresh {
			return false // what it is to be there is not stored yet, and what it is without its overrides must not be read
		}
		data = x.data
	}
	if dep.Key != "" && !data[dep.Key] {
		return false
	}
	return t.travels() || slices.Contains(on.binding.Clusters, c.name)
}

// travels says whether what the deployment names goes with it.
func (t *target) travels() bool { return t.policy == nil || t.policy.Spec.PropagateDeps }

// carried are the clusters that a ConfigMap or Secret is on because a workload took it along.
func (p *picture) carried(d *deployment, on map[string]bool) {
	for w := range p.resources.dependents[d.object.Key()] {
		if w.deleted || w.preserved || w.policy == nil && !w.runs.own || w.policy != nil && !w.policy.Spec.PropagateDeps {
			continue
		}
		for _, c := range w.containers {
			if c.active() && !c.node.deleted {
				on[c.node.class.cluster.name] = true
			}
		}
	}
}

// follow has the ConfigMaps and Secrets looked at that go where the deployment goes, and, of a ConfigMap or Secret, the
// workloads that wait for it.
func (p *picture) follow(d *deployment) {
	for _, dep := range d.dependencies {
		p.lookAt(dependencyKey(d, dep))
	}
	if d.data != nil {
		p.enqueueAll(p.resources.dependents[d.object.Key()])
	}
}
