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
		state, replicas, placed, ready, drifting, pending_since, observed_generation, undeclared_region, last_container, divided_afresh, preserved,
		residency_country, residency_region, has_residency, labels, annotations, residency_labels, spec)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`,
		m.UID, d.Tenant, m.Namespace, m.Name, version, m.Generation, d.Revision, d.TemplateRevision, millis(created),
		status.State, status.Replicas, status.Placed, status.Ready, status.Drifting, pendingMillis(status.PendingSince), status.ObservedGeneration,
		status.UndeclaredRegion, d.LastContainer, d.DividedAfresh, residency.country, residency.region, residency.any,
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
// ResourceVersion that is set and no longer the stored one is fleet.ErrStale. The status is the scheduler's: it stays. A
// preserved one comes back into use where d.Preserved is false. Asking to divide afresh, which is a DividedAfresh that is
// new, "raises the generation and nothing else": the stored resourceVersion stays.
func (tx *Tx) UpdateDeployment(ctx context.Context, d fleet.Deployment, actor string) (fleet.Deployment, error) {
	m := d.Metadata
	var stored, revision, afresh int64
	err := tx.value(ctx, "SELECT resource_version, revision, divided_afresh FROM deployments WHERE uid = ? AND tenant = ?", []any{m.UID, d.Tenant},
		&stored, &revision, &afresh)
	if err != nil {
		return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, err)
	}
	if m.ResourceVersion != "" && m.ResourceVersion != strconv.FormatInt(stored, 10) {
		return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, fleet.ErrStale)
	}
	version := stored
	if d.DividedAfresh == afresh || d.Revision != revision {
		if version, err = tx.nextVersion(ctx); err != nil {
			return fleet.Deployment{}, fmt.Errorf("update deployment %s/%s: %w", m.Namespace, m.Name, err)
		}
	}
	residency := residencyOf(d)
	err = tx.must(ctx, `UPDATE deployments SET resource_version = ?, generation = ?, revision = ?, template_revision = ?, divided_afresh = ?, preserved = min(preserved, ?),
		residency_country = ?, residency_region = ?, has_residency = ?, labels = ?, annotations = ?, residency_labels = ?, spec = ?
		WHERE uid = ? AND tenant = ?`,
		version, m.Generation, d.Revision, d.TemplateRevision, d.DividedAfresh, d.Preserved, residency.country, residency.region, residency.any,
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

// DeleteDeployment with its revisions and its binding; its containers' rows stay until the scheduler has stopped them.
// The platform's own caller passes "" for the tenant.
func (tx *Tx) DeleteDeployment(ctx context.Context, tenant, uid string) error {
	if err := tx.deleteBound(ctx, "DELETE FROM deployments", tenant, uid); err != nil {
		return fmt.Errorf("delete deployment %s: %w", uid, err)
	}
	return nil
}

// PreserveDeployment takes it out of every list and leaves all else: its name, its binding, its containers.
func (tx *Tx) PreserveDeployment(ctx context.Context, tenant, uid string) error {
	if err := tx.preserve(ctx, "UPDATE deployments SET preserved = 1", tenant, uid); err != nil {
		return fmt.Errorf("preserve deployment %s: %w", uid, err)
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
