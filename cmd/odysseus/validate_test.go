package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// command runs the program in-process and answers what it printed.
func command(t *testing.T, stdin string, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(stdin), &out, &errs, environ)
	return code, out.String(), errs.String()
}

func TestValidate(t *testing.T) {
	regions := writeFile(t, "odysseus.yaml", strings.Replace(declaredRegions, "%s", "true", 1))
	head := "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  image: nginx\n"
	in := func(line string) string { return head + "  placement:\n    residency:\n      " + line + "\n" }
	tests := []struct {
		name, manifest string
		config         string
		code           int
		stderr         []string // every line holds its part, in this order
	}{
		{"the manifest of the reference", ledgerAPI, "", 0, nil},
		{"a region that cannot be checked", in("region: eu-core"), "", 0, []string{": warning: region_unchecked: region eu-core"}},
		{"a region that is declared", in("region: eu-core"), regions, 0, nil},
		{"a region that is not", in("region: EU-Core"), regions, 1, []string{":8:15: residency_region_undeclared: \"EU-Core\""}},
		{"a reserved code", in("country: UK"), "", 1, []string{`:8:16: residency_country_unassigned: "UK" is not an assigned ISO 3166-1 alpha-2 country code: write two capital letters, such as CA (GB?)`}},
		{"every fault of every document", in("contry: CA") + "---\n" + head + "  replicas: -1\n  placement: {}\n", "", 1,
			[]string{":8:7: unknown_field:", ":15:13: out_of_range:", ":16:14: residency_empty:"}},
		{"a label by hand", strings.Replace(head, "{name: a}", "{name: a, labels: {odysseus.io/data-residency-country: CA}}", 1), "", 1,
			[]string{":3:30: residency_label_handwritten:", "    placement:", "      residency:", "        country: CA"}},
		{"shadowed countries", in("region: eu-core\n      blockedCountries: [FR]"), regions, 0, []string{": warning: blocked_countries_shadowed:"}},
		{"a policy without a name or a namespace", "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nspec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}\n", "", 0, []string{": warning: all_clusters:"}},
		{"a policy under its rules", "apiVersion: one.alibabacloud.com/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: p}\nspec:\n  placement: {}\n  failover: {application: {purgeMode: Directly}}\n", "", 1,
			[]string{": warning: selects_nothing:", ":6:39: value_not_accepted: \"Directly\" is not accepted: write one of Immediately, Graciously, Never (Immediately?)"}},
		{"an override policy", "apiVersion: one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nmetadata: {name: p}\nspec:\n  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\n  overrideRules:\n  - targetCluster: {}\n    overriders: {plaintext: [{path: /data/a, operator: replace, value: b}]}\n", "", 0, []string{": warning: targets_all_clusters:"}},
		{"an override policy under its rules", "apiVersion: one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nspec:\n  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}]\n  overrideRules:\n  - targetCluster: {clusterNames: [a]}\n    overriders:\n      plaintext: [{path: /spec, operator: replace, value: {}}, {path: spec/replicas, operator: add}]\n", "", 1,
			[]string{":1:1: required: metadata.name", `:8:26: override_residency: "/spec"`, ":8:64: required:", `:8:71: value_not_accepted: "spec/replicas" is not accepted`}},
		{"a policy of a kind that is none", "apiVersion: one.alibabacloud.com/v1alpha1\nkind: OverridePolcy\nmetadata: {name: p}\n", "", 1, []string{":2:7: kind_unsupported:"}},
		{"any other resource", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: -1}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: swordfish!, b: <hidden>}\n", "", 1,
			[]string{":4:18: out_of_range:", ":9:11: value_not_accepted: \"\" is not accepted: write base64"}},
		{"of the scope that a definition says", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: example.com, scope: Cluster, names: {kind: Widget}}\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: acme}\n", "", 1,
			[]string{":8:32: field_conflict:"}},
		{"nothing", "# nothing\n", "", 1, []string{":1:1: no_document:"}},
		{"no YAML", "a: [", "", 1, []string{"invalid_yaml"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, "manifest.yaml", tt.manifest)
			args := []string{"validate", "-f", path}
			if tt.config != "" {
				args = append(args, "--config", tt.config)
			}
			code, stdout, stderr := command(t, "", nil, args...)
			if code != tt.code || stdout != "" {
				t.Errorf("exit %d, want %d; printed %q", code, tt.code, stdout)
			}
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			if stderr == "" {
				lines = nil
			}
			if len(lines) != len(tt.stderr) {
				t.Fatalf("printed\n%s\nwant %d lines", stderr, len(tt.stderr))
			}
			for i, part := range tt.stderr {
				if !strings.Contains(lines[i], part) || strings.HasPrefix(part, ":") && !strings.HasPrefix(lines[i], path) {
					t.Errorf("line %d is %q, want %q", i+1, lines[i], part)
				}
			}
		})
	}
}

func TestValidateReadsStandardInputAndJSON(t *testing.T) {
	code, _, stderr := command(t, `{"apiVersion": "odysseus/v1", "kind": "Deployment", "metadata": {"name": "a"},
 "spec": {"image": "nginx", "placement": {"residency": {"country": "UK"}}}}`, nil, "validate", "-f", "-")
	if code != 1 || !strings.HasPrefix(stderr, "-:2:68: residency_country_unassigned:") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
