package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// Check is one thing that must work before the server says it is ready. Its name goes to the log, never into
// an answer.
type Check struct {
	Name string
	Run  func(ctx context.Context) error
}

// readyWithin bounds all checks together: a database that hangs is not ready.
const readyWithin = 2 * time.Second

// health answers whether the process lives and whether it can serve.
type health struct {
	checks   []Check
	draining atomic.Bool
	warn     func(check string, err error)
}

// live is the process only: a restart would not heal a database that is down.
func (h *health) live(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "ok\n")
}

// ready says no detail: the path is open to anyone. What failed stands in the log.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	if h.draining.Load() {
		plain(w, http.StatusServiceUnavailable, "stopping\n")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	for _, check := range h.checks {
		if err := check.Run(ctx); err != nil {
			h.warn(check.Name, err)
			plain(w, http.StatusServiceUnavailable, "not ready\n")
			return
		}
	}
	plain(w, http.StatusOK, "ready\n")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	// The client is gone where this fails; there is nobody to tell.
	_, _ = w.Write([]byte(text))
}
