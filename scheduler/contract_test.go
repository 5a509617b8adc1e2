package scheduler_test

import (
	"odysseus/control"
	"odysseus/scheduler"
)

// What control asks of a scheduler is met by shape: neither package imports the other.
var (
	_ control.Scheduler = (*scheduler.Scheduler)(nil)
	_ control.Fleet     = (*scheduler.Scheduler)(nil)
)
