package web

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"odysseus/fleet"
)

// Bounds of what is answered at one moment. A request beyond them is refused at once: a queue that grows
// without bound answers nobody. Streams wait without work, and every agent holds one.
const (
	maxRequests = 1024
	maxStreams  = 20_000
)

// withLimit bounds the requests that are answered at one moment; the health checks are not under it.
func withLimit(most int, gauge prometheus.Gauge, refuse refuser) middleware {
	slots := make(chan struct{}, most)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case slots <- struct{}{}:
			default:
				w.Header().Set("Retry-After", "1")
				refuse(w, r, http.StatusTooManyRequests, fleet.CodeTooManyRequests)
				return
			}
			gauge.Inc()
			defer func() {
				gauge.Dec()
				<-slots
			}()
			next.ServeHTTP(w, r)
		})
	}
}
