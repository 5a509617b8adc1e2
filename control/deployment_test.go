package control_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func TestTheManifestOfTheReferenceIsStoredAndPlacedAsItStands(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.cluster("c1")
	us, ca := r.node("n-us", "c1", "US", ""), r.node("n-ca", "c1", "CA", "")
	w := r.create(acme, "acme", resident("country: CA"))
	if !w.Created || len(w.Warnings) > 0 {
		t.Errorf("created %v, warned %v", w.Created, w.Warnings)
	}
	d := w.Object
	if d.Metadata.Namespace != "acme" || d.Metadata.UID == "" || d.Metadata.ResourceVersion == "" || d.Metadata.Generation != 1 || d.Metadata.CreationTimestamp == nil {
		t.Errorf("metadata %+v", d.Metadata)
	}
	if want := map[string]string{fleet.LabelResidencyCountry: "CA"}; !reflect.DeepEqual(d.Status.ResidencyLabels, want) || d.Metadata.Labels != nil {
		t.Errorf("compiled to %v, labels %v", d.Status.ResidencyLabels, d.Metadata.Labels)
	}
	if run, _ := r.assigned(ca); len(run) != 2 {
		t.Errorf("n-ca runs %v", run)
	}
	if run, _ := r.assigned(us); len(run) != 0 {
		t.Errorf("n-us runs %v", run)
	}
	p, err := r.Placement(r.ctx, acme, "acme", "ledger-api")
	if err != nil || p.State != fleet.Placed || len(p.Clusters) != 1 || p.Clusters[0].Placed != 2 || p.Clusters[0].Nodes != nil {
		t.Errorf("placement %+v, error %v", p, err)
	}
	if p, err = r.Placement(r.ctx, helper, "acme", "ledger-api"); err != nil || len(p.Clusters[0].Nodes) != 1 || p.Clusters[0].Nodes[0].Name != "n-ca" {
		t.Errorf("support sees %+v, error %v", p, err)
	}
}

func TestWarningsSayWhatIsNotApplied(t *testing.T) {
	for name, c := range map[string]struct {
		enabled   bool
		country   string
		residency []string
		want      []fleet.Code
	}{
		"enforced and matched":          {true, "CA", []string{"country: CA"}, []fleet.Code{}},
		"enforced, no node matches":     {true, "DE", []string{"country: CA"}, []fleet.Code{fleet.CodeNoMatchingNode}},
		"not enforced, a node matches":  {false, "CA", []string{"country: CA"}, []fleet.Code{fleet.CodeEnforcementOff}},
		"both hold":                     {false, "DE", []string{"country: CA"}, []fleet.Code{fleet.CodeEnforcementOff, fleet.CodeNoMatchingNode}},
		"no residency":                  {false, "DE", nil, []fleet.Code{}},
		"region with blocked countries": {true, "DE", []string{"region: eu-core", "blockedCountries: [FR]"}, []fleet.Code{fleet.CodeBlockedShadowed}},
		"all three at once":             {false, "US", []string{"region: eu-core", "blockedCountries: [FR]"}, []fleet.Code{fleet.CodeEnforcementOff, fleet.CodeNoMatchingNode, fleet.CodeBlockedShadowed}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, pinned(c.enabled, twoRegions...))
			r.tenants("acme", "globex")
			r.cluster("c1", "acme")
			r.cluster("c2", "globex")
			r.node("n1", "c1", c.country, "")
			r.node("n2", "c2", "JP", "") // nobody else's node is in the answer
			text := resident(c.residency...)
			dry, faults, err := r.CreateDeployment(r.ctx, acme, "acme", manifest(text), dryRun)
			r.must(faults, err)
			w := r.create(acme, "acme", text)
			detail, err := r.DeploymentDetail(r.ctx, acme, "acme", "ledger-api")
			if err != nil {
				t.Fatal(err)
			}
			for where, got := range map[string][]fleet.Warning{"dry run": dry.Warnings, "create": w.Warnings, "page": detail.Warnings} {
				if !slices.Equal(warned(got), c.want) {
					t.Errorf("%s warned %v, want %v", where, warned(got), c.want)
				}
				for _, warning := range got {
					switch warning.Code {
					case fleet.CodeEnforcementOff:
						if warning.Setting != "scheduler.geo_awareness.enabled" {
							t.Errorf("%s names setting %q", where, warning.Setting)
						}
					case fleet.CodeNoMatchingNode:
						if a := warning.Advertised; a == nil || !slices.Equal(a.Countries, []string{c.country}) || len(a.Regions) != 0 {
							t.Errorf("%s: advertised %+v", where, a)
						}
					}
				}
			}
		})
	}
}

// refusedManifests are one of each refusal that a manifest can meet, with the code at its field.
var refusedManifests = map[string]struct {
	text  string
	code  fleet.Code
	field string
}{
	"unassigned country":        {resident("country: UK"), fleet.CodeCountryUnassigned, "spec.placement.residency.country"},
	"unassigned blocked":        {resident("blockedCountries: [US, Canada]"), fleet.CodeCountryUnassigned, "spec.placement.residency.blockedCountries[1]"},
	"repeated blocked":          {resident("blockedCountries: [US, US]"), fleet.CodeCountryRepeated, "spec.placement.residency.blockedCountries[1]"},
	"undeclared region":         {resident("region: EU-Core"), fleet.CodeRegionUndeclared, "spec.placement.residency.region"},
	"country and region":        {resident("country: CA", "region: eu-core"), fleet.CodeCountryAndRegion, "spec.placement.residency.region"},
	"contradiction":             {resident("country: CA", "blockedCountries: [CA]"), fleet.CodeContradiction, "spec.placement.residency.blockedCountries[0]"},
	"empty residency":           {head + "  placement:\n    residency: {}\n", fleet.CodeResidencyEmpty, "spec.placement.residency"},
	"empty placement":           {head + "  placement:\n", fleet.CodeResidencyEmpty, "spec.placement"},
	"unknown field":             {head + "  residancy: {country: CA}\n", fleet.CodeUnknownField, "spec.residancy"},
	"wrong type":                {resident("country: 7"), fleet.CodeWrongType, "spec.placement.residency.country"},
	"duplicate key":             {resident("country: CA", "country: US"), fleet.CodeDuplicateKey, "spec.placement.residency.country"},
	"handwritten label":         {strings.Replace(head, "  name: ledger-api\n", "  name: ledger-api\n  labels:\n    odysseus.io/data-residency-country: CA\n", 1), fleet.CodeLabelHandwritten, "metadata.labels[odysseus.io/data-residency-country]"},
	"reserved label":            {strings.Replace(head, "  name: ledger-api\n", "  name: ledger-api\n  labels:\n    odysseus.io/data-residency-contry: CA\n", 1), fleet.CodeLabelReserved, "metadata.labels[odysseus.io/data-residency-contry]"},
	"another namespace":         {strings.Replace(head, "  name: ledger-api\n", "  name: ledger-api\n  namespace: globex\n", 1), fleet.CodeNamespaceMismatch, "metadata.namespace"},
	"image missing":             {strings.Replace(head, "  image: registry.example.com/ledger-api:1.4.0\n", "", 1), fleet.CodeRequired, "spec.image"},
	"no YAML":                   {"spec: [\n", fleet.CodeInvalidYAML, ""},
	"two documents":             {head + "---\n" + head, fleet.CodeTooManyDocuments, ""},
	"another kind":              {strings.Replace(head, "kind: Deployment", "kind: Job", 1), fleet.CodeKindUnsupported, "kind"},
	"a kind of another group":   {strings.Replace(head, "odysseus/v1", "apps/v1", 1), fleet.CodeKindUnsupported, "apiVersion"},
	"image of the wrong type":   {strings.Replace(head, "registry.example.com/ledger-api:1.4.0", "[a]", 1), fleet.CodeWrongType, "spec.image"},
	"field of a later version":  {head + "  healthCheck: {}\n", fleet.CodeFieldUnsupported, "spec.healthCheck"},
	"replicas beyond the limit": {strings.Replace(head, "replicas: 2", "replicas: 10001", 1), fleet.CodeOutOfRange, "spec.replicas"},
}

func TestARefusedWriteStoresItsAuditEntryAndNothingElse(t *testing.T) {
	for name, c := range refusedManifests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, pinned(true, twoRegions...))
			r.tenants("acme", "globex")
			before := r.create(acme, "acme", strings.Replace(resident("country: CA"), "ledger-api\n", "other\n", 1)).Object
			m := manifest(c.text)
			asOther := manifest(strings.Replace(c.text, "name: ledger-api\n", "name: other\n", 1))
			for way, write := range map[string]func(o control.WriteOptions) (fleet.FieldErrors, error){
				"create": func(o control.WriteOptions) (fleet.FieldErrors, error) {
					_, faults, err := r.CreateDeployment(r.ctx, acme, "acme", m, o)
					return faults, err
				},
				"update": func(o control.WriteOptions) (fleet.FieldErrors, error) {
					_, faults, err := r.UpdateDeployment(r.ctx, acme, "acme", "other", asOther, o)
					return faults, err
				},
			} {
				entries := r.auditLength()
				faults, err := write(dryRun)
				if err != nil || !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field {
					t.Errorf("%s dry run: refused %v at %v, error %v; want %s at %s", way, faults.Codes(), faults, err, c.code, c.field)
				}
				if n := r.auditLength(); n != entries {
					t.Errorf("%s dry run wrote %d audit entries", way, n-entries)
				}
				again, err := write(nothing)
				if err != nil || !reflect.DeepEqual(again, faults) {
					t.Errorf("%s refused %v, its dry run %v; error %v", way, again, faults, err)
				}
				if n := r.auditLength(); n != entries+1 {
					t.Errorf("%s wrote %d audit entries", way, n-entries)
				}
				e := r.audit(1)[0]
				if e.Accepted || !sameCodes(e.Codes, c.code) || e.Actor != acme.Name || e.Verb != way || e.Kind != "Deployment" || e.Tenant != "acme" || e.Namespace != "acme" || e.Address != acme.Address {
					t.Errorf("%s audited %+v", way, e)
				}
			}
			if _, err := r.Deployment(r.ctx, acme, "acme", "ledger-api"); !errors.Is(err, fleet.ErrNotFound) {
				t.Errorf("a refused create left something: %v", err)
			}
			after, err := r.Deployment(r.ctx, acme, "acme", "other")
			if err != nil || after.Metadata.ResourceVersion != before.Metadata.ResourceVersion || after.Spec.Residency().Country != "CA" {
				t.Errorf("a refused update changed %+v to %+v, error %v", before, after, err)
			}
		})
	}
}

func TestAnUpdateCountsGenerationsRevisionsAndTemplates(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.create(acme, "acme", resident("country: CA"))
	labelled := strings.Replace(resident("country: CA"), "  name: ledger-api\n", "  name: ledger-api\n  labels: {team: ledger}\n", 1)
	scaled := strings.Replace(labelled, "replicas: 2", "replicas: 3", 1)
	imaged := strings.Replace(scaled, "1.4.0", "1.4.1", 1)
	version := ""
	for _, step := range []struct {
		name                           string
		text                           string
		generation, revision, template int64
		changed                        bool
		events                         []string
	}{
		{"nothing", resident("country: CA"), 1, 1, 1, false, nil},
		{"labels alone", labelled, 1, 1, 1, true, []string{"Updated"}},
		{"replicas", scaled, 2, 2, 1, true, []string{"Scaled"}},
		{"image", imaged, 3, 3, 3, true, []string{"Updated"}},
		{"residency", strings.Replace(imaged, "country: CA", "region: eu-core", 1), 4, 4, 3, true, []string{"ResidencyChanged", "Updated"}},
	} {
		entries := r.auditLength()
		seen := len(r.events("acme", "ledger-api"))
		d := r.update(acme, "acme", "ledger-api", step.text).Object
		stored, err := r.Deployment(r.ctx, acme, "acme", "ledger-api")
		if err != nil {
			t.Fatal(err)
		}
		if d.Metadata.Generation != step.generation || stored.Revision != step.revision || stored.TemplateRevision != step.template {
			t.Errorf("%s: generation %d revision %d template %d", step.name, d.Metadata.Generation, stored.Revision, stored.TemplateRevision)
		}
		if changed := version != "" && d.Metadata.ResourceVersion != version; version != "" && changed != step.changed {
			t.Errorf("%s: version %s after %s", step.name, d.Metadata.ResourceVersion, version)
		}
		if stored.Metadata.ResourceVersion != d.Metadata.ResourceVersion {
			t.Errorf("%s: answered version %s, stored %s", step.name, d.Metadata.ResourceVersion, stored.Metadata.ResourceVersion)
		}
		version = d.Metadata.ResourceVersion
		if n := r.auditLength() - entries; (n == 1) != step.changed {
			t.Errorf("%s: %d audit entries", step.name, n)
		}
		var reasons []string
		for _, e := range r.events("acme", "ledger-api")[seen:] {
			reasons = append(reasons, e.Reason)
		}
		slices.Sort(reasons)
		if !slices.Equal(reasons, step.events) {
			t.Errorf("%s: events %v, want %v", step.name, reasons, step.events)
		}
	}
	page, err := r.Revisions(r.ctx, acme, "acme", "ledger-api", all)
	if err != nil || len(page.Items) != 4 || page.Items[0].Number != 4 || page.Items[0].Actor != acme.Name {
		t.Errorf("revisions %+v, error %v", page, err)
	}
}

// events of a deployment that control gives, oldest first.
func (r *rig) events(namespace, name string) []fleet.Event {
	r.t.Helper()
	page, err := r.DeploymentEvents(r.ctx, acme, namespace, name, all)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []fleet.Event
	own := []string{control.EventCreated, control.EventUpdated, control.EventScaled, control.EventRolledBack, control.EventResidencyChanged, control.EventResidencyDropped}
	for _, e := range slices.Backward(page.Items) {
		if slices.Contains(own, e.Reason) {
			out = append(out, e)
		}
	}
	return out
}

func TestDroppingTheResidencySaysSo(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme")
	r.create(acme, "acme", resident("country: CA"))
	r.update(acme, "acme", "ledger-api", resident())
	e := r.audit(1)[0]
	want := []fleet.Change{{Field: "spec.placement.residency", Before: `{"country":"CA"}`}}
	if !e.Accepted || e.Verb != "update" || !reflect.DeepEqual(e.Changes, want) {
		t.Errorf("audited %+v", e)
	}
	events := r.events("acme", "ledger-api")
	dropped := slices.IndexFunc(events, func(e fleet.Event) bool {
		return e.Reason == control.EventResidencyDropped && e.Type == fleet.EventWarning && e.Args["Before"] == "country: CA"
	})
	if dropped < 0 {
		t.Errorf("events %+v", events)
	}
}

func TestOnlyTheVersionThatWasSeenIsChanged(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	first := r.create(acme, "acme", head).Object.Metadata.ResourceVersion
	second := r.update(acme, "acme", "ledger-api", strings.Replace(head, "replicas: 2", "replicas: 3", 1)).Object.Metadata.ResourceVersion
	inBody := func(version string) string {
		return strings.Replace(head, "  name: ledger-api\n", "  name: ledger-api\n  resourceVersion: \""+version+"\"\n", 1)
	}
	for name, c := range map[string]struct {
		ifMatch, text string
		stale         bool
	}{
		"the version stored":       {second, head, false},
		"an older version":         {first, head, true},
		"any":                      {"*", head, false},
		"none":                     {"", head, false},
		"the body's, stored":       {"", inBody(second), false},
		"the body's, older":        {"", inBody(first), true},
		"the header's good alone":  {second, inBody(first), true},
		"the body's is good alone": {first, inBody(second), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults, err := r.UpdateDeployment(r.ctx, acme, "acme", "ledger-api", manifest(c.text), control.WriteOptions{DryRun: true, IfMatch: c.ifMatch})
			if errors.Is(err, fleet.ErrStale) != c.stale || len(faults) > 0 {
				t.Errorf("error %v, refused %v", err, faults)
			}
		})
	}
	if _, _, err := r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", control.WriteOptions{IfMatch: first}); !errors.Is(err, fleet.ErrStale) {
		t.Errorf("deleted with an old version: %v", err)
	}
	e := r.audit(1)[0]
	if e.Accepted || !sameCodes(e.Codes, fleet.CodeStale) || e.Verb != "delete" {
		t.Errorf("audited %+v", e)
	}
	_, faults, err := r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", control.WriteOptions{IfMatch: second})
	r.must(faults, err)
	if _, err := r.Deployment(r.ctx, acme, "acme", "ledger-api"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("still there: %v", err)
	}
}

func TestADryRunChangesNothing(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	d := r.create(acme, "acme", head).Object
	entries := r.auditLength()
	changed := strings.Replace(head, "replicas: 2", "replicas: 5", 1)
	created, faults, err := r.CreateDeployment(r.ctx, acme, "acme", manifest(strings.Replace(head, "name: ledger-api", "name: other", 1)), dryRun)
	r.must(faults, err)
	if !created.Created || created.Object.Metadata.Name != "other" {
		t.Errorf("create answered %+v", created)
	}
	updated, faults, err := r.UpdateDeployment(r.ctx, acme, "acme", "ledger-api", manifest(changed), dryRun)
	r.must(faults, err)
	if updated.Object.Spec.ReplicaCount() != 5 || updated.Object.Metadata.Generation != 2 {
		t.Errorf("update answered %+v", updated.Object)
	}
	_, faults, err = r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", dryRun)
	r.must(faults, err)
	applied, faults, err := r.Apply(r.ctx, acme, docs(t, changed), nil, control.ApplyOptions{DryRun: true})
	r.must(faults, err)
	if len(applied) != 1 || applied[0].Result != control.ResultUpdated {
		t.Errorf("apply answered %+v", applied)
	}
	stored, err := r.Deployment(r.ctx, acme, "acme", "ledger-api")
	if err != nil || stored.Metadata.ResourceVersion != d.Metadata.ResourceVersion || stored.Spec.ReplicaCount() != 2 {
		t.Errorf("stored %+v, error %v", stored, err)
	}
	page, err := r.Deployments(r.ctx, acme, fleet.DeploymentFilter{Namespace: "acme"}, all)
	if err != nil || len(page.Items) != 1 {
		t.Errorf("list %+v, error %v", page, err)
	}
	if n := r.auditLength(); n != entries {
		t.Errorf("%d audit entries", n-entries)
	}
}

func docs(t *testing.T, texts ...string) []*fleet.Doc {
	t.Helper()
	parsed, faults := fleet.Parse([]byte(strings.Join(texts, "---\n")), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return parsed
}
