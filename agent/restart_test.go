package agent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// begun answers when the engine began to run a container, one after the other.
func (r *rig) begun(id string) func() []time.Time {
	times := []time.Time{}
	r.started.hear = func(started string) {
		if started == id {
			times = append(times, time.Now())
		}
	}
	return func() []time.Time {
		r.started.mu.Lock()
		defer r.started.mu.Unlock()
		return append([]time.Time{}, times...)
	}
}

func TestRestartsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		begun := r.begun("u-1")
		r.start()
		r.cp.awaitReports(node, 1)
		a := assignment("u-1")
		a.Command = []string{"exit", "3"}
		r.cp.assign(node, a)
		if said := r.cp.awaitState(node, "u-1", fleet.StateExited); said.Message != "exit code 3" {
			t.Errorf("message %q, want the exit code", said.Message)
		}
		time.Sleep(30 * time.Minute)
		const ran = 20 * time.Millisecond
		times := begun()
		for i, seconds := range []int{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
			want := time.Duration(seconds) * time.Second
			if i+1 >= len(times) {
				t.Fatalf("started %d times, want more", len(times))
			}
			if gap := times[i+1].Sub(times[i]) - ran; gap != want {
				t.Errorf("restart %d came after %v down, want %v", i+1, gap, want)
			}
		}
		if said := r.cp.awaitState(node, "u-1", fleet.StateExited); said.Restarts != len(times)-1 {
			t.Errorf("restarts %d, want %d", said.Restarts, len(times)-1)
		}
	})
}

func TestRestartsBeginAfreshAfterTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		begun := r.begun("u-1")
		r.start()
		r.cp.awaitReports(node, 1)
		a := assignment("u-1")
		a.Command = []string{"sleep", "600"}
		r.cp.assign(node, a)
		time.Sleep(65 * time.Minute)
		times := begun()
		if len(times) != 7 {
			t.Errorf("started %d times in 65 minutes, want 7", len(times))
		}
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap != 600*time.Second+20*time.Millisecond {
				t.Errorf("restart %d came after %v, want at once after ten minutes", i, gap)
			}
		}
	})
}

func TestRestartPolicies(t *testing.T) {
	for _, test := range []struct {
		policy, code string
		starts       int
	}{
		{fleet.RestartAlways, "0", 3}, {fleet.RestartAlways, "1", 3},
		{fleet.RestartOnFailure, "0", 1}, {fleet.RestartOnFailure, "1", 3},
		{fleet.RestartNever, "0", 1}, {fleet.RestartNever, "1", 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t)
			a := r.start()
			r.cp.awaitReports(node, 1)
			w := assignment("u-1")
			w.RestartPolicy, w.Command = test.policy, []string{"exit"}
			w.Args = []string{test.code}
			r.cp.assign(node, w)
			time.Sleep(2 * time.Second) // at once, and after 1 s
			if n := r.started.of("u-1"); n != test.starts {
				t.Errorf("%s, exit code %s: started %d times, want %d", test.policy, test.code, n, test.starts)
			}
			said := r.cp.awaitState(node, "u-1", fleet.StateExited)
			if said.Restarts != test.starts-1 || said.Message != "exit code "+test.code || said.StartedAt == nil {
				t.Errorf("%s, exit code %s: said %+v", test.policy, test.code, said)
			}
			if test.starts > 1 {
				return
			}
			// What ended for good stays so, through the agent's death and a tidy hand.
			a.kill()
			r.engine.Remove(node, "u-1")
			before := len(r.cp.member(node).reports)
			r.start()
			r.cp.awaitReports(node, before+1)
			time.Sleep(time.Minute)
			if said := r.cp.awaitState(node, "u-1", fleet.StateExited); r.started.of("u-1") != 1 || said.Message != "exit code "+test.code {
				t.Errorf("%s, exit code %s: after a restart of the agent started %d times, said %+v", test.policy, test.code, r.started.of("u-1"), said)
			}
		})
	}
}

func TestRestartsAreCountedOverTheAgentsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		a := r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"))
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		r.engine.Kill(node, "u-1", 1)
		r.cp.await("a restart", func() bool { return r.cp.nodes[node].said["u-1"].Restarts == 1 })
		a.kill()
		r.engine.Kill(node, "u-1", 1)
		r.start()
		r.cp.await("a second restart", func() bool { return r.cp.nodes[node].said["u-1"].Restarts == 2 })
	})
}

func TestAFirstStartIsNoRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start(func(o *agent.Options) { o.Runtime = lateRuntime{r.engine.Runtime(node)} })
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"))
		time.Sleep(time.Minute)
		if said := r.cp.awaitState(node, "u-1", fleet.StateRunning); said.Restarts != 0 {
			t.Errorf("%d restarts, want none: it was started once", said.Restarts)
		}
		r.engine.Kill(node, "u-1", 1)
		time.Sleep(time.Minute)
		if said := r.cp.awaitState(node, "u-1", fleet.StateRunning); said.Restarts != 1 {
			t.Errorf("%d restarts, want 1", said.Restarts)
		}
	})
}

func TestWhatCannotStartFailsAndIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		counting := &countingRuntime{Runtime: r.engine.Runtime(node)}
		r.start(func(o *agent.Options) { o.Runtime = counting })
		r.cp.awaitReports(node, 1)
		a := assignment("u-1")
		a.Image = "registry.example.com/fail:1"
		a.RestartPolicy = fleet.RestartNever // it never ran: the policy has no say
		r.cp.assign(node, a, assignment("u-2"))
		said := r.cp.awaitState(node, "u-1", fleet.StateFailed)
		if said.Message != "cannot pull image registry.example.com/fail:1: simulated failure" || said.StartedAt != nil || said.Restarts != 0 {
			t.Errorf("said %+v", said)
		}
		r.cp.awaitState(node, "u-2", fleet.StateRunning)
		before := len(r.cp.member(node).reports)
		time.Sleep(20 * time.Minute)
		// 1, 2, 4 … 256, then every 300 s.
		if n := counting.tries.Load(); n < 12 || n > 14 {
			t.Errorf("tried %d times in twenty minutes, want a back-off to 300 s", n)
		}
		if n := len(r.cp.member(node).reports) - before; n > 135 {
			t.Errorf("%d reports in twenty minutes: it flaps", n)
		}
		r.cp.assign(node, stopping("u-1"), assignment("u-2"))
		r.cp.awaitState(node, "u-1", fleet.StateStopped)
	})
}

func TestWhatWasRemovedByHandStartsAgainWithinAHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"))
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		for i := range 8 {
			r.engine.Remove(node, "u-1")
			at := time.Now()
			r.cp.await("it runs again", func() bool {
				said := r.cp.nodes[node].said["u-1"]
				return said.State == fleet.StateRunning && said.Restarts == i+1
			})
			if took := time.Since(at); took > 10*time.Second {
				t.Errorf("removal %d: it ran again after %v, want within a heartbeat", i+1, took)
			}
		}
	})
}

func TestAStopIsNotHeldUpByAPull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start(func(o *agent.Options) { o.Runtime = pullingRuntime{r.engine.Runtime(node)} })
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"))
		r.cp.awaitState(node, "u-1", fleet.StateStarting)
		time.Sleep(time.Minute)
		r.cp.assign(node, stopping("u-1"))
		at := time.Now()
		r.cp.awaitState(node, "u-1", fleet.StateStopped)
		if took := time.Since(at); took != 0 {
			t.Errorf("stopped after %v, want at once", took)
		}
		r.cp.assign(node, assignment("u-2"))
		r.cp.awaitState(node, "u-2", fleet.StateStarting)
		r.cp.assign(node) // gone from the list altogether
		time.Sleep(time.Second)
		r.cp.assign(node, assignment("u-3"))
		r.cp.awaitState(node, "u-3", fleet.StateStarting)
	})
}

func TestTheGraceIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		a, b := assignment("u-1"), assignment("u-2")
		a.Image, b.Image = "stubborn:1", "stubborn:1"
		b.TerminationGracePeriodSeconds = 50
		r.cp.assign(node, a, b)
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		r.cp.awaitState(node, "u-2", fleet.StateRunning)
		stop := stopping("u-1")
		stop.TerminationGracePeriodSeconds = 20
		r.cp.assign(node, stop) // u-2 is no longer listed: it keeps the grace that it came with
		at := time.Now()
		r.cp.awaitState(node, "u-1", fleet.StateStopped)
		if took := time.Since(at); took != 20*time.Second {
			t.Errorf("u-1 ended after %v, want its 20 s", took)
		}
		time.Sleep(29 * time.Second)
		if have := r.held(); len(have) != 1 {
			t.Errorf("u-2 ended before its 50 s: %v", have)
		}
		time.Sleep(2 * time.Second)
		if have := r.held(); len(have) != 0 {
			t.Errorf("u-2 outlived its 50 s: %v", have)
		}
	})
}
