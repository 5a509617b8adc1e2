package scheduler

import (
	"strings"
	"testing"

	"odysseus/fleet"
)

const needsConfig = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: main
          image: nginx
          env: [{name: GREETING, valueFrom: {configMapKeyRef: {name: cm, key: greeting}}}]
`

func configOf(data string) string {
	return "\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {" + data + "}\n"
}

// TestDependencies: nothing is started where something that it needs is not there, and everything as soon as it is.
func TestDependencies(t *testing.T) {
	configs := func(clusters string) string {
		return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: configs}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [` + clusters + `]}}}
`
	}
	policy := func(deps string) string {
		return policyOver("web", `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {}}`) + deps
	}
	apply := func(text string) func(*world) { return func(w *world) { w.apply(text) } }
	type step struct {
		name        string
		do          func(*world)
		split, told string
		config      string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"its own policy brings it", []step{
			{"not there", apply(policy("") + "---" + needsConfig), "", "Pending a=1/0 b=1/0 | waiting_for_dependency(a,b) ConfigMap cm, key greeting", "Waiting"},
			{"there, and nowhere distributed", apply(configOf("greeting: hello")), "", "Pending a=1/0 b=1/0 | waiting_for_dependency(a,b) ConfigMap cm, key greeting", "Waiting | no_policy"},
			{"on one of the two", apply(configs("a")), "a=1", "PartlyPlaced a=1/1 b=1/0 | waiting_for_dependency(b) ConfigMap cm, key greeting", "Placed a=0/0"},
			{"on both", apply(configs("a, b, c")), "a=1 b=1", "Placed a=1/1 b=1/1", "Placed a=0/0 b=0/0 c=0/0"},
		}},
		{"it travels with the workload", []step{
			{"not there", apply(policy("  propagateDeps: true\n") + "---" + needsConfig), "", "Pending a=1/0 b=1/0 | waiting_for_dependency(a,b) ConfigMap cm, key greeting", "Waiting"},
			{"without the key", apply(configOf("other: hello")), "", "Pending a=1/0 b=1/0 | waiting_for_dependency(a,b) ConfigMap cm, key greeting", "Waiting | no_policy"},
			{"with it", apply(configOf("greeting: hello")), "a=1 b=1", "Placed a=1/1 b=1/1", "Placed a=0/0 b=0/0"},
			{"its policy lets nothing travel any more", apply(policy("")), "a=1 b=1", "Placed a=1/1 b=1/1", "Waiting | no_policy"},
			{"and again", apply(policy("  propagateDeps: true\n")), "a=1 b=1", "Placed a=1/1 b=1/1", "Placed a=0/0 b=0/0"},
			{"the workload needs it no more", apply(strings.Split(needsConfig, "          env:")[0]), "a=1 b=1", "Placed a=1/1 b=1/1", "Waiting | no_policy"},
			{"and needs it again", apply(needsConfig), "a=1 b=1", "Placed a=1/1 b=1/1", "Placed a=0/0 b=0/0"},
			{"what runs goes on when it is deleted", func(w *world) { w.discard("cm", false) }, "a=1 b=1", "Placed a=1/1 b=1/1", "Waiting"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.three(roomy)
			for _, s := range tt.steps {
				s.do(w)
				w.obey()
				split, told, config := w.split(w.uid("web")), w.told(w.uid("web")), w.told(w.uid("cm"))
				if stored := w.store.bindings[w.uid("cm")].Clusters; (len(stored) > 0) != strings.Contains(config, "=") {
					t.Errorf("%s: the ConfigMap is stored as on %v, said %q", s.name, stored, config)
				}
				if split != s.split || told != s.told || config != s.config {
					t.Errorf("%s: %q, said %q, the ConfigMap %q;\nwant %q, said %q, the ConfigMap %q", s.name, split, told, config, s.split, s.told, s.config)
				}
			}
		})
	}
}

// TestADeploymentWithoutPolicyTakesItsDependenciesAlong, and waits for them.
func TestADeploymentWithoutPolicyTakesItsDependenciesAlong(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.cluster("a", fleet.AllTenants)
	w.node("node-a", "a", "", "", roomy)
	uid := w.deploy("acme", "web", spec{image: "a", replicas: 1, from: "cm"})
	w.obey()
	if told := w.told(uid); told != "Pending a=1/0 | waiting_for_dependency(a) ConfigMap cm" {
		t.Errorf("said %q", told)
	}
	// Others with the same needs are not held up.
	other := w.deploy("acme", "other", spec{image: "a", replicas: 1})
	w.obey()
	if split := w.split(other); split != "a=1" {
		t.Errorf("the other: %q", split)
	}
	w.apply(configOf(""))
	w.obey()
	if split, told := w.split(uid), w.told(w.uid("cm")); split != "a=1" || told != "Placed a=0/0" {
		t.Errorf("%q, the ConfigMap %q", split, told)
	}
}

func TestNothingIsSilentlyDropped(t *testing.T) {
	tests := []struct{ name, manifest, told string }{
		{"volumes", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {}, template: {spec: {containers: [{name: a, image: a}], volumes: [{name: v, emptyDir: {}}]}}}}`,
			"Pending -a:runtime_unsupported | runtime_unsupported(a) spec.template.spec.volumes"},
		{"a kind that agents know nothing of", `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}`,
			"Pending -a:runtime_unsupported | runtime_unsupported(a) kind"},
		{"a StatefulSet", `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {replicas: 2}}`,
			"Pending -a:runtime_unsupported | runtime_unsupported(a) kind"},
		{"a Secret is there for what runs", `{apiVersion: v1, kind: Secret, metadata: {name: web}}`, "Placed a=0/0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fleet.GeoAwareness{})
			w.cluster("a", fleet.AllTenants)
			w.node("node-a", "a", "", "", roomy)
			w.apply(tt.manifest + `
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: Service}, {apiVersion: apps/v1, kind: StatefulSet}, {apiVersion: v1, kind: Secret}]}
`)
			w.obey()
			if told := w.told(w.uid("web")); told != tt.told {
				t.Errorf("said %q, want %q", told, tt.told)
			}
		})
	}
}

// TestAPartThatWaitsIsDividedAnew: a part given to a cluster where something is missing goes elsewhere once there is
// more room there.
func TestAPartThatWaitsIsDividedAnew(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(slots(1))
	w.changeNode("node-a", func(n *fleet.Node) { n.Capacity = slots(2) })
	w.apply(configOf("greeting: hello") + `---
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: configs}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [b]}}}
---` + policyOver("web", `{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}`) +
		"---" + strings.Replace(needsConfig, "replicas: 2", "replicas: 1", 1))
	w.obey()
	if told := w.told(w.uid("web")); told != "Pending a=1/0 b=0/0 | waiting_for_dependency(a) ConfigMap cm, key greeting" {
		t.Errorf("said %q", told)
	}
	w.changeNode("node-b", func(n *fleet.Node) { n.Capacity = slots(9) })
	w.obey()
	if split := w.split(w.uid("web")); split != "b=1" {
		t.Errorf("with room on b: %q, %s", split, w.told(w.uid("web")))
	}
}

// TestAGangWaitsForItsDependenciesAsAWhole: "all replicas at once or none", also where some clusters lack what is needed.
func TestAGangWaitsForItsDependenciesAsAWhole(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.three(slots(3))
	configs := func(clusters string) string {
		return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: configs}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [` + clusters + `]}}}
`
	}
	job := strings.Replace(jobOf("web", 4, ""), `image: "nginx:latest"`, `image: "nginx:latest", envFrom: [{configMapRef: {name: cm}}]`, 1)
	for _, s := range []struct{ name, apply, split, told string }{
		{"on none", jobPolicy(`{clusterAffinity: {clusterNames: [a, b]}, replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}, customSchedulingType: Gang}}`) + "---" + job,
			"", "Pending a=0/0 b=0/0 | waiting_for_dependency(a,b) ConfigMap cm | gang"},
		{"on one, which has no room for all", configOf("greeting: hello") + "---" + configs("a"), "", "Pending a=0/0 b=0/0 | waiting_for_dependency(b) ConfigMap cm | gang"},
		{"on both", configs("a, b"), "a=2 b=2", "Placed a=2/2 b=2/2"},
	} {
		w.apply(s.apply)
		w.obey()
		if split, told := w.split(w.uid("web")), w.told(w.uid("web")); split != s.split || told != s.told {
			t.Errorf("%s: %q, said %q; want %q, said %q", s.name, split, told, s.split, s.told)
		}
	}
}

// TestAConfigMapTakenOverIsThereAgain: one that was preserved is of no use to what starts, until it is taken over as it was.
func TestAConfigMapTakenOverIsThereAgain(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t, fleet.GeoAwareness{})
		w.three(roomy)
		w.apply(configOf("greeting: hello"))
		w.obey()
		w.discard("cm", true)
		w.apply(policyOver("web", `{clusterAffinity: {clusterNames: [a]}}`) + "  propagateDeps: true\n---" + needsConfig)
		w.obey()
		if told := w.told(w.uid("web")); told != "Pending a=2/0 | waiting_for_dependency(a) ConfigMap cm, key greeting" {
			t.Errorf("said %q", told)
		}
		if restarts {
			w.restart()
			w.obey()
		}
		w.apply(configOf("greeting: hello"))
		w.obey()
		if split := w.split(w.uid("web")); split != "a=2" {
			t.Errorf("taken over: %q, said %q", split, w.told(w.uid("web")))
		}
	}
}
