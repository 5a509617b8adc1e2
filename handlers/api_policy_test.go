package handlers_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	ackOne   = "policy.one.alibabacloud.com/v1alpha1"
	ackShort = "one.alibabacloud.com/v1alpha1"
	karmada  = "policy.karmada.io/v1alpha1"

	policies        = "/api/v1/namespaces/acme/propagationpolicies"
	clusterPolicies = "/api/v1/clusterpropagationpolicies"
)

// whole is a policy with every field, in the spelling of one API.
func whole(apiVersion, kind string) string {
	mode, preserve := "Graciously", "false"
	if apiVersion == karmada {
		mode, preserve = "Gracefully", "true"
	}
	return "apiVersion: " + apiVersion + "\nkind: " + kind + `
metadata:
  name: everything
  labels: {team: web}
  annotations: {example.com/note: "as written"}
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: web}
    - {apiVersion: batch/v1, kind: Job, name: sum, namespace: acme}
  propagateDeps: true
  placement:
    clusterAffinity:
      clusterNames: [cluster-1, cluster-2]
      labelSelector: {matchLabels: {az: zone0}, matchExpressions: [{key: app, operator: In, values: [nginx]}, {key: old, operator: DoesNotExist}]}
      ` + map[bool]string{true: "exclude", false: "excludeClusters"}[apiVersion == karmada] + `: [cluster-9]
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - {targetCluster: {clusterNames: [cluster-1]}, weight: 9007199254740993}
          - {targetCluster: {}, weight: 1}
  priority: -3
  preemption: Always
  dependentOverrides: [registry]
  failover:
    application:
      decisionConditions: {tolerationSeconds: 0}
      purgeMode: ` + mode + `
      gracePeriodSeconds: 60
  preserveResourcesOnDeletion: ` + preserve + "\n"
}

// TestAPolicyComesBackAsItWasWritten under each of the three apiVersions and both kinds; and what comes back, sent
// again, changes nothing.
func TestAPolicyComesBackAsItWasWritten(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	for _, kind := range []struct{ name, path, token string }{{"PropagationPolicy", policies, editor}, {"ClusterPropagationPolicy", clusterPolicies, operatorToken}} {
		for _, apiVersion := range []string{ackOne, ackShort, karmada} {
			t.Run(kind.name+" "+apiVersion, func(t *testing.T) {
				written := whole(apiVersion, kind.name)
				created := p.want(p.ask(kind.token, "POST", kind.path, written), 201)
				got := p.want(p.ask(kind.token, "GET", kind.path+"/everything", ""), 200)
				spec := `{"dependentOverrides":["registry"],"failover":{"application":{"decisionConditions":{"tolerationSeconds":0},"gracePeriodSeconds":60,"purgeMode":"MODE"}},` +
					`"placement":{"clusterAffinity":{"clusterNames":["cluster-1","cluster-2"],"EXCLUDE":["cluster-9"],"labelSelector":{"matchExpressions":[{"key":"app","operator":"In","values":["nginx"]},` +
					`{"key":"old","operator":"DoesNotExist"}],"matchLabels":{"az":"zone0"}}},"replicaScheduling":{"replicaDivisionPreference":"Weighted","replicaSchedulingType":"Divided",` +
					`"weightPreference":{"staticWeightList":[{"targetCluster":{"clusterNames":["cluster-1"]},"weight":9007199254740993},{"targetCluster":{},"weight":1}]}}},` +
					`"preemption":"Always","preserveResourcesOnDeletion":PRESERVE,"priority":-3,"propagateDeps":true,` +
					`"resourceSelectors":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},{"apiVersion":"batch/v1","kind":"Job","name":"sum","namespace":"acme"}]}`
				words := []string{"MODE", "Graciously", "EXCLUDE", "excludeClusters", "PRESERVE", "false"}
				if apiVersion == karmada {
					words = []string{"MODE", "Gracefully", "EXCLUDE", "exclude", "PRESERVE", "true"}
				}
				namespace := map[bool]string{true: "acme"}[kind.path == policies]
				for path, want := range map[string]string{
					"apiVersion": apiVersion, "kind": kind.name, "metadata.name": "everything", "metadata.namespace": namespace, "metadata.generation": "1",
					"metadata.labels": `{"team":"web"}`, "metadata.annotations": `{"example.com/note":"as written"}`,
					"spec": sortedKeys(t, strings.NewReplacer(words...).Replace(spec)), "status.selected": "0", "status.resources": "[]",
				} {
					if text := got.get(path); text != want {
						t.Errorf("%s is\n%s, want\n%s", path, text, want)
					}
				}
				if got.header.Get("ETag") != `"`+created.get("object.metadata.resourceVersion")+`"` || created.header.Get("ETag") != got.header.Get("ETag") || got.get("metadata.uid") == "" || got.get("metadata.creationTimestamp") == "" {
					t.Errorf("answered %v %s", got.header, got.body)
				}
				again := p.want(p.ask(kind.token, "PUT", kind.path+"/everything", string(got.body)), 200)
				if again.get("object.metadata.resourceVersion") != got.get("metadata.resourceVersion") || again.get("object.metadata.generation") != "1" || again.get("object.spec") != got.get("spec") {
					t.Errorf("sent back: %s", again.body)
				}
				applied := p.want(p.ask(kind.token, "POST", "/api/v1/apply?namespace=acme", string(got.body)), 200)
				if applied.get("items.0.result") != "unchanged" || applied.get("items.0.object.kind") != kind.name {
					t.Errorf("applied: %s", applied.body)
				}
				p.want(p.ask(kind.token, "DELETE", kind.path+"/everything", ""), 200)
				p.want(p.ask(kind.token, "GET", kind.path+"/everything", ""), 404)
			})
		}
	}
}

// sortedKeys is the JSON with its keys sorted, as answer.get gives it.
func sortedKeys(t *testing.T, text string) string {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return jsonText(t, v)
}

const splitPolicy = "apiVersion: " + ackOne + "\nkind: PropagationPolicy\nmetadata: {name: web}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n  placement: {}\n"

func TestPoliciesOverHTTP(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	created := p.want(p.ask(editor, "POST", policies, splitPolicy), 201)
	version := created.get("object.metadata.resourceVersion")
	changed := strings.Replace(splitPolicy, "placement: {}", "placement: {}\n  priority: 5", 1)
	relabelled := strings.Replace(splitPolicy, "{name: web}", "{name: web, labels: {a: b}}", 1)
	other := "apiVersion: " + karmada + "\nkind: PropagationPolicy\nspec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}\n"
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     map[string]string
	}{
		{"the name is taken", "POST", policies, splitPolicy, nil, 409, map[string]string{"errors.0.code": "already_exists", "errors.0.field": "metadata.name", "errors.0.value": "web"}},
		{"a dry run of a new one", "POST", policies + "?dryRun=All", strings.Replace(splitPolicy, "name: web", "name: dry", 1), nil, 200, map[string]string{"object.metadata.name": "dry", "object.metadata.generation": "1"}},
		{"stored nothing", "GET", policies + "/dry", "", nil, 404, nil},
		{"a stale version", "PUT", policies + "/web", changed, []string{`If-Match: "0"`}, 412, map[string]string{"errors.0.code": "stale"}},
		{"a stale version in the body", "PUT", policies + "/web", strings.Replace(changed, "{name: web}", `{name: web, resourceVersion: "0"}`, 1), nil, 412, map[string]string{"errors.0.code": "stale"}},
		{"a dry run of a change", "PUT", policies + "/web?dryRun=All", changed, []string{`If-Match: "` + version + `"`}, 200, map[string]string{"object.spec.priority": "5", "object.metadata.generation": "2"}},
		{"changed nothing", "GET", policies + "/web", "", nil, 200, map[string]string{"spec.priority": "", "metadata.resourceVersion": version}},
		{"unchanged", "PUT", policies + "/web", splitPolicy, []string{"If-Match: " + version}, 200, map[string]string{"object.metadata.resourceVersion": version}},
		{"a name left out is the path's", "PUT", policies + "/web", strings.Replace(relabelled, "{name: web, ", "{", 1), []string{"If-Match: *"}, 200, map[string]string{"object.metadata.generation": "1", "object.metadata.labels": `{"a":"b"}`}},
		{"changed", "PUT", policies + "/web", changed, nil, 200, map[string]string{"object.metadata.generation": "2", "object.spec.priority": "5", "warnings": "[]"}},
		{"under the other API", "PUT", policies + "/web", strings.Replace(changed, ackOne, karmada, 1), nil, 200, map[string]string{"object.metadata.generation": "3", "object.apiVersion": karmada}},
		{"of the other kind", "PUT", policies + "/web", strings.Replace(splitPolicy, "kind: P", "kind: ClusterP", 1), nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "kind", "errors.0.suggestion": "PropagationPolicy", "errors.0.line": "2", "title": "Policy refused"}},
		{"of another name", "PUT", policies + "/web", strings.Replace(splitPolicy, "name: web", "name: api", 1), nil, 422, map[string]string{"errors.0.code": "name_mismatch", "errors.0.value": "api", "errors.0.suggestion": "web"}},
		{"one that is not there", "PUT", policies + "/nothing", splitPolicy, nil, 404, map[string]string{"errors.0.code": "not_found"}},
		{"a stale deletion", "DELETE", policies + "/web", "", []string{`If-Match: "` + version + `"`}, 412, nil},
		{"a dry run of deleting", "DELETE", policies + "/web?dryRun=All", "", nil, 200, map[string]string{"object.metadata.name": "web"}},
		{"another media type", "POST", policies, splitPolicy, []string{"Content-Type: text/plain"}, 415, map[string]string{"errors.0.code": "unsupported_media_type"}},
		{"two documents", "POST", policies, splitPolicy + "---\n" + splitPolicy, nil, 422, map[string]string{"errors.0.code": "too_many_documents", "errors.0.line": "8"}},
		{"too large", "POST", policies, splitPolicy + "# " + strings.Repeat("x", 1<<20), nil, 413, map[string]string{"errors.0.code": "body_too_large"}},
		{"no YAML", "POST", policies, "spec: [", []string{"Content-Type: application/yaml"}, 400, map[string]string{"errors.0.code": "invalid_yaml"}},
		{"no JSON", "POST", policies, `{"spec": `, nil, 400, map[string]string{"errors.0.code": "invalid_json"}},
		{"nothing", "POST", policies, "# nothing\n", nil, 422, map[string]string{"errors.0.code": "no_document"}},
		{"a method that there is not", "PATCH", policies + "/web", splitPolicy, nil, 405, map[string]string{"errors.0.code": "method_not_allowed"}},
		{"in a system namespace", "POST", "/api/v1/namespaces/kube-system/propagationpolicies", splitPolicy, nil, 404, nil},
		{"in JSON, without a name", "POST", policies, `{"apiVersion":"` + karmada + `","kind":"PropagationPolicy","spec":{"resourceSelectors":[{"apiVersion":"v1","kind":"ConfigMap"}],"placement":{}}}`, nil, 201, map[string]string{"object.spec.placement": "{}", "warnings": "[]"}},
		{"said to reach every cluster", "POST", policies + "?dryRun=All", other, nil, 200, map[string]string{"warnings.0.code": "all_clusters", "warnings.0.field": "spec.placement", "object.spec.placement": ""}},
		{"the list", "GET", policies + "?limit=1&q=web", "", nil, 200, map[string]string{"items.0.metadata.name": "web", "items.1": "", "items.0.status": "", "metadata.continue": ""}},
		{"the list by labels", "GET", policies + "?labelSelector=a%3Dc", "", nil, 200, map[string]string{"items": "[]"}},
		{"deleted", "DELETE", policies + "/web", "", nil, 200, map[string]string{"object.metadata.name": "web", "warnings": "[]"}},
		{"gone", "DELETE", policies + "/web", "", nil, 404, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(editor, tt.method, tt.path, tt.body, tt.headers...), tt.status)
			for path, want := range tt.want {
				if got := a.get(path); got != want {
					t.Errorf("%s is %q, want %q\nof %s", path, got, want, a.body)
				}
			}
		})
	}
}

// TestAPolicyWithoutANameGetsOne, each its own, with five letters; on a path with a name it takes that one.
func TestAPolicyWithoutANameGetsOne(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	unnamed := strings.Replace(splitPolicy, "metadata: {name: web}\n", "", 1)
	generated := regexp.MustCompile(`^policy-[a-z]{5}$`)
	var names []string
	for _, path := range []string{policies, policies, policies + "?dryRun=All"} {
		a := p.ask(editor, "POST", path, unnamed)
		names = append(names, a.get("object.metadata.name"))
	}
	a := p.want(p.ask(editor, "POST", "/api/v1/apply", unnamed+"---\n"+unnamed), 200)
	names = append(names, a.get("items.0.object.metadata.name"), a.get("items.1.object.metadata.name"))
	for _, name := range names {
		if !generated.MatchString(name) {
			t.Errorf("named %q", name)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 5 {
		t.Errorf("named %v", names)
	}
	if a := p.want(p.ask(editor, "GET", policies, ""), 200); strings.Count(string(a.body), `"name":"policy-`) != 4 {
		t.Errorf("stored %s", a.body)
	}
	entries := p.want(p.ask(operatorToken, "GET", "/api/v1/audit?limit=1", ""), 200)
	if name := entries.get("items.0.name"); !generated.MatchString(name) || entries.get("items.0.kind") != "PropagationPolicy" {
		t.Errorf("audited %s", entries.body)
	}
}

// TestWarningsOfAPolicyAreThoseOfThisMoment: given when it is written, and again as long as they are true.
func TestWarningsOfAPolicyAreThoseOfThisMoment(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "theirs", "tenants": ["globex"]}`)
	p.tenant("globex", "editor")
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "theirs", "tenants": ["globex"]}`), 201)
	text := strings.Replace(splitPolicy, "placement: {}", "placement: {clusterAffinity: {clusterNames: [mine, theirs]}}", 1)
	a := p.want(p.ask(editor, "POST", policies, text), 201)
	if !sameList(a.codes("warnings"), "cluster_unknown", "cluster_unknown") || a.get("warnings.1.field") != "spec.placement.clusterAffinity.clusterNames[1]" {
		t.Errorf("warned %s", a.body)
	}
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "mine", "tenants": ["acme"]}`), 201)
	a = p.want(p.ask(editor, "GET", policies+"/web", ""), 200)
	if a.get("status.warnings.0.code") != "cluster_unknown" || a.get("status.warnings.0.field") != "spec.placement.clusterAffinity.clusterNames[1]" || a.get("status.warnings.1") != "" {
		t.Errorf("still warned %s", a.body)
	}
	// A cluster-wide policy is an operator's: all clusters are known.
	wide := strings.Replace(text, "kind: P", "kind: ClusterP", 1)
	if a := p.want(p.ask(operatorToken, "POST", clusterPolicies, wide), 201); len(a.codes("warnings")) != 0 {
		t.Errorf("an operator is warned %s", a.body)
	}
}

// TestWhoMayReadAndWritePolicies: role by verb, for each kind.
func TestWhoMayReadAndWritePolicies(t *testing.T) {
	p := startAPI(t, storing())
	roles := []struct{ name, token string }{
		{"operator", operatorToken}, {"support", p.token("/api/v1/tokens", "support")}, {"editor", p.tenant("acme", "editor")},
		{"viewer", p.tenant("acme", "viewer")}, {"another tenant's editor", p.tenant("globex", "editor")}, {"nobody", ""},
	}
	wide := strings.Replace(splitPolicy, "kind: P", "kind: ClusterP", 1)
	verbs := []string{"GET list", "GET one", "POST", "PUT", "DELETE", "apply"}
	tests := []struct {
		path, body string
		want       map[string][]int // by role, in the order of the verbs
	}{
		{policies, splitPolicy, map[string][]int{
			"operator": {200, 200, 201, 200, 200, 200}, "support": {200, 200, 403, 403, 403, 403}, "editor": {200, 200, 201, 200, 200, 200},
			"viewer": {200, 200, 403, 403, 403, 403}, "another tenant's editor": {404, 404, 404, 404, 404, 422}, "nobody": {401, 401, 401, 401, 401, 401},
		}},
		{clusterPolicies, wide, map[string][]int{
			"operator": {200, 200, 201, 200, 200, 200}, "support": {200, 200, 403, 403, 403, 403}, "editor": {403, 403, 403, 403, 403, 403},
			"viewer": {403, 403, 403, 403, 403, 403}, "another tenant's editor": {403, 403, 403, 403, 403, 403}, "nobody": {401, 401, 401, 401, 401, 401},
		}},
	}
	for _, tt := range tests {
		for _, role := range roles {
			for i, verb := range verbs {
				p.ask(operatorToken, "DELETE", tt.path+"/web", "")
				if verb != "POST" {
					p.want(p.ask(operatorToken, "POST", tt.path, tt.body), 201)
				}
				method, path, body := verb, tt.path+"/web", tt.body
				switch verb {
				case "GET list":
					method, path, body = http.MethodGet, tt.path, ""
				case "GET one":
					method, body = http.MethodGet, ""
				case "POST":
					path = tt.path
				case "DELETE":
					body = ""
				case "apply":
					method, path = http.MethodPost, "/api/v1/apply?namespace=acme"
				}
				if a := p.ask(role.token, method, path, body); a.status != tt.want[role.name][i] {
					t.Errorf("%s of %s by %s: %d %s, want %d", verb, tt.path, role.name, a.status, a.body, tt.want[role.name][i])
				}
			}
		}
	}
}
