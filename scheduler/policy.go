package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"odysseus/fleet"
)

// policy is a stored propagation policy, and what it holds.
type policy struct {
	fleet.Policy
	ref     fleet.PolicyRef
	version uint64
	held    map[*deployment]struct{}
}

// policies are the stored ones, as they are looked for.
type policies struct {
	all         map[fleet.PolicyRef]*policy
	byNamespace map[string][]*fleet.Policy
	clusterWide []*fleet.Policy
	// gone remembers of a deleted policy whether what it distributed stays: a decision that was being stored when it was
	// deleted may name it still.
	gone map[fleet.PolicyRef]goneSince
}

type goneSince struct {
	version uint64
	keeps   bool
}

func newPolicies() policies {
	return policies{all: map[fleet.PolicyRef]*policy{}, byNamespace: map[string][]*fleet.Policy{}, gone: map[fleet.PolicyRef]goneSince{}}
}

// reaching are the policies that can select resources of a namespace; of a cluster-scoped one with an empty namespace.
func (l *policies) reaching(namespace string) []*fleet.Policy {
	own := l.byNamespace[namespace]
	switch {
	case namespace == "" || len(own) == 0:
		return l.clusterWide
	case len(l.clusterWide) == 0:
		return own
	}
	return slices.Concat(own, l.clusterWide)
}

// add and remove keep the lists in one order, so that nothing depends on the order of words.
func (l *policies) add(p *policy) {
	l.all[p.ref] = p
	list := l.list(p.ref)
	*list = append(slices.Clone(*list), &p.Policy)
	slices.SortFunc(*list, func(a, b *fleet.Policy) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	l.put(p.ref, *list)
}

func (l *policies) remove(p *policy) {
	delete(l.all, p.ref)
	list := l.list(p.ref)
	*list = slices.DeleteFunc(slices.Clone(*list), func(o *fleet.Policy) bool { return o == &p.Policy })
	l.put(p.ref, *list)
}

func (l *policies) list(ref fleet.PolicyRef) *[]*fleet.Policy {
	if ref.Namespace == "" {
		return &l.clusterWide
	}
	own := l.byNamespace[ref.Namespace]
	return &own
}

func (l *policies) put(ref fleet.PolicyRef, list []*fleet.Policy) {
	switch {
	case ref.Namespace == "":
	case len(list) == 0:
		delete(l.byNamespace, ref.Namespace)
	default:
		l.byNamespace[ref.Namespace] = list
	}
}

// setPolicy takes a policy's row over, and has everything looked at that it holds or selects.
func (p *picture) setPolicy(row fleet.Policy) {
	ref, version := row.Ref(), versionOf(row.Metadata.ResourceVersion)
	if g, ok := p.policies.gone[ref]; ok && version <= g.version {
		return // a late word of one that was deleted since
	}
	if old, known := p.policies.all[ref]; known && old.Metadata.UID != row.Metadata.UID && version > old.version {
		p.deletePolicy(old.Policy) // one of the same name: that it was deleted before is heard later
	}
	delete(p.policies.gone, ref)
	next := &policy{Policy: row, ref: ref, version: version, held: map[*deployment]struct{}{}}
	if old, known := p.policies.all[ref]; known {
		if version < old.version {
			return
		}
		next.held = old.held
		p.policies.remove(old)
		for d := range old.held {
			d.policy = next
		}
	}
	p.policies.add(next)
	touched := p.touchedBy(next)
	for d := range next.held {
		for _, dep := range d.dependencies { // which travel, or cease to
			if on, known := p.resources.byKey[dependencyKey(d, dep)]; known {
				touched[on] = struct{}{}
			}
		}
	}
	p.enqueueAll(touched)
}

// touchedBy are the deployments that the policy holds or selects.
func (p *picture) touchedBy(l *policy) map[*deployment]struct{} {
	touched := map[*deployment]struct{}{}
	for d := range l.held {
		touched[d] = struct{}{}
	}
	consider := func(d *deployment) {
		if l.Selects(&d.object) != fleet.RankNone {
			touched[d] = struct{}{}
		}
	}
	if l.ref.Namespace != "" {
		for d := range p.resources.byNamespace[l.ref.Namespace] {
			consider(d)
		}
		return touched
	}
	for _, all := range p.resources.byNamespace {
		for d := range all {
			consider(d)
		}
	}
	return touched
}

// deletePolicy frees what the policy holds. "Deleting a propagation policy keeps or removes what it distributed."
func (p *picture) deletePolicy(row fleet.Policy) {
	ref := row.Ref()
	gone := goneSince{versionOf(row.Metadata.ResourceVersion), row.KeepsOnPolicyDeletion()}
	l, known := p.policies.all[ref]
	if known && l.version > gone.version {
		return // created anew since
	}
	if len(p.policies.gone) >= maxTombstones {
		clear(p.policies.gone)
	}
	p.policies.gone[ref] = gone
	p.news() // the store takes no claim of a policy that is gone
	if !known {
		return
	}
	p.policies.remove(l)
	held := map[*deployment]struct{}{}
	for d := range l.held {
		held[d] = struct{}{}
		p.hold(d, nil)
		if bound := d.binding.Policy; bound != nil && *bound == ref {
			d.binding.Policy, d.binding.Kept = nil, gone.keeps // as the store freed it
		}
	}
	p.enqueueAll(held)
}

// hold notes who holds the deployment; the pool follows.
func (p *picture) hold(d *deployment, l *policy) {
	if d.policy == l {
		return
	}
	if d.policy != nil {
		delete(d.policy.held, d)
	}
	d.policy = l
	if l != nil {
		l.held[d] = struct{}{}
	}
	p.follow(d)
	if d.pool != nil {
		p.rejoin(d, d.pool.rule)
	}
}

// candidacyChanged has everything looked at that a policy spreads over clusters: some cluster may have come to be a
// candidate, or ceased to be one.
func (p *picture) candidacyChanged() {
	p.overrides.epoch++ // rules target clusters by their labels
	all := map[*deployment]struct{}{}
	for _, l := range p.policies.all {
		for d := range l.held {
			all[d] = struct{}{}
		}
	}
	p.enqueueAll(all)
}

// enqueueAll has all of them looked at, in one order whatever the map's is.
func (p *picture) enqueueAll(all map[*deployment]struct{}) {
	if len(all) == 0 {
		return
	}
	list := make([]*deployment, 0, len(all))
	for d := range all {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *deployment) int {
		return cmp.Or(strings.Compare(a.ref.Namespace, b.ref.Namespace), strings.Compare(a.ref.Name, b.ref.Name), strings.Compare(a.uid, b.uid))
	})
	for _, d := range list {
		p.enqueue(d)
	}
}
