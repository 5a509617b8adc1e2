package fleet_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"odysseus/fleet"
)

// members are the clusters known to the tenant in most tests.
func members() []string { return []string{"cluster-1", "cluster-2", "cluster-9"} }

// checkPolicy runs a policy through all that every way in runs it through.
func checkPolicy(t *testing.T, manifest string, format fleet.Format) (fleet.Policy, fleet.FieldErrors, []fleet.Warning) {
	t.Helper()
	doc, faults := fleet.ParseOne([]byte(manifest), format)
	if len(faults) > 0 {
		return fleet.Policy{}, faults, nil
	}
	p, decoded := fleet.DecodePolicy(doc)
	validated, warnings := fleet.ValidatePolicy(&p, members())
	return p, fleet.JoinFaults(decoded, doc.Locate(validated)), warnings
}

const (
	ackOne  = "apiVersion: policy.one.alibabacloud.com/v1alpha1\n"
	karmada = "apiVersion: policy.karmada.io/v1alpha1\n"

	named     = "kind: PropagationPolicy\nmetadata: {name: p, namespace: demo}\nspec:\n"
	selecting = "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n"
)

// accepted is a policy that nothing is wrong with.
func accepted(t *testing.T, manifest string) fleet.Policy {
	t.Helper()
	p, faults, _ := checkPolicy(t, manifest, fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatalf("refused: %+v\nof\n%s", faults, manifest)
	}
	return p
}

func TestTheExamplesOfACKOneAreAcceptedAsTheyStand(t *testing.T) {
	docs, faults := fleet.Parse([]byte(readFile(t, "ack-one-policies.yaml")), fleet.FormatYAML)
	if len(faults) > 0 || len(docs) != 4 {
		t.Fatalf("%d documents, %v", len(docs), faults)
	}
	var policies []fleet.Policy
	var resources []fleet.Resource
	for _, doc := range docs {
		if !fleet.IsPolicy(doc.APIVersion(), doc.Kind()) {
			r, faults := fleet.DecodeResource(doc, nil)
			if len(faults) > 0 {
				t.Fatalf("%s refused: %+v", doc.Name(), faults)
			}
			resources = append(resources, r)
			continue
		}
		p, decoded := fleet.DecodePolicy(doc)
		validated, warnings := fleet.ValidatePolicy(&p, members())
		if len(decoded)+len(validated)+len(warnings) > 0 {
			t.Fatalf("%s: refused %+v %+v, warned %+v", doc.Name(), decoded, validated, warnings)
		}
		policies = append(policies, p)
	}
	static, dynamic := policies[0], policies[1]
	if static.Scheduling().Division() != fleet.DivisionStatic || dynamic.Scheduling().Division() != fleet.DivisionDynamic {
		t.Errorf("divided by %s and %s", static.Scheduling().Division(), dynamic.Scheduling().Division())
	}
	if f := dynamic.Failover(); f.Toleration() != 30 || f.Purge() != fleet.PurgeImmediately || static.Failover() != nil {
		t.Errorf("failover %+v, %+v", f, static.Failover())
	}
	for i, want := range []string{"web-demo", "cm-demo"} {
		if resources[i].Name != want || static.Selects(&resources[i]) != fleet.RankName || dynamic.Selects(&resources[i]) != fleet.RankNone {
			t.Errorf("%s: selected %d and %d", resources[i].Name, static.Selects(&resources[i]), dynamic.Selects(&resources[i]))
		}
	}
	clusters := []fleet.Cluster{{Name: "cluster-1"}, {Name: "cluster-2"}, {Name: "cluster-3"}}
	if got := static.Scheduling().StaticWeights(static.Affinity().Select(clusters)); !reflect.DeepEqual(got, []int64{2, 1}) {
		t.Errorf("weights %v", got)
	}
}

func TestWhichDocumentsArePolicies(t *testing.T) {
	tests := []struct {
		apiVersion, kind string
		want             bool
	}{
		{fleet.PolicyAPIVersion, fleet.KindPropagationPolicy, true},
		{fleet.PolicyAPIVersionShort, fleet.KindClusterPropagationPolicy, true},
		{fleet.PolicyAPIVersionKarmada, fleet.KindPropagationPolicy, true},
		{"policy.karmada.io/v2", fleet.KindPropagationPolicy, true}, // refused as a policy of another version
		{fleet.PolicyAPIVersionKarmada, "OverridePolicy", false},
		{"apps/v1", fleet.KindPropagationPolicy, false},
	}
	for _, tt := range tests {
		if got := fleet.IsPolicy(tt.apiVersion, tt.kind); got != tt.want {
			t.Errorf("%s %s: %v", tt.apiVersion, tt.kind, got)
		}
	}
}

func TestDefaultsGoByTheAPIVersion(t *testing.T) {
	yes, no := "  preserveResourcesOnDeletion: true\n", "  preserveResourcesOnDeletion: false\n"
	tests := []struct {
		name, manifest                              string
		preserves, withPolicyGone, withResourceGone bool
	}{
		{"ACK One, left out", ackOne + named + "  placement: {}\n", true, true, false},
		{"ACK One, true", ackOne + named + "  placement: {}\n" + yes, true, true, false},
		{"ACK One, false", ackOne + named + "  placement: {}\n" + no, false, false, false},
		{"ACK One's other name", "apiVersion: one.alibabacloud.com/v1alpha1\n" + named + "  placement: {}\n" + no, false, false, false},
		{"Karmada, left out", karmada + named + selecting, false, true, false},
		{"Karmada, true", karmada + named + selecting + yes, true, true, true},
		{"Karmada, false", karmada + named + selecting + no, false, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := accepted(t, tt.manifest)
			if p.Preserves() != tt.preserves || p.KeepsOnPolicyDeletion() != tt.withPolicyGone || p.KeepsOnResourceDeletion() != tt.withResourceGone {
				t.Errorf("preserves %v, policy deleted: keeps %v, resource deleted: keeps %v", p.Preserves(), p.KeepsOnPolicyDeletion(), p.KeepsOnResourceDeletion())
			}
		})
	}
}

func TestDivisionOfTheBlock(t *testing.T) {
	tests := []struct {
		name, scheduling string
		want             fleet.Division
		gang             bool
	}{
		{"left out", "{}", fleet.DivisionDuplicated, false},
		{"nothing in it", "{replicaScheduling: {}}", fleet.DivisionStatic, false},
		{"duplicated", "{replicaScheduling: {replicaSchedulingType: Duplicated}}", fleet.DivisionDuplicated, false},
		{"divided", "{replicaScheduling: {replicaSchedulingType: Divided}}", fleet.DivisionStatic, false},
		{"aggregated", "{replicaScheduling: {replicaDivisionPreference: Aggregated}}", fleet.DivisionAggregated, false},
		{"empty weights", "{replicaScheduling: {replicaSchedulingType: Duplicated, weightPreference: {}}}", fleet.DivisionDuplicated, false},
		{"dynamic", "{replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}", fleet.DivisionDynamic, false},
		{"static", "{replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {}, weight: 1}]}}}", fleet.DivisionStatic, false},
		{"an empty list beside dynamic", "{replicaScheduling: {weightPreference: {staticWeightList: [], dynamicWeight: AvailableReplicas}}}", fleet.DivisionDynamic, false},
		{"gang", "{replicaScheduling: {customSchedulingType: Gang}}", fleet.DivisionStatic, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := "  resourceSelectors: [{apiVersion: batch/v1, kind: Job}, {apiVersion: v1, kind: ConfigMap}]\n"
			p := accepted(t, ackOne+named+job+"  placement: "+tt.scheduling+"\n")
			if got := p.Scheduling().Division(); got != tt.want || p.Scheduling().Gang() != tt.gang {
				t.Errorf("%s, gang %v", got, p.Scheduling().Gang())
			}
		})
	}
}

func TestFailoverInBothSpellings(t *testing.T) {
	tests := []struct {
		name, api, failover string
		toleration, grace   int64
		purge               string
	}{
		{"defaults", ackOne, "{purgeMode: Graciously}", 300, 600, fleet.PurgeGraciously},
		{"conditions without the number", ackOne, "{decisionConditions: {}, purgeMode: Never}", 300, 600, fleet.PurgeNever},
		{"at once", ackOne, "{decisionConditions: {tolerationSeconds: 0}, purgeMode: Immediately}", 0, 600, fleet.PurgeImmediately},
		{"a grace", ackOne, "{purgeMode: Graciously, gracePeriodSeconds: 1}", 300, 1, fleet.PurgeGraciously},
		{"Karmada, directly", karmada, "{purgeMode: Directly}", 300, 600, fleet.PurgeImmediately},
		{"Karmada, gracefully", karmada, "{purgeMode: Gracefully, gracePeriodSeconds: 60}", 300, 60, fleet.PurgeGraciously},
		{"Karmada's older word", karmada, "{purgeMode: Graciously, gracePeriodSeconds: 60}", 300, 60, fleet.PurgeGraciously},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := accepted(t, tt.api+named+"  placement: {}\n  failover: {application: "+tt.failover+"}\n")
			if f := p.Failover(); f.Toleration() != tt.toleration || f.Grace() != tt.grace || f.Purge() != tt.purge {
				t.Errorf("toleration %d, grace %d, %s", f.Toleration(), f.Grace(), f.Purge())
			}
		})
	}
	for _, nothing := range []string{"null", "{}", "{application: null}"} {
		if p := accepted(t, ackOne+named+"  placement: {}\n  failover: "+nothing+"\n"); p.Failover() != nil {
			t.Errorf("failover: %s is %+v", nothing, p.Failover())
		}
	}
}

// everything is a policy with every field in use, and with texts that other readers of YAML take for something else.
const everything = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: p
  namespace: demo
  labels: {country: NO, "on": "y"}
  annotations: {example.com/note: "1.10"}
spec:
  resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
    name: web
    namespace: demo
  - apiVersion: v1
    kind: ConfigMap
    name: "1"
    labelSelector: {}
  - apiVersion: batch/v1
    kind: Job
    name: NO
    labelSelector:
      matchLabels: {country: NO, version: "1.10", empty: ""}
      matchExpressions:
      - {key: app, operator: In, values: [a, "null", "007"]}
      - {key: old, operator: DoesNotExist}
  propagateDeps: true
  placement:
    clusterAffinity:
      clusterNames: [cluster-1, "2"]
      labelSelector: {matchExpressions: [{key: zone, operator: NotIn, values: [NO]}]}
      exclude: [cluster-9]
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
        - {targetCluster: {}, weight: 9223372036854775807}
        - {targetCluster: {excludeClusters: [cluster-2]}, weight: 1}
  priority: -2147483648
  preemption: Always
  dependentOverrides: [a, "on"]
  failover:
    application:
      decisionConditions: {tolerationSeconds: 0}
      purgeMode: Gracefully
      gracePeriodSeconds: 2147483647
  preserveResourcesOnDeletion: false
`

func TestAPolicyComesBackAsItWasWritten(t *testing.T) {
	manifests := []string{everything,
		ackOne + named + "  placement: {}\n",
		"apiVersion: one.alibabacloud.com/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: p}\nspec: {placement: {clusterAffinity: {labelSelector: {}}, replicaScheduling: {weightPreference: {}}}}\n",
		karmada + "kind: ClusterPropagationPolicy\nmetadata: {}\n",
	}
	for _, manifest := range manifests {
		p := accepted(t, manifest)
		text, err := fleet.YAML(p)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for format, written := range map[fleet.Format]string{fleet.FormatYAML: text, fleet.FormatJSON: string(raw)} {
			again, faults, _ := checkPolicy(t, written, format)
			if len(faults) > 0 || !reflect.DeepEqual(again, p) {
				t.Errorf("came back as\n%+v, %+v\nnot\n%+v\nfrom\n%s", again, faults, p, written)
			}
			if twice, err := fleet.YAML(again); err != nil || twice != text {
				t.Errorf("written a second time it is (%v)\n%s\nnot\n%s", err, twice, text)
			}
		}
	}
}

func TestWhatGetAnswersOfAPolicyCanBeSentBack(t *testing.T) {
	p, faults, _ := checkPolicy(t, `{"apiVersion":"policy.karmada.io/v1alpha1","kind":"PropagationPolicy","metadata":{"name":"p","namespace":"demo","uid":"u","resourceVersion":"7","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{},"status":{"x":[1]}}`, fleet.FormatJSON)
	if len(faults) > 0 || p.Metadata.ResourceVersion != "7" || p.Metadata.UID != "" || p.Metadata.Generation != 0 || p.Status != nil {
		t.Errorf("refused %+v, read %+v", faults, p)
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add([]byte(everything), false)
	f.Add([]byte(ackOne+named+selecting+"  placement: {clusterAffinity: {exclude: [a], excludeClusters: [b]}}\n"), false)
	f.Add([]byte(`{"apiVersion":"policy.karmada.io/v1alpha1","kind":"ClusterPropagationPolicy","spec":{"failover":{"application":{"purgeMode":"Directly"}},"suspension":{}}}`), true)
	f.Fuzz(func(t *testing.T, body []byte, asJSON bool) {
		format := fleet.FormatYAML
		if asJSON {
			format = fleet.FormatJSON
		}
		docs, _ := fleet.Parse(body, format)
		for _, doc := range docs {
			p, decoded := fleet.DecodePolicy(doc)
			validated, warnings := fleet.ValidatePolicy(&p, members())
			faults := fleet.JoinFaults(decoded, doc.Locate(validated))
			for _, fault := range faults {
				if e, known := fleet.Lookup(fault.Code); !known || e.Kind != fleet.EntryRefusal || fault.Line < 1 || fault.Column < 1 || fault.Want == "" {
					t.Fatalf("a fault without its parts: %+v", fault)
				}
			}
			for _, w := range warnings {
				if e, known := fleet.Lookup(w.Code); !known || e.Kind != fleet.EntryWarning || w.Field == "" {
					t.Fatalf("a warning without its parts: %+v", w)
				}
			}
			if len(faults) > 0 {
				continue
			}
			text, err := fleet.YAML(p)
			if err != nil {
				return // larger than a document may be, once its aliases are expanded
			}
			again, faults, _ := checkPolicy(t, text, fleet.FormatYAML)
			if twice, err := fleet.YAML(again); err != nil || len(faults) > 0 || twice != text {
				t.Fatalf("came back as another: %+v (%v)\n%s\nof\n%s", faults, err, twice, text)
			}
		}
	})
}
