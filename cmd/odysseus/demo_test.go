package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// TestTheDemoShowsEveryState signs in as each kind of person and finds on the first screen what the demo is for.
func TestTheDemoShowsEveryState(t *testing.T) {
	catalogue, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var printed bytes.Buffer
	d := &demo{program: &program{ctx: ctx, stdout: &printed, stderr: io.Discard, catalogue: catalogue, words: catalogue.Words()}, dir: t.TempDir(), logger: slog.New(slog.DiscardHandler)}
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.run(ctx, "127.0.0.1:0", func(w io.Writer) { d.invite(w); close(ready) })
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("the demo ended: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("the demo is not ready")
	}
	p := &plane{t: t, base: d.plane.url(), parts: d.plane}
	for _, part := range []string{d.plane.url(), "ada@acme.example", "operator@example.com", "support@example.com", demoPassword} {
		if !strings.Contains(printed.String(), part) {
			t.Errorf("it does not print %q:\n%s", part, printed.String())
		}
	}
	want := map[string]struct {
		state    fleet.PlacementState
		drifting bool
	}{
		"ledger-api": {fleet.Placed, false}, "storefront": {fleet.Placed, false}, "kanji-search": {fleet.Pending, false},
		"render-farm": {fleet.PartlyPlaced, false}, "reports": {fleet.Placed, false}, "vault-sync": {fleet.Placed, true},
	}
	deadline := time.Now().Add(30 * time.Second)
	for name, w := range want {
		for {
			report := p.placement(demoToken, "acme", name)
			if report.State == w.state && (len(report.Drift) > 0) == w.drifting {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("%s is %s, drifting %v, want %+v", name, report.State, report.Drift, w)
				break
			}
			time.Sleep(50 * time.Millisecond) // the agents run by the machine's clock; there is no event to await
		}
	}
	d.showsPolicies(t, p)
	for email, pages := range map[string][]string{
		"ada@acme.example":     {"/", "/namespaces/acme/policies", "/namespaces/acme/policies/PropagationPolicy/webshop", "/namespaces/acme/resources", "/namespaces/acme/deployments/payroll"},
		"vera@acme.example":    {"/", "/namespaces/acme/policies/PropagationPolicy/order-events"},
		"gus@globex.example":   {"/", "/namespaces/globex/resources"},
		"support@example.com":  {"/", "/pending", "/policies", "/nodes", "/audit"},
		"operator@example.com": {"/", "/policies/ClusterPropagationPolicy/platform-contacts", "/settings/residency", "/clusters"},
	} {
		client := p.browserless()
		if r := p.post(client, "/login", url.Values{"email": {email}, "password": {demoPassword}}); r.status != http.StatusSeeOther {
			t.Errorf("%s cannot sign in: %d", email, r.status)
		}
		for _, path := range pages {
			if r := p.page(client, path); r.status != http.StatusOK {
				t.Errorf("%s is shown %s as %d", email, path, r.status)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the demo ended with %v", err)
	}
}

// showsPolicies finds what the demo has of policies: a split by weights 2 and 1, a residency that takes a cluster out of
// a split, a policy with a warning, and a workload that waits for one.
func (d *demo) showsPolicies(t *testing.T, p *plane) {
	t.Helper()
	webshop := p.placed(demoToken, "acme", "Deployment", "webshop")
	if webshop.State != fleet.Placed || webshop.by() != "PropagationPolicy webshop" || webshop.desired() != "canada=2 europe=1" || webshop.out() != "" {
		t.Errorf("webshop: %+v", webshop)
	}
	for i, weight := range []int64{2, 1} {
		if w := webshop.Clusters[i].Weight; w == nil || *w != weight {
			t.Errorf("webshop weighs %v on %s, want %d", w, webshop.Clusters[i].Name, weight)
		}
	}
	if is := p.placed(demoToken, "acme", "ConfigMap", "webshop-settings"); is.State != fleet.Placed || is.on() != "canada europe" {
		t.Errorf("webshop-settings: %+v", is)
	}
	if is := p.placedOwn(demoToken, "acme", "payroll"); is.State != fleet.Placed || is.by() != "PropagationPolicy payroll" || is.desired() != "canada=4" || is.out() != "europe: geo_mismatch" {
		t.Errorf("payroll: %+v", is)
	}
	if is := p.placed(demoToken, "acme", "Deployment", "newsletter"); is.State != fleet.Waiting || is.reasons() != "no_policy" || is.on() != "" {
		t.Errorf("newsletter: %+v", is)
	}
	if is := p.placed(demoToken, "acme", "Deployment", "order-events"); is.State != fleet.Placed || is.by() != "PropagationPolicy order-events" {
		t.Errorf("order-events: %+v", is)
	}
	if is := p.placed(demoToken, "acme", "Secret", "order-events-broker"); is.State != fleet.Placed || is.on() == "" {
		t.Errorf("order-events-broker: %+v", is)
	}
	for _, namespace := range []string{"acme", "globex"} {
		if is := p.placed(demoToken, namespace, "ConfigMap", "platform-contacts"); is.by() != "ClusterPropagationPolicy platform-contacts" || is.on() != "canada europe" {
			t.Errorf("platform-contacts of %s: %+v", namespace, is)
		}
	}
	for name, want := range map[string]string{"order-events": "cluster_unknown", "webshop": "", "payroll": ""} {
		var policy struct {
			Status struct {
				Selected int
				Warnings []struct{ Code string }
			}
		}
		p.must(http.StatusOK, http.MethodGet, "/api/v1/namespaces/acme/propagationpolicies/"+name, demoToken, nil).decode(t, &policy)
		codes := ""
		for _, w := range policy.Status.Warnings {
			codes += w.Code
		}
		if codes != want || policy.Status.Selected == 0 {
			t.Errorf("the policy %s selects %d and warns %q, want %q", name, policy.Status.Selected, codes, want)
		}
	}
	p.awaitReady(t, "webshop", 3)
}

// awaitReady waits until the agents report that many replicas running: of webshop each is two containers.
func (p *plane) awaitReady(t *testing.T, name string, want int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		ready := 0
		for _, c := range p.placed(demoToken, "acme", "Deployment", name).Clusters {
			ready += c.Ready
		}
		if ready == want {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d of %d replicas of %s run", ready, want, name)
			return
		}
		time.Sleep(50 * time.Millisecond) // the agents run by the machine's clock; there is no event to await
	}
}
