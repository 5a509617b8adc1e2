package handlers

import (
	"context"
	"net/http"

	"odysseus/fleet"
)

// Sessions is the signed-in state of a browser: server-side and revocable. Package web keeps it; the middleware
// there has loaded it into the context.
type Sessions interface {
	// SignIn renews the session's token, so that one known from before is worthless, and remembers the user and
	// its SessionEpoch.
	SignIn(ctx context.Context, u fleet.User) error
	// SignOut destroys the session. Without one it does nothing.
	SignOut(ctx context.Context) error
}

// Cookies keeps what needs no state on the server. Nothing in it grants anything.
type Cookies interface {
	// PutFlash leaves a message for the next page that this browser is shown.
	PutFlash(w http.ResponseWriter, r *http.Request, f Flash) error
	// TakeFlash answers the message and removes it; the zero Flash where there is none.
	TakeFlash(w http.ResponseWriter, r *http.Request) Flash
	// Preferences answers the zero Preferences where none were chosen.
	Preferences(r *http.Request) Preferences
	PutPreferences(w http.ResponseWriter, r *http.Request, p Preferences) error
}

// Flash is a message for the next page: a key of the catalogue, so that it is worded in the language of that page.
type Flash struct {
	Key  string
	Args map[string]string
}

// Preferences are chosen by the person, not by the browser.
type Preferences struct {
	Lang  string // a tag of the catalogue; empty: what the browser asks for
	Theme string // light or dark; empty: what the system has
}
