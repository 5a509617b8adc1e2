package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"odysseus/static"
)

// id selects a control by its id, which holds dots.
func id(of string) string { return `[id="` + of + `"]` }

const (
	firstCluster  = "placement.clusterAffinity.clusterNames.0"
	secondCluster = "placement.clusterAffinity.clusterNames.1"
	firstWeight   = "placement.replicaScheduling.weightPreference.staticWeightList.0.weight"
	secondWeight  = "placement.replicaScheduling.weightPreference.staticWeightList.1.weight"
)

// TestAPersonSplitsAWorkloadInTheForm: "a person without a manual can split a workload 3:1 over two clusters in the form,
// and sees the result before saving", with the page's scripts and without.
func TestAPersonSplitsAWorkloadInTheForm(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts=%v", scripts), func(t *testing.T) {
			if scripts && !static.Has(static.HTMX) {
				require(t, "chromium", "htmx is not in this build: run npm ci")
			}
			p := startPlane(t, enforced)
			token := p.tenant("acme")
			for _, name := range []string{"americas", "atlantic"} {
				p.cluster(name)
			}
			west, east := p.node("edge-lax-1", "americas", "US", "north-america"), p.node("edge-yul-1", "atlantic", "CA", "north-america")
			p.mustDeploy(token, "acme", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: storefront}\nspec: {image: nginx, replicas: 4}\n")
			p.settle()
			p.person("acme", "ada@acme.example", "editor")
			b := p.open(t, scripts)
			b.signIn("ada@acme.example")

			// The way there is the side bar, then the one action that an empty list offers.
			b.visit("/")
			b.do("go to the policies", chromedp.Click(`.side .nav a[href="/namespaces/acme/policies"]`), chromedp.WaitReady(".empty a.primary"))
			b.do("begin", chromedp.Click(".empty a.primary"), chromedp.WaitReady("#policy-what"))

			// A resource that exists is picked, clusters are added by their buttons, and the weights are typed.
			b.do("pick", chromedp.SetValue(id("pick.resourceSelectors"), "odysseus/v1|Deployment||storefront"), chromedp.Click(".pick button"))
			b.says("1 resource selected")
			b.do("add the first", chromedp.Click(`button[value="add:placement.clusterAffinity.clusterNames=americas"]`), chromedp.WaitReady(id(firstCluster)+`[value="americas"]`))
			b.focused(firstWeight)
			b.do("weigh it", chromedp.SendKeys(id(firstWeight), "3"))
			b.do("add the second", chromedp.Click(`button[value="add:placement.clusterAffinity.clusterNames=atlantic"]`), chromedp.WaitReady(id(secondCluster)+`[value="atlantic"]`))
			b.focused(secondWeight)
			if got := b.value(id(firstWeight)); got != "3" {
				t.Errorf("what was typed is lost: %q", got)
			}
			b.do("weigh it", chromedp.SendKeys(id(secondWeight), "1"))
			if !scripts {
				b.do("ask for the preview", chromedp.Click(`button[value="preview"]`), chromedp.WaitReady(id(secondWeight)+`[value="1"]`))
			}
			b.until("the bar shows 3 and 1", `document.querySelector("#policy-preview .split title")?.textContent`, "Would be divided as americas 3, atlantic 1")
			b.says("Ideal share")
			if r := p.call("GET", "/api/v1/namespaces/acme/propagationpolicies", token, nil); !strings.Contains(r.body, `"items":[]`) {
				t.Fatalf("something is stored before it is saved: %s", r.body)
			}

			// A row too many goes again, and nothing else with it.
			b.do("one more", chromedp.Click(`button[value="add:placement.clusterAffinity.clusterNames"]`), chromedp.WaitReady(id("placement.clusterAffinity.clusterNames.2")))
			b.do("one less", chromedp.Click(`button[value="remove:placement.clusterAffinity.clusterNames.2"]`), chromedp.WaitNotPresent(id("placement.clusterAffinity.clusterNames.2")))
			b.focused(secondCluster)
			if got := b.value(id(secondWeight)); got != "1" {
				t.Errorf("what was typed is lost: %q", got)
			}

			b.do("refused", chromedp.SendKeys("#name", "Three To One"), chromedp.Click(".actions button.primary"), chromedp.WaitReady("#problems"))
			b.says(`"Three To One"`, "name_invalid")
			b.do("correct it", chromedp.SetValue("#name", "three-to-one"), chromedp.Click(".actions button.primary"))
			b.says("Selects 1 resource and decides on", "By weight 3 : 1")
			if at := b.location(); at != "/namespaces/acme/policies/PropagationPolicy/three-to-one" {
				t.Errorf("accepted, it is at %s", at)
			}

			p.settle()
			west.carryOut()
			east.carryOut()
			p.settle()
			if west.running() != 3 || east.running() != 1 {
				t.Errorf("%d and %d replicas run", west.running(), east.running())
			}
			if !scripts {
				b.visit("/namespaces/acme/policies/PropagationPolicy/three-to-one")
			}
			b.until("it is seen placed", `[...document.querySelectorAll("#policy-live .split tbody td.number")].map((e) => e.textContent.trim()).join(" ")`, "3 3 3 3 3 75 % 1 1 1 1 1 25 %")
		})
	}
}

// focused wants the focus on a control.
func (b *browser) focused(on string) {
	b.t.Helper()
	b.until("the focus", `document.activeElement?.id`, on)
}

// until waits until an expression of the page is what is wanted.
func (b *browser) until(what, expression, want string) {
	b.t.Helper()
	var got string
	for range 300 {
		value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
		if err != nil {
			b.t.Fatalf("%s: %v", what, err)
		}
		if got = value; got == want {
			return
		}
		time.Sleep(50 * time.Millisecond) // between looks at somebody else's page; nothing to await
	}
	b.t.Fatalf("%s: %q, want %q\n%s", what, got, want, b.text())
}
