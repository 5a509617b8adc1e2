package handlers_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnAgentEnrolsReportsAndPulls(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	p.node("n-other", "c1", "US", "")
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "c2"}`), 201)
	token := p.want(p.ask(operatorToken, "POST", "/api/v1/clusters/c2/enrolment-tokens", `{"expiresIn": "5m", "uses": 1}`), 201).get("token")
	body := `{"token": "` + token + `", "name": "n-ca", "cluster": "c2", "runtime": "simulated", "labels": {"odysseus.io/country": "CA", "zone": "a"}, "capacity": {"cpu": "500m", "memory": "1Gi", "containers": 3}}`
	enrolled := p.want(p.ask("", "POST", "/api/v1/agents/enrol", body), 201)
	credential := enrolled.get("credential")
	if enrolled.get("node") != "n-ca" || credential == "" || enrolled.get("heartbeatSeconds") != "10" || enrolled.get("leaseSeconds") != "40" {
		t.Errorf("enrolled %s", enrolled.body)
	}
	if a := p.ask("", "POST", "/api/v1/agents/enrol", strings.Replace(body, "n-ca", "n-cb", 1)); a.status != 401 || !sameList(a.codes("errors"), "unauthenticated") {
		t.Errorf("the token once more: %d %s", a.status, a.body)
	}
	list := p.want(p.ask(credential, "GET", "/api/v1/agents/self/assignments", ""), 200)
	if list.get("containers") != "[]" || list.get("version") == "" {
		t.Errorf("at first %s", list.body)
	}
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.settle()
	list = p.want(p.ask(credential, "GET", "/api/v1/agents/self/assignments?since=0", ""), 200)
	one := "containers.0"
	if list.get(one+".namespace") != "acme" || list.get(one+".deployment") != "ledger-api" || list.get(one+".image") != "registry.example.com/ledger-api:1.4.0" || list.get(one+".restartPolicy") != "Always" ||
		list.get(one+".terminationGracePeriodSeconds") != "10" || list.get(one+".revision") != "1" || list.get("containers.2") != "" {
		t.Errorf("assigned %s", list.body)
	}
	report := fmt.Sprintf(`{"labels": {"odysseus.io/country": "CA"}, "capacity": {}, "containers": [{"id": %q, "state": "running", "message": "", "restarts": 0, "startedAt": "2026-01-01T00:00:00Z"}, {"id": %q, "state": "starting", "startedAt": null}]}`,
		list.get("containers.0.id"), list.get("containers.1.id"))
	ok := p.want(p.ask(credential, "PUT", "/api/v1/agents/self/status", report), 200)
	if ok.get("heartbeatSeconds") != "10" || ok.get("leaseSeconds") != "40" {
		t.Errorf("status %s", ok.body)
	}
	p.settle()
	if a := p.want(p.ask(editor, "GET", deployments+"/ledger-api", ""), 200); a.get("status.ready") != "1" || a.get("status.placed") != "2" {
		t.Errorf("status %s", a.body)
	}
	p.want(p.ask(editor, "DELETE", deployments+"/ledger-api", ""), 200)
	list = p.want(p.ask(credential, "GET", "/api/v1/agents/self/assignments?since="+list.get("version"), ""), 200)
	if list.get("containers.0.stop") != "true" || list.get("containers.0.image") != "" {
		t.Errorf("to stop %s", list.body)
	}
	n := p.want(p.ask(operatorToken, "GET", "/api/v1/nodes/n-ca", ""), 200)
	if n.get("runtime") != "simulated" || n.get("capacity.cpu") != "500m" || n.get("labels") != `{"odysseus.io/country":"CA"}` {
		t.Errorf("node %s", n.body)
	}
}

func TestAnAgentReachesNothingButItsOwn(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	mine, theirs := p.node("n-mine", "c1", "US", ""), p.node("n-theirs", "c1", "CA", "")
	p.want(p.ask(editor, "POST", deployments, inCanada), 201)
	p.settle()
	id := p.want(p.ask(theirs, "GET", "/api/v1/agents/self/assignments", ""), 200).get("containers.0.id")
	if a := p.want(p.ask(mine, "GET", "/api/v1/agents/self/assignments", ""), 200); a.get("containers") != "[]" {
		t.Errorf("mine %s", a.body)
	}
	a := p.ask(mine, "PUT", "/api/v1/agents/self/status", fmt.Sprintf(`{"containers": [{"id": %q, "state": "failed"}]}`, id))
	if a.status != 422 || !sameList(a.codes("errors"), "container_unknown") || a.get("errors.0.value") != id {
		t.Errorf("a report of theirs: %d %s", a.status, a.body)
	}
	if n := p.want(p.ask(operatorToken, "GET", "/api/v1/nodes/n-mine", ""), 200); n.get("refusal.0.code") != "container_unknown" || n.get("state") != "ready" {
		t.Errorf("operators see %s", n.body)
	}
	for _, path := range append(tenantPaths, "/api/v1/nodes", "/api/v1/audit", "/api/v1/tenants") {
		if a := p.ask(mine, "GET", path, ""); a.status != 401 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for name, token := range map[string]string{"editor": editor, "operator": operatorToken} {
		if a := p.ask(token, "GET", "/api/v1/agents/self/assignments", ""); a.status != 403 {
			t.Errorf("%s pulls: %d", name, a.status)
		}
	}
	if a := p.ask("", "GET", "/api/v1/agents/self/assignments", ""); a.status != 401 {
		t.Errorf("nobody pulls: %d", a.status)
	}
	for _, since := range []string{"-1", "x", "1.5"} {
		if a := p.ask(mine, "GET", "/api/v1/agents/self/assignments?since="+since, ""); a.status != 422 || !sameList(a.codes("errors"), "wrong_type") {
			t.Errorf("since %s: %d %s", since, a.status, a.body)
		}
	}
	p.want(p.ask(operatorToken, "DELETE", "/api/v1/nodes/n-mine", ""), 200)
	if a := p.ask(mine, "PUT", "/api/v1/agents/self/status", "{}"); a.status != 401 {
		t.Errorf("a revoked credential: %d", a.status)
	}
}
