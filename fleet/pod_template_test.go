package fleet_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// deploymentOf is an apps/v1 Deployment with more fields of its spec, its pods and its one container; each may be empty.
func deploymentOf(spec, pod, container string) string {
	join := func(first, more string) string { return strings.TrimSuffix(first+", "+more, ", ") }
	return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: demo}, spec: {" +
		join("template: {spec: {"+join("containers: [{"+join("name: web, image: nginx", container)+"}]", pod)+"}}", spec) + "}}"
}

func jobOf(spec, pod string) string {
	return strings.Replace(deploymentOf(spec, pod, ""), "apps/v1, kind: Deployment", "batch/v1, kind: Job", 1)
}

func templateOf(t *testing.T, manifest string) (fleet.PodTemplate, []string, bool) {
	t.Helper()
	r := resource(t, manifest)
	return fleet.PodTemplateOf(&r)
}

func TestAPodTemplateIsReadWhole(t *testing.T) {
	got, unsupported, known := templateOf(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: demo, labels: {a: b}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
        - name: web
          image: registry.example/web:1
          command: [/bin/web]
          args: ["--port", "80"]
          env:
            - {name: A, value: a}
            - {name: A, value: b}
            - {name: B, valueFrom: {configMapKeyRef: {name: cm, key: b, optional: true}}}
            - {name: C, valueFrom: {secretKeyRef: {name: s, key: c}}}
          envFrom: [{prefix: P_, configMapRef: {name: cm}}, {secretRef: {name: s, optional: true}}]
          ports: [{name: http, containerPort: 80}, {containerPort: 53, protocol: UDP}]
          resources: {requests: {cpu: 100m}, limits: {cpu: 1, memory: 1Gi}}
        - {name: log, image: "registry.example/log@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
status: {replicas: 3}
`)
	want := fleet.PodTemplate{
		RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: 5,
		Containers: []fleet.PodContainer{{
			Name: "web", Image: "registry.example/web:1", Command: []string{"/bin/web"}, Args: []string{"--port", "80"},
			Env: []fleet.EnvVar{
				{Name: "A", Value: "a"}, {Name: "A", Value: "b"},
				{Name: "B", ValueFrom: &fleet.EnvVarSource{ConfigMapKeyRef: &fleet.KeySelector{Name: "cm", Key: "b", Optional: true}}},
				{Name: "C", ValueFrom: &fleet.EnvVarSource{SecretKeyRef: &fleet.KeySelector{Name: "s", Key: "c"}}},
			},
			EnvFrom: []fleet.EnvFromSource{{Prefix: "P_", ConfigMapRef: &fleet.NameSelector{Name: "cm"}}, {SecretRef: &fleet.NameSelector{Name: "s", Optional: true}}},
			Ports:   []fleet.Port{{ContainerPort: 80, Protocol: "TCP"}, {ContainerPort: 53, Protocol: "UDP"}},
			// "A limit without a request is the request."
			Resources: &fleet.Resources{Requests: &fleet.ResourceList{CPU: "100m", Memory: "1Gi"}, Limits: &fleet.ResourceList{CPU: "1", Memory: "1Gi"}},
		}, {Name: "log", Image: "registry.example/log@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}},
	}
	if !known || len(unsupported) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v, %v, %v, want\n%+v", got, unsupported, known, want)
	}
}

func TestDefaultsOfPodTemplates(t *testing.T) {
	tests := []struct {
		name, manifest string
		policy         string
	}{
		{"a Deployment", deploymentOf("", "", ""), fleet.RestartAlways},
		{"a Job that is tried again", jobOf("", "restartPolicy: OnFailure"), fleet.RestartOnFailure},
		{"a Job that is not", jobOf("parallelism: 3, completions: 3", "restartPolicy: Never"), fleet.RestartNever},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, unsupported, known := templateOf(t, tt.manifest)
			want := fleet.PodTemplate{RestartPolicy: tt.policy, TerminationGracePeriodSeconds: 30, Containers: []fleet.PodContainer{{Name: "web", Image: "nginx"}}}
			if !known || len(unsupported) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("read\n%+v, %v, %v, want\n%+v", got, unsupported, known, want)
			}
		})
	}
}

func TestWhatAgentsCannotRunIsNamed(t *testing.T) {
	const spec, pod, container = "spec.", "spec.template.spec.", "spec.template.spec.containers[0]."
	tests := []struct {
		name, manifest string
		want           []string
	}{
		{"volumes", deploymentOf("", "volumes: [{name: a, emptyDir: {}}]", "volumeMounts: [{name: a, mountPath: /a}]"), []string{container + "volumeMounts", pod + "volumes"}},
		{"probes and hooks", deploymentOf("", "", "livenessProbe: {exec: {command: [a]}}, readinessProbe: {tcpSocket: {port: 1}}, startupProbe: {tcpSocket: {port: 1}}, lifecycle: {preStop: {exec: {command: [a]}}}"),
			[]string{container + "lifecycle", container + "livenessProbe", container + "readinessProbe", container + "startupProbe"}},
		{"init containers", deploymentOf("", "initContainers: [{name: i, image: nginx}]", ""), []string{pod + "initContainers"}},
		{"a place of its own", deploymentOf("", "nodeName: n, nodeSelector: {a: b}, affinity: {nodeAffinity: {}}, tolerations: [{operator: Exists}], topologySpreadConstraints: [{maxSkew: 1}], schedulerName: mine", ""),
			[]string{pod + "affinity", pod + "nodeName", pod + "nodeSelector", pod + "schedulerName", pod + "tolerations", pod + "topologySpreadConstraints"}},
		{"the host's", deploymentOf("", "hostNetwork: true, hostPID: true, hostIPC: true, hostAliases: [{ip: 10.0.0.1}], dnsPolicy: Default, dnsConfig: {nameservers: [10.0.0.1]}", "ports: [{containerPort: 80, hostPort: 80, hostIP: 10.0.0.1}]"),
			[]string{container + "ports[0].hostIP", container + "ports[0].hostPort", pod + "dnsConfig", pod + "dnsPolicy", pod + "hostAliases", pod + "hostIPC", pod + "hostNetwork", pod + "hostPID"}},
		{"confinement", deploymentOf("", "securityContext: {runAsUser: 1}, runtimeClassName: gvisor", "securityContext: {privileged: true}"),
			[]string{container + "securityContext", pod + "runtimeClassName", pod + "securityContext"}},
		{"confinement by annotation", strings.Replace(deploymentOf("", "", ""), "template: {", "template: {metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/web: localhost/a}}, ", 1), []string{"spec.template.metadata.annotations"}},
		{"an identity", deploymentOf("", "serviceAccountName: robot, serviceAccount: robot, automountServiceAccountToken: true, imagePullSecrets: [{name: a}]", ""),
			[]string{pod + "automountServiceAccountToken", pod + "imagePullSecrets", pod + "serviceAccount", pod + "serviceAccountName"}},
		{"values of the pod", deploymentOf("", "", "env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]"),
			[]string{container + "env[0].valueFrom.fieldRef", container + "env[1].valueFrom.resourceFieldRef"}},
		{"broken sources", deploymentOf("", "", "env: [{name: 1A}, {value: x}, {name: A, value: x, valueFrom: {secretKeyRef: {name: S, key: a/b}}}], envFrom: [{}, {configMapRef: {name: a}, secretRef: {name: b}}, {prefix: 1a, secretRef: {}}]"),
			[]string{container + "envFrom[0]", container + "envFrom[1].secretRef", container + "envFrom[2].prefix", container + "envFrom[2].secretRef.name",
				container + "env[0].name", container + "env[1].name", container + "env[2].value", container + "env[2].valueFrom.secretKeyRef.key", container + "env[2].valueFrom.secretKeyRef.name"}},
		{"other resources", deploymentOf("", "", "resources: {requests: {ephemeral-storage: 1Gi}, limits: {nvidia.com/gpu: 1, cpu: much, memory: -1}, claims: [{name: a}]}"),
			[]string{container + "resources.claims", container + "resources.limits.cpu", container + "resources.limits.memory", container + "resources.limits[nvidia.com/gpu]", container + "resources.requests.ephemeral-storage"}},
		{"more than the limit", deploymentOf("", "", "resources: {requests: {cpu: 2}, limits: {cpu: 1}}"), []string{container + "resources.requests.cpu"}},
		{"ports", deploymentOf("", "", "ports: [{containerPort: 0}, {containerPort: 1, protocol: SCTP}, {containerPort: http}, {name: a}]"),
			[]string{container + "ports[0].containerPort", container + "ports[1].protocol", container + "ports[2].containerPort", container + "ports[3].containerPort"}},
		{"how it is pulled, and what it leaves", deploymentOf("", "", "imagePullPolicy: Never, terminationMessagePath: /a, terminationMessagePolicy: FallbackToLogsOnError, tty: true, stdin: true, workingDir: /a, resizePolicy: [{resourceName: cpu}]"),
			[]string{container + "imagePullPolicy", container + "resizePolicy", container + "stdin", container + "terminationMessagePath", container + "terminationMessagePolicy", container + "tty", container + "workingDir"}},
		{"pulling a tagged image anew", strings.Replace(deploymentOf("", "", "imagePullPolicy: Always"), "image: nginx", `image: "nginx:1"`, 1), []string{container + "imagePullPolicy"}},
		{"what is no container", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{image: A B, command: [1], args: [\"a\\0\"]}, null, {name: a, image: a}, {name: a, image: b}, {name: A.b, image: a}, c]}}}}",
			[]string{"spec.template.spec.containers[0].args[0]", "spec.template.spec.containers[0].command[0]", "spec.template.spec.containers[0].image", "spec.template.spec.containers[0].name",
				"spec.template.spec.containers[1].image", "spec.template.spec.containers[1].name", "spec.template.spec.containers[3].name",
				"spec.template.spec.containers[4].name", "spec.template.spec.containers[5]", "spec.template.spec.containers[5].image", "spec.template.spec.containers[5].name"}},
		{"no containers", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: []}}}}", []string{pod + "containers"}},
		{"no template", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}", []string{pod + "containers"}},
		{"another shape", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: [a]}, rules: [a]}", []string{"rules", "spec.template", pod + "containers"}},
		{"a rollout of another kind", deploymentOf("strategy: {type: Recreate}, paused: true, minReadySeconds: 5, replica: 2", "", ""),
			[]string{spec + "minReadySeconds", spec + "paused", spec + "replica", spec + "strategy.type"}},
		{"a rollout without one more", deploymentOf("strategy: {rollingUpdate: {maxSurge: 0%, maxUnavailable: 1}}", "", ""), []string{spec + "strategy.rollingUpdate.maxSurge"}},
		{"an end", deploymentOf("", "restartPolicy: Never, terminationGracePeriodSeconds: 3601, activeDeadlineSeconds: 5", ""),
			[]string{pod + "activeDeadlineSeconds", pod + "restartPolicy", pod + "terminationGracePeriodSeconds"}},
		{"a Job in several rounds", jobOf("parallelism: 2, completions: 3", "restartPolicy: Never"), []string{spec + "completions"}},
		{"a Job in several rounds, one at a time", jobOf("completions: 2", "restartPolicy: Never"), []string{spec + "completions"}},
		{"a Job's limits", jobOf("backoffLimit: 2, activeDeadlineSeconds: 10, ttlSecondsAfterFinished: 10, suspend: true, completionMode: Indexed, podFailurePolicy: {rules: [{action: Ignore}]}", "restartPolicy: Never"),
			[]string{spec + "activeDeadlineSeconds", spec + "backoffLimit", spec + "completionMode", spec + "podFailurePolicy", spec + "suspend", spec + "ttlSecondsAfterFinished"}},
		{"a Job that is tried once, and at each failure", jobOf("backoffLimit: 0", "restartPolicy: OnFailure"), []string{spec + "backoffLimit"}},
		{"a Job that runs always", jobOf("", "restartPolicy: Always"), []string{pod + "restartPolicy"}},
		{"a Job that does not say", jobOf("", ""), []string{pod + "restartPolicy"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got, known := templateOf(t, tt.manifest)
			if !known || !slices.Equal(got, tt.want) {
				t.Errorf("unsupported\n%s, %v, want\n%s", strings.Join(got, "\n"), known, strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestWhatChangesNothingPasses(t *testing.T) {
	for name, manifest := range map[string]string{
		"what a server fills in": deploymentOf("progressDeadlineSeconds: 600, revisionHistoryLimit: 10, strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}, selector: {matchLabels: {a: b}}",
			"dnsPolicy: ClusterFirst, restartPolicy: Always, schedulerName: default-scheduler, securityContext: {}, terminationGracePeriodSeconds: 30, serviceAccountName: default",
			"imagePullPolicy: Always, resources: {}, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File, securityContext: {}, livenessProbe: null, volumeMounts: []"),
		"what a server fills in for a Job": jobOf("backoffLimit: 6, completionMode: NonIndexed, suspend: false, manualSelector: false, podReplacementPolicy: TerminatingOrFailed", "restartPolicy: OnFailure"),
		"a Job that is tried once":         jobOf("backoffLimit: 0", "restartPolicy: Never"),
		"fewer completions":                jobOf("parallelism: 3, completions: 2", "restartPolicy: Never"),
		"nothing of the host's":            deploymentOf("", "hostNetwork: false, hostPID: false, automountServiceAccountToken: false, enableServiceLinks: false, volumes: [], nodeSelector: {}", "ports: [{containerPort: 80, hostPort: 0}], tty: false, imagePullPolicy: IfNotPresent"),
		"an annotation":                    strings.Replace(deploymentOf("", "", ""), "template: {", "template: {metadata: {annotations: {kubectl.kubernetes.io/restartedAt: now}, creationTimestamp: null}, ", 1),
	} {
		if _, got, known := templateOf(t, manifest); !known || len(got) > 0 {
			t.Errorf("%s: unsupported %v, %v", name, got, known)
		}
	}
}

func TestOtherKindsDoNotRunOnAgents(t *testing.T) {
	for _, kind := range []string{"apps/v1 StatefulSet", "apps/v1 DaemonSet", "apps/v1 ReplicaSet", "batch/v1 CronJob", "v1 Pod", "v1 ConfigMap", "batch/v1beta1 Job", "example.com/v1 Deployment"} {
		version, name, _ := strings.Cut(kind, " ")
		got, unsupported, known := templateOf(t, "{apiVersion: "+version+", kind: "+name+", metadata: {name: a}, spec: {template: {spec: {containers: [{name: a, image: nginx}]}}}}")
		if known || !slices.Equal(unsupported, []string{"kind"}) || got.Containers != nil {
			t.Errorf("%s: %+v, %v, %v", kind, got, unsupported, known)
		}
	}
}

func TestADeploymentIsOneContainerWithoutAName(t *testing.T) {
	d, faults, _ := check(t, head+"  command: [a]\n  env: [{name: A, value: x}]\n  envFrom: [{secretRef: {name: s}}]\n  terminationGracePeriodSeconds: 3\n  resources: {limits: {cpu: 1}}\n", fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := fleet.PodTemplate{
		RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: 3,
		Containers: []fleet.PodContainer{{
			Image: "registry.example.com/ledger-api:1.4.0", Command: []string{"a"}, Env: []fleet.EnvVar{{Name: "A", Value: "x"}},
			EnvFrom: []fleet.EnvFromSource{{SecretRef: &fleet.NameSelector{Name: "s"}}}, Resources: &fleet.Resources{Limits: &fleet.ResourceList{CPU: "1"}},
		}},
	}
	if got := d.Spec.PodTemplate(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	if got := (&fleet.DeploymentSpec{}).PodTemplate().TerminationGracePeriodSeconds; got != fleet.DefaultGrace {
		t.Errorf("a grace of %d", got)
	}
}

func FuzzPodTemplate(f *testing.F) {
	f.Add([]byte(deploymentOf("strategy: {type: Recreate}", "volumes: [{secret: {secretName: a}}]", "env: [{name: A, value: $(B)}], envFrom: [{configMapRef: {name: c}}], resources: {limits: {cpu: 1}}")))
	f.Add([]byte(jobOf("parallelism: 2, completions: 3", "restartPolicy: Never")))
	f.Add([]byte("{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{envFrom: [{secretRef: {name: a}}]}]}}}}}}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		docs, _ := fleet.Parse(body, fleet.FormatYAML)
		for _, doc := range docs {
			r, faults := fleet.DecodeResource(doc, nil)
			if len(faults) > 0 {
				continue
			}
			template, unsupported, known := fleet.PodTemplateOf(&r)
			if !slices.IsSorted(unsupported) || !known && !slices.Equal(unsupported, []string{"kind"}) || known && len(unsupported) == 0 && len(template.Containers) == 0 {
				t.Fatalf("unsupported %v, %v, %+v", unsupported, known, template)
			}
			if !fleet.SameTemplateResource(&r, &r) {
				t.Fatal("it differs from itself")
			}
			if need := r.Requests(); need.MilliCPU < 0 || need.Memory < 0 || need.Slots < 1 {
				t.Fatalf("it takes %+v", need)
			}
			dependencies := fleet.DependenciesOf(&r)
			for _, c := range template.Containers {
				lookup := func(kind, name string) (map[string]string, bool) {
					return map[string]string{"a": "$(A)", "b c": "x", "d": "\xff"}, name != "c"
				}
				env, missing := fleet.ResolveEnv(c, lookup)
				c.Expanded(env)
				for _, m := range missing {
					if len(unsupported) == 0 && !slices.ContainsFunc(dependencies, func(d fleet.Dependency) bool { return d.Kind == m.Kind && d.Name == m.Name }) {
						t.Fatalf("%+v is missing and no dependency", m)
					}
				}
			}
		}
	})
}
