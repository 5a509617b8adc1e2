package handlers_test

import (
	"net/url"
	"strings"
	"testing"
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
		"#policy-count":                 "1 resource selected.",
		"#policy-preview .outcome":      "1 cluster receives something else than was written.",
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
