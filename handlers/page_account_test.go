package handlers_test

import (
	"strings"
	"testing"
)

func TestPasswordIsChangedAndOtherSessionsEnd(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	other := p.visitor(t)
	other.leads(other.post("/login", "email", "editor@acmeplatform.test", "password", personPassword), "/")

	wrong := b.answers(b.post("/account/password", "current", "wrong", "password", "short"), 422)
	if wrong.refusal("current") == "" || !strings.Contains(wrong.refusal("password"), "8 to 128 characters") {
		t.Errorf("refused: %s", wrong.text("main"))
	}
	b.leads(b.post("/account/password", "current", personPassword, "password", "a quite different sentence"), "/account")
	if got := b.answers(b.get("/account"), 200).text("#flash"); !strings.HasPrefix(got, "The password is changed.") {
		t.Errorf("flash: %q", got)
	}
	other.leads(other.get("/"), "/login")

	b.leads(b.post("/account/sessions/revoke"), "/login")
	b.leads(b.get("/account"), "/login?next=%2Faccount")
}

func TestTokensAreShownOnceAndRevoked(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	refused := b.answers(b.post("/account/tokens", "name", "CI Token", "role", "operator", "expiresIn", "soon"), 422)
	for _, id := range []string{"token-name", "role", "expires"} {
		if refused.refusal(id) == "" {
			t.Errorf("%s is not refused: %s", id, refused.text("#problems"))
		}
	}
	if refused.value("token-name") != "CI Token" || refused.value("expires") != "soon" {
		t.Error("what was typed is lost")
	}
	made := b.answers(b.post("/account/tokens", "name", "ci", "role", "viewer", "expiresIn", "1h"), 200)
	secret := made.Find("#secret").Text()
	p.want(p.ask(secret, "GET", deployments, ""), 200)
	list := b.answers(b.get("/account"), 200)
	if strings.Contains(list.raw, secret) || !strings.Contains(list.text("tbody"), "ciViewer") {
		t.Errorf("list: %s", list.text("tbody"))
	}
	for _, form := range list.Find("tbody tr").EachIter() {
		if strings.HasPrefix(form.Find("th").Text(), "ci") {
			b.leads(b.post(form.Find("form").AttrOr("action", "")), "/account")
		}
	}
	p.want(p.ask(secret, "GET", deployments, ""), 401)
	viewer := p.person(t, "acme", "viewer")
	if viewer.answers(viewer.get("/account"), 200).Find("form[action='/account/tokens']").Length() != 0 {
		t.Error("a viewer is offered tokens")
	}
	viewer.answers(viewer.post("/account/tokens", "name", "ci", "role", "viewer"), 403)
}
