package web

import "net/http"

// Who may call a route, as far as the route alone decides. What depends on the object (whose namespace it is,
// whether an editor is needed) is control's to decide: somebody else's is 404 there, before a role is asked.
type Who int

// The zero value is no rule: a route that has none fails a test, and New.
const (
	noRule Who = iota
	// Public: anyone, signed in or not.
	Public
	// SignedIn: any account, reading or writing its own things.
	SignedIn
	// Tenant: what belongs to a tenant: its own people, and the platform's. Support may GET and nothing else.
	Tenant
	// Operator: operators; support may GET and nothing else. Anybody else is told 403.
	Operator
	// Agent: a node, by its credential.
	Agent
)

// Route is one line of the table.
type Route struct {
	Method  string
	Path    string
	Who     Who
	Handler http.HandlerFunc
	// Kind says how the request is treated on the way; the zero value is an ordinary request.
	Kind Kind
}

// Kind of a route.
type Kind int

// Ordinary requests have deadlines and a bound. A Stream answers late or bit by bit: it has a bound of its own
// and ends when the server stops. A Probe has no bound: health must be seen when all else is full.
const (
	Ordinary Kind = iota
	Stream
	Probe
)

// middleware wraps a handler.
type middleware func(http.Handler) http.Handler

// chain wraps h so that the first of m sees the request first.
func chain(h http.Handler, m ...middleware) http.Handler {
	for i := len(m) - 1; i >= 0; i-- {
		h = m[i](h)
	}
	return h
}
