package handlers_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2/memstore"

	"odysseus/control"
	"odysseus/db"
	"odysseus/scheduler"
	"odysseus/views/locale"
	"odysseus/web"
)

// startEmpty is a control plane that nobody can sign in to, and the secret that it printed.
func startEmpty(t *testing.T) (*apiPlane, string) {
	t.Helper()
	ctx, logger := context.Background(), slog.New(slog.DiscardHandler)
	file, err := db.Open(ctx, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &apiPlane{t: t, sched: scheduler.New(scheduler.Options{Store: file, Lease: time.Hour})}
	p.control = control.New(control.Deps{
		Store: control.StoreOf(file.View, file.Update), Scheduler: p.sched, Fleet: p.sched, Now: time.Now, Random: rand.Reader, Logger: logger,
		NewID: func() string { return strings.ToLower(rand.Text()) }, HeartbeatSeconds: 10, LeaseSeconds: 40, Hub: control.NewHub(),
	})
	secret, _, err := p.control.Bootstrap(ctx, control.Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	words, err := locale.New(locale.OnMissing(func(key string) { t.Errorf("the catalogue lacks %q", key) }))
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Options{Listen: "127.0.0.1:0", Control: p.control, Words: words, Sessions: memstore.New(), Secret: []byte(strings.Repeat("s", 32)),
		Metrics: web.NewMetrics(), Clock: time.Now, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site.Handler())
	p.url = server.URL
	t.Cleanup(func() {
		server.Close()
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, secret
}

func TestFirstOperatorIsSetUpOnce(t *testing.T) {
	p, secret := startEmpty(t)
	b := p.visitor(t)
	link := "/setup?token=" + url.QueryEscape(secret)
	form := b.answers(b.get(link), 200)
	if form.header.Get("Referrer-Policy") != "no-referrer" || form.value("email") != "" {
		t.Errorf("form: %v %s", form.header, form.text("main"))
	}
	b.answers(b.get("/setup"), 404)
	b.answers(b.post("/setup", "token", "wrong", "email", "op@example.test", "password", personPassword), 404)
	refused := b.answers(b.post("/setup", "token", secret, "email", "op", "password", "short"), 422)
	if refused.refusal("email") == "" || refused.refusal("password") == "" || refused.value("email") != "op" || refused.Find("input[name=token]").AttrOr("value", "") != secret {
		t.Errorf("refused: %s", refused.text("main"))
	}
	b.leads(b.post("/setup", "token", secret, "email", "op@example.test", "password", personPassword), "/")
	b.answers(b.get("/settings/residency"), 200)

	late := p.visitor(t)
	if got := late.answers(late.get(link), 404).text("main"); !strings.Contains(got, "This link does not work.") {
		t.Errorf("used: %q", got)
	}
	late.answers(late.post("/setup", "token", secret, "email", "evil@example.test", "password", personPassword), 404)
}
