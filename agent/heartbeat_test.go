package agent_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

func TestHeartbeatIsAsOftenAsTheControlPlaneSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.cp.heartbeat = 3
		r.start()
		r.cp.awaitReports(node, 11)
		r.spaced(1, 11, 3*time.Second)
		r.cp.change(func() { r.cp.heartbeat = 60 })
		before := len(r.cp.member(node).reports)
		r.cp.awaitReports(node, before+1) // its answer says 60
		time.Sleep(10 * time.Minute)
		r.spaced(before+1, len(r.cp.member(node).reports), time.Minute)
	})
}

// spaced sees that reports from to to are every apart, or up to a tenth less.
func (r *rig) spaced(from, to int, every time.Duration) {
	r.t.Helper()
	reports := r.cp.member(node).reports
	if to-from < 8 {
		r.t.Fatalf("%d reports, want more", to-from)
	}
	for i := from; i < to; i++ {
		if gap := reports[i].at.Sub(reports[i-1].at); gap > every || gap < every*9/10 {
			r.t.Errorf("report %d came after %v, want %v or up to a tenth less", i, gap, every)
		}
	}
}

func TestAStateIsReportedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		time.Sleep(2 * time.Second)
		assigned := time.Now()
		r.cp.assign(node, assignment("u-1"))
		r.cp.awaitState(node, "u-1", fleet.StateStarting)
		if took := time.Since(assigned); took != 0 {
			t.Errorf("starting was reported after %v, want at once", took)
		}
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		if took := time.Since(assigned); took != 20*time.Millisecond {
			t.Errorf("running was reported after %v, want the 20ms that it took", took)
		}
		time.Sleep(5 * time.Minute)
		before := len(r.cp.member(node).reports)
		r.engine.Kill(node, "u-1", 3)
		killed := time.Now()
		r.cp.await("the restart", func() bool { return r.cp.nodes[node].said["u-1"].Restarts == 1 })
		if took := time.Since(killed); took != 0 {
			t.Errorf("the restart was reported after %v, want at once", took)
		}
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		if n := len(r.cp.member(node).reports) - before; n > 4 {
			t.Errorf("%d reports for one restart, want one a change", n)
		}
	})
}

func TestAReportThatTheListOvertookIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"), assignment("u-2"))
		r.cp.awaitState(node, "u-2", fleet.StateRunning)
		// The list changes without a version, as if the news were still on their way.
		r.cp.change(func() { r.cp.nodes[node].list = r.cp.nodes[node].list[:1] })
		at := time.Now()
		r.engine.Kill(node, "u-1", 1)
		r.cp.await("u-1 reported alone", func() bool {
			reports := r.cp.nodes[node].reports
			last := reports[len(reports)-1]
			return !last.refused && len(last.status.Containers) == 1
		})
		if took := time.Since(at); took != 0 {
			t.Errorf("took %v, want at once", took)
		}
		time.Sleep(time.Second)
		if have := r.held(); len(have) != 1 {
			t.Errorf("the engine holds %v, want u-1 alone", have)
		}
		if n := r.log.count("refuses the report"); n != 1 {
			t.Errorf("logged %d times, want once", n)
		}
	})
}

func TestARefusedReportIsNoReasonToHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		var calls atomic.Int64
		r.cp.change(func() {
			r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPut {
					return false
				}
				calls.Add(1)
				problem(w, http.StatusUnprocessableEntity, fleet.CodeContainerUnknown)
				return true
			}
		})
		time.Sleep(10 * time.Minute)
		if n := calls.Load(); n < 60 || n > 67 {
			t.Errorf("%d reports in ten minutes, want one a heartbeat", n)
		}
		if polls := len(r.cp.member(node).polls); polls > 150 {
			t.Errorf("%d polls in ten minutes, want one a refusal", polls)
		}
	})
}

func TestChangesDoNotHurryAControlPlaneThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		a := assignment("u-1")
		r.cp.assign(node, a)
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		var calls atomic.Int64
		r.cp.change(func() {
			r.cp.intercept = func(http.ResponseWriter, *http.Request) bool {
				calls.Add(1)
				panic(http.ErrAbortHandler)
			}
		})
		for range 100 {
			r.engine.Remove(node, "u-1")
			time.Sleep(6 * time.Second)
		}
		if n := calls.Load(); n < 60 || n > 260 {
			t.Errorf("%d calls in ten minutes, want about one every 7 s from each of two loops", n)
		}
	})
}

func TestRetryAfterIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		var calls atomic.Int64
		r.cp.change(func() {
			r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPut {
					return false
				}
				calls.Add(1)
				w.Header().Set("Retry-After", "30")
				problem(w, http.StatusServiceUnavailable, fleet.CodeBusy)
				return true
			}
		})
		time.Sleep(5 * time.Minute)
		if n := calls.Load(); n < 9 || n > 10 {
			t.Errorf("%d calls in five minutes, want one every 30 s", n)
		}
	})
}

func TestNothingIsReportedBeforeTheEngineAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		a := r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"))
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		a.kill()
		before := len(r.cp.member(node).reports)

		mute := &muteRuntime{Runtime: r.engine.Runtime(node)}
		mute.mute.Store(true)
		r.start(func(o *agent.Options) { o.Runtime = mute })
		time.Sleep(time.Minute)
		if n := len(r.cp.member(node).reports); n != before {
			t.Errorf("%d reports while nothing is known, want none", n-before)
		}
		mute.mute.Store(false)
		r.cp.awaitReports(node, before+1)
		mute.mute.Store(true) // from now on the last that was known is said
		time.Sleep(time.Minute)
		reports := r.cp.member(node).reports
		if n := len(reports) - before; n < 6 {
			t.Errorf("%d reports in a minute, want the node alive", n)
		}
		for _, report := range reports[before:] {
			if said := report.status.Containers; len(said) != 1 || said[0].State != fleet.StateRunning {
				t.Errorf("reported %+v, want u-1 running", said)
			}
		}
		if n := r.started.of("u-1"); n != 1 {
			t.Errorf("started %d times, want once", n)
		}
	})
}
