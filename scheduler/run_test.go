package scheduler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"odysseus/fleet"
)

// background runs the scheduler's goroutine until the test ends.
func (w *world) background() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- w.scheduler.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			w.t.Errorf("Run ended with %v", err)
		}
	})
}

func (w *world) settled() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := w.scheduler.Settled(ctx); err != nil {
		w.t.Fatal(err)
	}
}

func TestRunPlacesAndLosesByTheClock(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.background()
	w.cluster("one", fleet.AllTenants)
	uid := w.deploy("acme", "d", spec{image: "a", replicas: 1})
	w.settled()
	if r := w.scheduler.Placement(uid, false); r.State != fleet.Pending {
		t.Fatalf("%+v", r)
	}
	w.node("a", "one", "CA", "", roomy)
	w.settled()
	if r := w.scheduler.Placement(uid, false); r.State != fleet.Placed {
		t.Fatalf("%+v", r)
	}
	w.clock.Advance(41 * time.Second)
	w.settled()
	if r := w.scheduler.Placement(uid, false); r.State != fleet.Pending {
		t.Fatalf("%+v", r)
	}
	w.scheduler.Heartbeat("a")
	w.settled()
	if r := w.scheduler.Placement(uid, false); r.State != fleet.Placed {
		t.Fatalf("%+v", r)
	}
}

// TestRunTriesAgainWithOneAtATime: one decision that the store never takes does not hold up the others.
func TestRunTriesAgainWithOneAtATime(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{OnDrift: fleet.OnDriftReport})
	w.cluster("one", fleet.AllTenants)
	w.node("a", "one", "CA", "", roomy)
	w.silence("a")
	poison := w.deploy("acme", "poison", spec{image: "a", replicas: 1})
	for i := range 40 {
		w.deploy("acme", fmt.Sprint("d", i), spec{image: "a", replicas: 1})
	}
	placed := make(chan int, 1000)
	w.store.before = func(batch []fleet.Decision) error {
		for _, d := range batch {
			if d.DeploymentUID == poison {
				return errStore
			}
		}
		placed <- len(batch)
		return nil
	}
	w.background()
	total := 0
	for deadline := time.After(30 * time.Second); total < 40; {
		select {
		case n := <-placed:
			total += n
		case <-time.After(5 * time.Millisecond):
			w.clock.Advance(100 * time.Millisecond) // the back-off
		case <-deadline:
			t.Fatalf("%d of 40 stored", total)
		}
	}
	if got := w.store.of(poison); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestSettledGivesUpWithItsContext(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{})
	w.deploy("acme", "d", spec{image: "a", replicas: 1}) // nobody runs
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.scheduler.Settled(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestConcurrentCallers has everybody talk to the scheduler at once while it runs; the oracle inspects the rest.
func TestConcurrentCallers(t *testing.T) {
	w := newWorld(t, fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReschedule, Regions: allRegions})
	var needs sync.Mutex
	w.store.before = func(batch []fleet.Decision) error {
		needs.Lock()
		defer needs.Unlock()
		for _, d := range batch {
			for _, c := range d.Assign {
				w.needs[c.ID] = c.Requests
			}
		}
		return nil
	}
	w.cluster("one", fleet.AllTenants)
	w.cluster("europe", "acme")
	for i := range 12 {
		w.node(fmt.Sprint("n", i), []string{"one", "europe"}[i%2], tenCountries[i%4], "", slots(6))
	}
	var uids []string
	for i := range 16 {
		uids = append(uids, w.deploy([]string{"acme", "zen"}[i%2], fmt.Sprint("d", i), spec{image: "a", replicas: 2}))
	}
	w.background()
	var callers sync.WaitGroup
	for k := range 4 {
		callers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(k), 3))
			for range 300 {
				uid, name := uids[k*4+rng.IntN(4)], fmt.Sprint("n", k*3+rng.IntN(3))
				switch rng.IntN(8) {
				case 0:
					w.relabel(name, tenCountries[rng.IntN(4)], "")
				case 1:
					w.cordon(name, rng.IntN(2) == 0)
				case 2, 3:
					w.edit(uid, spec{image: []string{"a", "b"}[rng.IntN(2)], replicas: rng.IntN(5), residency: fleet.Residency{Country: tenCountries[rng.IntN(4)]}})
				case 4, 5:
					for _, c := range w.store.of(uid) {
						state := fleet.StateRunning
						if c.Stop {
							state = fleet.StateStopped
						}
						w.report(c.ID, state)
					}
				case 6:
					w.scheduler.Heartbeat(name)
					w.scheduler.Placement(uid, true)
				default:
					w.scheduler.Impact(fleet.GeoAwareness{})
					w.scheduler.Geography("acme")
					w.scheduler.AnyMatch("zen", inCanada.Labels())
					w.scheduler.NodeState(name)
					w.scheduler.Stats()
				}
			}
		})
	}
	callers.Wait()
	w.settled()
	if faults := w.inspect(); len(faults) > 0 {
		t.Error(faults)
	}
}
