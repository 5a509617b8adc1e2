package control

import "odysseus/fleet"

// Example answers a question about made-up clusters, for the reference: what it shows is what the scheduler would do.
// Nothing of the store, and no real member, is in the answer, so anybody may ask. The question has a Hypothesis.
func (c *Control) Example(q fleet.Simulation) fleet.SimulationReport {
	if q.Hypothesis == nil {
		q.Hypothesis = &fleet.HypothesisSpec{} // real members never stand in
	}
	return c.deps.Fleet.Simulate(q)
}
