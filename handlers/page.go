package handlers

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
	"odysseus/views/locale"
)

// PagesDeps are everything that Pages works with. All are required.
type PagesDeps struct {
	Control  *control.Control
	Words    *locale.Catalogue
	Sessions Sessions
	Cookies  Cookies
	Now      control.Clock
	Logger   *slog.Logger
}

// Pages answers the console's HTML. Path values are ns, name, node and id; who is asking stands in the context.
//
// A method decodes, calls control, and renders one page or answers 303 after a POST. Everything works without
// JavaScript; htmx asks the same addresses and is answered the part that it swaps.
type Pages struct{ PagesDeps }

// NewPages makes the console's pages.
func NewPages(d PagesDeps) *Pages { return &Pages{d} }

// words in the language that the person chose, or that the browser asks for.
func (p *Pages) words(r *http.Request) *locale.Words {
	return p.Words.Words(p.Cookies.Preferences(r).Lang, r.Header.Get("Accept-Language"))
}

// namespacesShown is how many namespaces the navigation offers.
const namespacesShown = 100

// chrome is what stands around a page. It takes the message that the page before left, so it is made once a page.
func (p *Pages) chrome(w http.ResponseWriter, r *http.Request, section views.Section) (views.Chrome, error) {
	actor := control.ActorFrom(r.Context())
	words := p.words(r)
	c := views.Chrome{
		Path:      r.URL.RequestURI(),
		Section:   section,
		Namespace: r.PathValue("ns"),
		Who:       views.Who{Name: actor.Name, Role: actor.Role, Tenant: actor.Tenant},
		Theme:     p.Cookies.Preferences(r).Theme,
		Languages: p.Words.Languages(),
		Origin:    origin(r),
		Simulated: p.Control.Simulated(actor),
	}
	if r.Method != http.MethodGet {
		c.Path = "/" // there is no coming back to the answer of a POST
	}
	if !partial(r) {
		if flash := p.Cookies.TakeFlash(w, r); flash.Key != "" && words.Has(flash.Key) {
			c.Flash = words.T(flash.Key, flash.Args)
		}
	}
	if actor.Tenant != "" {
		namespaces, err := p.Control.OwnNamespaces(r.Context(), actor, fleet.ListOptions{Limit: namespacesShown})
		if err != nil {
			return c, err
		}
		for _, ns := range namespaces.Items {
			c.Who.Namespaces = append(c.Who.Namespaces, ns.Name)
		}
	}
	return c, nil
}

// origin is the address that the reader's browser was given. Behind a proxy that ends TLS only a host that is no loopback
// tells that it was HTTPS: the control plane serves nothing else in the clear.
func origin(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); r.TLS == nil && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// done leaves a message for the next page and goes there: what every accepted POST ends with.
func (p *Pages) done(w http.ResponseWriter, r *http.Request, to, key string, args map[string]string) {
	if err := p.Cookies.PutFlash(w, r, Flash{Key: key, Args: args}); err != nil {
		// The act is done; that the next page does not say so is no reason to call it failed.
		p.Logger.WarnContext(r.Context(), "leave a message for the next page", slog.Any("error", err))
	}
	redirect(w, r, to)
}

// form reads the body's fields; false where it could not be read, which has been answered then.
func (p *Pages) form(w http.ResponseWriter, r *http.Request) bool {
	err := r.ParseForm()
	if err == nil {
		return true
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		p.Refuse(w, r, http.StatusRequestEntityTooLarge, fleet.CodeBodyTooLarge)
	} else {
		p.refuse(w, r, http.StatusBadRequest, fleet.FieldError{Code: fleet.CodeNotAccepted, Value: r.Header.Get("Content-Type"), Want: "form"})
	}
	return false
}

// remoteHost is the address that a request came from, without the port.
func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// localPath answers next where it leads to a page of this console, and fallback where it could lead elsewhere: a
// link to the sign-in must not send people to another site.
func localPath(next, fallback string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\t\r\n\x00") {
		return fallback
	}
	for _, c := range next {
		if c < ' ' || c == 0x7f {
			return fallback
		}
	}
	return next
}
