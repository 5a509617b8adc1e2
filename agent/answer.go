package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"odysseus/fleet"
)

// What the control plane may answer instead of doing what was asked. Match with errors.Is.
var (
	// ErrUnauthenticated (401): the token is used, expired or unknown; the credential is none (any more).
	ErrUnauthenticated = errors.New("not authenticated")
	// ErrForbidden (403): the credential is of another kind than a node's.
	ErrForbidden = errors.New("forbidden")
	// ErrConflict (409): the name is taken.
	ErrConflict = errors.New("conflict")
	// ErrRefused (422): what was sent is not accepted; Errors says why.
	ErrRefused = errors.New("refused")
	// ErrRedirect (3xx): the control plane is elsewhere. The agent does not follow.
	ErrRedirect = errors.New("redirected")
)

// AnswerError is an answer of the control plane other than 2xx. All text in it is one line and bounded, whatever
// was sent.
type AnswerError struct {
	Status int
	Title  string
	// Errors are the refusals, at most mostRefusals of them.
	Errors []Refusal
	// Location is where a redirect points.
	Location string
	// RetryAfter is how long the control plane asks to wait; 0 where it does not.
	RetryAfter time.Duration
}

// Refusal is one of the control plane's reasons.
type Refusal struct {
	Code    fleet.Code `json:"code"`
	Field   string     `json:"field"`
	Message string     `json:"message"`
}

const (
	mostRefusals = 20
	mostText     = 300
)

// Error says the status and everything that the control plane gave as a reason.
func (e *AnswerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the control plane answers %d", e.Status)
	if e.Title != "" {
		b.WriteString(" " + e.Title)
	}
	if e.Location != "" {
		b.WriteString(", to " + e.Location)
	}
	for _, r := range e.Errors {
		fmt.Fprintf(&b, "; %s", r.Code)
		if r.Field != "" {
			b.WriteString(" at " + r.Field)
		}
		if r.Message != "" {
			b.WriteString(": " + r.Message)
		}
	}
	return b.String()
}

// Is matches the errors above by status.
func (e *AnswerError) Is(target error) bool {
	switch target {
	case ErrUnauthenticated:
		return e.Status == http.StatusUnauthorized
	case ErrForbidden:
		return e.Status == http.StatusForbidden
	case ErrConflict:
		return e.Status == http.StatusConflict
	case ErrRefused:
		return e.Status == http.StatusUnprocessableEntity
	case ErrRedirect:
		return e.Status >= 300 && e.Status < 400
	}
	return false
}

// passing says whether the same call may succeed later without anybody changing it.
func (e *AnswerError) passing() bool {
	return e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
}

// names says whether one of the refusals has the code.
func (e *AnswerError) names(code fleet.Code) bool {
	return slices.ContainsFunc(e.Errors, func(r Refusal) bool { return r.Code == code })
}

// answerError reads a problem (RFC 9457), as far as it is one.
func answerError(resp *http.Response) *AnswerError {
	e := &AnswerError{Status: resp.StatusCode}
	if e.Is(ErrRedirect) {
		e.Location = oneLine(resp.Header.Get("Location"), mostText)
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = min(time.Duration(min(seconds, 3600))*time.Second, mostRetryAfter)
	}
	var problem struct {
		Title  string    `json:"title"`
		Errors []Refusal `json:"errors"`
	}
	// A body that cannot be read or is no problem says nothing; the status does.
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil || json.Unmarshal(b, &problem) != nil {
		return e
	}
	e.Title = oneLine(problem.Title, mostText)
	for _, r := range problem.Errors[:min(len(problem.Errors), mostRefusals)] {
		e.Errors = append(e.Errors, Refusal{Code: fleet.Code(oneLine(string(r.Code), mostText)),
			Field: oneLine(r.Field, mostText), Message: oneLine(r.Message, mostText)})
	}
	return e
}

// oneLine makes text safe to log and to report: valid UTF-8, no control characters, at most limit bytes.
func oneLine(s string, limit int) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) > limit {
		cut := limit
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
