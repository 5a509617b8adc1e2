package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestRequestsBeyondTheBoundAreRefusedAtOnce(t *testing.T) {
	m := NewMetrics()
	entered, leave := make(chan struct{}), make(chan struct{})
	h := withLimit(2, m.inFlight, refuseInCodes)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			entered <- struct{}{}
			<-leave
		}
		plain(w, 200, "ok")
	}))
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	done := make(chan int)
	for range 2 {
		go func() { done <- ask("/held").Code }()
		<-entered
	}
	if got := testutil.ToFloat64(m.inFlight); got != 2 {
		t.Errorf("in flight: %v", got)
	}
	if got := ask("/"); got.Code != 429 || got.Header().Get("Retry-After") != "1" || got.Body.String() != "too_many_requests" {
		t.Errorf("got %d %v %q", got.Code, got.Header(), got.Body)
	}
	close(leave)
	for range 2 {
		if code := <-done; code != 200 {
			t.Errorf("held: %d", code)
		}
	}
	if got := ask("/").Code; got != 200 {
		t.Errorf("after: %d", got)
	}
	if got := testutil.ToFloat64(m.inFlight); got != 0 {
		t.Errorf("in flight after: %v", got)
	}
}

// A slot is given back by a handler that panics, too.
func TestPanicGivesItsSlotBack(t *testing.T) {
	h := withLimit(1, NewMetrics().inFlight, refuseInCodes)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	for range 3 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("refused")
				}
			}()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}()
	}
}
