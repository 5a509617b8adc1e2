package main

import (
	"fmt"
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
			"/docs/residency", "/docs/deployment", "/docs/policies", "/docs/rejections", "/docs/placement", "/docs/never-scheduled"},
		operatorEmail: {"/", "/settings/residency", "/nodes", "/clusters", "/tenants", "/audit", "/pending", "/nodes/n-ca/drain"},
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
