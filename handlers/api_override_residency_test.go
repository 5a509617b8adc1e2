package handlers_test

import (
	"fmt"
	"strings"
	"testing"
)

// intoResidency are paths into residency, or to a parent of it, in every spelling.
func intoResidency() []string {
	return []string{
		"", "/", "//", "#", "$", // the whole document
		"/metadata", "metadata", "/metadata/", "//metadata", "/metadata/labels", "metadata.labels", "/metadata//labels", "#/metadata/labels",
		"/spec/placement", "/spec/placement/residency", "/spec/placement/residency/country", "/spec/placement/residency/blockedCountries/-", "spec.placement", "$.spec.placement.residency",
		"/spec//placement", "/spec/placement/", "/spec/ placement",
		"/metadata/labels/odysseus.io~1data-residency-country", "/metadata/labels/odysseus.io/data-residency-country", "/metadata/labels/ODYSSEUS.IO~1x", "/metadata/labels/odysseus.io~01x",
		"/metadata/labels/odyseus.io~1data-residency-contry", "/metadata/labels/blocked-countries", "/metadata/labels/odysseus.io~1data-residency-country-enforced",
		"/metadata/annotations/odysseus.io~1data-residency-region", "/spec/template/metadata/labels/odysseus.io~1blocked-countries",
		"/spec/jobTemplate/spec/template/metadata/labels/odysseus.io~1data-residency-region", "/spec/template/spec/nodeSelector/odysseus.io~1country",
	}
}

// TestNoOverrideReachesResidency in any spelling, by any overrider, on any way in: "refused when the policy is written,
// always as override_residency".
func TestNoOverrideReachesResidency(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	written := func(kind, overriders string) string {
		return "apiVersion: " + karmada + "\nkind: " + kind + "\nmetadata: {name: o}\nspec:\n  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}]\n  overrideRules: [{overriders: " + overriders + "}]\n"
	}
	stored := "{plaintext: [{path: /spec/replicas, operator: replace, value: 1}]}"
	p.want(p.ask(editor, "POST", overridesAPI, written("OverridePolicy", stored)), 201)
	p.want(p.ask(operatorToken, "POST", clusterOverridesAPI, written("ClusterOverridePolicy", stored)), 201)
	refused := func(overriders, value string) {
		t.Helper()
		for _, way := range []struct{ token, kind, method, path, more string }{
			{editor, "OverridePolicy", "POST", overridesAPI, ""},
			{editor, "OverridePolicy", "POST", overridesAPI + "?dryRun=All", ""},
			{editor, "OverridePolicy", "PUT", overridesAPI + "/o", ""},
			{operatorToken, "ClusterOverridePolicy", "PUT", clusterOverridesAPI + "/o", ""},
			{editor, "OverridePolicy", "POST", "/api/v1/apply", ""},
			{editor, "OverridePolicy", "POST", "/api/v1/namespaces/acme/scheduler/simulate", "---\n" + inCanada},
		} {
			a := p.ask(way.token, way.method, way.path, written(way.kind, overriders)+way.more, "Content-Type: application/yaml")
			if a.status != 422 || !sameList(a.codes("errors"), "override_residency") || a.get("errors.0.value") != value || a.get("errors.0.line") == "" ||
				!strings.Contains(a.get("errors.0.accepted"), "residency is changed on the Deployment itself") {
				t.Errorf("%s %s of %s: %d %s", way.method, way.path, overriders, a.status, a.body)
			}
		}
	}
	for _, path := range intoResidency() {
		refused(fmt.Sprintf("{plaintext: [{path: '%s', operator: replace, value: {}}]}", path), path)
		refused(fmt.Sprintf("{plaintext: [{path: /spec/replicas, operator: replace, value: 1}, {path: '%s', operator: remove}]}", path), path)
		if path == "" {
			continue // a pointer to the whole is no image and no text: it is required
		}
		refused(fmt.Sprintf("{imageOverrider: [{predicate: {path: '%s'}, component: Tag, operator: remove}]}", path), path)
		refused(fmt.Sprintf("{fieldOverrider: [{fieldPath: '%s', yaml: [{subPath: /a, operator: remove}]}]}", path), path)
		refused(fmt.Sprintf("{fieldOverrider: [{fieldPath: /metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration, json: [{subPath: '%s', operator: remove}]}]}", path), path)
	}
	for overriders, value := range map[string]string{
		"{plaintext: [{path: /spec, operator: replace, value: {image: nginx}}]}":                                                      "/spec",
		"{plaintext: [{path: spec, operator: remove}]}":                                                                               "spec",
		"{plaintext: [{path: /spec, operator: remove}]}":                                                                              "/spec",
		"{labelsOverrider: [{operator: add, value: {odysseus.io/data-residency-country: US}}]}":                                       "odysseus.io/data-residency-country",
		"{labelsOverrider: [{operator: remove, value: {odysseus.io/blocked-countries: ''}}]}":                                         "odysseus.io/blocked-countries",
		"{labelsOverrider: [{operator: replace, value: {odyseus.io/data-residency-contry: US}}]}":                                     "odyseus.io/data-residency-contry",
		"{annotationsOverrider: [{operator: add, value: {data-residency-country: US}}]}":                                              "data-residency-country",
		"{plaintext: [{path: /metadata/annotations, operator: add, value: {odysseus.io/x: y}}]}":                                      "odysseus.io/x",
		"{plaintext: [{path: /spec/template, operator: add, value: {metadata: {labels: {odysseus.io/data-residency-country: US}}}}]}": "odysseus.io/data-residency-country",
	} {
		refused(overriders, value)
	}
	// Nothing of it is stored, and the audit says who tried.
	for path, token := range map[string]string{overridesAPI: editor, clusterOverridesAPI: operatorToken} {
		if a := p.want(p.ask(token, "GET", path+"/o", ""), 200); a.get("metadata.generation") != "1" {
			t.Errorf("stored %s", a.body)
		}
	}
	if a := p.want(p.ask(operatorToken, "GET", "/api/v1/audit?limit=1", ""), 200); a.get("items.0.accepted") != "false" || a.get("items.0.codes") != `["override_residency"]` {
		t.Errorf("audited %s", a.body)
	}
}

// TestSimulateHoldsThePatchedResultToItsResidency: a patch in steps that no rule of writing can see through blocks, and
// what is not residency leaves it as it is.
func TestSimulateHoldsThePatchedResultToItsResidency(t *testing.T) {
	p := startAPI(t, enforcing())
	editor := p.tenant("acme", "editor")
	const fleetOf = "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: yul, countries: [CA]}, {name: fra, countries: [DE]}]}"
	ask := func(overriders string) answer {
		return p.want(p.ask(editor, "POST", "/api/v1/namespaces/acme/scheduler/simulate", stream(fleetOf, strings.Replace(policyOn("{}"), "policy.one.alibabacloud.com", "policy.karmada.io", 1),
			"apiVersion: "+karmada+"\nkind: OverridePolicy\nmetadata: {name: o}\nspec:\n  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}]\n  overrideRules: [{overriders: "+overriders+"}]", inCanada)), 200)
	}
	a := ask("{plaintext: [{path: /spec/replicas, operator: replace, value: 3}], imageOverrider: [{component: Tag, operator: replace, value: v9}]}")
	if a.get("rendered.0.cluster") != "yul" || a.get("rendered.1") != "" || a.get("rendered.0.object.spec.placement.residency") != `{"country":"CA"}` || a.get("rendered.0.object.spec.image") != "registry.example.com/ledger-api:v9" ||
		a.get("placement.clusters.0.desired") != "3" || a.get("placement.clusters.0.divided") != "2" || a.get("placement.clusters.0.overrides") != `["OverridePolicy acme/o"]` {
		t.Errorf("answered %s", a.body)
	}
}
