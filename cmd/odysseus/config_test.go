package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"odysseus/views/locale"
)

func words(t *testing.T) *locale.Words {
	t.Helper()
	catalogue, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.Words()
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettingsLayer(t *testing.T) {
	path := writeFile(t, "odysseus.yaml", "listen: 127.0.0.1:9000\nscheduler:\n  geo_awareness:\n    enabled: true\n    regions:\n      - {name: nordic, description: North, countries: [NO, SE]}\n")
	c, pinned, err := loadConfig(path, []string{"ODYSSEUS_LISTEN=127.0.0.1:9001", "ODYSSEUS_SCHEDULER_GEO_AWARENESS_ENABLED=false",
		"ODYSSEUS_URL=x", "ODYSSEUS_TOKEN=x", "ODYSSEUS_REQUIRE=x", "ODYSSEUS_BOOTSTRAP_OPERATOR=x", "HOME=/"}, words(t))
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:9001" || c.Database != "odysseus.db" || c.Agents.HeartbeatSeconds != 10 || c.Agents.LeaseSeconds != 40 {
		t.Errorf("merged %+v", c)
	}
	if pinned.Enabled == nil || *pinned.Enabled || pinned.Source["enabled"] != "ODYSSEUS_SCHEDULER_GEO_AWARENESS_ENABLED" {
		t.Errorf("enabled is pinned as %v from %v", pinned.Enabled, pinned.Source)
	}
	if pinned.OnDrift != nil || pinned.Source["onDrift"] != "" {
		t.Errorf("on_drift is pinned as %v", pinned.OnDrift)
	}
	if pinned.Regions == nil || (*pinned.Regions)[0].Countries[0] != "NO" || pinned.Source["regions"] != path {
		t.Errorf("regions are pinned as %v from %v", pinned.Regions, pinned.Source)
	}
}

func TestRegionsFromTheEnvironment(t *testing.T) {
	_, pinned, err := loadConfig("", []string{`ODYSSEUS_SCHEDULER_GEO_AWARENESS_REGIONS=[{name: nordic, description: "", countries: [NO]}]`}, words(t))
	if err != nil || pinned.Regions == nil || (*pinned.Regions)[0].Countries[0] != "NO" {
		t.Errorf("%v, %v", pinned.Regions, err)
	}
}

// TestBadSettingsStopTheStart: with where it was set, the key, the value and what is accepted.
func TestBadSettingsStopTheStart(t *testing.T) {
	geo := func(lines string) string { return "scheduler:\n  geo_awareness:\n    " + lines + "\n" }
	tests := []struct {
		name, file string
		environ    []string
		want       []string
	}{
		{"an unknown key", "listne: x\n", nil, []string{":1:1:", "listne", "unknown_field", "listen"}},
		{"a key at the wrong depth", "geo_awareness: {enabled: true}\n", nil, []string{"unknown_field", "scheduler.geo_awareness"}},
		{"a wrong type", geo("enabled: 1"), nil, []string{":3:14:", "scheduler.geo_awareness.enabled", "wrong_type", `"1"`, "true or false"}},
		{"a switch in words", geo("enabled: \"yes\""), nil, []string{"wrong_type", `"yes"`, "true or false"}},
		{"drift in another case", geo("on_drift: Report"), nil, []string{":3:15:", "scheduler.geo_awareness.on_drift", "value_not_accepted", `"Report"`, "report, reschedule"}},
		{"a reserved code", geo("regions: [{name: a, countries: [UK]}]"), nil, []string{":3:37:", "scheduler.geo_awareness.regions[0].countries[0]", "residency_country_unassigned", `"UK"`, "two capital letters", "(GB?)"}},
		{"a region twice", geo("regions: [{name: a, countries: [DE]}, {name: a, countries: [FR]}]"), nil, []string{"regions[1].name", "region_repeated", `"a"`}},
		{"a region without countries", geo("regions: [{name: a, countries: []}]"), nil, []string{"regions[0].countries", "region_without_countries"}},
		{"a short lease", "agents: {heartbeat_seconds: 10, lease_seconds: 15}\n", nil, []string{"agents.lease_seconds", "out_of_range", `"15"`, "20"}},
		{"half a certificate", "tls: {certificate_file: a.pem}\n", nil, []string{"tls.key_file", "required"}},
		{"no port", "listen: localhost\n", nil, []string{"listen", "value_not_accepted", `"localhost"`}},
		{"no YAML", "listen: [\n", nil, []string{"invalid_yaml"}},
		{"an unknown variable", "", []string{"ODYSSEUS_LISTNE=x"}, []string{"ODYSSEUS_LISTNE", "unknown_field", "ODYSSEUS_LISTEN"}},
		{"a variable's wrong type", "", []string{"ODYSSEUS_SCHEDULER_GEO_AWARENESS_ENABLED=on"}, []string{"ODYSSEUS_SCHEDULER_GEO_AWARENESS_ENABLED", "wrong_type", "true or false"}},
		{"two at once", "listne: x\ndatabse: y\n", nil, []string{"listen", "database"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := ""
			if tt.file != "" {
				path = writeFile(t, "odysseus.yaml", tt.file)
			}
			_, _, err := loadConfig(path, tt.environ, words(t))
			if err == nil {
				t.Fatal("accepted")
			}
			if exitCode(err) != 1 {
				t.Errorf("exit code %d", exitCode(err))
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}
