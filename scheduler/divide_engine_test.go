package scheduler

import (
	"fmt"
	"reflect"
	"testing"
)

// The vectors hold the common cases; these are the ones in which the page departs from other products or says more.
func TestDivide(t *testing.T) {
	type want struct {
		replicas, kept []int // by candidate
		weights        []int64
		basis          basis
		divided, rest  int
		gang           bool
	}
	for _, tt := range []struct {
		name string
		question
		want
	}{
		{"weights 2 and 1 over three replicas, though there is no room", question{replicas: 3, strategy: staticWeight, candidates: []candidate{{"a", 2, 0, 0}, {"b", 1, 0, 0}}},
			want{[]int{2, 1}, []int{0, 0}, []int64{2, 1}, byWeight, 3, 0, false}},
		{"weights 2 and 1 over four", question{replicas: 4, strategy: staticWeight, candidates: []candidate{{"a", 2, unlimited, 0}, {"b", 1, unlimited, 0}}},
			want{[]int{3, 1}, []int{0, 0}, []int64{2, 1}, byWeight, 4, 0, false}},
		{"no rule on one cluster", question{replicas: 3, strategy: staticWeight, candidates: []candidate{{"a", 2, unlimited, 0}, {"b", 0, unlimited, 3}}},
			want{[]int{3, 0}, []int{0, 0}, []int64{2, 0}, byWeight, 3, 0, false}},
		{"no rule on any", question{replicas: 4, strategy: staticWeight, candidates: []candidate{{"a", 0, unlimited, 0}, {"b", 0, unlimited, 0}}},
			want{[]int{2, 2}, []int{0, 0}, []int64{1, 1}, byEqual, 4, 0, false}},
		{"all cannot take it: each takes what it can", question{replicas: 5, strategy: dynamicWeight, candidates: []candidate{{"a", 0, 1, 0}, {"b", 0, 0, 0}}},
			want{[]int{1, 0}, []int{0, 0}, []int64{1, 0}, byAvailable, 1, 4, false}},
		{"scaled up beyond the room", question{replicas: 9, strategy: dynamicWeight, candidates: []candidate{{"a", 0, 1, 3}, {"b", 0, 2, 1}}},
			want{[]int{4, 3}, []int{3, 1}, []int64{1, 2}, byAvailable, 3, 2, false}},
		{"aggregated beyond the room", question{replicas: 9, strategy: aggregated, candidates: []candidate{{"a", 0, 1, 3}, {"b", 0, 2, 1}}},
			want{[]int{4, 3}, []int{3, 1}, []int64{1, 2}, byAvailable, 3, 2, false}},
		{"afresh beyond the room", question{replicas: 9, strategy: dynamicWeight, fresh: true, candidates: []candidate{{"a", 0, 1, 3}, {"b", 0, 2, 1}}},
			want{[]int{4, 3}, []int{0, 0}, []int64{4, 3}, byAllRoom, 7, 2, false}},
		{"equal count, skewed and full", question{replicas: 6, strategy: dynamicWeight, candidates: []candidate{{"a", 0, 0, 6}, {"b", 0, 9, 0}}},
			want{[]int{6, 0}, []int{6, 0}, []int64{0, 0}, byNone, 0, 0, false}},
		{"down to nothing", question{replicas: 0, strategy: dynamicWeight, candidates: []candidate{{"a", 0, 0, 6}, {"b", 0, 9, 0}}},
			want{[]int{0, 0}, []int{0, 0}, []int64{6, 0}, byHeld, 0, 0, false}},
		{"aggregated 7 over 6, 4, 2", question{replicas: 7, strategy: aggregated, candidates: []candidate{{"a", 0, 6, 0}, {"b", 0, 4, 0}, {"c", 0, 2, 0}}},
			want{[]int{4, 3, 0}, []int{0, 0, 0}, []int64{6, 4, 0}, byAvailable, 7, 0, false}},
		{"aggregated, equal numbers go by name", question{replicas: 2, strategy: aggregated, candidates: []candidate{{"m10", 0, 2, 0}, {"m2", 0, 2, 0}}},
			want{[]int{2, 0}, []int{0, 0}, []int64{2, 0}, byAvailable, 2, 0, false}},
		{"aggregated afresh forgets who holds", question{replicas: 4, strategy: aggregated, fresh: true, candidates: []candidate{{"a", 0, 5, 0}, {"b", 0, 1, 4}}},
			want{[]int{4, 0}, []int{0, 0}, []int64{5, 0}, byAllRoom, 4, 0, false}},
		{"afresh, no limit counts as the count", question{replicas: 6, strategy: dynamicWeight, fresh: true, candidates: []candidate{{"a", 0, unlimited, 6}, {"b", 0, 6, 0}}},
			want{[]int{4, 2}, []int{0, 0}, []int64{12, 6}, byAllRoom, 6, 0, false}},
		{"duplicated without room", question{replicas: 3, strategy: duplicated, candidates: []candidate{{"a", 0, 0, 0}, {"b", 5, 9, 1}}},
			want{[]int{3, 3}, []int{0, 0}, []int64{0, 0}, byNone, 0, 0, false}},
		{"a negative count is none", question{replicas: -1, strategy: duplicated, candidates: []candidate{{"a", 0, 0, 0}}},
			want{[]int{0}, []int{0}, []int64{0}, byNone, 0, 0, false}},
		{"no candidate", question{replicas: 3, strategy: staticWeight}, want{[]int{}, []int{}, []int64{}, byNone, 0, 3, false}},

		{"a gang with room", question{replicas: 3, strategy: dynamicWeight, gang: true, candidates: []candidate{{"a", 0, 2, 0}, {"b", 0, 1, 0}}},
			want{[]int{2, 1}, []int{0, 0}, []int64{2, 1}, byAvailable, 3, 0, false}},
		{"a gang without room", question{replicas: 4, strategy: dynamicWeight, gang: true, candidates: []candidate{{"a", 0, 2, 0}, {"b", 0, 1, 0}}},
			want{[]int{0, 0}, []int{0, 0}, []int64{0, 0}, byNone, 0, 4, true}},
		{"a gang that cannot grow goes on", question{replicas: 4, strategy: aggregated, gang: true, candidates: []candidate{{"a", 0, 0, 2}, {"b", 0, 1, 0}}},
			want{[]int{2, 0}, []int{2, 0}, []int64{0, 0}, byNone, 0, 2, true}},
		{"a gang by weights without room", question{replicas: 3, strategy: staticWeight, gang: true, candidates: []candidate{{"a", 2, 2, 0}, {"b", 1, 0, 0}}},
			want{[]int{0, 0}, []int{0, 0}, []int64{0, 0}, byNone, 0, 3, true}},
		{"a gang by weights counts what it holds as room", question{replicas: 3, strategy: staticWeight, gang: true, candidates: []candidate{{"a", 2, 1, 1}, {"b", 1, 0, 1}}},
			want{[]int{2, 1}, []int{0, 0}, []int64{2, 1}, byWeight, 3, 0, false}},
		{"a gang that weights would move into a full cluster stays", question{replicas: 4, strategy: staticWeight, gang: true, candidates: []candidate{{"a", 1, 0, 4}, {"b", 1, 0, 0}}},
			want{[]int{4, 0}, []int{4, 0}, []int64{0, 0}, byNone, 0, 0, false}},
		{"a smaller gang that weights would move shrinks where it is", question{replicas: 2, strategy: staticWeight, gang: true, candidates: []candidate{{"a", 1, 0, 4}, {"b", 1, 0, 0}}},
			want{[]int{2, 0}, []int{0, 0}, []int64{4, 0}, byHeld, 2, 0, false}},
		{"each copy is a gang of its own", question{replicas: 3, strategy: duplicated, gang: true, candidates: []candidate{{"a", 0, 2, 0}, {"b", 0, 2, 1}, {"c", 0, unlimited, 0}, {"d", 0, 1, 1}}},
			want{[]int{0, 3, 3, 1}, []int{0, 0, 0, 1}, []int64{0, 0, 0, 0}, byNone, 0, 5, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := divide(tt.question)
			got := want{[]int{}, []int{}, []int64{}, d.basis, d.divided, d.rest, d.gang}
			for i, p := range d.parts {
				if p.cluster != tt.candidates[i].cluster {
					t.Errorf("part %d is of %s", i, p.cluster)
				}
				got.replicas, got.kept, got.weights = append(got.replicas, p.replicas), append(got.kept, p.kept), append(got.weights, p.weight)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("\n got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// The remainder goes to one cluster and to another for other workloads, always to the same one for the same workload.
func TestTheRemainderIsSpreadOverWorkloads(t *testing.T) {
	got := map[string]int{}
	for i := range 3000 {
		q := question{namespace: "demo", name: fmt.Sprint("app-", i), replicas: 4, strategy: staticWeight, candidates: []candidate{{cluster: "a"}, {cluster: "b"}, {cluster: "c"}}}
		for _, p := range divide(q).parts {
			if p.replicas == 2 {
				got[p.cluster]++
			}
		}
	}
	for _, c := range []string{"a", "b", "c"} {
		if got[c] < 900 || got[c] > 1100 {
			t.Fatalf("remainders went %v", got)
		}
	}
}

// What an unlimited cluster counts as grows with the count, and several of them may outgrow a small one
// (docs/decisions/0010): the numbers are others then, and only scaling up from what is held keeps what is there.
func TestSeveralUnlimitedClustersOutgrowASmallOne(t *testing.T) {
	q := question{replicas: 3, strategy: dynamicWeight, candidates: []candidate{{"a", 0, unlimited, 0}, {"b", 0, unlimited, 0}, {"c", 0, 1, 0}}}
	if got := byCluster(divide(q)); got["c"] != 1 {
		t.Fatalf("three: %v", got)
	}
	q.replicas = 4
	if got := byCluster(divide(q)); got["c"] != 0 {
		t.Fatalf("four: %v", got)
	}
}
