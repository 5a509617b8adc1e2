package scheduler

import (
	"cmp"
	"slices"

	"odysseus/fleet"
)

// The oracle of policies is written from the page on policies and the rows of the store alone. Of the package it uses
// nothing but the shapes of rows, and the naive division of divide_oracle_test.go.

// subject is a deployment or resource as the oracle knows it: its row, and what the test wrote.
type subject struct {
	uid, tenant, namespace, name, api, kind      string
	labels                                       map[string]string
	generation, revision, template, afresh, seen int64
	// count that is divided; of what has none, 0.
	count int
	// counted: it has a count. runs: agents run it. own: it is an odysseus/v1 Deployment.
	counted, runs, own, job bool
	// impossible: agents cannot carry it out.
	impossible, preserved bool
	need                  fleet.Amount
	residency             map[string]string
	config, key           string // the ConfigMap that it needs, and the key of it; empty for none, for all
	status                *fleet.DeploymentStatus
}

// subjects are all of them, in one order.
func (w *policyWorld) subjects() []subject {
	var all []subject
	for _, d := range sortedValues(w.store.deployments) {
		all = append(all, w.deploymentSubject(d))
	}
	for _, r := range sortedValues(w.store.resources) {
		all = append(all, w.resourceSubject(r))
	}
	return all
}

func (w *policyWorld) subject(uid string) (subject, bool) {
	if d, ok := w.store.deployments[uid]; ok {
		return w.deploymentSubject(d), true
	}
	if r, ok := w.store.resources[uid]; ok {
		return w.resourceSubject(r), true
	}
	return subject{}, false
}

func (w *policyWorld) deploymentSubject(d fleet.Deployment) subject {
	s := subject{
		uid: d.Metadata.UID, tenant: d.Tenant, namespace: d.Metadata.Namespace, name: d.Metadata.Name, api: "odysseus/v1", kind: "Deployment",
		labels: d.Metadata.Labels, generation: d.Metadata.Generation, revision: d.Revision, template: d.TemplateRevision, afresh: d.DividedAfresh,
		count: *d.Spec.Replicas, counted: true, runs: true, own: true, preserved: d.Preserved,
		need: d.Spec.Requests(), residency: d.ResidencyLabels, status: d.Status,
	}
	for _, from := range d.Spec.EnvFrom {
		s.config = from.ConfigMapRef.Name
	}
	if d.Status != nil {
		s.seen = d.Status.ObservedGeneration
	}
	return s
}

func (w *policyWorld) resourceSubject(r fleet.StoredResource) subject {
	m := w.made[r.UID]
	s := subject{
		uid: r.UID, tenant: r.Tenant, namespace: r.Namespace, name: r.Name, api: r.APIVersion, kind: r.Kind, labels: r.Labels,
		generation: r.Generation, revision: r.Revision, template: r.TemplateRevision, afresh: r.DividedAfresh, preserved: r.Preserved,
		counted: r.Kind != "ConfigMap", runs: r.Kind != "ConfigMap", job: r.Kind == "Job",
		need: fleet.Amount{MilliCPU: m.milli * int64(m.containers), Slots: int64(max(1, m.containers))}, config: m.config, key: m.key, status: r.Status,
	}
	if s.counted {
		s.count = m.replicas
	}
	if s.job && m.completions >= 0 {
		// "Fewer completions than parallelism run completions", and more an agent cannot run.
		s.impossible = m.completions > m.replicas
		s.count = min(s.count, m.completions)
	}
	if r.Status != nil {
		s.seen = r.Status.ObservedGeneration
	}
	return s
}

// selects ranks a policy's selection: by name 3, by labels 2, by kind 1; 0 for none. "A PropagationPolicy reaches
// resources of its own namespace."
func (w *policyWorld) selects(p fleet.Policy, s subject) int {
	if p.Kind == "PropagationPolicy" && p.Metadata.Namespace != s.namespace {
		return 0
	}
	best := 0
	for _, sel := range p.Spec.ResourceSelectors {
		rank := 0
		switch {
		case sel.APIVersion != s.api || sel.Kind != s.kind || sel.Namespace != "" && sel.Namespace != s.namespace:
		case sel.Name != "":
			if sel.Name == s.name {
				rank = 3
			}
		case sel.LabelSelector != nil:
			if labelled(*sel.LabelSelector, s.labels) {
				rank = 2
			}
		default:
			rank = 1
		}
		best = max(best, rank)
	}
	return best
}

func labelled(sel fleet.LabelSelector, labels map[string]string) bool {
	for k, v := range sel.MatchLabels {
		if have, ok := labels[k]; !ok || have != v {
			return false
		}
	}
	for _, e := range sel.MatchExpressions {
		have, ok := labels[e.Key]
		in := ok && slices.Contains(e.Values, have)
		if map[string]bool{"In": in, "NotIn": !in, "Exists": ok, "DoesNotExist": !ok}[e.Operator] {
			continue
		}
		return false
	}
	return true
}

func priorityOf(p fleet.Policy) int64 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// ranking are the policies that select the subject, the one that would hold what nobody holds first: "a PropagationPolicy
// before any ClusterPropagationPolicy; then the higher priority; then the more specific match; then the name that sorts
// first, byte by byte".
func (w *policyWorld) ranking(s subject) []fleet.Policy {
	var all []fleet.Policy
	for _, p := range w.store.policies {
		if w.selects(p, s) > 0 {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b fleet.Policy) int {
		return cmp.Or(
			-cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(priorityOf(b), priorityOf(a)),
			cmp.Compare(w.selects(b, s), w.selects(a, s)),
			cmp.Compare(a.Metadata.Name, b.Metadata.Name),
		)
	})
	return all
}

// claimant is who holds the subject from now on, held until now by holder. "A claim is sticky."
func (w *policyWorld) claimant(s subject, holder *fleet.PolicyRef) *fleet.PolicyRef {
	all := w.ranking(s)
	if len(all) == 0 {
		return nil
	}
	best := all[0].Ref()
	at := slices.IndexFunc(all, func(p fleet.Policy) bool { return holder != nil && p.Ref() == *holder })
	if at < 0 {
		return &best
	}
	for _, p := range all {
		// "Unless a policy of the same kind with a strictly higher priority has preemption: Always, or a PropagationPolicy
		// has it against a ClusterPropagationPolicy; a ClusterPropagationPolicy never takes from a PropagationPolicy."
		same := p.Kind == holder.Kind && priorityOf(p) > priorityOf(all[at])
		over := p.Kind == "PropagationPolicy" && holder.Kind == "ClusterPropagationPolicy"
		if p.Spec.Preemption == "Always" && (same || over) {
			ref := p.Ref()
			return &ref
		}
	}
	return holder
}

func sameRef(a, b *fleet.PolicyRef) bool { return a == b || a != nil && b != nil && *a == *b }

// targets says whether an affinity names a cluster: each part narrows, and "exclusion beats inclusion".
func targets(a *fleet.ClusterAffinity, c fleet.Cluster) bool {
	if a == nil {
		return true
	}
	return (len(a.ClusterNames) == 0 || slices.Contains(a.ClusterNames, c.Name)) &&
		(a.LabelSelector == nil || labelled(*a.LabelSelector, c.Labels)) &&
		!slices.Contains(a.ExcludeClusters, c.Name) && !slices.Contains(a.Exclude, c.Name)
}

func affinityOf(p *fleet.Policy) *fleet.ClusterAffinity {
	if p == nil || p.Spec.Placement == nil {
		return nil
	}
	return p.Spec.Placement.ClusterAffinity
}

func (w *policyWorld) allows(s subject, n fleet.Node) bool {
	return !w.settings.Enabled || inside(s.residency, w.settings.Regions, n.Labels["odysseus.io/country"], n.Labels["odysseus.io/geo-region"])
}

// refusal is why a cluster is no candidate: "the policy's clusters that the tenant may use, that answer, and, for a workload
// with residency under enforcement, that hold at least one node which passes the geo filter". Empty for a candidate.
func (w *policyWorld) refusal(s subject, p *fleet.Policy, moved []string, name string) string {
	c := w.store.clusters[name]
	live, passes := false, false
	for _, n := range w.store.nodes {
		if n.Cluster == name && w.alive(n.Name) {
			live = true
			passes = passes || w.allows(s, n)
		}
	}
	switch {
	case !w.granted(s.tenant, name):
		return "ungranted"
	case !targets(affinityOf(p), c):
		return "unselected"
	case !live:
		return "cluster_unreachable"
	case !passes:
		return "geo_mismatch"
	case s.impossible:
		return "runtime_unsupported"
	case slices.Contains(moved, name):
		return "moved_off"
	}
	return ""
}

// gated says whether the ConfigMap that the subject needs is missing on the cluster, by what the bindings say that are
// given: where they are in doubt, either of the two may be asked.
func (w *policyWorld) gated(s subject, p *fleet.Policy, cluster string, bindings map[string]fleet.Binding) bool {
	if s.config == "" {
		return false
	}
	for _, r := range w.store.resources {
		if r.Kind != "ConfigMap" || r.Namespace != s.namespace || r.Name != s.config || r.Preserved {
			continue
		}
		if s.key != "" && !slices.Contains(w.made[r.UID].data, s.key) {
			return true
		}
		// "ConfigMaps and Secrets that a selected workload names travel with it", and so they do without any policy.
		return p != nil && !p.Spec.PropagateDeps && !slices.Contains(bindings[r.UID].Clusters, cluster)
	}
	return true
}

// room is how many more replicas the nodes of the cluster can take that pass every filter.
func (w *policyWorld) room(s subject, cluster string, used func(string) fleet.Amount) int64 {
	var total int64
	for _, n := range w.store.nodes {
		if n.Cluster != cluster || !w.alive(n.Name) || n.Cordoned || !n.DrainDeadline.IsZero() || !w.allows(s, n) {
			continue
		}
		for free := n.Capacity.Minus(used(n.Name)); s.need.Fits(free); free = free.Minus(s.need) {
			total++
		}
	}
	return total
}
