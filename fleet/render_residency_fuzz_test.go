package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"odysseus/fleet"
)

// guarded are resources with a residency, or a reserved label, to get past.
func guarded() []string {
	return []string{
		`{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"ledger","namespace":"demo","labels":{"app":"ledger"},"annotations":{"a":"{\"spec\":{}}"}},"spec":{"image":"nginx:1","replicas":2,"placement":{"residency":{"country":"CA","blockedCountries":["US"]}}}}`,
		`{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"free","namespace":"demo"},"spec":{"image":"nginx:1"}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"demo","labels":{"app":"web"}},"spec":{"replicas":2,"template":{"metadata":{"labels":{"odysseus.io/data-residency-country":"CA"},"annotations":{"odysseus.io/blocked-countries":"US"}},"spec":{"containers":[{"name":"a","image":"nginx:1","args":["x"]}]}}}}`,
	}
}

// FuzzResidencyOutOfReach tries to get past residency: with a policy's overriders as they come, and with some made of the
// very words that lead there, in several steps, rules and policies, held to the rules of writing or not. Whatever is
// rendered has the residency, the reserved labels and the identity of what was written.
func FuzzResidencyOutOfReach(f *testing.F) {
	for i, path := range touching() {
		f.Add(uint64(i), fmt.Sprintf("{plaintext: [{path: '%s', operator: add, value: {country: US, odysseus.io/x: y}}]}", path))
		f.Add(uint64(i), fmt.Sprintf("{fieldOverrider: [{fieldPath: '%s', json: [{subPath: /spec/placement, operator: remove}]}]}", path))
	}
	f.Add(uint64(1), "{plaintext: [{path: /metadata/annotations, operator: remove}, {path: /metadata/annotations, operator: add, value: {}}, {path: /metadata/annotations/odysseus.io~1x, operator: add, value: y}]}")
	f.Add(uint64(2), "{labelsOverrider: [{operator: add, value: {odysseus.io/data-residency-country: US}}], annotationsOverrider: [{operator: remove, value: {odysseus.io/blocked-countries: ''}}]}")
	f.Add(uint64(3), "{imageOverrider: [{predicate: {path: /metadata/name}, component: Tag, operator: add, value: x}]}")
	var resources []fleet.Resource
	for _, manifest := range guarded() {
		doc, faults := fleet.ParseOne([]byte(manifest), fleet.FormatJSON)
		if len(faults) > 0 {
			f.Fatal(faults)
		}
		r, _ := fleet.DecodeResource(doc, nil)
		resources = append(resources, r)
	}
	f.Fuzz(func(t *testing.T, seed uint64, overriders string) {
		made := newTempter(seed)
		body := policyOf("a", "{overriders: "+overriders+"}") + policyOf("b", made.rules()) + policyOf("c", made.rules())
		overrides := decodedOverrides(body)
		if overrides == nil { // the given overriders are no document
			overrides = decodedOverrides(policyOf("b", made.rules()) + policyOf("c", made.rules()))
		}
		var written []*fleet.Override
		for _, o := range overrides {
			if faults, _ := fleet.ValidateOverride(o, nil); len(faults) == 0 {
				written = append(written, o)
			}
		}
		for i := range resources {
			r := &resources[i]
			for _, list := range append([][]*fleet.Override{overrides, written}, alone(overrides)...) {
				got := fleet.Render(r, fleet.Cluster{Name: "m1"}, list)
				checkRendered(t, r, &got)
				if got.Deployment != nil && !got.Deployment.Spec.Residency().Equal(residencyOf(r)) {
					t.Fatalf("%s: residency %+v", r.Name, got.Deployment.Spec.Residency())
				}
			}
		}
	})
}

// residencyOf is what the resource was written with.
func residencyOf(r *fleet.Resource) *fleet.Residency {
	if r.Name == "ledger" {
		return &fleet.Residency{Country: "CA", BlockedCountries: []string{"US"}}
	}
	return nil
}

func alone(overrides []*fleet.Override) [][]*fleet.Override {
	var each [][]*fleet.Override
	for _, o := range overrides {
		each = append(each, []*fleet.Override{o})
	}
	return each
}

func policyOf(name, rules string) string {
	return "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: " + name + ", namespace: demo}, spec: {resourceSelectors: [" +
		"{apiVersion: odysseus/v1, kind: Deployment}, {apiVersion: apps/v1, kind: Deployment}], overrideRules: [" + rules + "]}}\n"
}

// tempter makes overriders of the words that lead to residency.
type tempter struct{ *rand.Rand }

func newTempter(seed uint64) tempter { return tempter{rand.New(rand.NewPCG(seed, 4))} }

func (t tempter) pick(words ...string) string { return words[t.IntN(len(words))] }

func (t tempter) path() string {
	var b strings.Builder
	for range 1 + t.IntN(5) {
		b.WriteString(t.pick("/", "/", "/", "/", "/", "", "//", "/ "))
		b.WriteString(t.pick("spec", "spec", "metadata", "metadata", "placement", "residency", "country", "labels", "labels", "annotations", "template", "name", "namespace", "kind",
			"odysseus.io~1data-residency-country", "odysseus.io~1blocked-countries", "odysseus.io", "data-residency-region", "a", "0", "-", "~1", "~0", "image", "containers", "replicas"))
	}
	return b.String()
}

func (t tempter) value(depth int) string {
	if depth == 0 {
		return t.pick("US", "null", "5", "''", "CA", "[]", "{}")
	}
	switch t.IntN(6) {
	case 0:
		return "[" + t.value(depth-1) + "]"
	case 1, 2, 3:
		return "{" + t.pick("country", "residency", "placement", "labels", "metadata", "spec", "image", "template", "odysseus.io/data-residency-country", "odysseus.io/x", "name") + ": " + t.value(depth-1) + "}"
	}
	return t.value(0)
}

func (t tempter) patch(path, separator string) string {
	var steps []string
	for range 1 + t.IntN(4) {
		step := "{" + path + ": '" + t.path() + "', operator: "
		switch operator := t.pick("add", "add", "replace", "remove"); operator {
		case "remove":
			step += operator + "}"
		default:
			step += operator + ", value: " + t.value(3) + "}"
		}
		steps = append(steps, step)
	}
	return "[" + strings.Join(steps, separator) + "]"
}

// rules are one to three rules, of which each has some of the lists.
func (t tempter) rules() string {
	var rules []string
	for range 1 + t.IntN(3) {
		lists := []string{"plaintext: " + t.patch("path", ", ")}
		if t.IntN(2) == 0 {
			lists = append(lists, fmt.Sprintf("%s: [{operator: %s, value: {%s: %s}}]", t.pick("labelsOverrider", "annotationsOverrider"), t.pick("add", "replace", "remove"),
				t.pick("odysseus.io/data-residency-country", "odysseus.io/blocked-countries", "odyseus.io/x", "data-residency-region", "a", "app"), t.pick("US", "''", "b")))
		}
		if t.IntN(3) == 0 {
			lists = append(lists, "fieldOverrider: [{fieldPath: '"+t.pick(t.path(), "/metadata/annotations/a")+"', "+t.pick("json", "yaml")+": "+t.patch("subPath", ", ")+"}]")
		}
		if t.IntN(3) == 0 {
			lists = append(lists, "imageOverrider: [{predicate: {path: '"+t.path()+"'}, component: "+t.pick("Registry", "Repository", "Tag")+", operator: add, value: x}]")
		}
		rules = append(rules, "{overriders: {"+strings.Join(lists, ", ")+"}}")
	}
	return strings.Join(rules, ", ")
}
