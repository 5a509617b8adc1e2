package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func bodyRoutes(*server) []Route {
	length := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			plain(w, 500, err.Error())
			return
		}
		plain(w, 200, fmt.Sprint(len(body)))
	}
	return []Route{
		{"POST", "/form", Public, length, Ordinary},
		{"PUT", "/api/body", Public, length, Ordinary},
		{"POST", "/api/body", Public, length, Ordinary},
		{"GET", "/api/body", Public, length, Ordinary},
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := start(t, defaultTimeouts, bodyRoutes)
	for name, tt := range map[string]struct {
		method, path string
		size         int
		chunked      bool
		headers      []string
		status       int
		body         string
	}{
		"none":                  {"POST", "/api/body", 0, false, nil, 200, "0"},
		"one byte":              {"PUT", "/api/body", 1, false, nil, 200, "1"},
		"1 MiB":                 {"POST", "/api/body", maxBody, false, nil, 200, "1048576"},
		"1 MiB in chunks":       {"POST", "/api/body", maxBody, true, nil, 200, "1048576"},
		"1 MiB and a byte":      {"POST", "/api/body", maxBody + 1, false, nil, 413, "body_too_large"},
		"the same in chunks":    {"PUT", "/api/body", maxBody + 1, true, nil, 413, "body_too_large"},
		"10 MiB in chunks":      {"POST", "/api/body", 10 * maxBody, true, nil, 413, "body_too_large"},
		"too much with a GET":   {"GET", "/api/body", maxBody + 1, false, nil, 413, "body_too_large"},
		"gzip":                  {"POST", "/api/body", 20, false, []string{"Content-Encoding: gzip"}, 415, "unsupported_media_type"},
		"said to be plain":      {"POST", "/api/body", 20, false, []string{"Content-Encoding: identity"}, 200, "20"},
		"a form":                {"POST", "/form", 20, false, []string{"Content-Type: application/x-www-form-urlencoded; charset=utf-8"}, 200, "20"},
		"a form in parts":       {"POST", "/form", 20, false, []string{"Content-Type: multipart/form-data; boundary=x"}, 200, "20"},
		"a form in chunks":      {"POST", "/form", 20, true, []string{"Content-Type: application/x-www-form-urlencoded"}, 200, "20"},
		"a form of nothing":     {"POST", "/form", 0, false, nil, 200, "0"},
		"a form that is YAML":   {"POST", "/form", 20, false, []string{"Content-Type: application/yaml"}, 415, "unsupported_media_type"},
		"a form of broken type": {"POST", "/form", 20, true, []string{"Content-Type: ;;"}, 415, "unsupported_media_type"},
	} {
		t.Run(name, func(t *testing.T) {
			var body io.Reader = strings.NewReader(strings.Repeat("x", tt.size))
			if tt.chunked {
				body = io.MultiReader(body) // of no length that the client could announce
			}
			r, err := http.NewRequestWithContext(t.Context(), tt.method, s.url+tt.path, body)
			if err != nil {
				t.Fatal(err)
			}
			for _, header := range tt.headers {
				name, value, _ := strings.Cut(header, ": ")
				r.Header.Set(name, value)
			}
			got := send(t, r)
			if got.StatusCode != tt.status || got.body != tt.body {
				t.Errorf("got %d %q, want %d %q", got.StatusCode, got.body, tt.status, tt.body)
			}
		})
	}
}

func TestBrokenAndSlowBodies(t *testing.T) {
	limits := defaultTimeouts
	limits.read = 50 * time.Millisecond
	s := start(t, limits, bodyRoutes)
	for name, tt := range map[string]struct{ request, want, body string }{
		"no chunk":      {"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400 ", "bad_request"},
		"never arrives": {"Content-Length: 10\r\n\r\nabc", "HTTP/1.1 408 ", "bad_request"},
		"two lengths":   {"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "HTTP/1.1 400 ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.raw(t, "POST /api/body HTTP/1.1\r\nHost: x\r\n"+tt.request)
			if !strings.HasPrefix(got, tt.want) || !strings.HasSuffix(got, tt.body) && !strings.Contains(got, "\r\n\r\n"+tt.body) {
				t.Errorf("got %q", got)
			}
			if strings.Count(got, "HTTP/1.1 ") != 1 {
				t.Errorf("a request was smuggled: %q", got)
			}
		})
	}
}

func TestDeadlineOfTheBodyDoesNotCancelTheHandler(t *testing.T) {
	limits := defaultTimeouts
	limits.read = 20 * time.Millisecond
	cancelled := make(chan bool, 1)
	s := start(t, limits, func(*server) []Route {
		return []Route{{"POST", "/api/slow", Public, func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
				cancelled <- true
			case <-time.After(5 * limits.read):
				cancelled <- false
			}
		}, Ordinary}}
	})
	if s.ask(t, "POST", "/api/slow", "x"); <-cancelled {
		t.Error("the handler was cancelled")
	}
}
