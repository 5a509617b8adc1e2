-- +goose Up

-- "Odys": tells this product's files from any other SQLite database.
PRAGMA application_id = 1331984755;

-- One row. sequence rises with every commit and gives every resourceVersion; written_at is the newest commit's
-- time. Restoring compares both, to refuse a target that is newer than the backup.
CREATE TABLE store (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    sequence   INTEGER NOT NULL,
    written_at INTEGER NOT NULL
) STRICT;
INSERT INTO store (id, sequence, written_at) VALUES (1, 0, 0);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE geo_awareness (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    value   TEXT NOT NULL
) STRICT;

CREATE TABLE tenants (
    name         TEXT PRIMARY KEY,
    display_name TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE namespaces (
    name       TEXT PRIMARY KEY,
    tenant     TEXT NOT NULL REFERENCES tenants (name) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant, name)
) STRICT, WITHOUT ROWID;

-- A platform account is of no tenant: NULL, and only with a platform role.
CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL COLLATE NOCASE UNIQUE,
    tenant        TEXT REFERENCES tenants (name) ON DELETE CASCADE,
    role          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    session_epoch INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    CHECK ((tenant IS NULL) = (role IN ('operator', 'support')))
) STRICT;
CREATE INDEX users_by_tenant ON users (tenant, email);

CREATE TABLE tokens (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    tenant     TEXT REFERENCES tenants (name) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    CHECK ((tenant IS NULL) = (role IN ('operator', 'support')))
) STRICT;
CREATE INDEX tokens_by_tenant ON tokens (tenant, name, id);

-- The table that scs's SQLite store works on: expiry is a Julian day.
CREATE TABLE sessions (
    token  TEXT PRIMARY KEY,
    data   BLOB NOT NULL,
    expiry REAL NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expiry);

CREATE TABLE clusters (
    name             TEXT PRIMARY KEY,
    runtime          TEXT NOT NULL,
    labels           TEXT NOT NULL,
    all_tenants      INTEGER NOT NULL,
    resource_version INTEGER NOT NULL,
    created_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_grants (
    tenant  TEXT NOT NULL REFERENCES tenants (name) ON DELETE CASCADE,
    cluster TEXT NOT NULL REFERENCES clusters (name) ON DELETE CASCADE,
    PRIMARY KEY (tenant, cluster)
) STRICT, WITHOUT ROWID;
CREATE INDEX cluster_grants_by_cluster ON cluster_grants (cluster, tenant);

CREATE TABLE enrolment_tokens (
    id         TEXT PRIMARY KEY,
    cluster    TEXT NOT NULL REFERENCES clusters (name) ON DELETE CASCADE,
    hash       TEXT NOT NULL UNIQUE,
    uses       INTEGER NOT NULL,
    used       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX enrolment_tokens_by_cluster ON enrolment_tokens (cluster);

CREATE TABLE nodes (
    name            TEXT PRIMARY KEY,
    cluster         TEXT NOT NULL REFERENCES clusters (name),
    runtime         TEXT NOT NULL,
    credential_hash TEXT NOT NULL UNIQUE,
    milli_cpu       INTEGER NOT NULL,
    memory          INTEGER NOT NULL,
    slots           INTEGER NOT NULL,
    cordoned        INTEGER NOT NULL,
    drain_deadline  INTEGER,
    version         INTEGER NOT NULL,
    enrolled_at     INTEGER NOT NULL,
    labels          TEXT NOT NULL,
    refusal         TEXT
) STRICT;
CREATE INDEX nodes_by_cluster ON nodes (cluster, name);

-- Apart from nodes, because each commit of the scheduler raises many of them: slim rows share few pages.
CREATE TABLE node_assignments (
    node    TEXT PRIMARY KEY REFERENCES nodes (name) ON DELETE CASCADE,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- state to last_container are the scheduler's; the residency columns are derived from residency_labels when it is
-- written. JSON stands last, so that filters need not read past it.
CREATE TABLE deployments (
    uid                 TEXT PRIMARY KEY,
    tenant              TEXT NOT NULL,
    namespace           TEXT NOT NULL,
    name                TEXT NOT NULL,
    resource_version    INTEGER NOT NULL,
    generation          INTEGER NOT NULL,
    revision            INTEGER NOT NULL,
    template_revision   INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    state               TEXT NOT NULL,
    replicas            INTEGER NOT NULL,
    placed              INTEGER NOT NULL,
    ready               INTEGER NOT NULL,
    drifting            INTEGER NOT NULL,
    pending_since       INTEGER,
    observed_generation INTEGER NOT NULL,
    undeclared_region   TEXT NOT NULL,
    last_container      INTEGER NOT NULL,
    residency_country   TEXT NOT NULL,
    residency_region    TEXT NOT NULL,
    has_residency       INTEGER NOT NULL,
    labels              TEXT NOT NULL,
    annotations         TEXT NOT NULL,
    residency_labels    TEXT NOT NULL,
    spec                TEXT NOT NULL,
    UNIQUE (namespace, name),
    FOREIGN KEY (tenant, namespace) REFERENCES namespaces (tenant, name)
) STRICT;
CREATE INDEX deployments_by_tenant ON deployments (tenant, namespace, name);
CREATE INDEX deployments_by_state ON deployments (state, namespace, name);
CREATE INDEX deployments_by_tenant_state ON deployments (tenant, state, namespace, name);
CREATE INDEX deployments_by_country ON deployments (residency_country, namespace, name, tenant) WHERE residency_country <> '';
CREATE INDEX deployments_by_region ON deployments (residency_region, namespace, name, tenant) WHERE residency_region <> '';
CREATE INDEX deployments_by_residency ON deployments (has_residency, namespace, name, tenant);
CREATE INDEX deployments_drifting ON deployments (namespace, name, tenant) WHERE drifting > 0;
CREATE INDEX deployments_pending ON deployments (pending_since, namespace, name, tenant) WHERE pending_since IS NOT NULL;
CREATE INDEX deployments_pending_by_tenant ON deployments (tenant, pending_since, namespace, name) WHERE pending_since IS NOT NULL;

CREATE TABLE revisions (
    id         INTEGER PRIMARY KEY,
    uid        TEXT NOT NULL REFERENCES deployments (uid) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    actor      TEXT NOT NULL,
    spec       TEXT NOT NULL,
    UNIQUE (uid, number)
) STRICT;

-- Containers outlive their deployment until their agents have stopped them, so they repeat what they need of it. With a
-- rowid: new rows go to the end, and the index by node, where a commit's rows are scattered, stays slim.
CREATE TABLE containers (
    deployment_uid TEXT NOT NULL,
    id             TEXT NOT NULL,
    tenant         TEXT NOT NULL REFERENCES tenants (name),
    namespace      TEXT NOT NULL,
    deployment     TEXT NOT NULL,
    node           TEXT NOT NULL REFERENCES nodes (name),
    revision       INTEGER NOT NULL,
    replica        INTEGER NOT NULL,
    milli_cpu      INTEGER NOT NULL,
    memory         INTEGER NOT NULL,
    slots          INTEGER NOT NULL,
    state          TEXT NOT NULL,
    message        TEXT NOT NULL,
    restarts       INTEGER NOT NULL,
    started_at     INTEGER,
    stop           INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (deployment_uid, id)
) STRICT;
CREATE INDEX containers_by_node ON containers (node);

-- object is what the events of one thing have in common: its UID, or its kind and name where it has none.
CREATE TABLE events (
    id        INTEGER PRIMARY KEY,
    object    TEXT NOT NULL,
    time      INTEGER NOT NULL,
    tenant    TEXT REFERENCES tenants (name) ON DELETE CASCADE,
    kind      TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    uid       TEXT NOT NULL,
    type      TEXT NOT NULL,
    reason    TEXT NOT NULL,
    args      TEXT NOT NULL,
    count     INTEGER NOT NULL,
    CHECK (tenant IS NOT NULL OR kind = 'Node')
) STRICT;
CREATE INDEX events_by_object ON events (object, id);
CREATE INDEX events_by_time ON events (time);

-- The audit outlives tenants, so its tenant is a plain text.
CREATE TABLE audit (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    time      INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    role      TEXT NOT NULL,
    tenant    TEXT NOT NULL,
    address   TEXT NOT NULL,
    verb      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    accepted  INTEGER NOT NULL,
    codes     TEXT NOT NULL,
    changes   TEXT NOT NULL
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
-- +goose StatementEnd
