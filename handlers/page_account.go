package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// Account is GET /account.
func (p *Pages) Account(w http.ResponseWriter, r *http.Request) {
	p.account(w, r, http.StatusOK, views.AccountPage{})
}

// account shows the page with the tokens that the actor may manage.
func (p *Pages) account(w http.ResponseWriter, r *http.Request, status int, page views.AccountPage) {
	actor := control.ActorFrom(r.Context())
	chrome, err := p.chrome(w, r, views.SectionAccount)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	page.Chrome = chrome
	if page.MayIssue = chrome.Who.Edits(); page.MayIssue {
		tokens, err := p.Control.Tokens(r.Context(), actor, actor.Tenant, fleet.ListOptions{Limit: rowsPerPage})
		if err != nil {
			p.fail(w, r, err)
			return
		}
		page.Tokens = tokens.Items
		page.Roles = []fleet.Role{fleet.RoleEditor, fleet.RoleViewer}
		if actor.Platform() {
			page.Roles = []fleet.Role{fleet.RoleOperator, fleet.RoleSupport}
		}
	}
	p.render(w, r, status, views.Account(page))
}

// ChangePassword is POST /account/password: current, password. The other sessions end; this one goes on.
func (p *Pages) ChangePassword(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	user, faults, err := p.Control.ChangePassword(r.Context(), control.ActorFrom(r.Context()), r.PostForm.Get("current"), r.PostForm.Get("password"))
	switch {
	case err != nil:
		p.fail(w, r, err)
		return
	case len(faults) > 0:
		words := p.words(r)
		refusals := views.RefusalsOf(words, faults, func(field string) string {
			if field == "newPassword" {
				return "password"
			}
			return "current"
		})
		for i, f := range faults {
			if f.Code == fleet.CodeSignInFailed {
				refusals[i].Message = words.T("account.password_wrong", nil)
			}
		}
		p.account(w, r, http.StatusUnprocessableEntity, views.AccountPage{Refusals: refusals})
		return
	}
	if err := p.Sessions.SignIn(r.Context(), user); err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, "/account", "account.password_changed", nil)
}

// EndSessions is POST /account/sessions/revoke: this session ends too.
func (p *Pages) EndSessions(w http.ResponseWriter, r *http.Request) {
	if err := p.Control.EndSessions(r.Context(), control.ActorFrom(r.Context())); err != nil {
		p.fail(w, r, err)
		return
	}
	p.SignOut(w, r)
}

// CreateToken is POST /account/tokens: name, role, expiresIn. The answer is the page itself, with the secret: it
// is shown this once, so there is nothing to go to.
func (p *Pages) CreateToken(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	actor := control.ActorFrom(r.Context())
	page := views.AccountPage{TokenName: r.PostForm.Get("name"), Role: r.PostForm.Get("role"), ExpiresIn: r.PostForm.Get("expiresIn")}
	values := map[string]any{"name": page.TokenName, "role": page.Role}
	if page.ExpiresIn != "" {
		values["expiresIn"] = page.ExpiresIn
	}
	written, faults, err := p.Control.CreateToken(r.Context(), actor, actor.Tenant, formBody[control.NewToken](values), control.WriteOptions{})
	switch {
	case err != nil:
		p.fail(w, r, err)
	case len(faults) > 0:
		inputs := map[string]string{"name": "token-name", "role": "role", "expiresIn": "expires"}
		page.Refusals = views.RefusalsOf(p.words(r), faults, func(field string) string { return inputs[field] })
		p.account(w, r, refusedStatus(faults), page)
	default:
		p.account(w, r, http.StatusOK, views.AccountPage{Secret: written.Object.Secret})
	}
}

// DeleteToken is POST /account/tokens/{id}/delete.
func (p *Pages) DeleteToken(w http.ResponseWriter, r *http.Request) {
	actor := control.ActorFrom(r.Context())
	if _, _, err := p.Control.DeleteToken(r.Context(), actor, actor.Tenant, r.PathValue("id"), control.WriteOptions{}); err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, "/account", "account.token_deleted", nil)
}
