package scheduler

import (
	"testing"

	"odysseus/fleet"
)

func TestSatisfiesInTheOrderOfTheResidencyPage(t *testing.T) {
	euCore := declared{"eu-core": {"DE", "FR"}, "north": {"CA"}, "empty": nil}
	tests := []struct {
		name string
		req  fleet.Requirement
		at   fleet.Geo
		want bool
	}{
		{"nothing required, nothing reported", fleet.Requirement{}, fleet.Geo{}, true},
		{"nothing required, something reported", fleet.Requirement{}, fleet.Geo{Country: "US", Region: "x"}, true},

		{"country equal", fleet.Requirement{Country: "CA"}, fleet.Geo{Country: "CA"}, true},
		{"country other", fleet.Requirement{Country: "CA"}, fleet.Geo{Country: "US"}, false},
		{"country not reported", fleet.Requirement{Country: "CA"}, fleet.Geo{}, false},
		{"country is not looked up in regions", fleet.Requirement{Country: "CA"}, fleet.Geo{Region: "north"}, false},
		{"country is compared exactly", fleet.Requirement{Country: "CA"}, fleet.Geo{Country: "ca"}, false},

		{"region by label", fleet.Requirement{Region: "eu-core"}, fleet.Geo{Region: "eu-core"}, true},
		{"region by label though the country is outside", fleet.Requirement{Region: "eu-core"}, fleet.Geo{Country: "US", Region: "eu-core"}, true},
		{"region by country", fleet.Requirement{Region: "eu-core"}, fleet.Geo{Country: "FR"}, true},
		{"region by country though the label names another", fleet.Requirement{Region: "eu-core"}, fleet.Geo{Country: "FR", Region: "north"}, true},
		{"region by neither", fleet.Requirement{Region: "eu-core"}, fleet.Geo{Country: "CA", Region: "north"}, false},
		{"region, nothing reported", fleet.Requirement{Region: "eu-core"}, fleet.Geo{}, false},
		{"region names are compared exactly", fleet.Requirement{Region: "eu-core"}, fleet.Geo{Region: "EU-Core"}, false},
		{"region not declared, even by label", fleet.Requirement{Region: "gone"}, fleet.Geo{Country: "DE", Region: "gone"}, false},
		{"region without countries, no country", fleet.Requirement{Region: "empty"}, fleet.Geo{}, false},

		{"region satisfied stops: blocked is not evaluated", fleet.Requirement{Region: "eu-core", BlockedCountries: []string{"DE"}}, fleet.Geo{Country: "DE"}, true},
		{"region satisfied by label stops: no country is no matter", fleet.Requirement{Region: "eu-core", BlockedCountries: []string{"DE"}}, fleet.Geo{Region: "eu-core"}, true},
		{"region satisfied stops: country is not evaluated", fleet.Requirement{Region: "eu-core", Country: "CA"}, fleet.Geo{Country: "DE"}, true},
		{"region not satisfied refuses, whatever is blocked", fleet.Requirement{Region: "eu-core", BlockedCountries: []string{"US"}}, fleet.Geo{Country: "CA"}, false},
		{"region not satisfied refuses, whatever the country", fleet.Requirement{Region: "eu-core", Country: "CA"}, fleet.Geo{Country: "CA"}, false},

		{"blocked reported", fleet.Requirement{BlockedCountries: []string{"US", "RU"}}, fleet.Geo{Country: "RU"}, false},
		{"blocked, another reported", fleet.Requirement{BlockedCountries: []string{"US", "RU"}}, fleet.Geo{Country: "CA"}, true},
		{"blocked, no country reported", fleet.Requirement{BlockedCountries: []string{"US"}}, fleet.Geo{}, false},
		{"blocked, only a region reported", fleet.Requirement{BlockedCountries: []string{"US"}}, fleet.Geo{Region: "eu-core"}, false},
		{"country met and not blocked", fleet.Requirement{Country: "CA", BlockedCountries: []string{"US"}}, fleet.Geo{Country: "CA"}, true},
		{"country met and blocked", fleet.Requirement{Country: "CA", BlockedCountries: []string{"CA"}}, fleet.Geo{Country: "CA"}, false},

		{"enforced country met", fleet.Requirement{EnforcedCountry: "DE"}, fleet.Geo{Country: "DE"}, true},
		{"enforced country not met", fleet.Requirement{EnforcedCountry: "DE"}, fleet.Geo{Country: "FR"}, false},
		{"enforced country narrows a region", fleet.Requirement{EnforcedCountry: "DE", Region: "eu-core"}, fleet.Geo{Country: "FR"}, false},
		{"enforced country and region met", fleet.Requirement{EnforcedCountry: "DE", Region: "eu-core"}, fleet.Geo{Country: "DE"}, true},
		{"enforced country is not loosened by the tenant's", fleet.Requirement{EnforcedCountry: "DE", Country: "FR"}, fleet.Geo{Country: "FR"}, false},
		{"enforced country does not loosen the tenant's", fleet.Requirement{EnforcedCountry: "DE", Country: "FR"}, fleet.Geo{Country: "DE"}, false},
		{"enforced region met, nothing declared", fleet.Requirement{EnforcedRegion: "eu-core"}, fleet.Geo{Country: "DE"}, true},
		{"enforced region does not stop: country follows", fleet.Requirement{EnforcedRegion: "eu-core", Country: "FR"}, fleet.Geo{Country: "DE"}, false},
		{"enforced region does not stop: blocked follows", fleet.Requirement{EnforcedRegion: "eu-core", BlockedCountries: []string{"DE"}}, fleet.Geo{Country: "DE"}, false},
		{"enforced region not met", fleet.Requirement{EnforcedRegion: "eu-core"}, fleet.Geo{Country: "CA"}, false},
		{"enforced region narrows a region", fleet.Requirement{EnforcedRegion: "eu-core", Region: "north"}, fleet.Geo{Country: "CA"}, false},
		{"enforced region and region, each by another label", fleet.Requirement{EnforcedRegion: "eu-core", Region: "north"}, fleet.Geo{Country: "CA", Region: "eu-core"}, true},
		{"enforced region not declared", fleet.Requirement{EnforcedRegion: "gone"}, fleet.Geo{Region: "gone"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := satisfies(tt.req, euCore, tt.at); got != tt.want {
				t.Errorf("satisfies(%+v, %+v) = %v, want %v", tt.req, tt.at, got, tt.want)
			}
		})
	}
}

func TestUndeclaredNamesTheRegionThatIsMissing(t *testing.T) {
	d := declared{"eu-core": {"DE"}}
	tests := []struct {
		name string
		req  fleet.Requirement
		want string
	}{
		{"none asked for", fleet.Requirement{Country: "CA"}, ""},
		{"declared", fleet.Requirement{Region: "eu-core"}, ""},
		{"missing", fleet.Requirement{Region: "north"}, "north"},
		{"enforced missing", fleet.Requirement{EnforcedRegion: "south"}, "south"},
		{"both missing: the enforced one comes first", fleet.Requirement{EnforcedRegion: "south", Region: "north"}, "south"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.undeclared(tt.req); got != tt.want {
				t.Errorf("undeclared(%+v) = %q, want %q", tt.req, got, tt.want)
			}
		})
	}
}
