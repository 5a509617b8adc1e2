package handlers_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestADeploymentIsWrittenReadAndDeleted(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.node("n-ca", "c1", "CA", "")
	created := p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	version := created.get("object.metadata.resourceVersion")
	if created.get("object.apiVersion") != "odysseus/v1" || created.get("object.kind") != "Deployment" || created.get("object.metadata.namespace") != "acme" ||
		created.get("object.metadata.uid") == "" || created.get("object.metadata.generation") != "1" || created.get("object.metadata.labels") != "" ||
		created.get("object.status.residencyLabels") != `{"odysseus.io/data-residency-country":"CA"}` || created.get("warnings") != "[]" || created.header.Get("ETag") != `"`+version+`"` {
		t.Errorf("created %v %s", created.header, created.body)
	}
	read := p.want(p.ask(editor, "GET", deployments+"/ledger-api", ""), 200)
	if read.get("metadata.name") != "ledger-api" || read.header.Get("ETag") != `"`+version+`"` || read.header.Get("Cache-Control") != "no-store" {
		t.Errorf("read %v %s", read.header, read.body)
	}
	if a := p.ask(editor, "POST", deployments, inCanada); a.status != 409 || !sameList(a.codes("errors"), "already_exists") || a.get("errors.0.line") != "4" {
		t.Errorf("created twice: %d %s", a.status, a.body)
	}
	three := strings.Replace(inCanada, "replicas: 2", "replicas: 3", 1)
	for _, c := range []struct {
		match  string
		status int
	}{{`"1"`, 412}, {`W/"` + version + `"`, 412}, {`"` + version + `"`, 200}, {version, 200}, {"*", 200}} {
		if a := p.ask(editor, "PUT", deployments+"/ledger-api?dryRun=All", three, "If-Match: "+c.match); a.status != c.status {
			t.Errorf("If-Match %s: %d %s", c.match, a.status, a.body)
		}
	}
	updated := p.want(p.ask(editor, "PUT", deployments+"/ledger-api", three, `If-Match: "`+version+`"`), 200)
	if updated.get("object.metadata.generation") != "2" || updated.get("object.metadata.resourceVersion") == version {
		t.Errorf("updated %s", updated.body)
	}
	p.settle()
	placed := p.want(p.ask(editor, "GET", deployments+"/ledger-api/placement", ""), 200)
	if placed.get("state") != "Placed" || placed.get("policy") != "" || placed.get("clusters.0.placed") != "3" || placed.get("clusters.0.name") != "c1" {
		t.Errorf("placement %s", placed.body)
	}
	if !bytes.Contains(placed.body, []byte(`"policy":null`)) {
		t.Errorf("policy is left out: %s", placed.body)
	}
	if v := p.want(p.ask(editor, "GET", deployments+"/ledger-api", ""), 200); v.get("status.state") != "Placed" || v.header.Get("ETag") != updated.header.Get("ETag") {
		t.Errorf("the status moved the version: %s", v.body)
	}
	events := p.want(p.ask(editor, "GET", deployments+"/ledger-api/events", ""), 200)
	if e := events.get("items.0.message"); e == "" || strings.HasPrefix(e, "event.") {
		t.Errorf("events %s", events.body)
	}
	if a := p.ask(editor, "DELETE", deployments+"/ledger-api", "", `If-Match: "`+version+`"`); a.status != 412 {
		t.Errorf("deleted with an old version: %d", a.status)
	}
	deleted := p.want(p.ask(editor, "DELETE", deployments+"/ledger-api", ""), 200)
	if deleted.get("object.metadata.name") != "ledger-api" || deleted.get("warnings") != "[]" {
		t.Errorf("deleted %s", deleted.body)
	}
	for _, path := range []string{"", "/placement", "/events", "/revisions"} {
		if a := p.ask(editor, "GET", deployments+"/ledger-api"+path, ""); a.status != 404 {
			t.Errorf("%s still answers %d", path, a.status)
		}
	}
	if a := p.ask(editor, "PUT", deployments+"/ledger-api", three); a.status != 404 {
		t.Errorf("a PUT creates: %d", a.status)
	}
}

func TestWhatCannotBeReadIsAnsweredByWhatItIs(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	for name, c := range map[string]struct {
		query, body, contentType string
		status                   int
		code, field              string
	}{
		"no YAML":              {"", "spec: [\n", "application/yaml", 400, "invalid_yaml", ""},
		"no JSON":              {"", `{"a": `, "application/json", 400, "invalid_json", ""},
		"JSON said to be YAML": {"", `{"apiVersion": "odysseus/v1"}`, "application/yaml; charset=utf-8", 422, "required", "kind"},
		"no type":              {"", "a: b", "text/plain", 415, "unsupported_media_type", "Content-Type"},
		"a type cut short":     {"", "a: b", "application/yaml;;;=", 415, "unsupported_media_type", "Content-Type"},
		"a form":               {"", "a=b", "application/x-www-form-urlencoded", 415, "unsupported_media_type", "Content-Type"},
		"nothing":              {"", "# nothing\n", "application/yaml", 422, "no_document", ""},
		"two documents":        {"", manifest + "---\n" + manifest, "application/yaml", 422, "too_many_documents", ""},
		"too many levels":      {"", strings.Repeat("[", 60) + strings.Repeat("]", 60), "application/yaml", 422, "document_too_large", ""},
		"more than a mebibyte": {"", "# " + strings.Repeat("x", 1<<20), "application/yaml", 413, "body_too_large", ""},
		"another dry run":      {"?dryRun=true", manifest, "application/yaml", 422, "value_not_accepted", "dryRun"},
		"a dry run of nothing": {"?dryRun=", manifest, "application/yaml", 422, "value_not_accepted", "dryRun"},
	} {
		a := p.ask(editor, "POST", deployments+c.query, c.body, "Content-Type: "+c.contentType)
		if a.status != c.status || len(a.codes("errors")) == 0 || a.codes("errors")[0] != c.code || a.get("errors.0.field") != c.field || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %.300s", name, a.status, a.body)
		}
	}
	if a := p.ask(editor, "POST", deployments, manifest, "Content-Type: "); a.status != 415 {
		t.Errorf("a body without a type: %d %s", a.status, a.body)
	}
}

func TestListsPageAndSelect(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	for i := range 5 {
		text := strings.Replace(manifest, "  name: ledger-api\n", fmt.Sprintf("  name: app-%d\n  labels: {tier: t%d}\n", i, i%2), 1)
		p.want(p.ask(editor, "POST", deployments, text), 201)
	}
	names := func(query string) string {
		t.Helper()
		a := p.want(p.ask(editor, "GET", deployments+query, ""), 200)
		out := ""
		for i := range a.json["items"].([]any) {
			out += a.get(fmt.Sprintf("items.%d.metadata.name", i)) + " "
		}
		return strings.TrimSpace(out)
	}
	for query, want := range map[string]string{
		"":                              "app-0 app-1 app-2 app-3 app-4",
		"?q=p-3":                        "app-3",
		"?q=nothing":                    "",
		"?labelSelector=tier%3Dt1":      "app-1 app-3",
		"?labelSelector=tier+in+(t0)":   "app-0 app-2 app-4",
		"?labelSelector=!tier":          "",
		"?limit=500":                    "app-0 app-1 app-2 app-3 app-4",
		"?state=Placed":                 "",
		"?residency=any":                "",
		"?residency=none&limit=2":       "app-0 app-1",
		"?q=app&labelSelector=tier!=t0": "app-1 app-3",
	} {
		if got := names(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	all, next := "", ""
	for range 3 {
		a := p.want(p.ask(editor, "GET", deployments+"?limit=2&continue="+next, ""), 200)
		for i := range a.json["items"].([]any) {
			all += a.get(fmt.Sprintf("items.%d.metadata.name", i)) + " "
		}
		next = a.get("metadata.continue")
	}
	if all != "app-0 app-1 app-2 app-3 app-4 " || next != "" {
		t.Errorf("by pages: %s, then %q", all, next)
	}
	for query, want := range map[string][3]string{
		"?limit=0":                       {"out_of_range", "limit", "0"},
		"?limit=501":                     {"out_of_range", "limit", "501"},
		"?limit=-1":                      {"out_of_range", "limit", "-1"},
		"?limit=ten":                     {"wrong_type", "limit", "ten"},
		"?limit=":                        {"wrong_type", "limit", ""},
		"?labelSelector=a+b":             {"selector_invalid", "labelSelector", "a b"},
		"?state=nonsense":                {"value_not_accepted", "state", "nonsense"},
		"?continue=nonsense":             {"value_not_accepted", "continue", "nonsense"},
		"?q=" + strings.Repeat("a", 254): {"too_long", "q", strings.Repeat("a", 254)},
	} {
		a := p.ask(editor, "GET", deployments+query, "")
		if a.status != 422 || !sameList(a.codes("errors"), want[0]) || a.get("errors.0.field") != want[1] || a.get("errors.0.value") != want[2] || a.get("title") != "Refused" {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
}

func TestTheTitleSaysWhenADeploymentWasRefused(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.want(p.ask(editor, "POST", deployments, manifest), 201)
	wrong := resident("country: UK")
	for name, c := range map[string]struct {
		token, method, path, body string
		status                    int
		title                     string
	}{
		"create":               {editor, "POST", deployments, wrong, 422, "Deployment refused"},
		"dry run":              {editor, "POST", deployments + "?dryRun=All", wrong, 422, "Deployment refused"},
		"update":               {editor, "PUT", deployments + "/ledger-api", wrong, 422, "Deployment refused"},
		"rollback":             {editor, "POST", deployments + "/ledger-api/rollback", `{"revision": 7}`, 422, "Deployment refused"},
		"apply":                {editor, "POST", "/api/v1/apply", wrong, 422, "Deployment refused"},
		"a name that is taken": {editor, "POST", deployments, manifest, 409, "Already exists"},
		"not there":            {editor, "PUT", deployments + "/nothing", manifest, 404, "Nothing here"},
		"no YAML":              {editor, "POST", deployments, "a: [", 400, "Refused"},
		"a tenant":             {operatorToken, "POST", "/api/v1/tenants", `{"name": "A B"}`, 422, "Refused"},
	} {
		a := p.ask(c.token, c.method, c.path, c.body)
		if a.status != c.status || a.get("title") != c.title {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

func TestApplyOverHTTP(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	two := manifest + "---\n---\n" + strings.Replace(inCanada, "ledger-api\n", "second\n", 1)
	a := p.want(p.ask(editor, "POST", "/api/v1/apply", two), 200)
	if a.get("items.0.result") != "created" || a.get("items.1.result") != "created" || a.get("items.0.warnings") != "[]" || a.get("items.1.warnings.0.code") != "no_matching_node" || a.get("items.1.object.metadata.name") != "second" {
		t.Errorf("applied %s", a.body)
	}
	a = p.want(p.ask(editor, "POST", "/api/v1/apply", strings.Replace(two, "replicas: 2", "replicas: 1", 1)), 200)
	if a.get("items.0.result") != "updated" || a.get("items.1.result") != "unchanged" {
		t.Errorf("applied again %s", a.body)
	}
	if a := p.ask(operatorToken, "POST", "/api/v1/apply", manifest); a.status != 422 || !sameList(a.codes("errors"), "required") || a.get("errors.0.field") != "metadata.namespace" {
		t.Errorf("without a namespace: %d %s", a.status, a.body)
	}
	p.want(p.ask(operatorToken, "POST", "/api/v1/apply?namespace=acme", manifest), 200)
	if a := p.ask(editor, "POST", "/api/v1/apply", "kind: [\n"); a.status != 400 || !sameList(a.codes("errors"), "invalid_yaml") {
		t.Errorf("no YAML: %d %s", a.status, a.body)
	}
	quota := "apiVersion: policy.karmada.io/v1alpha1\nkind: FederatedResourceQuota\nmetadata: {name: c}\nspec: {}\n"
	if a := p.ask(editor, "POST", "/api/v1/apply", manifest+"---\n"+quota); a.status != 422 || !sameList(a.codes("errors"), "kind_unsupported") || a.get("errors.0.line") == "" {
		t.Errorf("another kind: %d %s", a.status, a.body)
	}
}

func TestSomebodyElsesIsTheSameAsNothing(t *testing.T) {
	p := startAPI(t, enforcing())
	editor, other := p.tenant("acme", "editor"), p.tenant("globex", "editor")
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "theirs", "tenants": ["acme"]}`)
	id := p.want(p.ask(editor, "GET", "/api/v1/tenants/acme/tokens", ""), 200).get("items.0.id")
	for _, c := range []struct{ method, theirs, nothing, body string }{
		{"GET", deployments, "/api/v1/namespaces/nowhere/deployments", ""},
		{"POST", deployments, "/api/v1/namespaces/nowhere/deployments", manifest},
		{"GET", deployments + "/ledger-api", deployments + "/nothing", ""},
		{"PUT", deployments + "/ledger-api", deployments + "/nothing", inCanada},
		{"DELETE", deployments + "/ledger-api", deployments + "/nothing", ""},
		{"GET", deployments + "/ledger-api/placement", deployments + "/nothing/placement", ""},
		{"GET", deployments + "/ledger-api/events", deployments + "/nothing/events", ""},
		{"GET", deployments + "/ledger-api/revisions", deployments + "/nothing/revisions", ""},
		{"POST", deployments + "/ledger-api/rollback", deployments + "/nothing/rollback", `{"revision": 1}`},
		{"GET", "/api/v1/clusters/theirs", "/api/v1/clusters/nothing", ""},
		{"GET", "/api/v1/tenants/acme/tokens", "/api/v1/tenants/nobody/tokens", ""},
		{"POST", "/api/v1/tenants/acme/tokens", "/api/v1/tenants/nobody/tokens", `{"name": "a", "role": "viewer"}`},
		{"DELETE", "/api/v1/tenants/acme/tokens/" + id, "/api/v1/tenants/acme/tokens/nothing", ""},
	} {
		theirs, nothing := p.ask(other, c.method, c.theirs, c.body), p.ask(other, c.method, c.nothing, c.body)
		if theirs.status != 404 || nothing.status != 404 || !bytes.Equal(theirs.body, nothing.body) {
			t.Errorf("%s %s: %d %s; nothing: %d %s", c.method, c.theirs, theirs.status, theirs.body, nothing.status, nothing.body)
		}
		for _, header := range []http.Header{theirs.header, nothing.header} {
			header.Del("X-Request-Id")
			header.Del("Date")
		}
		if got, want := fmt.Sprint(theirs.header), fmt.Sprint(nothing.header); got != want {
			t.Errorf("%s %s: headers %s, of nothing %s", c.method, c.theirs, got, want)
		}
	}
	// In a list or a stream it is the same as well.
	for _, path := range []string{"/api/v1/pending", "/api/v1/clusters"} {
		if a := p.want(p.ask(other, "GET", path, ""), 200); a.get("items") != "[]" {
			t.Errorf("%s: %s", path, a.body)
		}
	}
}
