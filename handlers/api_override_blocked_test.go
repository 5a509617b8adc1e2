package handlers_test

import (
	"strings"
	"testing"
)

// TestWhatAnOverrideHoldsBackIsSaid on the policy and on the workload, with the rule and why, while other clusters go on;
// mended, it is said no more.
func TestWhatAnOverrideHoldsBackIsSaid(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("acme", "editor")
	p.node("n-a", "a", "", "")
	p.node("n-b", "b", "", "")
	p.want(p.ask(editor, "POST", policies, strings.Replace(splitPolicy, "{apiVersion: apps/v1, kind: Deployment}", "{apiVersion: odysseus/v1, kind: Deployment}", 1)), 201)
	p.want(p.ask(editor, "POST", deployments, manifest), 201)
	broken := "apiVersion: " + ackOne + "\nkind: OverridePolicy\nmetadata: {name: broken}\nspec:\n  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}]\n" +
		"  overrideRules:\n  - {targetCluster: {clusterNames: [z]}, overriders: {plaintext: [{path: /spec/replicas, operator: remove}]}}\n" +
		"  - {targetCluster: {clusterNames: [a]}, overriders: {plaintext: [{path: /spec/ports/0, operator: remove}]}}\n"
	p.want(p.ask(editor, "POST", overridesAPI, broken), 201)
	p.settle()
	const why = `OverridePolicy acme/broken does not apply`
	a := p.want(p.ask(editor, "GET", overridesAPI+"/broken", ""), 200)
	for path, want := range map[string]string{
		"status.selected": "1", "status.blocked.1": "", "status.blocked.0.cluster": "a", "status.blocked.0.code": "override_blocked", "status.blocked.0.errorClass": "missing",
		"status.blocked.0.resource": `{"apiVersion":"odysseus/v1","kind":"Deployment","name":"ledger-api","namespace":"acme"}`,
		"status.blocked.0.message":  why + ", by spec.overrideRules[1].overriders.plaintext[0].path: nothing stands at /spec/ports, and parents are not made: add it first",
		"status.warnings.0.code":    "cluster_unknown",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for _, token := range []string{editor, operatorToken} {
		placement := p.want(p.ask(token, "GET", deployments+"/ledger-api/placement", ""), 200)
		reasons, _ := placement.json["pending"].(map[string]any)["reasons"].([]any)
		said := false
		for _, r := range reasons {
			r, _ := r.(map[string]any)
			message, _ := r["message"].(string)
			said = said || r["code"] == "override_blocked" && strings.HasPrefix(message, why+" in a, by spec.overrideRules[1]") && strings.Contains(message, "nothing stands at /spec/ports")
		}
		if !said || placement.get("clusters.0.overrides") != `["OverridePolicy acme/broken"]` || placement.get("clusters.1.placed") != "2" || placement.get("clusters.1.overrides") != "" {
			t.Errorf("the workload: %s", placement.body)
		}
	}
	if a := p.want(p.ask(editor, "GET", "/api/v1/pending", ""), 200); !strings.Contains(string(a.body), why) {
		t.Errorf("pending: %s", a.body)
	}
	p.want(p.ask(editor, "PUT", overridesAPI+"/broken", strings.Replace(broken, "path: /spec/ports/0, operator: remove", "path: /spec/replicas, operator: replace, value: 1", 1)), 200)
	p.settle()
	if a := p.want(p.ask(editor, "GET", overridesAPI+"/broken", ""), 200); a.get("status.blocked") != "[]" || a.get("status.selected") != "1" {
		t.Errorf("mended: %s", a.body)
	}
	a = p.want(p.ask(editor, "GET", deployments+"/ledger-api/placement", ""), 200)
	if a.get("clusters.0.desired") != "1" || a.get("clusters.0.divided") != "2" || a.get("clusters.0.placed") != "1" || a.get("clusters.1.desired") != "2" || a.get("clusters.1.divided") != "" {
		t.Errorf("mended: %s", a.body)
	}
}
