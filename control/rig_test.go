package control_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/db"
	"odysseus/fleet"
	"odysseus/scheduler"
)

// rig is a control plane without its edges: a real file, the real scheduler, and a clock that tests move.
type rig struct {
	*control.Control
	t     *testing.T
	ctx   context.Context
	db    *db.DB
	store control.Store
	sched *scheduler.Scheduler
	clock *clock
}

// clock runs with the real one, ahead of it by what a test adds.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// listener passes commits on to the hub, as cmd does.
type listener struct{ *control.Hub }

func (listener) DeploymentsChanged([]fleet.Ref) {}

var twoRegions = []fleet.Region{
	{Name: "eu-core", Description: "The Union's core", Countries: []string{"DE", "FR", "NL"}},
	{Name: "north-america", Description: "Canada and the United States", Countries: []string{"CA", "US"}},
}

func newRig(t *testing.T, change ...func(*control.Deps)) *rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{t: t, ctx: ctx, clock: &clock{}}
	var err error
	r.db, err = db.Open(ctx, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hub := control.NewHub()
	r.sched = scheduler.New(scheduler.Options{Store: r.db, Listener: listener{hub}, Lease: time.Hour})
	r.store = control.StoreOf(r.db.View, r.db.Update)
	deps := control.Deps{
		Store: r.store, Scheduler: r.sched, Fleet: r.sched,
		Now: r.clock.now, NewID: func() string { return strings.ToLower(rand.Text()) }, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		HeartbeatSeconds: 10, LeaseSeconds: 40, Hub: hub,
	}
	for _, c := range change {
		c(&deps)
	}
	r.Control = control.New(deps)
	r.CheapHashes()
	geo, err := r.Effective(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.sched.GeoAwarenessChanged(geo)
	if err := r.sched.Start(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- r.sched.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("scheduler ended with %v", err)
		}
		if err := r.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// pinned is a configuration file with regions, enforcement on or off.
func pinned(enabled bool, regions ...fleet.Region) func(*control.Deps) {
	return func(d *control.Deps) {
		d.Pinned = control.Pinned{Enabled: &enabled, Regions: &regions, Source: map[string]string{"enabled": "odysseus.yaml", "regions": "odysseus.yaml"}}
	}
}

var (
	root    = control.Actor{Name: "op@example.test", Role: fleet.RoleOperator, Address: "192.0.2.1"}
	helper  = control.Actor{Name: "help@example.test", Role: fleet.RoleSupport, Address: "192.0.2.2"}
	acme    = control.Actor{Name: "ada@acme.test", Role: fleet.RoleEditor, Tenant: "acme", Address: "192.0.2.3"}
	reader  = control.Actor{Name: "bob@acme.test", Role: fleet.RoleViewer, Tenant: "acme", Address: "192.0.2.4"}
	globex  = control.Actor{Name: "eve@globex.test", Role: fleet.RoleEditor, Tenant: "globex", Address: "192.0.2.5"}
	nothing = control.WriteOptions{}
	dryRun  = control.WriteOptions{DryRun: true}
	all     = fleet.ListOptions{Limit: 100}
)

func (r *rig) must(faults fleet.FieldErrors, err error) {
	r.t.Helper()
	if err != nil || len(faults) > 0 {
		r.t.Fatalf("refused %v, error %v", faults, err)
	}
}

func (r *rig) tenants(names ...string) {
	r.t.Helper()
	for _, name := range names {
		_, faults, err := r.CreateTenant(r.ctx, root, control.Body[control.NewTenant]{Value: control.NewTenant{Name: name}}, nothing)
		r.must(faults, err)
	}
}

// cluster grants to the given tenants; to all where none is named.
func (r *rig) cluster(name string, tenants ...string) {
	r.t.Helper()
	b := control.Body[control.NewCluster]{Value: control.NewCluster{Name: name}}
	if len(tenants) > 0 {
		b.Value.Tenants = &tenants
	}
	_, faults, err := r.CreateCluster(r.ctx, root, b, nothing)
	r.must(faults, err)
}

// node enrols a node that reports a country and a region, either of which may be empty.
func (r *rig) node(name, cluster, country, region string) control.Agent {
	r.t.Helper()
	issued, faults, err := r.CreateEnrolmentToken(r.ctx, root, cluster, control.Body[control.NewEnrolmentToken]{}, nothing)
	r.must(faults, err)
	_, faults, err = r.Enrol(r.ctx, enrolBody(issued.Object.Secret, name, cluster, geoLabels(country, region)), "192.0.2.9")
	r.must(faults, err)
	return control.Agent{Node: name, Address: "192.0.2.9"}
}

func geoLabels(country, region string) string {
	var parts []string
	if country != "" {
		parts = append(parts, fmt.Sprintf("%q: %q", fleet.LabelNodeCountry, country))
	}
	if region != "" {
		parts = append(parts, fmt.Sprintf("%q: %q", fleet.LabelNodeGeoRegion, region))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func enrolBody(token, name, cluster, labels string) control.Body[control.EnrolRequest] {
	return control.ParseBody[control.EnrolRequest](fmt.Appendf(nil,
		`{"token": %q, "name": %q, "cluster": %q, "labels": %s, "capacity": {"cpu": "8", "memory": "16Gi", "containers": 100}}`, token, name, cluster, labels), fleet.FormatJSON)
}

// report sends a status; containers are "id=state", in the order given.
func (r *rig) report(a control.Agent, labels string, containers ...string) (fleet.FieldErrors, error) {
	var items []string
	for _, c := range containers {
		id, state, _ := strings.Cut(c, "=")
		items = append(items, fmt.Sprintf(`{"id": %q, "state": %q, "message": "", "restarts": 0, "startedAt": "2026-01-01T00:00:00Z"}`, id, state))
	}
	body := fmt.Sprintf(`{"labels": %s, "capacity": {"cpu": "8", "memory": "16Gi", "containers": 100}, "containers": [%s]}`, labels, strings.Join(items, ","))
	return r.Report(r.ctx, a, []byte(body), fleet.FormatJSON)
}

const head = `apiVersion: odysseus/v1
kind: Deployment
metadata:
  name: ledger-api
spec:
  image: registry.example.com/ledger-api:1.4.0
  replicas: 2
`

// resident is the manifest of the reference with another residency; without lines, with none.
func resident(lines ...string) string {
	if len(lines) == 0 {
		return head
	}
	return head + "  placement:\n    residency:\n      " + strings.Join(lines, "\n      ") + "\n"
}

func manifest(text string) control.Manifest {
	return control.ParseManifest([]byte(text), fleet.FormatYAML)
}

func (r *rig) create(a control.Actor, namespace, text string) control.Written[fleet.Deployment] {
	r.t.Helper()
	w, faults, err := r.CreateDeployment(r.ctx, a, namespace, manifest(text), nothing)
	r.must(faults, err)
	return w
}

func (r *rig) update(a control.Actor, namespace, name, text string) control.Written[fleet.Deployment] {
	r.t.Helper()
	w, faults, err := r.UpdateDeployment(r.ctx, a, namespace, name, manifest(text), nothing)
	r.must(faults, err)
	return w
}

func (r *rig) settle() {
	r.t.Helper()
	if err := r.sched.Settled(r.ctx); err != nil {
		r.t.Fatal(err)
	}
}

// assigned are the IDs that a node is to run, and those that it is to stop.
func (r *rig) assigned(a control.Agent) (run, stop []string) {
	r.t.Helper()
	r.settle()
	list, err := r.Assignments(r.ctx, a, 0, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range list.Containers {
		if c.Stop {
			stop = append(stop, c.ID)
		} else {
			run = append(run, c.ID)
		}
	}
	return run, stop
}

// audit is the newest entries, oldest first.
func (r *rig) audit(n int) []fleet.AuditEntry {
	r.t.Helper()
	page, err := r.Audit(r.ctx, root, fleet.ListOptions{Limit: n})
	if err != nil {
		r.t.Fatal(err)
	}
	slices.Reverse(page.Items)
	return page.Items
}

func (r *rig) auditLength() int {
	r.t.Helper()
	return len(r.audit(500))
}

func warned(warnings []fleet.Warning) []fleet.Code {
	codes := []fleet.Code{}
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

func sameCodes(got []fleet.Code, want ...fleet.Code) bool { return slices.Equal(got, want) }
