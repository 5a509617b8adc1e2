package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// problem is the body of every refusal: RFC 9457 with one entry for each fault.
type problem struct {
	Type   string      `json:"type"`
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Errors []faultJSON `json:"errors"`
}

type faultJSON struct {
	Code       fleet.Code `json:"code"`
	Field      string     `json:"field,omitempty"`
	Value      *string    `json:"value,omitempty"`
	Message    string     `json:"message"`
	Accepted   string     `json:"accepted,omitempty"`
	Suggestion string     `json:"suggestion,omitempty"`
	Line       int        `json:"line,omitempty"`
	Column     int        `json:"column,omitempty"`
	Fix        string     `json:"fix,omitempty"`
}

func faultsJSON(words *locale.Words, faults fleet.FieldErrors) []faultJSON {
	out := make([]faultJSON, len(faults))
	for i, f := range faults {
		out[i] = faultJSON{Code: f.Code, Field: f.Field, Message: words.Refusal(f), Accepted: words.Accepted(f),
			Suggestion: f.Suggestion, Line: f.Line, Column: f.Column, Fix: f.Fix}
		// An emptiness that somebody wrote is quoted too.
		if f.Value != "" || f.Code == fleet.CodeResidencyEmpty {
			out[i].Value = &f.Value
		}
	}
	return out
}

// WriteProblem answers one code as a whole, as application/problem+json: what web's middleware refuses before a
// handler is asked. It writes neither request id nor time.
func WriteProblem(w http.ResponseWriter, words *locale.Words, status int, code fleet.Code) {
	writeProblem(w, words, status, fleet.FieldErrors{{Code: code}})
}

func writeProblem(w http.ResponseWriter, words *locale.Words, status int, faults fleet.FieldErrors) {
	writeTitled(w, words, words.Title(faults[0].Code), status, faults)
}

func writeTitled(w http.ResponseWriter, words *locale.Words, title string, status int, faults fleet.FieldErrors) {
	writeJSON(w, "application/problem+json", status, problem{
		Type: "/docs/rejections#" + string(faults[0].Code), Title: title, Status: status, Errors: faultsJSON(words, faults),
	})
}

// refusalStatus is the one status of all faults together: what cannot be read at all goes before what is wrong in
// it, and that before what only stands in the way of others (409).
func refusalStatus(faults fleet.FieldErrors) int {
	status := http.StatusConflict
	for _, f := range faults {
		entry, _ := fleet.Lookup(f.Code)
		switch {
		case entry.Status == http.StatusBadRequest:
			return entry.Status
		case entry.Status != http.StatusConflict:
			status = http.StatusUnprocessableEntity
		}
	}
	return status
}

// refused answers the faults or the error of a control method; false where there are none. Errors that mean that
// something broke go to the log, and the answer says no more than that.
func (e edge) refused(w http.ResponseWriter, r *http.Request, faults fleet.FieldErrors, err error) bool {
	switch {
	case err != nil:
		e.failed(w, r, err)
	case len(faults) > 0:
		writeProblem(w, e.words, refusalStatus(faults), faults)
	default:
		return false
	}
	return true
}

// manifestRefused is refused for what writes manifests: a 422 says in its title what was refused.
func (e edge) manifestRefused(w http.ResponseWriter, r *http.Request, title string, faults fleet.FieldErrors, err error) bool {
	if status := refusalStatus(faults); err == nil && len(faults) > 0 && status == http.StatusUnprocessableEntity {
		writeTitled(w, e.words, e.words.T(title, nil), status, faults)
		return true
	}
	return e.refused(w, r, faults, err)
}

func (e edge) failed(w http.ResponseWriter, r *http.Request, err error) {
	status, f := answerOf(err)
	if errors.Is(err, fleet.ErrCursor) {
		f.Value = r.URL.Query().Get(f.Field) // the store says that it is no cursor, the request which one
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusTooManyRequests:
		var tooMany *control.TooManyError
		if errors.As(err, &tooMany) {
			w.Header().Set("Retry-After", strconv.Itoa(retrySeconds(tooMany.RetryAfter)))
		}
	case http.StatusInternalServerError:
		if r.Context().Err() == nil { // a client that went away is no fault of ours
			e.log.LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Any("error", err))
		}
	}
	writeProblem(w, e.words, status, fleet.FieldErrors{f})
}

// retrySeconds rounds up: a client that comes back a moment too early is refused once more.
func retrySeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// answerOf is the status and the code of an error of control.
func answerOf(err error) (int, fleet.FieldError) {
	var tooMany *control.TooManyError
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		return http.StatusNotFound, fleet.FieldError{Code: fleet.CodeNotFound}
	case errors.Is(err, fleet.ErrStale):
		return http.StatusPreconditionFailed, fleet.FieldError{Code: fleet.CodeStale}
	case errors.Is(err, control.ErrUnauthenticated):
		return http.StatusUnauthorized, fleet.FieldError{Code: fleet.CodeUnauthenticated}
	case errors.Is(err, control.ErrForbidden):
		return http.StatusForbidden, fleet.FieldError{Code: fleet.CodeForbidden}
	case errors.As(err, &tooMany):
		return http.StatusTooManyRequests, fleet.FieldError{Code: fleet.CodeTooManyRequests}
	case errors.Is(err, fleet.ErrCursor):
		return http.StatusUnprocessableEntity, fleet.FieldError{Code: fleet.CodeNotAccepted, Field: "continue", Want: "cursor"}
	case errors.Is(err, fleet.ErrBusy), errors.Is(err, fleet.ErrReadOnly), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, fleet.FieldError{Code: fleet.CodeBusy}
	case errors.Is(err, fleet.ErrFull):
		return http.StatusInsufficientStorage, fleet.FieldError{Code: fleet.CodeStorageFull}
	}
	return http.StatusInternalServerError, fleet.FieldError{Code: fleet.CodeInternal}
}
