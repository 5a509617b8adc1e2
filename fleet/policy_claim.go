package fleet

import (
	"cmp"
	"slices"
	"strings"
)

// Claim is who decides on a resource, and who would.
type Claim struct {
	// Policy decides; nil where none selects the resource.
	Policy *Policy
	Rank   Rank
	// Taken is set where Policy took the resource from its holder by preemption.
	Taken bool
	// Outranking are the policies that would come before Policy if nobody held the resource, best first.
	Outranking []*Policy
}

// ClaimOf decides between the policies that select a resource. holder is the policy that holds it now, nil for
// none; a holder that is not among the policies or no longer selects the resource holds nothing. Policies that are
// being deleted do not belong in the list. The order of the list does not matter.
//
// A claim is sticky: the holder keeps the resource unless a policy with preemption Always may take it.
func ClaimOf(r *Resource, policies []*Policy, holder *PolicyRef) Claim {
	type contender struct {
		policy *Policy
		rank   Rank
	}
	var contenders []contender
	for _, p := range policies {
		if rank := p.Selects(r); rank != RankNone {
			contenders = append(contenders, contender{p, rank})
		}
	}
	slices.SortFunc(contenders, func(a, b contender) int {
		return cmp.Or(
			cmp.Compare(a.policy.reach(), b.policy.reach()),
			cmp.Compare(b.policy.Priority(), a.policy.Priority()),
			cmp.Compare(b.rank, a.rank),
			strings.Compare(a.policy.Metadata.Name, b.policy.Metadata.Name),
		)
	})
	if len(contenders) == 0 {
		return Claim{}
	}
	winner, taken := 0, false
	if holder != nil {
		held := slices.IndexFunc(contenders, func(c contender) bool { return c.policy.Ref() == *holder })
		if held >= 0 {
			winner = held
			thief := slices.IndexFunc(contenders, func(c contender) bool { return c.policy.takesFrom(contenders[held].policy) })
			if thief >= 0 {
				winner, taken = thief, true
			}
		}
	}
	claim := Claim{Policy: contenders[winner].policy, Rank: contenders[winner].rank, Taken: taken}
	for _, c := range contenders[:winner] {
		claim.Outranking = append(claim.Outranking, c.policy)
	}
	return claim
}

// reach orders the kinds: a PropagationPolicy comes before any ClusterPropagationPolicy.
func (p *Policy) reach() int {
	if p.Scope() == ScopeCluster {
		return 1
	}
	return 0
}

// takesFrom says whether p may take a resource that o holds: with preemption Always, from its own kind with a
// strictly higher priority, and as a PropagationPolicy from any ClusterPropagationPolicy. Never the other way.
func (p *Policy) takesFrom(o *Policy) bool {
	if !p.Preempts() || p.Ref() == o.Ref() {
		return false
	}
	if p.Scope() == o.Scope() {
		return p.Priority() > o.Priority()
	}
	return p.Scope() == ScopeNamespace
}
