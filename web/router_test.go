package web

import (
	"net/http"
	"strings"
	"testing"
)

func routerServer(t *testing.T) *server {
	return start(t, defaultTimeouts, func(*server) []Route {
		echo := func(w http.ResponseWriter, r *http.Request) {
			plain(w, 200, r.PathValue("ns")+"/"+r.PathValue("name")+r.PathValue("id"))
		}
		return []Route{
			{"GET", "/{$}", Public, ok, Ordinary},
			{"GET", "/page", Public, ok, Ordinary},
			{"POST", "/page", Public, ok, Ordinary},
			{"GET", "/api/v1/namespaces/{ns}/things/{name}", Public, echo, Ordinary},
			{"DELETE", "/api/v1/namespaces/{ns}/things/{name}", Public, echo, Ordinary},
			{"PUT", "/api/v1/put", Public, echo, Ordinary},
			{"DELETE", "/api/v1/tokens/{id}", Public, echo, Ordinary},
		}
	})
}

func TestUnknownPathIs404AndAnotherMethod405(t *testing.T) {
	s := routerServer(t)
	for name, tt := range map[string]struct {
		method, path, header string
		status               int
		allow, body          string
	}{
		"root":                    {"GET", "/", "", 200, "", "ok"},
		"page":                    {"GET", "/page", "", 200, "", "ok"},
		"names":                   {"GET", "/api/v1/namespaces/a/things/b-1", "", 200, "", "a/b-1"},
		"id":                      {"DELETE", "/api/v1/tokens/aB_9-", "", 200, "", "/aB_9-"},
		"unknown":                 {"GET", "/nothing", "", 404, "", "not_found"},
		"unknown, odd method":     {"BREW", "/nothing", "", 404, "", "not_found"},
		"below a path":            {"GET", "/page/more", "", 404, "", "not_found"},
		"slash at the end":        {"GET", "/page/", "", 404, "", "not_found"},
		"slash at the end of api": {"GET", "/api/v1/put/", "", 404, "", "not_found"},
		"put on a page":           {"PUT", "/page", "", 405, "GET, HEAD, POST", "method_not_allowed"},
		"trace":                   {"TRACE", "/page", "", 405, "GET, HEAD, POST", "method_not_allowed"},
		"options":                 {"OPTIONS", "/page", "", 405, "GET, HEAD, POST", "method_not_allowed"},
		"odd method":              {"BREW", "/api/v1/put", "", 405, "PUT", "method_not_allowed"},
		"get where only put":      {"GET", "/api/v1/put", "", 405, "PUT", "method_not_allowed"},
		"override":                {"POST", "/page", "X-HTTP-Method-Override: DELETE", 405, "GET, HEAD, POST", "method_not_allowed"},
		"override, other name":    {"POST", "/page", "X-Method-Override: PUT", 405, "GET, HEAD, POST", "method_not_allowed"},
		"override, short name":    {"GET", "/page", "X-HTTP-Method: PUT", 405, "GET, HEAD, POST", "method_not_allowed"},
		"empty segment":           {"GET", "/api/v1/namespaces//things/b", "", 404, "", "not_found"},
		"dot segment":             {"GET", "/api/v1/namespaces/./things/b", "", 404, "", "not_found"},
		"two dots":                {"GET", "/api/v1/namespaces/a/things/..", "", 404, "", "not_found"},
		"two dots, escaped":       {"GET", "/api/v1/namespaces/%2e%2e/things/b", "", 404, "", "not_found"},
		"dots escaped twice":      {"GET", "/api/v1/namespaces/%252e%252e/things/b", "", 404, "", "not_found"},
		"two slashes":             {"GET", "//page", "", 404, "", "not_found"},
		"slash escaped":           {"GET", "/api/v1/namespaces/a%2fb/things/b", "", 404, "", "not_found"},
		"backslash":               {"GET", "/api/v1/namespaces/a/things/%5c", "", 404, "", "not_found"},
		"nul":                     {"GET", "/api/v1/namespaces/a/things/%00", "", 404, "", "not_found"},
		"new line":                {"GET", "/api/v1/namespaces/a/things/b%0a", "", 404, "", "not_found"},
		"placeholder":             {"GET", "/api/v1/namespaces/{ns}/things/{name}", "", 404, "", "not_found"},
		"emoji":                   {"GET", "/api/v1/namespaces/a/things/%F0%9F%92%A9", "", 404, "", "not_found"},
		"no UTF-8":                {"GET", "/api/v1/namespaces/a/things/%ff", "", 404, "", "not_found"},
		"capitals":                {"GET", "/api/v1/namespaces/A/things/b", "", 404, "", "not_found"},
		"64 characters":           {"GET", "/api/v1/namespaces/a/things/" + strings.Repeat("b", 64), "", 404, "", "not_found"},
		"placeholder as id":       {"DELETE", "/api/v1/tokens/{id}", "", 404, "", "not_found"},
		"65 characters as id":     {"DELETE", "/api/v1/tokens/" + strings.Repeat("b", 65), "", 404, "", "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if tt.header != "" {
				headers = []string{tt.header}
			}
			got := s.ask(t, tt.method, tt.path, "", headers...)
			if got.StatusCode != tt.status || got.body != tt.body || got.Header.Get("Allow") != tt.allow {
				t.Errorf("got %d %q Allow %q, want %d %q Allow %q", got.StatusCode, got.body, got.Header.Get("Allow"), tt.status, tt.body, tt.allow)
			}
		})
	}
}

// Requests that no client library sends: what names no path of ours is 404 or 400, never anything else.
func TestOddRequestLines(t *testing.T) {
	s := routerServer(t)
	for line, want := range map[string]string{
		"OPTIONS * HTTP/1.1":                     "HTTP/1.1 404 ",
		"CONNECT example.com:443 HTTP/1.1":       "HTTP/1.1 404 ",
		"GET http://other.example/page HTTP/1.1": "HTTP/1.1 200 ",
		"GET /%zz HTTP/1.1":                      "HTTP/1.1 400 ",
		"GET page HTTP/1.1":                      "HTTP/1.1 400 ",
	} {
		got := s.raw(t, line+"\r\nHost: x\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %.40q, want %q", line, got, want)
		}
	}
}

func TestBadTablesAreRefused(t *testing.T) {
	for name, routes := range map[string][]Route{
		"no rule":              {{"GET", "/a", noRule, ok, Ordinary}},
		"no handler":           {{"GET", "/a", Public, nil, Ordinary}},
		"twice":                {{"GET", "/a", Public, ok, Ordinary}, {"GET", "/a", SignedIn, ok, Ordinary}},
		"a probe for somebody": {{"GET", "/a", SignedIn, ok, Probe}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := newRouter(routes, func(r Route) http.Handler { return r.Handler }, refuseInCodes); err == nil {
				t.Error("accepted")
			}
		})
	}
}
