package db_test

import (
	"odysseus/control"
	"odysseus/db"
	"odysseus/scheduler"
)

// The ports that the package satisfies by shape: it may not import those who declare them.
var (
	_ control.Writer  = (*db.Tx)(nil)
	_ scheduler.Store = (*db.DB)(nil)
	_ control.Store   = control.StoreOf((*db.DB)(nil).View, (*db.DB)(nil).Update)
)
