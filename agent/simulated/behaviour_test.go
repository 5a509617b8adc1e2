package simulated_test

import (
	"testing"
	"testing/synctest"
	"time"

	"odysseus/agent"
	"odysseus/agent/simulated"
	"odysseus/fleet"
)

func TestByAssignment(t *testing.T) {
	for _, test := range []struct {
		image         string
		command, args []string
		want          simulated.Behaviour
	}{
		{"ledger:1", nil, nil, simulated.Behaviour{}},
		{"registry.example.com/fail/ledger:1", nil, nil, simulated.Behaviour{Failure: "cannot pull image registry.example.com/fail/ledger:1: simulated failure"}},
		{"ledger:unhealthy", nil, nil, simulated.Behaviour{Unhealthy: true}},
		{"stubborn", nil, nil, simulated.Behaviour{Stubborn: true}},
		{"ledger:1", []string{"exit", "3"}, nil, simulated.Behaviour{Ends: true, ExitCode: 3}},
		{"ledger:1", []string{"exit"}, []string{"0"}, simulated.Behaviour{Ends: true}},
		{"ledger:1", nil, []string{"sleep", "90"}, simulated.Behaviour{Ends: true, EndsAfter: 90 * time.Second}},
		{"ledger:1", []string{"exit", "-1"}, nil, simulated.Behaviour{}},
		{"ledger:1", []string{"exit", "soon"}, nil, simulated.Behaviour{}},
		{"ledger:1", []string{"exit"}, nil, simulated.Behaviour{}},
		{"ledger:1", []string{"serve", "3"}, nil, simulated.Behaviour{}},
		{"ledger:1", []string{"sleep", "1", "2"}, nil, simulated.Behaviour{}},
	} {
		if got := simulated.ByAssignment(fleet.Assignment{Image: test.image, Command: test.command, Args: test.args}); got != test.want {
			t.Errorf("%s %v %v: %+v, want %+v", test.image, test.command, test.args, got, test.want)
		}
	}
}

func TestAContainerChangesWithTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := simulated.New(simulated.Options{StartAfter: time.Second, StopAfter: 3 * time.Second})
		for id, a := range map[string]fleet.Assignment{
			"ends":   {Image: "i:1", Command: []string{"sleep", "4"}},
			"stays":  {Image: "i:1"},
			"ailing": {Image: "unhealthy:1"},
		} {
			a.ID = id
			if err := r.Start(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		changes := make(chan time.Time, 100)
		began := time.Now()
		go r.Watch(t.Context(), func() { changes <- time.Now() })
		for _, want := range []struct {
			at                  time.Duration
			ailing, ends, stays fleet.ContainerState
		}{
			{0, fleet.StateStarting, fleet.StateStarting, fleet.StateStarting},
			{time.Second, fleet.StateUnhealthy, fleet.StateRunning, fleet.StateRunning},
			{5 * time.Second, fleet.StateUnhealthy, fleet.StateExited, fleet.StateRunning},
		} {
			if at := (<-changes).Sub(began); at != want.at {
				t.Fatalf("a change after %v, want it after %v", at, want.at)
			}
			if got := states(t, r); len(got) != 3 || got["ailing"] != want.ailing || got["ends"] != want.ends || got["stays"] != want.stays {
				t.Errorf("after %v: %v, want %+v", want.at, got, want)
			}
		}
		if err := r.Stop(t.Context(), "stays", 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("stopped after %v, want the 3 s that it takes", took-5*time.Second)
		}
		if err := r.Stop(t.Context(), "ailing", 2*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("stopped by force after %v, want its grace of 2 s", took-8*time.Second)
		}
		if got := states(t, r); len(got) != 1 {
			t.Errorf("left: %v, want the one that ended", got)
		}
	})
}

func states(t *testing.T, r agent.Runtime) map[string]fleet.ContainerState {
	t.Helper()
	have, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]fleet.ContainerState{}
	for _, c := range have {
		out[c.ID] = c.State
	}
	return out
}
