package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"odysseus/fleet"
)

// withRecover is the last resort: a panic is one request's 500 with words that tell nothing, and a line with
// the stack in the log. An answer that was already begun is cut instead, so that nobody takes half for whole.
func withRecover(logger *slog.Logger, refuse refuser) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				fault := recover()
				if fault == nil {
					return
				}
				if err, ok := fault.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(fault)
				}
				logger.LogAttrs(r.Context(), slog.LevelError, "panic",
					slog.String("id", RequestID(r.Context())),
					slog.String("route", routeOf(r)),
					slog.String("fault", fmt.Sprint(fault)),
					slog.String("stack", string(debug.Stack())),
				)
				if rec, ok := w.(*recorder); ok && rec.status != 0 {
					panic(http.ErrAbortHandler)
				}
				forget(w.Header())
				refuse(w, r, http.StatusInternalServerError, fleet.CodeInternal)
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// forget takes out what the handler said of an answer that it then did not give.
func forget(h http.Header) {
	for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Disposition", "Etag", "Last-Modified", "Location", "Set-Cookie"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
}
