package agent_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"odysseus/fleet"
)

func TestLongPollWaitsAtTheControlPlane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		time.Sleep(10 * time.Minute)
		if n := len(r.cp.member(node).polls); n < 20 || n > 22 {
			t.Errorf("%d polls in ten quiet minutes, want one every 30 s", n)
		}
	})
}

func TestAControlPlaneThatDoesNotWaitIsNotHammered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		var calls atomic.Int64
		r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodGet {
				return false
			}
			calls.Add(1)
			answer(w, fleet.AssignmentList{Version: 0, Containers: []fleet.Assignment{}})
			return true
		}
		r.start()
		r.cp.awaitReports(node, 1)
		time.Sleep(time.Minute)
		if n := calls.Load(); n < 55 || n > 62 {
			t.Errorf("%d polls in a minute, want one a second", n)
		}
	})
}

// Whatever passes for an answer on the way, only a whole list stops anything.
func TestAListThatIsNotWholeStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inBubble(t)
		r.start()
		r.cp.awaitReports(node, 1)
		r.cp.assign(node, assignment("u-1"))
		r.cp.awaitState(node, "u-1", fleet.StateRunning)
		for _, body := range []string{
			`{}`, `[]`, `null`, ``, `{"version":9}`, `{"containers":[]}`, `{"version":9,"containers":[{"id":"u-1"}`, `{"version":9,"containers":{}}`,
			`{"version":9,"containers":[{"id":""}]}`, `{"version":9,"containers":[{"id":"u-2"},{"id":"u-2"}]}`, `{"version":"9","containers":[]}`,
		} {
			served := false
			r.cp.change(func() {
				r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
					if req.Method != http.MethodGet {
						return false
					}
					r.cp.change(func() { served = true })
					w.Header().Set("Content-Type", "application/json")
					if _, err := w.Write([]byte(body)); err != nil {
						t.Error(err)
					}
					return true
				}
				r.cp.nodes[node].version++
			})
			r.cp.await("the answer", func() bool { return served })
			time.Sleep(30 * time.Second)
			if have := r.held(); fmt.Sprint(have) != "[u-1]" {
				t.Fatalf("after %s the engine holds %v, want u-1", body, have)
			}
		}
		if n := r.log.count("stopping container"); n != 0 {
			t.Errorf("stopped %d times", n)
		}
	})
}

func TestAControlPlaneRestoredFromABackupIsFollowed(t *testing.T) {
	for name, left := range map[string]int{"the same list": 2, "an older list": 1} {
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t)
			r.start()
			r.cp.awaitReports(node, 1)
			r.cp.change(func() { r.cp.nodes[node].version = 900 })
			r.cp.assign(node, assignment("u-1"), assignment("u-2"))
			r.cp.awaitState(node, "u-2", fleet.StateRunning)
			r.cp.change(func() {
				n := r.cp.nodes[node]
				n.version, n.list = 7, n.list[:left]
			})
			time.Sleep(31 * time.Second) // the poll under way comes to its end
			if have := r.held(); len(have) != left {
				t.Errorf("%s: the engine holds %v, want %d", name, have, left)
			}
			r.cp.assign(node, assignment("u-1"), assignment("u-3"))
			at := time.Now()
			r.cp.awaitState(node, "u-3", fleet.StateRunning)
			if took := time.Since(at); took > 100*time.Millisecond {
				t.Errorf("%s: u-3 ran after %v, want the next list at once", name, took)
			}
		})
	}
}
