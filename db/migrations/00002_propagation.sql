-- +goose Up

ALTER TABLE deployments ADD COLUMN divided_afresh INTEGER NOT NULL DEFAULT 0;
-- 1: deleted, and what it distributed stays. Its name is taken until it is taken over.
ALTER TABLE deployments ADD COLUMN preserved INTEGER NOT NULL DEFAULT 0;

-- Lists leave preserved deployments out. Their indexes do so too, and a count reads nothing but its index.
DROP INDEX deployments_by_tenant;
DROP INDEX deployments_by_state;
DROP INDEX deployments_by_tenant_state;
DROP INDEX deployments_by_country;
DROP INDEX deployments_by_region;
DROP INDEX deployments_by_residency;
DROP INDEX deployments_drifting;
DROP INDEX deployments_pending;
DROP INDEX deployments_pending_by_tenant;
CREATE INDEX deployments_by_tenant ON deployments (tenant, namespace, name) WHERE preserved = 0;
CREATE INDEX deployments_by_state ON deployments (state, namespace, name) WHERE preserved = 0;
CREATE INDEX deployments_by_tenant_state ON deployments (tenant, state, namespace, name) WHERE preserved = 0;
CREATE INDEX deployments_by_country ON deployments (residency_country, namespace, name, tenant) WHERE residency_country <> '' AND preserved = 0;
CREATE INDEX deployments_by_region ON deployments (residency_region, namespace, name, tenant) WHERE residency_region <> '' AND preserved = 0;
CREATE INDEX deployments_by_residency ON deployments (has_residency, namespace, name, tenant) WHERE preserved = 0;
CREATE INDEX deployments_drifting ON deployments (namespace, name, tenant) WHERE drifting > 0 AND preserved = 0;
CREATE INDEX deployments_pending ON deployments (pending_since, namespace, name, tenant) WHERE pending_since IS NOT NULL AND preserved = 0;
CREATE INDEX deployments_pending_by_tenant ON deployments (tenant, pending_since, namespace, name)
    WHERE pending_since IS NOT NULL AND preserved = 0;

-- What the agent reported of each container of a replica that has several: JSON, empty for a replica of one.
ALTER TABLE containers ADD COLUMN parts TEXT NOT NULL DEFAULT '';

-- A cluster-wide policy is of no tenant: NULL, and of no namespace: empty.
CREATE TABLE policies (
    uid              TEXT PRIMARY KEY,
    kind             TEXT NOT NULL,
    namespace        TEXT NOT NULL,
    name             TEXT NOT NULL,
    tenant           TEXT,
    api_version      TEXT NOT NULL,
    resource_version INTEGER NOT NULL,
    generation       INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    labels           TEXT NOT NULL,
    annotations      TEXT NOT NULL,
    spec             TEXT NOT NULL,
    UNIQUE (namespace, kind, name),
    CHECK ((tenant IS NULL) = (namespace = '')),
    FOREIGN KEY (tenant, namespace) REFERENCES namespaces (tenant, name) ON DELETE CASCADE
) STRICT;
CREATE INDEX policies_by_tenant ON policies (tenant, namespace, kind, name);

-- Resources other than odysseus/v1 Deployments, with the columns of those as far as they have them. A cluster-scoped
-- one is of no tenant and of no namespace. object is the document as it was written, a Secret's values sealed.
CREATE TABLE resources (
    uid                 TEXT PRIMARY KEY,
    tenant              TEXT,
    namespace           TEXT NOT NULL,
    api_version         TEXT NOT NULL,
    kind                TEXT NOT NULL,
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
    divided_afresh      INTEGER NOT NULL,
    preserved           INTEGER NOT NULL,
    labels              TEXT NOT NULL,
    annotations         TEXT NOT NULL,
    object              TEXT NOT NULL,
    UNIQUE (namespace, kind, name, api_version),
    CHECK ((tenant IS NULL) = (namespace = '')),
    FOREIGN KEY (tenant, namespace) REFERENCES namespaces (tenant, name)
) STRICT;
CREATE INDEX resources_by_tenant ON resources (tenant, namespace, kind, name, api_version) WHERE preserved = 0;
CREATE INDEX resources_by_tenant_kind ON resources (tenant, kind, namespace, name, api_version) WHERE preserved = 0;
CREATE INDEX resources_by_kind ON resources (kind, namespace, name, api_version, tenant) WHERE preserved = 0;

-- What containers run is of a revision. A Secret has none: no container runs it, and replaced values are not kept.
CREATE TABLE resource_revisions (
    id     INTEGER PRIMARY KEY,
    uid    TEXT NOT NULL REFERENCES resources (uid) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    object TEXT NOT NULL,
    UNIQUE (uid, number)
) STRICT;

-- Of a deployment or a resource, whichever has that UID. An empty policy_kind: no policy holds it.
CREATE TABLE bindings (
    uid              TEXT PRIMARY KEY,
    policy_kind      TEXT NOT NULL,
    policy_namespace TEXT NOT NULL,
    policy_name      TEXT NOT NULL,
    kept             INTEGER NOT NULL,
    clusters         TEXT NOT NULL,
    failovers        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX bindings_by_policy ON bindings (policy_namespace, policy_kind, policy_name) WHERE policy_kind <> '';

-- Events of cluster-scoped resources and cluster-wide policies have no tenant, as those of nodes. SQLite changes no
-- CHECK, so the table is written anew.
CREATE TABLE events_2 (
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
    CHECK (tenant IS NOT NULL OR namespace = '')
) STRICT;
INSERT INTO events_2 SELECT id, object, time, tenant, kind, namespace, name, uid, type, reason, args, count FROM events;
DROP TABLE events;
ALTER TABLE events_2 RENAME TO events;
CREATE INDEX events_by_object ON events (object, id);
CREATE INDEX events_by_time ON events (time);
