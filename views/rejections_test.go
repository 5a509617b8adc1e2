package views

import (
	"regexp"
	"strings"
	"testing"

	"odysseus/fleet"
)

// given are the warnings that a manifest alone gives; the others depend on what runs, or on settings.
var given = map[fleet.Code]bool{fleet.CodeBlockedShadowed: true, fleet.CodeSelectsNothing: true, fleet.CodeSelectorNoEffect: true,
	fleet.CodeSelectorNameWins: true, fleet.CodeKindUnusual: true, fleet.CodeClusterUnknown: true, fleet.CodeAllClusters: true}

var positions = regexp.MustCompile(`\[\d+\]`)

func TestEveryExampleGivesItsCode(t *testing.T) {
	for _, e := range fleet.Registry() {
		if e.Example == "" || e.Kind == fleet.EntryWarning && !given[e.Code] {
			continue
		}
		f, w, found := answer(e)
		if !found {
			t.Errorf("the example of %s does not give it", e.Code)
			continue
		}
		// Where the registry names a field the answer is given there, or below it.
		if at := positions.ReplaceAllString(f.Field+w.Field, "[i]"); !strings.HasPrefix(at, e.Field) {
			t.Errorf("%s is listed at %s and given at %s", e.Code, e.Field, at)
		}
	}
}

func TestPoliciesAreRefusedWithAnExampleEach(t *testing.T) {
	_, catalogue := stage(t)
	want := map[fleet.Code][2]string{
		fleet.CodeWeightsBoth: {`static weights and dynamicWeight "AvailableReplicas" are alternatives: only one of them could decide, so write either staticWeightList or dynamicWeight`,
			"either staticWeightList or dynamicWeight"},
		fleet.CodeExcludeBoth:   {"excludeClusters and exclude are two spellings of one list: write either excludeClusters or exclude", "either excludeClusters or exclude"},
		fleet.CodeFieldConflict: {"spec.failover.application.gracePeriodSeconds has no meaning beside purgeMode: Immediately: leave it out, or change that", "the field left out"},
		fleet.CodeGangKind: {"Gang places all replicas of a Job at once or none, and this policy selects Deployment: write selectors of batch/v1 Job alone, beside what has no replicas, or leave customSchedulingType out",
			"selectors of batch/v1 Job alone, beside what has no replicas, or leave customSchedulingType out"},
		fleet.CodeSelectsNothing:   {"the policy selects nothing: it has no resource selectors", ""},
		fleet.CodeSelectorNoEffect: {"this selector selects nothing: the policy reaches its own namespace demo and not other", ""},
		fleet.CodeKindUnusual:      {"Deploymnt is no kind or apiVersion of Kubernetes: if Deployment is meant, write that", ""},
		fleet.CodeSelectorNameWins: {"the name web decides: the labelSelector beside it is not looked at", ""},
		fleet.CodeClusterUnknown:   {"no cluster no-such-cluster is known to you; it counts from when one is", ""},
		fleet.CodeAllClusters:      {"no placement is written: the resources go to every cluster", ""},
	}
	for _, r := range Rejections(catalogue.Words()) {
		if tt, asked := want[r.Code]; asked {
			delete(want, r.Code)
			if r.Cause == "" || r.Example == "" || r.Message != tt[0] || r.Accepted != tt[1] {
				t.Errorf("%s: %q, accepted %q, cause %q", r.Code, r.Message, r.Accepted, r.Cause)
			}
		}
	}
	for code := range want {
		t.Errorf("%s is not listed", code)
	}
}
