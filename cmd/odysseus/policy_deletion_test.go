package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// spread is a Deployment and a ConfigMap over the clusters a and b.
type spread struct {
	*plane
	t     *testing.T
	token string
	all   sites
}

const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {greeting: hello}\n"

// startSpread has two replicas run in each cluster, and the ConfigMap on both.
func startSpread(t *testing.T, policy string) *spread {
	t.Helper()
	s := &spread{plane: startPlane(t, ""), t: t}
	s.token = s.tenant("acme")
	s.all = s.sitesOf("a", "b")
	by := s.token
	if strings.Contains(policy, fleet.KindClusterPropagationPolicy) {
		by = operatorToken
	}
	s.apply(by, "acme", policy)
	s.apply(s.token, "acme", podded("web", 4, "        envFrom: [{configMapRef: {name: settings}}]\n"), settings)
	s.all.wantRunning(t, "before", "web", "a=2 b=2")
	if cm := s.placed(s.token, "acme", "ConfigMap", "settings"); cm.on() != "a b" || cm.State != fleet.Placed {
		t.Fatalf("the ConfigMap is %+v", cm)
	}
	return s
}

func (s *spread) delete(token, path string) {
	s.t.Helper()
	s.must(http.StatusOK, http.MethodDelete, path, token, nil)
}

const policyPath = "/api/v1/namespaces/acme/propagationpolicies/web"

// TestDeletingKeepsOrRemoves: under ACK One's apiVersions preserveResourcesOnDeletion speaks of the policy's deletion,
// under Karmada's of the resource's. What stays runs on untouched, over a restart too.
func TestDeletingKeepsOrRemoves(t *testing.T) {
	const both = everyDeployment + ", " + everyConfigMap
	preserve := func(v string) string { return evenly + "  preserveResourcesOnDeletion: " + v + "\n" }
	clusterWide := func(apiVersion, spec string) string {
		return strings.Replace(over(apiVersion, "web", both, "a, b", spec), "PropagationPolicy", "ClusterPropagationPolicy", 1)
	}
	for _, tt := range []struct {
		name, policy string
		// deletes the policy, or the resources.
		deletes string
		kept    bool
	}{
		{"ACK One's policy, by default", over(ackOne, "web", both, "a, b", evenly), "policy", true},
		{"ACK One's policy, preserve: true", over(ackOne, "web", both, "a, b", preserve("true")), "policy", true},
		{"ACK One's policy, preserve: false", over(ackOne, "web", both, "a, b", preserve("false")), "policy", false},
		{"ACK One's other spelling, preserve: false", over(fleet.PolicyAPIVersionShort, "web", both, "a, b", preserve("false")), "policy", false},
		{"Karmada's policy, by default", over(karmada, "web", both, "a, b", evenly), "policy", true},
		{"Karmada's policy, preserve: false", over(karmada, "web", both, "a, b", preserve("false")), "policy", true},
		{"Karmada's policy, preserve: true", over(karmada, "web", both, "a, b", preserve("true")), "policy", true},
		{"a cluster-wide policy of ACK One's", clusterWide(ackOne, evenly), "policy", true},
		{"a cluster-wide policy of ACK One's, preserve: false", clusterWide(ackOne, preserve("false")), "policy", false},

		{"resources under ACK One's, by default", over(ackOne, "web", both, "a, b", evenly), "resources", false},
		{"resources under ACK One's, preserve: true", over(ackOne, "web", both, "a, b", preserve("true")), "resources", false},
		{"resources under Karmada's, by default", over(karmada, "web", both, "a, b", evenly), "resources", false},
		{"resources under Karmada's, preserve: false", over(karmada, "web", both, "a, b", preserve("false")), "resources", false},
		{"resources under Karmada's, preserve: true", over(karmada, "web", both, "a, b", preserve("true")), "resources", true},
		{"resources under a cluster-wide one of Karmada's, preserve: true", clusterWide(karmada, preserve("true")), "resources", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startSpread(t, tt.policy)
			before := slices.Sorted(maps.Keys(s.all.containers("web")))
			want := ""
			if tt.kept {
				want = "a=2 b=2"
			}
			switch {
			case tt.deletes == "resources":
				s.delete(s.token, resourcePath("acme", "Deployment", "web", ""))
				s.delete(s.token, resourcePath("acme", "ConfigMap", "settings", ""))
			case strings.Contains(tt.policy, fleet.KindClusterPropagationPolicy):
				s.delete(operatorToken, "/api/v1/clusterpropagationpolicies/web")
			default:
				s.delete(s.token, policyPath)
			}
			for _, when := range []string{"deleted", "after a restart"} {
				s.all.wantRunning(t, when, "web", want)
				if tt.kept && !slices.Equal(slices.Sorted(maps.Keys(s.all.containers("web"))), before) {
					t.Errorf("%s: what stays is %v, was %v", when, slices.Sorted(maps.Keys(s.all.containers("web"))), before)
				}
				if tt.deletes == "resources" {
					for _, r := range [][2]string{{"Deployment", "web"}, {"ConfigMap", "settings"}} {
						s.must(http.StatusNotFound, http.MethodGet, resourcePath("acme", r[0], r[1], ""), s.token, nil)
					}
					if body := s.must(http.StatusOK, http.MethodGet, "/api/v1/namespaces/acme/resources", s.token, nil).body; strings.Contains(body, `"settings"`) || strings.Contains(body, `"web"`) {
						t.Errorf("%s: what was deleted is listed: %s", when, body)
					}
				} else {
					s.wantUnmanaged(when, tt.kept)
				}
				if when == "deleted" {
					s.stop()
					s.start()
				}
			}
		})
	}
}

// wantUnmanaged: what a deleted policy left is on its clusters and "shown as no longer managed"; what it did not leave
// is nowhere. A workload waits for another policy either way: nothing would come of a change of it.
func (s *spread) wantUnmanaged(when string, kept bool) {
	s.t.Helper()
	for _, r := range [][2]string{{"Deployment", "web"}, {"ConfigMap", "settings"}} {
		is := s.placed(s.token, "acme", r[0], r[1])
		on, state, reasons := "", fleet.Waiting, "no_policy"
		if kept {
			on = "a b"
			if r[0] == "ConfigMap" {
				state, reasons = fleet.Placed, ""
			}
		}
		if is.Unmanaged != kept || is.on() != on || is.by() != "" || is.State != state || is.reasons() != reasons {
			s.t.Errorf("%s: %s %s is %+v, kept %v", when, r[0], r[1], is, kept)
		}
	}
}

// TestWhatIsKeptIsTakenOverAgain: what a deleted policy or a deleted resource left runs on, untouched, under the next
// one; and a change of it is rolled out then.
func TestWhatIsKeptIsTakenOverAgain(t *testing.T) {
	const both = everyDeployment + ", " + everyConfigMap
	own := podded("web", 4, "        envFrom: [{configMapRef: {name: settings}}]\n")
	t.Run("by another policy", func(t *testing.T) {
		s := startSpread(t, over(ackOne, "web", both, "a, b", evenly))
		before := slices.Sorted(maps.Keys(s.all.containers("web")))
		s.delete(s.token, policyPath)
		s.all.wantRunning(t, "deleted", "web", "a=2 b=2")
		s.apply(s.token, "acme", strings.Replace(own, "replicas: 4", "replicas: 6", 1))
		s.all.wantRunning(t, "scaled while nobody manages it", "web", "a=2 b=2")
		s.apply(s.token, "acme", strings.Replace(own, "replicas: 6", "replicas: 4", 1), over(karmada, "next", both, "a, b", evenly))
		s.all.wantRunning(t, "taken over", "web", "a=2 b=2")
		if after := slices.Sorted(maps.Keys(s.all.containers("web"))); !slices.Equal(after, before) {
			t.Errorf("taken over, %v run, before %v", after, before)
		}
		if is := s.placed(s.token, "acme", "Deployment", "web"); is.by() != "PropagationPolicy next" || is.Unmanaged || is.State != fleet.Placed || is.desired() != "a=2 b=2" {
			t.Errorf("placement %+v", is)
		}
		if is := s.placed(s.token, "acme", "ConfigMap", "settings"); is.by() != "PropagationPolicy next" || is.Unmanaged || is.on() != "a b" {
			t.Errorf("the ConfigMap is %+v", is)
		}
		s.apply(s.token, "acme", strings.Replace(own, "replicas: 4", "replicas: 6", 1))
		s.all.wantRunning(t, "scaled", "web", "a=3 b=3")
	})
	t.Run("by one of its name", func(t *testing.T) {
		s := startSpread(t, over(karmada, "web", both, "a, b", evenly+"  preserveResourcesOnDeletion: true\n"))
		before := slices.Sorted(maps.Keys(s.all.containers("web")))
		uid := s.uidOf("Deployment", "web")
		s.delete(s.token, resourcePath("acme", "Deployment", "web", ""))
		s.all.wantRunning(t, "deleted", "web", "a=2 b=2")
		if got := s.apply(s.token, "acme", own); got[0] != "created" {
			t.Errorf("created anew it is %v", got)
		}
		s.all.wantRunning(t, "created anew", "web", "a=2 b=2")
		if after := slices.Sorted(maps.Keys(s.all.containers("web"))); !slices.Equal(after, before) || s.uidOf("Deployment", "web") != uid {
			t.Errorf("created anew as %s, %v run; before %s, %v", s.uidOf("Deployment", "web"), after, uid, before)
		}
		s.delete(s.token, resourcePath("acme", "Deployment", "web", ""))
		s.apply(s.token, "acme", strings.Replace(own, "nginx:1.27", "nginx:1.28", 1))
		s.all.wantRunning(t, "created anew, otherwise", "web", "a=2 b=2")
		for id, c := range s.all.containers("web") {
			if c.Image != "nginx:1.28" || slices.Contains(before, id) {
				t.Errorf("%s runs %s", id, c.Image)
			}
		}
		s.delete(s.token, resourcePath("acme", "ConfigMap", "settings", ""))
		if got := s.apply(s.token, "acme", settings); got[0] != "created" {
			t.Errorf("the ConfigMap created anew is %v", got)
		}
		if is := s.placed(s.token, "acme", "ConfigMap", "settings"); is.on() != "a b" || is.by() != "PropagationPolicy web" {
			t.Errorf("the ConfigMap is %+v", is)
		}
	})
	t.Run("a Deployment of this product", func(t *testing.T) {
		s := &spread{plane: startPlane(t, ""), t: t}
		s.token = s.tenant("acme")
		s.all = s.sitesOf("a", "b")
		ledger := "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: ledger-api}\nspec: {image: nginx, replicas: 4}\n"
		s.apply(s.token, "acme", over(karmada, "web", "{apiVersion: odysseus/v1, kind: Deployment}", "a, b", evenly+"  preserveResourcesOnDeletion: true\n"), ledger)
		s.all.wantRunning(t, "before", "ledger-api", "a=2 b=2")
		before := slices.Sorted(maps.Keys(s.all.containers("ledger-api")))
		const path = "/api/v1/namespaces/acme/deployments/ledger-api"
		s.delete(s.token, path)
		s.all.wantRunning(t, "deleted", "ledger-api", "a=2 b=2")
		s.must(http.StatusNotFound, http.MethodGet, path, s.token, nil)
		s.stop()
		s.start()
		s.all.wantRunning(t, "after a restart", "ledger-api", "a=2 b=2")
		s.apply(s.token, "acme", ledger)
		s.all.wantRunning(t, "created anew", "ledger-api", "a=2 b=2")
		if after := slices.Sorted(maps.Keys(s.all.containers("ledger-api"))); !slices.Equal(after, before) {
			t.Errorf("created anew, %v run, before %v", after, before)
		}
		if is := s.placedOwn(s.token, "acme", "ledger-api"); is.State != fleet.Placed || is.by() != "PropagationPolicy web" || is.Unmanaged {
			t.Errorf("placement %+v", is)
		}
	})
}

func (s *spread) uidOf(kind, name string) string {
	s.t.Helper()
	var object struct{ Metadata struct{ UID string } }
	s.must(http.StatusOK, http.MethodGet, resourcePath("acme", kind, name, ""), s.token, nil).decode(s.t, &object)
	return object.Metadata.UID
}

// TestUnselectingTakesOutAtOnce: "a label removed from a resource, or from a cluster, takes it out of the selection at
// once", and so does a policy that selects it no more. What is put back comes back.
func TestUnselectingTakesOutAtOnce(t *testing.T) {
	labelled := func(name string) string {
		return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: %s}}}, {apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {app: %[1]s}}}`, name)
	}
	policy := func(selectors string) string {
		return strings.Replace(over(ackOne, "web", selectors, "a, b", evenly), "{clusterNames: [a, b]}", "{clusterNames: [a, b], labelSelector: {matchLabels: {tier: edge}}}", 1)
	}
	marked := strings.Replace(settings, "{name: settings}", "{name: settings, labels: {app: web}}", 1)
	own := podded("web", 4, "")
	tier := map[string]string{"tier": "edge"}
	type step struct {
		name string
		do   func(*spread)
		runs string
		on   string // the ConfigMap
		// why nothing runs
		reasons string
	}
	apply := func(docs ...string) func(*spread) {
		return func(s *spread) { s.apply(s.token, "acme", docs...) }
	}
	relabel := func(cluster string, labels map[string]string) func(*spread) {
		return func(s *spread) { s.relabel(cluster, labels) }
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"the policy selects others", []step{
			{"others", apply(policy(labelled("other"))), "", "", "no_policy"},
			{"these again", apply(policy(labelled("web"))), "a=2 b=2", "a b", ""},
			{"nothing at all", apply("apiVersion: " + ackOne + "\nkind: PropagationPolicy\nmetadata: {name: web}\nspec: {placement: {clusterAffinity: {clusterNames: [a]}}}\n"), "", "", "no_policy"},
		}},
		{"the resource loses its label", []step{
			{"without labels", apply(strings.Replace(own, "labels: {app: web}}\nspec:\n  replicas", "labels: {}}\nspec:\n  replicas", 1), settings), "", "", "no_policy"},
			{"labelled again", apply(own, marked), "a=2 b=2", "a b", ""},
		}},
		{"a cluster loses its label", []step{
			{"b without", relabel("b", map[string]string{}), "a=4", "a", ""},
			{"both without", relabel("a", map[string]string{"tier": "core"}), "", "", "no_cluster_selected"},
			{"b with it", relabel("b", tier), "b=4", "b", ""},
			{"both with it", relabel("a", tier), "a=2 b=2", "a b", ""},
		}},
		{"the policy selects fewer clusters", []step{
			{"b excluded", apply(strings.Replace(policy(labelled("web")), "{clusterNames: [a, b]", "{excludeClusters: [b], clusterNames: [a, b]", 1)), "a=4", "a", ""},
		}},
		{"a cluster is granted to others", []step{
			{"b is globex's", func(s *spread) {
				s.must(http.StatusCreated, http.MethodPost, "/api/v1/tenants", operatorToken, map[string]string{"name": "globex", "displayName": "Globex"})
				s.must(http.StatusOK, http.MethodPut, "/api/v1/clusters/b", operatorToken, clusterBody("b", tier, []string{"globex"}))
			}, "a=4", "a", ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &spread{plane: startPlane(t, ""), t: t}
			s.token = s.tenant("acme")
			s.all = s.sitesOf("a", "b")
			s.relabel("a", tier)
			s.relabel("b", tier)
			s.apply(s.token, "acme", policy(labelled("web")), own, marked)
			for _, step := range append([]step{{"before", func(*spread) {}, "a=2 b=2", "a b", ""}}, tt.steps...) {
				step.do(s)
				s.all.wantRunning(t, step.name, "web", step.runs)
				is := s.placed(s.token, "acme", "Deployment", "web")
				if is.reasons() != step.reasons || is.Unmanaged || (is.State == fleet.Placed) != (step.reasons == "") {
					t.Errorf("%s: placement %+v", step.name, is)
				}
				if cm := s.placed(s.token, "acme", "ConfigMap", "settings"); cm.on() != step.on || cm.Unmanaged {
					t.Errorf("%s: the ConfigMap is %+v", step.name, cm)
				}
			}
		})
	}
}

// TestAFreedDeploymentOfThisProductGoesEverywhere: "without any propagation policy an odysseus/v1 Deployment is placed as
// if by one that selects all clusters of the tenant with dynamic weights", so it is managed with no policy as well; and
// "equal count changes nothing".
func TestAFreedDeploymentOfThisProductGoesEverywhere(t *testing.T) {
	for _, preserve := range []bool{true, false} {
		t.Run(fmt.Sprintf("preserve=%v", preserve), func(t *testing.T) {
			p := startPlane(t, "")
			token := p.tenant("acme")
			all := p.sitesOf("a", "b")
			p.apply(token, "acme", over(ackOne, "web", "{apiVersion: odysseus/v1, kind: Deployment}", "a", fmt.Sprintf("  preserveResourcesOnDeletion: %v\n", preserve)),
				"apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: ledger-api}\nspec: {image: nginx, replicas: 4}\n")
			all.wantRunning(t, "before", "ledger-api", "a=4")
			before := slices.Sorted(maps.Keys(all.containers("ledger-api")))
			p.must(http.StatusOK, http.MethodDelete, policyPath, token, nil)
			all.wantRunning(t, "freed", "ledger-api", "a=4")
			if after := slices.Sorted(maps.Keys(all.containers("ledger-api"))); !slices.Equal(after, before) {
				t.Errorf("freed, %v run, before %v", after, before)
			}
			if is := p.placedOwn(token, "acme", "ledger-api"); is.State != fleet.Placed || is.by() != "" || is.Unmanaged || is.reasons() != "" || heldOf(is) != "a=4 b=0" {
				t.Errorf("placement %+v", is)
			}
			p.apply(token, "acme", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: ledger-api}\nspec: {image: nginx, replicas: 6}\n")
			all.wantRunning(t, "scaled", "ledger-api", "a=5 b=1")
		})
	}
}
