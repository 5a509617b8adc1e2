package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axeRun asks for the rules of WCAG 2.2 AA and answers each breach on a line.
const axeRun = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}).then((r) =>
  r.violations.map((v) => v.id + " " + v.nodes.map((n) => n.target.join(" ")).join(" | ")).join("\n"))`

// TestPagesAreAccessible runs axe-core in a real browser on each page of each kind of person, light on a desktop
// and dark on a phone.
func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		require(t, "chromium", "axe-core is not there: run npm ci")
	}
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("atlantic")
	canadian := p.node("n-ca", "atlantic", "CA", "north-america")
	moving := p.node("n-nl", "atlantic", "NL", "")
	p.mustDeploy(token, "acme", ledgerAPI)
	p.mustDeploy(token, "acme", manifestOf("pending", []string{"country: JP"}))
	p.mustDeploy(token, "acme", manifestOf("drifting", []string{"country: NL"}))
	p.mustDeploy(token, "acme", manifestOf("shadowed", []string{"region: north-america", "blockedCountries: [US]"}))
	p.cluster("pacific")
	p.node("n-jp", "pacific", "US", "")
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/resources", token, "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter22}\n")
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/propagationpolicies", token, policyOf("split", "ledger-api"))
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/propagationpolicies", token, policyOf("warned", "pending", "nowhere"))
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/clusterpropagationpolicies", operatorToken,
		strings.Replace(policyOf("everywhere", "ledger-api"), "kind: PropagationPolicy", "kind: ClusterPropagationPolicy", 1))
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/overridepolicies", token, overrideOf("registry", "ledger-api", "atlantic", "/spec/replicas"))
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/overridepolicies", token, overrideOf("blocked", "ledger-api", "pacific", "/spec/nothing/here"))
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/overridepolicies", token, overrideOf("idle", "drifting", "nowhere", "/spec/replicas"))
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/clusteroverridepolicies", operatorToken,
		strings.Replace(overrideOf("everywhere", "ledger-api", "atlantic", "/spec/replicas"), "kind: OverridePolicy", "kind: ClusterOverridePolicy", 1))
	p.settle()
	canadian.carryOut()
	moving.carryOut()
	moving.setGeo("BE", "")
	moving.beat()
	p.settle()
	p.person("acme", "ada@acme.example", "editor")
	pages := map[string][]string{
		"ada@acme.example": {"/", "/namespaces/acme/deployments", "/namespaces/acme/deployments?q=nothing", "/namespaces/acme/deployments/new",
			"/namespaces/acme/deployments/ledger-api", "/namespaces/acme/deployments/pending", "/namespaces/acme/deployments/drifting",
			"/namespaces/acme/deployments/shadowed", "/namespaces/acme/deployments/ledger-api/edit", "/namespaces/acme/deployments/ledger-api/revisions",
			"/namespaces/acme/deployments/ledger-api/events", "/namespaces/acme/deployments/ledger-api/delete", "/pending", "/account", "/nodes",
			"/namespaces/acme/policies", "/namespaces/acme/policies?q=nothing", "/namespaces/acme/policies/new", "/namespaces/acme/policies/new?as=yaml",
			"/namespaces/acme/policies/PropagationPolicy/split", "/namespaces/acme/policies/PropagationPolicy/warned",
			"/namespaces/acme/policies/PropagationPolicy/split/edit", "/namespaces/acme/policies/PropagationPolicy/warned/edit",
			"/namespaces/acme/policies/PropagationPolicy/split/delete", "/namespaces/acme/policies/new?kind=OverridePolicy",
			"/namespaces/acme/policies/new?kind=OverridePolicy&as=yaml", "/namespaces/acme/policies/OverridePolicy/registry",
			"/namespaces/acme/policies/OverridePolicy/blocked", "/namespaces/acme/policies/OverridePolicy/idle",
			"/namespaces/acme/policies/OverridePolicy/registry/edit", "/namespaces/acme/policies/OverridePolicy/blocked/edit",
			"/namespaces/acme/policies/OverridePolicy/blocked/delete",
			"/namespaces/acme/resources", "/namespaces/acme/resources/new",
			"/namespaces/acme/resources?apiVersion=v1&kind=Secret&name=db", "/namespaces/acme/resources/edit?apiVersion=v1&kind=Secret&name=db",
			"/namespaces/acme/resources/delete?apiVersion=v1&kind=Secret&name=db",
			"/docs/residency", "/docs/deployment", "/docs/policies", "/docs/rejections", "/docs/placement", "/docs/never-scheduled"},
		operatorEmail: {"/", "/settings/residency", "/nodes", "/clusters", "/tenants", "/audit", "/pending", "/nodes/n-ca/drain",
			"/policies", "/policies/new", "/policies/ClusterPropagationPolicy/everywhere", "/policies/ClusterPropagationPolicy/everywhere/edit",
			"/policies/new?kind=ClusterOverridePolicy", "/policies/ClusterOverridePolicy/everywhere", "/policies/ClusterOverridePolicy/everywhere/edit", "/resources", "/resources/new"},
	}
	for email, paths := range pages {
		b := p.open(t, true)
		b.signIn(email)
		for _, look := range []struct {
			scheme string
			width  int64
		}{{"light", 1280}, {"dark", 360}} {
			b.look(look.scheme, look.width)
			for _, path := range paths {
				b.visit(path)
				b.accessible(string(axe), fmt.Sprintf("%s as %s, %s, %d pixels", path, email, look.scheme, look.width))
			}
			if email != operatorEmail {
				b.visit("/namespaces/acme/deployments/new")
				b.do("send what is refused", chromedp.SendKeys("#country", "Canada"), chromedp.Click(".actions button.primary"), chromedp.WaitReady("#problems"))
				b.accessible(string(axe), fmt.Sprintf("the refused form, %s, %d pixels", look.scheme, look.width))

				b.visit("/namespaces/acme/policies/PropagationPolicy/warned/edit")
				if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.querySelectorAll("main details").forEach((d) => { d.open = true; }); true`)); err != nil {
					t.Fatalf("unfold everything: %v", err)
				}
				b.do("fill in what is refused", chromedp.SendKeys(id(firstWeight), "x"), chromedp.SendKeys("#priority", "high"))
				b.do("send it", chromedp.Click(".actions button.primary"), chromedp.WaitReady("#problems"))
				b.accessible(string(axe), fmt.Sprintf("the refused policy, %s, %d pixels", look.scheme, look.width))

				b.visit("/namespaces/acme/policies/OverridePolicy/registry/edit")
				b.do("fill in what is refused", chromedp.SetValue(id("overrideRules.0.overriders.plaintext.0.value"), "a third"), chromedp.SetValue(id("overrideRules.0.overriders.imageOverrider.0.value"), "not a registry"),
					chromedp.SetValue(id("overrideRules.0.overriders.labelsOverrider.0.value.0.key"), "-x"))
				b.do("send it", chromedp.Click(".actions button.primary"), chromedp.WaitReady("#problems"))
				b.accessible(string(axe), fmt.Sprintf("the refused override, %s, %d pixels", look.scheme, look.width))
			}
		}
	}
}

// look sets what the person's system prefers and how wide the window is.
func (b *browser) look(scheme string, width int64) {
	b.t.Helper()
	b.do("set the window", chromedp.EmulateViewport(width, 900))
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.t.Fatalf("prefer %s: %v", scheme, err)
	}
}

func (b *browser) accessible(axe, what string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](axe+"\n;true")); err != nil {
		b.t.Fatalf("load axe on %s: %v", what, err)
	}
	breaches, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("run axe on %s: %v", what, err)
	}
	if strings.TrimSpace(breaches) != "" {
		b.t.Errorf("%s:\n%s", what, breaches)
	}
	wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
	if err != nil || wide {
		b.t.Errorf("%s is wider than the window (%v)", what, err)
	}
}

// policyOf splits a deployment over the clusters of the fleet, and those named.
func policyOf(name, selects string, clusters ...string) string {
	text := "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: " + name + "}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment, name: " + selects + "}]\n" +
		"  placement:\n    clusterAffinity: {clusterNames: [" + strings.Join(append([]string{"atlantic", "pacific"}, clusters...), ", ") + "]}\n" +
		"    replicaScheduling:\n      weightPreference:\n        staticWeightList:\n"
	for i, cluster := range append([]string{"atlantic", "pacific"}, clusters...) {
		text += fmt.Sprintf("          - {targetCluster: {clusterNames: [%s]}, weight: %d}\n", cluster, i+1)
	}
	return text
}

// overrideOf changes the image, labels, arguments and a field of a deployment on one cluster.
func overrideOf(name, selects, cluster, path string) string {
	return "apiVersion: policy.one.alibabacloud.com/v1alpha1\nkind: OverridePolicy\nmetadata: {name: " + name + "}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment, name: " + selects + "}]\n" +
		"  overrideRules:\n    - targetCluster: {clusterNames: [" + cluster + "]}\n      overriders:\n" +
		"        imageOverrider: [{component: Registry, operator: add, value: registry.example.org}]\n" +
		"        labelsOverrider: [{operator: add, value: {site: " + cluster + "}}, {operator: remove, value: {none: x}}]\n" +
		"        plaintext: [{path: " + path + ", operator: replace, value: 1}]\n"
}
