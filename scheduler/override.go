package scheduler

import (
	"slices"
	"strings"
	"time"

	"odysseus/fleet"
)

// overridesHeld is how long the deletion of an override has no effect: "propagation and override policy deleted together:
// the un-overridden form is never sent", also where the two requests come one after the other.
const overridesHeld = 2 * time.Second

// overrides are the stored override policies, as they are looked for.
type overrides struct {
	all         map[fleet.PolicyRef]*storedOverride
	byNamespace map[string][]*fleet.Override
	clusterWide []*fleet.Override
	gone        map[fleet.PolicyRef]uint64 // versions of deleted ones
	// leaving are deleted ones that still have their effect, until the time on the steady clock.
	leaving map[*fleet.Override]time.Time
	// epoch rises with every change that can render something anew.
	epoch uint64
}

type storedOverride struct {
	fleet.Override
	version uint64
}

func newOverrides() overrides {
	return overrides{all: map[fleet.PolicyRef]*storedOverride{}, byNamespace: map[string][]*fleet.Override{},
		gone: map[fleet.PolicyRef]uint64{}, leaving: map[*fleet.Override]time.Time{}, epoch: 1}
}

// reaching are the override policies that can select resources of a namespace.
func (l *overrides) reaching(namespace string) []*fleet.Override {
	own := l.byNamespace[namespace]
	switch {
	case namespace == "" || len(own) == 0:
		return l.clusterWide
	case len(l.clusterWide) == 0:
		return own
	}
	return slices.Concat(own, l.clusterWide)
}

func (l *overrides) exists(ref fleet.PolicyRef) bool {
	_, there := l.all[ref]
	return there
}

func (l *overrides) list(ref fleet.PolicyRef) []*fleet.Override {
	if ref.Namespace == "" {
		return l.clusterWide
	}
	return l.byNamespace[ref.Namespace]
}

func (l *overrides) put(ref fleet.PolicyRef, list []*fleet.Override) {
	slices.SortFunc(list, func(a, b *fleet.Override) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	switch {
	case ref.Namespace == "":
		l.clusterWide = list
	case len(list) == 0:
		delete(l.byNamespace, ref.Namespace)
	default:
		l.byNamespace[ref.Namespace] = list
	}
}

// without leaves out what stands under the name, one that is leaving included.
func (l *overrides) without(ref fleet.PolicyRef) []*fleet.Override {
	return slices.DeleteFunc(slices.Clone(l.list(ref)), func(o *fleet.Override) bool {
		if o.Ref() != ref {
			return false
		}
		delete(l.leaving, o)
		return true
	})
}

// setOverride takes an override policy's row over, and has everything looked at that it selects or selected, or that
// waits for it.
func (p *picture) setOverride(row fleet.Override) {
	ref, version := row.Ref(), versionOf(row.Metadata.ResourceVersion)
	if gone, ok := p.overrides.gone[ref]; ok && version <= gone {
		return // a late word of one that was deleted since
	}
	delete(p.overrides.gone, ref)
	before := p.overrides.list(ref)
	if old, known := p.overrides.all[ref]; known && version < old.version {
		return
	}
	next := &storedOverride{row, version}
	p.overrides.all[ref] = next
	p.overrides.put(ref, append(p.overrides.without(ref), &next.Override))
	p.overrides.epoch++
	touched := p.overriddenBy(&next.Override)
	for _, o := range before {
		if o.Ref() == ref {
			for d := range p.overriddenBy(o) {
				touched[d] = struct{}{}
			}
		}
	}
	p.enqueueAll(touched)
	p.dependsOn(ref)
}

// deleteOverride takes the policy out of use, in a moment: see overridesHeld.
func (p *picture) deleteOverride(row fleet.Override, now time.Time) {
	ref := row.Ref()
	if len(p.overrides.gone) >= maxTombstones {
		clear(p.overrides.gone)
	}
	p.overrides.gone[ref] = max(p.overrides.gone[ref], versionOf(row.Metadata.ResourceVersion))
	old, known := p.overrides.all[ref]
	if !known || old.version > p.overrides.gone[ref] {
		return
	}
	delete(p.overrides.all, ref)
	p.overrides.leaving[&old.Override] = now.Add(overridesHeld)
	p.lease.earlier = true
	p.dependsOn(ref)
}

// retire takes the overrides out whose time is over.
func (p *picture) retire(now time.Time) {
	if len(p.overrides.leaving) == 0 {
		return
	}
	touched := map[*deployment]struct{}{}
	for o, at := range p.overrides.leaving {
		if at.After(now) {
			continue
		}
		delete(p.overrides.leaving, o)
		ref := o.Ref()
		p.overrides.put(ref, slices.DeleteFunc(slices.Clone(p.overrides.list(ref)), func(other *fleet.Override) bool { return other == o }))
		p.overrides.epoch++
		for d := range p.overriddenBy(o) {
			touched[d] = struct{}{}
		}
	}
	p.enqueueAll(touched)
}

// overriddenBy are the deployments that the policy may select: by what it selects, or by labels that another override
// may give.
func (p *picture) overriddenBy(o *fleet.Override) map[*deployment]struct{} {
	touched := map[*deployment]struct{}{}
	consider := func(all map[*deployment]struct{}) {
		for d := range all {
			if d.policy == nil && d.data == nil && d.binding.Renderings == nil {
				continue // it applies to what a propagation policy distributes
			}
			for i := range o.Spec.ResourceSelectors {
				if s := &o.Spec.ResourceSelectors[i]; s.APIVersion == d.object.APIVersion && s.Kind == d.object.Kind {
					touched[d] = struct{}{}
				}
			}
		}
	}
	if ref := o.Ref(); ref.Namespace != "" {
		consider(p.resources.byNamespace[ref.Namespace])
		return touched
	}
	for _, all := range p.resources.byNamespace {
		consider(all)
	}
	return touched
}

// dependsOn has everything looked at that is held by a policy which names the override as one that has to be there.
func (p *picture) dependsOn(ref fleet.PolicyRef) {
	touched := map[*deployment]struct{}{}
	for _, l := range p.policies.all {
		if slices.Contains(l.Spec.DependentOverrides, ref.Name) && overrideFor(&l.Policy, ref.Name) == ref {
			for d := range l.held {
				touched[d] = struct{}{}
			}
		}
	}
	p.enqueueAll(touched)
}

// overrideFor names an override that a propagation policy depends on: "names of OverridePolicies (of
// ClusterOverridePolicies for a ClusterPropagationPolicy)".
func overrideFor(l *fleet.Policy, name string) fleet.PolicyRef {
	if l.Scope() == fleet.ScopeCluster {
		return fleet.PolicyRef{Kind: fleet.KindClusterOverridePolicy, Name: name}
	}
	return fleet.PolicyRef{Kind: fleet.KindOverridePolicy, Namespace: l.Metadata.Namespace, Name: name}
}
