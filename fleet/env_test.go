package fleet_test

import (
	"reflect"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestEnvironmentOfAContainer(t *testing.T) {
	data := map[string]map[string]string{
		"ConfigMap cm":  {"a": "1", "b": "2", "not a name": "x", "A": "$(HOST)"},
		"ConfigMap two": {"a": "3"},
		"Secret s":      {"token": "t0ps3cret", "bytes": "\xff\xfe", "nul": "a\x00b"},
	}
	lookup := func(kind, name string) (map[string]string, bool) {
		d, found := data[kind+" "+name]
		return d, found
	}
	const named = "name: web, image: nginx, "
	type vars = []fleet.EnvVar
	type deps = []fleet.Dependency
	tests := []struct {
		name, container string
		env             vars
		missing         deps
	}{
		{"nothing", "", nil, nil},
		{"a value", "env: [{name: A, value: x}, {name: B}]", vars{{Name: "A", Value: "x"}, {Name: "B"}}, nil},
		{"a later one wins, in the place of the first", "env: [{name: A, value: x}, {name: B, value: y}, {name: A, value: z}]", vars{{Name: "A", Value: "z"}, {Name: "B", Value: "y"}}, nil},
		{"all keys that are names", "envFrom: [{configMapRef: {name: cm}}]", vars{{Name: "A", Value: "$(HOST)"}, {Name: "a", Value: "1"}, {Name: "b", Value: "2"}}, nil},
		{"with a prefix", "envFrom: [{prefix: P_, configMapRef: {name: two}}]", vars{{Name: "P_a", Value: "3"}}, nil},
		{"a later source wins, and env over both", "envFrom: [{configMapRef: {name: cm}}, {configMapRef: {name: two}}], env: [{name: b, value: x}]",
			vars{{Name: "A", Value: "$(HOST)"}, {Name: "a", Value: "3"}, {Name: "b", Value: "x"}}, nil},
		{"single keys", "env: [{name: T, valueFrom: {secretKeyRef: {name: s, key: token}}}, {name: N, valueFrom: {configMapKeyRef: {name: cm, key: not.there, optional: true}}}, {name: A, valueFrom: {configMapKeyRef: {name: cm, key: a}}}]",
			vars{{Name: "T", Value: "t0ps3cret"}, {Name: "A", Value: "1"}}, nil},
		{"an optional key leaves what there was", "env: [{name: A, value: x}, {name: A, valueFrom: {configMapKeyRef: {name: none, key: a, optional: true}}}]", vars{{Name: "A", Value: "x"}}, nil},
		{"optional sources", "envFrom: [{configMapRef: {name: none, optional: true}}, {secretRef: {name: none, optional: true}}]", nil, nil},
		{"what is missing is named, and the rest resolved", "envFrom: [{secretRef: {name: none}}, {configMapRef: {name: two}}], env: [{name: A, valueFrom: {configMapKeyRef: {name: cm, key: z}}}, {name: B, valueFrom: {configMapKeyRef: {name: no, key: z}}}, {name: C, value: c}]",
			vars{{Name: "a", Value: "3"}, {Name: "C", Value: "c"}}, deps{{Kind: "ConfigMap", Name: "cm", Key: "z"}, {Kind: "ConfigMap", Name: "no", Key: "z"}, {Kind: "Secret", Name: "none"}}},
		{"what no process can be given", "envFrom: [{secretRef: {name: s}}], env: [{name: B, valueFrom: {secretKeyRef: {name: s, key: bytes, optional: true}}}]",
			vars{{Name: "token", Value: "t0ps3cret"}}, deps{{Kind: "Secret", Name: "s", Key: "bytes"}, {Kind: "Secret", Name: "s", Key: "nul"}}},
		{"earlier variables in values", "envFrom: [{configMapRef: {name: two}}], env: [{name: A, value: $(a)-$(B)-$$(a)-$$-$(a}, {name: B, value: $(A)}, {name: T, valueFrom: {secretKeyRef: {name: s, key: token}}}, {name: U, value: \"user:$(T)\"}]",
			vars{{Name: "a", Value: "3"}, {Name: "A", Value: "3-$(B)-$(a)-$-$(a"}, {Name: "B", Value: "3-$(B)-$(a)-$-$(a"}, {Name: "T", Value: "t0ps3cret"}, {Name: "U", Value: "user:t0ps3cret"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			template, unsupported, _ := templateOf(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{"+named+tt.container+"}]}}}}")
			if len(unsupported) > 0 {
				t.Fatal(unsupported)
			}
			env, missing := fleet.ResolveEnv(template.Containers[0], lookup)
			if !reflect.DeepEqual(env, tt.env) || !reflect.DeepEqual(missing, tt.missing) {
				t.Errorf("resolved\n%+v, missing %+v, want\n%+v, missing %+v", env, missing, tt.env, tt.missing)
			}
		})
	}
}

func TestVariablesInCommandAndArguments(t *testing.T) {
	env := []fleet.EnvVar{{Name: "A", Value: "x"}, {Name: "EMPTY"}, {Name: "NESTED", Value: "$(A)"}}
	tests := map[string]string{
		"": "", "a": "a", "$(A)": "x", "<$(A)$(A)>": "<xx>", "$(EMPTY)": "", "$(NESTED)": "$(A)", "$(NONE)": "$(NONE)", "$()": "$()",
		"$$(A)": "$(A)", "$$$(A)": "$x", "$$": "$", "$": "$", "$A": "$A", "${A}": "${A}", "$(A": "$(A", "a$(date +%s)b": "a$(date +%s)b", "$(A$(A))": "$(A$(A))", "$$$": "$$",
	}
	for text, want := range tests {
		c := fleet.PodContainer{Name: "web", Command: []string{text}, Args: []string{text, "-"}}
		command, args := c.Expanded(env)
		if !reflect.DeepEqual(command, []string{want}) || !reflect.DeepEqual(args, []string{want, "-"}) {
			t.Errorf("%q is %q, %q, want %q", text, command, args, want)
		}
		if !reflect.DeepEqual(c.Command, []string{text}) {
			t.Errorf("%q was changed", text)
		}
		c.Name = ""
		if command, args := c.Expanded(env); !reflect.DeepEqual(command, c.Command) || !reflect.DeepEqual(args, c.Args) {
			t.Errorf("%q of a Deployment of ours is %q, %q", text, command, args)
		}
	}
	if command, args := (fleet.PodContainer{Name: "web"}).Expanded(env); command != nil || args != nil {
		t.Errorf("nothing is %q, %q", command, args)
	}
}

func TestADeploymentsValuesStandAsWritten(t *testing.T) {
	d, faults, _ := check(t, head+"  env: [{name: A, value: x}, {name: B, value: $(A)$$}]\n", fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	env, missing := fleet.ResolveEnv(d.Spec.PodTemplate().Containers[0], nil)
	if want := d.Spec.Env; !reflect.DeepEqual(env, want) || missing != nil {
		t.Errorf("resolved %+v, %v, want %+v", env, missing, want)
	}
}

func TestVariablesComeBackAsTheyWereWritten(t *testing.T) {
	d, faults, _ := check(t, head+"  env: [{name: A, value: \"\"}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: C, valueFrom: {configMapKeyRef: {name: c, key: k, optional: true}}}]\n  envFrom: [{prefix: P_, secretRef: {name: s}}, {configMapRef: {name: c, optional: true}}]\n", fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	text, err := fleet.YAML(struct {
		Env     []fleet.EnvVar        `json:"env"`
		EnvFrom []fleet.EnvFromSource `json:"envFrom"`
	}{d.Spec.Env, d.Spec.EnvFrom})
	want := `env:
  - name: A
    value: ""
  - name: B
    valueFrom:
      secretKeyRef:
        name: s
        key: k
  - name: C
    valueFrom:
      configMapKeyRef:
        name: c
        key: k
        optional: true
envFrom:
  - prefix: P_
    secretRef:
      name: s
  - configMapRef:
      name: c
      optional: true
`
	if text != want || err != nil {
		t.Errorf("came back as\n%s, %v, want\n%s", text, err, want)
	}
	again, faults, _ := check(t, head+"  "+strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")+"\n", fleet.FormatYAML)
	if len(faults) > 0 || !fleet.SameTemplate(again.Spec, d.Spec) {
		t.Errorf("read again: %+v, %v", again.Spec, faults)
	}
}

func TestDependencies(t *testing.T) {
	const env = "envFrom: [{configMapRef: {name: all}}, {secretRef: {name: s, optional: true}}], env: [{name: A, valueFrom: {configMapKeyRef: {name: cm, key: a, optional: true}}}, {name: B, valueFrom: {configMapKeyRef: {name: cm, key: a}}}, {name: C, valueFrom: {secretKeyRef: {name: s, key: c}}}]"
	const ofEnv = "ConfigMap all, ConfigMap cm/a, Secret s?, Secret s/c"
	pod := "{containers: [{" + env + "}, {}]}"
	tests := []struct{ name, manifest, want string }{
		{"a Deployment of ours", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {image: nginx, " + env + "}", ofEnv},
		{"a Deployment", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: " + pod + "}}", ofEnv},
		{"a StatefulSet", "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {template: {spec: " + pod + "}}", ofEnv},
		{"a DaemonSet", "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {template: {spec: " + pod + "}}", ofEnv},
		{"a Job", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: " + pod + "}}", ofEnv},
		{"a CronJob", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {spec: {template: {spec: " + pod + "}}}}", ofEnv},
		{"a Pod", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " + pod, ofEnv},
		{"a kind that is not built in", "apiVersion: example.com/v1\nkind: Rollout\nmetadata: {name: a}\nspec: {template: {spec: " + pod + "}}", ofEnv},
		{"init containers", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {initContainers: [{" + env + "}]}", ofEnv},
		{"volumes and pull secrets", `apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  imagePullSecrets: [{name: pull}, {}]
  volumes:
    - {name: a, configMap: {name: cm, items: [{key: a, path: a}]}}
    - {name: b, secret: {secretName: s, optional: true}}
    - {name: c, projected: {sources: [{configMap: {name: p}}, {secret: {name: q}}, {serviceAccountToken: {path: t}}]}}
    - {name: d, azureFile: {secretName: azure, shareName: x}}
    - {name: e, csi: {driver: x, nodePublishSecretRef: {name: csi}}}
    - {name: f, cephfs: {secretRef: {name: ceph}}}
    - {name: g, emptyDir: {}}
`, "ConfigMap cm, ConfigMap p, Secret azure, Secret ceph, Secret csi, Secret pull?, Secret q, Secret s?"},
		{"no pod template", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}", ""},
		{"other shapes", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: {a: b}, volumes: [a, {secret: [x]}], imagePullSecrets: [{name: 1}]}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.manifest)
			if got := spelt(fleet.DependenciesOf(&r)); got != tt.want {
				t.Errorf("names %s, want %s", got, tt.want)
			}
		})
	}
	d, faults, _ := check(t, head+"  "+strings.ReplaceAll(env, "], env", "]\n  env")+"\n", fleet.FormatYAML)
	if got := spelt(d.Spec.Dependencies()); len(faults) > 0 || got != ofEnv {
		t.Errorf("a spec names %s, want %s; %v", got, ofEnv, faults)
	}
}

// spelt is "Kind name/key?" of each, the question mark for an optional one.
func spelt(all []fleet.Dependency) string {
	var out []string
	for _, d := range all {
		s := d.Kind + " " + d.Name
		if d.Key != "" {
			s += "/" + d.Key
		}
		if d.Optional {
			s += "?"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestKeysOfData(t *testing.T) {
	for manifest, want := range map[string][]string{
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: x, a: y}, binaryData: {c: eA==}}":           {"a", "b"},
		"{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {b: <hidden>, a: eA==}, stringData: {c: x, a: z}}": {"a", "b", "c"},
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}":                                                      nil,
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: [a]}":                                           nil,
		"{apiVersion: example.com/v1, kind: Secret, metadata: {name: a}, data: {a: b}}":                               nil,
	} {
		r := resource(t, manifest)
		if got := r.DataKeys(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, want %v", manifest, got, want)
		}
	}
}

func TestWhatReplacesContainers(t *testing.T) {
	base := deploymentOf("replicas: 2", "terminationGracePeriodSeconds: 30", "resources: {requests: {cpu: 1}}")
	changed := func(old, now string) string {
		out := strings.Replace(base, old, now, 1)
		if out == base {
			t.Fatalf("%q is not in %s", old, base)
		}
		return out
	}
	tests := []struct {
		name, manifest string
		same           bool
	}{
		{"nothing", base, true},
		{"the count", changed("replicas: 2", "replicas: 5"), true},
		{"metadata of the resource", changed("name: web, namespace", "labels: {a: b}, annotations: {c: d}, name: web, namespace"), true},
		{"fields beside the template", changed("replicas: 2", "replicas: 2, revisionHistoryLimit: 3"), true},
		{"the order of keys", changed("name: web, image: nginx", "image: nginx, name: web"), true},
		{"a default said or not", changed(", terminationGracePeriodSeconds: 30", ""), true},
		{"another spelling of a quantity", changed("cpu: 1", "cpu: 1000m"), true},
		{"what has no effect", changed("image: nginx", "image: nginx, imagePullPolicy: Always"), true},
		{"the image", changed("image: nginx", "image: nginx:2"), false},
		{"a variable", changed("image: nginx", "image: nginx, env: [{name: A, value: x}]"), false},
		{"a request", changed("cpu: 1", "cpu: 2"), false},
		{"a limit", changed("resources: {", "resources: {limits: {cpu: 1}, "), false},
		{"an annotation of the pods", changed("template: {", "template: {metadata: {annotations: {restartedAt: now}}, "), false},
		{"what agents do not run", changed("image: nginx", "image: nginx, livenessProbe: {exec: {command: [a]}}"), false},
		{"one more container", changed("containers: [", "containers: [{name: log, image: log}, "), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := resource(t, base), resource(t, tt.manifest)
			if fleet.SameTemplateResource(&a, &b) != tt.same || fleet.SameTemplateResource(&b, &a) != tt.same {
				t.Errorf("the same: %v, want %v", !tt.same, tt.same)
			}
		})
	}
	for name, tt := range map[string]struct {
		a, b string
		same bool
	}{
		"a ConfigMap's data":     {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: c}}", true},
		"a Job's count":          {jobOf("parallelism: 1", "restartPolicy: Never"), jobOf("parallelism: 2, completions: 2", "restartPolicy: Never"), true},
		"a Job's policy":         {jobOf("", "restartPolicy: Never"), jobOf("", "restartPolicy: OnFailure"), false},
		"a StatefulSet's claims": {"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {template: {spec: {x: 1}}}}", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {template: {spec: {x: 1, y: null}}, serviceName: a}}", true},
		"a StatefulSet's pods":   {"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {template: {spec: {x: [1, 2]}}}}", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {template: {spec: {x: [2, 1]}}}}", false},
		"a Pod":                  {"{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {a: b}}", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {a: c}}", false},
	} {
		a, b := resource(t, tt.a), resource(t, tt.b)
		if fleet.SameTemplateResource(&a, &b) != tt.same {
			t.Errorf("%s: the same: %v", name, !tt.same)
		}
	}
}
