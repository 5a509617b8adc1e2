package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheCommandsOfTheClient applies the reference's manifest verbatim, is warned on standard error, looks at it,
// learns why it is pending, is refused with a place in the file, and deletes it.
func TestTheCommandsOfTheClient(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("europe")
	p.node("n-de", "europe", "DE", "eu-core")
	environ := []string{"ODYSSEUS_URL=" + p.base, "ODYSSEUS_TOKEN=" + token}
	good := writeFile(t, "good.yaml", ledgerAPI)
	bad := writeFile(t, "bad.yaml", ledgerAPI+"---\n"+strings.Replace(manifestOf("other", []string{"country: UK"}), "replicas: 2", "replicas: -1", 1))
	hand := writeFile(t, "hand.yaml", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: hand\n  labels: {odysseus.io/data-residency-country: CA}\nspec: {image: nginx}\n")

	tests := []struct {
		name           string
		args           []string
		environ        []string
		code           int
		stdout, stderr []string
	}{
		{"a dry run", []string{"apply", "-f", good, "--dry-run"}, environ, 0, []string{"acme/ledger-api created"}, []string{"warning: no_matching_node:"}},
		{"refused, all or nothing", []string{"apply", "-f", bad}, environ, 1, nil, []string{bad + ":18:13: out_of_range", bad + ":21:16: residency_country_unassigned", "(GB?)"}},
		{"still nothing there", []string{"get", "ledger-api", "-n", "acme"}, environ, 1, nil, []string{"not_found"}},
		{"a label by hand", []string{"apply", "-f", hand}, environ, 1, nil, []string{hand + ":5:12: residency_label_handwritten", "    placement:\n      residency:\n        country: CA"}},
		{"created and warned", []string{"apply", "-f", good}, environ, 0, []string{"acme/ledger-api created"}, []string{"warning: no_matching_node:", "DE"}},
		{"unchanged", []string{"apply", "-f", good}, environ, 0, []string{"acme/ledger-api unchanged"}, []string{"warning: no_matching_node:"}},
		{"the list", []string{"get", "-n", "acme"}, environ, 0, []string{"acme/ledger-api Pending: 0 of 2 placed, 0 ready"}, nil},
		{"as YAML", []string{"get", "ledger-api", "-n", "acme", "-o", "yaml"}, environ, 0, []string{"apiVersion: odysseus/v1", "country: CA"}, nil},
		{"why", []string{"explain", "ledger-api", "-n", "acme"}, environ, 0, []string{"acme/ledger-api: Pending", "geo_mismatch: requires country CA; nodes report DE"}, nil},
		{"deleted", []string{"delete", "ledger-api", "-n", "acme"}, environ, 0, []string{"acme/ledger-api deleted"}, nil},
		{"no token", []string{"get", "-n", "acme"}, environ[:1], 1, nil, []string{"ODYSSEUS_TOKEN"}},
		{"a bad token", []string{"get", "-n", "acme"}, []string{environ[0], "ODYSSEUS_TOKEN=nonsense"}, 1, nil, []string{"unauthenticated"}},
		{"an unknown command", []string{"aply"}, environ, 1, nil, []string{"aply"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.settle()
			code, stdout, stderr := command(t, "", tt.environ, tt.args...)
			if code != tt.code {
				t.Errorf("exit %d, want %d\n%s%s", code, tt.code, stdout, stderr)
			}
			for _, part := range tt.stdout {
				if !strings.Contains(stdout, part) {
					t.Errorf("standard output %q lacks %q", stdout, part)
				}
			}
			for _, part := range tt.stderr {
				if !strings.Contains(stderr, part) {
					t.Errorf("standard error %q lacks %q", stderr, part)
				}
			}
			if tt.stderr == nil && stderr != "" {
				t.Errorf("standard error %q, want nothing", stderr)
			}
		})
	}
}

func TestBackupAndRestore(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.mustDeploy(token, "acme", ledgerAPI)
	copied := filepath.Join(p.dir, "copy.db")
	if code, _, stderr := command(t, "", nil, "backup", copied, "--config", p.config); code != 0 {
		t.Fatalf("backup: %d %s", code, stderr)
	}
	t.Chdir(p.dir)
	if code, _, stderr := command(t, "", nil, "backup", "beside.db", "--config", p.config); code != 0 {
		t.Errorf("a relative name: %d %s", code, stderr)
	}
	if code, _, stderr := command(t, "", nil, "backup", copied, "--config", p.config); code == 0 {
		t.Errorf("a backup overwrote another: %s", stderr)
	}
	if code, _, stderr := command(t, "", nil, "restore", copied, "--config", p.config); code == 0 {
		t.Errorf("restored under a running control plane: %s", stderr)
	}
	// Into an empty place it goes, and everything is there.
	p.stop()
	p.config = writeFile(t, "odysseus.yaml", "database: "+filepath.Join(p.dir, "restored.db")+"\nagents: {heartbeat_seconds: 1, lease_seconds: 600}\n"+enforced)
	if code, _, stderr := command(t, "", nil, "restore", copied, "--config", p.config); code != 0 {
		t.Fatalf("restore: %d %s", code, stderr)
	}
	p.start()
	p.must(http.StatusOK, http.MethodGet, "/api/v1/namespaces/acme/deployments/ledger-api", token, nil)
}

func TestASecondServeOnTheSameFileIsRefused(t *testing.T) {
	p := startPlane(t, enforced)
	config := writeFile(t, "second.yaml", "listen: 127.0.0.1:0\ndatabase: "+filepath.Join(p.dir, "odysseus.db")+"\n")
	if code, _, stderr := command(t, "", nil, "serve", "--config", config); code != 2 || !strings.Contains(stderr, "odysseus.db") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

func TestEverythingIsThereAfterARestart(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("americas")
	canadian := p.node("n-ca", "americas", "CA", "")
	p.mustDeploy(token, "acme", ledgerAPI)
	p.settle()
	canadian.carryOut()
	before := canadian.assigned()
	p.stop()
	p.start()
	p.settle()
	if after := canadian.assigned(); len(after.Containers) != 2 || after.Version != before.Version || after.Containers[0].ID != before.Containers[0].ID {
		t.Errorf("assigned\n%+v\nbefore the restart\n%+v", after, before)
	}
	if report := p.placement(token, "acme", "ledger-api"); report.State != "Placed" || report.Clusters[0].Ready != 2 {
		t.Errorf("placement %+v", report)
	}
}
