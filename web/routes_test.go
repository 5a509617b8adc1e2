package web

import (
	"slices"
	"strings"
	"testing"
)

// The table is held to the pages that promise its paths: api.md and console.md, as far as they are built.
func TestTableHasWhatThePagesPromise(t *testing.T) {
	const promised = `
GET /healthz public | GET /readyz public | GET /metrics public | GET /static/{path...} public
POST /api/v1/apply tenant
GET POST /api/v1/tenants operator
GET DELETE /api/v1/tenants/{tenant} operator
GET POST /api/v1/tenants/{tenant}/namespaces operator
GET POST /api/v1/tenants/{tenant}/users operator
DELETE /api/v1/tenants/{tenant}/users/{id} operator
GET POST /api/v1/tenants/{tenant}/tokens tenant
DELETE /api/v1/tenants/{tenant}/tokens/{id} tenant
GET POST /api/v1/users operator | DELETE /api/v1/users/{id} operator
GET POST /api/v1/tokens operator | DELETE /api/v1/tokens/{id} operator
GET /api/v1/clusters signed-in | POST /api/v1/clusters operator
GET /api/v1/clusters/{cluster} signed-in | PUT DELETE /api/v1/clusters/{cluster} operator
POST /api/v1/clusters/{cluster}/enrolment-tokens operator
GET /api/v1/nodes operator
GET DELETE PUT PATCH /api/v1/nodes/{node} operator
GET /api/v1/nodes/{node}/events operator
POST /api/v1/nodes/{node}/cordon operator | POST /api/v1/nodes/{node}/uncordon operator | POST /api/v1/nodes/{node}/drain operator
GET POST /api/v1/namespaces/{ns}/deployments tenant
GET PUT DELETE /api/v1/namespaces/{ns}/deployments/{name} tenant
GET /api/v1/namespaces/{ns}/deployments/{name}/placement tenant
GET /api/v1/namespaces/{ns}/deployments/{name}/events tenant
GET /api/v1/namespaces/{ns}/deployments/{name}/revisions tenant
POST /api/v1/namespaces/{ns}/deployments/{name}/rollback tenant
POST /api/v1/namespaces/{ns}/deployments/{name}/reschedule tenant
GET POST /api/v1/namespaces/{ns}/propagationpolicies tenant
GET PUT DELETE /api/v1/namespaces/{ns}/propagationpolicies/{name} tenant
GET POST /api/v1/clusterpropagationpolicies operator
GET PUT DELETE /api/v1/clusterpropagationpolicies/{name} operator
GET POST /api/v1/namespaces/{ns}/overridepolicies tenant
GET PUT DELETE /api/v1/namespaces/{ns}/overridepolicies/{name} tenant
GET POST /api/v1/clusteroverridepolicies operator
GET PUT DELETE /api/v1/clusteroverridepolicies/{name} operator
GET POST PUT DELETE /api/v1/namespaces/{ns}/resources tenant | GET /api/v1/namespaces/{ns}/resources/placement tenant
GET POST PUT DELETE /api/v1/resources operator | GET /api/v1/resources/placement operator
POST /api/v1/namespaces/{ns}/scheduler/simulate tenant
GET /api/v1/scheduler/regions signed-in | GET /api/v1/scheduler/geography signed-in
GET PUT /api/v1/scheduler/geo-awareness operator
GET /api/v1/pending signed-in | GET /api/v1/audit operator
POST /api/v1/agents/enrol public | PUT /api/v1/agents/self/status agent | GET /api/v1/agents/self/assignments agent
GET POST /login public | GET POST /setup public | POST /preferences public | POST /logout signed-in
GET /docs/residency public | GET /docs/deployment public | GET /docs/deployment.json public | GET /docs/rejections public
GET /docs/policies public | GET /docs/policies.json public
GET /docs/rejections.json public | GET /docs/placement public | GET /docs/never-scheduled public
GET /{$} signed-in | GET /pending signed-in | GET /account signed-in
POST /account/password signed-in | POST /account/tokens signed-in | POST /account/tokens/{id}/delete signed-in | POST /account/sessions/revoke signed-in
GET POST /namespaces/{ns}/deployments tenant | GET /namespaces/{ns}/deployments/new tenant
GET POST /namespaces/{ns}/deployments/{name} tenant | GET /namespaces/{ns}/deployments/{name}/edit tenant
GET POST /namespaces/{ns}/deployments/{name}/delete tenant | POST /namespaces/{ns}/deployments/{name}/rollback tenant
GET /namespaces/{ns}/deployments/{name}/events tenant | GET /namespaces/{ns}/deployments/{name}/revisions tenant
POST /namespaces/{ns}/deployments/{name}/reschedule tenant
GET POST /namespaces/{ns}/policies tenant | GET /namespaces/{ns}/policies/new tenant
GET POST /namespaces/{ns}/policies/{kind}/{name} tenant | GET /namespaces/{ns}/policies/{kind}/{name}/edit tenant
GET POST /namespaces/{ns}/policies/{kind}/{name}/delete tenant
GET POST /policies operator | GET /policies/new operator
GET POST /policies/{kind}/{name} operator | GET /policies/{kind}/{name}/edit operator | GET POST /policies/{kind}/{name}/delete operator
GET POST /namespaces/{ns}/resources tenant | GET /namespaces/{ns}/resources/new tenant
GET /namespaces/{ns}/resources/edit tenant | GET POST /namespaces/{ns}/resources/delete tenant
GET POST /resources operator | GET /resources/new operator | GET /resources/edit operator | GET POST /resources/delete operator
GET POST /settings/residency operator
GET /nodes operator | GET /nodes/{node}/drain operator
POST /nodes/{node}/cordon operator | POST /nodes/{node}/uncordon operator | POST /nodes/{node}/drain operator
GET /clusters operator | GET /tenants operator | GET /audit operator
`
	who := map[Who]string{Public: "public", SignedIn: "signed-in", Tenant: "tenant", Operator: "operator", Agent: "agent", noRule: "nobody thought of it"}
	var want, got []string
	for _, line := range strings.FieldsFunc(promised, func(r rune) bool { return r == '\n' || r == '|' }) {
		words := strings.Fields(line)
		for _, method := range words[:len(words)-2] {
			want = append(want, method+" "+words[len(words)-2]+" "+words[len(words)-1])
		}
	}
	for _, route := range table(mounts{health: &health{}}) {
		got = append(got, route.Method+" "+route.Path+" "+who[route.Who])
		if streams := route.Path == "/api/v1/agents/self/assignments"; streams != (route.Kind == Stream) {
			t.Errorf("%s %s: kind %d", route.Method, route.Path, route.Kind)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("promised and not in the table: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("in the table and not promised: %s", line)
		}
	}
	if len(got) != len(want) || len(slices.Compact(got)) != len(want) {
		t.Errorf("%d routes, %d promised", len(got), len(want))
	}
}
