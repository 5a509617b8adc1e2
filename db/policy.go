package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

// propagations are the policies that propagate.
func propagations() policySort[fleet.Policy] {
	return policySort[fleet.Policy]{
		what: "policy", many: "policies", kinds: fleet.PolicyKinds(),
		of: func(r policyRow) (fleet.Policy, error) {
			p := fleet.Policy{APIVersion: r.apiVersion, Kind: r.kind, Tenant: r.tenant, Metadata: r.metadata}
			return p, fromJSON(r.spec, &p.Spec)
		},
		ref: func(p fleet.Policy) fleet.PolicyRef { return p.Ref() },
		row: func(p fleet.Policy) policyRow {
			return policyRow{apiVersion: p.APIVersion, kind: p.Kind, tenant: p.Tenant, metadata: p.Metadata}
		},
		spec: func(p fleet.Policy) any { return p.Spec },
	}
}

// Policy by kind, namespace and name; one that is another tenant's, or nobody's, is fleet.ErrNotFound. The platform's own
// caller passes "" for the tenant.
func (tx *Tx) Policy(ctx context.Context, tenant string, ref fleet.PolicyRef) (fleet.Policy, error) {
	return propagations().get(ctx, tx, tenant, ref)
}

// Policies by namespace, kind and name.
func (tx *Tx) Policies(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]fleet.Policy, string, error) {
	return propagations().page(ctx, tx, f, o)
}

// InsertPolicy stores a new policy and answers it as stored: fleet.ErrExists where there is one of that kind and name,
// fleet.ErrNotFound where the tenant has no such namespace. Without a time of creation it is created now.
func (tx *Tx) InsertPolicy(ctx context.Context, p fleet.Policy) (fleet.Policy, error) {
	return propagations().insert(ctx, tx, p)
}

// UpdatePolicy writes apiVersion, labels, annotations, spec and generation of the policy of that UID, and answers it as
// stored. A ResourceVersion that is set and no longer the stored one is fleet.ErrStale.
func (tx *Tx) UpdatePolicy(ctx context.Context, p fleet.Policy) (fleet.Policy, error) {
	return propagations().update(ctx, tx, p)
}

// DeletePolicy deletes the policy of that UID and frees what it holds: "each binding to it loses it, and is Kept where
// p.KeepsOnPolicyDeletion says so".
func (tx *Tx) DeletePolicy(ctx context.Context, p fleet.Policy) error {
	if err := propagations().delete(ctx, tx, p); err != nil {
		return err
	}
	ref := p.Ref()
	if err := tx.free(ctx, ref, p.KeepsOnPolicyDeletion()); err != nil {
		return fmt.Errorf("delete policy %s %s/%s: %w", ref.Kind, ref.Namespace, ref.Name, err)
	}
	return nil
}
