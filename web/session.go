package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"

	"odysseus/fleet"
)

// How long a sign-in lasts: without a request, and however busy. Nothing extends the second.
const (
	sessionIdle     = 2 * time.Hour
	sessionAbsolute = 12 * time.Hour
	// sessionTouch is how old the mark of the last request may grow before it is written again. Written on each
	// request it would make every page a write transaction.
	sessionTouch = time.Minute
)

// Keys of a session's values. It holds who signed in and nothing of what they may do: that is asked anew on
// every request.
const (
	sessionUser  = "user"
	sessionEpoch = "epoch"
	sessionSince = "since"
	sessionSeen  = "seen"
)

// sessions keeps the signed-in state in the store, and its token, of which the store has the hash alone, in a
// cookie. It satisfies handlers.Sessions.
type sessions struct {
	manager *scs.SessionManager
	clock   func() time.Time
}

// cookieName has the __Host- prefix wherever cookies are Secure: a browser then takes it from this host alone,
// for all paths, over TLS alone.
func cookieName(name string, secure bool) string {
	if secure {
		return "__Host-" + name
	}
	return name
}

func newSessions(store scs.Store, secure bool, clock func() time.Time) *sessions {
	m := scs.New()
	m.Store = store
	m.Codec = sessionCodec{}
	m.HashTokenInStore = true
	m.Lifetime = sessionAbsolute
	// IdleTimeout stays off: scs would write the session at each request. See valid.
	m.Cookie.Name = cookieName("odysseus", secure)
	m.Cookie.Secure = secure
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Path = "/"
	// The browser forgets it when it closes.
	m.Cookie.Persist = false
	return &sessions{manager: m, clock: clock}
}

// answerKey finds the answer that a session's cookie goes into.
type answerKey struct{}

// load reads the request's session, if it has one, into the context. Without a cookie nothing is asked of the
// store.
func (s *sessions) load(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	token := ""
	if cookie, err := r.Cookie(s.manager.Cookie.Name); err == nil {
		token = cookie.Value
	}
	ctx, err := s.manager.Load(r.Context(), token)
	if err != nil {
		return nil, fmt.Errorf("load session: %w", err)
	}
	return context.WithValue(ctx, answerKey{}, w), nil
}

// SignIn begins a session for u. Its token is new, so that one which a stranger planted is worthless.
func (s *sessions) SignIn(ctx context.Context, u fleet.User) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	now := stamp(s.clock())
	s.manager.Put(ctx, sessionUser, u.ID)
	s.manager.Put(ctx, sessionEpoch, strconv.FormatInt(u.SessionEpoch, 10))
	s.manager.Put(ctx, sessionSince, now)
	s.manager.Put(ctx, sessionSeen, now)
	return s.commit(ctx)
}

// SignOut destroys the session in the store, so that a copy of its cookie is worthless too.
func (s *sessions) SignOut(ctx context.Context) error {
	if s.manager.Token(ctx) == "" {
		return nil
	}
	if err := s.manager.Destroy(ctx); err != nil {
		return fmt.Errorf("destroy session: %w", err)
	}
	w, err := answerOf(ctx)
	if err != nil {
		return err
	}
	s.setCookie(ctx, w, "", time.Time{})
	return nil
}

// setCookie sets it once an answer: a sign-in may follow the end of an older session.
func (s *sessions) setCookie(ctx context.Context, w http.ResponseWriter, token string, expiry time.Time) {
	dropCookie(w.Header(), s.manager.Cookie.Name)
	s.manager.WriteSessionCookie(ctx, w, token, expiry)
	w.Header().Set("Cache-Control", "no-store") // stronger than what scs adds
}

// signedIn answers whose session it is, and false where there is none or it has lasted too long. The limits go
// by our clock; the store's own expiry only clears the rows.
func (s *sessions) signedIn(ctx context.Context) (userID string, epoch int64, ok bool, err error) {
	userID = s.manager.GetString(ctx, sessionUser)
	if userID == "" {
		return "", 0, false, nil
	}
	epoch, epochErr := strconv.ParseInt(s.manager.GetString(ctx, sessionEpoch), 10, 64)
	since, sinceErr := readStamp(s.manager.GetString(ctx, sessionSince))
	seen, seenErr := readStamp(s.manager.GetString(ctx, sessionSeen))
	now := s.clock()
	if epochErr != nil || sinceErr != nil || seenErr != nil || expired(now, since, sessionAbsolute) || expired(now, seen, sessionIdle) {
		return "", 0, false, s.SignOut(ctx)
	}
	if expired(now, seen, sessionTouch) {
		s.manager.Put(ctx, sessionSeen, stamp(now))
		if _, _, err := s.manager.Commit(ctx); err != nil {
			return "", 0, false, fmt.Errorf("touch session: %w", err)
		}
	}
	return userID, epoch, true, nil
}

// expired counts both ways: a clock that was set back must not lengthen a session by years.
func expired(now, from time.Time, limit time.Duration) bool {
	return now.Sub(from).Abs() > limit
}

func (s *sessions) commit(ctx context.Context) error {
	w, err := answerOf(ctx)
	if err != nil {
		return err
	}
	token, expiry, err := s.manager.Commit(ctx)
	if err != nil {
		return fmt.Errorf("store session: %w", err)
	}
	s.setCookie(ctx, w, token, expiry)
	return nil
}

func answerOf(ctx context.Context) (http.ResponseWriter, error) {
	w, ok := ctx.Value(answerKey{}).(http.ResponseWriter)
	if !ok {
		return nil, errors.New("write session cookie: the context is of no request with a session")
	}
	return w, nil
}

func stamp(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func readStamp(text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(0, n), err
}
