package views

import (
	"net/url"

	"odysseus/fleet"
)

// Chrome is what stands around every page.
type Chrome struct {
	// Path of the page with its query: where changing language or theme comes back to.
	Path string
	// Section is the side bar's entry that the page belongs to.
	Section Section
	Who     Who
	// Namespace that the page is about; empty where it is about none. The side bar's links go there.
	Namespace string
	// Flash is a message that the page before left; in words.
	Flash string
	// Theme is light, dark, or empty for what the system has.
	Theme     string
	Languages []string
	// Origin is the address of this console without a path, for what is to be typed elsewhere.
	Origin string
	// Simulated says that containers within the reader's reach are only pretended to run.
	Simulated bool
}

// themes are what a reader can choose between.
var themes = []string{themeSystem, "light", "dark"}

// themeSystem is what the system has.
const themeSystem = "system"

// theme in force.
func (c Chrome) theme() string {
	if c.Theme == "" {
		return themeSystem
	}
	return c.Theme
}

// Who is signed in; the zero value where nobody is.
type Who struct {
	Name       string
	Role       fleet.Role
	Tenant     string
	Namespaces []string
}

// SignedIn says whether somebody is.
func (w Who) SignedIn() bool { return w.Role != "" }

// Edits says whether the role changes deployments.
func (w Who) Edits() bool { return w.Role == fleet.RoleEditor || w.Role == fleet.RoleOperator }

// Operates says whether the role changes the platform.
func (w Who) Operates() bool { return w.Role == fleet.RoleOperator }

// Section is an entry of the side bar.
type Section string

// Sections of the side bar; the words are nav.SECTION.
const (
	SectionOverview    Section = "overview"
	SectionDeployments Section = "deployments"
	SectionResources   Section = "resources"
	SectionPolicies    Section = "policies"
	SectionPending     Section = "pending"
	SectionResidency   Section = "residency"
	SectionFleet       Section = "fleet"
	SectionTenants     Section = "tenants"
	SectionAudit       Section = "audit"
	SectionReference   Section = "reference"
	SectionAccount     Section = "account"
)

// entry of the side bar.
type entry struct {
	Section Section
	Path    string
}

// entries of the side bar: six at most, by role.
func (c Chrome) entries() []entry {
	if c.Who.Role.Platform() {
		return []entry{
			{SectionOverview, "/"},
			{SectionPending, "/pending"},
			{SectionResidency, "/settings/residency"},
			{SectionFleet, "/nodes"},
			{SectionTenants, "/tenants"},
			{SectionAudit, "/audit"},
		}
	}
	all := []entry{{SectionOverview, "/"}}
	if ns := c.home(); ns != "" {
		all = append(all, entry{SectionDeployments, DeploymentsPath(ns)}, entry{SectionResources, ResourcesPath(ns)}, entry{SectionPolicies, PoliciesPath(ns)})
	}
	return append(all, entry{SectionPending, "/pending"}, entry{SectionReference, "/docs/residency"})
}

// home is the namespace whose deployments the side bar leads to: the page's own, or the tenant's first.
func (c Chrome) home() string {
	if c.Namespace != "" {
		return c.Namespace
	}
	if len(c.Who.Namespaces) > 0 {
		return c.Who.Namespaces[0]
	}
	return ""
}

// Crumb is one step of the way to a page; the last has no Path.
type Crumb struct {
	Text, Path string
}

// Head is what the layout needs of a page beside its content.
type Head struct {
	// Title is in words, the same as the page's heading.
	Title string
	// Refused puts "Error: " before the title, so that it is the first thing read out.
	Refused bool
	Crumbs  []Crumb
}

// DeploymentsPath is the list of a namespace's deployments.
func DeploymentsPath(namespace string) string {
	return "/namespaces/" + namespace + "/deployments"
}

// DeploymentPath is the page of one deployment. Names are DNS labels, so nothing in them needs escaping.
func DeploymentPath(namespace, name string) string { return DeploymentsPath(namespace) + "/" + name }

// PoliciesPath is the list of a namespace's policies; without a namespace, of the cluster-wide ones.
func PoliciesPath(namespace string) string {
	if namespace == "" {
		return "/policies"
	}
	return "/namespaces/" + namespace + "/policies"
}

// PolicyPath is the page of one policy.
func PolicyPath(ref fleet.PolicyRef) string {
	return PoliciesPath(ref.Namespace) + "/" + ref.Kind + "/" + ref.Name
}

// ResourcesPath is the list of a namespace's resources; without a namespace, of the cluster-scoped ones.
func ResourcesPath(namespace string) string {
	if namespace == "" {
		return "/resources"
	}
	return "/namespaces/" + namespace + "/resources"
}

// ResourcePath is the page of one resource: its own, of a Deployment of this product.
func ResourcePath(key fleet.ResourceKey) string {
	if key.APIVersion == fleet.APIVersion && key.Kind == fleet.KindDeployment {
		return DeploymentPath(key.Namespace, key.Name)
	}
	return ResourcesPath(key.Namespace) + "?" + ResourceQuery(key)
}

// ResourceQuery tells one resource of a list.
func ResourceQuery(key fleet.ResourceKey) string {
	return url.Values{"apiVersion": {key.APIVersion}, "kind": {key.Kind}, "name": {key.Name}}.Encode()
}

// namespaceSections are the lists that a namespace has.
var namespaceSections = []Section{SectionDeployments, SectionResources, SectionPolicies}

// sectionPath is such a list.
func sectionPath(s Section, namespace string) string {
	switch s {
	case SectionResources:
		return ResourcesPath(namespace)
	case SectionPolicies:
		return PoliciesPath(namespace)
	}
	return DeploymentsPath(namespace)
}
