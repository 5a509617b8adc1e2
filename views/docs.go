package views

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"
)

// DocsPage is a page of the reference that is written, not generated.
type DocsPage struct {
	Chrome Chrome
	// Key of the page: its texts are docs.KEY.title, docs.KEY.lead and those of its sections.
	Key      string
	Sections []DocsSection
}

// DocsSection is a heading with paragraphs, a list with more of them behind it, and an example.
type DocsSection struct {
	Key        string // docs.PAGE.KEY is the heading
	Paragraphs []string
	Items      []string
	More       []string
	Code       string
}

// DeploymentDocsPage is /docs/deployment: generated from the typed structs.
type DeploymentDocsPage struct {
	Chrome Chrome
	Fields []ReferenceField
}

// docsPages in the order in which they are linked.
var docsPages = []entry{
	{"residency", "/docs/residency"},
	{"deployment", "/docs/deployment"},
	{"policies", "/docs/policies"},
	{"placement", "/docs/placement"},
	{"rejections", "/docs/rejections"},
	{"never", "/docs/never-scheduled"},
}

// exampleManifest is the manifest that the product promises to take as it stands.
const exampleManifest = `apiVersion: odysseus/v1
kind: Deployment
metadata:
  name: ledger-api
spec:
  image: registry.example.com/ledger-api:1.4.0
  replicas: 2
  placement:
    residency:
      country: CA
`

const exampleRegion = `placement:
  residency:
    region: eu-core
`

const exampleBlocked = `placement:
  residency:
    blockedCountries: [RU, BY]
`

// ResidencyDocs is /docs/residency.
func ResidencyDocs(c Chrome) DocsPage {
	return DocsPage{Chrome: c, Key: "residency", Sections: []DocsSection{
		{Key: "limits", Items: []string{"limits.traffic", "limits.data", "limits.records", "limits.images", "limits.attestation", "limits.policy", "limits.law"}},
		{Key: "declaring", Paragraphs: []string{"docs.residency.declaring.p1", "docs.residency.declaring.p2"}, Code: exampleManifest},
		{Key: "region", Paragraphs: []string{"docs.residency.region.p1", "docs.residency.region.p2"}, Code: exampleRegion},
		{Key: "blocked", Paragraphs: []string{"docs.residency.blocked.p1", "docs.residency.blocked.p2"}, Code: exampleBlocked},
		{Key: "labels", Paragraphs: []string{"docs.residency.labels.p1", "docs.residency.labels.p2"}},
		{Key: "facts", Paragraphs: []string{"docs.residency.facts.p1", "docs.residency.facts.p2"}},
		{Key: "off", Paragraphs: []string{"docs.residency.off.p1", "docs.residency.off.p2"}},
	}}
}

// PlacementDocs is /docs/placement.
func PlacementDocs(c Chrome) DocsPage {
	return DocsPage{Chrome: c, Key: "placement", Sections: []DocsSection{
		{Key: "clusters", Paragraphs: []string{"docs.placement.clusters.p1", "docs.placement.clusters.p2"}},
		{Key: "filters", Paragraphs: []string{"docs.placement.filters.p1"}, Items: []string{"docs.placement.filters.tenancy", "docs.placement.filters.readiness", "docs.placement.filters.residency", "docs.placement.filters.capacity"}},
		{Key: "geo", Paragraphs: []string{"docs.placement.geo.p1"}, Items: []string{"docs.placement.geo.enforced", "docs.placement.geo.region", "docs.placement.geo.country", "docs.placement.geo.blocked"}},
		{Key: "spread", Paragraphs: []string{"docs.placement.spread.p1", "docs.placement.spread.p2"}},
		{Key: "changes", Paragraphs: []string{"docs.placement.changes.p1", "docs.placement.changes.p2"}},
		{Key: "drift", Paragraphs: []string{"docs.placement.drift.p1", "docs.placement.drift.p2"}},
		{Key: "lost", Paragraphs: []string{"docs.placement.lost.p1"}},
	}}
}

// NeverScheduledDocs is /docs/never-scheduled.
func NeverScheduledDocs(c Chrome) DocsPage {
	return DocsPage{Chrome: c, Key: "never", Sections: []DocsSection{
		{Key: "look", Paragraphs: []string{"docs.never.look.p1"}, Items: []string{"docs.never.look.geo", "docs.never.look.reach", "docs.never.look.capacity", "docs.never.look.region"}},
		{Key: "policy", Paragraphs: []string{"docs.never.policy.p1"}, Items: []string{"docs.never.policy.none", "docs.never.policy.selects", "docs.never.policy.silent", "docs.never.policy.override", "docs.never.policy.blocked",
			"docs.never.policy.dependency", "docs.never.policy.gang", "docs.never.policy.manual", "docs.never.policy.moved", "docs.never.policy.runtime"}},
		{Key: "fix", Items: []string{"docs.never.fix.compare", "docs.never.fix.off", "docs.never.fix.ask", "docs.never.fix.support"}},
		{Key: "fallback", Paragraphs: []string{"docs.never.fallback.p1"}},
	}}
}

// breakable is a field's path that may be broken behind its dots and nowhere else, and copied without a trace of that.
func breakable(path string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, strings.ReplaceAll(templ.EscapeString(path), ".", ".<wbr>"))
		return err
	})
}
