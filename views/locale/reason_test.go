package locale

import (
	"testing"

	"odysseus/fleet"
)

func TestReasonSaysWhatIsRequiredAndWhatIsReported(t *testing.T) {
	w := wordsOf(t, "reason.geo_mismatch: \"requires {{.Required}}; nodes report {{.Reported}}\"\n")
	for name, tt := range map[string]struct {
		required   fleet.Requirement
		reported   fleet.Geography
		unlabelled bool
		want       string
	}{
		"country":        {fleet.Requirement{Country: "CA"}, fleet.Geography{Countries: []string{"DE", "US"}}, false, "requires country CA; nodes report DE, US"},
		"region":         {fleet.Requirement{Region: "eu"}, fleet.Geography{Countries: []string{"US"}, Regions: []string{"a", "b"}}, false, "requires region eu; nodes report US and regions a, b"},
		"region alone":   {fleet.Requirement{Region: "eu"}, fleet.Geography{Regions: []string{"a"}}, false, "requires region eu; nodes report region a"},
		"blocked":        {fleet.Requirement{BlockedCountries: []string{"RU", "US"}}, fleet.Geography{Countries: []string{"RU"}}, true, "requires a country other than RU, US; nodes report RU, and some report neither country nor region"},
		"shadowed":       {fleet.Requirement{Region: "eu", BlockedCountries: []string{"DE"}}, fleet.Geography{}, true, "requires region eu; nodes report neither country nor region"},
		"both kinds":     {fleet.Requirement{Country: "CA", BlockedCountries: []string{"US"}}, fleet.Geography{}, false, "requires country CA and a country other than US; nodes report neither country nor region"},
		"enforced":       {fleet.Requirement{EnforcedRegion: "eu", EnforcedCountry: "DE", Country: "CA"}, fleet.Geography{}, false, "requires enforced region eu, enforced country DE and country CA; nodes report neither country nor region"},
		"nothing at all": {fleet.Requirement{}, fleet.Geography{}, false, "requires nothing; nodes report neither country nor region"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Reason(fleet.Reason{Code: fleet.ReasonGeoMismatch, Required: &tt.required, Reported: &tt.reported, Unlabelled: tt.unlabelled})
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestEventHasItsArguments(t *testing.T) {
	w := wordsOf(t, "event.Scaled: \"{{.Kind}} {{.Namespace}}/{{.Name}} from {{.From}}\"\n")
	got := w.Event(fleet.Event{Kind: "Deployment", Namespace: "demo", Name: "web", Reason: "Scaled", Args: map[string]string{"From": "2"}})
	if got != "Deployment demo/web from 2" {
		t.Errorf("got %q", got)
	}
	if got := w.Geo(fleet.Geo{Country: "US", Region: "na"}); got != "US and region na" {
		t.Errorf("got %q", got)
	}
}
