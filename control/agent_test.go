package control_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/fleet"
)

// counted counts the transactions of a store.
type counted struct {
	control.Store
	views, updates atomic.Int64
}

func (c *counted) View(ctx context.Context, fn func(control.Reader) error) error {
	c.views.Add(1)
	return c.Store.View(ctx, fn)
}

func (c *counted) Update(ctx context.Context, fn func(control.Writer) error) error {
	c.updates.Add(1)
	return c.Store.Update(ctx, fn)
}

func (c *counted) reset() { c.views.Store(0); c.updates.Store(0) }

// beats counts the heartbeats that reach the scheduler.
type beats struct {
	control.Scheduler
	n atomic.Int64
}

func (b *beats) Heartbeat(node string) {
	b.n.Add(1)
	b.Scheduler.Heartbeat(node)
}

func TestAHeartbeatWithoutNewsCostsNoIO(t *testing.T) {
	store, pulse := &counted{}, &beats{}
	r := newRig(t, func(d *control.Deps) {
		store.Store, pulse.Scheduler = d.Store, d.Scheduler
		d.Store, d.Scheduler = store, pulse
	})
	r.cluster("c1")
	issued, faults, err := r.CreateEnrolmentToken(r.ctx, root, "c1", control.Body[control.NewEnrolmentToken]{}, nothing)
	r.must(faults, err)
	done, faults, err := r.Enrol(r.ctx, enrolBody(issued.Object.Secret, "n1", "c1", geoLabels("CA", "")), "")
	r.must(faults, err)
	beat := func() {
		t.Helper()
		a, err := r.AuthenticateAgent(r.ctx, done.Credential, "192.0.2.9")
		if err != nil {
			t.Fatal(err)
		}
		faults, err := r.report(a, geoLabels("CA", ""))
		r.must(faults, err)
	}
	beat()
	store.reset()
	before := pulse.n.Load()
	for range 10 {
		beat()
	}
	if v, u := store.views.Load(), store.updates.Load(); v+u != 0 {
		t.Errorf("%d reads and %d writes", v, u)
	}
	if n := pulse.n.Load() - before; n != 10 {
		t.Errorf("%d heartbeats", n)
	}
}

func TestAReportIsWrittenWhereItIsNews(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.cluster("c1")
	ca := r.node("n-ca", "c1", "CA", "")
	r.create(acme, "acme", resident("country: CA"))
	run, _ := r.assigned(ca)
	if len(run) != 2 {
		t.Fatalf("assigned %v", run)
	}
	a, b := run[0], run[1]
	type step struct {
		name    string
		said    []string
		states  map[string]fleet.ContainerState
		reasons []string
	}
	for _, s := range []step{
		{"not yet heard of", nil, map[string]fleet.ContainerState{a: "assigned", b: "assigned"}, nil},
		{"one starts", []string{a + "=starting"}, map[string]fleet.ContainerState{a: "starting", b: "assigned"}, nil},
		{"both run", []string{b + "=running", a + "=running"}, map[string]fleet.ContainerState{a: "running", b: "running"}, []string{"Started", "Started"}},
		{"one is ill", []string{a + "=unhealthy", b + "=running"}, map[string]fleet.ContainerState{a: "unhealthy", b: "running"}, []string{"Unhealthy"}},
		{"one is left out", []string{a + "=unhealthy"}, map[string]fleet.ContainerState{a: "unhealthy", b: "exited"}, []string{"Exited"}},
		{"one cannot start", []string{a + "=failed", b + "=running"}, map[string]fleet.ContainerState{a: "failed", b: "running"}, []string{"Failed", "Started"}},
	} {
		seen := len(r.containerEvents())
		faults, err := r.report(ca, geoLabels("CA", ""), s.said...)
		r.must(faults, err)
		containers, err := r.NodeContainers(r.ctx, root, "n-ca")
		if err != nil {
			t.Fatal(err)
		}
		states := map[string]fleet.ContainerState{}
		for _, c := range containers {
			states[c.ID] = c.State
		}
		if !reflect.DeepEqual(states, s.states) {
			t.Errorf("%s: %v, want %v", s.name, states, s.states)
		}
		var reasons []string
		for _, e := range r.containerEvents()[seen:] {
			reasons = append(reasons, e.Reason)
			if strings.Contains(fmt.Sprint(e), "n-ca") {
				t.Errorf("%s: the event names the node: %+v", s.name, e)
			}
		}
		slices.Sort(reasons)
		if !slices.Equal(reasons, s.reasons) {
			t.Errorf("%s: events %v, want %v", s.name, reasons, s.reasons)
		}
	}
	r.settle()
	if d, err := r.Deployment(r.ctx, acme, "acme", "ledger-api"); err != nil || d.Status.Ready != 1 {
		t.Errorf("status %+v, error %v", d.Status, err)
	}
}

// containerEvents of the one deployment, oldest first.
func (r *rig) containerEvents() []fleet.Event {
	r.t.Helper()
	page, err := r.DeploymentEvents(r.ctx, acme, "acme", "ledger-api", all)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []fleet.Event
	for _, e := range slices.Backward(page.Items) {
		if _, ok := e.Args["Replica"]; ok {
			for range e.Count {
				out = append(out, e)
			}
		}
	}
	return out
}

func TestARefusedReportChangesNothingAndCountsAsAlive(t *testing.T) {
	pulse := &beats{}
	r := newRig(t, pinned(true, twoRegions...), func(d *control.Deps) {
		pulse.Scheduler = d.Scheduler
		d.Scheduler = pulse
	})
	r.tenants("acme")
	r.cluster("c1")
	ca, us := r.node("n-ca", "c1", "CA", ""), r.node("n-us", "c1", "US", "")
	r.create(acme, "acme", resident("country: CA"))
	run, _ := r.assigned(ca)
	body := func(labels, capacity, containers string) string {
		return fmt.Sprintf(`{"labels": %s, "capacity": %s, "containers": %s}`, labels, capacity, containers)
	}
	container := func(id, rest string) string { return fmt.Sprintf(`[{"id": %q, %s}]`, id, rest) }
	many := map[string]string{}
	for i := range 65 {
		many[fmt.Sprintf("l%d", i)] = "x"
	}
	for name, c := range map[string]struct {
		body  string
		code  fleet.Code
		field string
		value string
	}{
		"an unassigned country":     {body(geoLabels("UK", ""), "{}", "[]"), fleet.CodeNodeCountryInvalid, "labels[odysseus.io/country]", "UK"},
		"a country in small":        {body(geoLabels("us", ""), "{}", "[]"), fleet.CodeNodeCountryInvalid, "labels[odysseus.io/country]", "us"},
		"a region with a newline":   {body(`{"odysseus.io/geo-region": "a\nb"}`, "{}", "[]"), fleet.CodeLabelInvalid, "labels[odysseus.io/geo-region]", "a\nb"},
		"a reserved label":          {body(`{"odysseus.io/contry": "US"}`, "{}", "[]"), fleet.CodeLabelReserved, "labels[odysseus.io/contry]", "odysseus.io/contry"},
		"a country that is a list":  {body(`{"odysseus.io/country": ["US"]}`, "{}", "[]"), fleet.CodeWrongType, "labels[odysseus.io/country]", `["US"]`},
		"too many labels":           {body(jsonOf(many), "{}", "[]"), fleet.CodeOutOfRange, "labels", "65"},
		"a label value too long":    {body(fmt.Sprintf(`{"zone": %q}`, strings.Repeat("a", 64)), "{}", "[]"), fleet.CodeLabelInvalid, "labels.zone", strings.Repeat("a", 64)},
		"no quantity":               {body("{}", `{"cpu": "much"}`, "[]"), fleet.CodeQuantityInvalid, "capacity.cpu", "much"},
		"negative slots":            {body("{}", `{"containers": -1}`, "[]"), fleet.CodeOutOfRange, "capacity.containers", "-1"},
		"another node's container":  {body("{}", "{}", container(run[0], `"state": "running"`)), fleet.CodeContainerUnknown, "containers[0].id", run[0]},
		"another's that is stopped": {body("{}", "{}", container(run[0], `"state": "stopped"`)), fleet.CodeContainerUnknown, "containers[0].id", run[0]},
		"an unknown state":          {body("{}", "{}", container("x-1", `"state": "fine"`)), fleet.CodeNotAccepted, "containers[0].state", "fine"},
		"a container without id":    {body("{}", "{}", `[{"state": "running"}]`), fleet.CodeRequired, "containers[0].id", ""},
		"a time that is none":       {body("{}", "{}", container("x-1", `"state": "running", "startedAt": "yesterday"`)), fleet.CodeNotAccepted, "containers[0].startedAt", "yesterday"},
		"restarts below zero":       {body("{}", "{}", container("x-1", `"state": "running", "restarts": -1`)), fleet.CodeOutOfRange, "containers[0].restarts", "-1"},
		"one container twice":       {body("{}", "{}", `[{"id": "x-1", "state": "running"}, {"id": "x-1", "state": "running"}]`), fleet.CodeRepeated, "containers[1].id", "x-1"},
		"an unknown key":            {`{"lables": {}}`, fleet.CodeUnknownField, "lables", "lables"},
		"no JSON":                   {`{"labels": `, fleet.CodeInvalidJSON, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			faults, err := r.report(us, geoLabels("US", ""))
			r.must(faults, err)
			before, err := r.Node(r.ctx, root, "n-us")
			if err != nil || len(before.Refusal) > 0 {
				t.Fatalf("before: %+v, error %v", before, err)
			}
			for i := range 2 {
				alive := pulse.n.Load()
				faults, err = r.Report(r.ctx, us, []byte(c.body), fleet.FormatJSON)
				if err != nil || !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field || faults[0].Value != c.value {
					t.Fatalf("report %d: refused %+v, error %v", i+1, faults, err)
				}
				if pulse.n.Load() != alive+1 {
					t.Error("it does not count as alive")
				}
			}
			after, err := r.Node(r.ctx, root, "n-us")
			if err != nil || !reflect.DeepEqual(after.Labels, before.Labels) || after.Capacity != before.Capacity {
				t.Errorf("it changed %+v to %+v, error %v", before.Node, after.Node, err)
			}
			if !sameCodes(after.Refusal.Codes(), c.code) {
				t.Errorf("operators see %+v", after.Refusal)
			}
			events, err := r.NodeEvents(r.ctx, root, "n-us", fleet.ListOptions{Limit: 1})
			if err != nil || events.Items[0].Reason != control.EventReportRefused || events.Items[0].Args["Codes"] != string(c.code) {
				t.Errorf("events %+v, error %v", events.Items, err)
			}
		})
	}
	containers, err := r.NodeContainers(r.ctx, root, "n-ca")
	if err != nil || containers[0].State != fleet.StateAssigned {
		t.Errorf("the other node's %+v, error %v", containers, err)
	}
}

func jsonOf(m map[string]string) string {
	var parts []string
	for k, v := range m {
		parts = append(parts, fmt.Sprintf("%q: %q", k, v))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func TestANodesCountryIsReadFromEveryReport(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", resident("country: CA"))
	run, _ := r.assigned(n)
	running := []string{run[0] + "=running", run[1] + "=running"}
	for _, c := range []struct {
		labels  string
		geo     fleet.Geo
		drifted int
		event   bool
	}{
		{geoLabels("CA", ""), fleet.Geo{Country: "CA"}, 0, false},
		{geoLabels("US", ""), fleet.Geo{Country: "US"}, 2, true},
		{geoLabels("US", "north-america"), fleet.Geo{Country: "US", Region: "north-america"}, 2, true},
		{geoLabels("", ""), fleet.Geo{}, 2, true},
		{geoLabels("CA", ""), fleet.Geo{Country: "CA"}, 0, true},
	} {
		before, err := r.NodeEvents(r.ctx, root, "n1", all)
		if err != nil {
			t.Fatal(err)
		}
		faults, err := r.report(n, c.labels, running...)
		r.must(faults, err)
		v, err := r.Node(r.ctx, root, "n1")
		if err != nil || v.Geo() != c.geo {
			t.Errorf("%s: node says %+v, error %v", c.labels, v.Geo(), err)
		}
		p, err := r.Placement(r.ctx, acme, "acme", "ledger-api")
		drifted := 0
		for _, d := range p.Drift {
			drifted += d.Replicas
		}
		if err != nil || drifted != c.drifted {
			t.Errorf("%s: drift %+v, error %v", c.labels, p.Drift, err)
		}
		after, err := r.NodeEvents(r.ctx, root, "n1", all)
		if err != nil || (len(after.Items) > len(before.Items)) != c.event {
			t.Errorf("%s: events %+v, error %v", c.labels, after.Items, err)
		}
		r.settle()
	}
}

func TestWhatAnEngineSaysIsCleanedNotRefused(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", strings.Replace(head, "replicas: 2", "replicas: 1", 1))
	run, _ := r.assigned(n)
	for name, c := range map[string]struct{ said, kept string }{
		"lines":                 {`exit code 1\n<b>\u0007`, "exit code 1 <b>"},
		"a turned direction":    {`a\u202eb`, "a b"},
		"more than it may hold": {strings.Repeat("é", 2000), strings.Repeat("é", 1024)},
	} {
		body := fmt.Sprintf(`{"containers": [{"id": %q, "state": "failed", "message": "%s"}]}`, run[0], c.said)
		faults, err := r.Report(r.ctx, n, []byte(body), fleet.FormatJSON)
		r.must(faults, err)
		containers, err := r.NodeContainers(r.ctx, root, "n1")
		if err != nil || containers[0].Message != c.kept {
			t.Errorf("%s: kept %q, error %v", name, containers[0].Message, err)
		}
	}
	v, err := r.Node(r.ctx, root, "n1")
	if err != nil || v.Geo().Country != "CA" || v.Capacity.MilliCPU != 8000 {
		t.Errorf("what the report left out changed: %+v, error %v", v.Node, err)
	}
}

func TestAStoppedContainerMayBeNamedOnceMore(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", head)
	run, _ := r.assigned(n)
	r.update(acme, "acme", "ledger-api", strings.Replace(head, "replicas: 2", "replicas: 1", 1))
	keep, stop := r.assigned(n)
	if len(keep) != 1 || len(stop) != 1 {
		t.Fatalf("of %v it keeps %v and stops %v", run, keep, stop)
	}
	faults, err := r.report(n, "{}", keep[0]+"=starting", stop[0]+"=stopped")
	r.must(faults, err)
	if _, left := r.assigned(n); len(left) != 0 {
		t.Fatalf("still to stop %v", left)
	}
	// The agent has not yet read its list anew, and has news of the other one.
	faults, err = r.report(n, "{}", keep[0]+"=running", stop[0]+"=stopped")
	r.must(faults, err)
	faults, err = r.report(n, "{}", keep[0]+"=running", stop[0]+"=running")
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeContainerUnknown) {
		t.Errorf("back from the dead: refused %+v, error %v", faults, err)
	}
}

func TestALongPollEndsWithNewsOrWithTime(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	first, err := r.Assignments(r.ctx, n, 0, time.Hour)
	if err != nil || len(first.Containers) != 0 {
		t.Fatalf("at once %+v, error %v", first, err)
	}
	if list, err := r.Assignments(r.ctx, n, first.Version+1, time.Millisecond); err != nil || list.Version != first.Version {
		t.Errorf("without news %+v, error %v", list, err)
	}
	type answer struct {
		list fleet.AssignmentList
		err  error
	}
	poll := func(ctx context.Context, since int64) chan answer {
		out := make(chan answer, 1)
		go func() {
			list, err := r.Assignments(ctx, n, since, time.Hour)
			out <- answer{list, err}
		}()
		return out
	}
	since := max(first.Version, 1)
	waiting := poll(r.ctx, since)
	r.create(acme, "acme", head)
	if a := <-waiting; a.err != nil || a.list.Version <= since || len(a.list.Containers) != 2 || a.list.Containers[0].Image == "" {
		t.Errorf("with news %+v", a)
	} else {
		since = a.list.Version
	}
	r.settle()
	ctx, cancel := context.WithCancel(r.ctx)
	gone := poll(ctx, since)
	cancel()
	if a := <-gone; !errors.Is(a.err, context.Canceled) {
		t.Errorf("without a client: %+v", a)
	}
	deleted := poll(r.ctx, since)
	_, faults, err := r.DeleteNode(r.ctx, root, "n1", nothing)
	r.must(faults, err)
	if a := <-deleted; !errors.Is(a.err, control.ErrUnauthenticated) {
		t.Errorf("of a deleted node: %+v", a)
	}
}
