package agent_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"odysseus/agent"
	"odysseus/fleet"
)

func complete() agent.Config {
	return agent.Config{ControlPlane: "https://console.example.com", Name: "edge-yul-1", Cluster: "canada", Runtime: fleet.RuntimeSimulated}.
		Complete(filepath.Join("etc", "agent.yaml"), agent.Machine{CPUs: 8, Memory: 16 << 30})
}

func TestCompleteTakesFromTheMachineWhatIsLeftOut(t *testing.T) {
	c := complete()
	if want := (agent.Capacity{CPU: "8", Memory: "16777216Ki", Containers: agent.DefaultContainers}); c.Capacity != want {
		t.Errorf("capacity %+v, want %+v", c.Capacity, want)
	}
	if want := filepath.Join("etc", "edge-yul-1.state"); c.StateDir != want {
		t.Errorf("state directory %q, want %q", c.StateDir, want)
	}
	if faults := c.Validate(); faults != nil {
		t.Errorf("refused: %+v", faults)
	}
	given := agent.Config{Name: "edge-yul-1", StateDir: "/var/lib/odysseus", Capacity: agent.Capacity{CPU: "500m", Memory: "1Gi", Containers: 3}}
	if after := given.Complete("", agent.Machine{CPUs: 8, Memory: 1 << 30}); after != given {
		t.Errorf("%+v became %+v, want it untouched", given, after)
	}
	if beside := (agent.Config{Name: "n"}).Complete("", agent.Machine{}); beside.StateDir != "n.state" {
		t.Errorf("state directory %q, want it in the working directory", beside.StateDir)
	}
}

func TestThisMachineHasSomething(t *testing.T) {
	if m := agent.ThisMachine(); m.CPUs < 1 || m.Memory < 0 {
		t.Errorf("this machine is %+v", m)
	}
}

func TestValidateRefusesWhatAnAgentCannotStartWith(t *testing.T) {
	runtime := map[string]string{"Values": "simulated"}
	docker := map[string]string{"Values": "simulated", "Absent": "docker"}
	limits := map[string]string{"Low": "1", "High": "10000"}
	for _, test := range []struct {
		name   string
		change func(*agent.Config)
		want   fleet.FieldErrors
	}{
		{"nothing but what is required", func(*agent.Config) {}, nil},
		{"everything", func(c *agent.Config) {
			c.ControlPlane, c.Country, c.GeoRegion, c.DockerHost = "http://10.0.0.1:8080/odysseus/", "NO", "north-america", "unix:///var/run/docker.sock"
		}, nil},
		{"nothing at all", func(c *agent.Config) { *c = agent.Config{} }, fleet.FieldErrors{
			{Code: fleet.CodeRequired, Field: "control_plane", Want: "required"},
			{Code: fleet.CodeRequired, Field: "name", Want: "required"},
			{Code: fleet.CodeRequired, Field: "cluster", Want: "required"},
			{Code: fleet.CodeRequired, Field: "capacity.cpu", Want: "quantity"},
			{Code: fleet.CodeRequired, Field: "capacity.memory", Want: "quantity"},
			{Code: fleet.CodeOutOfRange, Field: "capacity.containers", Value: "0", Want: "range", WantArgs: limits},
			{Code: fleet.CodeRequired, Field: "runtime", Want: "required"},
		}},
		{"no state directory", func(c *agent.Config) { c.StateDir = "" }, fleet.FieldErrors{{Code: fleet.CodeRequired, Field: "state_dir", Want: "required"}}},
		{"a country that is not assigned", func(c *agent.Config) { c.Country = "UK" },
			fleet.FieldErrors{{Code: fleet.CodeNodeCountryInvalid, Field: "country", Value: "UK", Want: "country", Suggestion: "GB"}}},
		{"a country in small letters", func(c *agent.Config) { c.Country = "ca" },
			fleet.FieldErrors{{Code: fleet.CodeNodeCountryInvalid, Field: "country", Value: "ca", Want: "country", Suggestion: "CA"}}},
		{"a country that nobody knows", func(c *agent.Config) { c.Country = "XK" },
			fleet.FieldErrors{{Code: fleet.CodeNodeCountryInvalid, Field: "country", Value: "XK", Want: "country"}}},
		{"a region that no label can carry", func(c *agent.Config) { c.GeoRegion = "north america" },
			fleet.FieldErrors{{Code: fleet.CodeLabelInvalid, Field: "geo_region", Value: "north america", Want: "label_value"}}},
		{"a name with a capital", func(c *agent.Config) { c.Name = "Edge" },
			fleet.FieldErrors{{Code: fleet.CodeNameInvalid, Field: "name", Value: "Edge", Want: "name", Suggestion: "edge"}}},
		{"a cluster that is no name", func(c *agent.Config) { c.Cluster = "a/b" },
			fleet.FieldErrors{{Code: fleet.CodeNameInvalid, Field: "cluster", Value: "a/b", Want: "name"}}},
		{"docker, which this build lacks", func(c *agent.Config) { c.Runtime = "docker" },
			fleet.FieldErrors{{Code: fleet.CodeNotAccepted, Field: "runtime", Value: "docker", Want: "runtime", WantArgs: docker}}},
		{"a runtime that nobody knows", func(c *agent.Config) { c.Runtime = "podman" },
			fleet.FieldErrors{{Code: fleet.CodeNotAccepted, Field: "runtime", Value: "podman", Want: "runtime", WantArgs: runtime}}},
		{"quantities that are none", func(c *agent.Config) { c.Capacity = agent.Capacity{CPU: "many", Memory: "-1", Containers: 10_001} }, fleet.FieldErrors{
			{Code: fleet.CodeQuantityInvalid, Field: "capacity.cpu", Value: "many", Want: "quantity"},
			{Code: fleet.CodeQuantityInvalid, Field: "capacity.memory", Value: "-1", Want: "quantity"},
			{Code: fleet.CodeOutOfRange, Field: "capacity.containers", Value: "10001", Want: "range", WantArgs: limits},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := complete()
			test.change(&c)
			faults := c.Validate()
			if !reflect.DeepEqual(faults, test.want) {
				t.Errorf("refused %+v\nwant %+v", faults, test.want)
			}
			if a, refused := agent.New(agent.Options{Config: c}); (a == nil) != (test.want != nil) || !reflect.DeepEqual(refused, test.want) {
				t.Errorf("New answers %v, %+v", a, refused)
			}
		})
	}
}

func TestControlPlanesAddress(t *testing.T) {
	for address, accepted := range map[string]bool{
		"https://console.example.com": true, "http://127.0.0.1:8080": true, "http://[::1]:8080/": true, "https://example.com/odysseus": true,
		"console.example.com": false, "ftp://example.com": false, "https://": false, "https://:8080": false, "https://a:b@example.com": false,
		"https://example.com/?a=b": false, "https://example.com/?": false, "https://example.com/#a": false, "http://exa mple.com": false, "//example.com": false,
	} {
		c := complete()
		c.ControlPlane = address
		want := fleet.FieldErrors(nil)
		if !accepted {
			want = fleet.FieldErrors{{Code: fleet.CodeNotAccepted, Field: "control_plane", Value: address, Want: "control_plane"}}
		}
		if faults := c.Validate(); !reflect.DeepEqual(faults, want) {
			t.Errorf("%s: %+v, want %+v", address, faults, want)
		}
	}
}
