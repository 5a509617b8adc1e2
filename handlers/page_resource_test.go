package handlers_test

import (
	"strings"
	"testing"
)

const resourcesPage = "/namespaces/acme/resources"

const secretManifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter22}\n"

func TestResourcesAreWrittenAsYAML(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	if got := b.answers(b.get(resourcesPage), 200).text(".empty"); !strings.HasPrefix(got, "No resources yet.") {
		t.Errorf("empty: %q", got)
	}
	s := b.answers(b.get(resourcesPage+"/new"), 200)
	if !strings.Contains(s.Find("#yaml").Text(), "kind: ConfigMap") {
		t.Errorf("starts from %q", s.Find("#yaml").Text())
	}
	if got := b.answers(b.post(resourcesPage, "yaml", secretManifest, "action", "check"), 200).text("main .flash"); got != "Accepted, without a warning." {
		t.Errorf("checked: %q", got)
	}
	page := resourcesPage + "?apiVersion=v1&kind=Secret&name=db"
	b.answers(b.get(page), 404)
	b.leads(b.post(resourcesPage, "yaml", strings.ReplaceAll(secretManifest, "\n", "\r\n")), page)
	shown := b.answers(b.get(page), 200)
	if text := shown.Find("#manifest").Text(); !strings.Contains(text, "password: <hidden>") || strings.Contains(shown.raw, "hunter22") || strings.Contains(shown.raw, "aHVudGVyMjI=") {
		t.Errorf("shown: %s", text)
	}
	for _, want := range []string{"Residency can be declared on odysseus/v1 Deployments only.", "A Secret's values are never shown.", "Waiting"} {
		if !strings.Contains(shown.text("main"), want) {
			t.Errorf("no %q in %q", want, shown.text("main"))
		}
	}
	if got := b.get(resourcesPage + "?kind=Secret").text("#resources-list tbody"); !strings.Contains(got, "dbv1 Secret") || !strings.Contains(got, "Waiting") {
		t.Errorf("list: %q", got)
	}

	edit := b.answers(b.get(resourcesPage+"/edit?apiVersion=v1&kind=Secret&name=db"), 200)
	version := edit.Find("main input[name=version]").AttrOr("value", "")
	text := strings.TrimPrefix(edit.Find("#yaml").Text(), "\n")
	fields := []string{"apiVersion", "v1", "kind", "Secret", "name", "db", "version", version, "yaml", text + "type: Opaque\n"}
	b.leads(b.post(resourcesPage, fields...), page)
	if got := b.get(page).Find("#manifest").Text(); !strings.Contains(got, "type: Opaque") {
		t.Errorf("changed: %s", got)
	}
	stale := b.answers(b.post(resourcesPage, fields...), 409)
	if stale.Find("#conflict").Length() != 1 || stale.Find("main input[name=version]").AttrOr("value", "") == version {
		t.Errorf("somebody changed it: %s", stale.text("main"))
	}

	sure := b.answers(b.get(resourcesPage+"/delete?apiVersion=v1&kind=Secret&name=db"), 200)
	if got := sure.text("main li"); !strings.Contains(got, "It is on no cluster now.") {
		t.Errorf("consequences: %q", got)
	}
	b.leads(b.post(resourcesPage+"/delete", "apiVersion", "v1", "kind", "Secret", "name", "db", "version", sure.Find("main input[name=version]").AttrOr("value", "")), resourcesPage)
	b.answers(b.get(page), 404)
}

func TestResourceIsRefusedInPlace(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	for name, tt := range map[string]struct{ yaml, code, says string }{
		"no YAML":                        {"a: [", "invalid_yaml", ""},
		"nothing":                        {"", "no_document", ""},
		"a kind of none":                 {"apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\n", "kind_unsupported", "PersistentVolume"},
		"a Deployment of its own page":   {manifest, "kind_unsupported", "Deployment"},
		"a label that says nothing here": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {odysseus.io/country: CA}}\n", "label_reserved", "odysseus.io/country"},
		"a near miss of our group":       {misspelt, "kind_unsupported", "odysseus/v1"},
		"a policy of another group":      {"apiVersion: apps/v1\nkind: OverridePolicy\nmetadata: {name: o}\n", "kind_unsupported", "apps/v1"},
		"a secret's value":               {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: '!'}\n", "value_not_accepted", "base64"},
	} {
		t.Run(name, func(t *testing.T) {
			s := b.answers(b.post(resourcesPage, "yaml", tt.yaml), 422)
			if got := s.refusal("yaml"); !strings.Contains(got, tt.code) || !strings.Contains(got, tt.says) {
				t.Errorf("refused: %q", got)
			}
			if s.Find("#yaml").Text() != tt.yaml {
				t.Errorf("what was typed is lost: %q", s.Find("#yaml").Text())
			}
		})
	}
}

func TestPageOfAResourceSaysWhereItIs(t *testing.T) {
	_, b := held(t)
	s := b.answers(b.get(resourcesPage+"?apiVersion=v1&kind=ConfigMap&name=cm"), 200)
	if got := s.text("#resource-live"); !strings.Contains(got, "Is on 2 clusters: canada, europe.") || s.Find(`#resource-live a[href="`+policiesPage+`/PropagationPolicy/split"]`).Length() != 1 {
		t.Errorf("page: %q", got)
	}
	htmx := &browser{t: t, plane: b.plane, client: b.client, part: "resource-live"}
	if part := htmx.answers(htmx.get(resourcesPage+"?apiVersion=v1&kind=ConfigMap&name=cm"), 200); part.Find("h1, main").Length() != 0 {
		t.Errorf("not the part alone: %s", part.raw)
	}
}

// TestDeletingWhatIsPreservedSaysThatItsCopiesStay, before and after, on the pages and by the API.
func TestDeletingWhatIsPreservedSaysThatItsCopiesStay(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "canada", "tenants": ["acme"]}`), 201)
	p.tenantWrites("acme", "propagationpolicies", "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: keeps}\nspec:\n  placement: {}\n  preserveResourcesOnDeletion: true\n"+
		"  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: odysseus/v1, kind: Deployment}]\n")
	p.tenantWrites("acme", "resources", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n")
	p.tenantWrites("acme", "resources", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n")
	p.tenantWrites("acme", "deployments", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: ledger}\nspec: {image: nginx}\n")
	p.settle()
	for name, c := range map[string]struct{ sure, form, to string }{
		"cm":     {resourcesPage + "/delete?apiVersion=v1&kind=ConfigMap&name=cm", resourcesPage + "/delete", resourcesPage},
		"ledger": {deploymentsPage + "/ledger/delete", deploymentsPage + "/ledger/delete", deploymentsPage},
	} {
		sure := b.answers(b.get(c.sure), 200)
		if got := sure.text("main li"); !strings.Contains(got, "Its policy preserves it, so its copies stay on the clusters and nothing manages them. Creating one called "+name+" again takes them over.") || strings.Contains(got, "removed from") {
			t.Errorf("%s: %q", name, got)
		}
		b.leads(b.post(c.form, "apiVersion", "v1", "kind", "ConfigMap", "name", name, "version", sure.Find("main input[name=version]").AttrOr("value", "")), c.to)
		if got := b.get(c.to).text("#flash"); !strings.HasPrefix(got, name+" is deleted. Its copies stay on the clusters") {
			t.Errorf("%s: %q", name, got)
		}
	}
	gone := p.want(p.ask(operatorToken, "DELETE", of(resources, "v1", "ConfigMap", "other"), ""), 200)
	if gone.get("warnings.0.code") != "kept_on_members" || !strings.HasPrefix(gone.get("warnings.0.message"), "the policy that held other preserves it") || gone.get("warnings.1") != "" {
		t.Errorf("answered %s", gone.body)
	}
}

func TestClusterScopedResourcesAreTheOperators(t *testing.T) {
	p := startAPI(t, enforcing())
	op, b := p.person(t, "", "operator"), p.person(t, "acme", "editor")
	op.leads(op.post("/resources", "yaml", "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: example.com/p\n"),
		"/resources?apiVersion=storage.k8s.io%2Fv1&kind=StorageClass&name=fast")
	if got := op.answers(op.get("/resources"), 200).text("#resources-list tbody"); !strings.Contains(got, "fast") {
		t.Errorf("list: %q", got)
	}
	op.answers(op.get("/resources/new"), 200)
	for _, path := range []string{"/resources", "/resources/new"} {
		b.answers(b.get(path), 403)
	}
}
