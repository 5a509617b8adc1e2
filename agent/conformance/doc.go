// Package conformance holds every runtime to the contract of agent.Runtime, by one suite: simulated and docker pass
// the same. A runtime runs it from its own tests by describing itself in a Harness:
//
//	func TestConformance(t *testing.T) {
//		engine := simulated.NewEngine(simulated.Options{})
//		conformance.Run(t, conformance.Harness{
//			Open: func(_ *testing.T, node string) agent.Runtime { return engine.Runtime(node) },
//			…
//		})
//	}
//
// Only tests import it.
package conformance
