package db

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"odysseus/fleet"
)

// InsertDeployment stores a new deployment with its first revision and answers it as stored: fleet.ErrExists where the
// namespace has one of that name, fleet.ErrNotFound where the tenant has no such namespace. Without a Status it is
// Waiting; without a time of creation, created now.
func (tx *Tx) InsertDeployment(ctx context.Context, d fleet.Deployment, actor string) (fleet.Deployment, error) {
	m := d.Metadata
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("insert deployment %s/%s: %w", m.Namespace, m.Name, err)
	}
	created := tx.now()
	if m.CreationTimestamp != nil {
		created = *m.CreationTimestamp
	}
	status := fleet.DeploymentStatus{State: fleet.Waiting, Replicas: d.Spec.ReplicaCount()}
	if d.Status != nil {
		status = *d.Status
	}
	residency := residencyOf(d)
	_, err = tx.exec(ctx, `INSERT INTO deployments (uid, tenant, namespace, name, resource_version, generation, revision, template_revision, created_at,
		state, replicas, placed, ready, drifting, pending_since, observed_generation, undeclared_region, last_container,
		residency_country, residency_region, has_residency, labels, annotations, residency_labels, spec)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.UID, d.Tenant, m.Namespace, m.Name, version, m.Generation, d.Revision, d.TemplateRevision, millis(created),
		status.State, status.Replicas, status.Placed, status.Ready, status.Drifting, pendingMillis(status.PendingSince), status.ObservedGeneration,
		status.UndeclaredRegion, d.LastContainer, residency.country, residency.region, residency.any,
		mapText(m.Labels), mapText(m.Annotations), mapText(d.ResidencyLabels), jsonText(d.Spec))
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("insert deployment %s/%s: %w", m.Namespace, m.Name, refersError(err))
	}
	if err := tx.insertRevision(ctx, d, actor, created); err != nil {
		return fleet.Deployment{}, err
	}
	return tx.deploymentByUID(ctx, d.Tenant, m.UID)
}

// UpdateDeployment writes labels, annotations, spec, generation, revisions and residency labels of the tenant's
// deployment of that UID, and answers it as stored. A Revision that is new becomes a row of its revisions. A
// ResourceVersion that is set and no longer the stored one is fleet.ErrStale. The status is the scheduler's: it stays.
func (tx *Tx) UpdateDeployment(ctx context.Context, d fleet.Deployment, actor string) (fleet.Deployment, error) {
	m := d.Metadata
	var stored, revision int64
	err := tx.value(ctx, "SELECT resource_version, revision FROM deployments WHERE uid = ? AND tenant = ?", []any{m.UID, d.Tenant}, &stored, &revision)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, err)
	}
	if m.ResourceVersion != "" && m.ResourceVersion != strconv.FormatInt(stored, 10) {
		return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, fleet.ErrStale)
	}
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, err)
	}
	residency := residencyOf(d)
	err = tx.must(ctx, `UPDATE deployments SET resource_version = ?, generation = ?, revision = ?, template_revision = ?,
		residency_country = ?, residency_region = ?, has_residency = ?, labels = ?, annotations = ?, residency_labels = ?, spec = ?
		WHERE uid = ? AND tenant = ?`,
		version, m.Generation, d.Revision, d.TemplateRevision, residency.country, residency.region, residency.any,
		mapText(m.Labels), mapText(m.Annotations), mapText(d.ResidencyLabels), jsonText(d.Spec), m.UID, d.Tenant)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, err)
	}
	if d.Revision != revision {
		if err := tx.insertRevision(ctx, d, actor, tx.now()); err != nil {
			return fleet.Deployment{}, err
		}
	}
	return tx.deploymentByUID(ctx, d.Tenant, m.UID)
}

// DeleteDeployment with its revisions; its containers' rows stay until the scheduler has stopped them. The platform's
// own caller passes "" for the tenant.
func (tx *Tx) DeleteDeployment(ctx context.Context, tenant, uid string) error {
	w := where{}
	w.and("uid = ?", uid)
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	if err := tx.must(ctx, "DELETE FROM deployments"+w.sql(), w.args...); err != nil {
		return fmt.Errorf("delete deployment %s: %w", uid, err)
	}
	return nil
}

func (tx *Tx) deploymentByUID(ctx context.Context, tenant, uid string) (fleet.Deployment, error) {
	d, err := get(ctx, tx, scanDeployment, deploymentColumns+" WHERE uid = ? AND tenant = ?", uid, tenant)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("read deployment %s: %w", uid, err)
	}
	return d, nil
}

// residency is what lists filter by, derived from the compiled labels as the geo filter reads them: an enforced
// requirement goes before a declared one.
type residency struct {
	country, region string
	any             bool
}

func residencyOf(d fleet.Deployment) residency {
	r := fleet.RequirementOf(d.ResidencyLabels)
	out := residency{country: r.EnforcedCountry, region: r.EnforcedRegion, any: !r.Empty()}
	if out.country == "" {
		out.country = r.Country
	}
	if out.region == "" {
		out.region = r.Region
	}
	return out
}

// pendingMillis stores nil as NULL.
func pendingMillis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return millis(*t)
}
