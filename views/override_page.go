package views

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"odysseus/fleet"
)

// OverridePage is one override policy: what it selects, and of each resource what every cluster receives.
type OverridePage struct {
	Chrome    Chrome
	Namespace string
	Override  fleet.Override
	Warnings  []fleet.Warning
	// Reached are the resources that it selects, Blocked those of them that it holds back now.
	Reached []fleet.Reached
	Blocked []BlockedOverride
	// Selected are the first of Reached, or those whose name contains Query, with what comes of them.
	Selected []PreviewedOverride
	Query    string
	// Manifest is the policy as YAML, as it can be sent back.
	Manifest string
}

// BlockedOverride is a resource that the policy holds back on a cluster.
type BlockedOverride struct {
	fleet.ResourceKey
	Cluster string
	Err     fleet.RenderError
}

// MayEdit says whether the reader may change it.
func (m OverridePage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Namespace) }

func (m OverridePage) path() string { return PolicyPath(m.Override.Ref()) }

func (m OverridePage) crumbs(ctx context.Context) []Crumb {
	return append(PolicyCrumbs(words(ctx), m.Namespace), Crumb{Text: m.Override.Metadata.Name})
}

// Changes counts the resources that the policy takes effect on, and the clusters that it does so on: what deleting it is
// about.
func (m OverridePage) Changes() (resources, clusters int) {
	var names []string
	for _, r := range m.Reached {
		takes := false
		for _, at := range r.Placement.Clusters {
			if slices.Contains(at.Overrides, m.Override.Ref().String()) && !m.holdsBack(r.ResourceKey, at.Name) {
				takes = true
				names = appendNew(names, at.Name)
			}
		}
		if takes {
			resources++
		}
	}
	return resources, len(names)
}

func (m OverridePage) holdsBack(key fleet.ResourceKey, cluster string) bool {
	return slices.ContainsFunc(m.Blocked, func(b BlockedOverride) bool { return b.ResourceKey == key && b.Cluster == cluster })
}

// lead is the most important fact in one line.
func (m OverridePage) lead(ctx context.Context) string {
	if len(m.Blocked) > 0 {
		return n(ctx, "override.selects_and_blocks", len(m.Reached), "Blocked", n(ctx, "override.blocked", len(m.Blocked)))
	}
	changed, _ := m.Changes()
	return n(ctx, "override.selects", len(m.Reached), "Changed", number(changed))
}

// searchable says whether there is more than the page has.
func (m OverridePage) searchable() bool { return m.Query != "" || m.more() > 0 }

// self is the page's own address.
func (m OverridePage) self() string {
	if m.Query == "" {
		return m.path()
	}
	return m.path() + "?" + url.Values{"q": {m.Query}}.Encode()
}

// follows is how often the page asks for what changed; not by itself where that is a question about very much.
func (m OverridePage) follows() string {
	const most = 10
	if len(m.Reached) > most {
		return "none"
	}
	return refreshEvery
}

func (m OverridePage) rendered(p PreviewedOverride) RenderedResource {
	return RenderedResource{Own: m.Override.Ref(), ResourceKey: p.ResourceKey, Report: p.Report, Targets: TargetsOf(&m.Override), Edits: m.Chrome.Who.Edits()}
}

// more counts the selected resources that the page does not show.
func (m OverridePage) more() int {
	if m.Query == "" {
		return len(m.Reached) - len(m.Selected)
	}
	matching := 0
	for _, r := range m.Reached {
		if strings.Contains(r.Name, m.Query) {
			matching++
		}
	}
	return matching - len(m.Selected)
}

// blockedBeyond are the blocked ones among those, where nothing is searched for.
func (m OverridePage) blockedBeyond() []BlockedOverride {
	var beyond []BlockedOverride
	if m.Query != "" {
		return nil
	}
	for _, b := range m.Blocked {
		if !slices.ContainsFunc(m.Selected, func(p PreviewedOverride) bool { return p.ResourceKey == b.ResourceKey }) {
			beyond = append(beyond, b)
		}
	}
	return beyond
}

// whatRule says in a few words what a rule changes: "image, labels".
func whatRule(ctx context.Context, rule fleet.OverrideRule) string {
	o := rule.Overriders
	if o == nil {
		return ""
	}
	var parts []string
	add := func(key string, items int) {
		if items > 0 {
			parts = append(parts, n(ctx, "override_rule."+key, items))
		}
	}
	add(ListImage, len(o.ImageOverrider))
	add(ListCommand, len(o.CommandOverrider))
	add(ListArgs, len(o.ArgsOverrider))
	add(ListLabels, len(o.LabelsOverrider))
	add(ListAnnotations, len(o.AnnotationsOverrider))
	add("fieldOverrider", len(o.FieldOverrider))
	add(ListPlaintext, len(o.Plaintext))
	return strings.Join(parts, ", ")
}

// overrideTargets says which clusters the rules of an override policy are for.
func overrideTargets(ctx context.Context, o fleet.Override) string {
	var parts []string
	for _, rule := range o.Spec.OverrideRules {
		parts = appendNew(parts, clustersOf(ctx, rule.TargetCluster))
	}
	return strings.Join(parts, "; ")
}
