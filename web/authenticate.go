package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
)

// identifier says who is asking. It is asked on every request, so that a revoked token, a changed role or an
// ended session bites at once.
type identifier interface {
	Authenticate(ctx context.Context, bearer, address string) (control.Actor, error)
	AuthenticateAgent(ctx context.Context, bearer, address string) (control.Agent, error)
	ActorOf(ctx context.Context, userID string, epoch int64, address string) (control.Actor, error)
}

// gate lets a request through to its handler, or not.
type gate struct {
	identify identifier
	sessions *sessions
	refuse   refuser
	logger   *slog.Logger
}

// admit holds a request to its route's rule. Under /api a bearer token decides alone where one is sent: a bad
// one is 401 even beside a good cookie. Without one the session's cookie counts, for the calls of our own pages.
// Pages know the cookie alone.
func (g gate) admit(who Who) middleware {
	return func(next http.Handler) http.Handler {
		if who == Agent {
			return g.admitAgent(next)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, actor, err := g.actor(w, r)
			switch {
			case err == nil:
				ctx = control.WithActor(ctx, actor)
				noteActor(w, actor.Name)
			case !errors.Is(err, control.ErrUnauthenticated):
				broken(w, r, err, g.refuse, g.logger)
				return
			case who != Public:
				g.unauthenticated(w, r)
				return
			}
			if !allowed(who, r.Method, actor.Role) {
				g.refuse(w, r.WithContext(ctx), http.StatusForbidden, fleet.CodeForbidden)
				return
			}
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// refuseKnown refuses what no route was found for. A page of somebody signed in keeps what stands around every page:
// the side bar, the account and the way out.
func (g gate) refuseKnown(w http.ResponseWriter, r *http.Request, status int, code fleet.Code) {
	if !isAPI(r) {
		// Where nobody is known, or it cannot be found out, the page says the same without it.
		if ctx, actor, err := g.actor(w, r); err == nil {
			r = r.WithContext(control.WithActor(ctx, actor))
		}
	}
	g.refuse(w, r, status, code)
}

// actor finds who is asking; control.ErrUnauthenticated where nobody known is. The context holds the session
// then as well: the sign-in page begins one.
func (g gate) actor(w http.ResponseWriter, r *http.Request) (context.Context, control.Actor, error) {
	if header := r.Header.Get("Authorization"); isAPI(r) && header != "" {
		token, ok := bearer(header)
		if !ok {
			return r.Context(), control.Actor{}, control.ErrUnauthenticated
		}
		actor, err := g.identify.Authenticate(r.Context(), token, remoteHost(r))
		return r.Context(), actor, err
	}
	ctx, err := g.sessions.load(w, r)
	if err != nil {
		return r.Context(), control.Actor{}, err
	}
	user, epoch, ok, err := g.sessions.signedIn(ctx)
	if err != nil {
		return ctx, control.Actor{}, err
	}
	if !ok {
		return ctx, control.Actor{}, control.ErrUnauthenticated
	}
	actor, err := g.identify.ActorOf(ctx, user, epoch, remoteHost(r))
	if errors.Is(err, control.ErrUnauthenticated) {
		// The user is gone or signed out everywhere: the session is worth nothing any more.
		if err := g.sessions.SignOut(ctx); err != nil {
			return ctx, control.Actor{}, err
		}
	}
	return ctx, actor, err
}

// allowed is the part of "who may do what" that a route decides: reading what is the operators' alone. A write
// goes on to control, whose table refuses it all the same and writes the attempt into the audit (a test asks
// every such route in every role).
func allowed(who Who, method string, role fleet.Role) bool {
	if who != Operator || method != http.MethodGet && method != http.MethodHead {
		return true
	}
	return role.Platform()
}

// admitAgent takes a node's credential and nothing else.
func (g gate) admitAgent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := bearer(r.Header.Get("Authorization"))
		if !ok {
			g.unauthenticated(w, r)
			return
		}
		agent, err := g.identify.AuthenticateAgent(r.Context(), token, remoteHost(r))
		switch {
		case err == nil:
			noteActor(w, "node "+agent.Node)
			next.ServeHTTP(w, r.WithContext(control.WithAgent(r.Context(), agent)))
		case errors.Is(err, control.ErrUnauthenticated):
			g.unauthenticated(w, r)
		case errors.Is(err, control.ErrForbidden):
			g.refuse(w, r, http.StatusForbidden, fleet.CodeForbidden)
		default:
			broken(w, r, err, g.refuse, g.logger)
		}
	})
}

// unauthenticated tells a program 401; a person is sent to the sign-in page, see handlers.Pages.Refuse.
func (g gate) unauthenticated(w http.ResponseWriter, r *http.Request) {
	if isAPI(r) {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	g.refuse(w, r, http.StatusUnauthorized, fleet.CodeUnauthenticated)
}

// challenge says how to authenticate (RFC 6750, 3).
const challenge = `Bearer realm="odysseus"`

// bearer takes the token out of an Authorization header (RFC 6750, 2.1).
func bearer(header string) (string, bool) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// noteActor leaves who was authenticated for the access log.
func noteActor(w http.ResponseWriter, name string) {
	if rec := recorderOf(w); rec != nil {
		rec.actor = name
	}
}
