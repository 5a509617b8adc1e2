package web

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"odysseus/fleet"
)

// Every kind of answer has every header: a page, a refusal of each layer, a redirect and a fault.
func TestEveryAnswerHasTheSecurityHeaders(t *testing.T) {
	s := start(t, defaultTimeouts, func(s *server) []Route {
		return []Route{
			{"GET", "/healthz", Public, s.health.live, Probe},
			{"GET", "/page", Public, ok, Ordinary},
			{"GET", "/mine", SignedIn, ok, Ordinary},
			{"GET", "/panic", Public, func(http.ResponseWriter, *http.Request) { panic("boom") }, Ordinary},
			{"POST", "/api/v1/things", Public, ok, Ordinary},
			{"GET", "/api/v1/things", SignedIn, ok, Ordinary},
			{"GET", "/api/v1/things/{name}", Operator, ok, Ordinary},
			{"GET", "/api/v1/stream", Public, ok, Stream},
		}
	})
	for name, tt := range map[string]struct {
		method, path string
		headers      []string
		status       int
	}{
		"a page":            {"GET", "/page", nil, 200},
		"a stream":          {"GET", "/api/v1/stream", nil, 200},
		"a probe":           {"GET", "/healthz", nil, 200},
		"a head":            {"HEAD", "/page", nil, 200},
		"a stranger":        {"GET", "/mine", nil, 401},
		"a bad token":       {"GET", "/api/v1/things", []string{"Authorization: Bearer no"}, 401},
		"a wrong role":      {"GET", "/api/v1/things/a", []string{"Authorization: Bearer editor"}, 403},
		"another site":      {"POST", "/api/v1/things", []string{"Origin: https://evil.example"}, 403},
		"no such path":      {"GET", "/nothing", nil, 404},
		"no such API":       {"GET", "/api/v1/nothing", nil, 404},
		"no name":           {"GET", "/api/v1/things/%00", []string{"Authorization: Bearer operator"}, 404},
		"another method":    {"DELETE", "/page", nil, 405},
		"a trace":           {"TRACE", "/page", nil, 405},
		"a compressed body": {"POST", "/api/v1/things", []string{"Content-Encoding: gzip"}, 415},
		"a panic":           {"GET", "/panic", nil, 500},
	} {
		t.Run(name, func(t *testing.T) {
			body := ""
			if tt.method == "POST" {
				body = "x"
			}
			got := s.ask(t, tt.method, tt.path, body, tt.headers...)
			if got.StatusCode != tt.status {
				t.Errorf("status %d, want %d", got.StatusCode, tt.status)
			}
			for header, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
					"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
				"X-Content-Type-Options":       "nosniff",
				"Referrer-Policy":              "same-origin",
				"Cross-Origin-Opener-Policy":   "same-origin",
				"Cross-Origin-Resource-Policy": "same-origin",
				"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
				"Cache-Control":                "no-store",
				"Strict-Transport-Security":    "", // plain HTTP
			} {
				if values := got.Header.Values(header); len(values) > 1 || got.Header.Get(header) != want {
					t.Errorf("%s: got %q, want %q", header, values, want)
				}
			}
			if len(got.Header.Get(RequestIDHeader)) < 20 {
				t.Errorf("request id %q", got.Header.Get(RequestIDHeader))
			}
		})
	}
}

func TestTransportSecurityIsAskedForUnderTLSAlone(t *testing.T) {
	for want, state := range map[string]*tls.ConnectionState{"": nil, "max-age=31536000; includeSubDomains": {}} {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.TLS = state
		withSecurityHeaders(http.HandlerFunc(ok)).ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What a handler said before it broke must not stand on the answer that it did not give.
func TestPanicKeepsNothingOfTheHandlersAnswer(t *testing.T) {
	s := start(t, defaultTimeouts, func(*server) []Route {
		return []Route{
			{"GET", "/half-said", Public, func(w http.ResponseWriter, _ *http.Request) {
				for _, name := range []string{"Content-Length", "Etag", "Location", "Set-Cookie"} {
					w.Header().Set(name, "9")
				}
				w.Header().Set("Cache-Control", "public")
				panic("boom\nsecond line")
			}, Ordinary},
			{"GET", "/half-sent", Public, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
				panic("boom")
			}, Ordinary},
		}
	})
	got := s.ask(t, "GET", "/half-said", "")
	if got.StatusCode != 500 || got.body != string(fleet.CodeInternal) || got.Header.Get("Etag")+got.Header.Get("Location")+got.Header.Get("Set-Cookie") != "" ||
		got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v %q", got.StatusCode, got.Header, got.body)
	}
	if _, err := client.Get(s.url + "/half-sent"); err == nil {
		// The header came; the body must be seen to be cut.
		response, _ := client.Get(s.url + "/half-sent")
		if _, err := response.Body.Read(make([]byte, 1)); err == nil || err.Error() == "EOF" {
			t.Errorf("half an answer looks whole: %v", err)
		}
	}
}
