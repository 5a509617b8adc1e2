package agent

import (
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// Config is an agent's file, agent.yaml, key by key. cmd fills it from file and environment and then calls Complete.
type Config struct {
	ControlPlane       string   `json:"control_plane"`
	Name               string   `json:"name"`
	Cluster            string   `json:"cluster"`
	EnrolmentTokenFile string   `json:"enrolment_token_file"`
	Country            string   `json:"country"`
	GeoRegion          string   `json:"geo_region"`
	Capacity           Capacity `json:"capacity"`
	Runtime            string   `json:"runtime"`
	DockerHost         string   `json:"docker_host"`
	StateDir           string   `json:"state_dir"`
}

// runtimes that this build carries.
func runtimes() []string { return []string{fleet.RuntimeSimulated} }

// Complete fills in what was left out: the capacity with what the machine has, the state directory with NAME.state
// beside the configuration's file (in the working directory where file is empty).
func (c Config) Complete(file string, m Machine) Config {
	c.Capacity = c.Capacity.filled(m)
	if c.StateDir == "" && c.Name != "" {
		c.StateDir = filepath.Join(filepath.Dir(file), c.Name+".state")
	}
	return c
}

// Validate names everything in a complete configuration that an agent could not start with.
func (c Config) Validate() fleet.FieldErrors {
	var faults fleet.FieldErrors
	required := func(field, value string) bool {
		if value == "" {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: field, Want: "required"})
		}
		return value != ""
	}
	if required("control_plane", c.ControlPlane) && !isControlPlane(c.ControlPlane) {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeNotAccepted, Field: "control_plane", Value: c.ControlPlane, Want: "control_plane"})
	}
	for _, n := range []struct{ field, value string }{{"name", c.Name}, {"cluster", c.Cluster}} {
		if required(n.field, n.value) && !fleet.IsName(n.value) {
			f := fleet.FieldError{Code: fleet.CodeNameInvalid, Field: n.field, Value: n.value, Want: "name"}
			if lower := strings.ToLower(strings.TrimSpace(n.value)); fleet.IsName(lower) {
				f.Suggestion = lower
			}
			faults = append(faults, f)
		}
	}
	faults = append(faults, validateGeo(c.Country, c.GeoRegion)...)
	faults = append(faults, c.Capacity.validate()...)
	if required("runtime", c.Runtime) && !slices.Contains(runtimes(), c.Runtime) {
		f := fleet.FieldError{Code: fleet.CodeNotAccepted, Field: "runtime", Value: c.Runtime, Want: "runtime",
			WantArgs: map[string]string{"Values": strings.Join(runtimes(), ", ")}}
		if c.Runtime == fleet.RuntimeDocker {
			f.WantArgs["Absent"] = c.Runtime // known, and not part of this build
		}
		faults = append(faults, f)
	}
	if c.Name != "" {
		required("state_dir", c.StateDir)
	}
	return faults
}

// validateGeo: "An agent whose configured country is not an assigned code refuses to start and says why. A node may
// report no country." The region's name is an operator's to declare: here it need only be one that a label can carry.
func validateGeo(country, region string) fleet.FieldErrors {
	var faults fleet.FieldErrors
	if country != "" && !fleet.CountryAssigned(country) {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeNodeCountryInvalid, Field: "country", Value: country, Want: "country",
			Suggestion: fleet.SuggestCountry(country)})
	}
	if !fleet.IsLabelValue(region) {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeLabelInvalid, Field: "geo_region", Value: region, Want: "label_value"})
	}
	return faults
}

func (c Capacity) validate() fleet.FieldErrors {
	var faults fleet.FieldErrors
	for _, q := range []struct {
		field string
		value fleet.Quantity
	}{{"capacity.cpu", c.CPU}, {"capacity.memory", c.Memory}} {
		switch {
		case q.value == "":
			faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: q.field, Want: "quantity"})
		case !q.value.Valid():
			faults = append(faults, fleet.FieldError{Code: fleet.CodeQuantityInvalid, Field: q.field, Value: string(q.value), Want: "quantity"})
		}
	}
	if c.Containers < 1 || c.Containers > MaxContainers {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeOutOfRange, Field: "capacity.containers", Value: strconv.Itoa(c.Containers), Want: "range",
			WantArgs: map[string]string{"Low": "1", "High": strconv.Itoa(MaxContainers)}})
	}
	return faults
}

// isControlPlane takes an address with or without a path to put in front of /api/v1, and nothing that would be
// dropped or logged: no query, fragment or password.
func isControlPlane(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}
