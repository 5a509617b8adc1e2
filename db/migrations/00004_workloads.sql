-- +goose Up

-- Lists and counts of workloads read resources beside deployments, in the same order.
CREATE INDEX resources_pending ON resources (pending_since, namespace, name, kind, api_version, tenant)
    WHERE pending_since IS NOT NULL AND preserved = 0;
CREATE INDEX resources_pending_by_tenant ON resources (tenant, pending_since, namespace, name, kind, api_version)
    WHERE pending_since IS NOT NULL AND preserved = 0;
CREATE INDEX resources_by_state ON resources (tenant, kind, api_version, state) WHERE preserved = 0;
