package fleet

import (
	"slices"
	"strings"
)

// The labels that the scheduler reads. The first three are what the typed block compiles to; the enforced two
// are read and set by nothing.
const (
	LabelPrefix           = "odysseus.io/"
	LabelResidencyCountry = "odysseus.io/data-residency-country"
	LabelResidencyRegion  = "odysseus.io/data-residency-region"
	LabelBlockedCountries = "odysseus.io/blocked-countries"
	LabelEnforcedCountry  = "odysseus.io/data-residency-country-enforced"
	LabelEnforcedRegion   = "odysseus.io/data-residency-region-enforced"

	// What a node says of itself.
	LabelNodeCountry   = "odysseus.io/country"
	LabelNodeGeoRegion = "odysseus.io/geo-region"
)

// SettingEnforcement names the switch that adds the geo filter to the scheduler; warnings quote it.
const SettingEnforcement = "scheduler.geo_awareness.enabled"

// Residency is the requirement of where a deployment runs. Country and Region are alternatives;
// BlockedCountries is not evaluated once a region is satisfied.
type Residency struct {
	Country          string   `json:"country,omitempty" decode:"nonempty" validate:"omitempty,country"`
	Region           string   `json:"region,omitempty" decode:"nonempty"`
	BlockedCountries []string `json:"blockedCountries,omitempty" decode:"nonempty" validate:"dive,country"`
}

// Labels compiles the typed block to exactly the labels that the scheduler reads; nil for none.
func (r *Residency) Labels() map[string]string {
	if r.Empty() {
		return nil
	}
	labels := map[string]string{}
	if r.Country != "" {
		labels[LabelResidencyCountry] = r.Country
	}
	if r.Region != "" {
		labels[LabelResidencyRegion] = r.Region
	}
	if len(r.BlockedCountries) > 0 {
		labels[LabelBlockedCountries] = strings.Join(r.BlockedCountries, ",")
	}
	return labels
}

// Empty says whether r requires nothing.
func (r *Residency) Empty() bool {
	return r == nil || r.Country == "" && r.Region == "" && len(r.BlockedCountries) == 0
}

// Equal compares two residencies; nil and empty are the same.
func (r *Residency) Equal(o *Residency) bool {
	if r.Empty() || o.Empty() {
		return r.Empty() && o.Empty()
	}
	return r.Country == o.Country && r.Region == o.Region && slices.Equal(r.BlockedCountries, o.BlockedCountries)
}

// Requirement is what the geo filter checks a node against: the compiled labels, read back.
type Requirement struct {
	Country          string   `json:"country,omitempty"`
	Region           string   `json:"region,omitempty"`
	BlockedCountries []string `json:"blockedCountries,omitempty"`
	EnforcedCountry  string   `json:"enforcedCountry,omitempty"`
	EnforcedRegion   string   `json:"enforcedRegion,omitempty"`
}

// RequirementOf reads the compiled labels. Labels it does not know are not its business.
func RequirementOf(labels map[string]string) Requirement {
	r := Requirement{
		Country:         labels[LabelResidencyCountry],
		Region:          labels[LabelResidencyRegion],
		EnforcedCountry: labels[LabelEnforcedCountry],
		EnforcedRegion:  labels[LabelEnforcedRegion],
	}
	if blocked := labels[LabelBlockedCountries]; blocked != "" {
		r.BlockedCountries = strings.Split(blocked, ",")
	}
	return r
}

// Empty says whether every node satisfies r.
func (r Requirement) Empty() bool {
	return r.Country == "" && r.Region == "" && len(r.BlockedCountries) == 0 && r.EnforcedCountry == "" && r.EnforcedRegion == ""
}

// Key is equal for equal requirements, to group deployments by.
func (r Requirement) Key() string {
	return strings.Join([]string{r.EnforcedRegion, r.EnforcedCountry, r.Region, r.Country, strings.Join(r.BlockedCountries, ",")}, "\x00")
}

// Geo is where a node says it is; either may be empty.
type Geo struct {
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
}

// Geography is a set of values that nodes advertise: sorted, distinct, never which node and never how many.
type Geography struct {
	Countries []string `json:"countries"`
	Regions   []string `json:"regions"`
}

// Region is an operator's grouping of countries.
type Region struct {
	Name        string   `json:"name" yaml:"name"`
	Description string   `json:"description" yaml:"description"`
	Countries   []string `json:"countries" yaml:"countries"`
}

// What happens to a replica whose node came to be outside its residency.
const (
	OnDriftReport     = "report"
	OnDriftReschedule = "reschedule"
)

// GeoAwareness is the operator's declaration under scheduler.geo_awareness.
type GeoAwareness struct {
	Enabled bool     `json:"enabled"`
	OnDrift string   `json:"onDrift"`
	Regions []Region `json:"regions"`
}

// Region finds a declared region by its exact name.
func (g GeoAwareness) Region(name string) (Region, bool) {
	for _, r := range g.Regions {
		if r.Name == name {
			return r, true
		}
	}
	return Region{}, false
}

// RegionNames in the order declared.
func (g GeoAwareness) RegionNames() []string {
	names := make([]string, len(g.Regions))
	for i, r := range g.Regions {
		names[i] = r.Name
	}
	return names
}
