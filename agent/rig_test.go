package agent_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"odysseus/agent"
	"odysseus/agent/simulated"
	"odysseus/fleet"
)

// rig is a control plane, an engine and a place for agents.
type rig struct {
	t      *testing.T
	cp     *controlPlane
	engine *simulated.Engine
	url    string
	client *http.Client
	dir    string
	log    *journal
	// started counts how often the engine began to run each container.
	started *counts
}

const node = "edge-1"

// onTCP serves the control plane on loopback.
func onTCP(t *testing.T) *rig {
	r := newRig(t)
	server := httptest.NewServer(r.cp)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	r.url, r.client = server.URL, server.Client()
	return r
}

// inBubble serves it over pipes, so that inside synctest.Test time stands still while anybody works.
func inBubble(t *testing.T) *rig {
	r := newRig(t)
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: r.cp, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	r.cp.patience = time.Hour // which costs nothing
	r.url, r.client = "http://control-plane.test", &http.Client{Transport: transport}
	return r
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, cp: newControlPlane(t), dir: t.TempDir(), log: &journal{}, started: &counts{n: map[string]int{}}}
	r.engine = simulated.NewEngine(simulated.Options{StartAfter: 20 * time.Millisecond, StopAfter: 10 * time.Millisecond,
		Behave: func(a fleet.Assignment) simulated.Behaviour {
			b := simulated.ByAssignment(a)
			if b.Failure == "" {
				r.started.add(a.ID)
			}
			return b
		}})
	if err := os.WriteFile(filepath.Join(r.dir, "token"), []byte("token-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) config() agent.Config {
	return agent.Config{ControlPlane: r.url, Name: node, Cluster: "canada", EnrolmentTokenFile: filepath.Join(r.dir, "token"),
		Country: "CA", GeoRegion: "north-america", Capacity: agent.Capacity{CPU: "4", Memory: "8Gi", Containers: 100},
		Runtime: fleet.RuntimeSimulated, StateDir: filepath.Join(r.dir, "state")}
}

func (r *rig) options() agent.Options {
	c := r.config()
	return agent.Options{Config: c, Runtime: r.engine.Runtime(c.Name), HTTPClient: r.client, Logger: slog.New(slog.NewTextHandler(r.log, nil))}
}

// running is an agent that runs.
type running struct {
	*agent.Agent
	t      *testing.T
	cancel context.CancelFunc
	ended  chan struct{}
	err    error
}

// start runs an agent until the test ends or kills it.
func (r *rig) start(change ...func(*agent.Options)) *running {
	r.t.Helper()
	o := r.options()
	for _, f := range change {
		f(&o)
	}
	a, faults := agent.New(o)
	if len(faults) > 0 {
		r.t.Fatalf("refused: %+v", faults)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	run := &running{Agent: a, t: r.t, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(run.ended)
		run.err = a.Run(ctx)
	}()
	r.t.Cleanup(run.kill)
	return run
}

// kill ends the agent as it is; a clean end is no error.
func (a *running) kill() {
	a.t.Helper()
	a.cancel()
	<-a.ended
	if a.err != nil {
		a.t.Errorf("Run: %v", a.err)
		a.err = nil
	}
}

// failed waits for Run to end by itself, with an error.
func (a *running) failed() error {
	a.t.Helper()
	select {
	case <-a.ended:
	case <-time.After(20 * time.Second):
		a.t.Fatal("Run does not end")
	}
	err := a.err
	a.err = nil
	if err == nil {
		a.t.Fatal("Run ended without an error")
	}
	return err
}

// assignment is one that runs until it is stopped.
func assignment(id string) fleet.Assignment {
	return fleet.Assignment{ID: id, Namespace: "acme", Deployment: "ledger", Revision: 1, Image: "registry.example.com/ledger:1", RestartPolicy: fleet.RestartAlways,
		TerminationGracePeriodSeconds: 10}
}

// stopping is the assignment as it comes with stop.
func stopping(id string) fleet.Assignment {
	return fleet.Assignment{ID: id, Namespace: "acme", Deployment: "ledger", Revision: 1, TerminationGracePeriodSeconds: 10, Stop: true}
}

// pipes is a listener within the process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// journal is what agents logged.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.b.String(), text)
}

type counts struct {
	mu   sync.Mutex
	n    map[string]int
	hear func(id string)
}

func (c *counts) add(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[id]++
	if c.hear != nil {
		c.hear(id)
	}
}

func (c *counts) of(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[id]
}
