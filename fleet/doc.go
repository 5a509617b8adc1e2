// Package fleet is the vocabulary of Odysseus: what tenants declare, members report and the scheduler binds, and
// the pure rules on those. It imports nothing else of ours, does no I/O and reads no clock.
//
// A manifest on its way in:
//
//	bytes ── Parse ──▶ Doc ── DecodeDeployment ──▶ Deployment ── ValidateDeployment ──▶ stored
//	            │                   │                                   │
//	            ▼                   ▼                                   ▼
//	      invalid_yaml        unknown_field, …               residency_…, image_invalid, …
//	                                └────────── FieldErrors, all at once, located by the Doc ──┘
//
// A propagation policy goes the same way through DecodePolicy and ValidatePolicy, any other resource through
// DecodeResource, which reads its identity and counts and leaves the rest as it stands. Policy.Selects, ClaimOf,
// ClusterAffinity and ReplicaScheduling are the pure rules of who decides on a resource, and for which clusters.
//
// What a replica of a workload runs is a PodTemplate: of a Deployment its spec's, of a resource what PodTemplateOf reads,
// with the path of everything in it that agents cannot do. pod_inert.go holds the fields that pass without being read.
// Dependency is a ConfigMap or Secret that a workload names, and ResolveEnv what comes of them in a container.
//
// An override policy goes the same way through DecodeOverride and ValidateOverride, and Render applies those of a cluster
// to what it is to receive: a new object, or the one rule for which the resource is blocked there. What no override may
// reach, residency above all, is refused by override_reach.go when it is written and by render_sealed.go when it is applied.
//
// Everything refused is a FieldError with a Code of Registry; words are made at the edge, from the catalogue in
// views/locale. PolicyFields lists what each field of a policy accepts and may be answered, for the reference. Residency is compiled by Residency.Labels to the labels that the scheduler reads, and read back
// by RequirementOf.
package fleet
