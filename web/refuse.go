package web

import (
	"errors"
	"log/slog"
	"net/http"

	"odysseus/fleet"
	"odysseus/handlers"
	"odysseus/views/locale"
)

// refuser answers a request that reaches no handler, in the words and the form of its path.
type refuser func(w http.ResponseWriter, r *http.Request, status int, code fleet.Code)

// newRefuser answers application/problem+json under /api and a page elsewhere.
func newRefuser(words *locale.Catalogue, pages *handlers.Pages) refuser {
	return func(w http.ResponseWriter, r *http.Request, status int, code fleet.Code) {
		if isAPI(r) {
			handlers.WriteProblem(w, words.Words(), status, code)
			return
		}
		pages.Refuse(w, r, status, code)
	}
}

// broken answers what went wrong on our side before a handler was asked: words for what passes by itself or is
// the operator's to free, 500 and a line in the log for the rest.
func broken(w http.ResponseWriter, r *http.Request, err error, refuse refuser, logger *slog.Logger) {
	switch {
	case errors.Is(err, fleet.ErrBusy), errors.Is(err, fleet.ErrReadOnly):
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusServiceUnavailable, fleet.CodeBusy)
	case errors.Is(err, fleet.ErrFull):
		refuse(w, r, http.StatusInsufficientStorage, fleet.CodeStorageFull)
	default:
		if r.Context().Err() == nil {
			logger.LogAttrs(r.Context(), slog.LevelError, "request failed",
				slog.String("id", RequestID(r.Context())), slog.String("route", routeOf(r)), slog.Any("error", err))
		}
		refuse(w, r, http.StatusInternalServerError, fleet.CodeInternal)
	}
}
