package fleet_test

import (
	"strings"
	"testing"

	"odysseus/fleet"
)

// labelledManifest has the given lines under metadata.labels, and under spec what spec says.
func labelledManifest(spec string, labels ...string) string {
	return "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\n  labels:\n    " +
		strings.Join(labels, "\n    ") + "\nspec:\n  image: nginx\n" + spec
}

func TestHandwrittenLabelsPrintTheBlockToPaste(t *testing.T) {
	country, region, blocked := fleet.LabelResidencyCountry, fleet.LabelResidencyRegion, fleet.LabelBlockedCountries
	at := func(label string) string { return "metadata.labels[" + label + "]" }
	tests := []struct {
		name   string
		labels []string
		spec   string
		fix    string
		want   []refusal
		// accepted says that the manifest is, once the fix is put in place of labels and placement.
		accepted bool
	}{
		{"country", []string{country + ": CA"}, "", "placement:\n  residency:\n    country: CA\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "CA", 6, 5, ""}}, true},
		{"Norway is quoted in the block", []string{country + ": \"NO\""}, "", "placement:\n  residency:\n    country: \"NO\"\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "NO", 6, 5, ""}}, true},
		{"region", []string{region + ": eu-core"}, "", "placement:\n  residency:\n    region: eu-core\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(region), "eu-core", 6, 5, ""}}, true},
		{"blocked countries become a list", []string{blocked + ": US,RU"}, "", "placement:\n  residency:\n    blockedCountries: [US, RU]\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(blocked), "US,RU", 6, 5, ""}}, true},
		{"two labels, one block", []string{country + ": CA", blocked + ": US"}, "", "placement:\n  residency:\n    country: CA\n    blockedCountries: [US]\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "CA", 6, 5, ""}, {fleet.CodeLabelHandwritten, at(blocked), "US", 7, 5, ""}}, true},
		{"also where it agrees", []string{country + ": CA"}, "  placement:\n    residency:\n      country: CA\n", "placement:\n  residency:\n    country: CA\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "CA", 6, 5, ""}}, true},
		{"a wrong value stands beside it", []string{country + ": Canada"}, "", "placement:\n  residency:\n    country: Canada\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "Canada", 6, 5, ""}, {fleet.CodeCountryUnassigned, at(country), "Canada", 6, 41, "CA"}}, false},
		{"values that cannot stand together", []string{country + ": CA", region + ": eu-core"}, "", "placement:\n  residency:\n    country: CA\n    region: eu-core\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "CA", 6, 5, ""}, {fleet.CodeLabelHandwritten, at(region), "eu-core", 7, 5, ""},
				{fleet.CodeCountryAndRegion, at(region), "eu-core", 7, 40, ""}}, false},
		{"typed and handwritten that cannot", []string{region + ": eu-core"}, "  placement:\n    residency:\n      country: CA\n", "placement:\n  residency:\n    country: CA\n    region: eu-core\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(region), "eu-core", 6, 5, ""}, {fleet.CodeCountryAndRegion, at(region), "eu-core", 6, 40, ""}}, false},
		{"a number", []string{country + ": 124"}, "", "placement:\n  residency:\n    country: \"124\"\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "124", 6, 5, ""}, {fleet.CodeWrongType, at(country), "124", 6, 41, ""}, {fleet.CodeCountryUnassigned, at(country), "124", 6, 41, ""}}, false},
		{"null, and another that is", []string{country + ":", "odysseus.io/foo:"}, "", "",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "", 6, 5, ""}, {fleet.CodeWrongType, at(country), "null", 6, 40, ""}, {fleet.CodeResidencyEmpty, at(country), "", 6, 40, ""},
				{fleet.CodeLabelReserved, at("odysseus.io/foo"), "odysseus.io/foo", 7, 5, ""}, {fleet.CodeWrongType, at("odysseus.io/foo"), "null", 7, 21, ""}}, false},
		{"another than the typed one", []string{country + ": US"}, "  placement:\n    residency:\n      country: CA\n", "placement:\n  residency:\n    country: US\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "US", 6, 5, ""}}, true},
		{"a wrong one beside a typed one that is right", []string{country + ": Canada"}, "  placement:\n    residency:\n      country: CA\n", "placement:\n  residency:\n    country: CA\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "Canada", 6, 5, ""}, {fleet.CodeCountryUnassigned, at(country), "Canada", 6, 41, "CA"}}, true},
		{"a right one beside a typed one that is wrong", []string{country + ": CA"}, "  placement:\n    residency:\n      country: UK\n", "placement:\n  residency:\n    country: CA\n",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "CA", 6, 5, ""}, {fleet.CodeCountryUnassigned, "spec.placement.residency.country", "UK", 11, 16, "GB"}}, true},
		{"nothing", []string{country + ": \"\""}, "", "",
			[]refusal{{fleet.CodeLabelHandwritten, at(country), "", 6, 5, ""}, {fleet.CodeResidencyEmpty, at(country), "", 6, 41, ""}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			manifest := labelledManifest(tt.spec, tt.labels...)
			_, faults, _ := check(t, manifest, fleet.FormatYAML)
			expect(t, manifest, faults, tt.want)
			for _, f := range faults {
				if f.Code == fleet.CodeLabelHandwritten && f.Fix != tt.fix {
					t.Errorf("fix is\n%s\nwant\n%s", f.Fix, tt.fix)
				}
			}
			if tt.fix == "" {
				return
			}
			pasted := "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\nspec:\n  image: nginx\n  " +
				strings.ReplaceAll(strings.TrimSuffix(tt.fix, "\n"), "\n", "\n  ") + "\n"
			_, faults, _ = check(t, pasted, fleet.FormatYAML)
			if (len(faults) == 0) != tt.accepted {
				t.Errorf("pasted, it is refused with %v:\n%s", faults.Codes(), pasted)
			}
			for _, f := range faults {
				if f.Code == fleet.CodeLabelHandwritten {
					t.Errorf("pasted, it still is refused as handwritten:\n%s", pasted)
				}
			}
		})
	}
}

func TestReservedLabels(t *testing.T) {
	tests := []struct {
		key        string
		reserved   bool
		suggestion string
	}{
		{"odysseus.io/data-residency-contry", true, "spec.placement.residency.country"},
		{"odysseus.io/data-residency-country-enforced", true, ""},
		{"odysseus.io/data-residency-region-enforced", true, ""},
		{"odysseus.io/anything", true, ""},
		{"Odysseus.io/anything", true, ""},
		{"odysseus.io/country", true, ""},
		{"odyseus.io/data-residency-country", true, "spec.placement.residency.country"},
		{"data-residency-region", true, "spec.placement.residency.region"},
		{"acme.example/blocked-countrys", true, "spec.placement.residency.blockedCountries"},
		{"acme.example/Blocked-Countries", true, "spec.placement.residency.blockedCountries"},
		{"acme.example/country", false, ""},
		{"acme.example/residency", false, ""},
		{"app.odysseus.io/tier", false, ""},
	}
	for _, tt := range tests {
		for _, place := range []string{"labels", "annotations"} {
			manifest := strings.Replace(labelledManifest("", "\""+tt.key+"\": x"), "labels:", place+":", 1)
			_, faults, _ := check(t, manifest, fleet.FormatYAML)
			var want []refusal
			if tt.reserved {
				line, column := 6, 5
				want = []refusal{{fleet.CodeLabelReserved, "metadata." + place + bracketed(tt.key), tt.key, line, column, tt.suggestion}}
			}
			expect(t, manifest, faults, want)
		}
	}
}

func bracketed(key string) string {
	if strings.ContainsAny(key, "./") {
		return "[" + key + "]"
	}
	return "." + key
}

func TestShadowedBlockedCountriesAreWarnedOf(t *testing.T) {
	_, faults, warnings := check(t, head+"  placement:\n    residency:\n      region: eu-core\n      blockedCountries: [FR]\n", fleet.FormatYAML)
	if len(faults) > 0 || len(warnings) != 1 {
		t.Fatalf("refused %v, warned %v", faults, warnings)
	}
	w := warnings[0]
	if w.Code != fleet.CodeBlockedShadowed || w.Field != "spec.placement.residency.blockedCountries" || w.Args["Region"] != "eu-core" || w.Args["Blocked"] != "FR" {
		t.Errorf("warned %+v", w)
	}
}

func TestCompiledLabelsReadBack(t *testing.T) {
	tests := []struct {
		residency fleet.Residency
		labels    int
		want      fleet.Requirement
	}{
		{fleet.Residency{}, 0, fleet.Requirement{}},
		{fleet.Residency{Country: "CA"}, 1, fleet.Requirement{Country: "CA"}},
		{fleet.Residency{Region: "eu-core", BlockedCountries: []string{"FR", "DE"}}, 2, fleet.Requirement{Region: "eu-core", BlockedCountries: []string{"FR", "DE"}}},
	}
	for _, tt := range tests {
		labels := tt.residency.Labels()
		if len(labels) != tt.labels {
			t.Errorf("%+v compiles to %v", tt.residency, labels)
		}
		if got := fleet.RequirementOf(labels); got.Key() != tt.want.Key() {
			t.Errorf("%+v reads back as %+v", tt.residency, got)
		}
	}
}

func TestEnforcedLabelsOutliveAnUpdate(t *testing.T) {
	doc, _ := fleet.ParseOne([]byte(head), fleet.FormatYAML)
	d, _ := fleet.DecodeDeployment(doc)
	d.ResidencyLabels = map[string]string{fleet.LabelEnforcedCountry: "CA", fleet.LabelResidencyCountry: "US"}
	if faults, _ := fleet.ValidateDeployment(&d, &regions); len(faults) > 0 {
		t.Fatal(faults)
	}
	if len(d.ResidencyLabels) != 1 || d.ResidencyLabels[fleet.LabelEnforcedCountry] != "CA" {
		t.Errorf("labels are %v", d.ResidencyLabels)
	}
}
