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

// TestTheClientKnowsPoliciesAndResources, by kind and name, in the plural, the singular or as manifests spell it.
func TestTheClientKnowsPoliciesAndResources(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("europe")
	p.node("n-de", "europe", "DE", "eu-core")
	tenant := []string{"ODYSSEUS_URL=" + p.base, "ODYSSEUS_TOKEN=" + token}
	operator := []string{"ODYSSEUS_URL=" + p.base, "ODYSSEUS_TOKEN=" + operatorToken}
	policy := "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web}\nspec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}], placement: {}}\n"
	web := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2, template: {spec: {containers: [{name: a, image: nginx}]}}}\n"
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
	all := writeFile(t, "all.yaml", policy+"---\n"+web+"---\n"+config)
	wide := writeFile(t, "wide.yaml", strings.Replace(policy, "kind: P", "kind: ClusterP", 1)+"---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n")
	tests := []struct {
		name           string
		args           []string
		environ        []string
		code           int
		stdout, stderr string
	}{
		{"applied together", []string{"apply", "-f", all}, tenant, 0, "PropagationPolicy acme/web created\nDeployment acme/web created Waiting\nConfigMap acme/settings created", ""},
		{"what is cluster-wide", []string{"apply", "-f", wide}, operator, 0, "ClusterPropagationPolicy web created\nStorageClass fast created", ""},
		{"a policy", []string{"get", "propagationpolicies", "web", "-n", "acme"}, tenant, 0, "PropagationPolicy acme/web\n", ""},
		{"as it is spelt", []string{"get", "PropagationPolicy", "web", "-n", "acme", "-o", "yaml"}, tenant, 0, "apiVersion: policy.karmada.io/v1alpha1", ""},
		{"all policies", []string{"get", "propagationpolicy", "-n", "acme"}, tenant, 0, "PropagationPolicy acme/web\n", ""},
		{"a cluster-wide one", []string{"get", "clusterpropagationpolicies", "web"}, operator, 0, "ClusterPropagationPolicy web\n", ""},
		{"all resources", []string{"get", "resources", "-n", "acme"}, tenant, 0, "ConfigMap acme/settings Placed\nDeployment acme/web Placed\n", ""},
		{"of a kind", []string{"get", "resources", "apps/v1/Deployment", "-n", "acme"}, tenant, 0, "Deployment acme/web Placed\n", ""},
		{"of the core's", []string{"get", "resources", "v1/ConfigMap", "-n", "acme"}, tenant, 0, "ConfigMap acme/settings Placed\n", ""},
		{"one resource", []string{"get", "resource", "v1/ConfigMap/settings", "-n", "acme", "-o", "json"}, tenant, 0, "\"data\": {\n    \"a\": \"b\"\n  }", ""},
		{"a cluster-scoped one", []string{"get", "resources", "storage.k8s.io/v1/StorageClass/fast"}, operator, 0, "StorageClass fast", ""},
		{"where one is", []string{"explain", "resources", "apps/v1/Deployment/web", "-n", "acme"}, tenant, 0, "acme/apps/v1/Deployment/web: Placed\n  policy PropagationPolicy acme/web\n", ""},
		{"on which cluster", []string{"explain", "resources", "apps/v1/Deployment/web", "-n", "acme"}, tenant, 0, "  cluster europe: 2 placed, 0 ready\n", ""},
		{"what a policy selects", []string{"explain", "propagationpolicies", "web", "-n", "acme"}, tenant, 0, "acme/web: selects 2\n  v1 ConfigMap acme/settings: Placed\n", ""},
		{"a kind that there is not", []string{"get", "policies", "web", "-n", "acme"}, tenant, 1, "", `"policies" is no kind here`},
		{"without a namespace", []string{"get", "propagationpolicies", "web"}, tenant, 1, "", "-n: say in which namespace"},
		{"an override policy, with one too many", []string{"get", "ClusterOverridePolicy", "o", "-n", "acme"}, operator, 1, "", "-n: clusteroverridepolicies have no namespace"},
		{"an override policy, without a namespace", []string{"get", "overridepolicies"}, tenant, 1, "", "-n: say in which namespace"},
		{"with one too many", []string{"get", "clusterpropagationpolicies", "web", "-n", "acme"}, operator, 1, "", "-n: clusterpropagationpolicies have no namespace"},
		{"half a name", []string{"delete", "resources", "apps/v1/Deployment", "-n", "acme"}, tenant, 1, "", "names no resource"},
		{"no name", []string{"delete", "propagationpolicies", "-n", "acme"}, tenant, 1, "", "name: say which one"},
		{"not a tenant's", []string{"get", "clusterpropagationpolicies"}, tenant, 1, "", "forbidden"},
		{"a resource deleted", []string{"delete", "resources", "v1/ConfigMap/settings", "-n", "acme"}, tenant, 0, "ConfigMap acme/settings deleted\n", ""},
		{"and gone", []string{"get", "resources", "v1/ConfigMap/settings", "-n", "acme"}, tenant, 1, "", "not_found"},
		{"a policy deleted", []string{"delete", "propagationpolicies", "web", "-n", "acme"}, tenant, 0, "PropagationPolicy acme/web deleted\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.settle()
			code, stdout, stderr := command(t, "", tt.environ, tt.args...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || (tt.stderr == "") != (stderr == "") {
				t.Errorf("exit %d, want %d\n%s%s\nwant %s%s", code, tt.code, stdout, stderr, tt.stdout, tt.stderr)
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
