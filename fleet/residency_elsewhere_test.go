package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

// TestResidencyByHandIsRefusedWhereverLabelsAreWritten: in metadata and templates of every kind, labels and annotations.
func TestResidencyByHandIsRefusedWhereverLabelsAreWritten(t *testing.T) {
	const country = "[odysseus.io/data-residency-country]"
	by := func(field, value string, line, column int) policyRefusal {
		return policyRefusal{fleet.CodeLabelHandwritten, field, value, "residency_elsewhere", "", line, column}
	}
	for name, tt := range map[string]struct {
		manifest string
		want     []policyRefusal
	}{
		"a Deployment's pods": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {metadata: {labels: {odysseus.io/data-residency-country: CA, app: a}}}}\n",
			[]policyRefusal{by("spec.template.metadata.labels"+country, "CA", 4, 39)}},
		"their annotations": {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {metadata: {annotations: {odysseus.io/blocked-countries: \"US,RU\"}}}}\n",
			[]policyRefusal{by("spec.template.metadata.annotations[odysseus.io/blocked-countries]", "US,RU", 4, 44)}},
		"a CronJob's jobs and their pods": {"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  jobTemplate:\n    metadata: {labels: {odysseus.io/data-residency-region: eu}}\n    spec: {template: {metadata: {labels: {odysseus.io/data-residency-country: CA}}}}\n",
			[]policyRefusal{by("spec.jobTemplate.metadata.labels[odysseus.io/data-residency-region]", "eu", 6, 25), by("spec.jobTemplate.spec.template.metadata.labels"+country, "CA", 7, 43)}},
		"a Pod": {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {odysseus.io/data-residency-country: CA}}\n",
			[]policyRefusal{by("metadata.labels"+country, "CA", 3, 30)}},
		"a PodTemplate": {"apiVersion: v1\nkind: PodTemplate\nmetadata: {name: a}\ntemplate: {metadata: {labels: {odysseus.io/data-residency-country: CA}}}\n",
			[]policyRefusal{by("template.metadata.labels"+country, "CA", 4, 32)}},
		"a kind that is not built in": {"apiVersion: example.com/v1\nkind: Rollout\nmetadata: {name: a}\nspec: {template: {metadata: {labels: {odysseus.io/data-residency-country: CA}}}}\n",
			[]policyRefusal{by("spec.template.metadata.labels"+country, "CA", 4, 39)}},
		"a near miss": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {metadata: {labels: {odyseus.io/data-residency-country: CA, odysseus.io/x: y}}}}\n",
			[]policyRefusal{{fleet.CodeLabelReserved, "spec.template.metadata.labels[odyseus.io/data-residency-country]", "odyseus.io/data-residency-country", "label_not_reserved", "", 4, 39},
				{fleet.CodeLabelReserved, "spec.template.metadata.labels[odysseus.io/x]", "odysseus.io/x", "label_not_reserved", "", 4, 78}}},
		"of another type": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {odysseus.io/data-residency-country: [CA]}}\n",
			[]policyRefusal{by("metadata.annotations"+country, `["CA"]`, 3, 35), {fleet.CodeWrongType, "metadata.annotations" + country, `["CA"]`, "type_text", "", 3, 71}}},
		"nothing of the kind": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {app: a}}\nspec: {template: {metadata: {labels: {app: a}}}}\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := decodeResource(t, tt.manifest, nil)
			got := policyRefusals(faults)
			if len(got) != len(tt.want) {
				t.Fatalf("refused with\n%+v\nwant\n%+v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] || faults[i].Fix != "" {
					t.Errorf("refusal %d is\n%+v, want\n%+v", i, faults[i], tt.want[i])
				}
			}
		})
	}
}
