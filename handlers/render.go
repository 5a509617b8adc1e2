package handlers

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
	"odysseus/views/locale"
)

// htmx says whether the request comes from htmx; a history restore wants the whole page all the same.
func htmx(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// partial says whether htmx wants a part of the page only.
func partial(r *http.Request) bool {
	return htmx(r) && r.Header.Get("HX-Request-Type") == "partial" && r.Header.Get("HX-Boosted") != "true"
}

// target is the id of the element that htmx is going to fill: the header is "div#deployments-list".
func target(r *http.Request) string {
	_, id, _ := strings.Cut(r.Header.Get("HX-Target"), "#")
	return id
}

// render sends a page, or of the fragments given the one that htmx asks for. It is rendered whole before anything
// is sent: a page that fails half-way is never seen.
func (p *Pages) render(w http.ResponseWriter, r *http.Request, status int, page templ.Component, fragments ...string) {
	ctx := views.WithScene(r.Context(), views.Scene{Words: p.words(r), Now: p.Now()})
	var body bytes.Buffer
	var err error
	if id := target(r); partial(r) && slices.Contains(fragments, id) {
		err = templ.RenderFragments(ctx, &body, page, id)
	} else {
		err = page.Render(ctx, &body)
	}
	if err != nil {
		p.Logger.ErrorContext(r.Context(), "render page", slog.String("path", r.URL.Path), slog.Any("error", err))
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "HX-Request, HX-Request-Type, HX-Target, Cookie, Accept-Language")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // the reader is gone; there is nobody to tell
	}
}

// redirect goes to another page. A fetch would follow a 303 without the address bar changing, so htmx is told in
// its own header.
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	if htmx(r) {
		w.Header().Set("HX-Redirect", to)
		w.WriteHeader(http.StatusOK)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // callers pass paths of ours; next is held to one by localPath
}

// fail answers an error of control: a sentinel as what it means, anything else as ours and into the log.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is waiting any more
	}
	status, fault := answerOf(err)
	var tooMany *control.TooManyError
	switch {
	case status == http.StatusInternalServerError:
		p.Logger.ErrorContext(r.Context(), "answer page", slog.String("path", r.URL.Path), slog.Any("error", err))
	case status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case errors.As(err, &tooMany):
		w.Header().Set("Retry-After", strconv.Itoa(retrySeconds(tooMany.RetryAfter)))
	case status == http.StatusPreconditionFailed:
		status = http.StatusConflict // a form names no precondition
	}
	p.refuse(w, r, status, fault)
}

// Refuse answers a code as a whole, as a page: what a handler cannot answer otherwise, and what web's middleware
// refuses before a handler is asked. Of 401 it leads to the sign-in and back.
func (p *Pages) Refuse(w http.ResponseWriter, r *http.Request, status int, code fleet.Code) {
	fault := fleet.FieldError{Code: code}
	if code == fleet.CodeMethodNotAllowed {
		fault.Value = r.Method
	}
	p.refuse(w, r, status, fault)
}

func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, fault fleet.FieldError) {
	if status == http.StatusUnauthorized {
		redirect(w, r, signInPath(r))
		return
	}
	words := p.words(r)
	if htmx(r) {
		// The whole page would land inside a part of one. A refreshed part has nothing to lose, so the page is
		// loaded again and says it; a form that is being filled in stays as it is, and its live line says it.
		if r.Method == http.MethodGet {
			w.Header().Set("HX-Refresh", "true")
		} else {
			w.Header().Set("HX-Retarget", "#live")
			w.Header().Set("HX-Reswap", "textContent")
		}
		http.Error(w, words.Refusal(fault), status)
		return
	}
	chrome, err := p.chrome(w, r, "")
	if err != nil {
		// Whatever is broken, the page must not depend on it.
		p.Logger.WarnContext(r.Context(), "read navigation for a refusal", slog.Any("error", err))
	}
	p.render(w, r, status, views.Problem(views.ProblemPage{
		Chrome: chrome, Status: status, Title: words.Title(fault.Code), Message: words.Refusal(fault), Code: string(fault.Code),
		Hint: whoMay(r, words, fault.Code),
	}))
}

// whoMay says which roles may do what was refused; empty where it was refused for something else.
func whoMay(r *http.Request, words *locale.Words, code fleet.Code) string {
	actor := control.ActorFrom(r.Context())
	switch {
	case code != fleet.CodeForbidden || actor.Role == "":
		return ""
	case r.PathValue("ns") != "":
		return words.T("problem.may_edit", nil)
	case actor.Platform():
		return words.T("problem.may_operate", nil)
	default:
		return words.T("problem.may_read_platform", nil)
	}
}

// signInPath is the sign-in that comes back to where the request was.
func signInPath(r *http.Request) string {
	next := r.URL.RequestURI()
	if htmx(r) {
		if at, err := url.Parse(r.Header.Get("HX-Current-URL")); err == nil && at.Path != "" {
			next = at.RequestURI()
		}
	} else if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "/login"
	}
	if next = localPath(next, "/"); next == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {next}}.Encode()
}

// refusedStatus of a form: 422, but 409 for what is not wrong in itself and clashes with what is stored.
func refusedStatus(faults fleet.FieldErrors) int {
	if refusalStatus(faults) == http.StatusConflict {
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}
