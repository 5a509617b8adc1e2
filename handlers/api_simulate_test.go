package handlers_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
)

const (
	twoClusters = "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a, countries: [CA], available: 6}, {name: b, countries: [DE, FR]}]}"
	webWorkload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, template: {metadata: {labels: {z: 1.10}}}}"
	ledger      = "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  image: nginx\n  replicas: 3\n"
)

// policyOn selects every resource of some kinds; placement is flow YAML.
func policyOn(placement string) string {
	return "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: odysseus/v1, kind: Deployment}, {apiVersion: batch/v1, kind: Job}, {apiVersion: v1, kind: ConfigMap}]\n" +
		"  placement: " + placement + "\n"
}

const evenly = "{replicaScheduling: {replicaSchedulingType: Divided}}"

func TestSimulateACKOnesExample(t *testing.T) {
	p := startAPI(t, storing())
	token := p.tenant("demo", "editor")
	text, err := os.ReadFile("../fleet/testdata/ack-one-policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	example := strings.Split(string(text), "\n---\n")[0]
	clusters := "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: cluster-1}, {name: cluster-2}, {name: cluster-3}]}"
	a := p.want(p.ask(token, "POST", simulatePath, stream(clusters, example, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-demo}\nspec: {replicas: 3}")), 200)
	if got := a.divided(t); !maps.Equal(got, map[string]int64{"cluster-1": 2, "cluster-2": 1}) {
		t.Errorf("divided %v", got)
	}
	for path, want := range map[string]string{
		"workload":               `{"apiVersion":"apps/v1","kind":"Deployment","name":"web-demo","namespace":"demo"}`,
		"placement.state":        "Placed",
		"placement.policy":       `{"kind":"PropagationPolicy","name":"web-demo","namespace":"demo"}`,
		"placement.clusters":     `[{"available":3,"desired":2,"name":"cluster-1","placed":0,"ready":0,"weight":2},{"available":3,"desired":1,"name":"cluster-2","placed":0,"ready":0,"weight":1}]`,
		"placement.pending":      "",
		"rendered.0.cluster":     "cluster-1",
		"rendered.0.object.spec": `{"replicas":2}`,
		"rendered.1.object.spec": `{"replicas":1}`,
		"rendered.1.applied":     "[]",
		"rendered.1.error":       "",
		"warnings":               "[]",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	a = p.want(p.ask(token, "POST", simulatePath, stream(clusters, example, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm-demo}\ndata: {a: b}")), 200)
	if got := a.divided(t); !maps.Equal(got, map[string]int64{"cluster-1": 1, "cluster-2": 1}) || a.get("rendered.1.object.data") != `{"a":"b"}` {
		t.Errorf("of the ConfigMap: %s", a.body)
	}
}

func TestSimulateAnswers(t *testing.T) {
	p := startAPI(t, enforcing())
	token := p.tenant("demo", "viewer")
	p.node("n-ca", "real", "CA", "")
	resident := func(text string) string { return ledger + "  placement: {residency: {" + text + "}}\n" }
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum}\nspec: {parallelism: 3, completions: 6}"
	tests := []struct {
		name, body string
		divided    map[string]int64
		want       map[string]string
	}{
		{"a residency takes a cluster out of a split", stream(twoClusters, policyOn(evenly), resident("country: CA")), map[string]int64{"a": 3},
			map[string]string{"placement.state": "Placed", "placement.clusters.0.weight": "1", "placement.clusters.1": "", "placement.excluded.0.name": "b", "placement.excluded.0.code": "geo_mismatch",
				"placement.excluded.0.message": "requires country CA; nodes report DE, FR", "placement.excluded.0.reported.countries": `["DE","FR"]`, "warnings": "[]"}},
		{"a region does the same", stream(twoClusters, policyOn(evenly), resident("region: eu-core")), map[string]int64{"b": 3}, map[string]string{"placement.excluded.0.name": "a"}},
		{"nothing inside", stream(twoClusters, policyOn(evenly), resident("country: JP")), map[string]int64{},
			map[string]string{"placement.state": "Pending", "placement.pending.replicas": "3", "placement.pending.reasons.0.code": "geo_mismatch", "placement.pending.reasons.1": "",
				"placement.pending.reasons.0.reported.countries": `["CA","DE","FR"]`, "rendered": "[]", "warnings.0.code": "no_matching_node", "warnings.0.advertised.countries": `["CA","DE","FR"]`}},
		{"a cluster of no country shows that it is outside nothing", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a}]}", resident("blockedCountries: [US]")), map[string]int64{},
			map[string]string{"placement.pending.reasons.0.message": "requires a country other than US; nodes report neither country nor region"}},
		{"without a policy by room on all", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a, available: 2}, {name: b, available: 4}]}", ledger), map[string]int64{"a": 1, "b": 2},
			map[string]string{"placement.state": "Placed", "placement.policy": "", "placement.clusters.0.weight": "", "placement.clusters.0.available": "2", "placement.clusters.1.available": "3"}},
		{"other kinds wait for one", stream(twoClusters, webWorkload), map[string]int64{},
			map[string]string{"placement.state": "Waiting", "placement.clusters": "[]", "placement.pending.reasons.0.code": "no_policy", "placement.pending.replicas": "3", "rendered": "[]"}},
		{"the policy waits for its overrides", stream(twoClusters, policyOn("{}")+"  dependentOverrides: [o]\n", webWorkload), map[string]int64{},
			map[string]string{"placement.state": "Waiting", "placement.policy.name": "p", "placement.pending.reasons.0.code": "waiting_for_override_policy", "placement.pending.reasons.1": ""}},
		{"no cluster is selected", stream(twoClusters, policyOn("{clusterAffinity: {clusterNames: [c]}}"), webWorkload), map[string]int64{},
			map[string]string{"placement.state": "Pending", "placement.pending.reasons.0.code": "no_cluster_selected", "placement.pending.reasons.1": "", "warnings.0.code": "cluster_unknown"}},
		{"a fleet without clusters", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: []}", ledger), map[string]int64{},
			map[string]string{"placement.state": "Pending", "placement.pending.reasons.0.code": "no_reachable_node"}},
		{"what the clusters cannot take is pending", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a, available: 1}, {name: b, available: 1}]}", ledger), map[string]int64{"a": 1, "b": 1},
			map[string]string{"placement.state": "PartlyPlaced", "placement.pending.replicas": "1", "placement.pending.reasons.0.code": "capacity"}},
		{"static weights heed no capacity", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a, available: 0}]}", policyOn(evenly), webWorkload), map[string]int64{"a": 3},
			map[string]string{"placement.state": "Pending", "placement.pending.replicas": "3", "placement.pending.reasons.0.code": "capacity"}},
		{"a gang has room for all or none", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a, available: 1}, {name: b, available: 1}]}",
			"apiVersion: one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p}\nspec:\n  resourceSelectors: [{apiVersion: batch/v1, kind: Job}]\n"+
				"  placement: {replicaScheduling: {customSchedulingType: Gang, weightPreference: {dynamicWeight: AvailableReplicas}}}", job), map[string]int64{},
			map[string]string{"placement.state": "Pending", "placement.pending.reasons.0.code": "gang", "placement.pending.reasons.1": ""}},
		{"a Job's completions go with its parallelism", stream(twoClusters, policyOn("{replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [a]}, weight: 2}, {targetCluster: {clusterNames: [b]}, weight: 1}]}}}"), job),
			map[string]int64{"a": 2, "b": 1}, map[string]string{"rendered.0.object.spec": `{"completions":4,"parallelism":2}`, "rendered.1.object.spec": `{"completions":2,"parallelism":1}`}},
		{"duplicated is written as it stands", stream(twoClusters, policyOn("{}"), webWorkload), map[string]int64{"a": 3, "b": 3},
			map[string]string{"rendered.1.object": `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"demo"},"spec":{"replicas":3,"template":{"metadata":{"labels":{"z":1.10}}}}}`}},
		{"replicas of clusters that are gone are lost", stream("apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: a}], previous: {z: 2, a: 1}}", ledger), map[string]int64{"a": 3}, map[string]string{"placement.state": "Placed"}},
		{"the real members, where no Fleet stands in", ledger, map[string]int64{"real": 3}, map[string]string{"placement.state": "Placed", "placement.clusters.0.available": "3"}},
		{"what the real members can still take", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {image: nginx, replicas: 9, resources: {requests: {cpu: 2}}}", map[string]int64{"real": 4},
			map[string]string{"placement.state": "PartlyPlaced", "placement.pending.replicas": "5", "placement.clusters.0.available": "4"}},
		{"of a pod template too", stream(policyOn("{replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}"),
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9, template: {spec: {containers: [{name: a, image: x, resources: {requests: {cpu: 1500m}}}, {name: b, image: x, resources: {limits: {cpu: 1}}}]}}}"),
			map[string]int64{"real": 3}, map[string]string{"placement.pending.replicas": "6"}},
		{"cluster-scoped, by a cluster's policy", stream(twoClusters, "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: c}\nspec: {resourceSelectors: [{apiVersion: storage.k8s.io/v1, kind: StorageClass}]}",
			"apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: none"), map[string]int64{"a": 1, "b": 1},
			map[string]string{"workload": `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","name":"fast"}`, "placement.policy": `{"kind":"ClusterPropagationPolicy","name":"c"}`, "warnings.0.code": "all_clusters"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(token, "POST", simulatePath, tt.body), 200)
			if got := a.divided(t); !maps.Equal(got, tt.divided) {
				t.Errorf("divided %v, want %v", got, tt.divided)
			}
			for path, want := range tt.want {
				if got := a.get(path); got != want {
					t.Errorf("%s is %s, want %s\nof %s", path, got, want, a.body)
				}
			}
		})
	}
	if a := p.want(p.ask(operatorToken, "GET", "/api/v1/namespaces/demo/deployments", ""), 200); a.get("items") != "[]" {
		t.Errorf("stored %s", a.body)
	}
	if a := p.want(p.ask(operatorToken, "POST", simulatePath, stream(twoClusters, ledger)), 200); a.get("placement.clusters.0.available") != "6" {
		t.Errorf("an operator is told %s", a.body)
	}
}

func TestSimulateRefuses(t *testing.T) {
	p := startAPI(t, enforcing())
	token := p.tenant("demo", "editor")
	made := func(spec string) string { return "apiVersion: odysseus/v1\nkind: Fleet\nspec:\n" + spec }
	tests := []struct {
		name, body string
		want       []string // code field value line:column
	}{
		{"nothing", "# nothing\n", []string{"no_document   0:0"}},
		{"no workload", twoClusters, []string{"no_document   0:0"}},
		{"two workloads", stream(ledger, webWorkload), []string{"too_many_documents  Deployment 9:1"}},
		{"two fleets", stream(twoClusters, twoClusters, ledger), []string{"too_many_documents  Fleet 5:1"}},
		{"an override policy", stream(ledger, "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: o}"), []string{"required spec.resourceSelectors  9:1", "required spec.overrideRules  9:1"}},
		{"another kind of policy", stream(ledger, "apiVersion: policy.karmada.io/v1alpha1\nkind: FederatedResourceQuota\nmetadata: {name: o}"), []string{"kind_unsupported kind FederatedResourceQuota 10:7"}},
		{"one policy twice", stream(policyOn("{}"), policyOn("{}"), ledger), []string{"value_repeated metadata.name p 11:18"}},
		{"a policy of a namespace that is not there", stream(strings.Replace(policyOn("{}"), "name: p", "name: p, namespace: other", 1), ledger), []string{"namespace_unknown metadata.namespace other 3:32"}},
		{"a workload of one", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: other}", []string{"namespace_unknown metadata.namespace other 3:32"}},
		{"a policy under its write rules", stream(policyOn("{replicaScheduling: {replicaSchedulingType: Duplicated, replicaDivisionPreference: Weighted}}"), ledger),
			[]string{"field_conflict spec.placement.replicaScheduling.replicaDivisionPreference Weighted 6:97"}},
		{"a Deployment of ours under its rules", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, placement: {residency: {country: UK}}}", []string{"required spec.image  4:1", "residency_country_unassigned spec.placement.residency.country UK 4:54"}},
		{"any other resource under its", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: -1}", []string{"out_of_range spec.replicas -1 4:18"}},
		{"every fault of every document", stream(made("  clusters: [{name: A}]"), policyOn("{no: 1}"), "apiVersion: v1\nkind: ConfigMap"),
			[]string{"name_invalid spec.clusters[0].name A 4:21", "unknown_field spec.placement.no no 11:15", "required metadata.name  14:1"}},
		{"no clusters", stream(made("  fresh: true"), ledger), []string{"required spec.clusters  3:1"}},
		{"a cluster without a name", stream(made("  clusters: [{}]"), ledger), []string{"required spec.clusters[0].name  4:14"}},
		{"a name twice", stream(made("  clusters: [{name: a}, {name: a}]"), ledger), []string{"value_repeated spec.clusters[1].name a 4:32"}},
		{"less than no room", stream(made("  clusters: [{name: a, available: -1}]"), ledger), []string{"out_of_range spec.clusters[0].available -1 4:35"}},
		{"room in words", stream(made("  clusters: [{name: a, available: much}]"), ledger), []string{"wrong_type spec.clusters[0].available much 4:35"}},
		{"no country of the list", stream(made("  clusters: [{name: a, countries: [UK]}]"), ledger), []string{"residency_country_unassigned spec.clusters[0].countries[0] UK 4:36"}},
		{"less than nothing held", stream(made("  clusters: []\n  previous: {a: -1}"), ledger), []string{"out_of_range spec.previous.a -1 5:17"}},
		{"held by what has no name", stream(made("  clusters: []\n  previous: {B: 1}"), ledger), []string{"name_invalid spec.previous.B B 5:14"}},
		{"a reserved label", stream(made("  clusters: [{name: a, labels: {odysseus.io/x: b}}]"), ledger), []string{"label_reserved spec.clusters[0].labels[odysseus.io/x] odysseus.io/x 4:33"}},
		{"a key that there is not", stream(made("  clusters: [{name: a, country: CA}]"), ledger), []string{"unknown_field spec.clusters[0].country country 4:24"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := p.want(p.ask(token, "POST", simulatePath, tt.body, "Content-Type: application/yaml"), 422)
			var got []string
			entries, _ := a.json["errors"].([]any)
			for _, e := range entries {
				f, _ := e.(map[string]any)
				text := func(key string) string {
					if f[key] == nil {
						return ""
					}
					return fmt.Sprint(f[key])
				}
				line, column := text("line"), text("column")
				if line == "" {
					line, column = "0", "0"
				}
				got = append(got, fmt.Sprintf("%s %s %s %s:%s", text("code"), text("field"), text("value"), line, column))
				if text("accepted") == "" || text("message") == "" {
					t.Errorf("no words: %v", f)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("refused with\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if a.json["rendered"] != nil {
				t.Error("rendered all the same")
			}
		})
	}
	p.want(p.ask(token, "POST", simulatePath, "a: [", "Content-Type: application/yaml"), 400)
}

func TestWhoMaySimulate(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("demo", "editor")
	tests := []struct {
		name, token string
		status      int
	}{
		{"an editor", editor, 200},
		{"a viewer: nothing is written", p.tenant("demo", "viewer"), 200},
		{"an operator", operatorToken, 200},
		{"support POSTs nothing", p.token("/api/v1/tokens", "support"), 403},
		{"another tenant sees no such namespace", p.tenant("globex", "editor"), 404},
		{"nobody", "", 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.want(p.ask(tt.token, "POST", simulatePath, stream(twoClusters, ledger)), tt.status)
		})
	}
	// A cluster that is granted to another tenant is outside the question.
	p.node("n", "theirs", "CA", "")
	p.want(p.ask(operatorToken, "PUT", "/api/v1/clusters/theirs", `{"name": "theirs", "tenants": ["globex"]}`), 200)
	a := p.want(p.ask(editor, "POST", simulatePath, stream(policyOn("{clusterAffinity: {clusterNames: [theirs]}}"), webWorkload)), 200)
	if a.get("warnings.0.code") != "cluster_unknown" || a.get("placement.clusters") != "[]" || a.get("placement.excluded") != "" || a.get("placement.pending.reasons.0.code") != "no_cluster_selected" {
		t.Errorf("answered %s", a.body)
	}
}
