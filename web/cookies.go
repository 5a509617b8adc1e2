package web

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	gorilla "github.com/gorilla/sessions"

	"odysseus/handlers"
)

// cookies keeps what needs no state on the server in one signed and encrypted cookie. Nothing in it grants
// anything. It satisfies handlers.Cookies.
type cookies struct {
	store *gorilla.CookieStore
	name  string
}

// preferencesLast is how long a chosen language or theme is remembered.
const preferencesLast = 365 * 24 * time.Hour

// Keys of the cookie's values.
const (
	cookieFlash = "flash"
	cookieLang  = "lang"
	cookieTheme = "theme"
)

// newCookies derives the signing and the encryption key from secret, each for its own use.
func newCookies(secret []byte, secure bool) (*cookies, error) {
	sign, err := hkdf.Key(sha256.New, secret, nil, "odysseus preferences cookie: sign", 32)
	if err != nil {
		return nil, fmt.Errorf("derive signing key: %w", err)
	}
	encrypt, err := hkdf.Key(sha256.New, secret, nil, "odysseus preferences cookie: encrypt", 32)
	if err != nil {
		return nil, fmt.Errorf("derive encryption key: %w", err)
	}
	store := gorilla.NewCookieStore(sign, encrypt)
	// gorilla's own defaults are SameSite=None and readable by scripts.
	store.Options = &gorilla.Options{Path: "/", Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	store.MaxAge(int(preferencesLast.Seconds()))
	return &cookies{store: store, name: cookieName("odysseus-preferences", secure)}, nil
}

// PutFlash leaves a message for the next page.
func (c *cookies) PutFlash(w http.ResponseWriter, r *http.Request, f handlers.Flash) error {
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode flash: %w", err)
	}
	return c.put(w, r, map[string]string{cookieFlash: string(text)})
}

// TakeFlash answers the message and takes it out of the cookie. One that cannot be read is none.
func (c *cookies) TakeFlash(w http.ResponseWriter, r *http.Request) handlers.Flash {
	text := c.get(r, cookieFlash)
	if text == "" {
		return handlers.Flash{}
	}
	var f handlers.Flash
	if json.Unmarshal([]byte(text), &f) != nil || c.put(w, r, map[string]string{cookieFlash: ""}) != nil {
		return handlers.Flash{}
	}
	return f
}

// Preferences that this browser's person chose.
func (c *cookies) Preferences(r *http.Request) handlers.Preferences {
	return handlers.Preferences{Lang: c.get(r, cookieLang), Theme: c.get(r, cookieTheme)}
}

// PutPreferences remembers them.
func (c *cookies) PutPreferences(w http.ResponseWriter, r *http.Request, p handlers.Preferences) error {
	return c.put(w, r, map[string]string{cookieLang: p.Lang, cookieTheme: p.Theme})
}

// get reads one value. A cookie that was tampered with, or of another secret, counts as none.
func (c *cookies) get(r *http.Request, key string) string {
	if _, err := r.Cookie(c.name); err != nil {
		return ""
	}
	session, err := c.store.Get(r, c.name)
	if err != nil {
		return ""
	}
	text, _ := session.Values[key].(string)
	return text
}

// put changes some values and keeps the others. The session of gorilla is one a request: a second put in the
// same request adds to the first.
func (c *cookies) put(w http.ResponseWriter, r *http.Request, values map[string]string) error {
	// An error means that the cookie which came is unreadable; the session is a new one then.
	session, _ := c.store.Get(r, c.name)
	for key, value := range values {
		if value == "" {
			delete(session.Values, key)
		} else {
			session.Values[key] = value
		}
	}
	dropCookie(w.Header(), c.name)
	if err := session.Save(r, w); err != nil {
		return fmt.Errorf("write preferences cookie: %w", err)
	}
	return nil
}

// dropCookie takes an earlier Set-Cookie of that name out: an answer sets a cookie once (RFC 6265, 4.1.1).
func dropCookie(h http.Header, name string) {
	kept := h["Set-Cookie"][:0:0]
	for _, line := range h["Set-Cookie"] {
		if cookie, err := http.ParseSetCookie(line); err != nil || cookie.Name != name {
			kept = append(kept, line)
		}
	}
	if len(kept) == 0 {
		h.Del("Set-Cookie")
		return
	}
	h["Set-Cookie"] = kept
}
