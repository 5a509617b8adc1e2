package web

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// unmatched is the route of a request for a path that is in no route.
const unmatched = "unmatched"

// withAccessLog writes one line a request and feeds the metrics. It names the route's pattern, never the path
// or the query: a one-time set-up link is a path, and what a person searches for is theirs. slog's handlers
// escape control characters, so nothing that a client sends begins a line.
func withAccessLog(logger *slog.Logger, metrics *Metrics, clock func() time.Time) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := clock()
			rec := &recorder{ResponseWriter: w}
			// Deferred, so that an aborted answer has its line too.
			defer func() {
				took := clock().Sub(start)
				route, status := routeOf(r), rec.status
				if status == 0 {
					status = http.StatusOK
				}
				if !rec.stream {
					metrics.observe(route, methodLabel(r.Method), status, took)
				}
				logger.LogAttrs(r.Context(), slog.LevelInfo, "request",
					slog.String("id", RequestID(r.Context())),
					slog.String("method", r.Method),
					slog.String("route", route),
					slog.Int("status", status),
					slog.Int64("bytes", rec.bytes),
					slog.Duration("took", took),
					slog.String("address", remoteHost(r)),
					slog.String("actor", rec.actor),
				)
			}()
			next.ServeHTTP(rec, r)
		})
	}
}

// routeOf is the pattern that the router matched; it sets it on the request that it was given.
func routeOf(r *http.Request) string {
	if r.Pattern == "" || r.Pattern == catchAll {
		return unmatched
	}
	return r.Pattern
}

// methodLabel keeps the metric's label bounded: a client may send any token as a method.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// remoteHost is the address at the other end of the connection. X-Forwarded-For and its like are what anybody
// may write, and count for nothing.
func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
