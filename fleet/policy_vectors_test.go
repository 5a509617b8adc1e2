package fleet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"odysseus/fleet"
)

// vector is one case with a known answer: of selecting a resource, matching a cluster, or choosing a policy.
type vector struct {
	ID, Type, ImplicitPriority, ClaimedBy, Winner string
	Match                                         bool
	Resource, Selector, Cluster, Affinity         json.RawMessage
	Policies                                      []json.RawMessage
}

func vectors(t *testing.T, kind string) []vector {
	t.Helper()
	var all, own []vector
	if err := json.Unmarshal([]byte(readFile(t, "policy-vectors.json")), &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Type == kind {
			own = append(own, v)
		}
	}
	if len(own) == 0 {
		t.Fatalf("no vectors of %s", kind)
	}
	return own
}

func resource(t *testing.T, manifest string) fleet.Resource {
	t.Helper()
	doc, faults := fleet.ParseOne([]byte(manifest), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	r, faults := fleet.DecodeResource(doc, nil)
	if len(faults) > 0 {
		t.Fatalf("refused %+v\nof\n%s", faults, manifest)
	}
	return r
}

func unmarshal[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSelectorVectors(t *testing.T) {
	ranks := map[string]fleet.Rank{"mismatch": fleet.RankNone, "all": fleet.RankKind, "labelSelector": fleet.RankLabels, "name": fleet.RankName}
	for _, v := range vectors(t, "selector") {
		r, s := resource(t, string(v.Resource)), unmarshal[fleet.ResourceSelector](t, v.Selector)
		if got := s.Match(&r); got != ranks[v.ImplicitPriority] || (got != fleet.RankNone) != v.Match {
			t.Errorf("%s: rank %d, want %s", v.ID, got, v.ImplicitPriority)
		}
	}
}

func TestClusterVectors(t *testing.T) {
	for _, v := range vectors(t, "cluster") {
		r, a := resource(t, string(v.Cluster)), unmarshal[fleet.ClusterAffinity](t, v.Affinity)
		if got := a.Matches(r.Name, r.Labels); got != v.Match {
			t.Errorf("%s: %v", v.ID, got)
		}
	}
}

func TestPriorityVectors(t *testing.T) {
	for _, v := range vectors(t, "priority") {
		r := resource(t, string(v.Resource))
		var policies []*fleet.Policy
		for _, raw := range v.Policies {
			p, faults, _ := checkPolicy(t, string(raw), fleet.FormatJSON)
			if len(faults) > 0 {
				t.Fatalf("%s: %+v", v.ID, faults)
			}
			policies = append(policies, &p)
		}
		var holder *fleet.PolicyRef
		if v.ClaimedBy != "" {
			ref := refOf(v.ClaimedBy)
			holder = &ref
		}
		claim := fleet.ClaimOf(&r, policies, holder)
		if got := nameOf(claim.Policy); got != v.Winner {
			t.Errorf("%s: %q, want %q", v.ID, got, v.Winner)
		}
	}
}

// refOf reads KIND/NAMESPACE/NAME or KIND/NAME.
func refOf(text string) fleet.PolicyRef {
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		return fleet.PolicyRef{Kind: parts[0], Name: parts[1]}
	}
	return fleet.PolicyRef{Kind: parts[0], Namespace: parts[1], Name: parts[2]}
}

func nameOf(p *fleet.Policy) string {
	if p == nil {
		return ""
	}
	ref := p.Ref()
	if ref.Namespace == "" {
		return ref.Kind + "/" + ref.Name
	}
	return ref.Kind + "/" + ref.Namespace + "/" + ref.Name
}
