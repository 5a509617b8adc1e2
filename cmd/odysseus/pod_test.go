package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"odysseus/agent"
	"odysseus/agent/simulated"
	"odysseus/control"
	"odysseus/fleet"
)

// runAgent runs a real agent on the simulated runtime until the test ends. Every container that it starts is told to
// started.
func (p *plane) runAgent(name, cluster string, started func(fleet.Assignment)) *simulated.Engine {
	p.t.Helper()
	r := p.must(http.StatusCreated, http.MethodPost, "/api/v1/clusters/"+cluster+"/enrolment-tokens", operatorToken, map[string]any{"expiresIn": "5m", "uses": 1})
	token := filepath.Join(p.t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(secretOf(p.t, r, "token")), 0o600); err != nil {
		p.t.Fatal(err)
	}
	engine := simulated.NewEngine(simulated.Options{Behave: func(a fleet.Assignment) simulated.Behaviour {
		started(a)
		return simulated.ByAssignment(a)
	}})
	config := agent.Config{ControlPlane: p.base, Name: name, Cluster: cluster, EnrolmentTokenFile: token, Country: "CA", Runtime: fleet.RuntimeSimulated,
		Capacity: agent.Capacity{CPU: "4", Memory: "8Gi", Containers: 10}, StateDir: filepath.Join(p.t.TempDir(), "state")}
	a, faults := agent.New(agent.Options{Config: config, Runtime: engine.Runtime("")})
	if len(faults) > 0 {
		p.t.Fatal(faults)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	p.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			p.t.Errorf("agent ended: %v", err)
		}
	})
	return engine
}

// await asks again until it is so.
func (p *plane) await(what string, is func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !is() {
		if time.Now().After(deadline) {
			p.t.Fatalf("still not: %s", what)
		}
		time.Sleep(20 * time.Millisecond) // the agent runs by the machine's clock; there is no event to await
	}
}

// resourcePlacement of a resource of acme.
func (p *plane) resourcePlacement(token, apiVersion, kind, name string) fleet.PlacementReport {
	p.t.Helper()
	query := url.Values{"apiVersion": {apiVersion}, "kind": {kind}, "name": {name}}
	var report fleet.PlacementReport
	p.must(http.StatusOK, http.MethodGet, "/api/v1/namespaces/acme/resources/placement?"+query.Encode(), token, nil).decode(p.t, &report)
	return report
}

// contained is "deployment state message: parts" of each replica that the control plane knows on a node.
func (p *plane) contained(node string) []string {
	p.t.Helper()
	rows, err := p.parts.control.NodeContainers(p.t.Context(), control.Actor{Role: fleet.RoleOperator}, node)
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s %s %s: %d of %d", r.Deployment, r.State, r.Message, len(r.Parts), r.Requests.Slots))
	}
	slices.Sort(out)
	return out
}

const shop = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: everything, namespace: acme}
spec:
  propagateDeps: true
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment}
    - {apiVersion: batch/v1, kind: Job}
  placement: {}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: acme}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
        - name: web
          image: registry.example/web:1
          args: ["--token=$(TOKEN)", "--page=$(page)"]
          envFrom: [{configMapRef: {name: settings}}]
          env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: login, key: token}}}]
        - {name: log, image: registry.example/log:1}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: acme}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: registry.example/once:1, command: [exit, "0"]}]
`

// TestPodTemplatesRunOnAgents: containers of one replica run together, with the values of the ConfigMap and the Secret
// that travel with them, and not before these are there; their ends are told, and a deleted workload leaves nothing.
func TestPodTemplatesRunOnAgents(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("c1")
	started := make(chan fleet.Assignment, 100)
	engine := p.runAgent("n1", "c1", func(a fleet.Assignment) { started <- a })
	p.must(http.StatusOK, http.MethodPost, "/api/v1/apply", token, shop)
	placed := func() fleet.PlacementReport { return p.resourcePlacement(token, "apps/v1", "Deployment", "shop") }
	p.await("shop waits for what it needs", func() bool {
		pending := placed().Pending
		return pending != nil && slices.ContainsFunc(pending.Reasons, func(why fleet.Reason) bool { return why.Code == fleet.ReasonWaitingDependency })
	})
	p.must(http.StatusOK, http.MethodPost, "/api/v1/apply", token, `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: acme}
data: {page: "10", 1page: x}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: acme}
stringData: {token: t0ps3cret}
`)
	p.await("shop runs and once is done", func() bool {
		return slices.Equal(p.contained("n1"), []string{"once exited exit code 0: 0 of 1", "shop running : 2 of 2"})
	})
	if r := placed(); r.State != fleet.Placed || len(r.Clusters) != 1 || r.Clusters[0].Name != "c1" || r.Clusters[0].Placed != 1 || r.Clusters[0].Ready != 1 {
		t.Errorf("shop is placed as %+v", r)
	}
	first := map[string]fleet.Assignment{}
	for range 3 {
		a := <-started
		_, name := fleet.CutContainerID(a.ID)
		first[a.Deployment+" "+name] = a
	}
	web, log, main := first["shop web"], first["shop log"], first["once "]
	wantEnv := []fleet.EnvVar{{Name: "page", Value: "10"}, {Name: "TOKEN", Value: "t0ps3cret"}}
	if web.Image != "registry.example/web:1" || !slices.Equal(web.Args, []string{"--token=t0ps3cret", "--page=10"}) || !reflect.DeepEqual(web.Env, wantEnv) ||
		web.RestartPolicy != fleet.RestartAlways || web.TerminationGracePeriodSeconds != 5 {
		t.Errorf("web was started as %+v", web)
	}
	if log.Image != "registry.example/log:1" || log.Replica != web.Replica || log.Env != nil || strings.TrimSuffix(log.ID, "log") != strings.TrimSuffix(web.ID, "web") {
		t.Errorf("log was started as %+v", log)
	}
	if main.Image != "registry.example/once:1" || main.RestartPolicy != fleet.RestartNever || main.TerminationGracePeriodSeconds != 30 {
		t.Errorf("the Job was started as %+v", main)
	}
	// One container's end is its own: it alone is started again.
	if !engine.Kill("", web.ID, 3) {
		t.Fatal("web does not run")
	}
	if again := <-started; again.ID != web.ID {
		t.Errorf("%s was started again", again.ID)
	}
	p.await("shop runs again", func() bool {
		return slices.Equal(p.contained("n1"), []string{"once exited exit code 0: 0 of 1", "shop running : 2 of 2"})
	})

	p.must(http.StatusOK, http.MethodDelete, "/api/v1/namespaces/acme/resources?apiVersion=apps/v1&kind=Deployment&name=shop", token, nil)
	p.await("nothing of shop is left", func() bool {
		held, err := engine.Runtime("").List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(held) == 1 && held[0].ID == main.ID && slices.Equal(p.contained("n1"), []string{"once exited exit code 0: 0 of 1"})
	})
}
