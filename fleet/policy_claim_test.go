package fleet_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// contender is a policy "KIND NAME [priority=N] [by=name|labels|kind] [preempts] [ns=NS] [apart]"; PP and CPP are
// the kinds.
func contender(text string) *fleet.Policy {
	words := strings.Fields(text)
	p := &fleet.Policy{APIVersion: fleet.PolicyAPIVersion, Kind: fleet.KindPropagationPolicy, Metadata: fleet.Metadata{Name: words[1], Namespace: "demo"}}
	if words[0] == "CPP" {
		p.Kind, p.Metadata.Namespace = fleet.KindClusterPropagationPolicy, ""
	}
	s := fleet.ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	for _, word := range words[2:] {
		key, v, _ := strings.Cut(word, "=")
		switch key {
		case "priority":
			n := map[string]int64{"-1": -1, "0": 0, "1": 1, "2": 2, "9": 9}[v]
			p.Spec.Priority = &n
		case "by":
			if v != "name" {
				s.Name = ""
			}
			if v == "labels" {
				s.LabelSelector = &fleet.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
			}
		case "preempts":
			p.Spec.Preemption = fleet.PreemptionAlways
		case "apart":
			s.Kind = "StatefulSet"
		case "ns":
			p.Metadata.Namespace = v
		}
	}
	p.Spec.ResourceSelectors = []fleet.ResourceSelector{s}
	return p
}

func TestWhoWins(t *testing.T) {
	web := fleet.Resource{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "demo", Name: "web", Labels: map[string]string{"app": "web"}}
	tests := []struct {
		name       string
		policies   []string
		holder     string
		winner     string
		taken      bool
		outranking []string
	}{
		{"nobody", nil, "", "", false, nil},
		{"nobody who selects it", []string{"PP a apart", "PP b ns=other"}, "", "", false, nil},
		{"a namespaced one first", []string{"CPP a priority=9", "PP b by=kind priority=-1"}, "", "PropagationPolicy/demo/b", false, nil},
		{"then the higher priority", []string{"PP a", "PP b by=kind priority=1"}, "", "PropagationPolicy/demo/b", false, nil},
		{"then the name before labels before the kind", []string{"PP a by=kind", "PP b by=labels", "PP c"}, "", "PropagationPolicy/demo/c", false, nil},
		{"labels before the kind", []string{"PP a by=kind", "PP b by=labels"}, "", "PropagationPolicy/demo/b", false, nil},
		{"then the first name byte by byte", []string{"PP app-9", "PP app-10"}, "", "PropagationPolicy/demo/app-10", false, nil},
		{"who holds it keeps it", []string{"PP weak by=kind", "PP strong priority=9"}, "PropagationPolicy/demo/weak", "PropagationPolicy/demo/weak", false, []string{"PropagationPolicy/demo/strong"}},
		{"a cluster's policy keeps it too", []string{"CPP c", "PP p"}, "ClusterPropagationPolicy/c", "ClusterPropagationPolicy/c", false, []string{"PropagationPolicy/demo/p"}},
		{"a holder that is gone holds nothing", []string{"PP weak", "PP strong priority=9"}, "PropagationPolicy/demo/gone", "PropagationPolicy/demo/strong", false, nil},
		{"nor one that no longer selects it", []string{"PP a apart", "PP b"}, "PropagationPolicy/demo/a", "PropagationPolicy/demo/b", false, nil},
		{"taken by a strictly higher priority", []string{"PP a priority=1", "PP b priority=2 preempts"}, "PropagationPolicy/demo/a", "PropagationPolicy/demo/b", true, nil},
		{"not by an equal one", []string{"PP b priority=1", "PP a priority=1 preempts"}, "PropagationPolicy/demo/b", "PropagationPolicy/demo/b", false, []string{"PropagationPolicy/demo/a"}},
		{"not by a lower one", []string{"PP b priority=1", "PP a preempts"}, "PropagationPolicy/demo/b", "PropagationPolicy/demo/b", false, nil},
		{"taken from a cluster's policy whatever the priority", []string{"CPP c priority=9", "PP p priority=-1 preempts"}, "ClusterPropagationPolicy/c", "PropagationPolicy/demo/p", true, nil},
		{"never by a cluster's policy", []string{"PP p priority=-1", "CPP c priority=9 preempts"}, "PropagationPolicy/demo/p", "PropagationPolicy/demo/p", false, nil},
		{"among cluster's policies", []string{"CPP a", "CPP b priority=1 preempts"}, "ClusterPropagationPolicy/a", "ClusterPropagationPolicy/b", true, nil},
		{"the best of several that may take it", []string{"CPP c", "CPP d priority=9 preempts", "PP p preempts", "PP q priority=1 preempts", "PP r priority=2"}, "ClusterPropagationPolicy/c", "PropagationPolicy/demo/q", true, []string{"PropagationPolicy/demo/r"}},
		{"a thief that no longer preempts keeps it", []string{"PP a priority=1", "PP b priority=1"}, "PropagationPolicy/demo/b", "PropagationPolicy/demo/b", false, []string{"PropagationPolicy/demo/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var policies []*fleet.Policy
			for _, text := range tt.policies {
				policies = append(policies, contender(text))
			}
			var holder *fleet.PolicyRef
			if tt.holder != "" {
				ref := refOf(tt.holder)
				holder = &ref
			}
			// The order of the policies does not matter.
			for range 10 {
				rand.Shuffle(len(policies), func(i, j int) { policies[i], policies[j] = policies[j], policies[i] })
				claim := fleet.ClaimOf(&web, policies, holder)
				var outranking []string
				for _, p := range claim.Outranking {
					outranking = append(outranking, nameOf(p))
				}
				if got := nameOf(claim.Policy); got != tt.winner || claim.Taken != tt.taken || !slices.Equal(outranking, tt.outranking) {
					t.Fatalf("%q, taken %v, outranked by %v", got, claim.Taken, outranking)
				}
				if claim.Policy != nil && claim.Rank != claim.Policy.Selects(&web) {
					t.Fatalf("rank %d", claim.Rank)
				}
			}
		})
	}
}
