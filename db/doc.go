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
// What is declared stands in three tables: deployments, resources (all other kinds, their documents as they were
// written) and policies, which propagate or override: the two sorts share the table and nothing else. bindings is what the
// scheduler remembers of the first two, by their UIDs, and renderings is what overrides made of them; containers and
// events name them by UID as well. A container that names a rendering runs that and not its revision, and a cluster for
// which the binding of a ConfigMap or Secret names one reads that: nothing falls back to the un-overridden form. A row that is preserved was deleted, and what it distributed stays: no query but those for
// preserved rows and Load finds it, and it keeps its name until it is taken over. Lists over both deployments and
// resources (workload.go) merge the two in the order of an index that both have.
//
// The values of Secrets, and those that overrides set in them, are sealed, each by itself, with a key from a file beside the database (key.go, seal.go): no file
// of the database, and no backup, shows one. Readers are answered fleet.HiddenValue in the place of each; in the clear
// they leave by one way alone, the assignments of nodes.
//
// Conventions of the schema: times are Unix milliseconds in UTC; labels, specs and the like are JSON text; every
// row of a tenant names its tenant, under a foreign key where the row may not outlive the tenant; no row means
// "everyone". An empty tenant as an argument is the platform's own caller, and exists in the Go API alone.
package db
