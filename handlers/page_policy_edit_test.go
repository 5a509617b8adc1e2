package handlers_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const (
	policiesPage = "/namespaces/acme/policies"
	weights      = "placement.replicaScheduling.weightPreference.staticWeightList"
	clusterNames = "placement.clusterAffinity.clusterNames"
	scheduling   = "placement.replicaScheduling.replicaSchedulingType"
)

// split is a plane with two clusters, a node in each, and an editor of acme with a deployment of four replicas.
func split(t *testing.T) (*apiPlane, *browser) {
	t.Helper()
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	p.node("edge-yul-1", "canada", "CA", "north-america")
	p.node("edge-ber-1", "europe", "DE", "eu-core")
	p.tenantWrites("acme", "deployments", strings.Replace(manifest, "replicas: 2", "replicas: 4", 1))
	p.settle()
	return p, b
}

// tenantWrites posts a manifest to a list of the namespace's own API.
func (p *apiPlane) tenantWrites(namespace, list, body string) {
	p.t.Helper()
	p.want(p.ask(operatorToken, "POST", "/api/v1/namespaces/"+namespace+"/"+list, body), 201)
}

// threeToOne are the fields of a form that splits ledger-api.
func threeToOne(more ...string) []string {
	return append([]string{"name", "split", "resourceSelectors.0.apiVersion", "odysseus/v1", "resourceSelectors.0.kind", "Deployment", "resourceSelectors.0.name", "ledger-api",
		clusterNames + ".0", "canada", clusterNames + ".1", "europe", weights + ".0.weight", "3", weights + ".1.weight", "1", scheduling, "Divided"}, more...)
}

// fields of a form as a browser would send them, with the button that is pressed.
func (s sheet) fields(button string) url.Values {
	form := url.Values{}
	s.Find("main form[data-guard]").Find("input, select, textarea").Each(func(_ int, e *goquery.Selection) {
		name := e.AttrOr("name", "")
		_, checked := e.Attr("checked")
		switch {
		case name == "" || e.AttrOr("type", "") == "radio" && !checked:
		case goquery.NodeName(e) == "textarea":
			form.Set(name, strings.TrimPrefix(e.Text(), "\n"))
		case goquery.NodeName(e) == "select":
			form.Set(name, e.Find("option[selected]").AttrOr("value", ""))
		default:
			form.Set(name, e.AttrOr("value", ""))
		}
	})
	if button != "" {
		form.Set("action", button)
	}
	return form
}

func TestSplitIsShownBeforeItIsSaved(t *testing.T) {
	p, b := split(t)
	s := b.answers(b.post(policiesPage, threeToOne("action", "preview")...), 200)
	if got := s.text("#policy-count"); got != "1 resource selected." {
		t.Errorf("count: %q", got)
	}
	if got := s.text("#policy-preview .split title"); got != "Would be divided as canada 3, europe 1" {
		t.Errorf("bar: %q", got)
	}
	if got := s.text("#policy-preview .split tbody"); got != "canada 33375 % europe 11125 %" {
		t.Errorf("arithmetic: %q", got)
	}
	if a := p.ask(operatorToken, "GET", "/api/v1/namespaces/acme/propagationpolicies/split", ""); a.status != 404 {
		t.Errorf("the preview is stored: %s", a.body)
	}
	b.leads(b.send("POST", policiesPage, s.fields("")), policiesPage+"/PropagationPolicy/split")
	a := p.want(p.ask(operatorToken, "GET", "/api/v1/namespaces/acme/propagationpolicies/split", ""), 200)
	for path, want := range map[string]string{
		"apiVersion": "policy.one.alibabacloud.com/v1alpha1", "spec.resourceSelectors.0.name": "ledger-api", "spec.placement.clusterAffinity.clusterNames": `["canada","europe"]`,
		"spec.placement.replicaScheduling.replicaSchedulingType": "Divided",
		"spec." + weights: `[{"targetCluster":{"clusterNames":["canada"]},"weight":3},{"targetCluster":{"clusterNames":["europe"]},"weight":1}]`,
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// "Who gets the remainder and why": five by three and one is 3.75 and 1.25.
func TestRemainderIsExplained(t *testing.T) {
	p, b := split(t)
	p.want(p.ask(operatorToken, "PUT", deployments+"/ledger-api", strings.Replace(manifest, "replicas: 2", "replicas: 5", 1)), 200)
	p.settle()
	s := b.answers(b.post(policiesPage, threeToOne("action", "preview")...), 200)
	got := s.text("#policy-preview .split tbody")
	for _, want := range []string{"canada got 1 of the remainder, ahead of europe: its quotient is larger.", "33.754", "europe got none of the remainder, behind canada", "11.251"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestRowsComeAndGoWithoutJavaScript(t *testing.T) {
	_, b := split(t)
	s := b.answers(b.get(policiesPage+"/new"), 200)
	if got := s.text("#policy-count"); got != "Pick a resource and clusters to see the split." {
		t.Errorf("at first: %q", got)
	}
	press := func(button string, change ...string) {
		t.Helper()
		form := s.fields(button)
		for i := 0; i < len(change); i += 2 {
			form.Set(change[i], change[i+1])
		}
		s = b.answers(b.send("POST", policiesPage, form), 200)
	}
	focused := func(id string) {
		t.Helper()
		if got := s.Find("main form [autofocus]").AttrOr("id", ""); got != id {
			t.Errorf("the focus is on %q, want %q", got, id)
		}
	}
	option := s.Find(`select[name="pick.resourceSelectors"] option`).Last()
	if option.Text() != "ledger-api · odysseus/v1 Deployment" {
		t.Fatalf("offered: %q", option.Text())
	}
	press("add:resourceSelectors", "pick.resourceSelectors", option.AttrOr("value", ""), "name", "half-typed")
	focused("resourceSelectors.0.name")
	if s.value("resourceSelectors.0.name") != "ledger-api" || s.value("resourceSelectors.0.apiVersion") != "odysseus/v1" || s.value("name") != "half-typed" {
		t.Errorf("picked: %v", s.fields(""))
	}
	if s.Find(`select[name="pick.resourceSelectors"]`).Length() != 0 {
		t.Error("what is selected is offered again")
	}
	press("add:" + clusterNames + "=europe")
	focused(weights + ".0.weight")
	press("add:"+clusterNames+"=canada", weights+".0.weight", "1")
	press("add:"+clusterNames, weights+".1.weight", "3")
	focused(clusterNames + ".2")
	if s.text("#policy-preview .split title") != "Would be divided as canada 3, europe 1" {
		t.Errorf("split: %q", s.text("#policy-preview"))
	}
	press("remove:" + clusterNames + ".0")
	focused(clusterNames + ".0")
	if s.value(clusterNames+".0") != "canada" || s.value(weights+".0.weight") != "3" || s.value(weights+".1.weight") != "" {
		t.Errorf("after removing europe: %v", s.fields(""))
	}
	press("add:resourceSelectors.0.labelSelector.matchLabels")
	focused("resourceSelectors.0.labelSelector.matchLabels.1.key")
	press("remove:resourceSelectors.0")
	if s.value("resourceSelectors.0.name") != "" || s.Find(".refusal").Length() != 0 {
		t.Errorf("after removing the resource: %v", s.fields(""))
	}
}

func TestPolicyIsRefusedInPlace(t *testing.T) {
	_, b := split(t)
	for name, tt := range map[string]struct {
		fields  []string
		input   string
		refusal []string
	}{
		"a name": {[]string{"name", "Split"}, "name", []string{`"Split"`, "Use split", "name_invalid"}},
		"a weight of nothing": {[]string{weights + ".1.weight", "0"}, weights + ".1.weight",
			[]string{`"0"`, "out_of_range"}},
		"a weight that is no number":   {[]string{weights + ".1.weight", "a third"}, weights + ".1.weight", []string{`"a third"`, "wrong_type"}},
		"a cluster without its weight": {[]string{weights + ".1.weight", ""}, weights + ".1.weight", []string{"required"}},
		"a kind with a space":          {[]string{"resourceSelectors.0.kind", "My Kind"}, "resourceSelectors.0.kind", []string{`"My Kind"`, "value_not_accepted"}},
		"no kind":                      {[]string{"resourceSelectors.0.kind", ""}, "resourceSelectors.0.kind", []string{"required"}},
		"both kinds of weights":        {[]string{"placement.replicaScheduling.weightPreference.dynamicWeight", "AvailableReplicas"}, "placement.replicaScheduling.weightPreference.dynamicWeight", []string{`"AvailableReplicas"`, "weights_both"}},
		"weights that nothing looks at": {[]string{scheduling, "Duplicated"}, weights + ".0.weight",
			[]string{"replicaSchedulingType: Duplicated", "field_conflict"}},
		"a label's key": {[]string{"placement.clusterAffinity.labelSelector.matchLabels.0.key", "-x"}, "placement.clusterAffinity.labelSelector.matchLabels.0.key", []string{`"-x"`}},
		"a purge mode of Karmada's": {[]string{"failover.application.purgeMode", "Directly"}, "failover.application.purgeMode",
			[]string{`"Directly"`, "Use Immediately"}},
		"seconds without a purge mode": {[]string{"failover.application.decisionConditions.tolerationSeconds", "30"}, "failover.application.purgeMode", []string{"required"}},
		"a negative toleration": {[]string{"failover.application.purgeMode", "Never", "failover.application.decisionConditions.tolerationSeconds", "-1"},
			"failover.application.decisionConditions.tolerationSeconds", []string{`"-1"`, "out_of_range"}},
		"a priority that is too high":  {[]string{"priority", "2147483648"}, "priority", []string{`"2147483648"`, "out_of_range"}},
		"preemption without names":     {[]string{"preemption", "Always", "resourceSelectors.0.name", ""}, "resourceSelectors.0.name", []string{"required"}},
		"preemption that is misspelt":  {[]string{"preemption", "always"}, "preemption", []string{`"always"`, "Use Always"}},
		"propagateDeps that is no yes": {[]string{"propagateDeps", "yes"}, "propagateDeps", []string{`"yes"`, "wrong_type"}},
		"an override's name":           {[]string{"dependentOverrides.0", "O_o"}, "dependentOverrides.0", []string{`"O_o"`, "name_invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			form := url.Values{}
			for i, all := 0, append(threeToOne(), tt.fields...); i < len(all); i += 2 {
				form.Set(all[i], all[i+1])
			}
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
			for i := 0; i < len(tt.fields); i += 2 {
				if s.fields("").Get(tt.fields[i]) != tt.fields[i+1] {
					t.Errorf("what was typed is lost: %s is %q", tt.fields[i], s.fields("").Get(tt.fields[i]))
				}
			}
		})
	}
}

// A field that the form does not have is refused by its name, as in YAML, and not dropped.
func TestFieldOfAnotherProductIsRefusedByName(t *testing.T) {
	_, b := split(t)
	s := b.answers(b.post(policiesPage, threeToOne("placement.spreadConstraints.0.maxGroups", "2")...), 422)
	if got := s.text("#problems"); !strings.Contains(got, `"spreadConstraints" is not supported`) {
		t.Errorf("refused: %s", got)
	}
}

func TestSuggestionIsTakenWithoutJavaScript(t *testing.T) {
	_, b := split(t)
	form := b.answers(b.post(policiesPage, threeToOne("preemption", "always")...), 422).fields("")
	form.Set("use", "preemption=Always")
	s := b.answers(b.send("POST", policiesPage, form), 200)
	if s.value("preemption") != "Always" {
		t.Errorf("taken: %q", s.value("preemption"))
	}
}

func TestWarningsStandBeforeSavingAndAfter(t *testing.T) {
	_, b := split(t)
	fields := threeToOne(clusterNames+".2", "atlantis", weights+".2.weight", "2")
	s := b.answers(b.post(policiesPage, append(fields, "action", "preview")...), 200)
	if got := s.text(`#policy-preview .warning[data-code="cluster_unknown"]`); !strings.Contains(got, "atlantis") {
		t.Errorf("warned: %q", s.text("#policy-preview"))
	}
	page := policiesPage + "/PropagationPolicy/split"
	b.leads(b.post(policiesPage, fields...), page)
	if b.get(page).Find(`.warning[data-code="cluster_unknown"]`).Length() == 0 {
		t.Error("the warning is gone after saving")
	}
	if got := b.get(policiesPage).text("#policies-list tbody"); !strings.Contains(got, "By weight 3 : 1 : 2") || !strings.Contains(got, "atlantis") || !strings.Contains(got, "Warned") {
		t.Errorf("list: %q", got)
	}
}

func TestFormAndYAMLAreTwoWaysOfOneThing(t *testing.T) {
	p, b := split(t)
	s := b.answers(b.post(policiesPage, threeToOne("action", "yaml")...), 200)
	text := strings.TrimPrefix(s.Find("#yaml").Text(), "\n")
	if !strings.Contains(text, "weight: 3") || !strings.Contains(text, "name: split") {
		t.Fatalf("YAML: %s", text)
	}
	text = "# mine\n" + strings.Replace(text, "name: split", "name: split\n  annotations: {owner: ada}", 1)
	form := s.fields("form")
	form.Set("yaml", strings.ReplaceAll(text, "\n", "\r\n"))
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if s.value(weights+".0.weight") != "3" || s.value(clusterNames+".1") != "europe" {
		t.Errorf("form: %v", s.fields(""))
	}
	if got := s.text("#policy-editor .panel .values"); got != "metadata.annotations" {
		t.Errorf("kept: %q", got)
	}
	form = s.fields("yaml")
	form.Set(weights+".0.weight", "7")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if got, want := strings.TrimPrefix(s.Find("#yaml").Text(), "\n"), strings.Replace(text, "weight: 3", "weight: 7", 1); got != want {
		t.Errorf("back as YAML:\n%s\nwant\n%s", got, want)
	}
	b.leads(b.send("POST", policiesPage, s.fields("")), policiesPage+"/PropagationPolicy/split")
	if a := p.ask(operatorToken, "GET", "/api/v1/namespaces/acme/propagationpolicies/split", ""); a.get("metadata.annotations.owner") != "ada" {
		t.Errorf("stored: %s", a.body)
	}
}

func TestYAMLThatCannotBeReadStaysYAML(t *testing.T) {
	_, b := split(t)
	s := b.answers(b.post(policiesPage, "yaml", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nspec:\n  placemnt: {}\n", "action", "form"), 422)
	if got := s.text("#problems"); !strings.Contains(got, "placemnt") || !strings.Contains(got, "stays YAML") {
		t.Errorf("refused: %s", got)
	}
	if got := s.refusal("yaml"); !strings.Contains(got, "4:3") {
		t.Errorf("no place: %s", got)
	}
}

// What the form has no field for keeps its stored value where a script sends the fields alone.
func TestPolicyKeepsWhatTheFormHasNoFieldFor(t *testing.T) {
	p, b := split(t)
	p.tenantWrites("acme", "propagationpolicies", `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: split, labels: {team: blue}}
spec:
  resourceSelectors:
    - {apiVersion: odysseus/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}
  placement:
    clusterAffinity: {clusterNames: [canada], exclude: [europe]}
`)
	page := policiesPage + "/PropagationPolicy/split"
	s := b.answers(b.get(page+"/edit"), 200)
	if s.value("placement.clusterAffinity.exclude.0") != "europe" || s.value("apiVersion") != "policy.karmada.io/v1alpha1" || s.Find("#name[readonly]").Length() != 1 {
		t.Errorf("form: %v", s.fields(""))
	}
	form := s.fields("")
	form.Del("base")
	form.Set(clusterNames+".1", "europe")
	b.leads(b.send("POST", page, form), page)
	a := p.want(p.ask(operatorToken, "GET", "/api/v1/namespaces/acme/propagationpolicies/split", ""), 200)
	if a.get("metadata.labels.team") != "blue" || a.get("spec.resourceSelectors.0.labelSelector.matchExpressions") != `[{"key":"app","operator":"Exists"}]` ||
		a.get("spec.placement.clusterAffinity") != `{"clusterNames":["canada","europe"],"exclude":["europe"]}` || strings.Contains(string(a.body), "replicaScheduling") {
		t.Errorf("stored: %s", a.body)
	}
}

func TestSecondPersonIsToldAndLosesNothing(t *testing.T) {
	_, b := split(t)
	page := policiesPage + "/PropagationPolicy/split"
	b.leads(b.post(policiesPage, threeToOne()...), page)
	mine := b.answers(b.get(page+"/edit"), 200).fields("")
	theirs := b.get(page + "/edit").fields("")
	theirs.Set("priority", "5")
	b.leads(b.send("POST", page, theirs), page)
	mine.Set(weights+".0.weight", "9")
	s := b.answers(b.send("POST", page, mine), 409)
	if got := s.text("#conflict"); !strings.Contains(got, "priority: 5") || !strings.Contains(got, "weight: 9") {
		t.Errorf("told: %s", got)
	}
	if s.value(weights+".0.weight") != "9" {
		t.Error("what was typed is lost")
	}
	b.leads(b.send("POST", page, s.fields("")), page)
}

// htmx asks the same address: for the form, or for what it would do while something is typed.
func TestFormFollowsWhileItIsFilledIn(t *testing.T) {
	_, b := split(t)
	for part, lacks := range map[string]string{"policy-editor": "", "policy-preview": `[name="name"]`} {
		htmx := &browser{t: t, plane: b.plane, client: b.client, part: part}
		s := htmx.answers(htmx.post(policiesPage, threeToOne("check", "typing")...), 200)
		if s.Find("h1, main, [autofocus]").Length() != 0 || lacks != "" && s.Find(lacks).Length() != 0 || s.text(".split title") != "Would be divided as canada 3, europe 1" {
			t.Errorf("%s: %s", part, s.raw)
		}
		// What is not filled in yet is not asked for.
		s = htmx.answers(htmx.post(policiesPage, threeToOne("check", "typing", "resourceSelectors.1.kind", "ConfigMap")...), 200)
		if s.Find(".refusal").Length() != 0 || s.text("#policy-count") != "1 resource selected." || !strings.Contains(s.text("body"), "Not complete yet") {
			t.Errorf("%s: %s", part, s.raw)
		}
		s = htmx.answers(htmx.post(policiesPage, threeToOne("check", "typing", "priority", "high")...), 422)
		if part == "policy-editor" && !strings.Contains(s.refusal("priority"), `"high"`) || s.Find("[role=alert]").Length() != 0 {
			t.Errorf("%s: %s", part, s.raw)
		}
	}
}

func TestWeightsByRule(t *testing.T) {
	p, b := split(t)
	s := b.answers(b.post(policiesPage, threeToOne("action", "add:"+weights)...), 200)
	if s.value(weights+".0.targetCluster.clusterNames.0") != "canada" || s.value(weights+".1.weight") != "1" || s.Find("form [autofocus]").AttrOr("id", "") != weights+".2.targetCluster.clusterNames.0" {
		t.Fatalf("rules: %v", s.fields(""))
	}
	form := s.fields("add:" + weights + ".0.targetCluster.clusterNames")
	form.Set(weights+".2.targetCluster.clusterNames.0", "asia")
	form.Set(weights+".2.weight", "0")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if got := s.Find("form [autofocus]").AttrOr("id", ""); got != weights+".0.targetCluster.clusterNames.1" {
		t.Errorf("the focus is on %q", got)
	}
	form = s.fields("")
	form.Set(weights+".0.targetCluster.clusterNames.1", "europe")
	s = b.answers(b.send("POST", policiesPage, form), 422)
	if got := s.refusal(weights + ".2.weight"); !strings.Contains(got, `"0"`) {
		t.Errorf("refused: %q in %s", got, s.text("#problems"))
	}
	form = s.fields("remove:" + weights + ".2")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if got := s.text("#policy-preview .split title"); got != "Would be divided as canada 2, europe 2" {
		t.Errorf("the largest rule of a cluster counts: %q", got)
	}
	b.leads(b.send("POST", policiesPage, s.fields("")), policiesPage+"/PropagationPolicy/split")
	a := p.want(p.ask(operatorToken, "GET", "/api/v1/namespaces/acme/propagationpolicies/split", ""), 200)
	if got := a.get("spec." + weights); got != `[{"targetCluster":{"clusterNames":["canada","europe"]},"weight":3},{"targetCluster":{"clusterNames":["europe"]},"weight":1}]` {
		t.Errorf("stored: %s", got)
	}
	if s := b.answers(b.get(policiesPage+"/PropagationPolicy/split/edit"), 200); s.value(weights+".0.targetCluster.clusterNames.1") != "europe" {
		t.Errorf("edited: %v", s.fields(""))
	}
}

// "For dynamic weights, the available replicas it was computed from": in the form and in YAML.
func TestRoomIsShownWhereItDivides(t *testing.T) {
	_, b := split(t)
	s := b.answers(b.post(policiesPage, "resourceSelectors.0.apiVersion", "odysseus/v1", "resourceSelectors.0.kind", "Deployment", scheduling, "Divided",
		"placement.replicaScheduling.weightPreference.dynamicWeight", "AvailableReplicas", "action", "yaml"), 200)
	for range 2 {
		if got := s.text("#policy-preview .split thead"); got != "ClusterCan takeDesiredShare" {
			t.Errorf("columns: %q", got)
		}
		s = b.answers(b.send("POST", policiesPage, s.fields("preview")), 200)
	}
}

// What a page cannot hold is not dropped: it is written as YAML, or refused.
func TestPolicyLargerThanAFormIsWrittenAsYAML(t *testing.T) {
	p, b := split(t)
	var names []string
	for i := range 501 {
		names = append(names, "c"+strconv.Itoa(i))
	}
	p.tenantWrites("acme", "propagationpolicies", "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: large}\nspec:\n  placement: {clusterAffinity: {clusterNames: ["+strings.Join(names, ", ")+"]}}\n")
	s := b.answers(b.get(policiesPage+"/PropagationPolicy/large/edit"), 200)
	if s.Find("#yaml").Length() != 1 || !strings.Contains(s.text("main"), "needs more. It is written as YAML.") {
		t.Errorf("shown: %s", s.text("main .tabs"))
	}
	s = b.answers(b.send("POST", policiesPage+"/PropagationPolicy/large", s.fields("form")), 200)
	if s.Find("#yaml").Length() != 1 || !strings.Contains(s.Find("#yaml").Text(), "- c500") {
		t.Error("it turned into a form that lost some of it")
	}
	for _, field := range []string{clusterNames + ".500", "resourceSelectors.0.labelSelector.matchLabels.50.key", "a" + strings.Repeat(".0", 40)} {
		if got := b.answers(b.post(policiesPage, threeToOne(field, "x")...), 422); got.Find("[data-code=document_too_large]").Length() != 1 {
			t.Errorf("%s: %s", field, got.text("main"))
		}
	}
}
