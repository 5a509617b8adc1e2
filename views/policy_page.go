package views

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"odysseus/fleet"
)

// PolicyPage is one policy: what it selects, where that went, and which other policy won where two select the same.
type PolicyPage struct {
	Chrome    Chrome
	Namespace string
	Policy    fleet.Policy
	Warnings  []fleet.Warning
	Reached   []fleet.Reached
	// Query is a part of the name of what is to be shown of Reached.
	Query string
	// Manifest is the policy as YAML, as it can be sent back.
	Manifest string
}

// MayEdit says whether the reader may change it.
func (m PolicyPage) MayEdit() bool { return mayEditPolicies(m.Chrome.Who, m.Namespace) }

// reachedShown is how many of the selected resources a page has. A policy may select every one that there is.
const reachedShown = 50

// shown are those whose name contains the query, the first ones of them; more counts the others.
func (m PolicyPage) shown() (rows []fleet.Reached, more int) {
	for _, r := range m.Reached {
		if m.Query != "" && !strings.Contains(r.Name, m.Query) {
			continue
		}
		if len(rows) == reachedShown {
			more++
			continue
		}
		rows = append(rows, r)
	}
	return rows, more
}

// searchable says whether there is more than the page has.
func (m PolicyPage) searchable() bool { return m.Query != "" || len(m.Reached) > reachedShown }

// follows is how often the page asks for what changed; not by itself where that is a question about very much.
func (m PolicyPage) follows() string {
	if len(m.Reached) > reachedShown {
		return "none"
	}
	return refreshEvery
}

func (m PolicyPage) path() string { return PolicyPath(m.Policy.Ref()) }

// self is the page's own address.
func (m PolicyPage) self() string {
	if m.Query == "" {
		return m.path()
	}
	return m.path() + "?" + url.Values{"q": {m.Query}}.Encode()
}

func (m PolicyPage) crumbs(ctx context.Context) []Crumb {
	return append(PolicyCrumbs(words(ctx), m.Namespace), Crumb{Text: m.Policy.Metadata.Name})
}

// Holds counts the resources that the policy decides on, their placed replicas and the clusters that these are on: what
// deleting it is about.
func (m PolicyPage) Holds() (resources, replicas, clusters int) {
	var names []string
	for _, r := range m.Reached {
		if !m.holds(r) {
			continue
		}
		resources++
		for _, c := range r.Placement.Clusters {
			replicas += c.Placed
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return resources, replicas, len(names)
}

func (m PolicyPage) holds(r fleet.Reached) bool {
	return r.Holder != nil && *r.Holder == m.Policy.Ref()
}

// lead is the most important fact in one line.
func (m PolicyPage) lead(ctx context.Context) string {
	held, _, _ := m.Holds()
	return n(ctx, "policy.selects", len(m.Reached), "Held", number(held))
}

// DividesByRoom says whether a policy divides replicas by what each cluster can still take.
func DividesByRoom(p *fleet.Policy) bool {
	division := p.Scheduling().Division()
	return division == fleet.DivisionDynamic || division == fleet.DivisionAggregated
}

// deletion says what deleting means under the API that the policy is written for, one sentence a key.
func (m PolicyPage) deletion() []string {
	switch {
	case m.Policy.Karmada() && m.Policy.KeepsOnResourceDeletion():
		return []string{"policy.keeps", "policy.resource_keeps"}
	case m.Policy.Karmada():
		return []string{"policy.keeps", "policy.resource_removes"}
	case m.Policy.KeepsOnPolicyDeletion():
		return []string{"policy.keeps_one", "policy.resource_removes"}
	default:
		return []string{"policy.removes_one", "policy.resource_removes"}
	}
}

// failover in words; empty where the policy has none.
func failover(ctx context.Context, p *fleet.Policy) string {
	f := p.Failover()
	if f == nil {
		return ""
	}
	return t(ctx, "failover."+f.Purge(), "Toleration", number(f.Toleration()), "Grace", number(f.Grace()))
}

// policyName is a policy as a sentence names it.
func policyName(ref fleet.PolicyRef) string { return ref.Kind + " " + ref.Name }

// resourceKind is what kind of resource it is, with the API that tells it from others of that name.
func resourceKind(k fleet.ResourceKey) string { return k.APIVersion + " " + k.Kind }

// shownName of a resource: with its namespace where the list is of several.
func shownName(k fleet.ResourceKey, namespace string) string {
	if k.Namespace == "" || k.Namespace == namespace {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// rankKey says how specifically a resource is selected.
func rankKey(r fleet.Rank) string {
	switch r {
	case fleet.RankName:
		return "rank.name"
	case fleet.RankLabels:
		return "rank.labels"
	default:
		return "rank.kind"
	}
}

// splitID is the id of the i-th bar of a page.
func splitID(i int) string { return "split-" + number(i+1) }
