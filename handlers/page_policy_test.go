package handlers_test

import (
	"strings"
	"testing"
)

// held is a plane whose ledger-api is split by a policy, with another policy that selects it too and lost.
func held(t *testing.T) (*apiPlane, *browser) {
	t.Helper()
	p, b := split(t)
	policy := func(name, more string) string {
		return "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: " + name + "}\nspec:\n" + more +
			"  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment, name: ledger-api}, {apiVersion: v1, kind: ConfigMap}]\n" +
			"  placement:\n    clusterAffinity: {clusterNames: [canada, europe]}\n    replicaScheduling:\n      weightPreference:\n        staticWeightList:\n" +
			"          - {targetCluster: {clusterNames: [canada]}, weight: 3}\n          - {targetCluster: {clusterNames: [europe]}, weight: 1}\n"
	}
	p.tenantWrites("acme", "resources", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {a: b}\n")
	p.tenantWrites("acme", "propagationpolicies", policy("split", ""))
	p.settle()
	p.tenantWrites("acme", "propagationpolicies", policy("late", "  priority: 9\n  preserveResourcesOnDeletion: false\n  failover: {application: {purgeMode: Graciously, decisionConditions: {tolerationSeconds: 30}}}\n"))
	p.settle()
	return p, b
}

func TestListOfPolicies(t *testing.T) {
	_, b := held(t)
	s := b.answers(b.get(policiesPage), 200)
	if got := s.text("#policies-list tbody tr:last-child"); got != "splitPropagationPolicy2By weight 3 : 1canada, europe0" {
		t.Errorf("row: %q", got)
	}
	if s.Find(`.nav a[href="`+policiesPage+`"][aria-current]`).Length() == 0 || s.Find(`#policies-list a[href="`+policiesPage+`/PropagationPolicy/split"]`).Length() != 1 {
		t.Error("no way there, or on")
	}
	if got := b.get(policiesPage + "?q=nothing").text(".empty"); !strings.HasPrefix(got, "Nothing matches") {
		t.Errorf("no match: %q", got)
	}
}

func TestEmptyListOfPoliciesSaysWhatToDo(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	s := b.answers(b.get(policiesPage), 200)
	if got := s.text(".empty"); !strings.HasPrefix(got, "No policies yet.") || s.Find(`.empty a[href="`+policiesPage+`/new"]`).Length() != 1 {
		t.Errorf("got %q", got)
	}
	v := p.person(t, "acme", "viewer")
	if v.get(policiesPage).Find(`a[href$="/new"]`).Length() != 0 {
		t.Error("a viewer is offered what it may not do")
	}
}

func TestPageOfAPolicySaysWhereItWent(t *testing.T) {
	_, b := held(t)
	page := policiesPage + "/PropagationPolicy/"
	s := b.answers(b.get(page+"split"), 200)
	if got := s.text("#policy-live .lead"); got != "Selects 2 resources and decides on 2." {
		t.Errorf("lead: %q", got)
	}
	for _, want := range []string{"canada 3333075 %", "europe 1111025 %"} {
		if got := s.text("#policy-live .split tbody"); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	for _, want := range []string{"Is on 2 clusters: canada, europe.", "selected by name", "selected as one of its kind", "Would come first if nobody held it: PropagationPolicy late"} {
		if got := s.text("#policy-live"); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	for _, want := range []string{"as no longer managed", "preserveResourcesOnDeletion: true (left out)", "None. A workload that is unhealthy"} {
		if got := s.text("dl.facts"); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if !strings.Contains(s.Find("#manifest").Text(), "weight: 3") {
		t.Error("no YAML to copy")
	}

	lost := b.answers(b.get(page+"late"), 200)
	if got := lost.text("#policy-live"); !strings.Contains(got, "decides on 0.") || !strings.Contains(got, "Another policy decides: PropagationPolicy split") || lost.Find("#policy-live .split").Length() != 0 {
		t.Errorf("the one that lost: %q", got)
	}
	for _, want := range []string{"removes what it distributed", "for 30 seconds is placed on another first", "after 600 seconds", "preserveResourcesOnDeletion: false"} {
		if got := lost.text("dl.facts"); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestPageOfADeploymentSaysWhoHoldsIt(t *testing.T) {
	p, b := held(t)
	s := b.answers(b.get(deploymentsPage+"/ledger-api"), 200)
	if got := s.Find(`#deployment-live a[href="` + policiesPage + `/PropagationPolicy/split"]`).Text(); got != "PropagationPolicy split" {
		t.Errorf("held by %q", got)
	}
	if got := s.text("#deployment-live .split tbody"); !strings.Contains(got, "canada 3333075 %") {
		t.Errorf("split: %q", got)
	}
	generation := func() string {
		return p.ask(operatorToken, "GET", deployments+"/ledger-api", "").get("object.metadata.generation") + p.ask(operatorToken, "GET", deployments+"/ledger-api", "").get("metadata.generation")
	}
	before := generation()
	b.leads(b.post(deploymentsPage+"/ledger-api/reschedule"), deploymentsPage+"/ledger-api")
	if after := generation(); after == before {
		t.Errorf("divided afresh, the generation stays %s", after)
	}
	v := p.person(t, "acme", "viewer")
	v.answers(v.post(deploymentsPage+"/ledger-api/reschedule"), 403)

	page := policiesPage + "/PropagationPolicy/"
	for _, name := range []string{"late", "split"} {
		b.leads(b.post(page+name+"/delete", "version", b.get(page+name+"/delete").Find("main input[name=version]").AttrOr("value", "")), policiesPage)
	}
	p.settle()
	// A Deployment is placed without any policy too; what waits for one stays where it was left.
	kept := b.get(resourcesPage + "?apiVersion=v1&kind=ConfigMap&name=cm")
	if got := kept.text(`.warning[data-code="unmanaged"]`); !strings.Contains(got, "Nobody manages it now") || !strings.Contains(kept.text("#resource-live"), "Is on 2 clusters") {
		t.Errorf("kept and unmanaged: %q", kept.text("#resource-live"))
	}
}

// A cluster outside the residency is no candidate, and named with its reason: in the preview and once it is placed.
func TestExcludedClusterIsNamedWithItsReason(t *testing.T) {
	p, b := split(t)
	p.tenantWrites("acme", "deployments", strings.Replace(inCanada, "ledger-api\n", "vault\n", 1))
	p.settle()
	fields := threeToOne("action", "preview")
	for i, f := range fields {
		if f == "ledger-api" {
			fields[i] = "vault"
		}
	}
	s := b.answers(b.post(policiesPage, fields...), 200)
	const want = "europerequires country CA; nodes report DE and region eu-core"
	if got := s.text("#policy-preview .excluded"); !strings.HasPrefix(got, want) {
		t.Errorf("preview: %q in %s", got, s.text("#policy-preview"))
	}
	if got := s.text("#policy-preview .split title"); got != "Would be divided as canada 2" {
		t.Errorf("preview: %q", got)
	}
	b.leads(b.post(policiesPage, fields[:len(fields)-2]...), policiesPage+"/PropagationPolicy/split")
	p.settle()
	for _, path := range []string{policiesPage + "/PropagationPolicy/split", deploymentsPage + "/vault"} {
		if got := b.get(path).text(".excluded"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestDeletingAPolicySaysWhatItDoesInNumbers(t *testing.T) {
	p, b := held(t)
	page := policiesPage + "/PropagationPolicy/"
	for name, want := range map[string]string{
		"split": "2 resources with 4 placed replicas stay on 2 clusters. Nothing is stopped; they are no longer managed.",
		"late":  "It decides on no resource now, so nothing changes on the clusters.",
	} {
		if got := b.answers(b.get(page+name+"/delete"), 200).text("main li"); !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	b.answers(b.post(page+"split/delete", "version", "1"), 409)
	b.leads(b.post(page+"split/delete"), policiesPage)
	p.settle()
	if got := b.get(page + "late/delete").text("main li"); !strings.Contains(got, "2 resources are removed from 2 clusters, and 4 placed replicas stopped.") {
		t.Errorf("the next one: %q", got)
	}
	if got := b.get(policiesPage).text("main"); strings.Contains(got, "split") {
		t.Errorf("still listed: %q", got)
	}
}

func TestKindsOfAPathAreAcceptedAsTheyAreSaid(t *testing.T) {
	_, b := held(t)
	page := policiesPage + "/PropagationPolicy/split"
	for _, kind := range []string{"propagationpolicy", "propagationpolicies", "PropagationPolicies", "PROPAGATIONPOLICY"} {
		b.leads(b.get(policiesPage+"/"+kind+"/split?x=1"), page+"?x=1")
		b.leads(b.get(policiesPage+"/"+kind+"/split/edit"), page+"/edit")
	}
	form := b.get(page + "/edit").fields("")
	b.leads(b.send("POST", policiesPage+"/propagationpolicies/split", form), page)
	for _, kind := range []string{"OverridePolicy", "ClusterPropagationPolicy", "Deployment", "policies"} {
		b.answers(b.get(policiesPage+"/"+kind+"/split"), 404)
	}
}

func TestClusterWidePoliciesAreTheOperators(t *testing.T) {
	p, b := split(t)
	op := p.person(t, "", "operator")
	if got := op.answers(op.get("/policies"), 200).text(".empty"); !strings.HasPrefix(got, "No cluster-wide policies yet.") {
		t.Errorf("empty: %q", got)
	}
	s := op.answers(op.get("/policies/new"), 200)
	if s.Find(`select[name="pick.resourceSelectors"] option[value="odysseus/v1|Deployment|acme|ledger-api"]`).Length() != 1 {
		t.Errorf("offered: %s", s.text("select"))
	}
	op.leads(op.post("/policies", threeToOne()...), "/policies/ClusterPropagationPolicy/split")
	p.settle()
	page := op.answers(op.get("/policies/ClusterPropagationPolicy/split"), 200)
	if got := page.text("#policy-live"); !strings.Contains(got, "acme/ledger-api") || !strings.Contains(got, "canada 3333075 %") {
		t.Errorf("page: %q", got)
	}
	op.answers(op.get("/policies/ClusterPropagationPolicy/split/edit"), 200)
	op.leads(op.get("/policies/clusterpropagationpolicies/split"), "/policies/ClusterPropagationPolicy/split")

	// A tenant is told who decides, and not led where it may not go.
	mine := b.answers(b.get(deploymentsPage+"/ledger-api"), 200)
	if got := mine.text("#deployment-live"); !strings.Contains(got, "ClusterPropagationPolicy split") || mine.Find(`#deployment-live a[href^="/policies"]`).Length() != 0 {
		t.Errorf("the tenant's page: %q", got)
	}
	for _, path := range []string{"/policies", "/policies/new", "/policies/ClusterPropagationPolicy/split"} {
		b.answers(b.get(path), 403)
	}
	staff := p.person(t, "", "support")
	if staff.answers(staff.get("/policies/ClusterPropagationPolicy/split"), 200).Find(`a[href$="/edit"], a[href$="/delete"]`).Length() != 0 {
		t.Error("support is offered what it may not do")
	}
	staff.answers(staff.get("/policies/new"), 403)
	staff.answers(staff.post("/policies", threeToOne()...), 403)
	op.leads(op.post("/policies/ClusterPropagationPolicy/split/delete"), "/policies")
}

func TestPoliciesOfOthersAreNotThere(t *testing.T) {
	p, _ := held(t)
	stranger, viewer := p.person(t, "globex", "editor"), p.person(t, "acme", "viewer")
	page := policiesPage + "/PropagationPolicy/split"
	for _, path := range []string{policiesPage, policiesPage + "/new", page, page + "/edit", page + "/delete", "/namespaces/acme/resources", "/namespaces/acme/resources/new"} {
		stranger.answers(stranger.get(path), 404)
	}
	stranger.answers(stranger.post(policiesPage, threeToOne()...), 404)
	stranger.answers(stranger.post(page+"/delete"), 404)
	viewer.answers(viewer.get(page), 200)
	for _, path := range []string{policiesPage + "/new", page + "/edit", page + "/delete"} {
		viewer.answers(viewer.get(path), 403)
	}
	viewer.answers(viewer.post(policiesPage, threeToOne()...), 403)
	viewer.answers(viewer.post(page, threeToOne()...), 403)
	viewer.answers(viewer.post(page+"/delete"), 403)
}
