package fleet_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"odysseus/fleet"
)

// The policies that the probes change: all fields in use, and one for each value that leaves another nothing to decide.
const (
	probeSelectors = `"resourceSelectors": [
		{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "demo", "name": "web", "labelSelector": {
			"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "In", "values": ["a"]}]}}]`
	probePlacement = `"placement": {
		"clusterAffinity": {"clusterNames": ["cluster-1"], "excludeClusters": ["cluster-9"], "labelSelector": {
			"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]}},
		"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
			"weightPreference": {"staticWeightList": [{"weight": 2, "targetCluster": {"clusterNames": ["cluster-1"], "excludeClusters": ["cluster-9"], "labelSelector": {
				"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]}}}]}}}`
	probeRest = `"propagateDeps": true, "priority": 1, "preemption": "Never", "dependentOverrides": ["a"], "preserveResourcesOnDeletion": true,
		"failover": {"application": {"purgeMode": "Graciously", "gracePeriodSeconds": 60, "decisionConditions": {"tolerationSeconds": 30}}}`
)

func probed(apiVersion, kind, metadata string, spec ...string) string {
	return `{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "metadata": {` + metadata + `}, "spec": {` + strings.Join(spec, ",") + `}}`
}

// probeBase is a policy and the fields of it that are worth changing.
type probeBase struct{ policy, under string }

func probeBases() []probeBase {
	const (
		named    = `"name": "p", "namespace": "demo", "labels": {"a": "b"}, "annotations": {"a": "b"}`
		schedule = "spec.placement.replicaScheduling"
	)
	one := func(spec ...string) string {
		return probed(fleet.PolicyAPIVersion, "PropagationPolicy", named, append([]string{probeSelectors}, spec...)...)
	}
	whole := one(probePlacement, probeRest)
	otherOperators := strings.NewReplacer(`"In", "values": ["a"]`, `"Exists"`, `"NotIn", "values": ["a"]`, `"DoesNotExist"`, `"Exists"`, `"In", "values": ["a"]`).Replace(whole)
	return []probeBase{
		{whole, ""},
		{strings.Replace(whole, fleet.PolicyAPIVersion, fleet.PolicyAPIVersionKarmada, 1), ""},
		{otherOperators, "values"},
		{probed(fleet.PolicyAPIVersion, "ClusterPropagationPolicy", `"name": "p"`, `"placement": {}`, `"resourceSelectors": [{"apiVersion": "v1", "kind": "Namespace", "name": "demo"}]`), "name"},
		{probed(fleet.PolicyAPIVersion, "PropagationPolicy", named, `"placement": {}`, `"resourceSelectors": [{"apiVersion": "v1", "kind": "ConfigMap"}]`), "kind"},
		{one(`"placement": {"replicaScheduling": {"replicaSchedulingType": "Duplicated"}}`), schedule},
		{one(`"placement": {"replicaScheduling": {"replicaDivisionPreference": "Aggregated"}}`), schedule},
		{one(probePlacement, `"failover": {"application": {"purgeMode": "Never"}}`), "failover"},
		{one(probePlacement, `"preemption": "Always"`), "name"},
	}
}

// probes are values of every type, good for one field and bad for another. The last one takes the field away.
func probes() []any {
	var values []any
	text := `[null, true, "", "a", "A_", "a/b", "-", "*", "kube-system", "other", "Always", "always", "Gang", "Duplicated", "AvailableReplicas", "Weighted",
		"Immediately", "Directly", "PersistentVolume", "Deploymnt", "v1", 0, 1, -1, 1.5, 1e15, -1e15, [], [""], ["A_"], ["-"], ["far"], [{}], [{"targetCluster": {}, "weight": 1}],
		{}, {"a b": "c"}, {"a": "b c"}, {"odysseus.io/x": "y"}, {"odysseus.io/data-residency-country": "CA"}]`
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		panic(err)
	}
	return append(values, gone{})
}

type gone struct{}

// put sets the field at a path of the reference, in the first item of each list; what is missing above it is made.
func put(doc map[string]any, path string, value any) {
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		name, list := strings.CutSuffix(step, "[]")
		if !list {
			if _, there := doc[name].(map[string]any); !there {
				doc[name] = map[string]any{}
			}
			doc = doc[name].(map[string]any)
			continue
		}
		if items, there := doc[name].([]any); !there || len(items) == 0 {
			doc[name] = []any{map[string]any{}}
		}
		doc = doc[name].([]any)[0].(map[string]any)
	}
	last := steps[len(steps)-1]
	if doc[last] = value; value == (gone{}) {
		delete(doc, last)
	}
}

var index, mapKey = regexp.MustCompile(`\[\d+\]`), regexp.MustCompile(`\[[^\]]+\]$`)

// referencePath is the path under which the reference has the field of a fault: list items are [], and keys of a map or
// items of a list of texts are the field's own.
func referencePath(field string) string {
	path := strings.TrimSuffix(index.ReplaceAllString(field, "[]"), "[]")
	path = mapKey.ReplaceAllString(path, "")
	for _, of := range []string{".matchLabels", "metadata.labels", "metadata.annotations"} {
		if before, _, inside := strings.Cut(path, of+"."); inside {
			path = before + of
		}
	}
	return path
}

// answered collects the codes that are given at each field.
type answered map[string]map[fleet.Code]bool

func (a answered) add(field string, code fleet.Code) {
	path := referencePath(field)
	if a[path] == nil {
		a[path] = map[fleet.Code]bool{}
	}
	a[path][code] = true
}

// TestTheReferenceOfPoliciesSaysWhatTheValidatorGives probes every field with every value, in both directions: what the
// validator gives at a field is documented there, and what is documented is given.
func TestTheReferenceOfPoliciesSaysWhatTheValidatorGives(t *testing.T) {
	refused, warned := answered{}, answered{}
	for _, base := range probeBases() {
		for _, f := range fleet.PolicyFields() {
			if !strings.Contains(f.Path, base.under) {
				continue
			}
			for _, value := range probes() {
				var doc map[string]any
				if err := json.Unmarshal([]byte(base.policy), &doc); err != nil {
					t.Fatal(err)
				}
				put(doc, f.Path, value)
				raw, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				_, faults, warnings := checkPolicy(t, string(raw), fleet.FormatJSON)
				for _, fault := range faults {
					refused.add(fault.Field, fault.Code)
				}
				for _, w := range warnings {
					warned.add(w.Field, w.Code)
				}
			}
		}
	}
	// Only a look at the store, or at the request, finds these.
	elsewhere := []fleet.Code{fleet.CodeNameMismatch, fleet.CodeNamespaceMismatch, fleet.CodeStale}
	general := fleet.PolicyFieldFaults()
	for _, f := range fleet.PolicyFields() {
		for _, code := range f.Refusals {
			if !refused[f.Path][code] && !slices.Contains(elsewhere, code) {
				t.Errorf("%s: %s is documented and never given", f.Path, code)
			}
			delete(refused[f.Path], code)
		}
		for _, code := range f.Warnings {
			if !warned[f.Path][code] {
				t.Errorf("%s: the warning %s is documented and never given", f.Path, code)
			}
			delete(warned[f.Path], code)
		}
	}
	for _, left := range []answered{refused, warned} {
		for path, codes := range left {
			for code := range codes {
				if !slices.Contains(general, code) {
					t.Errorf("%s: %s is given and not documented", path, code)
				}
			}
		}
	}
}

// What is left out is refused exactly where the reference says that it is required.
func TestTheReferenceSaysWhatMayBeLeftOut(t *testing.T) {
	bases := probeBases()
	for _, f := range fleet.PolicyFields() {
		for base, absence := range map[string]fleet.Absence{bases[0].policy: f.ACKOne, bases[1].policy: f.Karmada} {
			var doc map[string]any
			if err := json.Unmarshal([]byte(base), &doc); err != nil {
				t.Fatal(err)
			}
			put(doc, f.Path, gone{})
			raw, _ := json.Marshal(doc)
			_, faults, _ := checkPolicy(t, string(raw), fleet.FormatJSON)
			required := slices.ContainsFunc(faults, func(fault fleet.FieldError) bool {
				return fault.Code == fleet.CodeRequired && index.ReplaceAllString(fault.Field, "[]") == f.Path
			})
			// A list is required where the operator beside it asks for it.
			if want := absence.Required || strings.HasSuffix(f.Path, ".values") && required; required != want {
				t.Errorf("%s of\n%s\nleft out: refused %v, documented %v", f.Path, base, required, want)
			}
			if absence.Required && (absence.Default != "" || absence.Words != "") {
				t.Errorf("%s is required and has a default", f.Path)
			}
		}
	}
}

func TestEveryFieldOfAPolicyIsListedOnce(t *testing.T) {
	var paths []string
	for _, f := range fleet.PolicyFields() {
		paths = append(paths, f.Path)
		if f.Part == "" && strings.Contains(f.Path, ".") {
			t.Errorf("%s is a field of a part without a name", f.Path)
		}
	}
	seen := map[string]bool{}
	for _, path := range paths {
		if seen[path] {
			t.Errorf("%s stands twice", path)
		}
		seen[path] = true
	}
	for _, path := range []string{"apiVersion", "metadata.name", "spec.resourceSelectors[].labelSelector.matchExpressions[].operator", "spec.propagateDeps",
		"spec.placement.clusterAffinity.exclude", "spec.placement.replicaScheduling.weightPreference.staticWeightList[].targetCluster.labelSelector.matchLabels",
		"spec.priority", "spec.failover.application.decisionConditions.tolerationSeconds", "spec.preserveResourcesOnDeletion"} {
		if !seen[path] {
			t.Errorf("%s is missing", path)
		}
	}
	if seen["status"] || seen["metadata.uid"] {
		t.Error("what is not read is listed")
	}
}

func TestWhatTheTwoAPIsOfPoliciesDifferIn(t *testing.T) {
	want := []fleet.PolicyDialect{
		{APIVersions: []string{fleet.PolicyAPIVersion, fleet.PolicyAPIVersionShort}, PlacementRequired: true, Preserves: true,
			PolicyDeleted: fleet.Kept{WhenTrue: true}, PurgeModes: []string{"Immediately", "Graciously", "Never"}},
		{APIVersions: []string{fleet.PolicyAPIVersionKarmada}, PolicyDeleted: fleet.Kept{WhenTrue: true, WhenFalse: true}, ResourceDeleted: fleet.Kept{WhenTrue: true},
			PurgeModes: []string{"Immediately", "Graciously", "Never", "Directly", "Gracefully"}},
	}
	if got := fleet.PolicyDialects(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestUnsupportedFieldsAreListedSorted(t *testing.T) {
	fields := fleet.UnsupportedPolicyFields()
	paths := map[string]string{}
	for _, f := range fields {
		paths[f.Path] = f.Instead
	}
	if len(paths) != len(fields) || !slices.IsSortedFunc(fields, func(a, b fleet.UnsupportedField) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("%+v", fields)
	}
	if instead, there := paths["spec.association"]; !there || instead != "spec.propagateDeps" {
		t.Errorf("instead of association: %q", instead)
	}
	for _, f := range fleet.PolicyFields() {
		if _, unsupported := paths[f.Path]; unsupported {
			t.Errorf("%s is acted on and refused", f.Path)
		}
	}
}
