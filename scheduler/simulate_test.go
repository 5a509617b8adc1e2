package scheduler

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

func simulated(resource fleet.Resource, members ...member) simulation {
	return simulation{Simulation: fleet.Simulation{Resource: resource}, members: members, now: time.Unix(0, 0).UTC(),
		settings: fleet.GeoAwareness{Enabled: true, Regions: []fleet.Region{{Name: "eu-core", Countries: []string{"DE", "FR"}}}}}
}

func memberOf(name string, available int64, countries ...string) member {
	m := member{Cluster: fleet.Cluster{Name: name}, available: available}
	for _, c := range countries {
		m.places = append(m.places, fleet.Geo{Country: c})
	}
	return m
}

func deploymentOf(spec string) fleet.Resource {
	return fleet.Resource{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Namespace: "demo", Name: "web",
		Object: []byte(`{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"web"},"spec":` + spec + `}`)}
}

func TestSimulatedReasons(t *testing.T) {
	country := map[string]string{fleet.LabelResidencyCountry: "CA"}
	tests := []struct {
		name     string
		labels   map[string]string
		members  []member
		state    fleet.PlacementState
		codes    []fleet.Code
		excluded []string
	}{
		{"all placed", country, []member{memberOf("a", 9, "CA"), memberOf("b", 9, "DE")}, fleet.Placed, nil, []string{"b geo_mismatch"}},
		{"outside and full", country, []member{memberOf("a", 1, "CA"), memberOf("b", 9, "DE")}, fleet.PartlyPlaced, []fleet.Code{"geo_mismatch", "capacity"}, []string{"b geo_mismatch"}},
		{"one node inside is enough", country, []member{memberOf("a", 9, "DE", "CA")}, fleet.Placed, nil, nil},
		{"nothing answers", nil, []member{memberOf("a", 9)}, fleet.Pending, []fleet.Code{"no_reachable_node"}, []string{"a cluster_unreachable"}},
		{"what answers is outside", country, []member{memberOf("a", 9), memberOf("b", 9, "DE")}, fleet.Pending, []fleet.Code{"geo_mismatch", "cluster_unreachable"}, []string{"a cluster_unreachable", "b geo_mismatch"}},
		{"nothing there", nil, nil, fleet.Pending, []fleet.Code{"no_reachable_node"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := simulated(deploymentOf(`{"replicas":3}`), tt.members...)
			q.ResidencyLabels = tt.labels
			r := simulate(q)
			var codes []fleet.Code
			if r.Pending != nil {
				for _, reason := range r.Pending.Reasons {
					codes = append(codes, reason.Code)
				}
			}
			var excluded []string
			for _, c := range r.Excluded {
				excluded = append(excluded, c.Name+" "+string(c.Reason.Code))
			}
			if r.State != tt.state || !slices.Equal(codes, tt.codes) || !slices.Equal(excluded, tt.excluded) {
				t.Errorf("%s for %v without %v, want %s for %v without %v", r.State, codes, excluded, tt.state, tt.codes, tt.excluded)
			}
			if again := simulate(q); !reflect.DeepEqual(r, again) {
				t.Error("the same question has another answer")
			}
		})
	}
}

func TestSimulatedResidencyIsNotHeldWithoutEnforcement(t *testing.T) {
	q := simulated(deploymentOf(`{"replicas":2}`), memberOf("a", 9, "DE"))
	q.ResidencyLabels, q.settings.Enabled = map[string]string{fleet.LabelResidencyCountry: "CA"}, false
	if r := simulate(q); r.State != fleet.Placed || r.AnyMatch || r.Excluded != nil {
		t.Errorf("answered %+v", r)
	}
}

func TestSimulatedAvailableIsCappedForTenants(t *testing.T) {
	for _, tt := range []struct {
		detail bool
		want   []int64
	}{{false, []int64{3, 2}}, {true, []int64{40, 2}}} {
		q := simulated(deploymentOf(`{"replicas":3}`), memberOf("a", 40, "CA"), memberOf("b", 2, "CA"))
		q.Detail = tt.detail
		r := simulate(q)
		if got := []int64{r.Clusters[0].Available, r.Clusters[1].Available}; !slices.Equal(got, tt.want) {
			t.Errorf("detail %v: %v, want %v", tt.detail, got, tt.want)
		}
	}
}

func TestCompletionsAreSharedLikeTheParallelism(t *testing.T) {
	tests := []struct {
		name        string
		by          strategy
		basis       basis
		parts       []part
		completions int64
		want        []int64
	}{
		{"by the weights", staticWeight, byWeight, []part{{cluster: "a", weight: 2, replicas: 3}, {cluster: "b", weight: 1, replicas: 1}}, 8, []int64{5, 3}},
		{"not to who runs nothing", staticWeight, byWeight, []part{{cluster: "a", weight: 2, replicas: 1}, {cluster: "b", weight: 1}}, 8, []int64{8, 0}},
		{"as the parallelism was divided", dynamicWeight, byAvailable, []part{{cluster: "a", weight: 9, replicas: 1}, {cluster: "b", weight: 1, replicas: 3}}, 8, []int64{2, 6}},
		{"whole on each", duplicated, byNone, []part{{cluster: "a", replicas: 3}, {cluster: "b", replicas: 3}}, 8, []int64{8, 8}},
		{"where nothing runs", staticWeight, byWeight, []part{{cluster: "a", weight: 3}, {cluster: "b", weight: 1}}, 8, []int64{6, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shareCompletions(tt.by, division{parts: tt.parts, basis: tt.basis}, &tt.completions); !slices.Equal(got, tt.want) {
				t.Errorf("shared %v, want %v", got, tt.want)
			}
		})
	}
}
