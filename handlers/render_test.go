package handlers

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// plainCookies are a browser's that never chose anything.
type plainCookies struct{}

func (plainCookies) PutFlash(http.ResponseWriter, *http.Request, Flash) error { return nil }
func (plainCookies) TakeFlash(http.ResponseWriter, *http.Request) Flash       { return Flash{} }
func (plainCookies) Preferences(*http.Request) Preferences                    { return Preferences{} }
func (plainCookies) PutPreferences(http.ResponseWriter, *http.Request, Preferences) error {
	return nil
}

func pagesAlone(t *testing.T) *Pages {
	t.Helper()
	words, err := locale.New(locale.OnMissing(func(key string) { t.Errorf("no words for %q", key) }))
	if err != nil {
		t.Fatal(err)
	}
	return NewPages(PagesDeps{Words: words, Cookies: plainCookies{}, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
}

func TestPageThatFailsHalfWayIsNeverSeen(t *testing.T) {
	w := httptest.NewRecorder()
	pagesAlone(t).render(w, httptest.NewRequest("GET", "/", nil), 200, templ.ComponentFunc(func(_ context.Context, b io.Writer) error {
		_, _ = io.WriteString(b, "<h1>half")
		return errors.New("broken")
	}))
	if w.Code != 500 || strings.Contains(w.Body.String(), "half") {
		t.Errorf("got %d %q", w.Code, w.Body.String())
	}
}

func TestErrorsOfControlArePages(t *testing.T) {
	for err, want := range map[error]struct {
		status int
		code   fleet.Code
	}{
		fleet.ErrNotFound:          {404, fleet.CodeNotFound},
		fleet.ErrStale:             {409, fleet.CodeStale},
		fleet.ErrBusy:              {503, fleet.CodeBusy},
		fleet.ErrFull:              {507, fleet.CodeStorageFull},
		fleet.ErrCursor:            {422, fleet.CodeNotAccepted},
		errors.New("disk on fire"): {500, fleet.CodeInternal},
	} {
		w := httptest.NewRecorder()
		pagesAlone(t).fail(w, httptest.NewRequest("GET", "/docs/residency", nil), err)
		body := w.Body.String()
		if w.Code != want.status || !strings.Contains(body, `data-code="`+string(want.code)+`"`) || strings.Contains(body, "on fire") {
			t.Errorf("%v: got %d %s", err, w.Code, body)
		}
		if (w.Header().Get("Retry-After") != "") != (want.status == 503) {
			t.Errorf("%v: Retry-After %q", err, w.Header().Get("Retry-After"))
		}
	}
}

func TestRefusalsReachHTMXWithoutAPageInAPage(t *testing.T) {
	for method, header := range map[string]string{"GET": "Hx-Refresh", "POST": "Hx-Retarget"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/namespaces/acme/deployments", nil)
		r.Header.Set("HX-Request", "true")
		pagesAlone(t).Refuse(w, r, 403, fleet.CodeForbidden)
		if w.Code != 403 || w.Header().Get(header) == "" || strings.Contains(w.Body.String(), "<html") {
			t.Errorf("%s: got %d %v %q", method, w.Code, w.Header(), w.Body.String())
		}
	}
}

func TestLocalPathKeepsToThisConsole(t *testing.T) {
	for next, want := range map[string]string{
		"/": "/", "/pending?q=a%2Fb#x": "/pending?q=a%2Fb#x", "/namespaces/a/deployments": "/namespaces/a/deployments",
		"": "/else", "pending": "/else", "//evil.example": "/else", "/\\evil.example": "/else", "https://evil.example": "/else",
		"/a\r\nSet-Cookie: x": "/else", "/\x00": "/else", "/\x7f": "/else", "javascript:alert(1)": "/else",
	} {
		if got := localPath(next, "/else"); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
}
