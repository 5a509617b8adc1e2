package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"odysseus/fleet"
)

// DeploymentDetail is a deployment with everything its page shows: the warnings that are true now, and where it
// runs.
type DeploymentDetail struct {
	Deployment fleet.Deployment
	Warnings   []fleet.Warning
	Placement  fleet.PlacementReport
}

// Deployments of a namespace, or with f.Namespace empty of all that the actor may look into. f.Tenant narrows for
// the platform's roles and is not heeded for others.
func (c *Control) Deployments(ctx context.Context, a Actor, f fleet.DeploymentFilter, o fleet.ListOptions) (Page[fleet.Deployment], error) {
	var page Page[fleet.Deployment]
	err := c.read(ctx, a, kindDeployment, func(tx Reader) error {
		if f.Namespace != "" {
			ns, err := ownNamespace(ctx, tx, a, f.Namespace)
			if err != nil {
				return err
			}
			f.Tenant = ns.Tenant
		} else if !a.Platform() {
			f.Tenant = a.Tenant
		}
		geo, _, err := c.effective(ctx, tx)
		if err != nil {
			return err
		}
		page.Items, page.Continue, err = tx.Deployments(ctx, f, o)
		for i := range page.Items {
			complete(&page.Items[i], geo)
		}
		return err
	})
	return page, wrap("list deployments", err)
}

// Deployment as stored, with its status.
func (c *Control) Deployment(ctx context.Context, a Actor, namespace, name string) (fleet.Deployment, error) {
	d, _, err := c.deployment(ctx, a, namespace, name)
	return d, err
}

// DeploymentDetail of one deployment.
func (c *Control) DeploymentDetail(ctx context.Context, a Actor, namespace, name string) (DeploymentDetail, error) {
	d, geo, err := c.deployment(ctx, a, namespace, name)
	if err != nil {
		return DeploymentDetail{}, err
	}
	return DeploymentDetail{Deployment: d, Warnings: c.warnNow(d, geo), Placement: c.deps.Fleet.Placement(d.Metadata.UID, a.SeesNodes())}, nil
}

// Placement of a deployment: with the nodes for operators and support.
func (c *Control) Placement(ctx context.Context, a Actor, namespace, name string) (fleet.PlacementReport, error) {
	d, _, err := c.deployment(ctx, a, namespace, name)
	if err != nil {
		return fleet.PlacementReport{}, err
	}
	return c.deps.Fleet.Placement(d.Metadata.UID, a.SeesNodes()), nil
}

// DeploymentEvents are what happened to a deployment, newest first.
func (c *Control) DeploymentEvents(ctx context.Context, a Actor, namespace, name string, o fleet.ListOptions) (Page[fleet.Event], error) {
	var page Page[fleet.Event]
	err := c.read(ctx, a, kindDeployment, func(tx Reader) error {
		_, d, err := ownDeployment(ctx, tx, a, namespace, name)
		if err != nil {
			return err
		}
		page, err = listOf(o, wordsOfEvent, func(o fleet.ListOptions) ([]fleet.Event, string, error) {
			return tx.Events(ctx, d.Tenant, d.Metadata.UID, o)
		})
		return err
	})
	return page, wrap("list events", err)
}

// Revisions of a deployment, newest first.
func (c *Control) Revisions(ctx context.Context, a Actor, namespace, name string, o fleet.ListOptions) (Page[fleet.Revision], error) {
	var page Page[fleet.Revision]
	err := c.read(ctx, a, kindDeployment, func(tx Reader) error {
		_, d, err := ownDeployment(ctx, tx, a, namespace, name)
		if err != nil {
			return err
		}
		page, err = listOf(o, wordsOfRevision, func(o fleet.ListOptions) ([]fleet.Revision, string, error) {
			return tx.Revisions(ctx, d.Metadata.UID, o)
		})
		return err
	})
	return page, wrap("list revisions", err)
}

func (c *Control) deployment(ctx context.Context, a Actor, namespace, name string) (fleet.Deployment, fleet.GeoAwareness, error) {
	var d fleet.Deployment
	var geo fleet.GeoAwareness
	err := c.read(ctx, a, kindDeployment, func(tx Reader) (err error) {
		if _, d, err = ownDeployment(ctx, tx, a, namespace, name); err != nil {
			return err
		}
		geo, _, err = c.effective(ctx, tx)
		return err
	})
	if err != nil {
		return fleet.Deployment{}, fleet.GeoAwareness{}, fmt.Errorf("read deployment %q: %w", name, err)
	}
	complete(&d, geo)
	return d, geo, nil
}

func ownDeployment(ctx context.Context, tx Reader, a Actor, namespace, name string) (fleet.Namespace, fleet.Deployment, error) {
	ns, err := ownNamespace(ctx, tx, a, namespace)
	if err != nil {
		return fleet.Namespace{}, fleet.Deployment{}, err
	}
	d, err := tx.Deployment(ctx, ns.Tenant, ns.Name, name)
	return ns, d, err
}

// read runs fn in one read transaction if the actor may read the kind.
func (c *Control) read(ctx context.Context, a Actor, kind string, fn func(Reader) error) error {
	if err := mayRead(a, kind); err != nil {
		return err
	}
	return c.deps.Store.View(ctx, fn)
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// complete adds to a stored deployment the part of its status that is not the scheduler's to store.
func complete(d *fleet.Deployment, geo fleet.GeoAwareness) {
	s := fleet.DeploymentStatus{State: fleet.Waiting, Replicas: d.Spec.ReplicaCount()}
	if d.Status != nil {
		s = *d.Status
	}
	s.Revision = d.Revision
	s.ResidencyLabels = d.ResidencyLabels
	s.UndeclaredRegion = ""
	if r := d.Spec.Residency(); r != nil && r.Region != "" {
		if _, declared := geo.Region(r.Region); !declared {
			s.UndeclaredRegion = r.Region
		}
	}
	d.Status = &s
	d.APIVersion, d.Kind = fleet.APIVersion, fleet.KindDeployment
}

func sameJSON(a, b any) bool {
	left, errLeft := json.Marshal(a)
	right, errRight := json.Marshal(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

func sameMetadata(a, b fleet.Metadata) bool {
	return maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations)
}
