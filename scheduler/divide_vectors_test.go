package scheduler

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
)

// vector is a case with a known answer. An expected answer names only clusters with replicas. Where it is a tie, the
// answer depends on a hash that is another one here, and only the multiset must agree: with that of one of the two
// answers, for where replicas are held already the tie decides which multiset it is.
type vector struct {
	Name     string `json:"name"`
	Group    string `json:"group"`
	Strategy string `json:"strategy"` // of the group steady-scale
	Mode     string `json:"mode"`
	Replicas int    `json:"replicas"`
	Clusters []struct {
		Name      string `json:"name"`
		Available *int64 `json:"available"` // left out: no limit is known
	} `json:"clusters"`
	StaticWeights []struct {
		Clusters []string `json:"clusterNames"` // none: every cluster
		Weight   int64    `json:"weight"`
	} `json:"staticWeightList"`
	WeightPreference string         `json:"weightPreference"` // empty: there, with nothing inside
	Previous         map[string]int `json:"previous"`
	Evicting         []string       `json:"evicting"` // being moved off: no candidates
	Expected         map[string]int `json:"expected"`
	ExpectedDesc     map[string]int `json:"expectedDesc"`
	Tie              bool           `json:"tie"`
	Error            string         `json:"error"`
	Message          string         `json:"message"` // another product's words
	Note             string         `json:"note"`
}

var strategies = map[string]strategy{"duplicated": duplicated, "static-weight": staticWeight, "dynamic-weight": dynamicWeight, "aggregated": aggregated}

func (v vector) question(t *testing.T) question {
	q := question{namespace: "default", name: "web", replicas: v.Replicas, fresh: v.Mode == "fresh"}
	group := v.Group
	if group == "steady-scale" {
		group = v.Strategy
	}
	var known bool
	if q.strategy, known = strategies[group]; !known {
		t.Fatalf("unknown strategy %q", group)
	}
	for _, c := range v.Clusters {
		if slices.Contains(v.Evicting, c.Name) {
			continue
		}
		in := candidate{cluster: c.Name, available: unlimited, held: v.Previous[c.Name]}
		if c.Available != nil {
			in.available = *c.Available
		}
		for _, rule := range v.StaticWeights {
			if len(rule.Clusters) == 0 || slices.Contains(rule.Clusters, c.Name) {
				in.weight = max(in.weight, rule.Weight)
			}
		}
		q.candidates = append(q.candidates, in)
	}
	return q
}

func loadVectors(t testing.TB) []vector {
	text, err := os.ReadFile("testdata/division-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDivisionVectors(t *testing.T) {
	all := loadVectors(t)
	if len(all) != 154 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			q := v.question(t)
			d := divide(q)
			checkDivision(t, q, d)
			if v.Error != "" {
				if v.Error != "no-cluster" || len(d.parts) != 0 || d.rest != v.Replicas {
					t.Fatalf("got %+v, want %s", d, v.Error)
				}
				return
			}
			got := byCluster(d)
			maps.DeleteFunc(got, func(_ string, n int) bool { return n == 0 })
			if d.rest != 0 {
				t.Errorf("%d are pending", d.rest)
			}
			if !v.Tie {
				if !reflect.DeepEqual(got, v.Expected) {
					t.Errorf("got %v, want %v", got, v.Expected)
				}
				return
			}
			counts := multiset(got)
			if !slices.Equal(counts, multiset(v.Expected)) && !slices.Equal(counts, multiset(v.ExpectedDesc)) {
				t.Errorf("got %v, want %v, %v or the like", got, v.Expected, v.ExpectedDesc)
			}
		})
	}
}

func multiset(m map[string]int) []int { return slices.Sorted(maps.Values(m)) }
