package fleet_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"odysseus/fleet"
)

// checkOverride runs an override policy through all that every way in runs it through.
func checkOverride(t *testing.T, manifest string, format fleet.Format) (fleet.Override, fleet.FieldErrors, []fleet.Warning) {
	t.Helper()
	doc, faults := fleet.ParseOne([]byte(manifest), format)
	if len(faults) > 0 {
		return fleet.Override{}, faults, nil
	}
	o, decoded := fleet.DecodeOverride(doc)
	validated, warnings := fleet.ValidateOverride(&o, members())
	return o, fleet.JoinFaults(decoded, doc.Locate(validated)), warnings
}

// acceptedOverride is an override policy that nothing is wrong with.
func acceptedOverride(t *testing.T, manifest string) *fleet.Override {
	t.Helper()
	o, faults, _ := checkOverride(t, manifest, fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatalf("refused: %+v\nof\n%s", faults, manifest)
	}
	return &o
}

// Where the lines of a test start: of the rules, of a rule's overriders.
const (
	overriding = "kind: OverridePolicy\nmetadata: {name: o, namespace: demo}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n"
	underRules = ackOne + overriding + "  overrideRules:\n"                                       // line 7
	underRule  = underRules + "  - targetCluster: {clusterNames: [cluster-1]}\n    overriders:\n" // line 9
)

// rule is a whole policy for cluster-1 with the given overriders, in flow style.
func rule(overriders string) string {
	return underRules + "  - targetCluster: {clusterNames: [cluster-1]}\n    overriders: " + overriders + "\n"
}

func TestTheOverrideOfACKOneHoldsAsItStands(t *testing.T) {
	docs, faults := fleet.Parse([]byte(readFile(t, "ack-one-override.yaml")), fleet.FormatYAML)
	if len(faults) > 0 || len(docs) != 2 {
		t.Fatalf("%d documents, %v", len(docs), faults)
	}
	o, decoded := fleet.DecodeOverride(docs[0])
	validated, warnings := fleet.ValidateOverride(&o, members())
	if len(decoded)+len(validated)+len(warnings) > 0 {
		t.Fatalf("refused %+v %+v, warned %+v", decoded, validated, warnings)
	}
	if got := o.Ref(); got != (fleet.PolicyRef{Kind: "OverridePolicy", Namespace: "demo", Name: "demo"}) {
		t.Errorf("ref %+v", got)
	}
	web, faults := fleet.DecodeResource(docs[1], nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	tests := []struct {
		cluster, image string
		replicas       int64
		applied        []fleet.AppliedRule
	}{
		{"cluster-1", "registry.cn-hangzhou.aliyuncs.com/team/nginx:latest", 1, []fleet.AppliedRule{{Policy: o.Ref()}}},
		{"cluster-2", "nginx:latest", 3, nil},
	}
	for _, tt := range tests {
		got := fleet.Render(&web, fleet.Cluster{Name: tt.cluster}, []*fleet.Override{&o})
		if got.Err != nil {
			t.Fatalf("%s: %+v", tt.cluster, got.Err)
		}
		rendered := got.With(&web)
		template, _, _ := fleet.PodTemplateOf(&rendered)
		if replicas, _ := rendered.Replicas(); replicas.Count != tt.replicas || template.Containers[0].Image != tt.image || !reflect.DeepEqual(got.Applied, tt.applied) {
			t.Errorf("%s: %d replicas of %s by %+v", tt.cluster, replicas.Count, template.Containers[0].Image, got.Applied)
		}
	}
}

func TestWhichDocumentsAreOverrides(t *testing.T) {
	tests := []struct {
		apiVersion, kind string
		want             bool
	}{
		{fleet.PolicyAPIVersion, fleet.KindOverridePolicy, true},
		{fleet.PolicyAPIVersionShort, fleet.KindClusterOverridePolicy, true},
		{fleet.PolicyAPIVersionKarmada, fleet.KindOverridePolicy, true},
		{"policy.karmada.io/v2", fleet.KindOverridePolicy, true}, // refused as an override policy of another version
		{fleet.PolicyAPIVersionKarmada, fleet.KindPropagationPolicy, false},
		{"apps/v1", fleet.KindOverridePolicy, false},
	}
	for _, tt := range tests {
		if got := fleet.IsOverride(tt.apiVersion, tt.kind); got != tt.want {
			t.Errorf("%s %s: %v", tt.apiVersion, tt.kind, got)
		}
	}
}

func TestWhatAnOverrideReaches(t *testing.T) {
	policy := func(kind, selector string) *fleet.Override {
		metadata := "{name: o, namespace: demo}"
		if kind == fleet.KindClusterOverridePolicy {
			metadata = "{name: o}"
		}
		return acceptedOverride(t, karmada+"kind: "+kind+"\nmetadata: "+metadata+"\nspec:\n  resourceSelectors: ["+selector+"]\n"+
			"  overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]\n")
	}
	web := resource(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: demo, labels: {app: web}}}")
	far := resource(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: other}}")
	system := resource(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: kube-system}}")
	volume := resource(t, "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}}")
	tests := []struct {
		name, kind, selector string
		resource             *fleet.Resource
		want                 fleet.Rank
	}{
		{"by kind", fleet.KindOverridePolicy, "{apiVersion: apps/v1, kind: Deployment}", &web, fleet.RankKind},
		{"by labels", fleet.KindOverridePolicy, "{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: web}}}", &web, fleet.RankLabels},
		{"by name", fleet.KindOverridePolicy, "{apiVersion: apps/v1, kind: Deployment, name: web}", &web, fleet.RankName},
		{"the best of its selectors", fleet.KindOverridePolicy, "{apiVersion: apps/v1, kind: Deployment}, {apiVersion: apps/v1, kind: Deployment, name: web}", &web, fleet.RankName},
		{"another kind", fleet.KindOverridePolicy, "{apiVersion: v1, kind: ConfigMap}", &web, fleet.RankNone},
		{"another namespace", fleet.KindOverridePolicy, "{apiVersion: apps/v1, kind: Deployment}", &far, fleet.RankNone},
		{"any namespace", fleet.KindClusterOverridePolicy, "{apiVersion: apps/v1, kind: Deployment}", &far, fleet.RankKind},
		{"a system namespace", fleet.KindClusterOverridePolicy, "{apiVersion: apps/v1, kind: Deployment}", &system, fleet.RankNone},
		{"what has no namespace", fleet.KindClusterOverridePolicy, "{apiVersion: v1, kind: PersistentVolume}", &volume, fleet.RankKind},
		{"what has no namespace, of a namespaced policy", fleet.KindOverridePolicy, "{apiVersion: v1, kind: PersistentVolume}", &volume, fleet.RankNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := policy(tt.kind, tt.selector).Selects(tt.resource); got != tt.want {
				t.Errorf("rank %d, want %d", got, tt.want)
			}
		})
	}
}

// TestOverridesComeBackAsTheyWereWritten: null is a value, and 64-bit integers survive.
func TestOverridesComeBackAsTheyWereWritten(t *testing.T) {
	written := `{"apiVersion":"one.alibabacloud.com/v1alpha1","kind":"OverridePolicy","metadata":{"name":"o","namespace":"demo"},"spec":{` +
		`"resourceSelectors":[{"apiVersion":"v1","kind":"ConfigMap","labelSelector":{"matchLabels":{"a":"b"}}}],` +
		`"overrideRules":[{"targetCluster":{"clusterNames":["cluster-1"],"excludeClusters":["cluster-2"]},"overriders":{` +
		`"imageOverrider":[{"predicate":{"path":"/a/b"},"component":"Tag","operator":"remove"},{"component":"Registry","operator":"add","value":"localhost"}],` +
		`"commandOverrider":[{"containerName":"a","operator":"add","value":["x"]}],"argsOverrider":[{"containerName":"a","operator":"remove","value":["y"]}],` +
		`"labelsOverrider":[{"operator":"add","value":{"a":"b"}}],"annotationsOverrider":[{"operator":"remove","value":{"c":""}}],` +
		`"fieldOverrider":[{"fieldPath":"/data/x","json":[{"subPath":"/k","operator":"add","value":9007199254740993}]},{"fieldPath":"/data/y","yaml":[{"subPath":"/k","operator":"remove"}]}],` +
		`"plaintext":[{"path":"/data/n","operator":"add","value":null},{"path":"/data/o","operator":"replace","value":{"z":[1.50,true],"a":"b"}},{"path":"/data/p","operator":"remove"}]}}]}}`
	o, faults, _ := checkOverride(t, written, fleet.FormatJSON)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	raw, err := json.Marshal(o)
	if err != nil || string(raw) != written {
		t.Errorf("%v\n%s\nwas\n%s", err, raw, written)
	}
	text, err := fleet.YAML(o)
	if err != nil {
		t.Fatal(err)
	}
	again, faults, _ := checkOverride(t, text, fleet.FormatYAML)
	if len(faults) > 0 || !reflect.DeepEqual(o, again) {
		t.Errorf("%+v\ncame back as\n%+v\nof\n%s", faults, again, text)
	}
}
