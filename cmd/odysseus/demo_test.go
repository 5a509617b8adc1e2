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
	for _, email := range []string{"ada@acme.example", "vera@acme.example", "support@example.com", "operator@example.com"} {
		client := p.browserless()
		if r := p.post(client, "/login", url.Values{"email": {email}, "password": {demoPassword}}); r.status != http.StatusSeeOther {
			t.Errorf("%s cannot sign in: %d", email, r.status)
		}
		if r := p.page(client, "/"); r.status != http.StatusOK {
			t.Errorf("%s is shown %d", email, r.status)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the demo ended with %v", err)
	}
}
