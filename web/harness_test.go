package web

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/scs/sqlite3store"
	"github.com/alexedwards/scs/v2"
	_ "modernc.org/sqlite"

	"odysseus/control"
	"odysseus/fleet"
)

// people is who the tests' tokens and sessions belong to.
type people struct {
	mu     sync.Mutex
	tokens map[string]control.Actor
	agents map[string]control.Agent
	users  map[string]user
	err    error // what every look-up answers, when set
}

type user struct {
	actor control.Actor
	epoch int64
}

func (p *people) Authenticate(_ context.Context, bearer, address string) (control.Actor, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.tokens[bearer]
	if p.err != nil || !ok {
		return control.Actor{}, orUnauthenticated(p.err)
	}
	a.Address = address
	return a, nil
}

func (p *people) AuthenticateAgent(_ context.Context, bearer, address string) (control.Agent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, token := p.tokens[bearer]; token {
		return control.Agent{}, control.ErrForbidden
	}
	a, ok := p.agents[bearer]
	if p.err != nil || !ok {
		return control.Agent{}, orUnauthenticated(p.err)
	}
	a.Address = address
	return a, nil
}

func (p *people) ActorOf(_ context.Context, id string, epoch int64, address string) (control.Actor, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, ok := p.users[id]
	if p.err != nil || !ok || u.epoch != epoch {
		return control.Actor{}, orUnauthenticated(p.err)
	}
	u.actor.Address = address
	return u.actor, nil
}

func (p *people) with(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func orUnauthenticated(err error) error {
	if err == nil {
		return control.ErrUnauthenticated
	}
	return err
}

func everyone() *people {
	return &people{
		tokens: map[string]control.Actor{
			"operator": {Name: "token operator", Role: fleet.RoleOperator},
			"support":  {Name: "token support", Role: fleet.RoleSupport},
			"editor":   {Name: "token editor", Role: fleet.RoleEditor, Tenant: "demo"},
			"viewer":   {Name: "token viewer", Role: fleet.RoleViewer, Tenant: "demo"},
		},
		agents: map[string]control.Agent{"node-a": {Node: "a"}},
		users: map[string]user{
			"u1": {control.Actor{Name: "ann@example.com", UserID: "u1", Role: fleet.RoleEditor, Tenant: "demo"}, 1},
		},
	}
}

// clock is set by the test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// log keeps what the server logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// server is one that runs on a real socket.
type server struct {
	*Server
	url      string
	people   *people
	clock    *clock
	log      *log
	sessions *sessions
	cookies  *cookies
	store    scs.Store
	stop     func() error // stops it and answers what Run did
}

// refuseInCodes is what the tests of the middleware see of a refusal; the real one is tested with the table.
func refuseInCodes(w http.ResponseWriter, _ *http.Request, status int, code fleet.Code) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, string(code))
}

// start serves routes, given what they may use of the server.
func start(t *testing.T, t0 timeouts, routes func(*server) []Route) *server {
	t.Helper()
	s := &server{people: everyone(), clock: newClock(), log: &log{}, store: sessionStore(t)}
	o := Options{
		Listen: "127.0.0.1:0", Sessions: s.store, Secret: bytes.Repeat([]byte("s"), 32), Metrics: NewMetrics(),
		Clock: s.clock.Now, Logger: slog.New(slog.NewTextHandler(s.log, nil)), DrainDelay: time.Millisecond,
	}
	s.Server = newServer(o, t0)
	s.sessions = newSessions(o.Sessions, false, o.Clock)
	cookies, err := newCookies(o.Secret, false)
	if err != nil {
		t.Fatal(err)
	}
	s.cookies = cookies
	s.handler, err = s.serve(routes(s), gate{identify: s.people, sessions: s.sessions, refuse: refuseInCodes, logger: o.Logger})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx, listener) }()
	s.stop = sync.OnceValue(func() error { cancel(); return <-ran })
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sessionStore is the store of production on a database of its own.
func sessionStore(t *testing.T) scs.Store {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec("CREATE TABLE sessions (token TEXT PRIMARY KEY, data BLOB NOT NULL, expiry REAL NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	return sqlite3store.NewWithCleanupInterval(db, 0)
}

// client follows no redirect.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// answer is a response that was read to its end.
type answer struct {
	*http.Response
	body string
}

// ask sends one request; headers are "Name: value".
func (s *server) ask(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return send(t, r)
}

func send(t *testing.T, r *http.Request) answer {
	t.Helper()
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(text)}
}

// raw sends bytes that no client library would, and answers all that comes back.
func (s *server) raw(t *testing.T, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func ok(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") }

func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
