package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"odysseus/fleet"
	"odysseus/static"
)

// require skips a test whose part is missing on this machine, and fails it where the environment says that the part
// must be there: CI names all of them.
func require(t *testing.T, part, reason string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("ODYSSEUS_REQUIRE"), ","), part) {
		t.Fatalf("%s is required and missing: %s", part, reason)
	}
	t.Skipf("needs %s: %s", part, reason)
}

// browser is a tab of a real Chromium, of its own profile.
type browser struct {
	t   *testing.T
	ctx context.Context
	p   *plane
}

// open starts Chromium; without scripts where the page's own are switched off.
func (p *plane) open(t *testing.T, scripts bool) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("short: what a page does in a browser does not depend on the race detector; the full run drives it")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		require(t, "chromium", "no chromium in the path")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stopAllocator)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	ctx, stopWaiting := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stopWaiting)
	b := &browser{t: t, ctx: ctx, p: p}
	// The first step starts the browser, which lives as long as that step's context.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	if !scripts {
		if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			t.Fatalf("switch scripts off: %v", err)
		}
	}
	return b
}

func (b *browser) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 20*time.Second)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.text())
	}
}

func (b *browser) visit(path string) {
	b.t.Helper()
	b.do("visit "+path, chromedp.Navigate(b.p.base+path), chromedp.WaitReady("main h1"))
}

// text is what the page says.
func (b *browser) text() string {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 5*time.Second)
	defer stop()
	text, err := chromedp.Run(ctx, chromedp.Text("body"))
	if err != nil {
		return err.Error()
	}
	return text
}

// says waits until the page says all of parts.
func (b *browser) says(parts ...string) {
	b.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		text := b.text()
		missing := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return strings.Contains(text, part) })
		if len(missing) == 0 {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("the page does not say %q:\n%s", missing, text)
		}
		time.Sleep(50 * time.Millisecond) // between looks at somebody else's page; nothing to await
	}
}

func (b *browser) signIn(email string) {
	b.t.Helper()
	b.visit("/login")
	b.do("sign in", chromedp.SendKeys("#email", email), chromedp.SendKeys("#password", operatorPassword),
		chromedp.Submit("#password"), chromedp.WaitReady("main.page h1"))
}

func (b *browser) value(selector string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Value(selector))
	if err != nil {
		b.t.Fatalf("value of %s: %v", selector, err)
	}
	return v
}

func (b *browser) location() string {
	b.t.Helper()
	at, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		b.t.Fatalf("location: %v", err)
	}
	return strings.TrimPrefix(at, b.p.base)
}

// TestATenantDeclaresResidencyInTheForm is refused, corrects it, is warned, and sees it placed once an agent appears;
// with the page's scripts and without.
func TestATenantDeclaresResidencyInTheForm(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts=%v", scripts), func(t *testing.T) {
			if scripts && !static.Has(static.HTMX) {
				require(t, "chromium", "htmx is not in this build: run npm ci")
			}
			p := startPlane(t, enforced)
			p.tenant("acme")
			p.cluster("americas")
			p.node("edge-lax-1", "americas", "US", "north-america")
			p.person("acme", "ada@acme.example", "editor")
			b := p.open(t, scripts)
			b.signIn("ada@acme.example")

			b.visit("/namespaces/acme/deployments/new")
			b.do("fill in the form", chromedp.SendKeys("#name", "ledger-api"), chromedp.SendKeys("#image", "registry.example.com/ledger-api:1.4.0"),
				chromedp.SetValue("#replicas", "2"), chromedp.SendKeys("#country", "Canada"), chromedp.Click(".actions button.primary"))
			b.says(`"Canada"`, "two capital letters", "Use CA")
			if got := b.value("#country"); got != "Canada" {
				t.Errorf("what was typed is lost: country is %q", got)
			}
			if got := b.value("#name"); got != "ledger-api" {
				t.Errorf("what was typed is lost: name is %q", got)
			}
			invalid, err := chromedp.Run(b.ctx, chromedp.AttributeValue("#country", "aria-invalid"))
			if err != nil || invalid.Value != "true" {
				t.Errorf("aria-invalid is %+v, %v", invalid, err)
			}
			if r := p.call("GET", "/api/v1/namespaces/acme/deployments/ledger-api", operatorToken, nil); r.status != 404 {
				t.Fatalf("something of the refused form is stored: %s", r.body)
			}

			b.do("correct it", chromedp.SetValue("#country", "CA"), chromedp.Click(".actions button.primary"))
			b.says("ledger-api", "no node within your reach would satisfy this residency now", "US")
			if !scripts {
				p.settle() // the page was made before the scheduler had looked at it, and does not follow by itself
				b.visit("/namespaces/acme/deployments/ledger-api")
			}
			b.says("requires country CA")
			if at := b.location(); at != "/namespaces/acme/deployments/ledger-api" {
				t.Errorf("accepted, it is at %s", at)
			}
			if strings.Contains(b.text(), "edge-lax-1") {
				t.Error("a tenant is told a node's name")
			}

			canadian := p.node("edge-yul-1", "americas", "CA", "north-america")
			p.settle()
			if canadian.running() != 2 {
				t.Fatalf("%d replicas in Canada", canadian.running())
			}
			canadian.carryOut()
			if scripts {
				// The page follows by itself.
				b.says("Placed", "2 of 2")
			} else {
				b.visit("/namespaces/acme/deployments/ledger-api")
				b.says("Placed", "2 of 2")
			}
			if state := p.placement(operatorToken, "acme", "ledger-api").State; state != fleet.Placed {
				t.Errorf("state %s", state)
			}
		})
	}
}
