package control_test

import (
	"slices"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func TestStandingsSayWhatIsWarnedAndWhatDrifts(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme", "globex")
	r.cluster("c1")
	n := r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", named("free", head))
	r.create(acme, "acme", named("moved", resident("country: CA")))
	r.create(acme, "acme", named("nowhere", resident("country: JP")))
	r.create(globex, "globex", named("theirs", resident("country: CA")))
	run, _ := r.assigned(n)
	for i := range run {
		run[i] += "=running"
	}
	faults, err := r.report(n, geoLabels("FR", ""), run...)
	r.must(faults, err)
	r.settle()

	page, err := r.Standings(r.ctx, acme, fleet.DeploymentFilter{}, all)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]control.Standing{}
	for _, s := range page.Items {
		got[s.Deployment.Metadata.Name] = s
	}
	if len(got) != 3 || len(got["free"].Warnings) != 0 || len(got["free"].Drift) != 0 {
		t.Errorf("standings: %+v", page.Items)
	}
	if drift := got["moved"].Drift; len(drift) != 1 || drift[0].Required.Country != "CA" || drift[0].Reported != (fleet.Geo{Country: "FR"}) || drift[0].Replicas != 2 {
		t.Errorf("drift %+v", drift)
	}
	if !slices.Equal(warned(got["nowhere"].Warnings), []fleet.Code{fleet.CodeNoMatchingNode}) || len(got["nowhere"].Drift) != 0 {
		t.Errorf("nowhere: %+v", got["nowhere"])
	}
	only, err := r.Standings(r.ctx, acme, fleet.DeploymentFilter{Drifting: true}, all)
	if err != nil || len(only.Items) != 1 || only.Items[0].Deployment.Metadata.Name != "moved" {
		t.Errorf("drifting: %+v, error %v", only.Items, err)
	}
	for name, c := range map[string]struct {
		who  control.Actor
		want int
	}{"a tenant": {acme, 1}, "another": {globex, 1}, "the platform": {root, 2}} {
		if count, err := r.CountDrifting(r.ctx, c.who); err != nil || count != c.want {
			t.Errorf("%s counts %d, want %d; error %v", name, count, c.want, err)
		}
	}
}

func TestSimulatedIsSaidToThoseWithinReach(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.cluster("c1", "acme")
	issued, faults, err := r.CreateEnrolmentToken(r.ctx, root, "c1", control.Body[control.NewEnrolmentToken]{}, nothing)
	r.must(faults, err)
	body := control.ParseBody[control.EnrolRequest]([]byte(`{"token": "`+issued.Object.Secret+`", "name": "n1", "cluster": "c1", "runtime": "simulated", "labels": {},
		"capacity": {"cpu": "8", "memory": "16Gi", "containers": 10}}`), fleet.FormatJSON)
	_, faults, err = r.Enrol(r.ctx, body, "192.0.2.9")
	r.must(faults, err)
	for name, c := range map[string]struct {
		who  control.Actor
		want bool
	}{"who reaches it": {acme, true}, "a viewer of the same": {reader, true}, "who does not": {globex, false}, "the platform": {root, true}, "nobody": {control.Actor{}, false}} {
		if got := r.Simulated(c.who); got != c.want {
			t.Errorf("%s is told %v", name, got)
		}
	}
}

func TestLeavingNamesWhatHasNoOtherPlace(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", named("stays", resident("country: CA")))
	r.create(acme, "acme", named("goes", head))
	r.settle()
	before, err := r.Leaving(r.ctx, root, "n1")
	if err != nil || before.Replicas != 4 || len(before.Stay) != 0 {
		t.Errorf("before: %+v, error %v", before, err)
	}
	r.node("n2", "c1", "JP", "")
	_, faults, err := r.DrainNode(r.ctx, root, "n1", control.Body[control.DrainRequest]{}, nothing)
	r.must(faults, err)
	r.settle()
	left, err := r.Leaving(r.ctx, root, "n1")
	if err != nil || left.Replicas != 4 || len(left.Stay) != 1 { // those of "goes" stay until their replacements run
		t.Fatalf("left %+v, error %v", left, err)
	}
	s := left.Stay[0]
	if s.Namespace != "acme" || s.Name != "stays" || s.Replicas != 2 || len(s.Reasons) == 0 || s.Reasons[0].Code != fleet.ReasonGeoMismatch {
		t.Errorf("stays: %+v", s)
	}
}
