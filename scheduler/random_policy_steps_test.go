package scheduler

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"odysseus/fleet"
)

func (w *policyWorld) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// tell has the scheduler hear of a change that is stored: at once, or, where it happens while a commit is under way, now
// and then only when that is over.
func (w *policyWorld) tell(told func()) {
	if w.inside && w.rng.IntN(2) == 0 {
		w.late = append(w.late, told)
		return
	}
	told()
}

// act makes one random change: of the fleet, or of what policies decide by.
func (w *policyWorld) act() {
	switch n := w.rng.IntN(40); {
	case n < 14:
		w.changeFleet()
	case n < 18:
		w.writePolicy()
	case n < 20:
		w.dropPolicy()
	case n < 24:
		w.writeResource()
	case n < 27:
		w.changeResource()
	case n < 28:
		w.dropResource()
	case n < 30:
		w.relabelCluster()
	case n < 32:
		w.fallIll()
	case n < 36:
		w.carryOut()
	case n < 37:
		w.relabelDeployment()
	default:
		if !w.inside {
			d := time.Duration(pick(w.randomWorld, 1, 4, 5, 6, 29, 31, 61, 299, 301)) * time.Second
			w.say("advance %s", d)
			w.advance(d)
		}
	}
}

// changeFleet is a step of TestRandomFleet; deleting a deployment may leave what its policy preserves.
func (w *policyWorld) changeFleet() {
	before := maps.Clone(w.store.deployments)
	w.change()
	for uid := range before {
		if _, there := w.store.deployments[uid]; !there {
			w.unbind(uid)
		}
	}
	for id, c := range w.phantoms {
		if _, there := w.store.nodes[c.Node]; !there {
			delete(w.phantoms, id)
		}
	}
}

func (w *policyWorld) unbind(uid string) {
	delete(w.store.bindings, uid)
	delete(w.believed, uid)
	delete(w.kept, uid)
}

func (w *policyWorld) name(of ...string) string { return pick(w.randomWorld, of...) }

func (w *policyWorld) anyResource() (fleet.StoredResource, bool) {
	var all []fleet.StoredResource
	for _, r := range sortedValues(w.store.resources) {
		if !r.Preserved {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return fleet.StoredResource{}, false
	}
	return all[w.rng.IntN(len(all))], true
}

func (w *policyWorld) anyLabels() map[string]string {
	return pick(w.randomWorld, nil, map[string]string{"tier": "gold"}, map[string]string{"tier": "silver"}, map[string]string{"tier": "gold", "team": "x"})
}

func (w *policyWorld) anySelector() *fleet.LabelSelector {
	return pick(w.randomWorld,
		&fleet.LabelSelector{}, &fleet.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}, &fleet.LabelSelector{MatchLabels: map[string]string{"tier": "silver"}},
		&fleet.LabelSelector{MatchExpressions: []fleet.LabelRequirement{{Key: "tier", Operator: "NotIn", Values: []string{"silver"}}}},
		&fleet.LabelSelector{MatchExpressions: []fleet.LabelRequirement{{Key: "team", Operator: "DoesNotExist"}, {Key: "tier", Operator: "Exists"}}},
	)
}

func (w *policyWorld) anyAffinity() *fleet.ClusterAffinity {
	a := &fleet.ClusterAffinity{}
	switch w.rng.IntN(7) {
	case 0:
		return nil
	case 1:
		a.LabelSelector = w.anySelector()
	case 2:
		a.ExcludeClusters = []string{w.name(w.clusters...)}
	case 3:
		a.ClusterNames, a.ExcludeClusters = w.clusters[:3], []string{w.name(w.clusters...)}
	default:
		from := w.rng.IntN(3)
		a.ClusterNames = slices.Clone(w.clusters[from : from+2])
	}
	return a
}

func (w *policyWorld) anyScheduling(gang bool) *fleet.ReplicaScheduling {
	weight := func(n int64) *int64 { return &n }
	s := &fleet.ReplicaScheduling{}
	switch w.rng.IntN(6) {
	case 0:
		s = pick(w.randomWorld, nil, &fleet.ReplicaScheduling{ReplicaSchedulingType: "Duplicated"})
	case 1: // all weigh the same
	case 2:
		s.WeightPreference = &fleet.WeightPreference{}
		for range 1 + w.rng.IntN(3) {
			target := w.anyAffinity()
			if target == nil {
				target = &fleet.ClusterAffinity{}
			}
			s.WeightPreference.StaticWeightList = append(s.WeightPreference.StaticWeightList, fleet.StaticWeight{TargetCluster: target, Weight: weight(1 + w.rng.Int64N(4))})
		}
	case 3, 4:
		s.WeightPreference = &fleet.WeightPreference{DynamicWeight: "AvailableReplicas"}
	default:
		s.ReplicaDivisionPreference = "Aggregated"
	}
	if gang && s != nil && w.rng.IntN(2) == 0 {
		s.CustomSchedulingType = "Gang"
	}
	return s
}

func (w *policyWorld) anyFailover(karmada bool) *fleet.Failover {
	number := func(n ...int64) *int64 { v := pick(w.randomWorld, n...); return &v }
	if w.rng.IntN(3) == 0 {
		return nil
	}
	a := &fleet.ApplicationFailover{PurgeMode: w.name("Immediately", "Graciously", "Graciously", "Never")}
	if karmada && w.rng.IntN(2) == 0 {
		a.PurgeMode = w.name("Directly", "Gracefully")
	}
	if w.rng.IntN(5) > 0 {
		a.DecisionConditions = &fleet.DecisionConditions{TolerationSeconds: number(0, 1, 5, 30, 60)}
	}
	if strings.HasPrefix(a.PurgeMode, "Grac") && w.rng.IntN(3) > 0 {
		a.GracePeriodSeconds = number(1, 20, 60)
	}
	return &fleet.Failover{Application: a}
}

// writePolicy creates a policy or changes one.
func (w *policyWorld) writePolicy() {
	p := fleet.Policy{
		APIVersion: w.name(fleet.PolicyAPIVersion, fleet.PolicyAPIVersionShort, fleet.PolicyAPIVersionKarmada),
		Kind:       w.name("PropagationPolicy", "PropagationPolicy", "ClusterPropagationPolicy"),
	}
	p.Metadata.Name = fmt.Sprint("p", w.rng.IntN(4))
	if p.Kind == "PropagationPolicy" {
		p.Metadata.Namespace = w.name("acme", "acme", "zen")
		p.Tenant = p.Metadata.Namespace
	}
	kinds := [][2]string{{"odysseus/v1", "Deployment"}, {"apps/v1", "Deployment"}, {"v1", "ConfigMap"}, {"batch/v1", "Job"}}
	gang := w.rng.IntN(6) == 0
	if gang {
		kinds = kinds[2:]
	}
	named := true
	for i := range 1 + w.rng.IntN(3) {
		k := kinds[w.rng.IntN(len(kinds))]
		if gang && i == 0 {
			k = kinds[1]
		}
		sel := fleet.ResourceSelector{APIVersion: k[0], Kind: k[1]}
		switch w.rng.IntN(4) {
		case 0:
			sel.LabelSelector = w.anySelector()
		case 1, 2:
			if s, ok := w.anyOf(k[0], k[1]); ok {
				sel.Name = s.name
			}
		}
		if w.rng.IntN(6) == 0 {
			sel.Namespace = w.name("acme", "zen")
		}
		named = named && sel.Name != ""
		p.Spec.ResourceSelectors = append(p.Spec.ResourceSelectors, sel)
	}
	if w.rng.IntN(3) > 0 {
		n := w.rng.Int64N(5) - 1
		p.Spec.Priority = &n
	}
	if named && w.rng.IntN(2) == 0 {
		p.Spec.Preemption = "Always"
	}
	if !p.Karmada() || w.rng.IntN(5) > 0 {
		p.Spec.Placement = &fleet.PolicyPlacement{ClusterAffinity: w.anyAffinity(), ReplicaScheduling: w.anyScheduling(gang)}
	}
	p.Spec.Failover, p.Spec.PropagateDeps = w.anyFailover(p.Karmada()), w.rng.IntN(2) == 0
	if w.rng.IntN(2) == 0 {
		keep := w.rng.IntN(2) == 0
		p.Spec.PreserveResourcesOnDeletion = &keep
	}
	if w.rng.IntN(20) == 0 {
		p.Spec.DependentOverrides = []string{"later"}
	}
	if faults, _ := fleet.ValidatePolicy(&p, nil); len(faults) > 0 {
		w.t.Fatal(faults)
	}
	p.Metadata.ResourceVersion = w.store.version()
	p.Metadata.UID = "policy" + p.Metadata.ResourceVersion
	if old, ok := w.store.policies[p.Ref()]; ok {
		p.Metadata.UID = old.Metadata.UID
	}
	w.store.policies[p.Ref()] = p
	text, err := json.Marshal(p.Spec)
	if err != nil {
		w.t.Fatal(err)
	}
	w.say("policy %s %s/%s %s %s", p.Kind, p.Metadata.Namespace, p.Metadata.Name, p.APIVersion, text)
	w.tell(func() { w.scheduler.PolicyChanged(p) })
}

// anyOf is some resource of the kind.
func (w *policyWorld) anyOf(api, kind string) (subject, bool) {
	all := slices.DeleteFunc(w.subjects(), func(s subject) bool { return s.api != api || s.kind != kind })
	if len(all) == 0 {
		return subject{}, false
	}
	return all[w.rng.IntN(len(all))], true
}

// dropPolicy deletes a policy as db does: what it holds is freed in the same moment.
func (w *policyWorld) dropPolicy() {
	var refs []fleet.PolicyRef
	for ref := range w.store.policies {
		refs = append(refs, ref)
	}
	if len(refs) < 3 {
		return
	}
	slices.SortFunc(refs, func(a, b fleet.PolicyRef) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	ref := refs[w.rng.IntN(len(refs))]
	p := w.store.policies[ref]
	// "Under ACK One's: kept on the members, or removed, when the policy is deleted; under Karmada's deleting the policy
	// always keeps"; true under ACK One's where it was left out.
	keeps := p.APIVersion == fleet.PolicyAPIVersionKarmada || p.Spec.PreserveResourcesOnDeletion == nil || *p.Spec.PreserveResourcesOnDeletion
	w.say("delete policy %v, which keeps %v", ref, keeps)
	delete(w.store.policies, ref)
	for uid, b := range w.store.bindings {
		if sameRef(b.Policy, &ref) {
			b.Policy, b.Kept = nil, keeps
			w.store.bindings[uid], w.kept[uid] = b, keeps
		}
	}
	for uid, b := range w.believed {
		if sameRef(b.Policy, &ref) {
			b.Policy, b.Kept = nil, keeps
			w.believed[uid] = b
		}
	}
	w.tell(func() { w.scheduler.PolicyDeleted(p) })
}

// relabelCluster changes a cluster's labels.
func (w *policyWorld) relabelCluster() {
	name, labels := w.name(w.clusters...), w.anyLabels()
	w.say("cluster %s %v", name, labels)
	w.label(name, labels)
}

// fallIll has every replica of a workload on one cluster say that it is unhealthy, or well again.
func (w *policyWorld) fallIll() {
	all := slices.DeleteFunc(w.subjects(), func(s subject) bool { return !s.runs })
	if len(all) == 0 {
		return
	}
	s, at := all[w.rng.IntN(len(all))], w.name(w.clusters...)
	state := pick(w.randomWorld, fleet.StateUnhealthy, fleet.StateUnhealthy, fleet.StateFailed, fleet.StateExited, fleet.StateRunning)
	w.say("%s on %s is %s", s.uid, at, state)
	for _, c := range w.active(s.uid) {
		if w.clusterOf(c) == at && w.served[c.Node] {
			w.report(c.ID, state)
		}
	}
}

// carryOut has the agents of a cluster do what they are told, and no more: what is ill stays so.
func (w *policyWorld) carryOut() {
	at := w.name(w.clusters...)
	w.say("carry out in %s", at)
	for _, c := range sortedValues(w.store.containers) {
		switch {
		case w.clusterOf(c) != at || !w.served[c.Node]:
		case c.Stop:
			w.report(c.ID, fleet.StateStopped)
		case c.State == fleet.StateAssigned || c.State == fleet.StateStarting:
			w.report(c.ID, fleet.StateRunning)
		}
	}
}

// relabelDeployment changes what policies select a deployment by.
func (w *policyWorld) relabelDeployment() {
	if len(w.deployed) == 0 {
		return
	}
	uid := w.deployed[w.rng.IntN(len(w.deployed))]
	d := w.store.deployments[uid]
	d.Metadata.Labels, d.Metadata.ResourceVersion = w.anyLabels(), w.store.version()
	d.Metadata.Generation++
	if w.rng.IntN(4) == 0 {
		d.DividedAfresh = d.Metadata.Generation
	}
	w.say("deployment %s %v, afresh %v", uid, d.Metadata.Labels, d.DividedAfresh == d.Metadata.Generation)
	w.store.deployments[uid] = d
	w.tell(func() { w.scheduler.DeploymentChanged(d) })
}
