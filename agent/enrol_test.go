package agent_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

func TestEnrolmentIsKeptAndTheTokenNotUsedAgain(t *testing.T) {
	r := onTCP(t)
	a := r.start()
	r.cp.awaitReports(node, 1)
	a.kill()

	asked := r.cp.member(node).enrolment
	if asked.Runtime != fleet.RuntimeSimulated || asked.Cluster != "canada" || asked.Token != "token-1" || asked.Labels[fleet.LabelNodeCountry] != "CA" ||
		asked.Capacity.Memory != "8Gi" {
		t.Errorf("enrolled as %+v", asked)
	}
	for path, want := range map[string]fs.FileMode{"state": fs.ModeDir | 0o700, "state/credential.json": 0o600} {
		info, err := os.Stat(filepath.Join(r.dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
	if err := os.Remove(filepath.Join(r.dir, "token")); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.cp.awaitReports(node, 2)
	if n := r.cp.enrolled(); n != 1 {
		t.Errorf("enrolled %d times, want once", n)
	}
	if r.log.count("token-1")+r.log.count("credential-of") != 0 {
		t.Error("the log holds a secret")
	}
}

func TestEnrolmentRefusedForGoodEndsRun(t *testing.T) {
	for _, test := range []struct {
		name  string
		given func(*rig)
		is    error
		says  string
		left  int // uses of the token afterwards
	}{
		{"a used token", func(r *rig) { r.cp.tokens["token-1"] = 0 }, agent.ErrUnauthenticated, "used, expired or unknown", 0},
		{"a taken name", func(r *rig) { r.cp.nodes[node] = &member{} }, agent.ErrConflict, "the name is taken", 1},
		{"a refused report", func(r *rig) { r.cp.intercept = answering(http.StatusUnprocessableEntity) }, agent.ErrRefused,
			"node_country_unassigned at a.field: why it is", 1},
		{"another kind of credential", func(r *rig) { r.cp.intercept = answering(http.StatusForbidden) }, agent.ErrForbidden, "403", 1},
		{"no control plane", func(r *rig) { r.cp.intercept = answering(http.StatusNotFound) }, nil, "is control_plane the address", 1},
		{"a redirect", func(r *rig) {
			r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
				http.Redirect(w, req, "https://elsewhere.example.com/enrol", http.StatusTemporaryRedirect)
				return true
			}
		}, agent.ErrRedirect, "elsewhere.example.com", 1},
		{"an answer without a credential", func(r *rig) {
			r.cp.intercept = func(w http.ResponseWriter, _ *http.Request) bool {
				answer(w, map[string]string{"node": node})
				return true
			}
		}, nil, "holds no credential", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := onTCP(t)
			test.given(r)
			err := r.start().failed()
			if test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "token-1") {
				t.Errorf("%v; want %v, saying %q and no secret", err, test.is, test.says)
			}
			if r.cp.tokens["token-1"] != test.left {
				t.Errorf("the token has %d uses, want %d", r.cp.tokens["token-1"], test.left)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "state", "credential.json")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("credential file: %v, want none", err)
			}
		})
	}
}

func answering(status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		problem(w, status, fleet.CodeNodeCountryInvalid)
		return true
	}
}

func TestEnrolmentWaitsForTheControlPlane(t *testing.T) {
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"away":     func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		"too busy": answering(http.StatusTooManyRequests),
		"starting": answering(http.StatusServiceUnavailable),
		"some page": func(w http.ResponseWriter, _ *http.Request) bool {
			_, err := w.Write([]byte("<html>"))
			return err == nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t)
			var tries atomic.Int64
			r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
				tries.Add(1)
				return fault(w, req)
			}
			r.start()
			time.Sleep(10 * time.Minute)
			// At most 10 s apart, half of it random.
			if n := tries.Load(); n < 60 || n > 130 {
				t.Errorf("%s: tried %d times in ten minutes, want about every 7 s", name, n)
			}
			r.cp.change(func() { r.cp.intercept = nil })
			at := time.Now()
			r.cp.awaitReports(node, 1)
			if took := time.Since(at); took > 10*time.Second {
				t.Errorf("%s: enrolled after %v, want within 10 s", name, took)
			}
			if n := r.log.count("cannot enrol yet"); n != 1 {
				t.Errorf("%s: logged %d times, want once", name, n)
			}
		})
	}
}

func TestEndedWhileEnrollingIsNoError(t *testing.T) {
	r := onTCP(t)
	asked := make(chan struct{}, 100)
	r.cp.intercept = func(w http.ResponseWriter, _ *http.Request) bool {
		asked <- struct{}{}
		problem(w, http.StatusServiceUnavailable, fleet.CodeBusy)
		return true
	}
	a := r.start()
	<-asked
	a.kill()
}

func TestRunNeedsATokenAndAStateOfItsOwn(t *testing.T) {
	for _, test := range []struct {
		name  string
		given func(*rig, *agent.Config)
		says  string
	}{
		{"no token file configured", func(_ *rig, c *agent.Config) { c.EnrolmentTokenFile = "" }, "enrolment_token_file is not set"},
		{"a token file that is not there", func(_ *rig, c *agent.Config) { c.EnrolmentTokenFile += ".none" }, "token.none"},
		{"an empty token file", func(r *rig, _ *agent.Config) { r.write("token", " \n") }, "holds no token"},
		{"a token file that is something else", func(r *rig, _ *agent.Config) { r.write("token", strings.Repeat("x", 5000)) }, "holds no token"},
		{"another node's state", func(r *rig, _ *agent.Config) {
			r.write("state/credential.json", `{"node":"edge-2","cluster":"canada","credential":"c"}`)
		}, "belongs to node edge-2 of cluster canada"},
		{"another cluster's state", func(r *rig, _ *agent.Config) {
			r.write("state/credential.json", `{"node":"edge-1","cluster":"europe","credential":"c"}`)
		}, "belongs to node edge-1 of cluster europe"},
		{"a broken credential", func(r *rig, _ *agent.Config) { r.write("state/credential.json", `{"node":`) }, "credential.json"},
		{"a credential file without one", func(r *rig, _ *agent.Config) { r.write("state/credential.json", `{}`) }, "no credential in it"},
		{"somebody else's directory", func(r *rig, _ *agent.Config) {
			r.write("state/passwd", "x")
			if err := os.Chmod(filepath.Join(r.dir, "state"), 0o755); err != nil {
				r.t.Fatal(err)
			}
		}, `holds "passwd"`},
		{"a file in its place", func(r *rig, _ *agent.Config) { r.write("state", "x") }, "make state directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := onTCP(t)
			c := r.config()
			test.given(r, &c)
			err := r.start(func(o *agent.Options) { o.Config = c }).failed()
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want it to say %q", err, test.says)
			}
			if n := r.cp.enrolled(); n != 0 {
				t.Error("it enrolled all the same")
			}
		})
	}
}

func TestAnEmptyStateDirectoryIsClosedToOthers(t *testing.T) {
	r := onTCP(t)
	state := filepath.Join(r.dir, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(state, 0o755); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.cp.awaitReports(node, 1)
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v; want 0700", info.Mode(), err)
	}
}

func TestTwoAgentsDoNotShareAState(t *testing.T) {
	r := onTCP(t)
	r.start()
	r.cp.awaitReports(node, 1)
	if err := r.start().failed(); !strings.Contains(err.Error(), "is another agent running on it?") {
		t.Errorf("%v, want it refused", err)
	}
}

func TestCredentialGoesNowhereElse(t *testing.T) {
	r := onTCP(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		t.Errorf("the agent followed to %s", req.URL)
	}))
	defer elsewhere.Close()
	r.start()
	r.cp.awaitReports(node, 1)
	r.cp.assign(node, assignment("u-1"))
	r.cp.awaitState(node, "u-1", fleet.StateRunning)
	asked := make(chan string, 100)
	r.cp.change(func() {
		r.cp.intercept = func(w http.ResponseWriter, req *http.Request) bool {
			http.Redirect(w, req, elsewhere.URL+req.URL.Path, http.StatusTemporaryRedirect)
			asked <- req.URL.Path
			return true
		}
	})
	r.engine.Kill(node, "u-1", 1) // there is something to report, and the long poll ends
	r.cp.change(func() { r.cp.nodes[node].version++ })
	seen := map[string]bool{}
	for len(seen) < 2 {
		seen[<-asked] = true
	}
	r.cp.change(func() { r.cp.intercept = nil })
	r.cp.await("the restart", func() bool {
		said := r.cp.nodes[node].said["u-1"]
		return said.State == fleet.StateRunning && said.Restarts == 1
	})
}

func (r *rig) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
}
