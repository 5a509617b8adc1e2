package views

import (
	"context"
	"maps"
	"slices"

	"odysseus/fleet"
)

// DeploymentPage is one deployment: where it runs, and why not elsewhere.
type DeploymentPage struct {
	Chrome     Chrome
	Deployment fleet.Deployment
	Warnings   []fleet.Warning
	Placement  fleet.PlacementReport
	Events     []fleet.Event
	// Manifest is the deployment as YAML, as it can be sent back.
	Manifest string
}

// EventsPage lists what happened to a deployment, newest first.
type EventsPage struct {
	Chrome          Chrome
	Namespace, Name string
	Events          []fleet.Event
	First, Next     string
}

// RevisionsPage lists the specs that a deployment had, newest first, each with its difference to the one before.
type RevisionsPage struct {
	Chrome          Chrome
	Namespace, Name string
	// Version of the deployment that a rollback is asked for.
	Version string
	// Current is the revision that it has now.
	Current     int64
	Rows        []RevisionRow
	First, Next string
}

// RevisionRow is one revision.
type RevisionRow struct {
	fleet.Revision
	Diff Diff
	// First is the whole spec of the first revision, which there is nothing to compare with; empty for others.
	First string
}

// deploymentCrumbs lead to a page of a deployment; last is empty on its own.
func deploymentCrumbs(ctx context.Context, namespace, name, last string) []Crumb {
	all := []Crumb{{Text: namespace}, {Text: t(ctx, "deployments.title"), Path: DeploymentsPath(namespace)}}
	if last == "" {
		return append(all, Crumb{Text: name})
	}
	return append(all, Crumb{Text: name, Path: DeploymentPath(namespace, name)}, Crumb{Text: last})
}

func (m DeploymentPage) path() string {
	return DeploymentPath(m.Deployment.Metadata.Namespace, m.Deployment.Metadata.Name)
}

// placed replicas, ready ones, and those that run outside the residency.
func (m DeploymentPage) placed() (placed, ready, drifting int) {
	for _, c := range m.Placement.Clusters {
		placed, ready = placed+c.Placed, ready+c.Ready
	}
	for _, d := range m.Placement.Drift {
		drifting += d.Replicas
	}
	return placed, ready, drifting
}

// lead is the most important fact in one line.
func (m DeploymentPage) lead(ctx context.Context) string {
	placed, ready, _ := m.placed()
	total := wanted(m.Placement, m.Deployment.Spec.ReplicaCount())
	return n(ctx, "deployment.lead", total, "Placed", number(placed), "Ready", number(ready))
}

// labels of a map, sorted by key.
func sortedKeys(labels map[string]string) []string { return slices.Sorted(maps.Keys(labels)) }
