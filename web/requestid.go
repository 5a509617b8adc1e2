package web

import (
	"context"
	"crypto/rand"
	"net/http"
)

// RequestIDHeader carries the id that ties an answer to its line in the log. It stands in a header alone: a
// body that held it would tell "somebody else's" from "nothing there".
const RequestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// RequestID of a request that passed the server; empty elsewhere.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// withRequestID gives every request an id of our own making: one that a client chose could forge a line in
// the log.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set(RequestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}
