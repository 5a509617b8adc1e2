package web

import (
	"errors"
	"net/http"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func gateRoutes(s *server) []Route {
	who := func(w http.ResponseWriter, r *http.Request) {
		plain(w, 200, control.ActorFrom(r.Context()).Name+control.AgentFrom(r.Context()).Node)
	}
	signIn := func(w http.ResponseWriter, r *http.Request) {
		if err := s.sessions.SignIn(r.Context(), fleet.User{ID: "u1", SessionEpoch: 1}); err != nil {
			plain(w, 500, err.Error())
			return
		}
		redirect(w, "/")
	}
	signOut := func(w http.ResponseWriter, r *http.Request) {
		if err := s.sessions.SignOut(r.Context()); err != nil {
			plain(w, 500, err.Error())
			return
		}
		redirect(w, "/login")
	}
	return []Route{
		{"GET", "/login", Public, who, Ordinary},
		{"POST", "/login", Public, signIn, Ordinary},
		{"POST", "/logout", SignedIn, signOut, Ordinary},
		{"GET", "/{$}", SignedIn, who, Ordinary},
		{"GET", "/tenant", Tenant, who, Ordinary},
		{"POST", "/tenant", Tenant, who, Ordinary},
		{"GET", "/nodes", Operator, who, Ordinary},
		{"GET", "/api/public", Public, who, Ordinary},
		{"GET", "/api/me", SignedIn, who, Ordinary},
		{"POST", "/api/me", SignedIn, who, Ordinary},
		{"GET", "/api/tenant", Tenant, who, Ordinary},
		{"POST", "/api/tenant", Tenant, who, Ordinary},
		{"GET", "/api/nodes", Operator, who, Ordinary},
		{"POST", "/api/nodes", Operator, who, Ordinary},
		{"GET", "/api/agent", Agent, who, Ordinary},
	}
}

func TestWhoMayCallARoute(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	const no, bad = "unauthenticated", "forbidden"
	for _, tt := range []struct {
		route                                             string
		nobody, operator, support, editor, viewer, agents string // the body that each gets
	}{
		{"GET /api/public", "", "token operator", "token support", "token editor", "token viewer", ""},
		{"GET /api/me", no, "token operator", "token support", "token editor", "token viewer", no},
		{"POST /api/me", no, "token operator", "token support", "token editor", "token viewer", no},
		{"GET /api/tenant", no, "token operator", "token support", "token editor", "token viewer", no},
		// Writes go on to control, which refuses and audits them: see TestWhole.
		{"POST /api/tenant", no, "token operator", "token support", "token editor", "token viewer", no},
		{"GET /api/nodes", no, "token operator", "token support", bad, bad, no},
		{"POST /api/nodes", no, "token operator", "token support", "token editor", "token viewer", no},
		{"GET /api/agent", no, bad, bad, bad, bad, "a"},
	} {
		for token, want := range map[string]string{"": tt.nobody, "operator": tt.operator, "support": tt.support, "editor": tt.editor, "viewer": tt.viewer, "node-a": tt.agents} {
			t.Run(tt.route+" by "+token, func(t *testing.T) {
				method, path := cut(tt.route)
				var headers []string
				if token != "" {
					headers = []string{"Authorization: Bearer " + token}
				}
				got := s.ask(t, method, path, "", headers...)
				status, header := 200, ""
				switch want {
				case no:
					status, header = 401, challenge
				case bad:
					status = 403
				}
				if got.StatusCode != status || got.body != want || got.Header.Get("WWW-Authenticate") != header {
					t.Errorf("got %d %q %q, want %d %q %q", got.StatusCode, got.body, got.Header.Get("WWW-Authenticate"), status, want, header)
				}
			})
		}
	}
}

func cut(route string) (method, path string) {
	for i := range route {
		if route[i] == ' ' {
			return route[:i], route[i+1:]
		}
	}
	return route, ""
}

// signIn answers the cookie of a new session, as a Cookie header.
func (s *server) signIn(t *testing.T, headers ...string) string {
	t.Helper()
	got := s.ask(t, "POST", "/login", "", headers...)
	if got.StatusCode != 303 || len(got.Cookies()) != 1 {
		t.Fatalf("sign in: %d %q %v", got.StatusCode, got.body, got.Cookies())
	}
	return "Cookie: " + got.Cookies()[0].Name + "=" + got.Cookies()[0].Value
}

func TestBearerDecidesAloneUnderAPIAndTheCookieOnPages(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	cookie := s.signIn(t)
	for name, tt := range map[string]struct {
		path    string
		headers []string
		status  int
		body    string
	}{
		"page by cookie":                   {"/", []string{cookie}, 200, "ann@example.com"},
		"page by token":                    {"/", []string{"Authorization: Bearer operator"}, 401, "unauthenticated"},
		"page by both":                     {"/", []string{cookie, "Authorization: Bearer operator"}, 200, "ann@example.com"},
		"public page, signed in":           {"/login", []string{cookie}, 200, "ann@example.com"},
		"API by cookie":                    {"/api/me", []string{cookie}, 200, "ann@example.com"},
		"API by both":                      {"/api/me", []string{cookie, "Authorization: Bearer operator"}, 200, "token operator"},
		"bad token beside a good cookie":   {"/api/me", []string{cookie, "Authorization: Bearer no"}, 401, "unauthenticated"},
		"other scheme":                     {"/api/me", []string{cookie, "Authorization: Basic b3A6b3A="}, 401, "unauthenticated"},
		"empty token":                      {"/api/me", []string{cookie, "Authorization: Bearer "}, 401, "unauthenticated"},
		"scheme in another case":           {"/api/me", []string{"Authorization: bearer operator"}, 200, "token operator"},
		"a made-up cookie":                 {"/api/me", []string{"Cookie: odysseus=" + "A"}, 401, "unauthenticated"},
		"cookie of a session, as a bearer": {"/api/me", []string{"Authorization: Bearer " + cookie[len("Cookie: odysseus="):]}, 401, "unauthenticated"},
		"a page of operators":              {"/nodes", []string{cookie}, 403, "forbidden"},
		"agents' API by cookie":            {"/api/agent", []string{cookie}, 401, "unauthenticated"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.ask(t, "GET", tt.path, "", tt.headers...)
			if got.StatusCode != tt.status || got.body != tt.body {
				t.Errorf("got %d %q, want %d %q", got.StatusCode, got.body, tt.status, tt.body)
			}
		})
	}
}

// Revoking a token, changing a role and moving the epoch bite at the next request.
func TestRevocationBitesAtOnce(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	cookie := s.signIn(t)
	ask := func(path string, header string) int { return s.ask(t, "GET", path, "", header).StatusCode }
	if got := ask("/api/nodes", "Authorization: Bearer operator"); got != 200 {
		t.Fatalf("before: %d", got)
	}
	s.people.with(func() { s.people.tokens["operator"] = control.Actor{Name: "x", Role: fleet.RoleViewer, Tenant: "demo"} })
	if got := ask("/api/nodes", "Authorization: Bearer operator"); got != 403 {
		t.Errorf("role changed: %d", got)
	}
	s.people.with(func() { delete(s.people.tokens, "operator") })
	if got := ask("/api/nodes", "Authorization: Bearer operator"); got != 401 {
		t.Errorf("token revoked: %d", got)
	}
	s.people.with(func() { u := s.people.users["u1"]; u.epoch++; s.people.users["u1"] = u })
	if got := ask("/api/me", cookie); got != 401 {
		t.Errorf("epoch over: %d", got)
	}
	// The session went with it: the epoch's return would not bring it back.
	s.people.with(func() { u := s.people.users["u1"]; u.epoch--; s.people.users["u1"] = u })
	if got := ask("/", cookie); got != 401 {
		t.Errorf("session of an ended epoch: %d", got)
	}
}

func TestDatabaseTroubleIsNoSignOut(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	cookie := s.signIn(t)
	for name, tt := range map[string]struct {
		err    error
		status int
		body   string
		retry  string
	}{
		"busy":      {fleet.ErrBusy, 503, "database_busy", "1"},
		"read-only": {fleet.ErrReadOnly, 503, "database_busy", "1"},
		"full":      {fleet.ErrFull, 507, "storage_full", ""},
		"broken":    {errors.New("secret detail"), 500, "internal", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s.people.with(func() { s.people.err = tt.err })
			for _, ask := range [][2]string{{"/", cookie}, {"/api/me", "Authorization: Bearer editor"}, {"/api/agent", "Authorization: Bearer node-a"}} {
				got := s.ask(t, "GET", ask[0], "", ask[1])
				if got.StatusCode != tt.status || got.body != tt.body || got.Header.Get("Retry-After") != tt.retry || got.Header.Get("Set-Cookie") != "" {
					t.Errorf("%s: got %d %q %v", ask[0], got.StatusCode, got.body, got.Header)
				}
			}
		})
	}
	s.people.with(func() { s.people.err = nil })
	if got := s.ask(t, "GET", "/", "", cookie); got.StatusCode != 200 {
		t.Errorf("after: %d", got.StatusCode)
	}
}
