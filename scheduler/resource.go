package scheduler

import (
	"maps"
	"time"

	"odysseus/fleet"
)

// resources are the deployments and resources, as policies and workloads look for them. Preserved ones are no part of
// it.
type resources struct {
	byNamespace map[string]map[*deployment]struct{} // cluster-scoped ones under ""
	byKey       map[fleet.ResourceKey]*deployment
	// dependents are the workloads that name a ConfigMap or Secret.
	dependents map[fleet.ResourceKey]map[*deployment]struct{}
}

func newResources() resources {
	return resources{byNamespace: map[string]map[*deployment]struct{}{}, byKey: map[fleet.ResourceKey]*deployment{},
		dependents: map[fleet.ResourceKey]map[*deployment]struct{}{}}
}

// runs is what a kind of resource comes to on a member.
type runs struct {
	// counted: it has a replica count that is divided.
	counted bool
	// containers: on a cluster of agents its replicas run, as containers.
	containers bool
	// own: it is an odysseus/v1 Deployment, which needs no policy.
	own bool
	// job: a replica that ended has done its work.
	job bool
	// unsupported is the first field that agents cannot carry out.
	unsupported string
}

// runnable says what becomes of the resource on a member.
func runnable(r *fleet.Resource) runs {
	counted := fleet.HasReplicas(r.APIVersion, r.Kind)
	if r.APIVersion == fleet.APIVersion {
		return runs{counted: counted, containers: true, own: true}
	}
	_, unsupported, known := fleet.PodTemplateOf(r)
	out := runs{counted: counted, containers: known, job: fleet.IsJob(r.APIVersion, r.Kind)}
	// ConfigMaps and Secrets are there for what runs. Anything else would do nothing there, silently: "refused for that
	// cluster by name, never dropped".
	if len(unsupported) > 0 && !isConfig(r) {
		out.unsupported = unsupported[0]
	}
	return out
}

// unsupportedOn names the field that keeps the resource off the cluster; empty for none. A Kubernetes member carries out
// everything.
func (r runs) unsupportedOn(c *cluster) string {
	if c == nil || c.runtime == fleet.ClusterKubernetes {
		return ""
	}
	return r.unsupported
}

// setResource takes a resource's row over, and answers nil where the word is too late.
func (p *picture) setResource(r fleet.StoredResource, now time.Time) *deployment {
	counts, counted := r.Replicas()
	replicas := 0
	if counted {
		replicas = int(counts.Count)
		if counts.Completions != nil {
			// A replica of a Job runs to its end once here, so there are never more than are to be completed.
			replicas = min(replicas, int(*counts.Completions))
		}
	}
	object := r.Resource
	object.Object = nil
	of := row{
		object: object, tenant: r.Tenant, uid: r.UID, resource: true, generation: r.Generation, revision: r.Revision, template: r.TemplateRevision,
		replicas: replicas, last: r.LastContainer, afresh: r.DividedAfresh, preserved: r.Preserved, need: r.Requests(), runs: runnable(&r.Resource),
		depends: fleet.DependenciesOf(&r.Resource), data: keysOf(&r.Resource), source: func() fleet.Resource { return r.Resource },
	}
	return p.setRow(of, now)
}

// keysOf a ConfigMap or Secret; nil of what is neither.
func keysOf(r *fleet.Resource) map[string]bool {
	if !isConfig(r) {
		return nil
	}
	keys := map[string]bool{}
	for _, key := range r.DataKeys() {
		keys[key] = true
	}
	return keys
}

func isConfig(r *fleet.Resource) bool {
	return r.APIVersion == "v1" && (r.Kind == fleet.KindConfigMap || r.Kind == fleet.KindSecret)
}

// describe takes over what others look for the deployment by, and has those looked at that depend on it.
func (p *picture) describe(d *deployment, r row) {
	p.undepend(d)
	r.object.APIVersion, r.object.Kind = p.intern(r.object.APIVersion), p.intern(r.object.Kind)
	r.object.Namespace, r.object.Name = d.ref.Namespace, d.ref.Name
	before := d.data
	d.object, d.dependencies, d.data = r.object, r.depends, r.data
	if d.preserved {
		d.data = nil // nobody finds it before it is taken over
		return
	}
	p.enlist(d)
	for _, dep := range d.dependencies {
		key := dependencyKey(d, dep)
		if p.resources.dependents[key] == nil {
			p.resources.dependents[key] = map[*deployment]struct{}{}
		}
		p.resources.dependents[key][d] = struct{}{}
		p.lookAt(key)
	}
	if d.data != nil && (before == nil || !maps.Equal(before, d.data)) {
		p.enqueueAll(p.resources.dependents[d.object.Key()])
	}
}

func dependencyKey(d *deployment, dep fleet.Dependency) fleet.ResourceKey {
	return fleet.ResourceKey{APIVersion: "v1", Kind: dep.Kind, Namespace: d.ref.Namespace, Name: dep.Name}
}

// undepend forgets what the deployment names, which no longer goes where the deployment goes.
func (p *picture) undepend(d *deployment) {
	for _, dep := range d.dependencies {
		key := dependencyKey(d, dep)
		delete(p.resources.dependents[key], d)
		if len(p.resources.dependents[key]) == 0 {
			delete(p.resources.dependents, key)
		}
		p.lookAt(key)
	}
}

// lookAt has a ConfigMap or Secret looked at, where there is one.
func (p *picture) lookAt(key fleet.ResourceKey) {
	if on, known := p.resources.byKey[key]; known {
		p.enqueue(on)
	}
}

// enlist and delist keep the deployment where others look for it.
func (p *picture) enlist(d *deployment) {
	all := p.resources.byNamespace[d.ref.Namespace]
	if all == nil {
		all = map[*deployment]struct{}{}
		p.resources.byNamespace[d.ref.Namespace] = all
	}
	all[d] = struct{}{}
	if d.object.Kind != "" {
		p.resources.byKey[d.object.Key()] = d
	}
}

func (p *picture) delist(d *deployment) {
	delete(p.resources.byNamespace[d.ref.Namespace], d)
	if len(p.resources.byNamespace[d.ref.Namespace]) == 0 {
		delete(p.resources.byNamespace, d.ref.Namespace)
	}
	key := d.object.Key()
	if p.resources.byKey[key] == d {
		delete(p.resources.byKey, key)
	}
	p.undepend(d)
	if d.policy != nil && !d.preserved { // what is preserved is held until its policy goes: then it is kept
		delete(d.policy.held, d)
		d.policy = nil
	}
	p.enqueueAll(p.resources.dependents[key])
}

// takeAway takes a deployment or resource out of use whose row is gone. What is preserved stays where it is, and is
// looked at no more, unless it has been taken over since.
func (p *picture) takeAway(uid string, generation int64, preserved bool) {
	d, known := p.deployments[uid]
	if !preserved {
		p.deleteDeployment(uid)
		return
	}
	if !known || d.deleted || d.preserved || d.generation > generation {
		return
	}
	d.preserved, d.lacking, d.data = true, 0, nil
	p.setStatus(d, nil)
	p.dueAt(d, time.Time{})
	p.delist(d)
	p.wake(p.unwait(d))
	p.enqueue(d)
}
