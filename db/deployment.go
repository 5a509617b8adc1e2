package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

const deploymentColumns = `SELECT uid, tenant, namespace, name, resource_version, generation, revision, template_revision, created_at,
	state, replicas, placed, ready, drifting, pending_since, observed_generation, undeclared_region, last_container, divided_afresh, preserved,
	labels, annotations, residency_labels, spec FROM deployments`

func scanDeployment(s scanner) (fleet.Deployment, error) {
	d := fleet.Deployment{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Status: &fleet.DeploymentStatus{}}
	var version, created int64
	var pending sql.NullInt64
	var labels, annotations, residency, spec string
	m, st := &d.Metadata, d.Status
	if err := s.Scan(&m.UID, &d.Tenant, &m.Namespace, &m.Name, &version, &m.Generation, &d.Revision, &d.TemplateRevision, &created,
		&st.State, &st.Replicas, &st.Placed, &st.Ready, &st.Drifting, &pending, &st.ObservedGeneration, &st.UndeclaredRegion, &d.LastContainer,
		&d.DividedAfresh, &d.Preserved,
		&labels, &annotations, &residency, &spec); err != nil {
		return d, err
	}
	at := timeOf(created)
	m.ResourceVersion, m.CreationTimestamp = versionText(version), &at
	if pending.Valid {
		since := timeOf(pending.Int64)
		st.PendingSince = &since
	}
	var err error
	if m.Labels, err = mapOf(labels); err != nil {
		return d, err
	}
	if m.Annotations, err = mapOf(annotations); err != nil {
		return d, err
	}
	if d.ResidencyLabels, err = mapOf(residency); err != nil {
		return d, err
	}
	st.Revision, st.ResidencyLabels = d.Revision, d.ResidencyLabels
	return d, fromJSON(spec, &d.Spec)
}

// Deployment by name; one of another tenant is fleet.ErrNotFound. The platform's own caller passes "".
func (tx *Tx) Deployment(ctx context.Context, tenant, namespace, name string) (fleet.Deployment, error) {
	return tx.deploymentByName(ctx, tenant, namespace, name, "preserved = 0")
}

// PreservedDeployment was deleted under that name and its copies stay; fleet.ErrNotFound where there is none.
func (tx *Tx) PreservedDeployment(ctx context.Context, tenant, namespace, name string) (fleet.Deployment, error) {
	return tx.deploymentByName(ctx, tenant, namespace, name, "preserved = 1")
}

func (tx *Tx) deploymentByName(ctx context.Context, tenant, namespace, name, which string) (fleet.Deployment, error) {
	w := where{}
	w.and("namespace = ?", namespace)
	w.and("name = ?", name)
	w.and(which)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	d, err := get(ctx, tx, scanDeployment, deploymentColumns+w.sql(), w.args...)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("read deployment %s/%s: %w", namespace, name, err)
	}
	return d, nil
}

// CountStates of a tenant's deployments; of all with an empty tenant. States that no deployment is in are left out.
func (tx *Tx) CountStates(ctx context.Context, tenant string) (map[fleet.PlacementState]int, error) {
	w := where{}
	w.and("preserved = 0")
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	return tx.countStates(ctx, "deployments", w)
}

func (tx *Tx) countStates(ctx context.Context, table string, w where) (map[fleet.PlacementState]int, error) {
	counts := map[fleet.PlacementState]int{}
	err := tx.each(ctx, "SELECT state, count(*) FROM "+table+w.sql()+" GROUP BY state", w.args, func(s scanner) (bool, error) {
		var state fleet.PlacementState
		var n int
		err := s.Scan(&state, &n)
		counts[state] = n
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("count %s by state: %w", table, err)
	}
	return counts, nil
}

// CountDrifting counts a tenant's deployments that run outside their residency; all with an empty tenant.
func (tx *Tx) CountDrifting(ctx context.Context, tenant string) (int, error) {
	w := where{}
	w.and("drifting > 0 AND preserved = 0")
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	count, err := get(ctx, tx, func(s scanner) (n int, err error) { return n, s.Scan(&n) }, "SELECT count(*) FROM deployments"+w.sql(), w.args...)
	if err != nil {
		return 0, fmt.Errorf("count drifting deployments: %w", err)
	}
	return count, nil
}

// RegionUse counts the deployments that name each region.
func (tx *Tx) RegionUse(ctx context.Context) (map[string]int, error) {
	use := map[string]int{}
	err := tx.each(ctx, "SELECT residency_region, count(*) FROM deployments WHERE residency_region <> '' AND preserved = 0 GROUP BY residency_region", nil,
		func(s scanner) (bool, error) {
			var region string
			var n int
			err := s.Scan(&region, &n)
			use[region] = n
			return true, err
		})
	if err != nil {
		return nil, fmt.Errorf("count use of regions: %w", err)
	}
	return use, nil
}
