package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/handlers"
)

// Server is the HTTP side of one control plane.
type Server struct {
	options  Options
	timeouts timeouts
	handler  http.Handler
	health   *health
	// stopping ends when the server stops, and with it every stream.
	stopping    context.Context
	stopStreams context.CancelFunc
}

// New puts handlers, middleware and table together. It listens to nothing: see Run.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := newServer(o, defaultTimeouts)
	sessions := newSessions(o.Sessions, o.secure(), o.Clock)
	cookies, err := newCookies(o.Secret, o.secure())
	if err != nil {
		return nil, err
	}
	pages := handlers.NewPages(handlers.PagesDeps{
		Control: o.Control, Words: o.Words, Sessions: sessions, Cookies: cookies, Now: control.Clock(o.Clock), Logger: o.Logger,
	})
	routes := table(mounts{
		api:     handlers.NewAPI(o.Control, o.Words, o.Logger),
		agents:  handlers.NewAgents(o.Control, o.Words, o.Logger),
		pages:   pages,
		health:  s.health,
		metrics: s.metrics,
	})
	description, err := describe(routes)
	if err != nil {
		return nil, err
	}
	routes = append(routes, description)
	s.handler, err = s.serve(routes, gate{identify: o.Control, sessions: sessions, refuse: newRefuser(o.Words, pages), logger: o.Logger})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// describe makes the route of the API's description, which is derived from the table that it describes.
func describe(routes []Route) (Route, error) {
	var endpoints []handlers.Endpoint
	for _, r := range routes {
		if strings.HasPrefix(r.Path, "/api/") {
			endpoints = append(endpoints, handlers.Endpoint{Method: r.Method, Path: r.Path})
		}
	}
	handler, err := handlers.OpenAPI(endpoints)
	if err != nil {
		return Route{}, fmt.Errorf("describe the API: %w", err)
	}
	return Route{Method: http.MethodGet, Path: "/openapi.json", Who: Public, Handler: handler, Kind: Ordinary}, nil
}

// newServer makes a server that has no handler yet.
func newServer(o Options, t timeouts) *Server {
	if o.DrainDelay == 0 {
		o.DrainDelay = 500 * time.Millisecond
	}
	s := &Server{options: o, timeouts: t}
	s.stopping, s.stopStreams = context.WithCancel(context.Background())
	s.health = &health{checks: o.Ready, warn: func(check string, err error) {
		o.Logger.Warn("not ready", slog.String("check", check), slog.Any("error", err))
	}}
	return s
}

// serve wraps the table: first what every answer has, refusals and faults included, then what a route asks for.
func (s *Server) serve(routes []Route, g gate) (http.Handler, error) {
	o, refuse := s.options, g.refuse
	requests := withLimit(maxRequests, o.Metrics.inFlight, refuse)
	streams := withLimit(maxStreams, o.Metrics.streams, refuse)
	router, err := newRouter(routes, func(route Route) http.Handler {
		var m []middleware
		switch route.Kind {
		case Ordinary:
			m = append(m, requests)
		case Stream:
			m = append(m, streams)
		case Probe:
			return route.Handler
		}
		m = append(m, g.admit(route.Who), withNames(route.Path, refuse), withBody(refuse))
		if route.Method == http.MethodPost && !strings.HasPrefix(route.Path, "/api/") {
			m = append(m, withForm(refuse))
		}
		if route.Kind == Stream {
			m = append(m, withStream(s.timeouts, s.stopping))
		}
		return chain(route.Handler, m...)
	}, g.refuseKnown)
	if err != nil {
		return nil, err
	}
	return chain(router,
		withRequestID,
		withAccessLog(o.Logger, o.Metrics, o.Clock),
		withSecurityHeaders,
		withRecover(o.Logger, refuse),
		withDeadlines(s.timeouts),
		withCrossOriginProtection(refuse),
	), nil
}

// Handler serves requests without a listener, for tests and benchmarks.
func (s *Server) Handler() http.Handler { return s.handler }

// maxHeader bounds a request's header; net/http answers 431 beyond it.
const maxHeader = 64 << 10

// Run serves on listener, which it closes, until ctx ends. Then readiness fails first, the listener closes,
// streams end, and requests in flight are finished: all within ten seconds. It answers nil after that.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	if err := s.options.checkPlain(listener.Addr().String()); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler:                      s.handler,
		ReadHeaderTimeout:            s.timeouts.header,
		IdleTimeout:                  s.timeouts.idle,
		MaxHeaderBytes:               maxHeader,
		ErrorLog:                     slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true,
		// The end of ctx stops the server, not the requests in flight.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	failed := make(chan error, 1)
	go func() {
		if s.options.tls() {
			failed <- server.ServeTLS(listener, s.options.CertFile, s.options.KeyFile)
		} else {
			failed <- server.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		s.stopStreams()
		return fmt.Errorf("serve on %s: %w", listener.Addr(), errors.Join(err, server.Close()))
	case <-ctx.Done():
	}
	return s.stop(server)
}

func (s *Server) stop(server *http.Server) error {
	s.health.draining.Store(true)
	time.Sleep(s.options.DrainDelay)
	s.stopStreams()
	ctx, cancel := context.WithTimeout(context.Background(), s.timeouts.stop)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		s.options.Logger.Warn("requests cut off at stop", slog.Any("error", err))
		if err := server.Close(); err != nil {
			return fmt.Errorf("close connections: %w", err)
		}
	}
	return nil
}

// metrics answers a scrape. Hashes are compared, so that the time tells nothing of the token, its length
// included.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if want := s.options.MetricsToken; want != "" {
		token, _ := bearer(r.Header.Get("Authorization"))
		a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(want))
		if subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
			w.Header().Set("WWW-Authenticate", challenge)
			handlers.WriteProblem(w, s.options.Words.Words(), http.StatusUnauthorized, fleet.CodeUnauthenticated)
			return
		}
	}
	s.options.Metrics.handler().ServeHTTP(w, r)
}
