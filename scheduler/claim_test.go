package scheduler

import (
	"testing"

	"odysseus/fleet"
)

// selecting is a policy of that name over the apps/v1 Deployments that a selector names, all on one cluster.
func selecting(kind, name, selector, cluster, more string) string {
	return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: ` + kind + `
metadata: {name: ` + name + `}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment` + selector + `}]
  placement: {clusterAffinity: {clusterNames: [` + cluster + `]}}
` + more + "\n"
}

func TestClaims(t *testing.T) {
	const (
		own  = "PropagationPolicy"
		wide = "ClusterPropagationPolicy"
	)
	type step struct {
		name  string
		do    func(*world)
		split string
	}
	apply := func(text string) func(*world) { return func(w *world) { w.apply(text) } }
	tests := []struct {
		name  string
		steps []step
	}{
		{"sticky", []step{
			{"claimed", apply(selecting(own, "second", "", "b", "") + "---" + webOf("web", 1, "")), "b=1"},
			{"a more specific policy does not take it", apply(selecting(own, "first", ", name: web", "a", "")), "b=1"},
			{"nor does a higher priority", apply(selecting(own, "high", ", name: web", "c", "  priority: 9")), "b=1"},
			{"the next best has it when the holder is deleted", func(w *world) { w.unpolicy("second") }, "c=1"},
		}},
		{"preemption", []step{
			{"claimed", apply(selecting(own, "holder", "", "b", "") + "---" + webOf("web", 1, "")), "b=1"},
			{"not at equal priority", apply(selecting(own, "equal", ", name: web", "a", "  preemption: Always")), "b=1"},
			{"with a higher one", apply(selecting(own, "equal", ", name: web", "a", "  preemption: Always\n  priority: 1")), "a=1"},
			{"and keeps it", apply(selecting(own, "holder", "", "b", "  priority: 5")), "a=1"},
		}},
		{"kinds", []step{
			{"cluster-wide", apply(selecting(wide, "wide", "", "c", "  priority: 100") + "---" + webOf("web", 1, "")), "c=1"},
			{"is not taken without preemption", apply(selecting(own, "own", ", name: web", "a", "")), "c=1"},
			{"is taken with it, whatever its priority", apply(selecting(own, "own", ", name: web", "a", "  preemption: Always")), "a=1"},
			{"and never the other way", apply(selecting(wide, "wide", ", name: web", "c", "  priority: 1000\n  preemption: Always")), "a=1"},
		}},
		{"a label taken off frees it at once", []step{
			{"claimed by labels", apply(selecting(own, "one", `, labelSelector: {matchLabels: {tier: gold}}`, "a", "") + "---" + selecting(own, "rest", "", "b", "  priority: -1") + "---" + webOf("web", 1, ", tier: gold")), "a=1"},
			{"handed to the other", apply(webOf("web", 1, "")), "b=1"},
			{"and sticky there", apply(webOf("web", 1, ", tier: gold")), "b=1"},
		}},
		{"nobody left", []step{
			{"claimed by labels", apply(selecting(own, "one", `, labelSelector: {matchLabels: {tier: gold}}`, "a", "") + "---" + webOf("web", 2, ", tier: gold")), "a=2"},
			{"removed where no policy selects it any more", apply(webOf("web", 2, "")), ""},
			{"placed again", apply(webOf("web", 2, ", tier: gold")), "a=2"},
			{"the policy drops it from its selectors", apply(selecting(own, "one", `, name: other`, "a", "")), ""},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(roomy)
			for _, s := range tt.steps {
				s.do(w)
				w.obey()
				if split := w.split(w.uid("web")); split != s.split {
					t.Errorf("%s: %q, want %q; %s", s.name, split, s.split, w.told(w.uid("web")))
				}
				w.restart() // a claim outlives the control plane
				w.obey()
				if split := w.split(w.uid("web")); split != s.split {
					t.Errorf("%s, after a restart: %q, want %q", s.name, split, s.split)
				}
			}
		})
	}
}

// TestWhatStays: "deleting, unselecting, relabelling: what stays and what goes is as the page says".
func TestWhatStays(t *testing.T) {
	const ack, karmada = "policy.one.alibabacloud.com/v1alpha1", "policy.karmada.io/v1alpha1"
	policy := func(api, preserve string) string {
		text := `
apiVersion: ` + api + `
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: odysseus/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]
  placement: {clusterAffinity: {labelSelector: {matchLabels: {tier: gold}}}}
`
		if preserve != "" {
			text += "  preserveResourcesOnDeletion: " + preserve + "\n"
		}
		return text
	}
	tests := []struct {
		name        string
		api, keeps  string
		do          func(*world)
		split, told string
	}{
		{"policy deleted, ACK One keeps by default", ack, "", func(w *world) { w.unpolicy("web") }, "a=1 b=1", "Waiting a=1/1 b=1/1 unmanaged | no_policy"},
		{"policy deleted, ACK One keeps", ack, "true", func(w *world) { w.unpolicy("web") }, "a=1 b=1", "Waiting a=1/1 b=1/1 unmanaged | no_policy"},
		{"policy deleted, ACK One removes", ack, "false", func(w *world) { w.unpolicy("web") }, "", "Waiting | no_policy"},
		{"policy deleted, Karmada always keeps", karmada, "", func(w *world) { w.unpolicy("web") }, "a=1 b=1", "Waiting a=1/1 b=1/1 unmanaged | no_policy"},
		{"policy deleted, Karmada always keeps, whatever it preserves", karmada, "true", func(w *world) { w.unpolicy("web") }, "a=1 b=1", "Waiting a=1/1 b=1/1 unmanaged | no_policy"},
		{"resource deleted", ack, "true", func(w *world) { w.discard("web", false) }, "", "Waiting"},
		{"resource deleted, Karmada preserves", karmada, "true", func(w *world) { w.discard("web", true) }, "a=1 b=1", "Waiting"},
		{"cluster relabelled", ack, "", func(w *world) { w.label("a", nil) }, "b=1", "Placed b=1/1"},
		{"every cluster relabelled", ack, "", func(w *world) { w.label("a", nil); w.label("b", nil) }, "", "Pending | no_cluster_selected"},
		{"another cluster labelled", ack, "", func(w *world) { w.label("c", map[string]string{"tier": "gold"}) }, "a=1 b=1 c=1", "Placed a=1/1 b=1/1 c=1/1"},
		{"a cluster deleted of which nothing is left", ack, "", func(w *world) { w.deleteNode("node-a"); w.scheduler.ClusterDeleted("a") }, "b=1", "Placed b=1/1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(roomy)
			w.label("a", map[string]string{"tier": "gold"})
			w.label("b", map[string]string{"tier": "gold"})
			w.apply(policy(tt.api, tt.keeps) + "---" + webOf("web", 1, ""))
			w.obey()
			uid := w.uid("web")
			if split := w.split(uid); split != "a=1 b=1" {
				t.Fatalf("placed %q", split)
			}
			tt.do(w)
			w.obey()
			if split, told := w.split(uid), w.told(uid); split != tt.split || told != tt.told {
				t.Errorf("%q, said %q; want %q, said %q", split, told, tt.split, tt.told)
			}
			w.restart()
			w.obey()
			if split := w.split(uid); split != tt.split {
				t.Errorf("after a restart %q, want %q", split, tt.split)
			}
		})
	}
}

// TestADeploymentFallsBackToItsDefault: an odysseus/v1 Deployment needs no policy, so it is never unmanaged.
func TestADeploymentFallsBackToItsDefault(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [b]}}`))
	uid := w.deploy("acme", "web", spec{image: "a", replicas: 2})
	w.obey()
	if split := w.split(uid); split != "b=2" {
		t.Fatalf("under the policy %q", split)
	}
	w.unpolicy("web")
	w.obey()
	if split, told := w.split(uid), w.told(uid); split != "b=2" || told != "Placed a=0/0 b=2/2 c=0/0" {
		t.Errorf("without it %q, said %q; want all to stay put", split, told)
	}
	w.edit(uid, spec{image: "a", replicas: 5})
	w.obey()
	if split := w.split(uid); split != "a=1 b=3 c=1" && split != "a=2 b=2 c=1" && split != "a=1 b=2 c=2" {
		t.Errorf("scaled without it %q, want the new ones by what is free", split)
	}
}

// TestAResourceTakenOver: one created under the name of a preserved one goes on with what is there.
func TestAResourceTakenOver(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(selecting("PropagationPolicy", "web", "", "a", "") + "---" + webOf("web", 2, ""))
	w.obey()
	uid := w.uid("web")
	before := w.store.of(uid)
	w.discard("web", true)
	w.obey()
	w.apply(webOf("web", 3, ""))
	w.obey()
	after := w.store.of(uid)
	if len(after) != 3 || after[0].ID != before[0].ID || after[1].ID != before[1].ID || after[0].Stop || after[1].Stop {
		t.Errorf("before %v, after %v: want the two to go on and one more", before, after)
	}
}

// TestAClaimThatWasNotStored: what a policy was about to claim is not its own when it is deleted.
func TestAClaimThatWasNotStored(t *testing.T) {
	preempting := selecting("PropagationPolicy", "other", ", name: web", "b", "  preemption: Always\n  priority: 1")
	tests := []struct {
		name, before string // who holds it before
		split, told  string
	}{
		{"held by nobody", "", "", "Waiting | no_policy"},
		{"held by another", selecting("PropagationPolicy", "holder", "", "a", ""), "a=1", "Placed a=1/1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(roomy)
			w.apply(tt.before + "---" + webOf("web", 1, ""))
			w.obey()
			w.store.before = func([]fleet.Decision) error {
				w.store.before = nil
				w.unpolicy("other")
				return errStore
			}
			w.apply(preempting)
			w.obey()
			if split, told := w.split(w.uid("web")), w.told(w.uid("web")); split != tt.split || told != tt.told {
				t.Errorf("%q, said %q; want %q, said %q", split, told, tt.split, tt.told)
			}
		})
	}
}

// TestAPolicyOfTheSameNameHeardOfFirst: that a policy was deleted is told after one of its name was created.
func TestAPolicyOfTheSameNameHeardOfFirst(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(selecting("PropagationPolicy", "web", "", "a", "") + "---" + webOf("web", 1, ""))
	w.obey()
	uid := w.uid("web")
	ref := fleet.PolicyRef{Kind: "PropagationPolicy", Namespace: "acme", Name: "web"}
	old := w.store.policies[ref]
	b := w.store.bindings[uid]
	b.Policy, b.Kept = nil, true // as db frees it
	w.store.bindings[uid] = b
	next := old
	next.Metadata.UID, next.Metadata.ResourceVersion = "another", w.store.version()
	next.Spec.ResourceSelectors = []fleet.ResourceSelector{{APIVersion: "v1", Kind: "ConfigMap"}}
	w.store.policies[ref] = next
	w.scheduler.PolicyChanged(next)
	w.scheduler.PolicyDeleted(old)
	w.obey()
	if split, told := w.split(uid), w.told(uid); split != "a=1" || told != "Waiting a=1/1 unmanaged | no_policy" {
		t.Errorf("%q, said %q", split, told)
	}
}

// TestATakeOverHeardOfFirst: that what is taken over was deleted before is told after it.
func TestATakeOverHeardOfFirst(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(selecting("PropagationPolicy", "web", "", "a", "") + "---" + webOf("web", 1, ""))
	w.obey()
	deleted := w.store.resources[w.uid("web")]
	deleted.Preserved = true
	w.apply(webOf("web", 2, ""))
	w.scheduler.ResourceDeleted(deleted)
	w.obey()
	if split, told := w.split(w.uid("web")), w.told(w.uid("web")); split != "a=2" || told != "Placed a=2/2" {
		t.Errorf("%q, said %q", split, told)
	}
}

// TestWhatIsKeptIsCountedAsItIs: a replica that a deleted policy left on a node that went silent is not placed.
func TestWhatIsKeptIsCountedAsItIs(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(selecting("PropagationPolicy", "web", "", "a, b", "") + "---" + webOf("web", 1, ""))
	w.obey()
	w.unpolicy("web")
	w.served["node-a"] = false
	w.advance(DefaultLease)
	if told := w.told(w.uid("web")); told != "Waiting a=0/0 b=1/1 unmanaged | no_policy" {
		t.Errorf("said %q", told)
	}
	if st := w.store.resources[w.uid("web")].Status; st.State != fleet.Waiting || st.Placed != 1 || st.Replicas != 1 {
		t.Errorf("status %+v", st)
	}
}

// TestAPreservedResourceIsKeptOverItsPolicy: the policy that preserved it goes, one of its name comes that does not select
// it, and what is taken over then is still there.
func TestAPreservedResourceIsKeptOverItsPolicy(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(selecting("PropagationPolicy", "web", "", "a", "") + "---" + webOf("web", 1, ""))
	w.obey()
	w.discard("web", true)
	w.obey()
	w.unpolicy("web")
	w.apply(selecting("PropagationPolicy", "web", ", name: other", "a", ""))
	w.apply(webOf("web", 1, ""))
	w.obey()
	if split, told := w.split(w.uid("web")), w.told(w.uid("web")); split != "a=1" || told != "Waiting a=1/1 unmanaged | no_policy" {
		t.Errorf("%q, said %q", split, told)
	}
}
