package handlers_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const (
	overrides  = "overrideRules.0.overriders"
	targets    = "overrideRules.0.targetCluster.clusterNames"
	newOver    = policiesPage + "/new?kind=OverridePolicy"
	overPolicy = policiesPage + "/OverridePolicy/registry"
)

// distributed is a plane on which ledger-api goes to both clusters, three replicas of four to canada.
func distributed(t *testing.T) (*apiPlane, *browser) {
	t.Helper()
	p, b := split(t)
	b.leads(b.post(policiesPage, threeToOne()...), policiesPage+"/PropagationPolicy/split")
	p.settle()
	return p, b
}

// registryInFront are the fields of a form that adds a registry for europe.
func registryInFront(more ...string) []string {
	return append([]string{"kind", "OverridePolicy", "name", "registry", "resourceSelectors.0.apiVersion", "odysseus/v1", "resourceSelectors.0.kind", "Deployment", "resourceSelectors.0.name", "ledger-api",
		targets + ".0", "europe", overrides + ".imageOverrider.0.component", "Registry", overrides + ".imageOverrider.0.operator", "add", overrides + ".imageOverrider.0.value", "registry.eu.example"}, more...)
}

func formOf(fields []string) url.Values {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form
}

// "Sees each cluster's before and after … with which policy and rule changed each line", before anything is saved.
func TestOverrideIsShownBeforeItIsSaved(t *testing.T) {
	p, b := distributed(t)
	s := b.answers(b.post(policiesPage, registryInFront("action", "preview")...), 200)
	for selector, want := range map[string]string{
		"#policy-count":            "1 resource selected.",
		"#policy-preview .outcome": "1 cluster receives something else than was written.",
		"#policy-preview .rendered tbody tr:has(.gone) td.gone": "line removed: − image: registry.example.com/ledger-api:1.4.0",
		"#policy-preview .rendered tbody tr:has(.gone) td.new":  "line added: + image: registry.eu.example/registry.example.com/ledger-api:1.4.0 this policy, rule 1",
	} {
		if got := s.text(selector); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if got := s.text("#policy-preview"); !strings.Contains(got, "Nothing changes on canada.") {
		t.Errorf("what stays is not said: %s", got)
	}
	if s := b.get(overPolicy); s.status != 404 {
		t.Fatalf("the preview is stored: %d", s.status)
	}
	b.leads(b.send("POST", policiesPage, s.fields("")), overPolicy)
	p.settle()
	s = b.answers(b.get(overPolicy), 200)
	if got := s.text("#policy-live .rendered td.new"); got != "line added: + image: registry.eu.example/registry.example.com/ledger-api:1.4.0 this policy, rule 1" {
		t.Errorf("its page: %q in %s", got, s.text("main"))
	}
}

// override writes an override policy through the API; rules are written in flow style.
func (p *apiPlane) override(name, selects, rules string) {
	p.t.Helper()
	p.tenantWrites("acme", "overridepolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nmetadata: {name: "+name+"}\nspec:\n"+
		"  resourceSelectors: [{"+selects+"}]\n  overrideRules: "+rules+"\n")
}

const selectsLedger = "apiVersion: odysseus/v1, kind: Deployment, name: ledger-api"

// "What blocks, with the reason; what changes nothing is said; a dropped digest is said", and which of several policies
// changed each line.
func TestOverridePageSaysWhatBecomesOfEachResource(t *testing.T) {
	p, b := distributed(t)
	p.want(p.ask(operatorToken, "PUT", deployments+"/ledger-api", strings.Replace(strings.Replace(manifest, "replicas: 2", "replicas: 4", 1),
		"registry.example.com/ledger-api:1.4.0", "registry.example.com/ledger-api:1.4.0@sha256:"+strings.Repeat("a", 64), 1)), 200)
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusteroverridepolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {name: platform}\nspec:\n"+
		"  resourceSelectors: [{"+selectsLedger+"}]\n  overrideRules: [{targetCluster: {}, overriders: {annotationsOverrider: [{operator: add, value: {by: platform}}]}}]\n"), 201)
	p.override("registry", selectsLedger, "[{targetCluster: {clusterNames: [canada]}, overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 1}], imageOverrider: [{component: Tag, operator: replace, value: v2}], "+
		"labelsOverrider: [{operator: remove, value: {none: x}}]}}, {targetCluster: {clusterNames: [europe]}, overriders: {plaintext: [{path: /spec/nothing/here, operator: replace, value: 1}]}}]")
	p.settle()
	s := b.answers(b.get(overPolicy), 200)
	for selector, want := range map[string]string{
		"#policy-live .lead":                                             "Selects 1 resource. It holds a resource back on 1 cluster.",
		"#policy-live .outcome":                                          "1 cluster receives something else than was written, and it is blocked on 1.",
		"#policy-live .blocked":                                          "■ Blocked europe nothing stands at /spec/nothing, and parents are not made: add it firstthis policy, rule 2: spec.overrideRules[1].overriders.plaintext[0].pathNothing new is sent there, and what runs there stays.",
		"#policy-live .delivery > p":                                     "Replicas: 3 by the division, 1 by the override.",
		"#policy-live .notes li:nth-child(1)":                            "canada /spec/image loses its digest with the tag this policy, rule 1: spec.overrideRules[0].overriders.imageOverrider[0]",
		`#policy-live .notes li[data-code="nothing_changed"]`:            "canada /metadata/labels/none stays as it is this policy, rule 1: spec.overrideRules[0].overriders.labelsOverrider[0]",
		"#policy-live .rendered tr:has(td.new:contains('platform')) .by": "ClusterOverridePolicy platform, rule 1ClusterOverridePolicy platform, rule 1",
		"#policy-live .rendered tr:has(td.new:contains('replicas')) .by": "this policy, rule 1",
		"dl.facts dd:contains('canada')":                                 "canada: 1 change of images, 1 change of labels, 1 change by path",
	} {
		if got := s.text(selector); got != want {
			t.Errorf("%s:\n%q, want\n%q", selector, got, want)
		}
	}
	if !strings.Contains(s.Find("#manifest").Text(), "component: Tag") {
		t.Error("no YAML to copy")
	}
	list := b.answers(b.get(policiesPage), 200)
	if got := list.text("#policies-list tbody tr:last-child"); got != "registryOverridePolicy1–canada; europe0 ■ Blocked 1" {
		t.Errorf("row: %q", got)
	}
	confirm := b.answers(b.get(overPolicy+"/delete"), 200)
	if got := confirm.text("main ul"); got != "1 resource is distributed again without it, on 1 cluster. What runs is replaced where that changes it.It holds a resource back on 1 cluster, which receives it then." {
		t.Errorf("deleting: %q", got)
	}
	b.leads(b.send("POST", overPolicy+"/delete", url.Values{"version": {confirm.Find("input[name=version]").AttrOr("value", "")}}), policiesPage)
	if s := b.get(policiesPage); !strings.Contains(s.text("#flash"), "registry is deleted") || strings.Contains(s.text("#policies-list"), "OverridePolicy") {
		t.Errorf("after deleting: %q %q", s.text("#flash"), s.text("#policies-list"))
	}
}

func TestOverrideOfWhatNobodyDistributesChangesNothing(t *testing.T) {
	p, b := split(t)
	p.override("registry", selectsLedger, "[{targetCluster: {}, overriders: {imageOverrider: [{component: Registry, operator: add, value: r.example}]}}]")
	p.settle()
	s := b.answers(b.get(overPolicy), 200)
	if got := s.text("#policy-live .reached"); !strings.Contains(got, "No propagation policy distributes this resource yet") || strings.Contains(got, "r.example") {
		t.Errorf("said: %q", got)
	}
	if s.Find(`.warning[data-code="targets_all_clusters"]`).Length() != 1 {
		t.Errorf("not warned: %s", s.text("#policy-live"))
	}
	if got := b.get(overPolicy + "/delete").text("main ul"); got != "It changes nothing now, so nothing changes on the clusters." {
		t.Errorf("deleting: %q", got)
	}
}

// A Secret's values are shown nowhere, nor those that an override sets in one.
func TestOverrideOfASecretShowsNoValue(t *testing.T) {
	p, b := split(t)
	p.tenantWrites("acme", "resources", "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter22}\n")
	p.tenantWrites("acme", "propagationpolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: secrets}\nspec:\n  resourceSelectors: [{apiVersion: v1, kind: Secret}]\n  placement: {clusterAffinity: {clusterNames: [canada, europe]}}\n")
	p.settle()
	fields := []string{"kind", "OverridePolicy", "name", "registry", "resourceSelectors.0.apiVersion", "v1", "resourceSelectors.0.kind", "Secret", targets + ".0", "europe",
		overrides + ".plaintext.0.operator", "replace", overrides + ".plaintext.0.path", "/data/password", overrides + ".plaintext.0.value", `"c2VzYW1lMzM="`}
	s := b.answers(b.post(policiesPage, append(fields, "action", "preview")...), 200)
	for _, secret := range []string{"hunter22", "aHVudGVyMjI", "sesame33"} {
		if strings.Contains(s.raw, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	if strings.Contains(s.text("#policy-preview .reached, #policy-preview .delivery"), "c2VzYW1lMzM=") {
		t.Error("the new value is shown in the preview")
	}
	if got := s.text("#policy-preview .delivery"); !strings.Contains(got, "A Secret's values are never shown. These change:/data/password this policy, rule 1") {
		t.Errorf("said: %q", s.text("#policy-preview"))
	}
}

func TestOverridePagesAreForThoseWhoMay(t *testing.T) {
	p, b := distributed(t)
	b.leads(b.post(policiesPage, registryInFront()...), overPolicy)
	viewer, other, operator := p.person(t, "acme", "viewer"), p.person(t, "globex", "editor"), p.person(t, "", "operator")
	s := viewer.answers(viewer.get(overPolicy), 200)
	if s.Find(`a[href$="/edit"], a[href$="/delete"]`).Length() != 0 || !strings.Contains(s.text("#policy-live"), "registry.eu.example/") {
		t.Errorf("a viewer sees %s", s.text("main"))
	}
	for _, path := range []string{newOver, overPolicy + "/edit", overPolicy + "/delete"} {
		viewer.answers(viewer.get(path), 403)
		other.answers(other.get(path), 404)
	}
	viewer.answers(viewer.post(policiesPage, registryInFront("name", "mine")...), 403)
	viewer.answers(viewer.post(overPolicy+"/delete"), 403)
	other.answers(other.get(overPolicy), 404)
	other.answers(other.post(policiesPage, registryInFront("name", "mine")...), 404)
	b.answers(b.get("/policies/new?kind=ClusterOverridePolicy"), 403)

	operator.answers(operator.get("/policies/new?kind=ClusterOverridePolicy"), 200)
	fields := registryInFront("kind", "ClusterOverridePolicy", "name", "everywhere", "resourceSelectors.0.namespace", "acme")
	operator.leads(operator.send("POST", "/policies", formOf(fields)), "/policies/ClusterOverridePolicy/everywhere")
	p.settle()
	if got := operator.get("/policies/ClusterOverridePolicy/everywhere").text("#policy-live"); !strings.Contains(got, "acme/ledger-api") || !strings.Contains(got, "OverridePolicy registry, rule 1") {
		t.Errorf("the platform's page: %q", got)
	}
	if got := operator.get("/policies").text("#policies-list tbody"); !strings.Contains(got, "everywhereClusterOverridePolicy1") {
		t.Errorf("the platform's list: %q", got)
	}
}

func TestOverridesAreFoundByEverySpellingOfTheirKind(t *testing.T) {
	_, b := distributed(t)
	b.leads(b.post(policiesPage, registryInFront()...), overPolicy)
	for _, kind := range []string{"overridepolicy", "overridepolicies", "OverridePolicies"} {
		b.leads(b.get(policiesPage+"/"+kind+"/registry/edit"), overPolicy+"/edit")
	}
	for _, path := range []string{policiesPage + "/ClusterOverridePolicy/registry", policiesPage + "/OverridePolicy/none", policiesPage + "/PropagationPolicy/registry", policiesPage + "/Override/registry"} {
		b.answers(b.get(path), 404)
	}
}

// A script posts what the table of paths says: the kind is told by what it sends.
func TestKindOfANewPolicyIsToldByWhatIsSent(t *testing.T) {
	_, b := distributed(t)
	fields := formOf(registryInFront("name", "by-fields"))
	fields.Del("kind")
	b.leads(b.send("POST", policiesPage, fields), policiesPage+"/OverridePolicy/by-fields")
	text := "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nmetadata: {name: by-yaml}\nspec:\n  resourceSelectors: [{" + selectsLedger + "}]\n" +
		"  overrideRules: [{targetCluster: {clusterNames: [europe]}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]\n"
	b.leads(b.post(policiesPage, "yaml", text), policiesPage+"/OverridePolicy/by-yaml")
	// A form is for one kind; YAML of the other is refused there by its kind.
	s := b.answers(b.post(policiesPage, "kind", "OverridePolicy", "yaml", strings.Replace(text, "kind: OverridePolicy", "kind: PropagationPolicy", 1)), 422)
	if got := s.refusal("yaml"); !strings.Contains(got, `"PropagationPolicy"`) {
		t.Errorf("refused: %q", got)
	}
}

func TestSecondPersonAtAnOverrideIsToldAndLosesNothing(t *testing.T) {
	_, b := distributed(t)
	b.leads(b.post(policiesPage, registryInFront()...), overPolicy)
	mine := b.answers(b.get(overPolicy+"/edit"), 200).fields("")
	theirs := b.get(overPolicy + "/edit").fields("")
	theirs.Set(targets+".0", "canada")
	b.leads(b.send("POST", overPolicy, theirs), overPolicy)
	mine.Set(overrides+".imageOverrider.0.value", "other.example")
	s := b.answers(b.send("POST", overPolicy, mine), 409)
	if got := s.text("#conflict"); !strings.Contains(got, "- canada") || !strings.Contains(got, "value: other.example") {
		t.Errorf("told: %s", got)
	}
	if s.value(overrides+".imageOverrider.0.value") != "other.example" {
		t.Error("what was typed is lost")
	}
	b.leads(b.send("POST", overPolicy, s.fields("")), overPolicy)
}

// htmx asks the same address: for the form, or for what it would do while something is typed.
func TestOverrideFollowsWhileItIsFilledIn(t *testing.T) {
	_, b := distributed(t)
	for part, lacks := range map[string]string{"policy-editor": "", "policy-preview": `[name="name"]`} {
		htmx := &browser{t: t, plane: b.plane, client: b.client, part: part}
		s := htmx.answers(htmx.post(policiesPage, registryInFront("check", "typing")...), 200)
		if s.Find("h1, main, [autofocus]").Length() != 0 || lacks != "" && s.Find(lacks).Length() != 0 || !strings.Contains(s.text(".rendered td.new"), "registry.eu.example/") {
			t.Errorf("%s: %s", part, s.raw)
		}
		// A name that is missing still is not asked for, and keeps nobody from seeing what would come of it.
		s = htmx.answers(htmx.send("POST", policiesPage, formOf(registryInFront("check", "typing", "name", ""))), 200)
		if s.Find(".refusal").Length() != 0 || !strings.Contains(s.text("body"), "Not complete yet") || !strings.Contains(s.text(".rendered td.new .by"), "this policy, rule 1") {
			t.Errorf("%s without a name: %s", part, s.raw)
		}
		s = htmx.answers(htmx.send("POST", policiesPage, formOf(registryInFront("check", "typing", overrides+".imageOverrider.0.value", ""))), 200)
		if s.Find(".refusal, .rendered").Length() != 0 || !strings.Contains(s.text("body"), "As soon as a rule is complete") {
			t.Errorf("%s without a value: %s", part, s.raw)
		}
		s = htmx.answers(htmx.send("POST", policiesPage, formOf(registryInFront("check", "typing", "name", "No"))), 422)
		if part == "policy-editor" && !strings.Contains(s.refusal("name"), `"No"`) || s.Find("[role=alert]").Length() != 0 {
			t.Errorf("%s: %s", part, s.raw)
		}
	}
}

// "Pick a selected resource": its containers and fields are offered, and what becomes of it is shown.
func TestAnotherSelectedResourceIsLookedAt(t *testing.T) {
	p, b := distributed(t)
	p.tenantWrites("acme", "resources", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: front, image: nginx}, {name: side, image: busybox}]}\n")
	p.tenantWrites("acme", "propagationpolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n  placement: {clusterAffinity: {clusterNames: [europe]}}\n")
	p.settle()
	fields := registryInFront("resourceSelectors.1.apiVersion", "apps/v1", "resourceSelectors.1.kind", "Deployment", overrides+".argsOverrider.0.containerName", "front",
		overrides+".argsOverrider.0.operator", "add", overrides+".argsOverrider.0.value.0", "--quiet")
	s := b.answers(b.post(policiesPage, append(fields, "action", "preview")...), 200)
	if got := s.text("#look option"); got != "ledger-api · odysseus/v1 Deploymentweb · apps/v1 Deployment" {
		t.Fatalf("offered: %q", got)
	}
	form := s.fields("look")
	form.Set("look", "odysseus/v1|Deployment|acme|ledger-api")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if got := s.text("#policy-preview .blocked"); !strings.Contains(got, "europe no container is called front") {
		t.Errorf("the deployment without a named container: %q", s.text("#policy-preview"))
	}
	form = s.fields("look")
	form.Set("look", "apps/v1|Deployment|acme|web")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if got := s.text(`[id="` + overrides + `.argsOverrider.0.containerName"] option`); got != "Choose onefrontside" {
		t.Errorf("containers: %q", got)
	}
	if got := s.text(`[id="` + overrides + `.imageOverrider.0.predicate.path"] option`); got != "Every image of the resourcefront · nginxside · busybox" {
		t.Errorf("images: %q", got)
	}
	form = s.fields("preview")
	form.Set(overrides+".imageOverrider.0.predicate.path", "/spec/template/spec/containers/1/image")
	s = b.answers(b.send("POST", policiesPage, form), 200)
	if got := s.text("#policy-preview .rendered td.new"); !strings.Contains(got, "image: registry.eu.example/busybox") || strings.Contains(got, "registry.eu.example/nginx") {
		t.Errorf("one image: %q", got)
	}
}

// A policy may select more than a page has: what is searched for is shown.
func TestOverrideOfManyResourcesIsSearched(t *testing.T) {
	p, b := split(t)
	for i := range 22 {
		p.tenantWrites("acme", "resources", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm-"+strconv.Itoa(10+i)+"}\ndata: {a: b}\n")
	}
	p.tenantWrites("acme", "propagationpolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: maps}\nspec:\n  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\n  placement: {clusterAffinity: {clusterNames: [europe]}}\n")
	p.override("registry", "apiVersion: v1, kind: ConfigMap", "[{targetCluster: {clusterNames: [europe]}, overriders: {plaintext: [{path: /data/a, operator: replace, value: c}]}}]")
	p.settle()
	s := b.answers(b.get(overPolicy), 200)
	if got := s.Find("#policy-live .reached").Length(); got != 20 || !strings.Contains(s.text("#policy-live"), "And 2 more.") {
		t.Errorf("%d shown: %s", got, s.text("#policy-live > p"))
	}
	s = b.answers(b.get(overPolicy+"?q=cm-31"), 200)
	if got := s.text("#policy-live .reached h2 a"); got != "cm-31" || !strings.Contains(s.text("#policy-live .rendered td.new"), "a: c") {
		t.Errorf("searched: %q", got)
	}
	if got := b.get(overPolicy + "?q=none").text(".empty"); !strings.HasPrefix(got, "Nothing matches") {
		t.Errorf("no match: %q", got)
	}
}

// The list goes from propagation policies on to override policies, and no page misses or repeats one.
func TestListGoesOnAmongOverridePolicies(t *testing.T) {
	p, b := split(t)
	for i := range 30 {
		p.tenantWrites("acme", "propagationpolicies", "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p"+strconv.Itoa(10+i)+"}\nspec: {placement: {}}\n")
		p.override("o"+strconv.Itoa(10+i), "apiVersion: v1, kind: ConfigMap", "[{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]")
	}
	seen := map[string]int{}
	pages := 0
	for path := policiesPage; path != ""; pages++ {
		s := b.answers(b.get(path), 200)
		s.Find("#policies-list tbody th a").Each(func(_ int, a *goquery.Selection) { seen[a.AttrOr("href", "")]++ })
		path = s.Find(".pager a[rel=next]").AttrOr("href", "")
	}
	if len(seen) != 60 || pages != 2 {
		t.Errorf("%d policies on %d pages", len(seen), pages)
	}
	for path, times := range seen {
		if times != 1 {
			t.Errorf("%s stands %d times", path, times)
		}
	}
	if got := b.get(policiesPage + "?q=o1").Find("#policies-list tbody tr").Length(); got != 10 {
		t.Errorf("%d found", got)
	}
}

// "The console shows both numbers"; what blocks is said "on the policy and on the workload, while what runs there stays".
func TestWorkloadSaysWhatOverridesMakeOfIt(t *testing.T) {
	p, b := distributed(t)
	rule := func(path string) string {
		return "[{targetCluster: {clusterNames: [canada]}, overriders: {plaintext: [{path: " + path + ", operator: replace, value: 1}]}}]"
	}
	p.override("registry", selectsLedger, rule("/spec/nothing/here"))
	p.settle()
	page := "/namespaces/acme/deployments/ledger-api"
	s := b.answers(b.get(page), 200)
	if got := s.text("#deployment-live .blocked"); got != "■ Blocked canadaOverridePolicy registry, rule 1: nothing stands at /spec/nothing, and parents are not made: add it first spec.overrideRules[0].overriders.plaintext[0].pathNothing new is sent there, and what runs there stays." {
		t.Errorf("blocked: %q in %s", got, s.text("#deployment-live"))
	}
	if got := s.text("#deployment-live"); !strings.Contains(got, "4 of 4 replicas placed") || strings.Contains(got, "is overridden by") {
		t.Errorf("what runs: %q", got)
	}
	edit := b.get(overPolicy + "/edit").fields("")
	edit.Set(overrides+".plaintext.0.path", "/spec/replicas")
	b.leads(b.send("POST", overPolicy, edit), overPolicy)
	p.settle()
	s = b.answers(b.get(page), 200)
	if got := s.text("#deployment-live .overridden li"); got != "canada is overridden by OverridePolicy registry · Replicas: 3 by the division, 1 by the override." {
		t.Errorf("overridden: %q in %s", got, s.text("#deployment-live"))
	}
	if got := s.text("#deployment-live .split caption"); got != "Replicas by cluster, of 2" || s.Find("#deployment-live .blocked").Length() != 0 {
		t.Errorf("wanted: %q", got)
	}
	if got := b.get(policiesPage + "/PropagationPolicy/split").text(".overridden li"); !strings.Contains(got, "3 by the division, 1 by the override") {
		t.Errorf("the propagation policy: %q", got)
	}
	if got := b.post(policiesPage, threeToOne("action", "preview")...).text("#policy-preview .overridden li"); !strings.Contains(got, "3 by the division, 1 by the override") {
		t.Errorf("its preview: %q", got)
	}
	// What is there is not waited for.
	if got := b.post(policiesPage, threeToOne("dependentOverrides.0", "registry", "action", "preview")...).text("#policy-preview .split title"); !strings.HasPrefix(got, "Would be divided as") {
		t.Errorf("with the override to wait for: %q", got)
	}
}
