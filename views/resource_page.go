package views

import (
	"context"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// ResourcesPage lists a namespace's resources other than Deployments of this product, or the cluster-scoped ones.
type ResourcesPage struct {
	Chrome Chrome
	// Namespace is empty for cluster-scoped ones.
	Namespace   string
	Rows        []fleet.StoredResource
	Query, Kind string
	// Self is the page's own address, First and Next those of other pages of the list; empty where there is none.
	Self, First, Next string
}

// ResourcePage is one resource: where it is, why not elsewhere, and what was written.
type ResourcePage struct {
	Chrome    Chrome
	Resource  fleet.StoredResource
	Placement fleet.PlacementReport
	// Manifest is the resource as YAML, a Secret's values hidden.
	Manifest string
}

// ResourceEditorPage is the YAML of a new resource or an existing one.
type ResourceEditorPage struct {
	Chrome    Chrome
	Namespace string
	// Existing is the resource that is edited; the zero value for a new one.
	Existing fleet.ResourceKey
	Version  string
	YAML     string
	Refusals []Refusal
	// Checked says that a dry run accepted what stands here.
	Checked  bool
	Conflict *Diff
}

// MayEdit says whether the reader may write them: cluster-scoped ones are the operators'.
func (m ResourcesPage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Namespace) }

// MayEdit says whether the reader may write it.
func (m ResourcePage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Resource.Namespace) }

// MayEdit says whether the reader may save.
func (m ResourceEditorPage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Namespace) }

// ResourceCrumbs lead to a list of resources.
func ResourceCrumbs(w *locale.Words, namespace string) []Crumb {
	if namespace == "" {
		return []Crumb{{Text: w.T("nav.platform", nil)}, {Text: w.T("resources.cluster_wide", nil), Path: ResourcesPath("")}}
	}
	return []Crumb{{Text: namespace}, {Text: w.T("resources.title", nil), Path: ResourcesPath(namespace)}}
}

func resourcesTitle(ctx context.Context, namespace string) string {
	if namespace == "" {
		return t(ctx, "resources.cluster_wide_title")
	}
	return t(ctx, "resources.title")
}

// count of replicas; nil for a kind without one.
func count(r fleet.StoredResource) *int {
	counts, divisible := r.Replicas()
	if !divisible {
		return nil
	}
	n := int(counts.Count)
	return &n
}

func (m ResourcePage) key() fleet.ResourceKey { return m.Resource.Key() }

// act is the address of something that is done to the resource.
func (m ResourcePage) act(what string) string {
	return ResourcesPath(m.Resource.Namespace) + "/" + what + "?" + ResourceQuery(m.key())
}

// lead is the most important fact in one line.
func (m ResourcePage) lead(ctx context.Context) string {
	total := count(m.Resource)
	if total == nil {
		return n(ctx, "policy.delivered", len(m.Placement.Clusters), "Clusters", clusterNames(m.Placement))
	}
	placed, ready := 0, 0
	for _, c := range m.Placement.Clusters {
		placed, ready = placed+c.Placed, ready+c.Ready
	}
	return n(ctx, "deployment.lead", wanted(m.Placement, *total), "Placed", number(placed), "Ready", number(ready))
}

func (m ResourceEditorPage) title(ctx context.Context) string {
	if m.Existing.Name == "" {
		return t(ctx, "resources.new")
	}
	return t(ctx, "editor.edit", "Name", m.Existing.Name)
}

func (m ResourceEditorPage) crumbs(ctx context.Context) []Crumb {
	crumbs := ResourceCrumbs(words(ctx), m.Namespace)
	if m.Existing.Name == "" {
		return append(crumbs, Crumb{Text: t(ctx, "resources.new")})
	}
	return append(crumbs, Crumb{Text: m.Existing.Name, Path: ResourcePath(m.Existing)}, Crumb{Text: t(ctx, "policy.edit")})
}

// cancel leads back to where the form was opened.
func (m ResourceEditorPage) cancel() string {
	if m.Existing.Name == "" {
		return ResourcesPath(m.Namespace)
	}
	return ResourcePath(m.Existing)
}

// stateOfResource as it is stored, which lists show.
func stateOfResource(r fleet.StoredResource) fleet.PlacementState {
	if r.Status == nil {
		return fleet.Waiting
	}
	return r.Status.State
}
