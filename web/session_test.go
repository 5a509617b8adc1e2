package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

func TestEveryCookieHasTheFlags(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	in := s.ask(t, "POST", "/login", "")
	cookie := "Cookie: odysseus=" + in.Cookies()[0].Value
	out := s.ask(t, "POST", "/logout", "", cookie)
	for name, got := range map[string]answer{"signed in": in, "signed out": out} {
		t.Run(name, func(t *testing.T) {
			lines := got.Header.Values("Set-Cookie")
			if len(lines) != 1 {
				t.Fatalf("got %q", lines)
			}
			c := got.Cookies()[0]
			if c.Name != "odysseus" || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("got %s", lines[0])
			}
		})
	}
	if c := in.Cookies()[0]; c.MaxAge != 0 || !c.Expires.IsZero() || len(c.Value) < 40 {
		t.Errorf("signed in: %v", c)
	}
	if c := out.Cookies()[0]; c.MaxAge != -1 || c.Value != "" {
		t.Errorf("signed out: %v", c)
	}
	// Behind TLS the same cookie is Secure and bound to the host.
	secure := newSessions(s.store, true, s.clock.Now).manager.Cookie
	if secure.Name != "__Host-odysseus" || !secure.Secure || !secure.HttpOnly || secure.SameSite != http.SameSiteLaxMode || secure.Path != "/" || secure.Domain != "" {
		t.Errorf("secure: %+v", secure)
	}
}

func TestStoreKnowsNoToken(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	cookie := s.signIn(t)
	token := cookie[strings.Index(cookie, "=")+1:]
	if _, found, err := s.store.Find(token); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
}

// A cookie that a stranger planted, known to the server or not, is worth nothing after sign-in.
func TestSignInRenewsTheToken(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	first := s.signIn(t)
	for name, planted := range map[string]string{"of a session": first, "made up": "Cookie: odysseus=planted-planted-planted-planted-planted-plan"} {
		t.Run(name, func(t *testing.T) {
			second := s.signIn(t, planted)
			if second == planted {
				t.Fatal("the planted token was kept")
			}
			if got := s.ask(t, "GET", "/", "", planted); got.StatusCode != 401 {
				t.Errorf("planted: %d", got.StatusCode)
			}
			if got := s.ask(t, "GET", "/", "", second); got.StatusCode != 200 {
				t.Errorf("renewed: %d", got.StatusCode)
			}
		})
	}
}

// Signing in with the cookie of a session that is over sets one cookie, the new one.
func TestSignInOverAnEndedSession(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	old := s.signIn(t)
	s.clock.Add(sessionIdle + time.Second)
	next := s.signIn(t, old)
	if got := s.ask(t, "GET", "/", "", next); got.StatusCode != 200 {
		t.Errorf("got %d", got.StatusCode)
	}
}

func TestSignOutEndsTheSessionOnTheServer(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	here, there := s.signIn(t), s.signIn(t)
	if got := s.ask(t, "POST", "/logout", "", here); got.StatusCode != 303 || got.Header.Get("Location") != "/login" {
		t.Fatalf("got %d", got.StatusCode)
	}
	for cookie, want := range map[string]int{here: 401, there: 200} {
		if got := s.ask(t, "GET", "/", "", cookie); got.StatusCode != want {
			t.Errorf("got %d, want %d", got.StatusCode, want)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		steps  []time.Duration // a request after each
		status int             // of the last
	}{
		"in use":                         {[]time.Duration{time.Hour, time.Hour, time.Hour}, 200},
		"idle":                           {[]time.Duration{time.Hour, sessionIdle + time.Second}, 401},
		"busy past the absolute limit":   {[]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Minute}, 401},
		"a clock set back by years":      {[]time.Duration{-20_000 * time.Hour}, 401},
		"a clock set back by an instant": {[]time.Duration{-time.Second}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, defaultTimeouts, gateRoutes)
			cookie := s.signIn(t)
			status := 0
			for _, step := range tt.steps {
				s.clock.Add(step)
				status = s.ask(t, "GET", "/", "", cookie).StatusCode
			}
			if status != tt.status {
				t.Errorf("got %d, want %d", status, tt.status)
			}
			// Ended is ended, whatever the clock does next.
			s.clock.Add(-time.Minute)
			if again := s.ask(t, "GET", "/", "", cookie).StatusCode; again != tt.status {
				t.Errorf("again: got %d, want %d", again, tt.status)
			}
		})
	}
}

// counting counts the writes of a store.
type counting struct {
	commits, finds int
	err            error
}

func (c *counting) Find(string) ([]byte, bool, error) { c.finds++; return nil, false, c.err }
func (c *counting) Commit(string, []byte, time.Time) error {
	c.commits++
	return c.err
}
func (c *counting) Delete(string) error { return c.err }

func TestRequestsWithoutACookieAskNothingOfTheStore(t *testing.T) {
	store := &counting{}
	s := newSessions(store, false, time.Now)
	r, _ := http.NewRequest("GET", "/", nil)
	ctx, err := s.load(httptest.NewRecorder(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := s.signedIn(ctx); ok || err != nil || store.finds+store.commits != 0 {
		t.Errorf("got %v %v, %+v", ok, err, store)
	}
	if err := s.SignOut(ctx); err != nil {
		t.Errorf("sign out of nothing: %v", err)
	}
}

func TestSignInFailsWithItsStore(t *testing.T) {
	broken := errors.New("no store")
	s := newSessions(&counting{err: broken}, false, time.Now)
	r, _ := http.NewRequest("GET", "/", nil)
	ctx, err := s.load(httptest.NewRecorder(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SignIn(ctx, fleet.User{ID: "u"}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	r.AddCookie(&http.Cookie{Name: "odysseus", Value: "x"})
	if _, err := s.load(httptest.NewRecorder(), r); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// A session in use is written once a minute, not at each request: GET changes nothing.
func TestSessionInUseIsSeldomWritten(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	cookie := s.signIn(t)
	row := func() string {
		all, err := s.store.(interface {
			All() (map[string][]byte, error)
		}).All()
		if err != nil || len(all) != 1 {
			t.Fatalf("%d sessions, %v", len(all), err)
		}
		for _, data := range all {
			return string(data)
		}
		return ""
	}
	first := row()
	s.clock.Add(50 * time.Second)
	s.ask(t, "GET", "/", "", cookie)
	if row() != first {
		t.Error("written within the minute")
	}
	s.clock.Add(20 * time.Second)
	got := s.ask(t, "GET", "/", "", cookie)
	if row() == first || got.Header.Get("Set-Cookie") != "" {
		t.Errorf("not written after it, or a cookie was set: %q", got.Header.Get("Set-Cookie"))
	}
}

func TestSessionCodec(t *testing.T) {
	deadline := time.Date(2026, 11, 30, 1, 2, 3, 4, time.UTC)
	text, err := sessionCodec{}.Encode(deadline, map[string]any{"user": "u", "epoch": "7"})
	if err != nil {
		t.Fatal(err)
	}
	gotDeadline, values, err := sessionCodec{}.Decode(text)
	if err != nil || !gotDeadline.Equal(deadline) || len(values) != 2 || values["user"] != "u" || values["epoch"] != "7" {
		t.Errorf("got %v %v %v", gotDeadline, values, err)
	}
	if _, err := (sessionCodec{}).Encode(deadline, map[string]any{"n": 1}); err == nil {
		t.Error("a number was encoded")
	}
	if _, _, err := (sessionCodec{}).Decode([]byte("{")); err == nil {
		t.Error("half a session was decoded")
	}
}

func TestSignInOutsideOfARequestIsAnError(t *testing.T) {
	s := newSessions(&counting{}, false, time.Now)
	ctx, err := s.manager.Load(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SignIn(ctx, fleet.User{ID: "u"}); err == nil {
		t.Error("no error")
	}
}
