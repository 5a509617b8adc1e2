package simulated_test

import (
	"strconv"
	"testing"
	"time"

	"odysseus/agent"
	"odysseus/agent/conformance"
	"odysseus/agent/simulated"
	"odysseus/fleet"
)

func TestConformance(t *testing.T) {
	engine := simulated.NewEngine(simulated.Options{StartAfter: time.Millisecond, StopAfter: time.Millisecond})
	must := func(t *testing.T, done bool) {
		t.Helper()
		if !done {
			t.Fatal("the engine holds no such container")
		}
	}
	conformance.Run(t, conformance.Harness{
		Open: func(_ *testing.T, node string) agent.Runtime { return engine.Runtime(node) },
		Runs: fleet.Assignment{Image: "demo:1"},
		Ends: func(code int) fleet.Assignment {
			return fleet.Assignment{Image: "demo:1", Command: []string{"exit", strconv.Itoa(code)}}
		},
		Stubborn: fleet.Assignment{Image: "stubborn:1"},
		Fails:    fleet.Assignment{Image: "fail:1"},
		Kill:     func(t *testing.T, node, id string) { must(t, engine.Kill(node, id, 137)) },
		Remove:   func(t *testing.T, node, id string) { must(t, engine.Remove(node, id)) },
		Within:   10 * time.Second,
	})
}
