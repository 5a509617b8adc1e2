package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"odysseus/static"
)

const (
	firstTarget   = "overrideRules.0.targetCluster.clusterNames.0"
	firstRule     = "overrideRules.0.overriders"
	firstRegistry = firstRule + ".imageOverrider.0.value"
)

// TestAPersonAddsARegistryForOneCluster: "an editor adds a registry for one cluster and sees the diff before saving", with
// the page's scripts and without, and finds it on the policy's page.
func TestAPersonAddsARegistryForOneCluster(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts=%v", scripts), func(t *testing.T) {
			if scripts && !static.Has(static.HTMX) {
				require(t, "chromium", "htmx is not in this build: run npm ci")
			}
			p := startPlane(t, enforced)
			token := p.tenant("acme")
			for _, name := range []string{"americas", "atlantic", "pacific"} {
				p.cluster(name)
				p.node("edge-"+name, name, "US", "")
			}
			p.mustDeploy(token, "acme", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: storefront}\nspec: {image: \"nginx:1.27\", replicas: 3}\n")
			p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/propagationpolicies", token, policyOf("split", "storefront"))
			p.settle()
			p.person("acme", "ada@acme.example", "editor")
			b := p.open(t, scripts)
			b.signIn("ada@acme.example")

			b.visit("/namespaces/acme/policies")
			b.do("begin", chromedp.Click(`.head a[href$="?kind=OverridePolicy"]`), chromedp.WaitReady("#override-rules"))
			b.do("pick", chromedp.SetValue(id("pick.resourceSelectors"), "odysseus/v1|Deployment||storefront"), chromedp.Click(".pick button"), chromedp.WaitReady(id("resourceSelectors.0.name")+`[value="storefront"]`))
			b.says("1 resource selected")
			b.do("one cluster", chromedp.Click(`button[value="add:overrideRules.0.targetCluster.clusterNames=pacific"]`), chromedp.WaitReady(id(firstTarget)+`[value="pacific"]`))
			b.focused(firstRule)
			// "A registry in front of images" is what is offered first.
			b.do("a registry", chromedp.Click(`button[value="add:`+firstRule+`"]`), chromedp.WaitReady(id(firstRegistry)))
			b.focused(firstRegistry)
			b.do("type it", chromedp.SendKeys(id(firstRegistry), "registry.pacific.example"))
			if !scripts {
				b.do("ask for the preview", chromedp.Click(`button[value="preview"]`), chromedp.WaitReady("#policy-preview .outcome"))
			}
			const changed = `[...document.querySelectorAll("#policy-preview .rendered tr:has(.new) td")].map((e) => e.textContent.trim().replace(/\s+/g, " ")).join(" | ")`
			b.until("the line before and after", changed,
				"line removed: − image: nginx:1.27 | line added: + image: registry.pacific.example/nginx:1.27 this policy, rule 1")
			b.says("1 cluster receives something else than was written", "Nothing changes on atlantic")
			if r := p.call("GET", "/api/v1/namespaces/acme/overridepolicies", token, nil); !strings.Contains(r.body, `"items":[]`) {
				t.Fatalf("something is stored before it is saved: %s", r.body)
			}

			// A cluster that receives nothing is said to; a row too many goes again.
			b.do("one more", chromedp.Click(`button[value="add:overrideRules.0.targetCluster.clusterNames=americas"]`), chromedp.WaitReady(id("overrideRules.0.targetCluster.clusterNames.1")+`[value="americas"]`))
			b.says("A rule names americas, which receives nothing of this resource")
			b.do("one less", chromedp.Click(`button[value="remove:overrideRules.0.targetCluster.clusterNames.1"]`), chromedp.WaitNotPresent(id("overrideRules.0.targetCluster.clusterNames.1")))
			b.focused(firstTarget)
			if got := b.value(id(firstRegistry)); got != "registry.pacific.example" {
				t.Errorf("what was typed is lost: %q", got)
			}

			// A field is picked from those that the resource has; what stands there is what to begin with.
			const field = firstRule + ".plaintext.0"
			b.do("any field", chromedp.SetValue(id(firstRule), "plaintext"), chromedp.Click(`button[value="add:`+firstRule+`"]`), chromedp.WaitReady(id(field+".path")))
			b.focused(field + ".path")
			b.do("pick it", chromedp.SetValue(id("pick."+field+".path"), "/spec/replicas"), chromedp.Click(`button[value="take:`+field+`.path"]`), chromedp.WaitReady(id(field+".path")+`[value="/spec/replicas"]`))
			b.focused(field + ".value")
			if got := b.value(id(field + ".value")); got != "3" {
				t.Errorf("it begins with %q", got)
			}
			b.do("one there", chromedp.SetValue(id(field+".value"), "1"))
			if !scripts {
				b.do("ask for the preview", chromedp.Click(`button[value="preview"]`), chromedp.WaitReady("#policy-preview .outcome"))
			} else {
				b.do("type on", chromedp.SendKeys(id(field+".value"), " "))
			}
			b.says("Replicas: 2 by the division, 1 by the override.")

			b.do("refused", chromedp.SendKeys("#name", "Pacific"), chromedp.Click(".actions button.primary"), chromedp.WaitReady("#problems"))
			b.says(`"Pacific"`, "name_invalid")
			b.do("correct it", chromedp.SetValue("#name", "pacific"), chromedp.Click(".actions button.primary"))
			b.says("Selects 1 resource", "registry.pacific.example/nginx:1.27")
			if at := b.location(); at != "/namespaces/acme/policies/OverridePolicy/pacific" {
				t.Errorf("accepted, it is at %s", at)
			}
			p.settle()
			b.visit("/namespaces/acme/policies/OverridePolicy/pacific")
			b.says("Selects 1 resource and changes 1.")
		})
	}
}
