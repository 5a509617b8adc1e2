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
// Refusals are values (fleet.FieldErrors) beside the error; an error is one of the sentinels of errors.go, of
// fleet/errors.go, or means that something broke. Words are made by the callers, from codes and values.
//
// Called by handlers (every request), web (who is asking) and cmd (bootstrap, wiring).
package control
