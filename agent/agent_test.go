package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

func TestAgentRunsWhatIsAssigned(t *testing.T) {
	r := onTCP(t)
	r.start()
	r.cp.awaitReports(node, 1)
	first := r.cp.member(node).reports[0].status
	if first.Labels[fleet.LabelNodeCountry] != "CA" || first.Labels[fleet.LabelNodeGeoRegion] != "north-america" || len(first.Labels) != 2 {
		t.Errorf("labels %v, want those of the configuration", first.Labels)
	}
	if want := (agent.Capacity{CPU: "4", Memory: "8Gi", Containers: 100}); first.Capacity != want {
		t.Errorf("capacity %+v, want %+v", first.Capacity, want)
	}

	r.cp.assign(node, assignment("u-1"), assignment("u-2"))
	for _, id := range []string{"u-1", "u-2"} {
		said := r.cp.awaitState(node, id, fleet.StateRunning)
		if said.Message != "" || said.Restarts != 0 || said.StartedAt == nil {
			t.Errorf("%s runs as %+v, want no message, no restarts and a start", id, said)
		}
	}

	r.cp.assign(node, assignment("u-1"), stopping("u-2"))
	r.cp.awaitState(node, "u-2", fleet.StateStopped)
	r.cp.awaitState(node, "u-1", fleet.StateRunning)
	if have := r.held(); fmt.Sprint(have) != "[u-1]" {
		t.Errorf("the engine holds %v, want u-1 alone", have)
	}
}

func TestAgentStopsWhatTheListNoLongerHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"), assignment("u-2"))
		r.cp.awaitState(node, "u-2", fleet.StateRunning)
		r.cp.assign(node, assignment("u-1"))
		time.Sleep(time.Second)
		if have := r.held(); fmt.Sprint(have) != "[u-1]" {
			t.Errorf("the engine holds %v, want u-1 alone", have)
		}
		for _, report := range r.cp.member(node).reports {
			if report.refused {
				t.Errorf("a report named what the list no longer held: %+v", report.status.Containers)
			}
		}
	})
}

func TestAgentKilledAtAnyPointGoesOn(t *testing.T) {
	for _, ms := range []int{0, 1, 5, 19, 20, 21, 25, 40, 500, 20_000} {
		offset := time.Duration(ms) * time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t)
			a := r.start()
			r.cp.awaitReports(node, 1)
			r.cp.assign(node, assignment("u-1"), assignment("u-2"), stopping("u-3"))
			time.Sleep(offset)
			a.kill()
			b := r.start()
			r.cp.awaitState(node, "u-1", fleet.StateRunning)
			r.cp.awaitState(node, "u-2", fleet.StateRunning)
			r.cp.awaitState(node, "u-3", fleet.StateStopped)
			r.cp.assign(node, assignment("u-1"), stopping("u-2"))
			time.Sleep(offset)
			b.kill()
			r.start()
			r.cp.awaitState(node, "u-2", fleet.StateStopped)
			r.cp.awaitState(node, "u-1", fleet.StateRunning)
			if n := [2]int{r.started.of("u-1"), r.started.of("u-2")}; n != [2]int{1, 1} {
				t.Errorf("killed after %v: started %v times, want once each", offset, n)
			}
			for _, report := range r.cp.member(node).reports {
				if said := report.status.Containers; len(said) == 0 && report.at.After(r.cp.member(node).reports[0].at) {
					t.Errorf("killed after %v: a report left everything out", offset)
				}
			}
			if n := r.cp.enrolled(); n != 1 {
				t.Errorf("enrolled %d times, want once", n)
			}
		})
	}
}

func TestAgentWhileTheControlPlaneIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		a := r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"), assignment("u-2"))
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		r.cp.awaitState(node, "u-2", fleet.StateRunning)

		r.cp.change(func() { r.cp.away = true })
		time.Sleep(30 * time.Minute)
		r.engine.Kill(node, "u-2", 1) // restarted meanwhile, without the control plane
		time.Sleep(30 * time.Minute)
		if have := r.held(); fmt.Sprint(have) != "[u-1 u-2]" {
			t.Errorf("the engine holds %v after an hour, want both", have)
		}
		before := len(r.cp.member(node).reports)
		back := time.Now()
		r.cp.change(func() { r.cp.away = false })
		r.cp.awaitReports(node, before+1)
		if took := time.Since(back); took > 10*time.Second {
			t.Errorf("knew after %v, want within a heartbeat", took)
		}
		if said := r.cp.awaitState(node, "u-2", fleet.StateRunning); said.Restarts != 1 {
			t.Errorf("u-2 restarted %d times, want 1", said.Restarts)
		}
		r.cp.assign(node, assignment("u-1"))
		assigned := time.Now()
		for len(r.held()) > 1 {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(assigned); took > 10*time.Second {
			t.Errorf("the new list arrived after %v, want within a heartbeat", took)
		}
		if n := r.started.of("u-1"); n != 1 {
			t.Errorf("u-1 was started %d times, want once", n)
		}
		if n := r.log.count("cannot reach the control plane"); n != 2 {
			t.Errorf("logged %d times that it is away, want once for each loop", n)
		}
		a.kill()
	})
}

func TestAgentRefusedForGoodKeepsContainers(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t)
			r.start()
			r.cp.awaitReports(node, 1)
			r.cp.assign(node, assignment("u-1"))
			r.cp.awaitState(node, "u-1", fleet.StateRunning)
			var calls atomic.Int64
			r.cp.change(func() {
				r.cp.intercept = func(w http.ResponseWriter, _ *http.Request) bool {
					calls.Add(1)
					problem(w, status, fleet.CodeUnauthenticated)
					return true
				}
			})
			time.Sleep(time.Hour)
			if have := r.held(); fmt.Sprint(have) != "[u-1]" {
				t.Errorf("the engine holds %v, want u-1", have)
			}
			// 60 minutes, two loops, a minute less at most a tenth.
			if n := calls.Load(); n < 100 || n > 140 {
				t.Errorf("%d calls in an hour, want about one a minute from each of two loops", n)
			}
			if n := r.log.count("refuses this node's credential"); n != 2 {
				t.Errorf("logged %d times, want once for each loop", n)
			}
			before := len(r.cp.member(node).reports)
			r.cp.change(func() { r.cp.intercept = nil })
			time.Sleep(2 * time.Minute)
			if after := len(r.cp.member(node).reports); after <= before || r.started.of("u-1") != 1 {
				t.Errorf("reports %d → %d, started %d times: want it to go on", before, after, r.started.of("u-1"))
			}
		})
	}
}

func TestSetGeoIsReportedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		a := r.start()
		r.cp.awaitReports(node, 1)
		time.Sleep(3 * time.Second)
		if faults := a.SetGeo("UK", "europe"); len(faults) != 1 || faults[0].Code != fleet.CodeNodeCountryInvalid || faults[0].Suggestion != "GB" {
			t.Errorf("UK: %+v, want it refused with GB suggested", faults)
		}
		if faults := a.SetGeo("US", ""); faults != nil {
			t.Fatalf("US: %+v", faults)
		}
		at := time.Now()
		r.cp.await("the new country", func() bool { return r.cp.nodes[node].labels[fleet.LabelNodeCountry] == "US" })
		if took := time.Since(at); took != 0 {
			t.Errorf("reported after %v, want at once", took)
		}
		if region, says := r.cp.member(node).labels[fleet.LabelNodeGeoRegion]; says {
			t.Errorf("region %q is still reported", region)
		}
	})
}

func TestManyAgentsInOneProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		const agents = 60
		r.cp.tokens["token-1"] = agents
		for i := range agents {
			name := fmt.Sprintf("edge-%d", i)
			r.start(func(o *agent.Options) {
				o.Config.Name, o.Config.StateDir, o.Runtime = name, r.dir+"/"+name, r.engine.Runtime(name)
			})
		}
		for i := range agents {
			name := fmt.Sprintf("edge-%d", i)
			r.cp.awaitReports(name, 1)
			r.cp.assign(name, assignment(name+"-a"), assignment(name+"-b"))
		}
		for i := range agents {
			name := fmt.Sprintf("edge-%d", i)
			r.cp.awaitState(name, name+"-a", fleet.StateRunning)
			r.cp.awaitState(name, name+"-b", fleet.StateRunning)
		}
	})
}

// Whatever happens to agent, engine and control plane: once it is quiet, exactly what is wanted runs, and nothing was
// started while it ran.
func TestAgentConvergesFromAnyState(t *testing.T) {
	for seed := range uint64(8) {
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t)
			random := rand.New(rand.NewPCG(seed, 2))
			faulty := &faultyRuntime{Runtime: r.engine.Runtime(node), random: rand.New(rand.NewPCG(seed, 3))}
			begin := func() *running { return r.start(func(o *agent.Options) { o.Runtime = faulty }) }
			a := begin()
			r.cp.awaitReports(node, 1)
			want := map[string]bool{}
			for step, next := 0, 0; step < 150; step++ {
				id := fmt.Sprintf("u-%d", random.IntN(next+1))
				switch random.IntN(8) {
				case 0, 1:
					next++
					want[fmt.Sprintf("u-%d", next)] = true
				case 2:
					delete(want, id)
				case 3:
					r.engine.Kill(node, id, 1)
				case 4:
					r.engine.Remove(node, id)
				case 5:
					a.kill()
					a = begin()
				case 6:
					r.cp.change(func() { r.cp.away = !r.cp.away })
				case 7:
					faulty.fail(random.IntN(2) == 0)
				}
				r.cp.assign(node, listOf(want)...)
				time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
			}
			r.cp.change(func() { r.cp.away = false })
			faulty.fail(false)
			time.Sleep(11 * time.Minute) // the longest back-off
			for id := range want {
				if said := r.cp.member(node).said[id]; said.State != fleet.StateRunning {
					t.Errorf("seed %d: %s is %+v, want it running", seed, id, said)
				}
			}
			if have := r.held(); len(have) != len(want) {
				t.Errorf("seed %d: the engine holds %v, want %v", seed, have, want)
			}
		})
	}
}

func listOf(want map[string]bool) []fleet.Assignment {
	list := []fleet.Assignment{}
	for id := range want {
		list = append(list, assignment(id))
	}
	return list
}

// held is what the engine holds, by ID.
func (r *rig) held() []string {
	r.t.Helper()
	have, err := r.engine.Runtime(node).List(context.WithoutCancel(r.t.Context()))
	if err != nil {
		r.t.Fatal(err)
	}
	ids := make([]string, len(have))
	for i, c := range have {
		ids[i] = c.ID
	}
	return ids
}
