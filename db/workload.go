package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"odysseus/fleet"
)

// Both tables under the same names, so that the same conditions narrow both. The indexes are named for the reason that
// pendingFirst has; the columns that deployments do not have are constants, which change no order.
const (
	pendingDeployments = `SELECT uid, tenant, namespace, '` + fleet.APIVersion + `' AS api_version, '` + fleet.KindDeployment + `' AS kind, name, state, pending_since, labels, spec
	FROM deployments INDEXED BY deployments_pending`
	pendingResources = `SELECT uid, tenant, namespace, api_version, kind, name, state, pending_since, labels, object
	FROM resources INDEXED BY resources_pending`
)

// countedKinds are the kinds in resources for which fleet.HasReplicas.
const countedKinds = `(api_version = 'apps/v1' AND kind IN ('Deployment', 'ReplicaSet', 'StatefulSet') OR api_version = 'batch/v1' AND kind = 'Job')`

// PendingWorkloads are a tenant's deployments and resources that have been pending, the longest first; all with an empty
// tenant.
func (tx *Tx) PendingWorkloads(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Workload, string, error) {
	l, err := pendingList(tenant, o)
	if err != nil {
		return nil, "", fmt.Errorf("list pending workloads: %w", err)
	}
	workloads, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list pending workloads: %w", err)
	}
	return workloads, next, nil
}

func pendingList(tenant string, o fleet.ListOptions) (list[fleet.Workload], error) {
	l := list[fleet.Workload]{
		from: pendingDeployments, beside: pendingResources, order: "pending_since, namespace, name, kind, api_version", scan: scanWorkload,
		key: func(w fleet.Workload) []any {
			return []any{millis(w.PendingSince), w.Namespace, w.Name, w.Kind, w.APIVersion}
		},
		labels: func(w fleet.Workload) map[string]string { return w.Labels },
	}
	l.where.and("pending_since IS NOT NULL AND preserved = 0")
	if tenant != "" {
		l.from, l.beside = l.from+"_by_tenant", l.beside+"_by_tenant"
		l.where.and("tenant = ?", tenant)
	}
	l.where.contains("name", o.Query)
	var since int64
	var namespace, name, kind, version string
	ok, err := after(o.After, &since, &namespace, &name, &kind, &version)
	if ok {
		l.where.and("(pending_since, namespace, name, kind, api_version) > (?, ?, ?, ?, ?)", since, namespace, name, kind, version)
	}
	return l, err
}

func scanWorkload(s scanner) (fleet.Workload, error) {
	var w fleet.Workload
	var tenant sql.NullString
	var since int64
	var labels, body string
	err := s.Scan(&w.UID, &tenant, &w.Namespace, &w.APIVersion, &w.Kind, &w.Name, &w.State, &since, &labels, &body)
	if err != nil {
		return w, err
	}
	w.Tenant, w.PendingSince = tenant.String, timeOf(since)
	if w.Labels, err = mapOf(labels); err != nil {
		return w, err
	}
	w.Replicas, err = replicasOf(w.ResourceKey, body)
	return w, err
}

// replicasOf a deployment's spec or a resource's object; nil of a kind without a count. The status has that number too,
// but not before the scheduler has divided it.
func replicasOf(key fleet.ResourceKey, body string) (*int, error) {
	if key.APIVersion == fleet.APIVersion && key.Kind == fleet.KindDeployment {
		var spec fleet.DeploymentSpec
		if err := fromJSON(body, &spec); err != nil {
			return nil, err
		}
		return new(spec.ReplicaCount()), nil
	}
	if !fleet.HasReplicas(key.APIVersion, key.Kind) {
		return nil, nil
	}
	r := fleet.Resource{APIVersion: key.APIVersion, Kind: key.Kind, Object: json.RawMessage(body)}
	counts, _ := r.Replicas()
	return new(int(counts.Count)), nil
}

// CountResourceStates is CountStates of the resources that have a replica count.
func (tx *Tx) CountResourceStates(ctx context.Context, tenant string) (map[fleet.PlacementState]int, error) {
	return tx.countStates(ctx, "resources", resourceCount(tenant))
}

func resourceCount(tenant string) where {
	w := where{}
	w.and("preserved = 0")
	w.and(countedKinds)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	return w
}
