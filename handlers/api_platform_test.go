package handlers_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// roles answers a token of each role: operator, support, acme's editor and viewer, globex's editor, and none.
func (p *apiPlane) roles() map[string]string {
	return map[string]string{
		"operator": operatorToken, "support": p.token("/api/v1/tokens", "support"), "editor": p.tenant("acme", "editor"), "viewer": p.tenant("acme", "viewer"),
		"other": p.tenant("globex", "editor"), "nobody": "",
	}
}

func TestWhoMayCallWhat(t *testing.T) {
	p := startAPI(t, enforcing())
	tokens := p.roles()
	p.node("n1", "c1", "CA", "")
	p.want(p.ask(tokens["editor"], "POST", deployments, inCanada), 201)
	const one = deployments + "/ledger-api"
	order := []string{"operator", "support", "editor", "viewer", "other", "nobody"}
	for _, c := range []struct {
		method, path, body string
		want               [6]int
	}{
		{"GET", "/api/v1/tenants", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"POST", "/api/v1/tenants?dryRun=All", `{"name": "new-one"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/tenants/acme", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"GET", "/api/v1/tenants/nobody", "", [6]int{404, 404, 403, 403, 403, 401}},
		{"DELETE", "/api/v1/tenants/globex?dryRun=All", "", [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/tenants/acme/namespaces", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"POST", "/api/v1/tenants/acme/namespaces?dryRun=All", `{"name": "acme-2"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/tenants/acme/users", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"POST", "/api/v1/tenants/acme/users?dryRun=All", `{"email": "a@acme.test", "password": "a long enough one", "role": "viewer"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/tenants/acme/tokens", "", [6]int{200, 200, 200, 403, 404, 401}},
		{"POST", "/api/v1/tenants/acme/tokens?dryRun=All", `{"name": "a", "role": "viewer"}`, [6]int{200, 403, 200, 403, 404, 401}},
		{"GET", "/api/v1/users", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"POST", "/api/v1/users?dryRun=All", `{"email": "s@example.test", "password": "a long enough one", "role": "support"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/tokens", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"POST", "/api/v1/tokens?dryRun=All", `{"name": "a", "role": "support"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/clusters", "", [6]int{200, 200, 200, 200, 200, 401}},
		{"GET", "/api/v1/clusters/c1", "", [6]int{200, 200, 200, 200, 200, 401}},
		{"POST", "/api/v1/clusters?dryRun=All", `{"name": "c9"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"PUT", "/api/v1/clusters/c1?dryRun=All", `{"labels": {}}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"DELETE", "/api/v1/clusters/c1?dryRun=All", "", [6]int{409, 403, 403, 403, 403, 401}},
		{"POST", "/api/v1/clusters/c1/enrolment-tokens?dryRun=All", "", [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/nodes", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"GET", "/api/v1/nodes/n1", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"GET", "/api/v1/nodes/n1/events", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"PUT", "/api/v1/nodes/n1", `{"labels": {"odysseus.io/country": "US"}}`, [6]int{422, 403, 403, 403, 403, 401}},
		{"PATCH", "/api/v1/nodes/n1", `{"labels": {"odysseus.io/country": "US"}}`, [6]int{422, 403, 403, 403, 403, 401}},
		{"POST", "/api/v1/nodes/n1/cordon?dryRun=All", "", [6]int{200, 403, 403, 403, 403, 401}},
		{"POST", "/api/v1/nodes/n1/uncordon?dryRun=All", "", [6]int{200, 403, 403, 403, 403, 401}},
		{"POST", "/api/v1/nodes/n1/drain?dryRun=All", "", [6]int{200, 403, 403, 403, 403, 401}},
		{"DELETE", "/api/v1/nodes/n1?dryRun=All", "", [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", deployments, "", [6]int{200, 200, 200, 200, 404, 401}},
		{"POST", deployments + "?dryRun=All", strings.Replace(manifest, "ledger-api\n", "b\n", 1), [6]int{200, 403, 200, 403, 404, 401}},
		{"GET", one, "", [6]int{200, 200, 200, 200, 404, 401}},
		{"PUT", one + "?dryRun=All", inCanada, [6]int{200, 403, 200, 403, 404, 401}},
		{"DELETE", one + "?dryRun=All", "", [6]int{200, 403, 200, 403, 404, 401}},
		{"GET", one + "/placement", "", [6]int{200, 200, 200, 200, 404, 401}},
		{"GET", one + "/events", "", [6]int{200, 200, 200, 200, 404, 401}},
		{"GET", one + "/revisions", "", [6]int{200, 200, 200, 200, 404, 401}},
		{"POST", one + "/rollback?dryRun=All", `{"revision": 1}`, [6]int{200, 403, 200, 403, 404, 401}},
		{"POST", "/api/v1/apply?dryRun=All&namespace=acme", manifest, [6]int{200, 403, 200, 403, 422, 401}},
		{"GET", "/api/v1/scheduler/regions", "", [6]int{200, 200, 200, 200, 200, 401}},
		{"GET", "/api/v1/scheduler/geography", "", [6]int{200, 200, 200, 200, 200, 401}},
		{"GET", "/api/v1/scheduler/geo-awareness", "", [6]int{200, 200, 403, 403, 403, 401}},
		{"PUT", "/api/v1/scheduler/geo-awareness?dryRun=All", `{"onDrift": "reschedule"}`, [6]int{200, 403, 403, 403, 403, 401}},
		{"GET", "/api/v1/pending", "", [6]int{200, 200, 200, 200, 200, 401}},
		{"GET", "/api/v1/audit", "", [6]int{200, 200, 403, 403, 403, 401}},
	} {
		for i, role := range order {
			if a := p.ask(tokens[role], c.method, c.path, c.body); a.status != c.want[i] {
				t.Errorf("%s %s as %s: %d %s, want %d", c.method, c.path, role, a.status, a.body, c.want[i])
			}
		}
	}
}

func TestSmallObjectsGoInAndComeBack(t *testing.T) {
	p := startAPI(t, storing())
	ask := func(method, path, body string) answer { return p.ask(operatorToken, method, path, body) }
	a := p.want(ask("POST", "/api/v1/tenants", `{"name": "acme", "displayName": "Acme <b>"}`), 201)
	if a.get("object.name") != "acme" || a.get("object.metadata.name") != "acme" || a.get("object.kind") != "Tenant" || a.get("object.displayName") != "Acme <b>" || a.get("warnings") != "[]" {
		t.Errorf("tenant %s", a.body)
	}
	if a := p.want(ask("GET", "/api/v1/tenants/acme/namespaces", ""), 200); a.get("items.0.name") != "acme" {
		t.Errorf("namespaces %s", a.body)
	}
	p.want(ask("POST", "/api/v1/tenants/acme/namespaces", `{"name": "acme-test"}`), 201)
	user := p.want(ask("POST", "/api/v1/tenants/acme/users", `{"email": "ada@acme.test", "password": "a long enough one", "role": "editor"}`), 201)
	if user.get("object.email") != "ada@acme.test" || user.get("object.role") != "editor" || user.get("id") == "" || bytes.Contains(user.body, []byte("long enough")) || bytes.Contains(user.body, []byte("argon2")) {
		t.Errorf("user %s", user.body)
	}
	p.want(ask("DELETE", "/api/v1/tenants/acme/users/"+user.get("id"), ""), 200)
	if a := ask("DELETE", "/api/v1/tenants/acme/users/"+user.get("id"), ""); a.status != 404 {
		t.Errorf("deleted twice: %d", a.status)
	}
	token := p.want(ask("POST", "/api/v1/tenants/acme/tokens", `{"name": "ci", "role": "viewer", "expiresIn": "24h"}`), 201)
	secret := token.get("token")
	if secret == "" || token.get("object.token") != secret || token.get("id") != token.get("object.id") {
		t.Errorf("token %s", token.body)
	}
	if a := p.want(ask("GET", "/api/v1/tenants/acme/tokens", ""), 200); bytes.Contains(a.body, []byte(secret)) || a.get("items.0.name") != "ci" || a.get("items.0.expiresAt") == "" {
		t.Errorf("tokens %s", a.body)
	}
	if a := p.want(ask("GET", "/api/v1/tokens", ""), 200); a.get("items.0.name") != "bootstrap" || a.get("items.0.expiresAt") != "" {
		t.Errorf("the platform's tokens %s", a.body)
	}
	p.want(p.ask(secret, "GET", deployments, ""), 200)
	p.want(ask("DELETE", "/api/v1/tenants/acme/tokens/"+token.get("id"), ""), 200)
	if a := p.ask(secret, "GET", deployments, ""); a.status != 401 || a.header.Get("WWW-Authenticate") == "" {
		t.Errorf("a revoked token: %d %v", a.status, a.header)
	}
	cluster := p.want(ask("POST", "/api/v1/clusters", `{"name": "c1", "runtime": "agents", "labels": {"tier": "edge"}, "tenants": ["acme"]}`), 201)
	if cluster.get("object.tenants") != `["acme"]` || cluster.get("object.labels.tier") != "edge" || cluster.header.Get("ETag") == "" {
		t.Errorf("cluster %s", cluster.body)
	}
	back := p.want(ask("GET", "/api/v1/clusters/c1", ""), 200)
	if again := p.want(ask("PUT", "/api/v1/clusters/c1", string(back.body)), 200); again.header.Get("ETag") != back.header.Get("ETag") {
		t.Errorf("what GET answered was a change: %s", again.body)
	}
	editor := p.tenant("acme", "editor")
	if a := p.want(p.ask(editor, "GET", "/api/v1/clusters/c1", ""), 200); bytes.Contains(a.body, []byte("tenants")) || bytes.Contains(a.body, []byte("nodes")) {
		t.Errorf("a tenant reads %s", a.body)
	}
	enrolment := p.want(ask("POST", "/api/v1/clusters/c1/enrolment-tokens", ""), 201)
	if enrolment.get("token") == "" || enrolment.get("object.uses") != "1" || enrolment.get("object.cluster") != "c1" {
		t.Errorf("enrolment token %s", enrolment.body)
	}
	if a := ask("DELETE", "/api/v1/tenants/nobody", ""); a.status != 404 {
		t.Errorf("delete nobody: %d", a.status)
	}
}

func TestNoWriteSaysWhereAMachineIs(t *testing.T) {
	p := startAPI(t, storing())
	p.node("n1", "c1", "CA", "")
	for name, a := range map[string]answer{
		"PUT":            p.ask(operatorToken, "PUT", "/api/v1/nodes/n1", `{"labels": {"odysseus.io/country": "US"}}`),
		"PATCH":          p.ask(operatorToken, "PATCH", "/api/v1/nodes/n1", `{"country": "US"}`),
		"PUT of nothing": p.ask(operatorToken, "PUT", "/api/v1/nodes/n1", ""),
		"cluster POST":   p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "c2", "labels": {"odysseus.io/country": "US"}}`),
		"cluster PUT":    p.ask(operatorToken, "PUT", "/api/v1/clusters/c1", `{"labels": {"odysseus.io/geo-region": "eu"}}`),
	} {
		if a.status != 422 || !sameList(a.codes("errors"), "node_geography_self_reported") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := p.ask(operatorToken, "PUT", "/api/v1/nodes/nothing", "{}"); a.status != 404 {
		t.Errorf("a node that is not there: %d", a.status)
	}
	n := p.want(p.ask(operatorToken, "GET", "/api/v1/nodes/n1", ""), 200)
	if n.get("country") != "CA" || n.get("labels") != `{"odysseus.io/country":"CA"}` || n.get("state") != "ready" || n.get("capacity") != `{"containers":100,"cpu":"8","memory":"16Gi"}` || n.get("refusal") != "[]" {
		t.Errorf("node %s", n.body)
	}
}

func TestTheOperatorsSettings(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.node("n-us", "c1", "US", "")
	ask := func(query, body string) answer {
		return p.ask(operatorToken, "PUT", "/api/v1/scheduler/geo-awareness"+query, body)
	}
	p.want(ask("", `{"regions": [{"name": "eu-core", "description": "d", "countries": ["DE"]}]}`), 200)
	regions := p.want(p.ask(editor, "GET", "/api/v1/scheduler/regions", ""), 200)
	if string(bytes.TrimSpace(regions.body)) != `{"enforcement":{"enabled":false,"setting":"scheduler.geo_awareness.enabled"},"regions":[{"name":"eu-core","description":"d","countries":["DE"]}]}` {
		t.Errorf("regions %s", regions.body)
	}
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.want(p.ask(editor, "POST", deployments, strings.Replace(resident("region: eu-core"), "ledger-api\n", "second\n", 1)), 201)
	p.settle()
	preview := p.want(ask("?dryRun=All", `{"enabled": true, "regions": []}`), 200)
	if preview.get("impact.drift") != `[{"name":"ledger-api","namespace":"acme"},{"name":"second","namespace":"acme"}]` || preview.get("impact.regionInUse") != `{"eu-core":1}` || preview.get("impact.regionUsers") != `{"eu-core":[{"name":"second","namespace":"acme"}]}` || preview.get("object.enabled") != "true" {
		t.Errorf("preview %s", preview.body)
	}
	if a := ask("", `{"regions": []}`); a.status != 409 || !sameList(a.codes("errors"), "region_in_use") || a.get("errors.0.value") != "eu-core" || a.get("errors.0.message") != `deployments name the region "eu-core" (1 in all): change them first` {
		t.Errorf("region in use: %d %s", a.status, a.body)
	}
	now := p.want(p.ask(operatorToken, "GET", "/api/v1/scheduler/geo-awareness", ""), 200)
	if now.get("enabled") != "false" || now.get("onDrift") != "report" || now.get("pinned") != "{}" || now.header.Get("ETag") != `"`+now.get("resourceVersion")+`"` {
		t.Errorf("settings %s", now.body)
	}
	on := p.want(ask("", strings.Replace(string(now.body), `"enabled":false`, `"enabled":true`, 1)), 200)
	if on.get("object.enabled") != "true" || on.get("impact.matchNothing") == "[]" {
		t.Errorf("turned on %s", on.body)
	}
	if a := p.ask(operatorToken, "PUT", "/api/v1/scheduler/geo-awareness", `{"enabled": false}`, "If-Match: "+now.header.Get("ETag")); a.status != 412 {
		t.Errorf("an old version: %d", a.status)
	}
	if a := p.want(p.ask(editor, "GET", "/api/v1/scheduler/geography", ""), 200); string(bytes.TrimSpace(a.body)) != `{"countries":["US"],"regions":[]}` {
		t.Errorf("geography %s", a.body)
	}
	fixed := startAPI(t, enforcing())
	if a := fixed.ask(operatorToken, "PUT", "/api/v1/scheduler/geo-awareness", `{"enabled": false}`); a.status != 409 || !sameList(a.codes("errors"), "setting_pinned") || !strings.Contains(a.get("errors.0.message"), "odysseus.yaml") {
		t.Errorf("pinned: %d %s", a.status, a.body)
	}
}

func TestPendingIsOldestFirstAndTheReasonsGoByRole(t *testing.T) {
	p := startAPI(t, enforcing())
	editor, other := p.tenant("acme", "editor"), p.tenant("globex", "editor")
	p.node("n-hidden-us", "c1", "US", "")
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.settle()
	p.want(p.ask(other, "POST", "/api/v1/namespaces/globex/deployments", inCanada), 201)
	p.settle()
	staff := p.want(p.ask(operatorToken, "GET", "/api/v1/pending", ""), 200)
	if staff.get("items.0.namespace") != "acme" || staff.get("items.0.tenant") != "acme" || staff.get("items.1.namespace") != "globex" || staff.get("items.0.reasons.0.code") != "geo_mismatch" || staff.get("items.0.reasons.0.nodes.0.name") != "n-hidden-us" {
		t.Errorf("staff reads %s", staff.body)
	}
	own := p.want(p.ask(editor, "GET", "/api/v1/pending", ""), 200)
	if own.get("items.0.name") != "ledger-api" || own.get("items.1") != "" || own.get("items.0.tenant") != "" || own.get("items.0.replicas") != "2" || own.get("items.0.since") == "" ||
		own.get("items.0.reasons.0.message") != "requires country CA; nodes report US" || own.get("items.0.reasons.0.required") != `{"country":"CA"}` || own.get("items.0.reasons.0.reported") != `{"countries":["US"],"regions":[]}` {
		t.Errorf("a tenant reads %s", own.body)
	}
	for query, n := range map[string]int{"?reason=geo_mismatch": 2, "?reason=capacity": 0, "?tenant=globex": 1, "?tenant=nobody": 0} {
		a := p.want(p.ask(operatorToken, "GET", "/api/v1/pending"+query, ""), 200)
		if got := len(a.json["items"].([]any)); got != n {
			t.Errorf("%s: %d, want %d", query, got, n)
		}
	}
	placed := p.want(p.ask(operatorToken, "GET", deployments+"/ledger-api/placement", ""), 200)
	if placed.get("state") != "Pending" || placed.get("pending.reasons.0.nodes.0") != `{"cluster":"c1","country":"US","message":"`+placed.get("pending.reasons.0.nodes.0.message")+`","name":"n-hidden-us","reason":"geo_mismatch","region":""}` {
		t.Errorf("placement %s", placed.body)
	}
}

func TestTheAuditHoldsWhatWasWrittenAndWhatWasRefused(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.ask(editor, "PUT", deployments+"/ledger-api", resident("country: "+strings.Repeat("UK", 200)))
	p.want(p.ask(editor, "PUT", deployments+"/ledger-api", manifest), 200)
	a := p.want(p.ask(operatorToken, "GET", "/api/v1/audit?limit=3", ""), 200)
	if a.get("items.0.changes.0") != `{"before":"{\"country\":\"CA\"}","field":"spec.placement.residency"}` || a.get("items.0.accepted") != "true" || a.get("items.0.actor") != "token editor" || a.get("items.0.address") != "127.0.0.1" {
		t.Errorf("dropped %s", a.get("items.0"))
	}
	if a.get("items.1.accepted") != "false" || a.get("items.1.codes") != `["residency_country_unassigned"]` || len(a.get("items.1.changes.0.after")) != 200 {
		t.Errorf("refused %s", a.get("items.1"))
	}
	if a.get("items.2.verb") != "create" || a.get("items.2.kind") != "Deployment" || a.get("metadata.continue") == "" {
		t.Errorf("created %s", a.get("items.2"))
	}
	older := p.want(p.ask(operatorToken, "GET", "/api/v1/audit?limit=1&continue="+a.get("metadata.continue"), ""), 200)
	if older.get("items.0.verb") != "create" || older.get("items.0.kind") != "Token" {
		t.Errorf("older %s", older.body)
	}
}

func TestARuntimeOfALaterVersionIsRefusedAndQuoted(t *testing.T) {
	p := startAPI(t, enforcing())
	p.node("n1", "c1", "CA", "")
	token := p.want(p.ask(operatorToken, "POST", "/api/v1/clusters/c1/enrolment-tokens", `{}`), 201).get("token")
	enrol := func(runtime string) string {
		return `{"token": "` + token + `", "name": "n2", "cluster": "c1", "runtime": "` + runtime + `", "capacity": {"cpu": "1", "memory": "1Gi", "containers": 1}}`
	}
	for name, c := range map[string]struct {
		method, path, body string
		code, accepted     string
	}{
		"create":           {"POST", "/api/v1/clusters", `{"name": "c2", "runtime": "kubernetes"}`, "field_unsupported", "agents"},
		"update":           {"PUT", "/api/v1/clusters/c1", `{"runtime": "kubernetes"}`, "field_unsupported", "agents"},
		"enrol":            {"POST", "/api/v1/agents/enrol", enrol("kubernetes"), "field_unsupported", "one of simulated, docker"},
		"one that is none": {"POST", "/api/v1/clusters", `{"name": "c2", "runtime": "nomad"}`, "value_not_accepted", "agents"},
	} {
		a := p.ask(operatorToken, c.method, c.path, c.body)
		if a.status != 422 || !sameList(a.codes("errors"), c.code) || a.get("errors.0.field") != "runtime" || a.get("errors.0.accepted") != c.accepted || a.get("errors.0.line") != "1" ||
			!strings.Contains(a.get("errors.0.message"), `"`+a.get("errors.0.value")+`"`) || !strings.HasSuffix(a.get("errors.0.message"), "write "+c.accepted) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	p.want(p.ask("", "POST", "/api/v1/agents/enrol", enrol("docker")), 201)
}

func TestTheLastOperatorStays(t *testing.T) {
	p := startAPI(t, enforcing())
	users := p.want(p.ask(operatorToken, "GET", "/api/v1/users?q=OP@", ""), 200)
	a := p.ask(operatorToken, "DELETE", "/api/v1/users/"+users.get("items.0.id"), "")
	if a.status != 409 || !sameList(a.codes("errors"), "last_operator") || a.get("title") != "Last operator" || a.get("errors.0.field") != "email" || a.get("errors.0.value") != "op@example.test" ||
		a.get("errors.0.message") != `"op@example.test" is the last operator who can sign in: add another one first` {
		t.Errorf("refused %d %s", a.status, a.body)
	}
}

// tenantPaths are all that a tenant may read.
var tenantPaths = []string{
	deployments, deployments + "/ledger-api", deployments + "/ledger-api/placement", deployments + "/ledger-api/events", deployments + "/ledger-api/revisions",
	deployments + "/stuck", deployments + "/stuck/placement", deployments + "/stuck/events", "/api/v1/pending", "/api/v1/clusters", "/api/v1/clusters/c1",
	"/api/v1/scheduler/regions", "/api/v1/scheduler/geography", "/api/v1/tenants/acme/tokens",
}

func TestATenantLearnsOfNoNodeAndOfNoCount(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	credential := p.node("n-hidden-ca", "c1", "CA", "")
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.want(p.ask(editor, "POST", deployments, strings.Replace(resident("country: JP"), "ledger-api\n", "stuck\n", 1)), 201)
	p.settle()
	list := p.want(p.ask(credential, "GET", "/api/v1/agents/self/assignments", ""), 200)
	p.want(p.ask(credential, "PUT", "/api/v1/agents/self/status", fmt.Sprintf(`{"containers": [{"id": %q, "state": "running"}, {"id": %q, "state": "failed", "message": "no such image"}]}`,
		list.get("containers.0.id"), list.get("containers.1.id"))), 200)
	p.settle()
	read := func() map[string]string {
		bodies := map[string]string{}
		for _, path := range tenantPaths {
			a := p.want(p.ask(editor, "GET", path, ""), 200)
			bodies[path] = string(a.body)
			if strings.Contains(string(a.body), "hidden") || strings.Contains(fmt.Sprint(a.header), "hidden") {
				t.Errorf("%s names a node: %s", path, a.body)
			}
		}
		return bodies
	}
	before := read()
	p.node("n-hidden-too", "c1", "CA", "")
	p.settle()
	joined := read()
	p.want(p.ask(operatorToken, "DELETE", "/api/v1/nodes/n-hidden-too", ""), 200)
	p.settle()
	left := read()
	for _, path := range tenantPaths {
		if joined[path] != before[path] || left[path] != before[path] {
			t.Errorf("%s tells of an identical node:\nbefore %s\njoined %s\nleft   %s", path, before[path], joined[path], left[path])
		}
	}
}
