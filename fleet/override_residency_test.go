package fleet_test

import (
	"fmt"
	"strings"
	"testing"

	"odysseus/fleet"
)

// ownDeployments turns a policy of apps/v1 Deployments into one of odysseus/v1 Deployments.
func ownDeployments(manifest string) string {
	return strings.Replace(manifest, "apiVersion: apps/v1, kind: Deployment", "apiVersion: odysseus/v1, kind: Deployment", 1)
}

// touching are paths into residency, or to a parent of it, in every spelling.
func touching() []string {
	return []string{
		"", "/", "//", // the whole document
		"/metadata", "metadata", "/metadata/", "/metadata/labels", "metadata/labels", "//metadata//labels",
		"/spec/placement", "/spec/placement/residency", "/spec/placement/residency/country", "/spec/placement/residency/blockedCountries/0",
		"/spec/placement/residency/blockedCountries/-", "spec/placement", "spec/placement/residency/region", "/spec//placement", "/spec/placement/", "/spec/ placement",
		"/metadata/labels/odysseus.io~1data-residency-country", "/metadata/labels/odysseus.io~1data-residency-region", "/metadata/labels/odysseus.io~1blocked-countries",
		"/metadata/labels/odysseus.io/data-residency-country", "metadata/labels/odysseus.io~1blocked-countries", "/metadata/labels/ODYSSEUS.IO~1x",
		"/metadata/labels/odysseus.io~1data-residency-contry", "/metadata/labels/odyseus.io~1data-residency-country", "/metadata/labels/data-residency-country",
		"/metadata/labels/odysseus.io~1data-residency-country-enforced", "/metadata/labels/odysseus.io~1anything",
		"/metadata/annotations/odysseus.io~1data-residency-country", "/metadata/annotations/odysseus.io/blocked-countries",
		"/spec/template/metadata/labels/odysseus.io~1data-residency-country", "/spec/template/metadata/annotations/odysseus.io~1blocked-countries",
		"/spec/jobTemplate/spec/template/metadata/labels/odysseus.io~1data-residency-region", "/spec/volumeClaimTemplates/0/metadata/labels/odysseus.io~1x",
		"/spec/selector/matchLabels/odysseus.io~1data-residency-country", "/spec/template/spec/nodeSelector/odysseus.io~1country",
		"/metadata/labels/odysseus.io~01x", "/metadata/labels/odysseus.io~001x", // escapes too many
		"spec.placement", "metadata.labels", "$.spec.placement.residency", "#/spec/placement", "#/metadata/labels/odysseus.io~1x", "#",
	}
}

func TestResidencyIsOutOfReachInEverySpelling(t *testing.T) {
	for _, path := range touching() {
		overriders := []string{
			"{plaintext: [{path: '%s', operator: add, value: x}]}",
			"{plaintext: [{path: '%s', operator: replace, value: {country: US}}]}",
			"{plaintext: [{path: '%s', operator: remove}]}",
			"{plaintext: [{path: /spec/replicas, operator: replace, value: 1}, {path: '%s', operator: remove}]}",
		}
		if path != "" { // a pointer to the whole is no image and no text: it is required
			overriders = append(overriders,
				"{imageOverrider: [{predicate: {path: '%s'}, component: Registry, operator: remove}]}",
				"{fieldOverrider: [{fieldPath: '%s', json: [{subPath: /a, operator: remove}]}]}",
				"{fieldOverrider: [{fieldPath: '%s', yaml: [{subPath: /a, operator: add, value: b}]}]}",
				"{fieldOverrider: [{fieldPath: /metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration, json: [{subPath: '%s', operator: remove}]}]}")
		}
		for _, overrider := range overriders {
			for _, manifest := range []string{rule(fmt.Sprintf(overrider, path)), ownDeployments(rule(fmt.Sprintf(overrider, path)))} {
				got := overrideRefusals(t, manifest, fleet.FormatYAML)
				if len(got) != 1 || got[0].code != fleet.CodeOverrideResidency || got[0].value != path || got[0].want != "outside_residency" {
					t.Errorf("%q as %s: %s", path, overrider, lines(got))
				}
			}
		}
	}
}

func TestResidencyIsOutOfReachInValuesAndOfOwnDeployments(t *testing.T) {
	tests := []struct{ name, manifest, field, value string }{
		{"a labels overrider", rule("{labelsOverrider: [{operator: add, value: {odysseus.io/data-residency-country: US}}]}"),
			".labelsOverrider[0].value[odysseus.io/data-residency-country]", "odysseus.io/data-residency-country"},
		{"a labels overrider that removes", rule("{labelsOverrider: [{operator: remove, value: {odysseus.io/blocked-countries: ''}}]}"),
			".labelsOverrider[0].value[odysseus.io/blocked-countries]", "odysseus.io/blocked-countries"},
		{"a labels overrider with a near miss", rule("{labelsOverrider: [{operator: replace, value: {odyseus.io/data-residency-contry: US}}]}"),
			".labelsOverrider[0].value[odyseus.io/data-residency-contry]", "odyseus.io/data-residency-contry"},
		{"an annotations overrider", rule("{annotationsOverrider: [{operator: add, value: {odysseus.io/data-residency-region: x}}]}"),
			".annotationsOverrider[0].value[odysseus.io/data-residency-region]", "odysseus.io/data-residency-region"},
		{"an annotations overrider with an enforced label", rule("{annotationsOverrider: [{operator: add, value: {odysseus.io/data-residency-country-enforced: CA}}]}"),
			".annotationsOverrider[0].value[odysseus.io/data-residency-country-enforced]", "odysseus.io/data-residency-country-enforced"},
		{"annotations as a whole", rule("{plaintext: [{path: /metadata/annotations, operator: add, value: {odysseus.io/x: y}}]}"), ".plaintext[0].value", "odysseus.io/x"},
		{"a pod template's labels as a whole", rule("{plaintext: [{path: /spec/template/metadata/labels, operator: replace, value: {app: a, odysseus.io/blocked-countries: US}}]}"),
			".plaintext[0].value", "odysseus.io/blocked-countries"},
		{"a pod template as a whole", rule("{plaintext: [{path: /spec/template, operator: replace, value: {metadata: {labels: {blocked-countries: US}}}}]}"), ".plaintext[0].value", "blocked-countries"},
		{"the spec of another kind as a whole", rule("{plaintext: [{path: /spec, operator: replace, value: {template: {metadata: {labels: {odysseus.io/x: y}}}}}]}"), ".plaintext[0].value", "odysseus.io/x"},
		{"within a list", rule("{plaintext: [{path: /spec/volumeClaimTemplates, operator: add, value: [{metadata: {annotations: {odysseus.io/x: y}}}]}]}"), ".plaintext[0].value", "odysseus.io/x"},
		{"the spec of an own deployment", ownDeployments(rule("{plaintext: [{path: /spec, operator: replace, value: {image: nginx}}]}")), ".plaintext[0].path", "/spec"},
		{"the spec of an own deployment, removed", ownDeployments(rule("{plaintext: [{path: spec, operator: remove}]}")), ".plaintext[0].path", "spec"},
		{"the spec of one of several kinds", strings.Replace(rule("{plaintext: [{path: /spec, operator: add, value: {}}]}"), "kind: Deployment}]", "kind: Deployment}, {apiVersion: odysseus/v1, kind: Deployment, name: x}]", 1),
			".plaintext[0].path", "/spec"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := overrideRefusals(t, tt.manifest, fleet.FormatYAML)
			if len(got) != 1 || got[0] != (overrideRefusal{fleet.CodeOverrideResidency, tt.field, tt.value, "outside_residency", ""}) {
				t.Errorf("%s", lines(got))
			}
		})
	}
}

func TestWhatIsNoResidencyMayBeOverridden(t *testing.T) {
	for _, overriders := range []string{
		"{plaintext: [{path: /spec, operator: replace, value: {replicas: 1}}]}",
		"{plaintext: [{path: /spec/placementPolicy, operator: add, value: x}, {path: /spec/template/spec/placement, operator: add, value: x}]}",
		"{plaintext: [{path: /spec/template, operator: replace, value: {metadata: {labels: {app: a}}}}]}",
		"{plaintext: [{path: /spec/template/metadata/labels, operator: add, value: {app: a}}, {path: /spec/template/metadata/annotations, operator: add, value: {}}]}",
		"{plaintext: [{path: /metadata/annotations, operator: add, value: {}}, {path: /metadata/annotations/example.com~1odysseus.io, operator: add, value: x}]}",
		"{plaintext: [{path: /metadata/labels/country, operator: add, value: x}, {path: /metadata/labels/residency, operator: add, value: x}]}",
		"{plaintext: [{path: /data/blocked-countries, operator: add, value: 'US,RU'}, {path: /data/placement, operator: add, value: x}]}",
		"{fieldOverrider: [{fieldPath: /data/config, json: [{subPath: /spec/placement, operator: remove}, {subPath: /metadata, operator: remove}]}]}",
		"{labelsOverrider: [{operator: add, value: {data-residency: x, example.com/countries: x}}]}",
	} {
		if got := overrideRefusals(t, rule(overriders), fleet.FormatYAML); len(got) > 0 {
			t.Errorf("%s: %s", overriders, lines(got))
		}
	}
}

// TestResidencyIsOutOfReachWhenPoliciesAreApplied: what gets past the rules of writing, in more steps than one or stored
// under older rules, blocks. These policies are not held to the rules of writing.
func TestResidencyIsOutOfReachWhenPoliciesAreApplied(t *testing.T) {
	own := `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"ledger","namespace":"demo","labels":{"app":"ledger"}},"spec":{"image":"nginx:1","placement":{"residency":{"country":"CA"}}}}`
	free := `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"ledger","namespace":"demo"},"spec":{"image":"nginx:1"}}`
	web := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"demo","annotations":{"a":"{}"}},"spec":{"template":{"metadata":{"labels":{"odysseus.io/data-residency-country":"CA"}},"spec":{"containers":[{"name":"a","image":"nginx"}]}}}}`
	tests := []struct{ name, object, overriders, detail string }{
		{"the country", own, "{plaintext: [{path: /spec/placement/residency/country, operator: replace, value: US}]}", "residency"},
		{"the residency taken off", own, "{plaintext: [{path: /spec/placement/residency, operator: remove}]}", "residency"},
		{"the placement taken off", own, "{plaintext: [{path: /spec/placement, operator: remove}]}", "residency"},
		{"the placement made null", own, "{plaintext: [{path: /spec/placement, operator: replace, value: null}]}", "residency"},
		{"the spec without it", own, "{plaintext: [{path: /spec, operator: replace, value: {image: nginx}}]}", "residency"},
		{"taken off and put back wider", own, "{plaintext: [{path: /spec/placement, operator: remove}, {path: /spec/placement, operator: add, value: {residency: {country: US}}}]}", "residency"},
		{"the spec emptied, then filled", own, "{plaintext: [{path: /spec, operator: replace, value: {}}, {path: /spec/image, operator: add, value: nginx}]}", "residency"},
		{"an empty placement", free, "{plaintext: [{path: /spec/placement, operator: add, value: {}}]}", "residency"},
		{"a residency that nobody declared", free, "{plaintext: [{path: /spec/placement, operator: add, value: {residency: {country: CA}}}]}", "residency"},
		{"a reserved label", own, "{labelsOverrider: [{operator: add, value: {odysseus.io/data-residency-country: US}}]}", "residency"},
		{"a reserved annotation", own, "{annotationsOverrider: [{operator: add, value: {odysseus.io/blocked-countries: US}}]}", "residency"},
		{"a near miss", own, "{labelsOverrider: [{operator: add, value: {odyseus.io/data-residency-country: US}}]}", "residency"},
		{"labels as a whole", own, "{plaintext: [{path: /metadata/labels, operator: replace, value: {odysseus.io/x: y}}]}", "residency"},
		{"labels made, then filled", free, "{plaintext: [{path: /metadata/labels, operator: add, value: {}}, {path: /metadata/labels/odysseus.io~1x, operator: add, value: y}]}", "residency"},
		{"a pod template's label taken off", web, "{plaintext: [{path: /spec/template/metadata, operator: remove}]}", "residency"},
		{"a pod template without its labels", web, "{plaintext: [{path: /spec/template, operator: replace, value: {spec: {containers: []}}}]}", "residency"},
		{"a pod template's label changed", web, "{plaintext: [{path: /spec/template/metadata/labels/odysseus.io~1data-residency-country, operator: replace, value: US}]}", "residency"},
		{"a name", web, "{plaintext: [{path: /metadata/name, operator: replace, value: other}]}", "identity"},
		{"no namespace", web, "{plaintext: [{path: /metadata/namespace, operator: remove}]}", "identity"},
		{"metadata as a whole", web, "{plaintext: [{path: /metadata, operator: replace, value: {name: web}}]}", "identity"},
		{"a kind", web, "{plaintext: [{path: /kind, operator: replace, value: StatefulSet}]}", "identity"},
		{"no apiVersion", web, "{plaintext: [{path: /apiVersion, operator: remove}]}", "identity"},
		{"a name by way of its image", web, "{imageOverrider: [{predicate: {path: /metadata/name}, component: Tag, operator: replace, value: v2}]}", "identity"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := storedBefore(t, tt.object)
			if strings.Contains(tt.object, `"odysseus/v1"`) && r.Name != "ledger" {
				t.Fatal("another resource")
			}
			got := fleet.Render(&r, fleet.Cluster{Name: "cluster-1"}, []*fleet.Override{unchecked(t, &r, tt.overriders)})
			if got.Err == nil || got.Err.Detail != tt.detail || got.Err.Code != fleet.ReasonOverrideBlocked || got.Err.Class != fleet.ClassWrongType || got.Object != nil {
				t.Errorf("%+v, %s", got.Err, got.Object)
			}
		})
	}
}

// storedBefore is a resource as it was taken when labels of pod templates were not held to the rules yet.
func storedBefore(t *testing.T, object string) fleet.Resource {
	t.Helper()
	r, faults := decodeResource(t, object, nil)
	for _, f := range faults {
		if f.Code != fleet.CodeLabelHandwritten {
			t.Fatal(f)
		}
	}
	return r
}

// unchecked is a policy for everything of the resource's kind that is decoded and not validated.
func unchecked(t *testing.T, r *fleet.Resource, overriders string) *fleet.Override {
	t.Helper()
	doc, faults := fleet.ParseOne([]byte(fmt.Sprintf("{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: o, namespace: demo}, spec: {resourceSelectors: [{apiVersion: %q, kind: %q}], overrideRules: [{overriders: %s}]}}",
		r.APIVersion, r.Kind, overriders)), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	o, faults := fleet.DecodeOverride(doc)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return &o
}
