// Package control decides what an actor may do and does it: authorise → admit → store and audit → enqueue.
//
//	handlers ──► Control.CreateDeployment(ctx, actor, …)
//	               authorise   one table, role × kind           authorise.go
//	               admit       fleet's validator, warnings      admit.go
//	               store       row, revision, event and audit   write.go, over the port Store
//	                           in one write transaction
//	               enqueue     after the commit, over the port Scheduler
//
// Every write takes that road, refused ones too: of those the transaction holds the audit entry alone. A dry run
// takes it up to the store and stops there. What belongs to another tenant answers fleet.ErrNotFound, from the
// same look-ups as what does not exist.
//
// Deployments, policies of both sorts and all other resources take it alike, by themselves or many at once:
//
//	Apply ──► each document as what it declares   apply_document.go
//	            deployment     planCreate, planUpdate     deployment_write.go
//	            policy         planCreatePolicy, …        policy_admit.go, policy_write.go
//	            override       planCreateOverride, …      override_admit.go, override_write.go
//	            resource       planCreateResource, …      resource_admit.go, resource_write.go
//	      ──► all of them stored in one transaction
//	      ──► the scheduler told of overrides before policies, and of these before what they select
//
// A Secret's values go in and never come out: what is answered, audited and told of is hidden, and fleet.HiddenValue,
// sent back, stands for what is stored. What a policy preserves when it is deleted is hidden, not gone, until one of
// its name takes it over.
//
// Refusals are values (fleet.FieldErrors) beside the error; an error is one of the sentinels of errors.go, of
// fleet/errors.go, or means that something broke. Words are made by the callers, from codes and values.
//
// Called by handlers (every request), web (who is asking) and cmd (bootstrap, wiring).
package control
