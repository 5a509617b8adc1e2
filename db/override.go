package db

import (
	"context"

	"odysseus/fleet"
)

// overrides are the policies that override. Their values are JSON of any kind, and come back as they were written: an
// explicit null, a number of 64 bits, keys in their order.
func overrides() policySort[fleet.Override] {
	return policySort[fleet.Override]{
		what: "override", many: "overrides", kinds: fleet.OverrideKinds(),
		of: func(r policyRow) (fleet.Override, error) {
			o := fleet.Override{APIVersion: r.apiVersion, Kind: r.kind, Tenant: r.tenant, Metadata: r.metadata}
			return o, fromJSON(r.spec, &o.Spec)
		},
		ref: func(o fleet.Override) fleet.PolicyRef { return o.Ref() },
		row: func(o fleet.Override) policyRow {
			return policyRow{apiVersion: o.APIVersion, kind: o.Kind, tenant: o.Tenant, metadata: o.Metadata}
		},
		spec: func(o fleet.Override) any { return o.Spec },
	}
}

// Override by kind, namespace and name; one that is another tenant's, or nobody's, is fleet.ErrNotFound. The platform's own
// caller passes "" for the tenant.
func (tx *Tx) Override(ctx context.Context, tenant string, ref fleet.PolicyRef) (fleet.Override, error) {
	return overrides().get(ctx, tx, tenant, ref)
}

// Overrides by namespace, kind and name.
func (tx *Tx) Overrides(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]fleet.Override, string, error) {
	return overrides().page(ctx, tx, f, o)
}

// InsertOverride is as InsertPolicy.
func (tx *Tx) InsertOverride(ctx context.Context, o fleet.Override) (fleet.Override, error) {
	return overrides().insert(ctx, tx, o)
}

// UpdateOverride is as UpdatePolicy.
func (tx *Tx) UpdateOverride(ctx context.Context, o fleet.Override) (fleet.Override, error) {
	return overrides().update(ctx, tx, o)
}

// DeleteOverride deletes the override of that UID. What it made stays until the scheduler has rendered again without it.
func (tx *Tx) DeleteOverride(ctx context.Context, o fleet.Override) error {
	return overrides().delete(ctx, tx, o)
}
