package db

import (
	"context"
	"errors"
	"fmt"

	"odysseus/fleet"
)

// ReplicaContainers are the names of the containers that a replica of the workload's revision has, in their order; nil
// where it has only one, which goes by the row's ID. ErrNotFound where the workload is gone.
func (tx *Tx) ReplicaContainers(ctx context.Context, uid string, revision int64) ([]string, error) {
	var object, apiVersion, kind string
	err := tx.value(ctx, `SELECT o.object, w.api_version, w.kind FROM resource_revisions o JOIN resources w ON w.uid = o.uid WHERE o.uid = ? AND o.number = ?`,
		[]any{uid, revision}, &object, &apiVersion, &kind)
	if errors.Is(err, fleet.ErrNotFound) {
		var there int
		err = tx.value(ctx, "SELECT 1 FROM revisions WHERE uid = ? AND number = ?", []any{uid, revision}, &there)
		if err == nil {
			return nil, nil // a Deployment of this product is one container
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read containers of revision %d of %s: %w", revision, uid, err)
	}
	t, _, _ := fleet.PodTemplateOf(&fleet.Resource{APIVersion: apiVersion, Kind: kind, Object: []byte(object)})
	return containerNames(t), nil
}

// RenderedContainers are the same of a replica that runs what overrides made of the workload. fleet.ErrNotFound where no
// such rendering is kept.
func (tx *Tx) RenderedContainers(ctx context.Context, uid string, rendering int64) ([]string, error) {
	var object string
	err := tx.value(ctx, "SELECT object FROM renderings WHERE uid = ? AND number = ?", []any{uid, rendering}, &object)
	var t *fleet.PodTemplate
	if err == nil {
		t, err = renderedTemplate(object)
	}
	if err != nil {
		return nil, fmt.Errorf("read containers of rendering %d of %s: %w", rendering, uid, err)
	}
	return containerNames(*t), nil
}

// containerNames are nil for the only container of a replica.
func containerNames(t fleet.PodTemplate) []string {
	if len(t.Containers) < 2 {
		return nil
	}
	names := make([]string, len(t.Containers))
	for i, c := range t.Containers {
		names[i] = c.Name
	}
	return names
}

// WorkloadKind is the kind of the resource with that UID; Deployment where it is none, but a Deployment of this product.
func (tx *Tx) WorkloadKind(ctx context.Context, uid string) (string, error) {
	kind := fleet.KindDeployment
	if err := tx.value(ctx, "SELECT kind FROM resources WHERE uid = ?", []any{uid}, &kind); err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return "", fmt.Errorf("read kind of %s: %w", uid, err)
	}
	return kind, nil
}
