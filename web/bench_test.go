package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"odysseus/fleet"
)

// What the way to a handler costs, apart from the connection and the look-up of who is asking.
func BenchmarkMiddleware(b *testing.B) {
	var sessions scs.Store = &remembering{}
	o := Options{Listen: "127.0.0.1:0", Sessions: sessions, Secret: bytes.Repeat([]byte("s"), 32), Metrics: NewMetrics(), Clock: time.Now,
		Logger: slog.New(slog.NewJSONHandler(discard{}, nil))}
	s := newServer(o, defaultTimeouts)
	g := gate{identify: everyone(), sessions: newSessions(sessions, false, time.Now), refuse: refuseInCodes, logger: o.Logger}
	handler, err := s.serve([]Route{
		{"GET", "/page/{name}", SignedIn, ok, Ordinary},
		{"GET", "/api/v1/things/{name}", SignedIn, ok, Ordinary},
		{"POST", "/login", Public, func(_ http.ResponseWriter, r *http.Request) {
			if err := g.sessions.SignIn(r.Context(), fleet.User{ID: "u1", SessionEpoch: 1}); err != nil {
				b.Fatal(err)
			}
		}, Ordinary},
	}, g)
	if err != nil {
		b.Fatal(err)
	}
	signedIn := httptest.NewRecorder()
	handler.ServeHTTP(signedIn, httptest.NewRequest("POST", "/login", nil))
	for name, headers := range map[string][2]string{
		"/page/x":          {"Cookie", "odysseus=" + signedIn.Result().Cookies()[0].Value},
		"/api/v1/things/x": {"Authorization", "Bearer editor"},
	} {
		b.Run(name[1:4], func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest("GET", name, nil)
			r.Header.Set(headers[0], headers[1])
			for b.Loop() {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != 200 {
					b.Fatalf("got %d", w.Code)
				}
			}
		})
	}
}

// remembering is a store of one session.
type remembering struct{ data []byte }

func (s *remembering) Find(string) ([]byte, bool, error)               { return s.data, s.data != nil, nil }
func (s *remembering) Commit(_ string, data []byte, _ time.Time) error { s.data = data; return nil }
func (s *remembering) Delete(string) error                             { return nil }

// discard is a log that is encoded and thrown away; slog.DiscardHandler would not be asked to encode.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
