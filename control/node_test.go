package control_test

import (
	"testing"
	"time"

	"odysseus/control"
	"odysseus/fleet"
)

func TestCordonDrainAndUncordon(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	drain := func(grace *int) (control.Written[control.NodeView], fleet.FieldErrors, error) {
		return r.DrainNode(r.ctx, root, "n1", control.Body[control.DrainRequest]{Value: control.DrainRequest{GraceSeconds: grace}}, nothing)
	}
	cordon := func() (control.Written[control.NodeView], fleet.FieldErrors, error) {
		return r.CordonNode(r.ctx, root, "n1", nothing)
	}
	uncordon := func() (control.Written[control.NodeView], fleet.FieldErrors, error) {
		return r.UncordonNode(r.ctx, root, "n1", nothing)
	}
	for _, s := range []struct {
		name     string
		act      func() (control.Written[control.NodeView], fleet.FieldErrors, error)
		cordoned bool
		grace    time.Duration // 0 where it does not drain
		event    string        // empty where nothing changed
	}{
		{"uncordon at first", uncordon, false, 0, ""},
		{"cordon", cordon, true, 0, control.EventCordoned},
		{"cordon again", cordon, true, 0, ""},
		{"drain", func() (control.Written[control.NodeView], fleet.FieldErrors, error) { return drain(nil) }, true, 300 * time.Second, control.EventDraining},
		{"drain faster", func() (control.Written[control.NodeView], fleet.FieldErrors, error) { return drain(ptr(5)) }, true, 5 * time.Second, control.EventDraining},
		{"uncordon", uncordon, false, 0, control.EventUncordoned},
	} {
		entries := r.auditLength()
		w, faults, err := s.act()
		r.must(faults, err)
		v, err := r.Node(r.ctx, helper, "n1")
		if err != nil || v.Cordoned != s.cordoned || w.Object.Cordoned != s.cordoned || v.Draining() != (s.grace > 0) {
			t.Errorf("%s: %+v, error %v", s.name, v.Node, err)
		}
		if left := v.DrainDeadline.Sub(r.clock.now()); s.grace > 0 && (left > s.grace || left < s.grace-time.Minute) {
			t.Errorf("%s: %s left", s.name, left)
		}
		if wrote := r.auditLength() > entries; wrote != (s.event != "") {
			t.Errorf("%s: audited %v", s.name, wrote)
		}
		events, err := r.NodeEvents(r.ctx, root, "n1", fleet.ListOptions{Limit: 1})
		if err != nil || s.event != "" && events.Items[0].Reason != s.event {
			t.Errorf("%s: events %+v, error %v", s.name, events.Items, err)
		}
	}
	if _, faults, err := drain(ptr(-1)); err != nil || !sameCodes(faults.Codes(), fleet.CodeOutOfRange) || faults[0].Field != "graceSeconds" {
		t.Errorf("refused %+v, error %v", faults, err)
	}
}

func TestADeletedNodesReplicasAreWrittenOff(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	first := r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", head)
	if run, _ := r.assigned(first); len(run) != 2 {
		t.Fatalf("n1 runs %v", run)
	}
	second := r.node("n2", "c1", "CA", "")
	_, faults, err := r.DeleteNode(r.ctx, root, "n1", nothing)
	r.must(faults, err)
	if run, _ := r.assigned(second); len(run) != 2 {
		t.Errorf("n2 runs %v", run)
	}
	if e := r.audit(1)[0]; !e.Accepted || e.Verb != "delete" || e.Kind != "Node" || e.Name != "n1" {
		t.Errorf("audited %+v", e)
	}
}
