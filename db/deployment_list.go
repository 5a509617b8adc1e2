package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

// What DeploymentFilter.Residency means beside a country or a region.
const (
	residencyAny   = "any"
	residencyNone  = "none"
	residencyDrift = "drift"
)

// Deployments by namespace and name, or, with PendingFirst, those with pending replicas, the longest pending first.
func (tx *Tx) Deployments(ctx context.Context, f fleet.DeploymentFilter, o fleet.ListOptions) ([]fleet.Deployment, string, error) {
	l, err := deploymentList(f, o)
	if err != nil {
		return nil, "", fmt.Errorf("list deployments: %w", err)
	}
	deployments, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list deployments: %w", err)
	}
	return deployments, next, nil
}

func deploymentList(f fleet.DeploymentFilter, o fleet.ListOptions) (list[fleet.Deployment], error) {
	l := list[fleet.Deployment]{
		from: deploymentColumns, scan: scanDeployment,
		labels: func(d fleet.Deployment) map[string]string { return d.Metadata.Labels },
	}
	l.where.and("preserved = 0")
	if f.Tenant != "" {
		l.where.and("tenant = ?", f.Tenant)
	}
	switch {
	case f.Namespace == "":
	case f.PendingFirst:
		// The plus keeps SQLite from taking the namespace out of the order, after which no index would have that order.
		l.where.and("+namespace = ?", f.Namespace)
	default:
		l.where.and("namespace = ?", f.Namespace)
	}
	if f.State != "" {
		l.where.and("state = ?", f.State)
	}
	if f.Drifting {
		l.where.and("drifting > 0")
	}
	l.where.contains("name", o.Query)
	l.arms = residencyArms(&l.where, f.Residency)
	if f.PendingFirst {
		return l, pendingFirst(&l, f.Tenant, o.After)
	}
	return l, byName(&l, o.After)
}

// residencyArms narrows to what deployments require. A region may be named like a country's code, so either column
// may hold the value: one arm of the query for each, for each has an index of its own, merged in order. That a column
// is not empty is said again because the indexes leave the empty ones out.
func residencyArms(w *where, value string) []where {
	switch value {
	case "":
		return nil
	case residencyAny:
		w.and("has_residency = 1")
		return nil
	case residencyNone:
		w.and("has_residency = 0")
		return nil
	case residencyDrift:
		w.and("drifting > 0")
		return nil
	}
	var country, region where
	country.and("residency_country = ? AND residency_country <> ''", value)
	region.and("residency_region = ? AND residency_region <> '' AND residency_country <> ?", value, value)
	return []where{country, region}
}

// byName orders by namespace and name.
func byName(l *list[fleet.Deployment], cursor string) error {
	l.order = "namespace, name"
	l.key = func(d fleet.Deployment) []any { return []any{d.Metadata.Namespace, d.Metadata.Name} }
	var namespace, name string
	ok, err := after(cursor, &namespace, &name)
	if ok {
		l.where.and("(namespace, name) > (?, ?)", namespace, name)
	}
	return err
}

// pendingFirst orders by how long replicas have been pending. The index is named, since SQLite would rather take one
// that narrows more, and sort.
func pendingFirst(l *list[fleet.Deployment], tenant, cursor string) error {
	l.from += " INDEXED BY deployments_pending"
	if tenant != "" {
		l.from += "_by_tenant"
	}
	l.order = "pending_since, namespace, name"
	l.key = func(d fleet.Deployment) []any {
		return []any{millis(*d.Status.PendingSince), d.Metadata.Namespace, d.Metadata.Name}
	}
	l.where.and("pending_since IS NOT NULL")
	var since int64
	var namespace, name string
	ok, err := after(cursor, &since, &namespace, &name)
	if ok {
		l.where.and("(pending_since, namespace, name) > (?, ?, ?)", since, namespace, name)
	}
	return err
}
