package scheduler

import (
	"slices"
	"testing"
	"time"

	"odysseus/fleet"
)

// twoCountries is a world with two nodes in Canada and one in Germany.
func twoCountries(t *testing.T, onDrift string) *world {
	w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: onDrift})
	w.cluster("one", fleet.AllTenants)
	w.node("ca-1", "one", "CA", "", roomy)
	w.node("ca-2", "one", "CA", "", roomy)
	w.node("de-1", "one", "DE", "", roomy)
	return w
}

var (
	inCanada  = fleet.Residency{Country: "CA"}
	inGermany = fleet.Residency{Country: "DE"}
	inFrance  = fleet.Residency{Country: "FR"}
)

func (w *world) status(uid string) fleet.DeploymentStatus { return *w.store.deployments[uid].Status }

func numbers(rows []fleet.Container) []int {
	list := []int{}
	for _, c := range rows {
		if !c.Stop {
			list = append(list, c.Replica)
		}
	}
	slices.Sort(list)
	return list
}

func TestANewRevisionReplacesReplicasOneAtATime(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inCanada})
	w.obey()
	w.said(uid)
	w.edit(uid, spec{image: "b", replicas: 2, residency: inGermany})
	w.rest()
	for round, want := range []struct {
		nodes []string
		ready int
	}{
		{[]string{"ca-1", "ca-2", "de-1"}, 2}, // the first replacement starts; the old ones go on
		{[]string{"ca-2", "de-1", "de-1"}, 2}, // it runs: its old one stops, the next starts
		{[]string{"de-1", "de-1"}, 2},
	} {
		if got := w.nodesOf(uid); !slices.Equal(got, want.nodes) || w.status(uid).State != fleet.Placed || w.status(uid).Ready != want.ready {
			t.Fatalf("round %d: on %v, %+v", round, got, w.status(uid))
		}
		rows := w.store.of(uid)
		newest := rows[len(rows)-1]
		w.report(newest.ID, fleet.StateRunning)
		w.rest()
	}
	if got := w.said(uid); !slices.Equal(got, []string{EventReplacing, EventDriftDetected, EventReplacing, EventReplaced, EventReplaced, EventDriftEnded}) {
		t.Errorf("said %v", got)
	}
}

func TestWhatSatisfiesTheNewRevisionIsAdopted(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 2})
	w.obey()
	before := w.store.of(uid)
	w.edit(uid, spec{image: "a", replicas: 3})
	w.rest()
	after := w.store.of(uid)
	if len(after) != 3 || after[0].ID != before[0].ID || after[0].Revision != 2 || after[0].State != fleet.StateRunning || after[1].Revision != 2 {
		t.Errorf("scaled: %+v", after)
	}
	w.edit(uid, spec{image: "a", replicas: 3, residency: inCanada})
	w.obey()
	for _, c := range w.store.of(uid) {
		if c.Revision != 3 || c.Node == "de-1" {
			t.Errorf("%s on %s is of revision %d", c.ID, c.Node, c.Revision)
		}
	}
	if w.store.of(uid)[0].ID != before[0].ID {
		t.Error("a replica that satisfied the new residency was replaced")
	}
}

func TestWithoutACandidateTheOldOnesStay(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReschedule)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inCanada})
	w.obey()
	w.said(uid)
	w.edit(uid, spec{image: "b", replicas: 2, residency: inFrance})
	w.obey()
	st := w.status(uid)
	if st.State != fleet.Pending || st.Placed != 2 || st.Ready != 2 || st.Drifting != 2 || st.PendingSince == nil || len(w.store.of(uid)) != 2 {
		t.Fatalf("%+v", st)
	}
	since := *st.PendingSince
	r := w.scheduler.Placement(uid, false)
	if r.Pending.Replicas != 2 || r.Pending.Reasons[0].Code != fleet.ReasonGeoMismatch || len(r.Drift) != 1 || r.Drift[0].Replicas != 2 ||
		r.Drift[0].Reported.Country != "CA" || r.Drift[0].Required.Country != "FR" {
		t.Errorf("%+v", r)
	}
	w.clock.Advance(time.Minute / 2)
	w.edit(uid, spec{image: "c", replicas: 2, residency: inFrance})
	w.obey()
	if got := w.status(uid).PendingSince; got == nil || !got.Equal(since) {
		t.Errorf("pending since %v, want %v: an edit that leaves it pending keeps the time", got, since)
	}
	w.node("fr-1", "one", "FR", "", roomy)
	w.obey()
	if st := w.status(uid); st.State != fleet.Placed || st.Drifting != 0 || st.PendingSince != nil || !slices.Equal(w.nodesOf(uid), []string{"fr-1", "fr-1"}) {
		t.Errorf("with a candidate: %+v on %v", st, w.nodesOf(uid))
	}
}

func TestAReplacementThatIsOutdatedItselfIsReplacedAtOnce(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	w.edit(uid, spec{image: "b", replicas: 1, residency: inGermany})
	w.rest()
	w.edit(uid, spec{image: "c", replicas: 1, residency: inCanada})
	w.rest()
	rows := w.store.of(uid)
	if len(rows) != 3 || rows[0].Stop || !rows[1].Stop || rows[2].Stop || rows[2].Revision != 3 || rows[2].Node == "de-1" {
		t.Fatalf("%+v", rows)
	}
	w.obey()
	if got := w.store.of(uid); len(got) != 1 || got[0].ID != rows[2].ID {
		t.Errorf("at rest: %+v", got)
	}
}

func TestOfTwoOutdatedThatRunTheNewerIsKept(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	w.edit(uid, spec{image: "b", replicas: 1, residency: inCanada})
	w.rest()
	w.report(w.store.of(uid)[1].ID, fleet.StateRunning)
	w.edit(uid, spec{image: "c", replicas: 1, residency: inCanada})
	w.rest()
	if rows := w.store.of(uid); len(rows) != 3 || !rows[0].Stop || rows[1].Stop || rows[2].Revision != 3 {
		t.Errorf("%+v", rows)
	}
}

func TestDriftIsReportedOrRescheduled(t *testing.T) {
	tests := []struct {
		name    string
		onDrift string
		others  bool
		state   fleet.PlacementState
		drift   int
		before  []string // once the scheduler has decided
		after   []string // once agents have obeyed
		said    []string
	}{
		{"report: stays and is shown", fleet.OnDriftReport, true, fleet.Placed, 1, []string{"ca-1"}, []string{"ca-1"}, []string{EventDriftDetected}},
		{
			"reschedule: replaced first, stopped then", fleet.OnDriftReschedule, true, fleet.Placed, 0, []string{"ca-1", "ca-2"}, []string{"ca-2"},
			[]string{EventReplacing, EventDriftDetected, EventReplaced, EventDriftEnded},
		},
		{
			"reschedule, nothing matches: stays and is shown", fleet.OnDriftReschedule, false, fleet.Placed, 1, []string{"ca-1"}, []string{"ca-1"},
			[]string{EventDriftDetected, EventPending},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := twoCountries(t, tt.onDrift)
			if !tt.others {
				w.deleteNode("ca-2")
			}
			uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
			w.obey()
			w.said(uid)
			w.relabel("ca-1", "US", "")
			w.rest()
			if got := w.nodesOf(uid); !slices.Equal(got, tt.before) {
				t.Errorf("decided: on %v, want %v", got, tt.before)
			}
			w.obey()
			st := w.status(uid)
			if got := w.nodesOf(uid); !slices.Equal(got, tt.after) || st.State != tt.state || st.Drifting != tt.drift || st.Ready != 1 {
				t.Errorf("on %v, %+v; want %v, %s, %d drifting", got, st, tt.after, tt.state, tt.drift)
			}
			if got := w.said(uid); !slices.Equal(got, tt.said) {
				t.Errorf("said %v, want %v", got, tt.said)
			}
		})
	}
}

func TestDriftIsSaidOncePerChange(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inCanada})
	w.obey()
	w.said(uid)
	for _, step := range []struct {
		country string
		want    []string
	}{
		{"US", []string{EventDriftDetected}}, {"US", nil}, {"DE", []string{EventDriftDetected}}, {"CA", []string{EventDriftEnded}}, {"CA", nil},
	} {
		w.relabel("ca-1", step.country, "")
		w.obey()
		if got := w.said(uid); !slices.Equal(got, step.want) {
			t.Errorf("ca-1 in %s: said %v, want %v", step.country, got, step.want)
		}
	}
	w.relabel("ca-1", "US", "")
	w.obey()
	w.said(uid)
	w.restart()
	w.obey()
	if got := w.said(uid); len(got) > 0 {
		t.Errorf("said again after a restart: %v", got)
	}
}

func TestTurningEnforcementOnComparesWhatIsPlaced(t *testing.T) {
	for onDrift, want := range map[string][]string{fleet.OnDriftReport: {"ca-1", "ca-2", "de-1"}, fleet.OnDriftReschedule: {"de-1", "de-1", "de-1"}} {
		w := twoCountries(t, onDrift)
		w.set(fleet.GeoAwareness{Enabled: false, OnDrift: onDrift})
		uid := w.deploy("acme", "d", spec{image: "a", replicas: 3, residency: inGermany})
		w.obey()
		if st := w.status(uid); st.State != fleet.Placed || st.Drifting != 0 || !slices.Equal(w.nodesOf(uid), []string{"ca-1", "ca-2", "de-1"}) {
			t.Fatalf("while off: %+v on %v", st, w.nodesOf(uid))
		}
		w.set(fleet.GeoAwareness{Enabled: true, OnDrift: onDrift})
		w.obey()
		got := w.nodesOf(uid)
		slices.Sort(got)
		if drift := w.status(uid).Drifting; !slices.Equal(got, want) || (drift == 2) != (onDrift == fleet.OnDriftReport) {
			t.Errorf("%s: on %v with %d drifting, want %v", onDrift, got, drift, want)
		}
	}
}

func TestDeletingADeploymentStopsItsContainers(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 3})
	w.obey()
	w.silence("de-1")
	w.undeploy(uid)
	w.obey()
	if got := w.store.of(uid); len(got) != 1 || !got[0].Stop || got[0].Node != "de-1" {
		t.Fatalf("what a silent node runs stays to be stopped: %+v", got)
	}
	if r := w.scheduler.Placement(uid, true); r.State != fleet.Waiting {
		t.Errorf("a deleted deployment is %+v", r)
	}
	w.restart() // an orphan of a deployment that has no row any more
	w.served["de-1"] = true
	w.beat("de-1")
	w.obey()
	if got := w.store.of(uid); len(got) != 0 || len(w.scheduler.picture.deployments) != 0 {
		t.Errorf("%d containers and %d records are left", len(got), len(w.scheduler.picture.deployments))
	}
}

func TestADeletedNodesReplicasArePlacedAgain(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 3})
	w.obey()
	w.deleteNode("ca-1")
	w.obey()
	rows := w.store.of(uid)
	if got := numbers(rows); len(rows) != 3 || !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("replicas %v of %+v", got, rows)
	}
}

func TestExitedWithoutStopStaysAssigned(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1})
	w.obey()
	id := w.store.of(uid)[0].ID
	for _, tt := range []struct {
		state  fleet.ContainerState
		ready  int
		sameID bool
	}{
		{fleet.StateExited, 0, true}, {fleet.StateFailed, 0, true}, {fleet.StateUnhealthy, 0, true}, {fleet.StateRunning, 1, true}, {fleet.StateStopped, 0, false},
	} {
		w.report(id, tt.state)
		w.rest()
		rows := w.store.of(uid)
		if st := w.status(uid); len(rows) != 1 || (rows[0].ID == id) != tt.sameID || st.Ready != tt.ready || st.State != fleet.Placed {
			t.Errorf("%s: %+v, %+v", tt.state, rows, st)
		}
	}
}

func TestAGrantTakenAwayMovesTheReplicas(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	w.cluster("two", "acme")
	w.node("x-1", "two", "CA", "", roomy)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 4})
	w.obey()
	w.cluster("one", "zen")
	w.rest()
	if got := w.nodesOf(uid); len(got) != 7 {
		t.Fatalf("before the new ones run the old ones go on: %v", got)
	}
	w.obey()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"x-1", "x-1", "x-1", "x-1"}) {
		t.Errorf("on %v", got)
	}
	w.cluster("two", "zen")
	w.obey()
	if st := w.status(uid); st.State != fleet.Placed || st.Placed != 4 || st.PendingSince == nil || st.Ready != 4 || len(w.nodesOf(uid)) != 4 {
		t.Errorf("without any cluster: %+v on %v", st, w.nodesOf(uid))
	}
	tenant, staff := w.scheduler.Placement(uid, false), w.scheduler.Placement(uid, true)
	if len(tenant.Clusters) != 0 || len(staff.Clusters) != 1 || staff.Clusters[0].Placed != 4 || tenant.Pending.Replicas != 4 || tenant.Pending.Reasons[0].Code != fleet.ReasonNoReachableNode || len(tenant.Pending.Reasons) != 1 {
		t.Errorf("tenant sees %+v, staff %+v", tenant, staff)
	}
}
