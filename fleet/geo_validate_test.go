package fleet_test

import (
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestAnOperatorsRegionsAreHeldToTheSameRules(t *testing.T) {
	ok := []string{"DE"}
	tests := []struct {
		name    string
		geo     fleet.GeoAwareness
		code    fleet.Code // empty: accepted
		field   string
		value   string
		suggest string
	}{
		{"nothing", fleet.GeoAwareness{}, "", "", "", ""},
		{"one region", fleet.GeoAwareness{OnDrift: "report", Regions: []fleet.Region{{Name: "eu-core", Countries: ok}}}, "", "", "", ""},
		{"a name in capitals", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "EU_Core.1", Countries: ok}}}, "", "", "", ""},
		{"drift in another case", fleet.GeoAwareness{OnDrift: "Report"}, fleet.CodeNotAccepted, "onDrift", "Report", "report"},
		{"no name", fleet.GeoAwareness{Regions: []fleet.Region{{Countries: ok}}}, fleet.CodeRequired, "regions[0].name", "", ""},
		{"a name with a space", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "eu core", Countries: ok}}}, fleet.CodeNameInvalid, "regions[0].name", "eu core", ""},
		{"a name twice", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "a", Countries: ok}, {Name: "a", Countries: ok}}}, fleet.CodeRegionRepeated, "regions[1].name", "a", ""},
		{"no countries", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "a"}}}, fleet.CodeRegionWithoutCountry, "regions[0].countries", "[]", ""},
		{"a reserved code", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "a", Countries: []string{"DE", "UK"}}}}, fleet.CodeCountryUnassigned, "regions[0].countries[1]", "UK", "GB"},
		{"a country twice", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "a", Countries: []string{"DE", "DE"}}}}, fleet.CodeCountryRepeated, "regions[0].countries[1]", "DE", ""},
		{"a long description", fleet.GeoAwareness{Regions: []fleet.Region{{Name: "a", Countries: ok, Description: strings.Repeat("x", 501)}}}, fleet.CodeTooLong, "regions[0].description", strings.Repeat("x", 501), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			faults := fleet.ValidateGeoAwareness(tt.geo)
			if tt.code == "" {
				if len(faults) > 0 {
					t.Errorf("refused: %+v", faults)
				}
				return
			}
			if len(faults) != 1 {
				t.Fatalf("refused with %+v", faults)
			}
			f := faults[0]
			if f.Code != tt.code || f.Field != tt.field || f.Value != tt.value || f.Suggestion != tt.suggest {
				t.Errorf("refused with %+v, want %s at %s, %q, suggesting %q", f, tt.code, tt.field, tt.value, tt.suggest)
			}
		})
	}
}

func TestCountrySuggestions(t *testing.T) {
	for text, want := range map[string]string{
		"ca": "CA", " CA": "CA", "C A": "CA", "CAN": "CA", "can": "CA", "Canada": "CA", "CANADA ": "CA", "Canadaa": "CA",
		"UK": "GB", "uk": "GB", "EL": "GR", "United Kingdom": "GB", "Deutschland": "DE", "Allemagne": "DE", "Alemanha": "DE",
		"德国": "DE", "USA": "US", "Holland": "NL", "no": "NO", "Côte d’Ivoire": "CI", "Hong Kong": "HK",
		"XK": "", "EU": "", "AN": "", "SU": "", "ZZ": "", "": "", "Nowhere": "", "🇨🇦": "", "12": "",
	} {
		if got := fleet.SuggestCountry(text); got != want {
			t.Errorf("%q suggests %q, want %q", text, got, want)
		}
	}
}

func TestSelectors(t *testing.T) {
	labels := map[string]string{"app": "web", "tier": "a"}
	for text, want := range map[string]bool{"app=web": true, "app!=web": false, "tier in (a,b),app": true, "!old": true, "tier notin (a)": false} {
		s, faults := fleet.ParseSelector(text)
		if len(faults) > 0 || s.Matches(labels) != want {
			t.Errorf("%q: %v, %+v", text, !want, faults)
		}
	}
	if s, faults := fleet.ParseSelector(" "); s != nil || len(faults) > 0 {
		t.Errorf("empty selects %v, %+v", s, faults)
	}
	_, faults := fleet.ParseSelector("app in web")
	if len(faults) != 1 || faults[0].Code != fleet.CodeSelectorInvalid || faults[0].Value != "app in web" {
		t.Errorf("a broken one gives %+v", faults)
	}
}

func TestSameTemplate(t *testing.T) {
	one, two := 1, 2
	base := fleet.DeploymentSpec{Image: "nginx", Replicas: &one, Env: []fleet.EnvVar{{Name: "A", Value: "x"}}}
	tests := []struct {
		name   string
		change func(*fleet.DeploymentSpec)
		same   bool
	}{
		{"replicas", func(s *fleet.DeploymentSpec) { s.Replicas = &two }, true},
		{"residency", func(s *fleet.DeploymentSpec) {
			s.Placement = &fleet.Placement{Residency: &fleet.Residency{Country: "CA"}}
		}, true},
		{"image", func(s *fleet.DeploymentSpec) { s.Image = "nginx:2" }, false},
		{"environment", func(s *fleet.DeploymentSpec) { s.Env = nil }, false},
		{"ports", func(s *fleet.DeploymentSpec) { s.Ports = []fleet.Port{{ContainerPort: 80}} }, false},
		{"limits", func(s *fleet.DeploymentSpec) {
			s.Resources = &fleet.Resources{Limits: &fleet.ResourceList{CPU: "1"}}
		}, false},
		{"grace", func(s *fleet.DeploymentSpec) { s.TerminationGracePeriodSeconds = &two }, false},
	}
	for _, tt := range tests {
		changed := base
		tt.change(&changed)
		if got := fleet.SameTemplate(base, changed); got != tt.same {
			t.Errorf("%s changed: same template %v, want %v", tt.name, got, tt.same)
		}
	}
}
