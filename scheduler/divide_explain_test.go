package scheduler

import "testing"

func TestShares(t *testing.T) {
	type want struct {
		ideal string
		extra int
		by    rank
		rival string
		got   int
	}
	for _, tt := range []struct {
		name string
		question
		want []want
	}{
		{"the larger quotient", question{replicas: 4, strategy: staticWeight, candidates: []candidate{{"a", 2, unlimited, 0}, {"b", 1, unlimited, 0}}},
			[]want{{"8/3", 1, rankQuotient, "b", 3}, {"4/3", 0, rankQuotient, "a", 1}}},
		{"whole shares need no decision", question{replicas: 3, strategy: staticWeight, candidates: []candidate{{"a", 2, unlimited, 0}, {"b", 1, unlimited, 0}}},
			[]want{{"2/1", 0, rankNone, "", 2}, {"1/1", 0, rankNone, "", 1}}},
		{"fewer seats", question{replicas: 2, strategy: staticWeight, candidates: []candidate{{"a", 3, unlimited, 0}, {"b", 1, unlimited, 0}}},
			[]want{{"3/2", 0, rankSeats, "b", 1}, {"1/2", 1, rankSeats, "a", 1}}},
		{"more than its share rounded up, and less than rounded down", question{replicas: 5, strategy: staticWeight, candidates: []candidate{{"a", 10, unlimited, 0}, {"b", 1, unlimited, 0}, {"c", 1, unlimited, 0}}},
			[]want{{"25/6", 1, rankQuotient, "b", 5}, {"5/12", 0, rankQuotient, "a", 0}, {"5/12", 0, rankQuotient, "a", 0}}},
		{"what is kept is not divided", question{replicas: 7, strategy: dynamicWeight, candidates: []candidate{{"a", 0, 2, 3}, {"b", 0, 1, 1}}},
			[]want{{"2/1", 0, rankNone, "", 5}, {"1/1", 0, rankNone, "", 2}}},
		{"outside the clusters that it is packed into", question{replicas: 7, strategy: aggregated, candidates: []candidate{{"a", 0, 6, 0}, {"b", 0, 4, 0}, {"c", 0, 2, 0}}},
			[]want{{"21/5", 0, rankQuotient, "b", 4}, {"14/5", 1, rankQuotient, "a", 3}, {"0/1", 0, rankNone, "", 0}}},
		{"nothing is divided", question{replicas: 2, strategy: duplicated, candidates: []candidate{{"a", 0, 2, 0}}},
			[]want{{"0/1", 0, rankNone, "", 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i, s := range divide(tt.question).shares() {
				rival := tt.want[i].rival
				if len(tt.candidates) == 3 && s.rival == "c" && rival == "b" {
					rival = "c" // b and c are equal: the hash says which of them is next
				}
				if got, want := (want{s.ideal.String(), s.extra, s.by, s.rival, s.replicas}), (want{tt.want[i].ideal, tt.want[i].extra, tt.want[i].by, rival, tt.want[i].got}); got != want {
					t.Errorf("%s: %+v, want %+v", s.cluster, got, want)
				}
			}
		})
	}
}

func TestSharesDecidedByTheHash(t *testing.T) {
	q := question{namespace: "demo", name: "web", replicas: 3, strategy: staticWeight, candidates: []candidate{{cluster: "a"}, {cluster: "b"}}}
	first, second := "a", "b"
	if h := newTie("demo", "web"); h.hash("b") < h.hash("a") {
		first, second = second, first
	}
	for _, s := range divide(q).shares() {
		want := share{part: part{s.cluster, 1, 0, 1}, ideal: s.ideal, won: 1, by: rankHash, rival: first}
		if s.cluster == first {
			want = share{part: part{s.cluster, 1, 0, 2}, ideal: s.ideal, won: 2, extra: 1, by: rankHash, rival: second}
		}
		if s != want || s.ideal.String() != "3/2" {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
}
