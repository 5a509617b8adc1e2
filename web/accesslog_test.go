package web

import (
	"strings"
	"testing"
)

func TestAccessLogHasOneLineThatTellsNoSecret(t *testing.T) {
	s := start(t, defaultTimeouts, func(s *server) []Route {
		return append(gateRoutes(s), Route{"GET", "/api/v1/things/{name}", SignedIn, ok, Ordinary})
	})
	got := s.ask(t, "GET", "/api/v1/things/my-name?token=hidden-query", "", "Authorization: Bearer editor", "X-Request-Id: forged\tid", "X-Forwarded-For: 6.6.6.6", "User-Agent: an-agent")
	s.ask(t, "GET", "/nothing-here", "")
	s.raw(t, "BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	text := s.log.String()
	for _, secret := range []string{"hidden", "my-name", "Bearer", "forged", "6.6.6.6", "nothing-here", "an-agent"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the log: %s", secret, text)
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	for i, parts := range [][]string{
		{"msg=request", "id=" + got.Header.Get(RequestIDHeader), "method=GET", "route=/api/v1/things/{name}", "status=200", "bytes=2", "took=", "address=127.0.0.1", `actor="token editor"`},
		{"route=unmatched", "status=404", `actor=""`},
		{"method=BREW", "status=405"},
	} {
		for _, part := range parts {
			if !strings.Contains(lines[i], part) {
				t.Errorf("line %d lacks %s: %s", i, part, lines[i])
			}
		}
	}
}

func TestPanicIsLoggedWithItsStackOnOneLine(t *testing.T) {
	s := start(t, defaultTimeouts, panicRoutes)
	s.ask(t, "GET", "/panic", "")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=ERROR msg=panic") || !strings.Contains(lines[0], `fault="boom\nsecond line"`) ||
		!strings.Contains(lines[0], "metrics_test.go") || !strings.Contains(lines[1], "status=500") {
		t.Errorf("got %s", s.log)
	}
}
