package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// twoContainers is an apps/v1 Deployment whose pods hold web, with variables from cm and s, and log.
func twoContainers() fleet.StoredResource {
	return resource("acme", "apps/v1", "Deployment", "shop", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"replicas":2,"template":{"spec":{
		"terminationGracePeriodSeconds":7,
		"containers":[
			{"name":"web","image":"registry.example/web:1","command":["/web"],"args":["--token=$(TOKEN)"],"ports":[{"containerPort":80}],
			 "resources":{"limits":{"cpu":"1"}},"envFrom":[{"configMapRef":{"name":"cm"}}],
			 "env":[{"name":"TOKEN","valueFrom":{"secretKeyRef":{"name":"s","key":"token"}}},{"name":"URL","value":"http://$(host)"},
			        {"name":"GONE","valueFrom":{"configMapKeyRef":{"name":"gone","key":"a"}}}]},
			{"name":"log","image":"registry.example/log:1"}]}}}}`)
}

// replica of a resource as the scheduler would assign it.
func replica(s fleet.StoredResource, n int, node string) fleet.Container {
	return fleet.Container{
		ID: fmt.Sprintf("%s-%d", s.UID, n), Tenant: s.Tenant, Namespace: s.Namespace, Deployment: s.Name, DeploymentUID: s.UID,
		Revision: s.Revision, Replica: n, Node: node, Requests: fleet.Amount{Slots: 2}, State: fleet.StateAssigned, CreatedAt: start,
	}
}

func TestAssignmentsOfAPodTemplate(t *testing.T) {
	r := newRig(t)
	stored := r.store(
		configMap("acme", "cm", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm"},"data":{"host":"shop.example","not a name":"x"}}`),
		configMap("other", "gone", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"gone"},"data":{"a":"another tenant's"}}`),
		secret("acme", "s", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"token":"dDBwczNjcmV0"}}`),
		twoContainers(),
		resource("acme", "batch/v1", "Job", "once", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"once"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"registry.example/job:1"}]}}}}`),
	)
	shop, once := stored[3], stored[4]
	r.commit(about(shop, func(x *fleet.Decision) {
		x.Assign = []fleet.Container{replica(shop, 1, "n0"), replica(shop, 2, "n0"), replica(shop, 3, "n1")}
	}), about(once, func(x *fleet.Decision) { x.Assign = []fleet.Container{replica(once, 1, "n0")} }))
	r.commit(about(shop, func(x *fleet.Decision) { x.Stop = []string{shop.UID + "-2"} }))

	web := fleet.Assignment{
		ID: shop.UID + "-1.web", Namespace: "acme", Deployment: "shop", Revision: 1, Replica: 1, Image: "registry.example/web:1",
		Command: []string{"/web"}, Args: []string{"--token=t0ps3cret"},
		Env:   []fleet.EnvVar{{Name: "host", Value: "shop.example"}, {Name: "TOKEN", Value: "t0ps3cret"}, {Name: "URL", Value: "http://shop.example"}},
		Ports: []fleet.Port{{ContainerPort: 80, Protocol: "TCP"}}, RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: 7,
		Resources: &fleet.Resources{Requests: &fleet.ResourceList{CPU: "1"}, Limits: &fleet.ResourceList{CPU: "1"}},
	}
	log := fleet.Assignment{
		ID: shop.UID + "-1.log", Namespace: "acme", Deployment: "shop", Revision: 1, Replica: 1, Image: "registry.example/log:1",
		RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: 7,
	}
	stopping := func(n int, name string, grace int) fleet.Assignment {
		return fleet.Assignment{ID: fmt.Sprintf("%s-%d%s", shop.UID, n, name), Namespace: "acme", Deployment: "shop", Revision: 1, Replica: n,
			TerminationGracePeriodSeconds: grace, Stop: true}
	}
	job := fleet.Assignment{
		ID: once.UID + "-1", Namespace: "acme", Deployment: "once", Revision: 1, Replica: 1, Image: "registry.example/job:1",
		RestartPolicy: fleet.RestartNever, TerminationGracePeriodSeconds: 30,
	}
	same(t, "the node's", r.assignments("n0"), fleet.AssignmentList{Version: 3, Containers: []fleet.Assignment{
		log, web, stopping(2, ".log", 7), stopping(2, ".web", 7), job,
	}})

	// What a container is started with is what its revision says, with the values of today.
	shop.Object = []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"registry.example/web:2"}]}}}}`)
	shop.Generation, shop.Revision, shop.TemplateRevision = 2, 2, 2
	shop = r.change(shop)
	cm := stored[0]
	cm.Object = []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm"},"data":{"host":"new.example"}}`)
	cm.Generation, cm.Revision = 2, 2
	r.change(cm)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteResource(ctx, "acme", stored[2].UID) })
	web.Args = []string{"--token=$(TOKEN)"}
	web.Env = []fleet.EnvVar{{Name: "host", Value: "new.example"}, {Name: "URL", Value: "http://new.example"}}
	same(t, "a changed ConfigMap, a deleted Secret", r.assignments("n0").Containers, []fleet.Assignment{
		log, web, stopping(2, ".log", 7), stopping(2, ".web", 7), job,
	})

	// Of a workload that is gone, those containers are known that were reported.
	r.update(func(ctx context.Context, tx *db.Tx) error {
		parts := map[string]fleet.ContainerReport{"web": {State: fleet.StateRunning}, "log": {State: fleet.StateStarting}}
		_, err := tx.ReportContainer(ctx, "n0", fleet.ContainerReport{ID: shop.UID + "-1", State: fleet.StateStarting}, parts)
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteResource(ctx, "acme", shop.UID) })
	same(t, "the workload is gone", r.assignments("n0").Containers, []fleet.Assignment{
		stopping(1, ".log", 0), stopping(1, ".web", 0), stopping(2, "", 0), job,
	})
}

func TestADeploymentsVariablesArriveResolved(t *testing.T) {
	r := newRig(t)
	r.store(configMap("acme", "cm", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm"},"data":{"a":"1"}}`))
	d := r.insert(deployment("acme", "web", func(d *fleet.Deployment) {
		d.Spec.EnvFrom = []fleet.EnvFromSource{{Prefix: "P_", ConfigMapRef: &fleet.NameSelector{Name: "cm"}}}
		d.Spec.Env = []fleet.EnvVar{{Name: "A", ValueFrom: &fleet.EnvVarSource{ConfigMapKeyRef: &fleet.KeySelector{Name: "cm", Key: "a"}}}, {Name: "B", Value: "$(A)"}}
		d.Spec.Args = []string{"$(A)"}
	}))[0]
	r.commit(decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, 1, "n0")} }))
	got := r.assignments("n0").Containers
	if len(got) != 1 {
		t.Fatalf("assigned %+v", got)
	}
	same(t, "environment", got[0].Env, []fleet.EnvVar{{Name: "P_a", Value: "1"}, {Name: "A", Value: "1"}, {Name: "B", Value: "$(A)"}})
	same(t, "arguments stand as written", got[0].Args, []string{"$(A)"})
}

func TestContainersOfAReplica(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	stored := r.store(twoContainers(), workload("acme", "none"),
		resource("acme", "batch/v1", "Job", "once", `{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"a"}]}}}}`))
	for name, tt := range map[string]struct {
		uid      string
		revision int64
		names    []string
		err      error
		kind     string
	}{
		"two":                       {stored[0].UID, 1, []string{"web", "log"}, nil, "Deployment"},
		"none":                      {stored[1].UID, 1, nil, nil, "Deployment"},
		"one":                       {stored[2].UID, 1, nil, nil, "Job"},
		"a Deployment of ours":      {d.Metadata.UID, 1, nil, nil, "Deployment"},
		"a revision that never was": {stored[0].UID, 2, nil, fleet.ErrNotFound, "Deployment"},
		"a workload that is gone":   {"uid-x", 1, nil, fleet.ErrNotFound, "Deployment"},
	} {
		r.view(func(ctx context.Context, tx *db.Tx) error {
			names, err := tx.ReplicaContainers(ctx, tt.uid, tt.revision)
			same(t, name, names, tt.names)
			is(t, name, err, tt.err)
			kind, err := tx.WorkloadKind(ctx, tt.uid)
			same(t, name, kind, tt.kind)
			return err
		})
	}
}

func TestReportsOfSeveralContainersAreKept(t *testing.T) {
	r := newRig(t)
	s := r.store(twoContainers())[0]
	r.commit(about(s, func(x *fleet.Decision) { x.Assign = []fleet.Container{replica(s, 1, "n0")} }))
	parts := map[string]fleet.ContainerReport{
		"web": {State: fleet.StateFailed, Message: "no image", Restarts: 2},
		"log": {State: fleet.StateRunning, StartedAt: at(start.Add(time.Second))},
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return second(tx.ReportContainer(ctx, "n0", fleet.ContainerReport{ID: s.UID + "-1", State: fleet.StateFailed, Message: "web: no image", Restarts: 2, StartedAt: at(start.Add(time.Second))}, parts))
	})
	want := replica(s, 1, "n0")
	want.State, want.Message, want.Restarts, want.StartedAt, want.Parts = fleet.StateFailed, "web: no image", 2, start.Add(time.Second), parts
	same(t, "the row", r.containers(s.UID), []fleet.Container{want})
}
