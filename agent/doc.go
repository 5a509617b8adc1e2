// Package agent is the member's side: what runs on a machine that takes containers.
//
// An agent enrols once, and from then on does three things at the same time, each in its own loop:
//
//	            ┌─ heartbeat.go ── PUT status ──────────▶ control plane
//	Run (enrol) ┼─ poll.go ─────── GET assignments ◀───── (the whole list, always)
//	            └─ carry.go ────── reconcile.go ─▶ Runtime (simulated, docker, kubernetes)
//	                 ▲                                │
//	                 └──────── Watch ◀────────────────┘
//
// carry.go lists what the runtime holds, lays it beside the last list of assignments, and reconcile.go, a pure
// function, says what to start and what to stop. Nothing is remembered that the runtime or the list does not say,
// but for how often a container was restarted and how one ended for good; so an agent that was killed at any point
// goes on where it was and starts nothing twice. report.go says what is, and the heartbeat carries it.
//
// When the control plane is away, or refuses the agent, containers keep running: only a list that arrived whole
// stops anything.
//
// cmd builds an agent from its configuration and a Runtime and awaits Run. The demo runs dozens in one process.
package agent
