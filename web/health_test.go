package web

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
)

func TestReadinessNamesNoDetail(t *testing.T) {
	broken := errors.New("database is in /secret/place")
	for name, tt := range map[string]struct {
		checks   []error
		draining bool
		status   int
		body     string
		warned   string
	}{
		"no checks":     {nil, false, 200, "ready\n", ""},
		"all good":      {[]error{nil, nil}, false, 200, "ready\n", ""},
		"second broken": {[]error{nil, broken}, false, 503, "not ready\n", "second"},
		"first broken":  {[]error{broken, broken}, false, 503, "not ready\n", "first"},
		"stopping":      {[]error{nil, nil}, true, 503, "stopping\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			warned := ""
			h := &health{warn: func(check string, _ error) { warned = check }}
			for i, err := range tt.checks {
				h.checks = append(h.checks, Check{[]string{"first", "second"}[i], func(ctx context.Context) error {
					if _, bounded := ctx.Deadline(); !bounded {
						t.Error("a check without a deadline")
					}
					return err
				}})
			}
			h.draining.Store(tt.draining)
			w := httptest.NewRecorder()
			h.ready(w, httptest.NewRequest("GET", "/readyz", nil))
			if w.Code != tt.status || w.Body.String() != tt.body || warned != tt.warned {
				t.Errorf("got %d %q, warned of %q", w.Code, w.Body, warned)
			}
			// The process lives all the same.
			w = httptest.NewRecorder()
			h.live(w, httptest.NewRequest("GET", "/healthz", nil))
			if w.Code != 200 || w.Body.String() != "ok\n" {
				t.Errorf("live: %d %q", w.Code, w.Body)
			}
		})
	}
}
