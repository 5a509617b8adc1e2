package fleet_test

import (
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestEachPartOfAnAffinityNarrows(t *testing.T) {
	clusters := []fleet.Cluster{{Name: "a", Labels: map[string]string{"zone": "x"}}, {Name: "b", Labels: map[string]string{"zone": "x"}}, {Name: "c"}}
	inX := &fleet.LabelSelector{MatchLabels: map[string]string{"zone": "x"}}
	tests := []struct {
		name     string
		affinity *fleet.ClusterAffinity
		want     []string
	}{
		{"left out", nil, []string{"a", "b", "c"}},
		{"empty", &fleet.ClusterAffinity{}, []string{"a", "b", "c"}},
		{"names", &fleet.ClusterAffinity{ClusterNames: []string{"c", "a"}}, []string{"a", "c"}},
		{"labels", &fleet.ClusterAffinity{LabelSelector: inX}, []string{"a", "b"}},
		{"names and labels", &fleet.ClusterAffinity{ClusterNames: []string{"b", "c"}, LabelSelector: inX}, []string{"b"}},
		{"all three", &fleet.ClusterAffinity{ClusterNames: []string{"a", "b"}, LabelSelector: inX, ExcludeClusters: []string{"a"}}, []string{"b"}},
		{"exclusion alone", &fleet.ClusterAffinity{Exclude: []string{"b"}}, []string{"a", "c"}},
		{"exclusion beats inclusion", &fleet.ClusterAffinity{ClusterNames: []string{"a"}, ExcludeClusters: []string{"a"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range tt.affinity.Select(clusters) {
				got = append(got, c.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("selects %v", got)
			}
		})
	}
}

func TestStaticWeightsOfClusters(t *testing.T) {
	clusters := []fleet.Cluster{{Name: "a", Labels: map[string]string{"zone": "x"}}, {Name: "b", Labels: map[string]string{"zone": "x"}}, {Name: "c"}}
	tests := []struct {
		name, rules string
		want        []int64
	}{
		{"no rules", "[]", []int64{1, 1, 1}},
		{"a rule each", "[{targetCluster: {clusterNames: [a]}, weight: 3}, {targetCluster: {clusterNames: [b]}, weight: 2}, {targetCluster: {clusterNames: [c]}, weight: 5}]", []int64{3, 2, 5}},
		{"the largest of several", "[{targetCluster: {}, weight: 2}, {targetCluster: {labelSelector: {matchLabels: {zone: x}}}, weight: 7}, {targetCluster: {clusterNames: [a]}, weight: 1}]", []int64{7, 7, 2}},
		{"on none: nothing", "[{targetCluster: {clusterNames: [a]}, weight: 9223372036854775807}]", []int64{9223372036854775807, 0, 0}},
		{"no rule on any: all the same", "[{targetCluster: {clusterNames: [z]}, weight: 4}]", []int64{1, 1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := accepted(t, underWeights+"        staticWeightList: "+tt.rules+"\n")
			if got := p.Scheduling().StaticWeights(clusters); !slices.Equal(got, tt.want) {
				t.Errorf("weights %v", got)
			}
		})
	}
	if got := (*fleet.ReplicaScheduling)(nil).StaticWeights(clusters); !slices.Equal(got, []int64{1, 1, 1}) {
		t.Errorf("without the block: %v", got)
	}
}
