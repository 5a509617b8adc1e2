package handlers_test

import (
	"cmp"
	"net/url"
	"strings"
	"testing"
)

func TestSignInAndOut(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	b.leads(b.get("/pending?reason=capacity"), "/login?next="+url.QueryEscape("/pending?reason=capacity"))
	b.leads(b.get("/"), "/login")
	b.leads(b.post("/account/password"), "/login")

	form := b.answers(b.get("/login?next=%2Fpending"), 200)
	if got := form.Find("input[name=next]").AttrOr("value", ""); got != "/pending" {
		t.Errorf("next: got %q", got)
	}
	wrong := b.answers(b.post("/login", "email", `"><b>op@example.test`, "password", "wrong", "next", "/pending"), 401)
	if wrong.value("email") != `"><b>op@example.test` || wrong.value("password") != "" || wrong.Find("[role=alert][tabindex='-1'][autofocus]").Length() != 1 {
		t.Errorf("a failed sign-in: %s", wrong.text("main"))
	}
	if !strings.HasPrefix(wrong.text("title"), "Error: ") {
		t.Errorf("title: %q", wrong.text("title"))
	}
	b.leads(b.post("/login", "email", "op@example.test", "password", "correct horse battery staple", "next", "/pending"), "/pending")
	b.leads(b.get("/login?next=/audit"), "/audit")
	b.answers(b.get("/audit"), 200)

	b.leads(b.post("/logout"), "/login")
	if got := b.get("/login").text("#flash"); got != "You are signed out." {
		t.Errorf("flash: %q", got)
	}
	if got := b.get("/login").text("#flash"); got != "" {
		t.Errorf("the message stays: %q", got)
	}
	b.leads(b.get("/audit"), "/login?next=%2Faudit")
}

func TestSignInNeverLeadsToAnotherSite(t *testing.T) {
	p := startAPI(t, enforcing())
	for _, next := range []string{"https://evil.example", "//evil.example", "/\t/evil.example"} { // TestLocalPathKeepsToThisConsole has them all
		b := p.visitor(t)
		form := b.get("/login?next=" + url.QueryEscape(next))
		if got := form.Find("input[name=next]").AttrOr("value", ""); got != "/" {
			t.Errorf("%q: the form leads to %q", next, got)
		}
		b.leads(b.post("/login", "email", "op@example.test", "password", "correct horse battery staple", "next", next), "/")
	}
}

func TestTooManyFailuresSayHowLongToWait(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	for range 30 {
		s := b.post("/login", "email", "op@example.test", "password", "wrong")
		if s.status == 401 {
			continue
		}
		b.answers(s, 429)
		if s.header.Get("Retry-After") == "" || !strings.Contains(s.text("[role=alert]"), "Try again in") || s.value("email") != "op@example.test" {
			t.Errorf("got %v %s", s.header, s.text("main"))
		}
		return
	}
	t.Error("nobody was stopped")
}

func TestPreferencesAreRememberedAndComeBack(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	for _, tt := range []struct{ theme, want string }{{"dark", "dark"}, {"light", "light"}, {"system", ""}, {"<b>", ""}} {
		b.leads(b.post("/preferences", "theme", tt.theme, "next", "/docs/residency"), "/docs/residency")
		s := b.get("/docs/residency")
		if got := s.Find("html").AttrOr("data-theme", ""); got != tt.want {
			t.Errorf("%s: got %q", tt.theme, got)
		}
		inForce := cmp.Or(tt.want, "system")
		if got := s.Find("button[name=theme][aria-pressed=true]"); got.Length() != 1 || got.AttrOr("value", "") != inForce || s.Find("button[name=theme]").Length() != 3 {
			t.Errorf("%s: pressed is %q", tt.theme, got.AttrOr("value", ""))
		}
	}
	b.leads(b.post("/preferences", "lang", "en", "next", "//evil.example"), "/")
	b.leads(b.post("/preferences", "lang", "tlh"), "/")
}

func TestHTMXIsToldToSignInInItsOwnWay(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	b.part = "deployments-list"
	s := b.answers(b.get("/namespaces/acme/deployments?q=a"), 200)
	if got := s.header.Get("HX-Redirect"); got != "/login?next="+url.QueryEscape("/namespaces/acme/deployments?q=a") {
		t.Errorf("got %q", got)
	}
}

func TestFormThatCannotBeReadIsAPage(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	s := b.answers(b.sendRaw(deploymentsPage, "name=%zz"), 400)
	if s.Find(`[data-code="value_not_accepted"]`).Length() != 1 {
		t.Errorf("got %s", s.text("main"))
	}
	b.answers(b.sendRaw(deploymentsPage, "yaml="+strings.Repeat("a", 2<<20)), 413)
}
