package handlers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestRulesAndChangesComeAndGoWithoutJavaScript(t *testing.T) {
	_, b := distributed(t)
	s := b.answers(b.get(newOver), 200)
	press := func(button string, change ...string) {
		t.Helper()
		form := s.fields(button)
		for i := 0; i < len(change); i += 2 {
			form.Set(change[i], change[i+1])
		}
		s = b.answers(b.send("POST", policiesPage, form), 200)
		if s.Find(".refusal").Length() != 0 {
			t.Errorf("%s is refused: %s", button, s.text("#problems"))
		}
	}
	focused := func(id string) {
		t.Helper()
		if got := s.Find("main form [autofocus]").AttrOr("id", ""); got != id {
			t.Errorf("the focus is on %q, want %q", got, id)
		}
	}
	add := func(change string) { t.Helper(); press("add:"+overrides, "pick."+overrides, change) }

	if got := s.text("#policy-count"); !strings.HasPrefix(got, "Pick a resource") {
		t.Errorf("at first: %q", got)
	}
	press("add:resourceSelectors", "pick.resourceSelectors", "odysseus/v1|Deployment||ledger-api", "name", "half-typed")
	focused("resourceSelectors.0.name")
	press("add:" + targets + "=europe")
	focused(overrides)
	if s.value(targets+".0") != "europe" || s.value("name") != "half-typed" {
		t.Errorf("targets: %v", s.fields(""))
	}
	press("add:" + targets)
	focused(targets + ".1")
	press("remove:" + targets + ".1")
	focused(targets + ".0")

	add("imageOverrider=Registry")
	focused(overrides + ".imageOverrider.0.value")
	if s.value(overrides+".imageOverrider.0.component") != "Registry" || s.value(overrides+".imageOverrider.0.operator") != "add" {
		t.Errorf("registry: %v", s.fields(""))
	}
	add("imageOverrider=Tag")
	focused(overrides + ".imageOverrider.1.value")
	if s.value(overrides+".imageOverrider.1.operator") != "replace" {
		t.Errorf("tag: %v", s.fields(""))
	}
	if got := s.Find(`[id="` + overrides + `.imageOverrider.0.predicate.path"] option`).Last(); got.AttrOr("value", "") != "/spec/image" || !strings.Contains(got.Text(), "ledger-api:1.4.0") {
		t.Errorf("the image picker offers %q %q", got.AttrOr("value", ""), got.Text())
	}
	press("remove:" + overrides + ".imageOverrider.0")
	focused(overrides)
	if s.value(overrides+".imageOverrider.0.component") != "Tag" || s.Find(`[id="`+overrides+`.imageOverrider.1.value"]`).Length() != 0 {
		t.Errorf("after removing: %v", s.fields(""))
	}
	press("remove:" + overrides + ".imageOverrider.0")

	add("argsOverrider")
	focused(overrides + ".argsOverrider.0.containerName")
	press("add:"+overrides+".argsOverrider.0.value", overrides+".argsOverrider.0.value.0", "--quiet")
	focused(overrides + ".argsOverrider.0.value.1")
	press("remove:" + overrides + ".argsOverrider.0")
	add("annotationsOverrider")
	focused(overrides + ".annotationsOverrider.0.value.0.key")
	press("add:"+overrides+".annotationsOverrider.0.value", overrides+".annotationsOverrider.0.value.0.key", "note", overrides+".annotationsOverrider.0.value.0.value", "two\r\nlines")
	focused(overrides + ".annotationsOverrider.0.value.1.key")
	if got := s.Find(`[id="` + overrides + `.annotationsOverrider.0.value.0.value"]`).Text(); got != "\ntwo\nlines" && got != "two\nlines" {
		t.Errorf("lines: %q", got)
	}

	// A path is picked from the fields that the resource has, and what stands there is what to begin with.
	add("plaintext")
	focused(overrides + ".plaintext.0.path")
	if s.Find(`#override-paths option[value="/spec/replicas"]`).Length() != 1 || s.Find(`#override-paths option[value^="/spec/placement"]`).Length() != 0 {
		t.Error("the fields that may be changed are not what is offered")
	}
	press("take:"+overrides+".plaintext.0.path", "pick."+overrides+".plaintext.0.path", "/spec/image")
	focused(overrides + ".plaintext.0.value")
	if s.value(overrides+".plaintext.0.path") != "/spec/image" || strings.TrimSpace(s.value(overrides+".plaintext.0.value")) != `"registry.example.com/ledger-api:1.4.0"` {
		t.Errorf("taken: %q %q", s.value(overrides+".plaintext.0.path"), s.value(overrides+".plaintext.0.value"))
	}

	press("add:overrideRules")
	focused("overrideRules.1.targetCluster.clusterNames.0")
	press("remove:overrideRules.0")
	focused("overrideRules.0.targetCluster.clusterNames.0")
	if s.value(targets+".0") != "" || s.Find(`[id="`+overrides+`.plaintext.0.path"]`).Length() != 0 {
		t.Errorf("after removing the rule: %v", s.fields(""))
	}
}

func TestOverrideIsRefusedInPlace(t *testing.T) {
	_, b := distributed(t)
	image, plain := overrides+".imageOverrider.0", overrides+".plaintext.0"
	for name, tt := range map[string]struct {
		fields  []string
		input   string
		refusal []string
	}{
		"a name":                         {[]string{"name", "Registry"}, "name", []string{`"Registry"`, "Use registry", "name_invalid"}},
		"no name":                        {[]string{"name", ""}, "name", []string{"required"}},
		"no resource":                    {[]string{"resourceSelectors.0.apiVersion", "", "resourceSelectors.0.kind", "", "resourceSelectors.0.name", ""}, "resourceSelectors.0.kind", []string{"required"}},
		"a registry that is none":        {[]string{image + ".value", "not a registry"}, image + ".value", []string{`"not a registry"`}},
		"no value":                       {[]string{image + ".value", ""}, image + ".value", []string{"required"}},
		"a value to remove":              {[]string{image + ".operator", "remove"}, image + ".value", []string{"operator: remove", "field_conflict"}},
		"a component that is misspelt":   {[]string{image + ".component", "registry"}, image + ".component", []string{`"registry"`, "Use Registry"}},
		"no change":                      {[]string{image + ".component", "", image + ".operator", "", image + ".value", ""}, overrides, []string{"required"}},
		"a path without a slash":         {[]string{plain + ".operator", "replace", plain + ".path", "spec.replicas", plain + ".value", "1"}, plain + ".path", []string{`"spec.replicas"`, "Use /spec/replicas"}},
		"a path into residency":          {[]string{plain + ".operator", "replace", plain + ".path", "/spec/placement", plain + ".value", "{}"}, plain + ".path", []string{`"/spec/placement"`, "override_residency"}},
		"a path to the name":             {[]string{plain + ".operator", "replace", plain + ".path", "/metadata/name", plain + ".value", `"x"`}, plain + ".path", []string{"override_identity"}},
		"a value that is no JSON":        {[]string{plain + ".operator", "replace", plain + ".path", "/spec/image", plain + ".value", "nginx"}, plain + ".value", []string{`"nginx"`, "a JSON value", `Use "nginx"`}},
		"a step without a value":         {[]string{plain + ".operator", "replace", plain + ".path", "/spec/image"}, plain + ".value", []string{"required"}},
		"a reserved label":               {[]string{overrides + ".labelsOverrider.0.operator", "add", overrides + ".labelsOverrider.0.value.0.key", "odysseus.io/country", overrides + ".labelsOverrider.0.value.0.value", "US"}, overrides + ".labelsOverrider.0.value.0.key", []string{"override_residency"}},
		"a label's second key":           {[]string{overrides + ".labelsOverrider.0.operator", "add", overrides + ".labelsOverrider.0.value.0.key", "ok", overrides + ".labelsOverrider.0.value.1.key", "-x"}, overrides + ".labelsOverrider.0.value.1.key", []string{`"-x"`}},
		"arguments without a container":  {[]string{overrides + ".argsOverrider.0.operator", "add", overrides + ".argsOverrider.0.value.0", "--quiet"}, overrides + ".argsOverrider.0.containerName", []string{"required"}},
		"a container without arguments":  {[]string{overrides + ".argsOverrider.0.operator", "add", overrides + ".argsOverrider.0.containerName", "api"}, overrides + ".argsOverrider.0.value.0", []string{"required"}},
		"a cluster's name":               {[]string{targets + ".0", "Europe"}, targets + ".0", []string{`"Europe"`}},
		"a label of clusters":            {[]string{"overrideRules.0.targetCluster.labelSelector.matchLabels.0.key", "-x"}, "overrideRules.0.targetCluster.labelSelector.matchLabels.0.key", []string{`"-x"`}},
		"the row behind one left empty":  {[]string{"overrideRules.2.targetCluster.clusterNames.1", "Europe"}, "overrideRules.2.targetCluster.clusterNames.1", []string{`"Europe"`}},
		"a selector's label":             {[]string{"resourceSelectors.0.labelSelector.matchLabels.0.key", "-x"}, "resourceSelectors.0.labelSelector.matchLabels.0.key", []string{`"-x"`}},
		"a resource without its version": {[]string{"resourceSelectors.0.apiVersion", ""}, "resourceSelectors.0.apiVersion", []string{"required"}},
	} {
		t.Run(name, func(t *testing.T) {
			form := formOf(registryInFront(tt.fields...))
			s := b.answers(b.send("POST", policiesPage, form), 422)
			got := s.refusal(tt.input)
			for _, want := range tt.refusal {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in the refusal %q of %s; all: %s", want, got, tt.input, s.text("#problems"))
				}
			}
			if s.Find(`#problems a[href="#`+tt.input+`"]`).Length() == 0 || !strings.HasPrefix(s.text("title"), "Error: ") {
				t.Errorf("the summary does not lead there: %s", s.text("#problems"))
			}
			sent := s.fields("")
			for i := 0; i < len(tt.fields); i += 2 {
				if got := strings.TrimPrefix(sent.Get(tt.fields[i]), "\n"); got != tt.fields[i+1] && got != strings.TrimPrefix(tt.fields[i+1], "\n") {
					t.Errorf("what was typed is lost: %s is %q", tt.fields[i], got)
				}
			}
		})
	}
}

// A field that the form does not have is refused by its name, as in YAML, and not dropped.
func TestFieldThatOverridesDoNotHaveIsRefusedByName(t *testing.T) {
	_, b := distributed(t)
	s := b.answers(b.post(policiesPage, registryInFront("overrideRules.0.targetCluster.fieldSelector.matchExpressions.0.key", "provider")...), 422)
	if got := s.text("#problems"); !strings.Contains(got, "fieldSelector") {
		t.Errorf("refused: %s", got)
	}
}

const everythingByHand = `# who wrote this
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: OverridePolicy
metadata:
  name: registry
  annotations: {owner: ada}
spec:
  resourceSelectors:
    - {apiVersion: odysseus/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}
    - apiVersion: v1
      kind: ConfigMap # beside it
      name: cm
  overrideRules:
    - targetCluster: {}
      overriders:
        plaintext:
          - {path: /spec/replicas, operator: replace, value: 9007199254740993}
          - {path: /metadata/annotations/none, operator: add, value: null}
          - path: /spec/env
            operator: replace
            value: [{name: B, value: "1.10"}, {name: A, value: "NO"}] # in this order
        argsOverrider:
          - {containerName: api, operator: add, value: ["", "x"]}
        fieldOverrider:
          - fieldPath: /data/config
            yaml: [{subPath: /a, operator: replace, value: 1}]
        imageOverrider:
          - {component: Tag, operator: replace, value: "1.10", predicate: {path: /spec/image}}
        annotationsOverrider:
          - {operator: add, value: {b: "two\nlines", a: ""}}
    - targetCluster: {clusterNames: [europe], excludeClusters: [canada], labelSelector: {matchExpressions: [{key: tier, operator: Exists}]}}
      overriders:
        labelsOverrider: [{operator: remove, value: {b: "", a: ""}}]
        commandOverrider: [{containerName: api, operator: remove, value: [sh, "-c"]}]
`

// The form changes what it has a field for, one line of this, and nothing else: comments, order, numbers, texts that look
// like numbers, and what only YAML has.
func TestOverrideInFormAndYAMLLosesNothing(t *testing.T) {
	_, b := distributed(t)
	s := b.answers(b.post(policiesPage, "kind", "OverridePolicy", "yaml", strings.ReplaceAll(everythingByHand, "\n", "\r\n"), "action", "form"), 200)
	if got := s.text("#policy-editor .panel .values"); got != "metadata.annotationsspec.resourceSelectors[0].labelSelector.matchExpressionsspec.overrideRules[0].overriders.argsOverrider[0].value"+
		"spec.overrideRules[0].overriders.fieldOverriderspec.overrideRules[1].targetCluster.labelSelector.matchExpressions" {
		t.Errorf("kept: %q", got)
	}
	for id, want := range map[string]string{
		overrides + ".plaintext.0.value": "9007199254740993", overrides + ".plaintext.1.value": "null",
		overrides + ".plaintext.2.value":                        `[{"name":"B","value":"1.10"},{"name":"A","value":"NO"}]`,
		overrides + ".imageOverrider.0.value":                   "1.10",
		overrides + ".annotationsOverrider.0.value.0.value":     "two\nlines",
		"overrideRules.1.targetCluster.excludeClusters.0":       "canada",
		"overrideRules.1.overriders.commandOverrider.0.value.1": "-c",
	} {
		if got := strings.TrimPrefix(s.fields("").Get(id), "\n"); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	form := s.fields("yaml")
	form.Set(overrides+".imageOverrider.0.value", "1.20")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	got, want := strings.TrimPrefix(s.Find("#yaml").Text(), "\n"), strings.Replace(everythingByHand, `value: "1.10", predicate`, `value: "1.20", predicate`, 1)
	if got != want {
		t.Errorf("back as YAML:\n%s\nwant\n%s", got, want)
	}
}

// Every policy of the field's vectors stays what it is when it is shown as a form and as YAML again.
func TestOverridesOfTheFieldSurviveTheForm(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "override-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		ID         string                       `json:"id"`
		Policies   []map[string]json.RawMessage `json:"policies"`
		Overriders json.RawMessage              `json:"overriders"`
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	_, b := distributed(t)
	tried := 0
	for _, v := range vectors {
		var texts []string
		for _, policy := range v.Policies {
			text, err := fleet.YAML(policy)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		if len(v.Overriders) > 0 {
			text, err := fleet.YAML(map[string]any{"apiVersion": "policy.karmada.io/v1alpha1", "kind": "OverridePolicy", "metadata": map[string]string{"name": "x"},
				"spec": map[string]any{"resourceSelectors": []map[string]string{{"apiVersion": "v1", "kind": "Pod"}}, "overrideRules": []map[string]any{{"overriders": v.Overriders}}}})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		for _, text := range texts {
			doc, faults := fleet.ParseOne([]byte(text), fleet.FormatYAML)
			if len(faults) > 0 || doc.Kind() != fleet.KindOverridePolicy {
				continue
			}
			if _, faults := fleet.DecodeOverride(doc); len(faults) > 0 {
				continue // it stays YAML, with its refusals
			}
			tried++
			s := b.answers(b.post(policiesPage, "kind", "OverridePolicy", "yaml", text, "action", "form"), 200)
			if s.Find("#yaml").Length() != 0 {
				t.Errorf("%s stays YAML", v.ID)
				continue
			}
			s = b.answers(b.send("POST", policiesPage, s.fields("yaml")), 200)
			if got := strings.TrimPrefix(s.Find("#yaml").Text(), "\n"); got != text {
				t.Errorf("%s:\n%s\nwant\n%s", v.ID, got, text)
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d policies were tried", tried)
	}
}

func TestOverrideThatCannotBeReadStaysYAML(t *testing.T) {
	_, b := distributed(t)
	s := b.answers(b.post(policiesPage, "kind", "OverridePolicy", "yaml", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nspec:\n  overideRules: []\n", "action", "form"), 422)
	if got := s.text("#problems"); !strings.Contains(got, "overideRules") || !strings.Contains(got, "stays YAML") {
		t.Errorf("refused: %s", got)
	}
	if got := s.refusal("yaml"); !strings.Contains(got, "4:3") {
		t.Errorf("no place: %s", got)
	}
}

// What a page cannot hold is not dropped: it is written as YAML, or refused.
func TestOverrideLargerThanAFormIsWrittenAsYAML(t *testing.T) {
	p, b := distributed(t)
	var steps []string
	for range 60 {
		steps = append(steps, "{path: /spec/replicas, operator: replace, value: 1}")
	}
	p.tenantWrites("acme", "overridepolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nmetadata: {name: registry}\nspec:\n"+
		"  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}]\n  overrideRules: [{targetCluster: {}, overriders: {plaintext: ["+strings.Join(steps, ", ")+"]}}]\n")
	s := b.answers(b.get(overPolicy+"/edit"), 200)
	if s.Find("#yaml").Length() != 1 || !strings.Contains(s.text("main"), "It is written as YAML.") {
		t.Errorf("shown: %s", s.text("main .tabs"))
	}
	if got := b.answers(b.post(policiesPage, registryInFront(overrides+".plaintext.50.path", "/x")...), 422); got.Find("[data-code=document_too_large]").Length() != 1 {
		t.Errorf("too many rows: %s", got.text("main"))
	}
}

func TestSuggestionForAnOverrideIsTakenWithoutJavaScript(t *testing.T) {
	_, b := distributed(t)
	plain := overrides + ".plaintext.0"
	form := b.answers(b.post(policiesPage, registryInFront(plain+".operator", "replace", plain+".path", "/spec/image", plain+".value", "nginx")...), 422).fields("")
	form.Set("use", plain+`.value="nginx"`)
	s := b.answers(b.send("POST", policiesPage, form), 200)
	if got := s.text("#policy-preview .rendered td.new"); !strings.Contains(got, "image: nginx") {
		t.Errorf("taken: %q", got)
	}
}
