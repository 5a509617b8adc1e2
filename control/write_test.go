package control_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

var errNoAudit = errors.New("the audit cannot be written")

// unaudited is a store whose audit cannot be written, while fails is set.
type unaudited struct {
	control.Store
	fails atomic.Bool
}

func (s *unaudited) Update(ctx context.Context, fn func(control.Writer) error) error {
	return s.Store.Update(ctx, func(w control.Writer) error {
		if s.fails.Load() {
			w = noAudit{w}
		}
		return fn(w)
	})
}

type noAudit struct{ control.Writer }

func (noAudit) AppendAudit(context.Context, fleet.AuditEntry) error { return errNoAudit }

func TestWithoutItsAuditEntryNothingIsChanged(t *testing.T) {
	store := &unaudited{}
	r := newRig(t, func(d *control.Deps) {
		store.Store = d.Store
		d.Store = store
	})
	r.tenants("acme")
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	d := r.create(acme, "acme", head).Object
	store.fails.Store(true)
	more := strings.Replace(head, "replicas: 2", "replicas: 5", 1)
	for name, write := range map[string]func() (fleet.FieldErrors, error){
		"create": func() (fleet.FieldErrors, error) {
			_, faults, err := r.CreateDeployment(r.ctx, acme, "acme", manifest(named("second", head)), nothing)
			return faults, err
		},
		"update": func() (fleet.FieldErrors, error) {
			_, faults, err := r.UpdateDeployment(r.ctx, acme, "acme", "ledger-api", manifest(more), nothing)
			return faults, err
		},
		"delete": func() (fleet.FieldErrors, error) {
			_, faults, err := r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", nothing)
			return faults, err
		},
		"apply": func() (fleet.FieldErrors, error) {
			_, faults, err := r.Apply(r.ctx, acme, docs(t, more), nil, control.ApplyOptions{})
			return faults, err
		},
		"refused": func() (fleet.FieldErrors, error) {
			_, faults, err := r.CreateDeployment(r.ctx, acme, "acme", manifest(resident("country: UK")), nothing)
			return faults, err
		},
		"settings": func() (fleet.FieldErrors, error) {
			_, faults, err := r.PutGeoSettings(r.ctx, root, patch(control.GeoPatch{Enabled: ptr(true)}), nothing)
			return faults, err
		},
		"cordon": func() (fleet.FieldErrors, error) {
			_, faults, err := r.CordonNode(r.ctx, root, "n1", nothing)
			return faults, err
		},
		"tenant": func() (fleet.FieldErrors, error) {
			_, faults, err := r.CreateTenant(r.ctx, root, control.Body[control.NewTenant]{Value: control.NewTenant{Name: "globex"}}, nothing)
			return faults, err
		},
	} {
		if faults, err := write(); !errors.Is(err, errNoAudit) || len(faults) > 0 {
			t.Errorf("%s: refused %v, error %v", name, faults, err)
		}
	}
	if _, err := r.SignIn(r.ctx, "ada@acme.test", password, ""); !errors.Is(err, errNoAudit) {
		t.Errorf("sign-in: %v", err)
	}
	store.fails.Store(false)
	page, err := r.Deployments(r.ctx, root, fleet.DeploymentFilter{}, all)
	if err != nil || len(page.Items) != 1 || page.Items[0].Metadata.ResourceVersion != d.Metadata.ResourceVersion {
		t.Errorf("deployments %+v, error %v", page.Items, err)
	}
	if g, err := r.Effective(r.ctx); err != nil || g.Enabled {
		t.Errorf("settings %+v, error %v", g, err)
	}
	if n, err := r.Node(r.ctx, root, "n1"); err != nil || n.Cordoned {
		t.Errorf("node %+v, error %v", n.Node, err)
	}
	if _, err := r.Tenant(r.ctx, root, "globex"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("tenant: %v", err)
	}
	r.settle()
	if p, err := r.Placement(r.ctx, acme, "acme", "ledger-api"); err != nil || p.Clusters[0].Desired != 2 {
		t.Errorf("the scheduler heard of something: %+v, error %v", p, err)
	}
}

// busy is a store that takes no writes.
type busy struct {
	control.Store
	is atomic.Bool
}

func (s *busy) Update(ctx context.Context, fn func(control.Writer) error) error {
	if s.is.Load() {
		return fleet.ErrBusy
	}
	return s.Store.Update(ctx, fn)
}

func TestANodeIsAliveThoughItsReportCannotBeStored(t *testing.T) {
	store, pulse := &busy{}, &beats{}
	r := newRig(t, func(d *control.Deps) {
		store.Store, pulse.Scheduler = d.Store, d.Scheduler
		d.Store, d.Scheduler = store, pulse
	})
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	store.is.Store(true)
	before := pulse.n.Load()
	for range 2 { // what was not stored is no last report
		if _, err := r.report(n, geoLabels("US", "")); !errors.Is(err, fleet.ErrBusy) {
			t.Errorf("answered %v", err)
		}
	}
	if beat := pulse.n.Load() - before; beat != 2 {
		t.Errorf("%d heartbeats", beat)
	}
	store.is.Store(false)
	faults, err := r.report(n, geoLabels("US", ""))
	r.must(faults, err)
	if v, err := r.Node(r.ctx, root, "n1"); err != nil || v.Geo().Country != "US" {
		t.Errorf("node %+v, error %v", v.Node, err)
	}
}
