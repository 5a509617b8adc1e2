// Package scheduler decides where replicas go, in one background goroutine, on a picture of the fleet that it
// holds in memory.
//
//	control ── DeploymentChanged, PolicyChanged, Heartbeat, Reported … ┐   changes.go
//	                                                                   ▼
//	                             picture (picture.go)   nodes in classes by cluster and place, a tournament
//	                                    │               over free capacity in each (index.go, index_tree.go)
//	                                    ▼
//	                               queue (queue.go)     each deployment once, first come first served
//	                                    │
//	   ┌── schedule.go: one function from the picture to a decision ────────────────────────────┐
//	   │ survey (survey.go)         the containers, sorted out by replica number                │
//	   │ bind (bind.go)             who holds it (policy.go); the candidates (candidates.go),   │
//	   │                            residency before division; failover (failover.go)           │
//	   │ divide (divide_*.go)       the count over the candidates                               │
//	   │ reconcile (reconcile.go)   what must change: scale, roll out, move, stop               │
//	   │ filter (filter*.go)        tenancy, residency, readiness, capacity; each one answers   │
//	   │ spread (divide_spread.go)  each part evenly over the nodes that pass                   │
//	   │ say (drift.go, status.go)  events and status                                           │
//	   └────────────────────────────────┬───────────────────────────────────────────────────────┘
//	                                    ▼
//	                     commit.go: many decisions, one transaction ── Store.Commit
//	                                    │ held            │ stale or failed: taken back
//	                                    ▼                 ▼
//	                     Listener: agents and pages    looked at again
//
// What finds no node waits (waiting.go) until something could lift its reason: a node that its requirement accepts
// and that came to have room, a grant, a setting. Nothing is retried by time. Silence of a node is measured in
// lease.go. The report_*.go files answer questions from the picture, without I/O: they are control.Fleet. So do the
// simulate*.go files: where would a workload go under these policies. They share the candidates and the division with
// what places.
//
// A resource other than an odysseus/v1 Deployment is a deployment here too (resource.go): with replicas where agents can
// run its pod template, without any where it is only to be there, as a ConfigMap is for those that name it
// (dependency.go).
//
// Whoever calls: cmd makes a Scheduler with New, Start reads the store once, Run decides until its context ends,
// control tells it what it committed. The geo filter is satisfies in filter_residency.go; it is in the pipeline
// only while scheduler.geo_awareness.enabled is true.
package scheduler
