package scheduler

import (
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

func TestDrainingAssignsElsewhereAndStopsTheOldWhenTheNewRuns(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	w.cordon("ca-2", true)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 3, residency: inCanada})
	w.obey()
	w.cordon("ca-2", false)
	w.said(uid)
	w.drain("ca-1", 5*time.Minute)
	w.rest()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"ca-1", "ca-1", "ca-1", "ca-2", "ca-2", "ca-2"}) || w.status(uid).State != fleet.Placed {
		t.Fatalf("at once: %v, %+v", got, w.status(uid))
	}
	w.rest()
	if got := len(w.store.of(uid)); got != 6 {
		t.Fatalf("a replacement already made is repeated: %d containers", got)
	}
	for i, c := range w.store.of(uid)[3:] {
		w.report(c.ID, fleet.StateRunning)
		w.rest()
		if got := len(w.nodesOf(uid)); got != 5-i {
			t.Errorf("with %d running %d are left, want %d", i+1, got, 5-i)
		}
	}
	if got := w.said(uid); !slices.Equal(got, []string{EventDraining, EventReplacing, EventReplaced, EventReplaced, EventReplaced}) {
		t.Errorf("said %v", got)
	}
}

func TestDrainingEndsWithTheGraceReportedOrNot(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	w.drain("ca-1", 30*time.Second)
	w.advance(29 * time.Second)
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"ca-1", "ca-2"}) {
		t.Fatalf("before the grace ends: %v", got)
	}
	w.advance(2 * time.Second)
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"ca-2"}) {
		t.Errorf("after the grace: %v", got)
	}
}

func TestDrainingNeverStopsWhatHasNowhereToGo(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inGermany})
	w.obey()
	w.drain("de-1", 30*time.Second)
	w.advance(2 * time.Minute)
	st := w.status(uid)
	r := w.scheduler.Placement(uid, true)
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"de-1"}) || st.State != fleet.Placed || st.Placed != 1 || st.Ready != 1 || st.PendingSince == nil ||
		r.State != fleet.Placed || r.Pending.Replicas != 1 || r.Clusters[0].Placed != 1 {
		t.Fatalf("on %v, %+v", got, st)
	}
	var codes []fleet.Code
	for _, reason := range r.Pending.Reasons {
		codes = append(codes, reason.Code)
		for _, n := range reason.Nodes {
			codes = append(codes, fleet.Code(n.Name), n.Reason)
		}
	}
	want := []fleet.Code{fleet.ReasonGeoMismatch, "ca-1", fleet.ReasonGeoMismatch, "ca-2", fleet.ReasonGeoMismatch, fleet.ReasonCapacity, "de-1", fleet.NodeReasonCordoned}
	if !slices.Equal(codes, want) {
		t.Errorf("reasons %v, want %v", codes, want)
	}
	w.node("de-2", "one", "DE", "", roomy) // tried again by itself; the grace is over, so the old one stops at once
	w.rest()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"de-2"}) {
		t.Errorf("with a candidate on %v", got)
	}
}

func TestUncordoningCallsTheMoveOff(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	w.drain("ca-1", time.Minute)
	w.rest()
	w.cordon("ca-1", false)
	w.obey()
	if got := w.store.of(uid); len(got) != 1 || got[0].Node != "ca-1" {
		t.Errorf("%+v", got)
	}
}

func TestCordoningAloneMovesNothing(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inGermany})
	w.obey()
	w.cordon("de-1", true)
	w.edit(uid, spec{image: "a", replicas: 2, residency: inGermany})
	w.obey()
	if st := w.status(uid); st.State != fleet.PartlyPlaced || len(w.store.of(uid)) != 1 {
		t.Errorf("%+v", st)
	}
	if r := w.scheduler.Placement(uid, false); len(r.Pending.Reasons) != 2 || r.Pending.Reasons[1].Code != fleet.ReasonCapacity || r.Pending.Reasons[1].Nodes != nil {
		t.Errorf("for a tenant a cordoned node reads as capacity: %+v", r.Pending)
	}
	w.cordon("de-1", false)
	w.obey()
	if st := w.status(uid); st.State != fleet.Placed {
		t.Errorf("uncordoned: %+v", st)
	}
}
