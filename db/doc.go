// Package db is the SQLite store of the control plane: one file, and the only SQL of the house.
//
//	control ──View──▶ a bounded pool of readers ─┐
//	                                             ├─▶ FILE (WAL, synchronous=FULL), FILE.lock
//	control ──Update─▶ queue ─▶ ONE writer ──────┘
//	scheduler ─Commit─▶   ↑      BEGIN IMMEDIATE
//	                             SAVEPOINT · closure 1 · RELEASE      one COMMIT, one fsync,
//	                             SAVEPOINT · closure 2 · ROLLBACK TO  then every caller is answered
//	                             COMMIT
//
// Whoever waits while the writer commits shares the next commit: 64 callers pay for one fsync and not for 64, and
// each still sees a transaction of its own. What was answered nil survives kill -9 and a power cut.
//
// The package imports fleet alone and satisfies the ports of control and scheduler by shape: *Tx is a
// control.Writer, *DB a scheduler.Store. Errors are fleet's sentinels, told apart by SQLite's numeric codes; what
// only an operator meets (a locked, corrupt, foreign or newer file) has its own types in errors.go.
//
// Conventions of the schema: times are Unix milliseconds in UTC; labels, specs and the like are JSON text; every
// row of a tenant names its tenant, under a foreign key where the row may not outlive the tenant; no row means
// "everyone". An empty tenant as an argument is the platform's own caller, and exists in the Go API alone.
package db
