package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// One server for all: starting one with its people takes longer than what is asked of it. The last two end what
// the others need.
func TestWhole(t *testing.T) {
	w := startWhole(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *whole)
	}{
		{"every GET twice changes nothing", everyGetTwiceChangesNothing},
		{"every route in every role", everyRouteInEveryRole},
		{"every route with odd segments", everyRouteWithOddSegments},
		{"somebody else's looks like nothing", somebodyElsesLooksLikeNothing},
		{"sign-in leads nowhere else", signInLeadsNowhereElse},
		{"sessions end on the server", sessionsEndOnTheServer},
		{"a long poll ends with the server", longPollEndsWithTheServer},
	} {
		t.Run(part.name, func(t *testing.T) {
			w.t = t
			part.test(t, w)
		})
	}
}

// writersForms are the pages that ask for what only editors and operators may send.
var writersForms = []string{
	"/namespaces/{ns}/deployments/new", "/namespaces/{ns}/deployments/{name}/edit", "/namespaces/{ns}/deployments/{name}/delete",
	"/namespaces/{ns}/policies/new", "/namespaces/{ns}/policies/{kind}/{name}/edit", "/namespaces/{ns}/policies/{kind}/{name}/delete",
	"/policies/new", "/policies/{kind}/{name}/edit", "/policies/{kind}/{name}/delete",
	"/namespaces/{ns}/resources/new", "/namespaces/{ns}/resources/edit", "/namespaces/{ns}/resources/delete",
	"/resources/new", "/resources/edit", "/resources/delete",
}

// readFirst are the pages of operators that read before they write, to show the form again: for those who may not even
// read them, nothing is attempted.
var readFirst = []string{"/settings/residency", "/policies", "/policies/{kind}/{name}"}

// Every route that there is, in every role that there is.
func everyRouteInEveryRole(t *testing.T, w *whole) {
	for _, route := range w.routes() {
		reads := route.Method == http.MethodGet
		api := strings.HasPrefix(route.Path, "/api/")
		simulates := strings.HasSuffix(route.Path, "/scheduler/simulate")
		own := slices.Contains([]string{"/setup", "/api/v1/agents/enrol"}, route.Path)
		for _, who := range []string{"none", "operator", "support", "editor", "viewer", "stranger", "agent"} {
			if who == "agent" && !api {
				continue // an agent has no session
			}
			body := ""
			switch {
			case !reads && api:
				body = "{}"
			case !reads && route.Path == "/settings/residency":
				body = "action=save" // a preview writes nothing, so there is nothing to audit
			}
			want := 0 // anything but 401, 403 and what is broken
			switch {
			case route.Who == Public:
			case who == "none" || who == "agent" && route.Who != Agent:
				want = http.StatusUnauthorized
				if !api {
					want = http.StatusSeeOther
				}
			case route.Who == Agent && who != "agent":
				want = http.StatusForbidden
			case route.Who == Operator && (reads && who != "operator" && who != "support" || !reads && who != "operator"):
				want = http.StatusForbidden
			case route.Who == Tenant && who == "stranger" && strings.Contains(route.Path, "{"):
				want = http.StatusNotFound
			case simulates && who == "viewer":
				continue // it writes nothing, so a viewer may
			case reads && (who == "support" || who == "viewer") && slices.Contains(writersForms, route.Path):
				want = http.StatusForbidden
			case route.Who == Tenant && !reads && (who == "support" || who == "viewer") && route.Path != "/api/v1/apply":
				want = http.StatusForbidden
			case strings.HasSuffix(route.Path, "/tokens") && who == "viewer" && route.Who == Tenant:
				want = http.StatusForbidden
			case !reads && want == 0:
				continue // a write that is allowed; what it does is tested where it is done
			}
			t.Run(route.Method+" "+route.Path+" by "+who, func(t *testing.T) {
				audited := !reads && !simulates && want == http.StatusForbidden && route.Who != Agent && (!slices.Contains(readFirst, route.Path) || who == "support")
				audits := 0
				if audited {
					audits = w.audits()
				}
				got := w.ask(who, route.Method, w.path(route, nil), body)
				if want == 0 {
					if (got.StatusCode == http.StatusUnauthorized || got.StatusCode == http.StatusForbidden) && !own && route.Path != "/login" {
						t.Errorf("got %d %s", got.StatusCode, got.body)
					}
					return
				}
				if got.StatusCode != want {
					t.Errorf("got %d %s, want %d", got.StatusCode, got.body, want)
				}
				if want == http.StatusSeeOther && !strings.HasPrefix(got.Header.Get("Location"), "/login") {
					t.Errorf("led to %q", got.Header.Get("Location"))
				}
				// "Refused attempts too": who is known and tried what they may not is in the audit.
				if audited && w.audits() == audits {
					t.Error("the attempt is not in the audit")
				}
			})
		}
	}
}

// What no name or id can be is 404 on every route, and nothing that a path can hold breaks the server.
func everyRouteWithOddSegments(t *testing.T, w *whole) {
	odd := []string{"{ns}", "%7Bname%7D", "%00", "%F0%9F%92%A9", "%ff", "..", "%2e%2e", "%252e%252e", "%2f", "a%2fb", "%5c", "-1", "A", "%0d%0aX-Evil:1", "'%20OR%201=1", strings.Repeat("x", 300)}
	unknown := []string{"0", "9223372036854775808", "zz"}
	for _, route := range w.routes() {
		for _, segment := range []string{"{ns}", "{name}", "{tenant}", "{cluster}", "{node}", "{id}", "{path...}"} {
			if !strings.Contains(route.Path, segment) {
				continue
			}
			for _, value := range append(slices.Clone(odd), unknown...) {
				if segment == "{id}" && (value == "-1" || value == "A") {
					continue // these could be ids
				}
				body := ""
				if route.Method != http.MethodGet && strings.HasPrefix(route.Path, "/api/") {
					body = "{}"
				}
				got := w.ask("operator", route.Method, w.path(route, map[string]string{segment: value}), body)
				what := fmt.Sprintf("%s %s with %s = %.20s: %d %s", route.Method, route.Path, segment, value, got.StatusCode, got.body)
				if slices.Contains(odd, value) && got.StatusCode != http.StatusNotFound {
					t.Errorf("%s, want 404", what)
				}
				if got.StatusCode < 300 || got.StatusCode >= 500 {
					t.Error(what)
				}
				if got.Header.Get("X-Evil") != "" {
					t.Errorf("%s: a header was split", what)
				}
			}
		}
	}
}

// "No state change on GET": every one of them twice, by the one who may see the most.
func everyGetTwiceChangesNothing(t *testing.T, w *whole) {
	w.settle()
	before := w.digest()
	for range 2 {
		for _, route := range w.routes() {
			if route.Method != http.MethodGet {
				continue
			}
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				who := "operator"
				if route.Who == Agent {
					who = "agent"
				}
				w.ask(who, method, w.path(route, nil), "")
			}
		}
	}
	if w.digest() != before {
		t.Error("a GET changed the database")
	}
}

// "Another's is 404 with the same body as nothing": no header tells them apart either.
func somebodyElsesLooksLikeNothing(t *testing.T, w *whole) {
	for _, route := range w.routes() {
		if route.Who != Tenant || !strings.Contains(route.Path, "{name}") && !strings.Contains(route.Path, "{ns}") {
			continue
		}
		body := ""
		if route.Method != http.MethodGet && strings.HasPrefix(route.Path, "/api/") {
			body = fmt.Sprintf(manifest, "theirs")
		}
		theirs := w.ask("editor", route.Method, w.path(route, map[string]string{"{ns}": "other", "{name}": "theirs"}), body)
		nothing := w.ask("editor", route.Method, w.path(route, map[string]string{"{ns}": "nobody", "{name}": "theirs"}), body)
		for _, a := range []*answer{&theirs, &nothing} {
			a.Header.Del(RequestIDHeader)
			a.Header.Del("Date")
			a.Header.Del("Content-Length")
			a.body = strings.NewReplacer("other", "NS", "nobody", "NS").Replace(a.body)
		}
		if theirs.StatusCode != 404 || nothing.StatusCode != 404 || theirs.body != nothing.body || fmt.Sprint(theirs.Header) != fmt.Sprint(nothing.Header) {
			t.Errorf("%s %s: %d %v %s\nand %d %v %s", route.Method, route.Path, theirs.StatusCode, theirs.Header, theirs.body, nothing.StatusCode, nothing.Header, nothing.body)
		}
	}
}

func signInLeadsNowhereElse(t *testing.T, w *whole) {
	for next, want := range map[string]string{
		"/pending": "/pending", "/pending?q=a b": "/pending?q=a%20b", "": "/", "//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/",
		"https://evil.example": "/", "https:evil.example": "/", " //evil.example": "/", "/\t/evil.example": "/", "javascript:alert(1)": "/", "/%0d%0aX: y": "/%0d%0aX: y",
	} {
		got := w.ask("none", "POST", "/login", url.Values{"email": {"editor@example.com"}, "password": {testPassword}, "next": {next}}.Encode())
		if location := got.Header.Get("Location"); got.StatusCode != 303 || location != want && location != strings.ReplaceAll(want, "%20", " ") {
			t.Errorf("next %q led to %q (%d)", next, location, got.StatusCode)
		}
	}
	for path, want := range map[string]string{"/pending?q=1": "/login?next=%2Fpending%3Fq%3D1", "/": "/login"} {
		got := w.ask("none", "GET", path, "", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https")
		if got.StatusCode != 303 || got.Header.Get("Location") != want {
			t.Errorf("%s led to %q (%d)", path, got.Header.Get("Location"), got.StatusCode)
		}
	}
}

// "Activity never outlives the password": sign-out, sign-out everywhere and a new password end sessions at once.
func sessionsEndOnTheServer(t *testing.T, w *whole) {
	for name, path := range map[string]string{"sign out": "/logout", "everywhere": "/account/sessions/revoke"} {
		t.Run(name, func(t *testing.T) {
			w.signIn("editor")
			here := w.cookies["editor"]
			w.signIn("editor")
			if got := w.ask("editor", "GET", "/pending", ""); got.StatusCode != 200 {
				t.Fatalf("before: %d", got.StatusCode)
			}
			there := w.cookies["editor"]
			if got := w.ask("editor", "POST", path, ""); got.StatusCode != 303 {
				t.Fatalf("got %d %s", got.StatusCode, got.body)
			}
			want := map[string]int{there: 303, here: 200}
			if name == "everywhere" {
				want[here] = 303
			}
			for cookie, status := range want {
				w.cookies["editor"] = cookie
				if got := w.ask("editor", "GET", "/pending", ""); got.StatusCode != status {
					t.Errorf("got %d, want %d", got.StatusCode, status)
				}
			}
		})
	}
	t.Run("a new password", func(t *testing.T) {
		w.signIn("viewer")
		elsewhere := w.cookies["viewer"]
		w.signIn("viewer")
		before := w.cookies["viewer"]
		form := url.Values{"current": {testPassword}, "password": {"another horse battery staple"}}.Encode()
		got := w.ask("viewer", "POST", "/account/password", form)
		if got.StatusCode != 303 {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
		after := ""
		for _, cookie := range got.Cookies() {
			if cookie.Name == "odysseus" {
				after = cookie.Name + "=" + cookie.Value
			}
		}
		for cookie, status := range map[string]int{elsewhere: 303, before: 303, after: 200} {
			w.cookies["viewer"] = cookie
			if got := w.ask("viewer", "GET", "/pending", ""); got.StatusCode != status {
				t.Errorf("got %d, want %d", got.StatusCode, status)
			}
		}
	})
	w.signIn("editor")
	old := w.cookies["editor"]
	if got := w.ask("none", "DELETE", "/api/v1/tenants/demo", ""); got.StatusCode != 401 {
		t.Errorf("got %d", got.StatusCode)
	}
	if got := w.ask("operator", "DELETE", "/api/v1/tenants/demo/users/"+w.ids["editor user"], ""); got.StatusCode != 200 {
		t.Fatalf("delete user: %d %s", got.StatusCode, got.body)
	}
	w.cookies["editor"] = old
	if got := w.ask("editor", "GET", "/pending", ""); got.StatusCode != 303 {
		t.Errorf("a deleted user: %d", got.StatusCode)
	}
}

func longPollEndsWithTheServer(t *testing.T, w *whole) {
	w.settle()
	list := w.ask("agent", "GET", "/api/v1/agents/self/assignments", "")
	var at struct{ Version int64 }
	if err := json.Unmarshal([]byte(list.body), &at); err != nil || list.StatusCode != 200 {
		t.Fatalf("%d %s", list.StatusCode, list.body)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("%s/api/v1/agents/self/assignments?since=%d", w.url, at.Version), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.tokens["agent"])
	ended := make(chan int, 1)
	go func() {
		response, err := client.Do(r)
		if err != nil {
			ended <- 0
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		ended <- response.StatusCode
	}()
	for !strings.Contains(w.ask("none", "GET", "/metrics", "").body, "http_streams 1\n") {
		time.Sleep(time.Millisecond)
	}
	w.stopStreams()
	// "Later", not "something broke".
	if status := <-ended; status != http.StatusServiceUnavailable {
		t.Errorf("the poll ended with %d", status)
	}
}
