package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"odysseus/control"
	"odysseus/views"
)

// LoginForm is GET /login.
func (p *Pages) LoginForm(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"), "/")
	if control.ActorFrom(r.Context()).Role != "" {
		redirect(w, r, next)
		return
	}
	p.login(w, r, http.StatusOK, views.LoginPage{Next: next})
}

// SignIn is POST /login: email, password, next.
func (p *Pages) SignIn(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	page := views.LoginPage{Email: r.PostForm.Get("email"), Next: localPath(r.PostForm.Get("next"), "/")}
	user, err := p.Control.SignIn(r.Context(), page.Email, r.PostForm.Get("password"), remoteHost(r))
	words := p.words(r)
	var tooMany *control.TooManyError
	switch {
	case err == nil:
	case errors.Is(err, control.ErrSignInFailed):
		page.Problem = words.T("login.failed", nil)
		p.login(w, r, http.StatusUnauthorized, page)
		return
	case errors.As(err, &tooMany):
		seconds := retrySeconds(tooMany.RetryAfter)
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		page.Problem = words.N("login.too_many", seconds, nil)
		p.login(w, r, http.StatusTooManyRequests, page)
		return
	default:
		p.fail(w, r, err)
		return
	}
	if err := p.Sessions.SignIn(r.Context(), user); err != nil {
		p.fail(w, r, err)
		return
	}
	redirect(w, r, page.Next)
}

func (p *Pages) login(w http.ResponseWriter, r *http.Request, status int, page views.LoginPage) {
	chrome, err := p.chrome(w, r, "")
	if err != nil {
		p.fail(w, r, err)
		return
	}
	page.Chrome = chrome
	p.render(w, r, status, views.Login(page))
}

// SignOut is POST /logout.
func (p *Pages) SignOut(w http.ResponseWriter, r *http.Request) {
	if err := p.Sessions.SignOut(r.Context()); err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, "/login", "login.signed_out", nil)
}

// SetupForm is GET /setup?token=SECRET: the first-run set-up, by the link that the control plane printed.
func (p *Pages) SetupForm(w http.ResponseWriter, r *http.Request) {
	open, err := p.Control.SetupOpen(r.Context())
	if err != nil {
		p.fail(w, r, err)
		return
	}
	token := r.URL.Query().Get("token")
	if !open || token == "" {
		p.setup(w, r, http.StatusNotFound, views.SetupPage{Closed: true})
		return
	}
	p.setup(w, r, http.StatusOK, views.SetupPage{Token: token})
}

// SetUp is POST /setup: token, email, password. It signs the new operator in.
func (p *Pages) SetUp(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	form := control.SetupForm{Secret: r.PostForm.Get("token"), Email: r.PostForm.Get("email"), Password: r.PostForm.Get("password")}
	user, faults, err := p.Control.SetUp(r.Context(), form, remoteHost(r))
	switch {
	case errors.Is(err, control.ErrUnauthenticated):
		p.setup(w, r, http.StatusNotFound, views.SetupPage{Closed: true})
		return
	case err != nil:
		p.fail(w, r, err)
		return
	case len(faults) > 0:
		refusals := views.RefusalsOf(p.words(r), faults, func(field string) string { return field })
		p.setup(w, r, refusedStatus(faults), views.SetupPage{Token: form.Secret, Email: form.Email, Refusals: refusals})
		return
	}
	if err := p.Sessions.SignIn(r.Context(), user); err != nil {
		p.fail(w, r, err)
		return
	}
	redirect(w, r, "/")
}

func (p *Pages) setup(w http.ResponseWriter, r *http.Request, status int, page views.SetupPage) {
	page.Chrome = views.Chrome{Theme: p.Cookies.Preferences(r).Theme, Languages: p.Words.Languages(), Path: "/setup"}
	w.Header().Set("Referrer-Policy", "no-referrer") // the address holds the secret
	p.render(w, r, status, views.Setup(page))
}

// Preferences is POST /preferences: lang, theme, next. One that is not sent stays as it is.
func (p *Pages) Preferences(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	chosen := p.Cookies.Preferences(r)
	if r.PostForm.Has("theme") {
		switch theme := r.PostForm.Get("theme"); theme {
		case "light", "dark":
			chosen.Theme = theme
		default:
			chosen.Theme = ""
		}
	}
	if r.PostForm.Has("lang") {
		chosen.Lang = ""
		for _, lang := range p.Words.Languages() {
			if lang == r.PostForm.Get("lang") {
				chosen.Lang = lang
			}
		}
	}
	if err := p.Cookies.PutPreferences(w, r, chosen); err != nil {
		p.fail(w, r, err)
		return
	}
	redirect(w, r, localPath(r.PostForm.Get("next"), "/"))
}
