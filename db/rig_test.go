package db_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// start is the time of everything that tests store: with milliseconds, and nothing finer.
var start = time.Date(2026, 11, 30, 12, 0, 0, 345e6, time.UTC)

// rig is a database on a real file, with tenants acme and other, their namespaces of the same names, cluster canada
// granted to everyone, and nodes n0 to n2 in it.
type rig struct {
	testing.TB
	*db.DB
	path string
	now  time.Time
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := openRig(t, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for _, name := range []string{"acme", "other"} {
			if err := tx.InsertTenant(ctx, fleet.Tenant{Name: name, DisplayName: "The " + name, CreatedAt: start}); err != nil {
				return err
			}
			if err := tx.InsertNamespace(ctx, fleet.Namespace{Name: name, Tenant: name, CreatedAt: start}); err != nil {
				return err
			}
		}
		if _, err := tx.InsertCluster(ctx, fleet.Cluster{Name: "canada", Runtime: fleet.ClusterAgents, Tenants: []string{"*"}, CreatedAt: start}); err != nil {
			return err
		}
		for i := range 3 {
			if _, err := tx.InsertNode(ctx, node(i), fmt.Sprintf("credential-%d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	return r
}

func openRig(t testing.TB, path string, o db.Options) *rig {
	t.Helper()
	r := &rig{TB: t, path: path, now: start}
	if o.Now == nil {
		o.Now = func() time.Time { return r.now }
	}
	d, err := db.Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil && !errors.Is(err, db.ErrClosed) {
			t.Errorf("close: %v", err)
		}
	})
	r.DB = d
	return r
}

// update and view fail the test with what fn answers.
func (r *rig) update(fn func(context.Context, *db.Tx) error) {
	r.Helper()
	if err := r.Update(r.Context(), func(tx *db.Tx) error { return fn(r.Context(), tx) }); err != nil {
		r.Fatalf("update: %v", err)
	}
}

func (r *rig) view(fn func(context.Context, *db.Tx) error) {
	r.Helper()
	if err := r.View(r.Context(), func(tx *db.Tx) error { return fn(r.Context(), tx) }); err != nil {
		r.Fatalf("view: %v", err)
	}
}

func node(i int) fleet.Node {
	return fleet.Node{
		Name: fmt.Sprintf("n%d", i), Cluster: "canada", Runtime: fleet.RuntimeSimulated,
		Labels:   map[string]string{fleet.LabelNodeCountry: "CA"},
		Capacity: fleet.Amount{MilliCPU: 4000, Memory: 8 << 30, Slots: 100}, EnrolledAt: start,
	}
}

// deployment as control would hand it over: defaulted, compiled, revision 1.
func deployment(tenant, name string, change ...func(*fleet.Deployment)) fleet.Deployment {
	created := start
	d := fleet.Deployment{
		APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Tenant: tenant, Revision: 1, TemplateRevision: 1,
		Metadata: fleet.Metadata{Name: name, Namespace: tenant, UID: "uid-" + tenant + "-" + name, Generation: 1, CreationTimestamp: &created},
		Spec:     fleet.DeploymentSpec{Image: "registry.example/" + name + ":1"},
	}
	d.Default()
	for _, fn := range change {
		fn(&d)
	}
	if r := d.Spec.Residency(); r != nil {
		d.ResidencyLabels = r.Labels()
	}
	return d
}

func inCountry(code string) func(*fleet.Deployment) {
	return func(d *fleet.Deployment) {
		d.Spec.Placement = &fleet.Placement{Residency: &fleet.Residency{Country: code}}
	}
}

func inRegion(name string) func(*fleet.Deployment) {
	return func(d *fleet.Deployment) {
		d.Spec.Placement = &fleet.Placement{Residency: &fleet.Residency{Region: name}}
	}
}

// insert stores deployments and answers them as stored.
func (r *rig) insert(deployments ...fleet.Deployment) []fleet.Deployment {
	r.Helper()
	out := make([]fleet.Deployment, len(deployments))
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		for i, d := range deployments {
			if out[i], err = tx.InsertDeployment(ctx, d, "ann@acme.example"); err != nil {
				return err
			}
		}
		return nil
	})
	return out
}

// container is the n-th of a deployment.
func container(d fleet.Deployment, n int, node string) fleet.Container {
	return fleet.Container{
		ID: fmt.Sprintf("%s-%d", d.Metadata.UID, n), Tenant: d.Tenant, Namespace: d.Metadata.Namespace, Deployment: d.Metadata.Name,
		DeploymentUID: d.Metadata.UID, Revision: d.Revision, Replica: n, Node: node, Requests: fleet.Amount{MilliCPU: 250, Memory: 128 << 20, Slots: 1},
		State: fleet.StateAssigned, CreatedAt: start,
	}
}

// decision about a deployment as stored.
func decision(d fleet.Deployment, change func(*fleet.Decision)) fleet.Decision {
	out := fleet.Decision{
		Ref:           fleet.Ref{Tenant: d.Tenant, Namespace: d.Metadata.Namespace, Name: d.Metadata.Name},
		DeploymentUID: d.Metadata.UID, Generation: d.Metadata.Generation,
	}
	change(&out)
	return out
}

// commit decisions that all are to hold.
func (r *rig) commit(decisions ...fleet.Decision) {
	r.Helper()
	held, err := r.Commit(r.Context(), decisions)
	if err != nil {
		r.Fatalf("commit: %v", err)
	}
	for i := range held {
		if !held[i] {
			r.Fatalf("decision %d did not hold", i)
		}
	}
}

func at(t time.Time) *time.Time { return &t }
