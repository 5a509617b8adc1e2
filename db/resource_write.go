package db

import (
	"context"
	"fmt"
	"strconv"

	"odysseus/fleet"
)

// InsertResource stores a new resource with its first revision and answers it as stored: fleet.ErrExists where there is
// one of that key, fleet.ErrNotFound where the tenant has no such namespace. Without a Status it is Waiting; without a
// time of creation, created now.
func (tx *Tx) InsertResource(ctx context.Context, r fleet.StoredResource) (fleet.StoredResource, error) {
	fail := func(err error) (fleet.StoredResource, error) {
		return fleet.StoredResource{}, fmt.Errorf("insert %s: %w", keyText(r.Key()), err)
	}
	version, err := tx.nextVersion(ctx)
	if err != nil {
		return fail(err)
	}
	created := r.CreationTimestamp
	if created.IsZero() {
		created = tx.now()
	}
	status := fleet.DeploymentStatus{State: fleet.Waiting}
	if r.Status != nil {
		status = *r.Status
	} else if count, ok := r.Replicas(); ok {
		status.Replicas = int(count.Count)
	}
	object, err := tx.sealObject(ctx, &r, nil)
	if err != nil {
		return fail(err)
	}
	_, err = tx.exec(ctx, `INSERT INTO resources (uid, tenant, namespace, api_version, kind, name, resource_version, generation, revision,
		template_revision, created_at, state, replicas, placed, ready, drifting, pending_since, observed_generation, undeclared_region,
		last_container, divided_afresh, preserved, labels, annotations, object)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
		r.UID, optionalText(r.Tenant), r.Namespace, r.APIVersion, r.Kind, r.Name, version, r.Generation, r.Revision,
		r.TemplateRevision, millis(created), status.State, status.Replicas, status.Placed, status.Ready, status.Drifting,
		pendingMillis(status.PendingSince), status.ObservedGeneration, status.UndeclaredRegion,
		r.LastContainer, r.DividedAfresh, mapText(r.Labels), mapText(r.Annotations), string(object))
	if err != nil {
		return fail(refersError(err))
	}
	if err := tx.insertResourceRevision(ctx, &r); err != nil {
		return fail(err)
	}
	return tx.resourceByUID(ctx, r.Tenant, r.UID)
}

// UpdateResource writes labels, annotations, object, generation and revisions of the tenant's resource of that UID, and
// answers it as stored. A Revision that is new becomes a row of its revisions; a Secret's value that is
// fleet.HiddenValue stays. A ResourceVersion that is set and no longer the stored one is fleet.ErrStale. The status is the
// scheduler's: it stays. Preserved and DividedAfresh are as of UpdateDeployment.
func (tx *Tx) UpdateResource(ctx context.Context, r fleet.StoredResource) (fleet.StoredResource, error) {
	fail := func(err error) (fleet.StoredResource, error) {
		return fleet.StoredResource{}, fmt.Errorf("update %s: %w", keyText(r.Key()), err)
	}
	var version, revision, afresh int64
	var before string
	err := tx.value(ctx, "SELECT resource_version, revision, divided_afresh, object FROM resources WHERE uid = ? AND tenant IS ?",
		[]any{r.UID, optionalText(r.Tenant)}, &version, &revision, &afresh, &before)
	if err != nil {
		return fail(err)
	}
	if r.ResourceVersion != "" && r.ResourceVersion != strconv.FormatInt(version, 10) {
		return fail(fleet.ErrStale)
	}
	if r.DividedAfresh == afresh || r.Revision != revision {
		if version, err = tx.nextVersion(ctx); err != nil {
			return fail(err)
		}
	}
	object, err := tx.sealObject(ctx, &r, []byte(before))
	if err != nil {
		return fail(err)
	}
	err = tx.must(ctx, `UPDATE resources SET resource_version = ?, generation = ?, revision = ?, template_revision = ?, divided_afresh = ?,
		preserved = min(preserved, ?), labels = ?, annotations = ?, object = ? WHERE uid = ? AND tenant IS ?`,
		version, r.Generation, r.Revision, r.TemplateRevision, r.DividedAfresh, r.Preserved, mapText(r.Labels), mapText(r.Annotations), string(object),
		r.UID, optionalText(r.Tenant))
	if err != nil {
		return fail(err)
	}
	if r.Revision != revision {
		if err := tx.insertResourceRevision(ctx, &r); err != nil {
			return fail(err)
		}
	}
	return tx.resourceByUID(ctx, r.Tenant, r.UID)
}

// DeleteResource with its revisions and its binding; its containers' rows stay until the scheduler has stopped them. The
// platform's own caller passes "" for the tenant.
func (tx *Tx) DeleteResource(ctx context.Context, tenant, uid string) error {
	if err := tx.deleteBound(ctx, "DELETE FROM resources", tenant, uid); err != nil {
		return fmt.Errorf("delete resource %s: %w", uid, err)
	}
	return nil
}

// PreserveResource takes it out of every list and leaves all else: its name, its binding, its containers.
func (tx *Tx) PreserveResource(ctx context.Context, tenant, uid string) error {
	if err := tx.preserve(ctx, "UPDATE resources SET preserved = 1", tenant, uid); err != nil {
		return fmt.Errorf("preserve resource %s: %w", uid, err)
	}
	return nil
}

func (tx *Tx) resourceByUID(ctx context.Context, tenant, uid string) (fleet.StoredResource, error) {
	r, err := get(ctx, tx, scanResource, resourceColumns+" WHERE uid = ? AND tenant IS ?", uid, optionalText(tenant))
	if err != nil {
		return fleet.StoredResource{}, fmt.Errorf("read resource %s: %w", uid, err)
	}
	return r, nil
}

// insertResourceRevision keeps what containers of that revision run. A Secret runs nothing, and of its values none is
// kept beyond its replacement.
func (tx *Tx) insertResourceRevision(ctx context.Context, r *fleet.StoredResource) error {
	if r.Kind == fleet.KindSecret {
		return nil
	}
	_, err := tx.exec(ctx, "INSERT INTO resource_revisions (uid, number, object) VALUES (?, ?, ?)", r.UID, r.Revision, string(r.Object))
	if err != nil {
		return fmt.Errorf("insert revision %d: %w", r.Revision, err)
	}
	return nil
}
