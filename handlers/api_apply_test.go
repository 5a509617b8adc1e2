package handlers_test

import (
	"os"
	"strings"
	"testing"
)

// ackOneExamples are the documents of ACK One's page: three policies, and what they select.
func ackOneExamples(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/ack-one-examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n---\n")
	if len(parts) != 5 {
		t.Fatalf("%d documents", len(parts))
	}
	return parts
}

// TestACKOnesExamplesAsTheyStand: the first two policies with the resources they select, in one stream. Weights 2 and 1
// over three replicas give two and one, the ConfigMap is on both clusters, and applied again nothing changes.
func TestACKOnesExamplesAsTheyStand(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("demo", "editor")
	p.node("n-1", "cluster-1", "", "")
	p.node("n-2", "cluster-2", "", "")
	examples := ackOneExamples(t)
	body := stream(examples[0], examples[1], examples[3], examples[4])
	a := p.want(p.ask(editor, "POST", "/api/v1/apply", body), 200)
	for path, want := range map[string]string{
		"items.0.object.apiVersion": ackOne, "items.0.object.metadata.name": "web-demo", "items.0.result": "created", "items.0.warnings": "[]",
		"items.1.object.metadata.name": "web-dynamic", "items.1.result": "created", "items.1.warnings.0.code": "cluster_unknown", "items.1.warnings.1": "",
		"items.1.object.spec.failover": `{"application":{"decisionConditions":{"tolerationSeconds":30},"purgeMode":"Immediately"}}`,
		"items.2.object.apiVersion":    "apps/v1", "items.2.object.metadata.namespace": "demo", "items.2.result": "created",
		"items.3.object.kind": "ConfigMap", "items.3.object.data": `{"greeting":"hello"}`, "items.4": "",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	p.settle()
	demo := "/api/v1/namespaces/demo/resources"
	placed := p.want(p.ask(editor, "GET", of(demo, "apps/v1", "Deployment", "web-demo"), ""), 200)
	for path, want := range map[string]string{
		"status.placement.state": "Placed", "status.placement.policy": `{"kind":"PropagationPolicy","name":"web-demo","namespace":"demo"}`,
		"status.placement.clusters.0.name": "cluster-1", "status.placement.clusters.0.desired": "2", "status.placement.clusters.0.placed": "2", "status.placement.clusters.0.weight": "2",
		"status.placement.clusters.1.name": "cluster-2", "status.placement.clusters.1.desired": "1", "status.placement.clusters.1.placed": "1", "status.placement.clusters.1.weight": "1",
		"status.placement.clusters.2": "", "status.placement.pending": "",
	} {
		if got := placed.get(path); got != want {
			t.Errorf("%s is %s, want %s\nof %s", path, got, want, placed.body)
		}
	}
	config := p.want(p.ask(editor, "GET", of(demo+"/placement", "v1", "ConfigMap", "cm-demo"), ""), 200)
	if config.get("state") != "Placed" || config.get("clusters.0.name") != "cluster-1" || config.get("clusters.1.name") != "cluster-2" || config.get("clusters.2") != "" || config.get("policy.name") != "web-demo" {
		t.Errorf("the ConfigMap is %s", config.body)
	}
	policy := p.want(p.ask(editor, "GET", "/api/v1/namespaces/demo/propagationpolicies/web-demo", ""), 200)
	if policy.get("status.selected") != "2" || policy.get("status.resources.0.kind") != "ConfigMap" || policy.get("status.resources.1.apiVersion") != "apps/v1" ||
		policy.get("status.resources.1.replicas") != "3" || policy.get("status.resources.1.placement.clusters.0.desired") != "2" {
		t.Errorf("the policy selects %s", policy.body)
	}
	a = p.want(p.ask(editor, "POST", "/api/v1/apply", body), 200)
	for i := range 4 {
		if result := a.get("items." + string(rune('0'+i)) + ".result"); result != "unchanged" {
			t.Errorf("applied again, document %d is %s", i, result)
		}
	}
}

// TestAnApplyOfAnyKindsIsAllOrNothing, with every fault of every document.
func TestAnApplyOfAnyKindsIsAllOrNothing(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	body := stream(strings.TrimSpace(manifest), strings.TrimSpace(splitPolicy), strings.TrimSpace(settings),
		"apiVersion: "+ackOne+"\nkind: OverridePolicy\nmetadata: {name: o}",
		"apiVersion: "+karmada+"\nkind: PropagationPolicy\nmetadata: {name: p}\nspec: {priority: high, preemption: never}",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: \"?\"}",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w, namespace: nowhere}\nspec: {replicas: -1}",
		strings.TrimSpace(splitPolicy), strings.TrimSpace(settings), strings.TrimSpace(manifest),
		"apiVersion: odysseus/v2\nkind: Deployment\nmetadata: {name: a}\nspec: {image: a}",
		"apiVersion: "+karmada+"\nkind: PropagationPolicy\nmetadata: {name: q, namespace: kube-system}\nspec: {}",
	)
	a := p.want(p.ask(editor, "POST", "/api/v1/apply", body), 422)
	want := []string{"required spec.resourceSelectors", "required spec.overrideRules", "wrong_type spec.priority", "value_not_accepted spec.preemption", "value_not_accepted data.a", "namespace_unknown metadata.namespace", "out_of_range spec.replicas",
		"value_repeated metadata.name", "value_repeated metadata.name", "value_repeated metadata.name", "kind_unsupported apiVersion", "namespace_unknown metadata.namespace"}
	var got []string
	faults, _ := a.json["errors"].([]any)
	for _, f := range faults {
		fault, _ := f.(map[string]any)
		got = append(got, fault["code"].(string)+" "+fault["field"].(string))
		if fault["line"] == nil {
			t.Errorf("without a line: %v", fault)
		}
	}
	if !sameList(got, want...) || a.get("title") != "Manifests refused" {
		t.Errorf("refused\n%s\nwant\n%s\nof %s", strings.Join(got, "\n"), strings.Join(want, "\n"), a.body)
	}
	for _, path := range []string{deployments, policies, resources} {
		if a := p.want(p.ask(editor, "GET", path, ""), 200); a.get("items") != "[]" {
			t.Errorf("stored %s", a.body)
		}
	}
	// One document that is another's to write, and nothing is written.
	wide := strings.Replace(splitPolicy, "kind: P", "kind: ClusterP", 1)
	for _, other := range []string{wide, fast} {
		p.want(p.ask(editor, "POST", "/api/v1/apply", stream(settings, other)), 403)
	}
	// A version of what is gone.
	for _, text := range []string{settings, splitPolicy, manifest} {
		stale := strings.Replace(strings.Replace(text, "metadata: {", `metadata: {resourceVersion: "5", `, 1), "metadata:\n", "metadata:\n  resourceVersion: \"5\"\n", 1)
		p.want(p.ask(editor, "POST", "/api/v1/apply", stale), 412)
	}
	if a := p.want(p.ask(editor, "GET", resources, ""), 200); a.get("items") != "[]" {
		t.Errorf("stored %s", a.body)
	}
	if a := p.want(p.ask(editor, "POST", "/api/v1/apply?dryRun=All", stream(manifest, splitPolicy, settings)), 200); a.get("items.2.result") != "created" {
		t.Errorf("dry run %s", a.body)
	}
	if a := p.want(p.ask(editor, "GET", policies, ""), 200); a.get("items") != "[]" {
		t.Errorf("a dry run stored %s", a.body)
	}
}

// TestWhatIsAppliedTogetherIsPlacedTogether: a Deployment of ours is never placed by default on its way to the policy
// that is applied beside it, wherever in the stream that stands.
func TestWhatIsAppliedTogetherIsPlacedTogether(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	first, second := p.node("n-1", "cluster-1", "", ""), p.node("n-2", "cluster-2", "", "")
	policy := "apiVersion: " + karmada + "\nkind: PropagationPolicy\nmetadata: {name: one}\nspec:\n  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}]\n  placement: {clusterAffinity: {clusterNames: [cluster-2]}}\n"
	wide := strings.Replace(strings.Replace(policy, "kind: P", "kind: ClusterP", 1), "cluster-2", "cluster-1", 1)
	was := p.want(p.ask(first, "GET", "/api/v1/agents/self/assignments", ""), 200)
	p.want(p.ask(operatorToken, "POST", "/api/v1/apply?namespace=acme", stream(manifest, wide, policy)), 200)
	p.settle()
	a := p.want(p.ask(editor, "GET", deployments+"/ledger-api/placement", ""), 200)
	if a.get("policy") != `{"kind":"PropagationPolicy","name":"one","namespace":"acme"}` || a.get("clusters.0.name") != "cluster-2" || a.get("clusters.0.placed") != "2" || a.get("clusters.1") != "" {
		t.Errorf("placed %s", a.body)
	}
	// A node's list gets a higher version with every change: the first node's never had one.
	is, other := p.want(p.ask(first, "GET", "/api/v1/agents/self/assignments", ""), 200), p.want(p.ask(second, "GET", "/api/v1/agents/self/assignments", ""), 200)
	if is.get("version") != was.get("version") || is.get("containers") != "[]" || other.get("containers.1.deployment") != "ledger-api" {
		t.Errorf("on the way %s, before %s, now %s", is.body, was.body, other.body)
	}
}

// TestReschedule raises the generation and nothing else.
func TestReschedule(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.node("n-1", "cluster-1", "", "")
	version := p.want(p.ask(editor, "POST", deployments, manifest), 201).get("object.metadata.resourceVersion")
	at := deployments + "/ledger-api/reschedule"
	tests := []struct {
		name, token, path string
		headers           []string
		status            int
		generation        string
	}{
		{"a dry run", editor, at + "?dryRun=All", nil, 200, "2"},
		{"another version", editor, at, []string{`If-Match: "0"`}, 412, ""},
		{"for real", editor, at, []string{`If-Match: "` + version + `"`}, 200, "2"},
		{"once more", operatorToken, at, nil, 200, "3"},
		{"a viewer", p.tenant("acme", "viewer"), at, nil, 403, ""},
		{"support", p.token("/api/v1/tokens", "support"), at, nil, 403, ""},
		{"another tenant", p.tenant("globex", "editor"), at, nil, 404, ""},
		{"of nothing", editor, deployments + "/nothing/reschedule", nil, 404, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(tt.token, "POST", tt.path, "", tt.headers...), tt.status)
			if a.get("object.metadata.generation") != tt.generation {
				t.Errorf("answered %s", a.body)
			}
			if tt.status == 200 && (a.get("object.metadata.resourceVersion") != version || a.get("object.status.revision") != "1") {
				t.Errorf("more than the generation changed: %s", a.body)
			}
		})
	}
	p.settle()
	a := p.want(p.ask(editor, "GET", deployments+"/ledger-api", ""), 200)
	if a.get("metadata.generation") != "3" || a.get("status.observedGeneration") != "3" || a.get("status.state") != "Placed" {
		t.Errorf("afterwards %s", a.body)
	}
	if events := p.want(p.ask(editor, "GET", deployments+"/ledger-api/events", ""), 200); strings.Count(string(events.body), `"reason":"Rescheduled"`) != 1 || !strings.Contains(string(events.body), `"count":2`) {
		t.Errorf("events %s", events.body)
	}
}
