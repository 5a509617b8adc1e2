package scheduler

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

// TestRandomPolicies drives the fleet of TestRandomFleet under propagation policies: these created, changed and deleted,
// resources beside deployments created, scaled, relabelled, deleted and taken over, clusters relabelled, workloads falling
// ill and recovering, divided afresh, words that arrive late. The oracle of policies judges every batch at its commit,
// and everything at each rest.
func TestRandomPolicies(t *testing.T) {
	steps, seeds := 900, 6
	if testing.Short() {
		steps, seeds = 300, 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			newPolicyWorld(t, uint64(seed)).run(steps)
		})
	}
}

// TestRandomPoliciesAreDeterministic: the same history has the same commits, to the byte.
func TestRandomPoliciesAreDeterministic(t *testing.T) {
	run := func() []string {
		w := newPolicyWorld(t, 99)
		var commits []string
		judges := w.judges
		w.judges = func(decisions []fleet.Decision) []string {
			text, err := json.Marshal(decisions)
			if err != nil {
				t.Fatal(err)
			}
			commits = append(commits, string(text))
			return judges(decisions)
		}
		w.run(300)
		return commits
	}
	first, second := run(), run()
	if len(first) < 100 {
		t.Fatalf("only %d commits to compare", len(first))
	}
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			t.Fatalf("commit %d:\n%s\nand the second time\n%s", i, first[i], second[i])
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d commits, and the second time %d", len(first), len(second))
	}
}

type policyWorld struct {
	*randomWorld
	made    map[string]manifest // what was written of each resource
	deleted []string            // preserved ones, which may be taken over
	// believed are the bindings as the scheduler knows them; unsure are those whose last commit failed.
	believed map[string]fleet.Binding
	unsure   map[string]bool
	phantoms map[string]fleet.Container // assigned or removed by a commit that failed: the scheduler counts them
	before   map[string]fleet.Container // what was stored before the commit under way
	kept     map[string]bool            // "shown as no longer managed"
	ill      map[string]map[string]time.Time
	crashes  map[string]crash
}

// explained adds to faults what is stored of the subject that the first is about.
func (w *policyWorld) explained(faults []string) []string {
	if len(faults) == 0 {
		return nil
	}
	uid, _, _ := strings.Cut(faults[0], ":")
	if s, ok := w.subject(uid); ok {
		faults = append(faults, fmt.Sprintf("%+v", s), fmt.Sprintf("stored %+v, believed %+v, unsure %v, ill %v", w.store.bindings[uid], w.believed[uid], w.unsure[uid], w.ill[uid]))
	}
	if held := w.store.bindings[uid].Policy; held != nil {
		text, err := json.Marshal(w.store.policies[*held])
		faults = append(faults, fmt.Sprintf("%s %v", text, err))
	}
	for _, c := range w.store.of(uid) {
		n := w.store.nodes[c.Node]
		faults = append(faults, fmt.Sprintf("%s: replica %d, revision %d, %s, stop %v, on %s in %s, alive %v, drained %v, %v",
			c.ID, c.Replica, c.Revision, c.State, c.Stop, c.Node, n.Cluster, w.alive(c.Node), !n.DrainDeadline.IsZero(), n.Labels))
	}
	return faults
}

// manifest is what the test wrote of a resource.
type manifest struct {
	api, kind, name, namespace string
	labels                     map[string]string
	replicas, completions      int // completions below 0: left out
	containers                 int
	milli                      int64
	image, config, key         string
	data                       []string
}

func newPolicyWorld(t testing.TB, seed uint64) *policyWorld {
	w := &policyWorld{
		randomWorld: newRandomWorld(t, seed), made: map[string]manifest{}, believed: map[string]fleet.Binding{}, unsure: map[string]bool{},
		phantoms: map[string]fleet.Container{}, kept: map[string]bool{}, ill: map[string]map[string]time.Time{}, crashes: map[string]crash{},
	}
	w.clusters = append(w.clusters, "edge")
	w.cluster("edge", fleet.AllTenants)
	w.judges = func(decisions []fleet.Decision) []string { return w.explained(w.judgePolicies(decisions)) }
	w.looks = func() []string { return w.explained(w.inspectPolicies()) }
	w.acts, w.ended = w.act, w.commitEnded
	w.heard, w.elsewhere, w.renewed = w.hear, w.governed, w.started
	return w
}

// commitEnded keeps what is stored, and what the scheduler knows of it.
func (w *policyWorld) commitEnded(decisions []fleet.Decision, stored, answered bool) {
	for i := range decisions {
		d := &decisions[i]
		uid := d.DeploymentUID
		held := stored && w.store.held[i]
		if held && d.Binding != nil {
			w.kept[uid] = d.Binding.Kept // which has been judged
		}
		switch {
		case !answered:
			w.unsure[uid] = true
			for _, c := range d.Assign {
				w.phantoms[c.ID] = c
			}
			for _, id := range d.Remove {
				if c, ok := w.before[id]; ok {
					w.phantoms[id] = c
				}
			}
		case held:
			for _, id := range d.Remove {
				delete(w.phantoms, id)
			}
			if d.Status != nil {
				delete(w.unsure, uid)
			}
			if d.Binding != nil {
				w.believed[uid] = *d.Binding
			}
		}
	}
}

// started: a scheduler that starts again knows what is stored.
func (w *policyWorld) started() {
	w.believed = maps.Clone(w.store.bindings)
	clear(w.unsure)
	clear(w.phantoms)
}
