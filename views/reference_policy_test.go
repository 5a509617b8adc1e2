package views

import (
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestBlocksHoldEveryFieldOfAPolicy(t *testing.T) {
	_, catalogue := stage(t)
	held := map[string]bool{}
	for _, b := range PolicyReferenceBlocks(catalogue.Words()) {
		if len(b.Fields) == 0 {
			t.Errorf("%s is empty", b.Key)
		}
		for _, f := range b.Fields {
			if len(b.Places) == 0 {
				held[f.Label] = true
			}
			for _, place := range b.Places {
				held[place+"."+f.Label] = true
			}
		}
	}
	fields := fleet.PolicyFields()
	for _, f := range fields {
		if !held[f.Path] {
			t.Errorf("%s stands in no table", f.Path)
		}
		delete(held, f.Path)
	}
	for path := range held {
		t.Errorf("%s stands in a table and is no field", path)
	}
}

// A block is described once, so all that stand at its places have to be alike.
func TestFieldsOfABlockAreAlikeWhereverTheyStand(t *testing.T) {
	_, catalogue := stage(t)
	type key struct{ part, name string }
	first := map[key]PolicyReferenceField{}
	reference := PolicyReference(catalogue.Words())
	for i, f := range fleet.PolicyFields() {
		got := reference[i]
		want, seen := first[key{f.Part, f.Name}]
		if !seen {
			first[key{f.Part, f.Name}] = got
			continue
		}
		if want.Path = got.Path; got.ReferenceField != want.ReferenceField || !slices.Equal(got.Refusals, want.Refusals) || !slices.Equal(got.Warnings, want.Warnings) {
			t.Errorf("%s is %+v, elsewhere %+v", f.Path, got, want)
		}
	}
}

func TestWhatAFieldLeftOutMeansUnderEachAPI(t *testing.T) {
	_, catalogue := stage(t)
	want := map[string]struct {
		required bool
		fallback string
		karmada  *ReferenceAbsence
	}{
		"apiVersion":                       {true, "", nil},
		"metadata.name":                    {false, "policy- and five letters", nil},
		"spec.placement":                   {true, "", &ReferenceAbsence{Default: "every cluster granted to you", InWords: true}},
		"spec.preserveResourcesOnDeletion": {false, "true", &ReferenceAbsence{Default: "false"}},
		"spec.preemption":                  {false, "Never", nil},
		"spec.failover.application.gracePeriodSeconds": {false, "600", nil},
	}
	for _, f := range PolicyReference(catalogue.Words()) {
		tt, asked := want[f.Path]
		if !asked {
			continue
		}
		delete(want, f.Path)
		same := f.Karmada == nil && tt.karmada == nil || f.Karmada != nil && tt.karmada != nil && *f.Karmada == *tt.karmada
		if f.Required != tt.required || f.Default != tt.fallback || !same {
			t.Errorf("%s: required %v, default %q, under Karmada %+v", f.Path, f.Required, f.Default, f.Karmada)
		}
	}
	for path := range want {
		t.Errorf("%s is missing", path)
	}
}
