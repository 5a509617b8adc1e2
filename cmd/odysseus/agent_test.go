package main

import (
	"strings"
	"testing"
)

// TestAnAgentThatCannotBeTrueRefusesToStart: and says why, with the place in its file.
func TestAnAgentThatCannotBeTrueRefusesToStart(t *testing.T) {
	const good = "control_plane: http://127.0.0.1:1\nname: edge-1\ncluster: canada\nruntime: simulated\n"
	tests := []struct {
		name, file string
		want       []string
	}{
		{"a country that is none", good + "country: UK\n", []string{":5:10: node_country_unassigned", `"UK"`, "(GB?)"}},
		{"a country in small letters", good + "country: ca\n", []string{":5:10: node_country_unassigned", "(CA?)"}},
		{"a runtime of a later version", strings.Replace(good, "simulated", "docker", 1), []string{":4:10:", `"docker"`, "simulated"}},
		{"a misspelt key", good + "contry: CA\n", []string{":5:1: unknown_field", "country"}},
		{"two at once", strings.Replace(good, "simulated", "docker", 1) + "contry: CA\n", []string{":4:10:", ":5:1: unknown_field"}},
		{"no cluster", "control_plane: http://127.0.0.1:1\nname: edge-1\nruntime: simulated\n", []string{"required", "cluster"}},
		{"an address that is none", strings.Replace(good, "http://127.0.0.1:1", "127.0.0.1", 1), []string{":1:16:", "https://console.example.com"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, "agent.yaml", tt.file)
			code, _, stderr := command(t, "", nil, "agent", "--config", path)
			if code != 1 {
				t.Errorf("exit %d", code)
			}
			for _, part := range tt.want {
				if !strings.Contains(stderr, part) {
					t.Errorf("%q lacks %q", stderr, part)
				}
			}
		})
	}
}
