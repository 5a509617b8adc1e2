package scheduler

import (
	"errors"
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

const spread = `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {weightPreference: {staticWeightList: [
      {targetCluster: {clusterNames: [a]}, weight: 2}, {targetCluster: {clusterNames: [b]}, weight: 1}]}}}`

// overriding is an override of web on one cluster.
func overriding(name, cluster, overriders string) string {
	return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: OverridePolicy
metadata: {name: ` + name + `}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  overrideRules:
    - targetCluster: {clusterNames: [` + cluster + `]}
      overriders: {` + overriders + `}
`
}

const (
	oneReplica = `plaintext: [{operator: replace, path: /spec/replicas, value: 1}]`
	registry   = `imageOverrider: [{component: Registry, operator: add, value: reg.example}]`
)

func TestOverridesArePlaced(t *testing.T) {
	apply := func(text string) func(*world) { return func(w *world) { w.apply(text) } }
	type step struct {
		name                string
		do                  func(*world)
		images, told, names string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		// "Replacing /spec/replicas by 1 changes it on that cluster alone", and its registry is put in front of every image.
		{"the example of ACK One", []step{
			{"without", apply(policyOver("web", spread) + "---" + webOf("web", 3, "")), "a nginx:latest=2 b nginx:latest=1", "Placed a=2/2 b=1/1", ""},
			{"with", apply(overriding("demo", "a", oneReplica+", "+registry)), "a reg.example/nginx:latest=1 b nginx:latest=1", "Placed a=1/1 b=1/1", "OverridePolicy acme/demo"},
			{"scaled", apply(webOf("web", 6, "")), "a reg.example/nginx:latest=1 b nginx:latest=2", "Placed a=1/1 b=2/2", "OverridePolicy acme/demo"},
			{"deleted: distributed again without it", func(w *world) { w.unoverride("demo"); w.advance(5 * time.Second) }, "a nginx:latest=4 b nginx:latest=2", "Placed a=4/4 b=2/2", ""},
		}},
		{"a count that is the same as the workload's is one too", []step{
			{"three on a", apply(policyOver("web", spread) + "---" + webOf("web", 3, "") + "---" + overriding("demo", "a", `plaintext: [{operator: replace, path: /spec/replicas, value: 3}]`)),
				"a nginx:latest=3 b nginx:latest=1", "Placed a=3/3 b=1/1", "OverridePolicy acme/demo"},
		}},
		{"dynamic weights go on from the parts that were given", []step{
			{"without", apply(policyOver("web", `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}`) + "---" + webOf("web", 4, "")), "a nginx:latest=2 b nginx:latest=2", "Placed a=2/2 b=2/2", ""},
			{"one on a", apply(overriding("demo", "a", oneReplica)), "a nginx:latest=1 b nginx:latest=2", "Placed a=1/1 b=2/2", "OverridePolicy acme/demo"},
			{"and it stays so", func(w *world) { w.restart() }, "a nginx:latest=1 b nginx:latest=2", "Placed a=1/1 b=2/2", "OverridePolicy acme/demo"},
			{"scaled by two", apply(webOf("web", 6, "")), "a nginx:latest=1 b nginx:latest=3", "Placed a=1/1 b=3/3", "OverridePolicy acme/demo"},
		}},
		{"what does not apply blocks that cluster, and others go on", []step{
			{"one cluster alone", apply(policyOver("web", spread) + "---" + overriding("bad", "a", `plaintext: [{operator: replace, path: /spec/paused, value: true}]`) + "---" + webOf("web", 3, "")), "b nginx:latest=1", "PartlyPlaced a=2/0 b=1/1 | override_blocked(a)", ""},
			{"mended", apply(overriding("bad", "a", registry)), "a reg.example/nginx:latest=2 b nginx:latest=1", "Placed a=2/2 b=1/1", "OverridePolicy acme/bad"},
			{"broken again: what runs there stays", apply(overriding("bad", "a", `plaintext: [{operator: replace, path: /spec/paused, value: true}]`)), "a reg.example/nginx:latest=2 b nginx:latest=1", "Placed a=2/2 b=1/1 | override_blocked(a)", ""},
			{"scaled down: it stays all the same", apply(webOf("web", 1, "")), "a reg.example/nginx:latest=2", "Placed a=2/2 b=0/0 | override_blocked(a)", ""},
		}},
		{"nothing goes out before what it depends on", []step{
			{"waiting", apply(policyOver("web", spread) + "  dependentOverrides: [demo]\n---" + webOf("web", 3, "")), "", "Waiting | waiting_for_override_policy OverridePolicy acme/demo", ""},
			{"and then overridden from the first", apply(overriding("demo", "a", registry)), "a reg.example/nginx:latest=2 b nginx:latest=1", "Placed a=2/2 b=1/1", "OverridePolicy acme/demo"},
			{"deleted: it waits again, and what runs stays as it is", func(w *world) { w.unoverride("demo"); w.advance(time.Minute) }, "a reg.example/nginx:latest=2 b nginx:latest=1", "Waiting a=2/2 b=1/1 | waiting_for_override_policy OverridePolicy acme/demo", ""},
		}},
		{"by the clusters' labels", []step{
			{"no such cluster", apply(policyOver("web", spread) + "---" + webOf("web", 3, "") + `---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: demo}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules: [{targetCluster: {labelSelector: {matchLabels: {tier: gold}}}, overriders: {` + registry + `}}]
`), "a nginx:latest=2 b nginx:latest=1", "Placed a=2/2 b=1/1", ""},
			{"labelled", func(w *world) { w.label("b", map[string]string{"tier": "gold"}) }, "a nginx:latest=2 b reg.example/nginx:latest=1", "Placed a=2/2 b=1/1", "OverridePolicy acme/demo"},
			{"and no more", func(w *world) { w.label("b", nil) }, "a nginx:latest=2 b nginx:latest=1", "Placed a=2/2 b=1/1", ""},
		}},
		{"what an agent cannot do there", []step{
			{"volumes", apply(policyOver("web", spread) + "---" + webOf("web", 3, "") + "---" + overriding("demo", "a", `plaintext: [{operator: add, path: /spec/template/spec/volumes, value: []}, {operator: add, path: /spec/template/spec/hostNetwork, value: true}]`)),
				"b nginx:latest=3", "Placed b=3/3 -a:runtime_unsupported", ""},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(slots(40))
			for _, s := range tt.steps {
				s.do(w)
				w.obey()
				uid := w.uid("web")
				var names []string
				for _, c := range w.scheduler.Placement(uid, false).Clusters {
					names = append(names, c.Overrides...)
				}
				var want []string
				if s.names != "" {
					want = []string{s.names}
				}
				if images, told := w.images(uid), w.told(uid); images != s.images || told != s.told || told[0] == 'P' && s.names != "" && !slices.Equal(names, want) {
					t.Errorf("%s: %q, said %q by %v; want %q, said %q by %v", s.name, images, told, names, s.images, s.told, want)
				}
				w.restart()
				w.obey()
				if images := w.images(uid); images != s.images {
					t.Errorf("%s, after a restart: %q, want %q", s.name, images, s.images)
				}
			}
		})
	}
}

// TestTheUnOverriddenFormIsNeverSent: "propagation and override policy deleted together", one request after the other, in
// either order.
func TestTheUnOverriddenFormIsNeverSent(t *testing.T) {
	for _, keeps := range []string{"true", "false"} {
		for _, first := range []string{"override", "policy"} {
			t.Run(first+" first, preserve "+keeps, func(t *testing.T) {
				w := newWorld(t, fleet.GeoAwareness{})
				w.three(roomy)
				w.apply(policyOver("web", spread) + "  preserveResourcesOnDeletion: " + keeps + "\n---" + overriding("demo", "a, b", registry) + "---" + webOf("web", 3, ""))
				w.obey()
				assert := func(when string) {
					t.Helper()
					for _, c := range w.store.of(w.uid("web")) {
						if c.Rendering == 0 {
							t.Fatalf("%s: %s runs the un-overridden form", when, c.ID)
						}
					}
				}
				assert("distributed")
				steps := []func(){func() { w.unoverride("demo") }, func() { w.unpolicy("web") }}
				if first == "policy" {
					slices.Reverse(steps)
				}
				steps[0]()
				w.obey()
				assert("the first is deleted")
				w.advance(time.Second)
				steps[1]()
				w.obey()
				assert("both are deleted")
				w.advance(time.Hour)
				w.obey()
				assert("an hour later")
				want := "a=2 b=1"
				if keeps == "false" {
					want = ""
				}
				if split := w.split(w.uid("web")); split != want {
					t.Errorf("left %q, want %q", split, want)
				}
			})
		}
	}
}

// TestConfigsAreOverriddenBeforeTheyAreRead: what reads a ConfigMap on a cluster is not started before what it is there is
// stored.
func TestConfigsAreOverriddenBeforeTheyAreRead(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	const greeting = `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: OverridePolicy
metadata: {name: greet}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: cm}]
  overrideRules:
    - targetCluster: {clusterNames: [b]}
      overriders: {plaintext: [{operator: replace, path: /data/greeting, value: bonjour}]}
`
	read := func() {
		for _, c := range w.store.of(w.uid("web")) {
			if w.store.nodes[c.Node].Cluster != "b" || c.Stop {
				continue
			}
			n := w.store.bindings[w.uid("cm")].Renderings["b"]
			if x, there := w.store.renderings[w.uid("cm")][n]; !there || n == 0 {
				t.Fatalf("%s was assigned before the ConfigMap was rendered: %s", c.ID, x.Object)
			}
		}
	}
	w.store.after = func() error { w.store.mu.Lock(); defer w.store.mu.Unlock(); return nil }
	w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {}}`) + "  propagateDeps: true\n---" + needsConfig + "---" + configOf("greeting: hello") + "---" + greeting)
	for range 20 {
		if worked, err := w.scheduler.step(t.Context()); err != nil || !worked {
			break
		}
		read()
	}
	w.obey()
	if split := w.split(w.uid("web")); split != "a=1 b=1" {
		t.Errorf("%q; %s", split, w.told(w.uid("web")))
	}
	if n := w.store.bindings[w.uid("cm")].Renderings; len(n) != 1 || n["b"] == 0 {
		t.Errorf("renderings %v, want one for b", n)
	}
}

// TestRenderingsOutliveAFailingStore: a number whose commit may or may not have been stored is never used again.
func TestRenderingsOutliveAFailingStore(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(policyOver("web", spread) + "---" + overriding("demo", "a", registry) + "---" + webOf("web", 3, ""))
	lost := errors.New("the answer is lost")
	w.store.after = func() error { return lost }
	for range 3 {
		if _, err := w.scheduler.step(t.Context()); !errors.Is(err, lost) {
			t.Fatalf("the commit answered %v", err)
		}
	}
	w.store.after = nil
	w.obey()
	if images := w.images(w.uid("web")); images != "a reg.example/nginx:latest=2 b nginx:latest=1" {
		t.Errorf("%q", images)
	}
	if left := len(w.store.renderings[w.uid("web")]); left != 1 {
		t.Errorf("%d renderings are left, want 1", left)
	}
}

// TestABlockedConfigSaysSo: on one cluster it is held back, on the other it is as the override makes it.
func TestABlockedConfigSaysSo(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(configOf("greeting: hello") + `---
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: configs}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [a, b]}}}
---
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: OverridePolicy
metadata: {name: greet}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: cm}]
  overrideRules:
    - {targetCluster: {clusterNames: [a]}, overriders: {plaintext: [{operator: replace, path: /data/greeting, value: bonjour}]}}
    - {targetCluster: {clusterNames: [b]}, overriders: {plaintext: [{operator: replace, path: /data/missing, value: x}]}}
`)
	w.obey()
	uid := w.uid("cm")
	if told := w.told(uid); told != "Placed a=0/0 | override_blocked(b)" {
		t.Errorf("said %q", told)
	}
	if c := w.scheduler.Placement(uid, false).Clusters; len(c) != 1 || !slices.Equal(c[0].Overrides, []string{"OverridePolicy acme/greet"}) {
		t.Errorf("clusters %+v, want a by the override", c)
	}
}

// TestWhatIsHeldBackIsSaidOnce, and never as replicas without a place where all have theirs.
func TestWhatIsHeldBackIsSaidOnce(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(roomy)
	w.apply(policyOver("web", spread) + "---" + webOf("web", 3, ""))
	w.obey()
	uid := w.uid("web")
	w.said(uid)
	w.apply(overriding("bad", "a", `plaintext: [{operator: replace, path: /spec/paused, value: true}]`))
	w.obey()
	w.restart()
	w.obey()
	if said := w.said(uid); !slices.Equal(said, []string{EventOverrideBlocked}) {
		t.Errorf("events %v, want %s once", said, EventOverrideBlocked)
	}
}
