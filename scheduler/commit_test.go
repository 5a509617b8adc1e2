package scheduler

import (
	"context"
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestAStaleDecisionIsTakenBack(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 3, cpu: "3", residency: inCanada}) // there is room for two
	var late fleet.Deployment
	w.store.before = func([]fleet.Decision) error {
		late, _ = w.write(uid, spec{image: "a", replicas: 1, residency: inGermany}) // stored, not yet told
		return nil
	}
	w.rest()
	w.store.before = nil
	if got := w.store.of(uid); len(got) != 0 {
		t.Fatalf("a decision on an older generation was stored: %+v", got)
	}
	for _, n := range []string{"ca-1", "ca-2"} {
		if state, _ := w.scheduler.NodeState(n); state.Used != (fleet.Amount{}) || state.Containers != 0 {
			t.Errorf("%s is still charged: %+v", n, state)
		}
	}
	if looks := w.looks(func() { w.node("ca-3", "one", "CA", "", roomy) }); looks != 0 {
		t.Error("looked at before its change was told")
	}
	w.scheduler.DeploymentChanged(late)
	w.rest()
	if got := w.store.of(uid); len(got) != 1 || got[0].Node != "de-1" || got[0].Revision != 2 {
		t.Errorf("after the change: %+v", got)
	}
}

// TestANodeThatIsGoneMakesADecisionStale: the store knows it before the scheduler does.
func TestANodeThatIsGoneMakesADecisionStale(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.store.before = func([]fleet.Decision) error {
		delete(w.store.nodes, "ca-1")
		return nil
	}
	w.rest()
	w.store.before = nil
	if got := w.store.of(uid); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	w.scheduler.NodeDeleted("ca-1")
	w.rest()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"ca-2"}) {
		t.Errorf("on %v", got)
	}
}

func TestAFailedCommitIsUndoneAndTriedAgain(t *testing.T) {
	for name, lost := range map[string]bool{"not stored": false, "stored, the answer lost": true} {
		t.Run(name, func(t *testing.T) {
			w := twoCountries(t, fleet.OnDriftReport)
			fails := 3
			fail := func() error {
				if fails--; fails >= 0 {
					return errStore
				}
				return nil
			}
			if lost {
				w.store.after = fail
			} else {
				w.store.before = func([]fleet.Decision) error { return fail() }
			}
			uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inCanada})
			if _, err := w.scheduler.step(context.Background()); err == nil {
				t.Fatal("the failure is not told")
			}
			w.obey()
			rows := w.store.of(uid)
			if st := w.status(uid); len(rows) != 2 || st.State != fleet.Placed || st.Ready != 2 || !slices.Equal(numbers(rows), []int{0, 1}) {
				t.Errorf("%+v, %+v", rows, st)
			}
			if st := w.scheduler.Stats(); st.Failures != 3 || st.Queued != 0 {
				t.Errorf("%+v", st)
			}
		})
	}
}

func TestWhatHappensDuringACommitIsNotForgotten(t *testing.T) {
	tests := []struct {
		name string
		do   func(w *world, uid string, batch []fleet.Decision)
		on   []string
	}{
		{"reported running", func(w *world, _ string, batch []fleet.Decision) {
			for _, c := range batch[0].Assign {
				w.scheduler.Reported(c.Node, []fleet.ContainerReport{{ID: c.ID, State: fleet.StateRunning}})
			}
		}, []string{"ca-1", "ca-2"}},
		{"a node deleted", func(w *world, _ string, _ []fleet.Decision) { w.deleteNode("ca-1") }, []string{"ca-2", "ca-2"}},
		{"the deployment deleted", func(w *world, uid string, _ []fleet.Decision) { w.undeploy(uid) }, []string{}},
		{"the deployment changed", func(w *world, uid string, _ []fleet.Decision) {
			w.edit(uid, spec{image: "a", replicas: 1, residency: inGermany})
		}, []string{"de-1"}},
		{"a node relabelled", func(w *world, _ string, _ []fleet.Decision) { w.relabel("ca-1", "US", "") }, []string{"ca-1", "ca-2"}},
	}
	for _, tt := range tests {
		for _, when := range []string{"before it is stored", "after it was stored"} {
			t.Run(tt.name+" "+when, func(t *testing.T) {
				w := twoCountries(t, fleet.OnDriftReport)
				uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inCanada})
				var batch []fleet.Decision
				once := func() error {
					if batch != nil {
						tt.do(w, uid, batch)
					}
					batch = nil
					w.store.before, w.store.after = nil, nil
					return nil
				}
				w.store.before = func(decisions []fleet.Decision) error {
					batch = decisions
					if when == "before it is stored" {
						return once()
					}
					return nil
				}
				w.store.after = once
				w.obey()
				if got := w.nodesOf(uid); !slices.Equal(got, tt.on) {
					t.Errorf("on %v, want %v", got, tt.on)
				}
				if d, ok := w.store.deployments[uid]; ok && (d.Status.State != fleet.Placed || d.Status.Ready != d.Status.Replicas) {
					t.Errorf("%+v", d.Status)
				}
			})
		}
	}
}

func TestManyDecisionsShareOneCommit(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	for range 100 {
		w.deploy("acme", "d", spec{image: "a", replicas: 1})
	}
	w.rest()
	if w.store.commits != 1 {
		t.Errorf("%d commits for 100 decisions", w.store.commits)
	}
	if nodes := w.listener.nodes; !slices.Equal(nodes, []string{"ca-1", "ca-2", "de-1"}) || len(w.listener.refs) != 100 {
		t.Errorf("told of %v and %d deployments", nodes, len(w.listener.refs))
	}
}

func TestWordsOutOfOrderOverwriteNothingNewer(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	first := w.store.deployments[uid]
	w.edit(uid, spec{image: "a", replicas: 2, residency: inGermany})
	node := w.store.nodes["ca-1"]
	w.relabel("ca-1", "DE", "")
	cluster := w.store.clusters["one"]
	w.cluster("one", "acme")

	w.scheduler.DeploymentChanged(first)
	w.scheduler.NodeChanged(node)
	w.scheduler.ClusterChanged(cluster)
	w.obey()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"ca-1", "de-1"}) {
		t.Errorf("on %v", got)
	}
	if got := w.scheduler.Geography("zen"); len(got.Countries) != 0 {
		t.Errorf("an older grant stands: %v", got)
	}
	last := w.store.deployments[uid]
	gone := w.store.nodes["ca-2"]
	w.undeploy(uid)
	w.deleteNode("ca-2")
	gone.Version++
	for range 2 { // while containers of it are left, and when none is
		w.scheduler.DeploymentChanged(last)
		w.scheduler.NodeChanged(gone)
		w.obey()
	}
	if st := w.scheduler.Stats(); st.Deployments != 0 || st.Nodes != 2 {
		t.Errorf("a late word brought back what was deleted: %+v", st)
	}
}

// TestAStatusThatMayBeStoredIsWrittenAgain: the answer of a commit is lost, and what it said is not true any more.
func TestAStatusThatMayBeStoredIsWrittenAgain(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	w.store.after = func() error {
		w.store.after = nil
		w.relabel("ca-1", "CA", "")
		return errStore
	}
	w.relabel("ca-1", "US", "")
	w.rest()
	if st := w.status(uid); st.Drifting != 0 {
		t.Errorf("%+v", st)
	}
}

// TestOnDriftChangedDuringACommit: the drift that is being stored is rescheduled all the same.
func TestOnDriftChangedDuringACommit(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	w.store.before = func([]fleet.Decision) error {
		w.store.before = nil
		w.set(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReschedule})
		return nil
	}
	w.relabel("ca-1", "US", "")
	w.obey()
	if got := w.nodesOf(uid); !slices.Equal(got, []string{"ca-2"}) {
		t.Errorf("on %v", got)
	}
}

// TestADeletedDeploymentForgetsItsDoubts: an adoption whose commit failed cannot be told again once the row is gone.
func TestADeletedDeploymentForgetsItsDoubts(t *testing.T) {
	for name, deletedFirst := range map[string]bool{"deleted during the commit": true, "deleted after it": false} {
		t.Run(name, func(t *testing.T) {
			w := twoCountries(t, fleet.OnDriftReport)
			uid := w.deploy("acme", "d", spec{image: "a", replicas: 2, residency: inCanada})
			w.obey()
			w.store.before = func([]fleet.Decision) error {
				w.store.before = nil
				if deletedFirst {
					w.undeploy(uid)
				}
				return errStore
			}
			w.edit(uid, spec{image: "a", replicas: 2})
			if _, err := w.scheduler.step(context.Background()); err == nil {
				t.Fatal("the failure is not told")
			}
			if !deletedFirst {
				w.undeploy(uid)
			}
			w.obey()
			if got := w.store.of(uid); len(got) != 0 || w.scheduler.Stats().Deployments != 0 {
				t.Errorf("%+v are left", got)
			}
		})
	}
}

// TestWhatWasRemovedStaysRemoved: the answer to a removal is lost, and an agent said otherwise while it was under way.
func TestWhatWasRemovedStaysRemoved(t *testing.T) {
	w := twoCountries(t, fleet.OnDriftReport)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1, residency: inCanada})
	w.obey()
	c := w.store.of(uid)[0]
	w.undeploy(uid)
	w.rest()
	w.store.before = func([]fleet.Decision) error {
		w.store.before = nil
		w.report(c.ID, fleet.StateRunning)
		return nil
	}
	w.store.after = func() error {
		w.store.after = nil
		return errStore
	}
	w.report(c.ID, fleet.StateStopped)
	w.rest()
	if st, _ := w.scheduler.NodeState(c.Node); st.Containers != 0 || st.Used != (fleet.Amount{}) {
		t.Errorf("%s still counts %d containers, %+v", c.Node, st.Containers, st.Used)
	}
}
