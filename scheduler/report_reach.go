package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"odysseus/fleet"
)

// Reach is what a policy, stored or not, selects among what is stored of the tenant, of all with an empty one, sorted by
// namespace, kind and name: and who decides on each.
func (s *Scheduler) Reach(l *fleet.Policy, tenant string) []fleet.Reached {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.picture
	reached := []fleet.Reached{}
	consider := func(all map[*deployment]struct{}) {
		for d := range all {
			rank := l.Selects(&d.object)
			if rank == fleet.RankNone || d.deleted || d.preserved || tenant != "" && d.ref.Tenant != tenant {
				continue
			}
			reached = append(reached, p.reached(d, rank))
		}
	}
	if l.Scope() == fleet.ScopeNamespace {
		consider(p.resources.byNamespace[l.Metadata.Namespace])
	} else {
		for _, all := range p.resources.byNamespace {
			consider(all)
		}
	}
	slices.SortFunc(reached, func(a, b fleet.Reached) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.APIVersion, b.APIVersion))
	})
	return reached
}

func (p *picture) reached(d *deployment, rank fleet.Rank) fleet.Reached {
	r := fleet.Reached{ResourceKey: d.object.Key(), UID: d.uid, Rank: rank, Placement: p.placementOf(d, false)}
	claim := fleet.ClaimOf(&d.object, p.policies.reaching(d.ref.Namespace), d.binding.Policy)
	if claim.Policy != nil {
		ref := claim.Policy.Ref()
		r.Holder = &ref
	}
	for _, o := range claim.Outranking {
		r.Outranking = append(r.Outranking, o.Ref())
	}
	if d.runs.counted {
		count := d.replicas
		r.Replicas = &count
	}
	return r
}
