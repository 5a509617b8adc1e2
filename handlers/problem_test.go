package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

func testEdge(t *testing.T, log *slog.Logger) edge {
	t.Helper()
	words, err := locale.New(locale.OnMissing(func(key string) { t.Errorf("no words for %q", key) }))
	if err != nil {
		t.Fatal(err)
	}
	return edge{words: words.Words(), log: log}
}

func TestAnErrorAnswersWithItsStatusAndSaysNoMore(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		code   fleet.Code
		header string
		logged bool
	}{
		"not found":             {fleet.ErrNotFound, 404, fleet.CodeNotFound, "", false},
		"stale":                 {fleet.ErrStale, 412, fleet.CodeStale, "", false},
		"unauthenticated":       {control.ErrUnauthenticated, 401, fleet.CodeUnauthenticated, "Www-Authenticate: Bearer", false},
		"forbidden":             {control.ErrForbidden, 403, fleet.CodeForbidden, "", false},
		"too many":              {&control.TooManyError{RetryAfter: 1500 * time.Millisecond}, 429, fleet.CodeTooManyRequests, "Retry-After: 2", false},
		"busy":                  {fleet.ErrBusy, 503, fleet.CodeBusy, "Retry-After: 1", false},
		"read-only":             {fleet.ErrReadOnly, 503, fleet.CodeBusy, "Retry-After: 1", false},
		"too slow":              {context.DeadlineExceeded, 503, fleet.CodeBusy, "Retry-After: 1", false},
		"full":                  {fleet.ErrFull, 507, fleet.CodeStorageFull, "", false},
		"no cursor":             {fleet.ErrCursor, 422, fleet.CodeNotAccepted, "", false},
		"anything else, logged": {errors.New("secret detail"), 500, fleet.CodeInternal, "", true},
	} {
		var log strings.Builder
		e := testEdge(t, slog.New(slog.NewTextHandler(&log, nil)))
		w := httptest.NewRecorder()
		if !e.refused(w, httptest.NewRequest("GET", "/", nil), nil, fmt.Errorf("do something: %w", c.err)) {
			t.Errorf("%s: not refused", name)
		}
		body := w.Body.String()
		if w.Code != c.status || !strings.Contains(body, `"code":"`+string(c.code)+`"`) || strings.Contains(body, "secret") || strings.Contains(body, "do something") {
			t.Errorf("%s: %d %s", name, w.Code, body)
		}
		if key, value, _ := strings.Cut(c.header, ": "); key != "" && w.Header().Get(key) != value {
			t.Errorf("%s: %v", name, w.Header())
		}
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", name, w.Header())
		}
		if logged := strings.Contains(log.String(), "secret detail"); logged != c.logged {
			t.Errorf("%s: logged %q", name, log.String())
		}
	}
}

func TestOneStatusForAllFaultsTogether(t *testing.T) {
	for _, c := range []struct {
		codes []fleet.Code
		want  int
	}{
		{[]fleet.Code{fleet.CodeRequired}, 422},
		{[]fleet.Code{fleet.CodeAlreadyExists}, 409},
		{[]fleet.Code{fleet.CodeSettingPinned, fleet.CodeRegionInUse}, 409},
		{[]fleet.Code{fleet.CodeSettingPinned, fleet.CodeCountryUnassigned}, 422},
		{[]fleet.Code{fleet.CodeInvalidYAML}, 400},
	} {
		var faults fleet.FieldErrors
		for _, code := range c.codes {
			faults = append(faults, fleet.FieldError{Code: code})
		}
		if got := refusalStatus(faults); got != c.want {
			t.Errorf("%v: %d, want %d", c.codes, got, c.want)
		}
	}
}
