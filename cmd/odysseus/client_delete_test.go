package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	deletedPolicy   = "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web}\nspec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {}}\n"
	deletedOverride = "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: other}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\n  overrideRules: [{overriders: {plaintext: [{path: /data/b, operator: replace, value: d}]}}]\n"
	deletedConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
)

// TestTheClientKnowsOverridePolicies: where one does not apply is part of its explanation.
func TestTheClientKnowsOverridePolicies(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("europe")
	p.node("n-de", "europe", "DE", "eu-core")
	tenant := []string{"ODYSSEUS_URL=" + p.base, "ODYSSEUS_TOKEN=" + token}
	operator := []string{"ODYSSEUS_URL=" + p.base, "ODYSSEUS_TOKEN=" + operatorToken}
	all := writeFile(t, "all.yaml", strings.Join([]string{deletedPolicy, deletedOverride, deletedConfig}, "---\n"))
	wide := writeFile(t, "wide.yaml", strings.Replace(strings.Replace(deletedOverride, "kind: O", "kind: ClusterO", 1), "/data/b", "/data/a", 1))
	for _, tt := range []struct {
		name           string
		args           []string
		environ        []string
		code           int
		stdout, stderr string
	}{
		{"applied together", []string{"apply", "-f", all, "-n", "acme"}, tenant, 0, "PropagationPolicy acme/web created\nOverridePolicy acme/other created\nConfigMap acme/settings created", "warning: targets_all_clusters"},
		{"a cluster-wide one", []string{"apply", "-f", wide}, operator, 0, "ClusterOverridePolicy other created\n", "warning: targets_all_clusters"},
		{"one", []string{"get", "overridepolicies", "other", "-n", "acme"}, tenant, 0, "OverridePolicy acme/other\n", ""},
		{"all", []string{"get", "overridepolicy", "-n", "acme"}, tenant, 0, "OverridePolicy acme/other\n", ""},
		{"as it is spelt", []string{"get", "ClusterOverridePolicy", "other", "-o", "yaml"}, operator, 0, "kind: ClusterOverridePolicy", ""},
		{"where it does not apply", []string{"explain", "overridepolicies", "other", "-n", "acme"}, tenant, 0,
			"acme/other: selects 1\n  warning: targets_all_clusters: the rule targets every cluster: its targetCluster narrows nothing\n" +
				"  v1 ConfigMap acme/settings not in cluster europe: override_blocked: OverridePolicy acme/other does not apply, by spec.overrideRules[0].overriders.plaintext[0].path: nothing stands at /data/b\n", ""},
		{"on the resource", []string{"explain", "resources", "v1/ConfigMap/settings", "-n", "acme"}, tenant, 0, "override_blocked: OverridePolicy acme/other does not apply", ""},
		{"deleted", []string{"delete", "overridepolicies", "other", "-n", "acme"}, tenant, 0, "OverridePolicy acme/other deleted\n", ""},
		{"the cluster-wide one", []string{"delete", "clusteroverridepolicies", "other"}, operator, 0, "ClusterOverridePolicy other deleted\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.settle()
			code, stdout, stderr := command(t, "", tt.environ, tt.args...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || (tt.stderr == "") != (stderr == "") {
				t.Errorf("exit %d, want %d\n%s%s\nwant %s%s", code, tt.code, stdout, stderr, tt.stdout, tt.stderr)
			}
		})
	}
}

// recorded is a server in front of which every path that was deleted is kept, in its order.
func recorded(t *testing.T, p *plane) (base string, deleted func() []string) {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	target, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.Method+" "+strings.TrimPrefix(r.URL.RequestURI(), "/api/v1/"))
		mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		all := slices.Clone(paths)
		paths = nil
		return all
	}
}

// TestManifestsAreDeletedInTheOrderThatSendsNothingNew: propagation policies of all files, then override policies, then
// the rest.
func TestManifestsAreDeletedInTheOrderThatSendsNothingNew(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	base, deleted := recorded(t, p)
	tenant := []string{"ODYSSEUS_URL=" + base, "ODYSSEUS_TOKEN=" + token}
	operator := []string{"ODYSSEUS_URL=" + base, "ODYSSEUS_TOKEN=" + operatorToken}
	first := writeFile(t, "first.yaml", strings.Join([]string{deletedConfig, deletedOverride, ledgerAPI}, "---\n"))
	second := writeFile(t, "second.yaml", strings.Join([]string{deletedPolicy, deletedConfig}, "---\n"))
	wide := writeFile(t, "wide.yaml", strings.Join([]string{"apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n",
		strings.Replace(deletedOverride, "kind: O", "kind: ClusterO", 1), strings.Replace(deletedPolicy, "kind: P", "kind: ClusterP", 1)}, "---\n"))
	const at = "DELETE namespaces/acme/"
	inOrder := []string{at + "propagationpolicies/web", at + "overridepolicies/other",
		at + "resources?apiVersion=v1&kind=ConfigMap&name=settings", at + "deployments/ledger-api"}
	dry := []string{inOrder[0] + "?dryRun=All", inOrder[1] + "?dryRun=All", inOrder[2] + "&dryRun=All", inOrder[3] + "?dryRun=All"}
	apply := func(environ []string, files ...string) func() {
		return func() {
			for _, file := range files {
				if code, _, stderr := command(t, "", environ, "apply", "-n", "acme", "-f", file); code != 0 {
					t.Fatal(stderr)
				}
			}
		}
	}
	for _, tt := range []struct {
		name    string
		before  func()
		args    []string
		environ []string
		code    int
		asked   []string
		stdout  string
		stderr  []string
	}{
		{"a dry run", apply(tenant, first, second), []string{"-n", "acme", "--dry-run", "-f", first, "-f", second}, tenant, 0, dry, "OverridePolicy acme/other deleted\n", nil},
		{"all files together", nil, []string{"-n", "acme", "-f", first, "-f", second}, tenant, 0, inOrder,
			"PropagationPolicy acme/web deleted\nOverridePolicy acme/other deleted\nConfigMap acme/settings deleted\nacme/ledger-api deleted", nil},
		{"what is gone is said, and the rest goes", apply(tenant, second), []string{"-n", "acme", "-f", first, "-f", second}, tenant, 1, inOrder,
			"PropagationPolicy acme/web deleted\nConfigMap acme/settings deleted\n",
			[]string{"not_found: there is no namespaces/acme/overridepolicies/other", "not_found: there is no namespaces/acme/deployments/ledger-api"}},
		{"gone, of any kind", nil, []string{"-n", "acme", "-f", second}, tenant, 1, []string{inOrder[0], inOrder[2]}, "", []string{"there is no namespaces/acme/resources v1/ConfigMap/settings"}},
		{"what is cluster-wide", apply(operator, wide), []string{"-f", wide}, operator, 0,
			[]string{"DELETE clusterpropagationpolicies/web", "DELETE clusteroverridepolicies/other", "DELETE resources?apiVersion=storage.k8s.io%2Fv1&kind=StorageClass&name=fast"}, "StorageClass fast", nil},
		{"refused: no override is deleted whose policy still stands", apply(operator, wide), []string{"-f", wide}, tenant, 1, []string{"DELETE clusterpropagationpolicies/web"}, "", []string{"forbidden"}},
		{"without a namespace", nil, []string{"-f", second}, tenant, 1, nil, "", []string{second + ":3:1: required: metadata.namespace", second + ":8:1: required: metadata.namespace"}},
		{"what is no YAML", nil, []string{"-f", writeFile(t, "bad.yaml", "a: [")}, tenant, 1, nil, "", []string{"invalid_yaml"}},
		{"what has no name", nil, []string{"-n", "acme", "-f", writeFile(t, "nameless.yaml", "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\n")}, tenant, 1, nil, "", []string{"required: metadata.name"}},
		{"another kind of policy", nil, []string{"-n", "acme", "-f", writeFile(t, "quota.yaml", "apiVersion: policy.karmada.io/v1alpha1\nkind: FederatedResourceQuota\nmetadata: {name: q}\n")}, tenant, 1, nil, "", []string{":2:7: kind_unsupported"}},
		{"a kind beside the file", nil, []string{"overridepolicies", "other", "-n", "acme", "-f", first}, tenant, 1, nil, "", []string{"-f: a manifest says itself what it declares"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.before != nil {
				tt.before()
			}
			p.settle()
			deleted()
			code, stdout, stderr := command(t, "", tt.environ, append([]string{"delete"}, tt.args...)...)
			if got := deleted(); code != tt.code || !slices.Equal(got, tt.asked) || !strings.Contains(stdout, tt.stdout) || tt.stderr == nil && stderr != "" {
				t.Errorf("exit %d, want %d; asked\n%s\n%s%s", code, tt.code, strings.Join(got, "\n"), stdout, stderr)
			}
			for _, part := range tt.stderr {
				if !strings.Contains(stderr, part) {
					t.Errorf("standard error %q lacks %q", stderr, part)
				}
			}
		})
	}
}
