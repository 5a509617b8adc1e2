package web

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A header that never ends is cut: the connection is closed, whatever the client still has to say.
func TestSlowHeaderIsCut(t *testing.T) {
	limits := defaultTimeouts
	limits.header = 50 * time.Millisecond
	s := start(t, limits, func(*server) []Route { return []Route{{"GET", "/{$}", Public, ok, Ordinary}} })
	if got := s.raw(t, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "); strings.Contains(got, "200") {
		t.Errorf("got %q", got)
	}
}

func TestHeaderThatIsTooLargeIsRefused(t *testing.T) {
	s := start(t, defaultTimeouts, func(*server) []Route { return []Route{{"GET", "/{$}", Public, ok, Ordinary}} })
	for size, want := range map[int]int{32 << 10: 200, 80 << 10: 431} {
		if got := s.ask(t, "GET", "/", "", "X-Large: "+strings.Repeat("x", size)); got.StatusCode != want {
			t.Errorf("%d bytes: got %d, want %d", size, got.StatusCode, want)
		}
	}
}

// A reader that takes nothing is cut, on an ordinary answer and on a stream; the handler hears of it.
func TestSlowReaderIsCut(t *testing.T) {
	limits := defaultTimeouts
	limits.write = 100 * time.Millisecond
	failed := make(chan error, 1)
	flood := func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				failed <- err
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				failed <- err
				return
			}
		}
	}
	s := start(t, limits, func(*server) []Route {
		return []Route{{"GET", "/flood", Public, flood, Ordinary}, {"GET", "/stream", Public, flood, Stream}}
	})
	for _, path := range []string{"/flood", "/stream"} {
		t.Run(path, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if err := <-failed; err == nil {
				t.Error("no error")
			}
		})
	}
}

// A stream outlives the deadline of an ordinary answer, in silence and between writes.
func TestStreamOutlivesTheDeadline(t *testing.T) {
	limits := defaultTimeouts
	limits.write = 50 * time.Millisecond
	next := make(chan struct{})
	s := start(t, limits, func(*server) []Route {
		return []Route{{"GET", "/stream", Public, func(w http.ResponseWriter, _ *http.Request) {
			for range next {
				_, _ = io.WriteString(w, "tick\n")
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
			}
		}, Stream}}
	})
	go func() {
		defer close(next)
		for range 3 {
			time.Sleep(2 * limits.write)
			next <- struct{}{}
		}
	}()
	response, err := client.Get(s.url + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	ticks := 0
	for lines.Scan() {
		ticks++
	}
	if err := lines.Err(); err != nil || ticks != 3 {
		t.Errorf("%d ticks, %v", ticks, err)
	}
}
