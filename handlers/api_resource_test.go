package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	resources        = "/api/v1/namespaces/acme/resources"
	clusterResources = "/api/v1/resources"

	settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: {app: web}}\ndata: {a: b}\n"
	webApp   = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, template: {spec: {containers: [{name: web, image: nginx}]}}}\n"
	fast     = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: example.com/disk\n"
	widgets  = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: example.com, scope: Cluster, names: {kind: Widget, plural: widgets}}\n"
	widget   = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 9007199254740993}\n"
)

// of is the path of one resource.
func of(path, apiVersion, kind, name string) string {
	return path + "?" + url.Values{"apiVersion": {apiVersion}, "kind": {kind}, "name": {name}}.Encode()
}

func TestResourcesOverHTTP(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	created := p.want(p.ask(editor, "POST", resources, settings), 201)
	version := created.get("object.metadata.resourceVersion")
	p.want(p.ask(editor, "POST", resources, webApp), 201)
	p.settle()
	cm := of(resources, "v1", "ConfigMap", "settings")
	web := of(resources, "apps/v1", "Deployment", "web")
	changed := strings.Replace(settings, "{a: b}", "{a: c}", 1)
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     map[string]string
	}{
		{"one", "GET", cm, "", nil, 200, map[string]string{"metadata.name": "settings", "metadata.namespace": "acme", "metadata.resourceVersion": version, "metadata.generation": "1", "data": `{"a":"b"}`,
			"metadata.labels": `{"app":"web"}`, "status.placement.state": "Waiting", "status.placement.policy": ""}},
		{"its placement", "GET", of(resources+"/placement", "apps/v1", "Deployment", "web"), "", nil, 200, map[string]string{"state": "Waiting", "policy": "", "clusters": "[]", "pending.replicas": "3", "pending.reasons.0.code": "no_policy"}},
		{"the list, by kind, name and apiVersion", "GET", resources, "", nil, 200, map[string]string{"items.0.kind": "ConfigMap", "items.1.kind": "Deployment", "items.2": "", "items.1.status.placement.state": "Waiting"}},
		{"of one kind", "GET", resources + "?kind=Deployment&apiVersion=apps/v1", "", nil, 200, map[string]string{"items.0.metadata.name": "web", "items.1": ""}},
		{"by a label", "GET", resources + "?labelSelector=app%3Dweb", "", nil, 200, map[string]string{"items.0.metadata.name": "settings", "items.1": ""}},
		{"in pages", "GET", resources + "?limit=1", "", nil, 200, map[string]string{"items.1": ""}},
		{"of a name alone", "GET", resources + "?name=settings", "", nil, 422, map[string]string{"errors.0.code": "required", "errors.0.field": "apiVersion", "errors.1.field": "kind", "errors.2": ""}},
		{"one that is not there", "GET", of(resources, "v1", "ConfigMap", "other"), "", nil, 404, nil},
		{"one of another version", "GET", of(resources, "v2", "ConfigMap", "settings"), "", nil, 404, nil},
		{"a placement that is not there", "GET", of(resources+"/placement", "v1", "ConfigMap", "other"), "", nil, 404, nil},
		{"the name is taken", "POST", resources, settings, nil, 409, map[string]string{"errors.0.code": "already_exists", "errors.0.value": "settings"}},
		{"a dry run", "POST", resources + "?dryRun=All", strings.Replace(settings, "name: settings", "name: dry", 1), nil, 200, map[string]string{"object.metadata.name": "dry", "object.metadata.generation": "1", "object.metadata.resourceVersion": ""}},
		{"stored nothing", "GET", of(resources, "v1", "ConfigMap", "dry"), "", nil, 404, nil},
		{"unchanged", "PUT", cm, settings, []string{`If-Match: "` + version + `"`}, 200, map[string]string{"object.metadata.resourceVersion": version}},
		{"in another order", "PUT", cm, "data: {a: b}\nmetadata: {namespace: acme, labels: {app: web}, name: settings}\nkind: ConfigMap\napiVersion: v1\n", nil, 200, map[string]string{"object.metadata.resourceVersion": version}},
		{"stale", "PUT", cm, changed, []string{`If-Match: "1"`}, 412, map[string]string{"errors.0.code": "stale"}},
		{"stale in the body", "PUT", cm, strings.Replace(changed, "{name", `{resourceVersion: "1", name`, 1), nil, 412, map[string]string{"errors.0.code": "stale"}},
		{"a dry run of a change", "PUT", cm + "&dryRun=All", changed, nil, 200, map[string]string{"object.data": `{"a":"c"}`, "object.metadata.generation": "2"}},
		{"changed nothing", "GET", cm, "", nil, 200, map[string]string{"data": `{"a":"b"}`}},
		{"changed", "PUT", cm, changed, nil, 200, map[string]string{"object.data": `{"a":"c"}`, "object.metadata.generation": "2", "warnings": "[]"}},
		{"relabelled", "PUT", cm, strings.Replace(changed, "app: web", "app: api", 1), nil, 200, map[string]string{"object.metadata.labels": `{"app":"api"}`, "object.metadata.generation": "2"}},
		{"at the address of another", "PUT", web, settings, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "apiVersion", "errors.0.suggestion": "apps/v1", "errors.1.field": "kind", "errors.1.value": "ConfigMap",
			"errors.2.code": "name_mismatch", "errors.2.suggestion": "web", "errors.3": "", "title": "Resource refused"}},
		{"without an address", "PUT", resources, settings, nil, 422, map[string]string{"errors.0.code": "required", "errors.2.field": "name"}},
		{"deleting without an address", "DELETE", resources, "", nil, 422, map[string]string{"errors.0.code": "required"}},
		{"a count that is none", "POST", resources, strings.Replace(webApp, "replicas: 3", "replicas: -3", 1), nil, 422, map[string]string{"errors.0.code": "out_of_range", "errors.0.field": "spec.replicas", "errors.0.value": "-3"}},
		{"a residency label", "POST", resources, strings.Replace(settings, "app: web", "odysseus.io/data-residency-country: CA", 1), nil, 422, map[string]string{"errors.0.code": "residency_label_handwritten", "errors.0.value": "CA", "errors.0.suggestion": "", "errors.0.fix": "", "errors.1": ""}},
		{"a residency label of its pods", "POST", resources, labelledPods, nil, 422, map[string]string{"errors.0.code": "residency_label_handwritten", "errors.0.field": "spec.template.metadata.labels[odysseus.io/blocked-countries]", "errors.0.value": "US", "errors.0.line": "4", "errors.0.fix": "", "errors.1": ""}},
		{"the same, applied", "POST", "/api/v1/apply?namespace=acme", labelledPods, nil, 422, map[string]string{"errors.0.code": "residency_label_handwritten", "errors.0.field": "spec.template.metadata.labels[odysseus.io/blocked-countries]", "errors.1": ""}},
		{"another namespace", "POST", resources, strings.Replace(settings, "{name: settings", "{namespace: nowhere, name: x", 1), nil, 422, map[string]string{"errors.0.code": "namespace_unknown", "errors.0.value": "nowhere"}},
		{"a version that is a number", "POST", resources, strings.Replace(settings, "{name: settings", "{resourceVersion: 1, name: x", 1), nil, 422, map[string]string{"errors.0.code": "wrong_type", "errors.0.field": "metadata.resourceVersion"}},
		{"two documents", "POST", resources, settings + "---\n" + settings, nil, 422, map[string]string{"errors.0.code": "too_many_documents"}},
		{"another media type", "POST", resources, settings, []string{"Content-Type: text/yaml"}, 415, nil},
		{"a Deployment of ours", "POST", resources, manifest, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "kind", "errors.0.value": "Deployment", "errors.0.suggestion": "/api/v1/namespaces/acme/deployments", "errors.0.line": "2", "errors.1": ""}},
		{"a policy", "POST", resources, splitPolicy, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.value": "PropagationPolicy", "errors.0.suggestion": "/api/v1/namespaces/acme/propagationpolicies"}},
		{"a cluster-wide policy", "POST", resources, strings.Replace(splitPolicy, "kind: P", "kind: ClusterP", 1), nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.suggestion": "/api/v1/clusterpropagationpolicies"}},
		{"a fleet", "POST", resources, "apiVersion: odysseus/v1\nkind: Fleet\nmetadata: {name: f}\n", nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.suggestion": "/api/v1/namespaces/acme/scheduler/simulate"}},
		{"an override", "POST", resources, "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: o}\n", nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.value": "OverridePolicy", "errors.0.suggestion": "/api/v1/namespaces/acme/overridepolicies"}},
		{"a cluster-wide override", "POST", resources, "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {name: o}\n", nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.suggestion": "/api/v1/clusteroverridepolicies"}},
		{"a policy of no kind of ours", "POST", resources, "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolcy\nmetadata: {name: o}\n", nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.suggestion": "OverridePolicy", "errors.0.accepted": "one of PropagationPolicy, ClusterPropagationPolicy, OverridePolicy, ClusterOverridePolicy"}},
		{"a near miss of our group", "POST", resources, misspelt, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "apiVersion", "errors.0.value": "odyseus/v1", "errors.0.suggestion": "odysseus/v1", "errors.1": ""}},
		{"the same, applied", "POST", "/api/v1/apply?namespace=acme", misspelt, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.suggestion": "odysseus/v1", "errors.1": ""}},
		{"a policy of another group, applied", "POST", "/api/v1/apply?namespace=acme", "apiVersion: apps/v1\nkind: PropagationPolicy\nmetadata: {name: p}\n", nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "apiVersion", "errors.0.suggestion": "", "errors.1": ""}},
		{"a policy's misspelt group", "POST", resources, "apiVersion: policy.one.alibabacloud.con/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p}\n", nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.suggestion": "policy.one.alibabacloud.com/v1alpha1", "errors.1": ""}},
		{"a kind that is nearly built in", "POST", resources + "?dryRun=All", "apiVersion: app/v1\nkind: Deploymnt\nmetadata: {name: d}\n", nil, 200, map[string]string{"warnings.0.code": "kind_unusual", "warnings.0.field": "apiVersion", "warnings.0.message": "app/v1 is no kind or apiVersion of Kubernetes: if apps/v1 is meant, write that", "warnings.1.field": "kind", "warnings.2": ""}},
		{"the same, applied", "POST", "/api/v1/apply?namespace=acme&dryRun=All", "apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: d}\n", nil, 200, map[string]string{"items.0.warnings.0.code": "kind_unusual", "items.0.warnings.0.field": "kind", "items.0.warnings.1": ""}},
		{"a cluster-scoped kind", "POST", resources, fast, nil, 422, map[string]string{"errors.0.code": "kind_unsupported", "errors.0.field": "kind", "errors.0.value": "StorageClass"}},
		{"any kind that is not built in", "POST", resources, widget, nil, 201, map[string]string{"object.spec": `{"size":9007199254740993}`, "object.metadata.namespace": "acme"}},
		{"a stale deletion", "DELETE", cm, "", []string{"If-Match: 1"}, 412, nil},
		{"a dry run of deleting", "DELETE", cm + "&dryRun=All", "", nil, 200, nil},
		{"deleted", "DELETE", cm, "", nil, 200, map[string]string{"object.metadata.name": "settings", "object.data": `{"a":"c"}`}},
		{"gone", "DELETE", cm, "", nil, 404, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(editor, tt.method, tt.path, tt.body, tt.headers...), tt.status)
			for path, want := range tt.want {
				if got := a.get(path); got != want {
					t.Errorf("%s is %q, want %q\nof %s", path, got, want, a.body)
				}
			}
			if tt.status == 200 && tt.method == http.MethodGet && strings.Contains(tt.path, "name=") && !strings.Contains(tt.path, "placement") && a.header.Get("ETag") != `"`+a.get("metadata.resourceVersion")+`"` {
				t.Errorf("tagged %q", a.header.Get("ETag"))
			}
		})
	}
}

const misspelt = "apiVersion: odyseus/v1\nkind: Deployment\nmetadata: {name: ledger}\nspec: {image: nginx, placement: {residency: {country: CA}}}\n"

const labelledPods = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: labelled}\nspec: {template: {metadata: {labels: {odysseus.io/blocked-countries: US}}}}\n"

// TestAResourceComesBackAsItWasWritten: written as YAML, read as JSON, sent back: unchanged, whatever the kind.
func TestAResourceComesBackAsItWasWritten(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	for _, c := range []struct{ path, token, apiVersion, kind, name, text, field, want string }{
		{resources, editor, "v1", "ConfigMap", "settings", settings + "binaryData: {b: aGk=}\nimmutable: true\n", "binaryData", `{"b":"aGk="}`},
		{resources, editor, "apps/v1", "Deployment", "web", webApp, "spec.template", `{"spec":{"containers":[{"image":"nginx","name":"web"}]}}`},
		{resources, editor, "batch/v1", "Job", "sum", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum, annotations: {a: b}}\nspec: {parallelism: 2, completions: 4, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\nstatus: {active: 1}\n", "metadata.annotations", `{"a":"b"}`},
		{resources, editor, "example.com/v1", "Thing", "t", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t, uid: theirs, resourceVersion: \"\"}\nspec: {deep: [1.50, null, {no: \"NO\"}]}\n", "spec", `{"deep":[1.50,null,{"no":"NO"}]}`},
		{clusterResources, operatorToken, "storage.k8s.io/v1", "StorageClass", "fast", fast, "provisioner", "example.com/disk"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			created := p.want(p.ask(c.token, "POST", c.path, c.text), 201)
			at := of(c.path, c.apiVersion, c.kind, c.name)
			got := p.want(p.ask(c.token, "GET", at, ""), 200)
			if got.get(c.field) != c.want || got.get("metadata.uid") == "theirs" || got.get("metadata.uid") == "" || got.get("metadata.creationTimestamp") == "" || got.get("apiVersion") != c.apiVersion || got.get("status.placement.state") != "Waiting" {
				t.Errorf("answered %s", got.body)
			}
			again := p.want(p.ask(c.token, "PUT", at, string(got.body)), 200)
			applied := p.want(p.ask(c.token, "POST", "/api/v1/apply?namespace=acme", string(got.body)), 200)
			if again.get("object.metadata.resourceVersion") != created.get("object.metadata.resourceVersion") || applied.get("items.0.result") != "unchanged" || applied.get("items.0.object.metadata.uid") != got.get("metadata.uid") {
				t.Errorf("sent back %s\napplied %s", again.body, applied.body)
			}
		})
	}
}

// TestWhoMayReadAndWriteResources: role by verb, for those of a namespace and cluster-scoped ones.
func TestWhoMayReadAndWriteResources(t *testing.T) {
	p := startAPI(t, storing())
	roles := []struct{ name, token string }{
		{"operator", operatorToken}, {"support", p.token("/api/v1/tokens", "support")}, {"editor", p.tenant("acme", "editor")},
		{"viewer", p.tenant("acme", "viewer")}, {"another tenant's editor", p.tenant("globex", "editor")}, {"nobody", ""},
	}
	verbs := []string{"GET list", "GET one", "GET placement", "POST", "PUT", "DELETE", "apply"}
	tests := []struct {
		path, apiVersion, kind, name, body string
		want                               map[string][]int // by role, in the order of the verbs
	}{
		{resources, "v1", "ConfigMap", "settings", settings, map[string][]int{
			"operator": {200, 200, 200, 201, 200, 200, 200}, "support": {200, 200, 200, 403, 403, 403, 403}, "editor": {200, 200, 200, 201, 200, 200, 200},
			"viewer": {200, 200, 200, 403, 403, 403, 403}, "another tenant's editor": {404, 404, 404, 404, 404, 404, 422}, "nobody": {401, 401, 401, 401, 401, 401, 401},
		}},
		{clusterResources, "storage.k8s.io/v1", "StorageClass", "fast", fast, map[string][]int{
			"operator": {200, 200, 200, 201, 200, 200, 200}, "support": {200, 200, 200, 403, 403, 403, 403}, "editor": {403, 403, 403, 403, 403, 403, 403},
			"viewer": {403, 403, 403, 403, 403, 403, 403}, "another tenant's editor": {403, 403, 403, 403, 403, 403, 403}, "nobody": {401, 401, 401, 401, 401, 401, 401},
		}},
	}
	for _, tt := range tests {
		one := of(tt.path, tt.apiVersion, tt.kind, tt.name)
		for _, role := range roles {
			for i, verb := range verbs {
				p.ask(operatorToken, "DELETE", one, "")
				if verb != "POST" {
					p.want(p.ask(operatorToken, "POST", tt.path, tt.body), 201)
				}
				method, path, body := verb, one, tt.body
				switch verb {
				case "GET list":
					method, path, body = http.MethodGet, tt.path, ""
				case "GET one":
					method, body = http.MethodGet, ""
				case "GET placement":
					method, path, body = http.MethodGet, of(tt.path+"/placement", tt.apiVersion, tt.kind, tt.name), ""
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

// TestAKnownDefinitionSaysTheScopeOfItsKind, stored before or written before in the same stream.
func TestAKnownDefinitionSaysTheScopeOfItsKind(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	a := p.want(p.ask(operatorToken, "POST", "/api/v1/apply", widgets+"---\n"+widget), 200)
	if a.get("items.1.object.kind") != "Widget" || a.get("items.1.object.metadata.namespace") != "" {
		t.Errorf("applied %s", a.body)
	}
	if a := p.want(p.ask(editor, "POST", resources, widget), 422); a.get("errors.0.code") != "kind_unsupported" || a.get("errors.0.field") != "kind" || a.get("errors.0.value") != "Widget" {
		t.Errorf("refused %s", a.body)
	}
	p.want(p.ask(operatorToken, "GET", of(clusterResources, "example.com/v1", "Widget", "w"), ""), 200)
	if a := p.want(p.ask(operatorToken, "POST", clusterResources, settings), 422); a.get("errors.0.code") != "kind_unsupported" || a.get("errors.0.value") != "ConfigMap" {
		t.Errorf("a ConfigMap without a namespace: %s", a.body)
	}
	if a := p.want(p.ask(operatorToken, "POST", "/api/v1/apply", strings.Replace(widget, "{name: w}", "{name: w, namespace: acme}", 1)), 422); a.get("errors.0.code") != "field_conflict" || a.get("errors.0.field") != "metadata.namespace" {
		t.Errorf("a cluster-scoped one with a namespace: %s", a.body)
	}
	// A definition that comes too late says nothing of what stands before it.
	p.want(p.ask(operatorToken, "DELETE", of(clusterResources, "example.com/v1", "Widget", "w"), ""), 200)
	p.want(p.ask(operatorToken, "DELETE", of(clusterResources, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com"), ""), 200)
	if a := p.want(p.ask(operatorToken, "POST", "/api/v1/apply", widget+"---\n"+widgets), 422); a.get("errors.0.code") != "required" || a.get("errors.0.field") != "metadata.namespace" {
		t.Errorf("too late: %s", a.body)
	}
}
