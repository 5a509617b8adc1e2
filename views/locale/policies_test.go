package locale

import (
	"testing"

	"odysseus/fleet"
)

func TestPoliciesAreRefusedAndWarnedOfInWords(t *testing.T) {
	_, w := english(t)
	manifest := `apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: p, namespace: demo}
spec:
  resourceSelectors:
  - {apiVersion: v1, kind: Secret, namespace: other, name: a, labelSelector: {matchExpressions: [{key: a, operator: In}]}}
  - {apiVersion: v1, kind: PersistentVolume}
  - {apiVersion: v1, kind: PersistentVolume, namespace: demo}
  suspension: {}
  placement:
    clusterAffinity: {clusterNames: [cluster-01, far], exclude: [far], excludeClusters: [far]}
    replicaScheduling:
      customSchedulingType: Gang
      weightPreference: {staticWeightList: [{weight: 1}], dynamicWeight: AvailableReplicas}
  failover: {application: {purgeMode: Directly}}
`
	doc, faults := fleet.ParseOne([]byte(manifest), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p, decoded := fleet.DecodePolicy(doc)
	validated, warnings := fleet.ValidatePolicy(&p, []string{"cluster-1"})
	var got []string
	for _, f := range fleet.JoinFaults(decoded, doc.Locate(validated)) {
		got = append(got, w.Refusal(f))
	}
	for _, warning := range warnings {
		got = append(got, w.Warning(warning))
	}
	want := []string{
		`spec.resourceSelectors[0].labelSelector.matchExpressions[0].values is required: write at least one value for the operator In`,
		`the field "suspension" is not supported by this version: leave it out`,
		`excludeClusters and exclude are two spellings of one list: write either excludeClusters or exclude`,
		`Gang places all replicas of a Job at once or none, and this policy selects Secret: write selectors of batch/v1 Job alone, beside what has no replicas, or leave customSchedulingType out`,
		`spec.placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster is required: write a clusterAffinity; "{}" is every cluster of the placement`,
		`static weights and dynamicWeight "AvailableReplicas" are alternatives: only one of them could decide, so write either staticWeightList or dynamicWeight`,
		`"Directly" is not accepted: write one of Immediately, Graciously, Never`,
		`this selector selects nothing: the policy reaches its own namespace demo and not other`,
		`the name a decides: the labelSelector beside it is not looked at`,
		`this selector selects nothing: PersistentVolume has no namespace, and only a ClusterPropagationPolicy reaches it`,
		`this selector selects nothing: PersistentVolume has no namespace`,
		`no cluster cluster-01 is known to you: did you mean cluster-1?`,
		`no cluster far is known to you; it counts from when one is`,
		`no cluster far is known to you; it counts from when one is`,
		`no cluster far is known to you; it counts from when one is`,
	}
	for i := range max(len(got), len(want)) {
		g, x := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			x = want[i]
		}
		if g != x {
			t.Errorf("got  %q\nwant %q", g, x)
		}
	}
}

func TestReasonsOfPoliciesNameWhatTheyAreAbout(t *testing.T) {
	_, w := english(t)
	clusters := []string{"cluster-1", "cluster-2"}
	for _, tt := range []struct {
		reason fleet.Reason
		want   string
	}{
		{fleet.Reason{Code: fleet.ReasonCapacity}, "the nodes that may run this have no room for another replica"},
		{fleet.Reason{Code: fleet.ReasonCapacity, Clusters: clusters}, "the nodes that may run this in cluster-1, cluster-2 have no room for another replica"},
		{fleet.Reason{Code: fleet.ReasonClusterUnreachable}, "no node answers"},
		{fleet.Reason{Code: fleet.ReasonClusterUnreachable, Clusters: clusters}, "no node of cluster-1, cluster-2 answers"},
		{fleet.Reason{Code: fleet.ReasonWaitingDependency, Field: "ConfigMap cm", Clusters: clusters[:1]}, "ConfigMap cm is needed in cluster-1 and is not there"},
		{fleet.Reason{Code: fleet.ReasonWaitingDependency}, "a ConfigMap or Secret is needed and is not there"},
		{fleet.Reason{Code: fleet.ReasonFailoverManual, Clusters: clusters[:1]}, "unhealthy in cluster-1, and left there by the policy for a person to look at"},
		{fleet.Reason{Code: fleet.ReasonRuntimeUnsupported, Field: "kind"}, "resources of this kind do not run on clusters of agents"},
		{fleet.Reason{Code: fleet.ReasonRuntimeUnsupported, Field: "spec.template.spec.volumes", Clusters: clusters[1:]}, "spec.template.spec.volumes cannot be carried out in cluster-2"},
	} {
		if got := w.Reason(tt.reason); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.reason.Code, got, tt.want)
		}
	}
}
