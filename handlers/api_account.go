package handlers

import (
	"net/http"

	"odysseus/control"
)

// ListUsers answers GET /api/v1/tenants/{tenant}/users; without a tenant in the path, /api/v1/users: the platform's.
func (a *API) ListUsers(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Users(r.Context(), actor(r), r.PathValue("tenant"), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, userObject)
}

// CreateUser answers POST …/users.
func (a *API) CreateUser(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.NewUser](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateUser(r.Context(), actor(r), r.PathValue("tenant"), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, true, o.DryRun, "", writtenJSON{Object: userObject(done.Object), ID: done.Object.ID})
}

// DeleteUser answers DELETE …/users/{id}.
func (a *API) DeleteUser(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteUser(r.Context(), actor(r), r.PathValue("tenant"), r.PathValue("id"), o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, false, o.DryRun, "", writtenJSON{Object: userObject(done.Object)})
}

// ListTokens answers GET /api/v1/tenants/{tenant}/tokens; without a tenant in the path, /api/v1/tokens: the
// platform's. Secrets are not among what is known of a token.
func (a *API) ListTokens(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Tokens(r.Context(), actor(r), r.PathValue("tenant"), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, tokenObject)
}

// CreateToken answers POST …/tokens with the secret, this once: in the object and, as `{"id","token"}`, beside it.
func (a *API) CreateToken(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.NewToken](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.CreateToken(r.Context(), actor(r), r.PathValue("tenant"), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	object := tokenObject(done.Object.Token)
	if o.DryRun {
		object.ID = "" // nothing was issued: neither the id nor the secret would ever be worth anything
		a.written(w, true, true, "", writtenJSON{Object: object})
		return
	}
	object.Token = done.Object.Secret
	a.written(w, true, false, "", writtenJSON{Object: object, ID: object.ID, Token: object.Token})
}

// DeleteToken answers DELETE …/tokens/{id}.
func (a *API) DeleteToken(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.DeleteToken(r.Context(), actor(r), r.PathValue("tenant"), r.PathValue("id"), o)
	if a.refused(w, r, faults, err) {
		return
	}
	a.written(w, false, o.DryRun, "", writtenJSON{Object: tokenObject(done.Object)})
}
