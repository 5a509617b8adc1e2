package handlers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

const simulatePath = "/api/v1/namespaces/demo/scheduler/simulate"

func loadCases[T any](t *testing.T, file string) []T {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stream is a body of several documents.
func stream(docs ...string) string { return strings.Join(docs, "\n---\n") }

// divided are the clusters that get something, and how much.
func (a answer) divided(t *testing.T) map[string]int64 {
	t.Helper()
	var got struct {
		Placement fleet.PlacementReport `json:"placement"`
	}
	if err := json.Unmarshal(a.body, &got); err != nil {
		t.Fatal(err)
	}
	parts := map[string]int64{}
	for _, c := range got.Placement.Clusters {
		if c.Desired > 0 {
			parts[c.Name] = int64(c.Desired)
		}
	}
	return parts
}

type divisionVector struct {
	Name, Group, Strategy, Mode string
	Replicas                    int64
	Clusters                    []struct {
		Name      string `json:"name"`
		Available *int64 `json:"available,omitempty"`
	}
	StaticWeightList []struct {
		ClusterNames []string `json:"clusterNames"`
		Weight       int64    `json:"weight"`
	}
	Previous               map[string]int64
	Evicting               []string
	Expected, ExpectedDesc map[string]int64
	Tie                    bool
	Error                  string
}

func (v divisionVector) scheduling() string {
	group := v.Group
	if group == "steady-scale" {
		group = v.Strategy
	}
	switch group {
	case "duplicated":
		return `{replicaSchedulingType: Duplicated}`
	case "dynamic-weight":
		return `{weightPreference: {dynamicWeight: AvailableReplicas}}`
	case "aggregated":
		return `{replicaDivisionPreference: Aggregated}`
	}
	var rules []string
	for _, r := range v.StaticWeightList {
		rules = append(rules, fmt.Sprintf(`{targetCluster: {clusterNames: [%s]}, weight: %d}`, strings.Join(r.ClusterNames, ", "), r.Weight))
	}
	return `{weightPreference: {staticWeightList: [` + strings.Join(rules, ", ") + `]}}`
}

// "All vectors of division-vectors.json agree … through simulate (there on apps/v1 Deployments)."
func TestSimulateDividesLikeTheVectors(t *testing.T) {
	p := startAPI(t, storing())
	token := p.tenant("demo", "editor")
	all := loadCases[divisionVector](t, "../scheduler/testdata/division-vectors.json")
	if len(all) != 154 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			v.Clusters = slices.DeleteFunc(v.Clusters, func(c struct {
				Name      string `json:"name"`
				Available *int64 `json:"available,omitempty"`
			}) bool {
				return slices.Contains(v.Evicting, c.Name)
			})
			body := stream(
				fmt.Sprintf("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: %s, previous: %s, fresh: %v}", jsonText(t, filledList(v.Clusters)), jsonText(t, v.Previous), v.Mode == "fresh"),
				"apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: split}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n  placement:\n    replicaScheduling: "+v.scheduling(),
				fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: %d}", v.Replicas))
			a := p.want(p.ask(token, "POST", simulatePath, body), 200)
			got := a.divided(t)
			if v.Error != "" {
				if len(got) != 0 || a.get("placement.state") != "Pending" || a.get("placement.pending.reasons.0.code") != "no_cluster_selected" || a.get("placement.pending.replicas") != fmt.Sprint(v.Replicas) {
					t.Fatalf("answered %s", a.body)
				}
				return
			}
			if v.Group != "static-weight" && v.Group != "duplicated" && a.get("placement.pending") != "" {
				t.Errorf("some are pending: %s", a.body)
			}
			if !v.Tie {
				if !maps.Equal(got, filledMap(v.Expected)) {
					t.Errorf("got %v, want %v", got, v.Expected)
				}
				return
			}
			counts := slices.Sorted(maps.Values(got))
			if !slices.Equal(counts, slices.Sorted(maps.Values(v.Expected))) && !slices.Equal(counts, slices.Sorted(maps.Values(v.ExpectedDesc))) {
				t.Errorf("got %v, want %v, %v or the like", got, v.Expected, v.ExpectedDesc)
			}
		})
	}
}

func filledList[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func filledMap(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}

type policyVector struct {
	ID, Type, ClaimedBy, Winner string
	Match                       bool
	Resource, Selector          map[string]any
	Cluster                     struct {
		Metadata struct {
			Name   string
			Labels map[string]string
		}
	}
	Affinity  map[string]any
	Policies  []json.RawMessage
	Overrides []json.RawMessage
}

// "The selector, cluster and priority vectors agree." Here is what can be said of them over HTTP: without who held the
// resource before, without override policies, and without a selector that is refused when it is written.
func TestSimulateSelectsLikeTheVectors(t *testing.T) {
	p := startAPI(t, storing())
	p.tenant("demo", "editor")
	p.tenant("other", "editor")
	const one = "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: m1}]}"
	said := map[string]int{}
	for _, v := range loadCases[policyVector](t, "../fleet/testdata/policy-vectors.json") {
		docs := []string{one}
		want := v.Winner
		switch {
		case v.Type == "selector":
			kind := fleet.KindPropagationPolicy
			if v.Resource["kind"] == "Namespace" {
				kind = fleet.KindClusterPropagationPolicy
			}
			docs = append(docs, jsonText(t, map[string]any{"apiVersion": fleet.PolicyAPIVersionKarmada, "kind": kind, "metadata": map[string]any{"name": "p"},
				"spec": map[string]any{"resourceSelectors": []any{v.Selector}}}), jsonText(t, v.Resource))
			want = ""
			if v.Match || v.ID == "sel-009" { // there the resource takes the path's namespace, and is selected
				want = kind + "/p"
			}
		case v.Type == "cluster":
			docs = []string{
				jsonText(t, map[string]any{"apiVersion": "odysseus/v1", "kind": "Fleet", "spec": map[string]any{"clusters": []any{map[string]any{"name": v.Cluster.Metadata.Name, "labels": v.Cluster.Metadata.Labels}}}}),
				jsonText(t, map[string]any{"apiVersion": fleet.PolicyAPIVersionKarmada, "kind": "PropagationPolicy", "metadata": map[string]any{"name": "p"},
					"spec": map[string]any{"resourceSelectors": []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}, "placement": map[string]any{"clusterAffinity": v.Affinity}}}),
				"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}"}
		case v.ClaimedBy != "" || len(v.Overrides) > 0:
			continue
		default:
			for _, raw := range v.Policies {
				docs = append(docs, string(raw))
			}
			docs = append(docs, jsonText(t, v.Resource))
		}
		a := p.ask(operatorToken, "POST", simulatePath, stream(docs...), "Content-Type: application/yaml")
		if v.ID == "sel-014" { // wildcards where none can be
			if got := a.codes("errors"); a.status != 422 || !slices.Equal(got, []string{"value_not_accepted", "value_not_accepted"}) {
				t.Errorf("%s: %d %s", v.ID, a.status, a.body)
			}
			continue
		}
		p.want(a, 200)
		said[v.Type]++
		if v.Type == "cluster" {
			if got := len(a.divided(t)) == 1; got != v.Match {
				t.Errorf("%s: %s", v.ID, a.body)
			}
			continue
		}
		got := ""
		if a.get("placement.policy") != "" {
			got = a.get("placement.policy.kind") + "/" + a.get("placement.policy.name")
		}
		if parts := strings.Split(want, "/"); len(parts) > 2 {
			want = parts[0] + "/" + parts[2]
		}
		if got != want {
			t.Errorf("%s: won by %q, want %q", v.ID, got, want)
		}
	}
	if said["selector"] < 19 || said["cluster"] < 8 || said["priority"] < 7 {
		t.Errorf("only %v were asked", said)
	}
}
