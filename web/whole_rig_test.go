package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/scs/sqlite3store"

	"odysseus/control"
	"odysseus/db"
	"odysseus/fleet"
	"odysseus/scheduler"
	"odysseus/views/locale"
)

// whole is a control plane with everything real but the agents: database, scheduler, control, handlers, sockets.
type whole struct {
	*server
	t      *testing.T
	db     *db.DB
	placer *scheduler.Scheduler
	// by who it is: none, operator, support, editor, viewer (of the tenant demo), stranger (editor of another
	// tenant), agent.
	tokens  map[string]string
	cookies map[string]string
	ids     map[string]string // of a token and a user of demo, and of the platform
}

// listener wakes the long polls and leaves the pages be.
type listener struct{ *control.Hub }

func (listener) DeploymentsChanged([]fleet.Ref) {}

const testPassword = "correct horse battery staple"

// manifest is a deployment that one node can hold.
const manifest = `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":%q},"spec":{"image":"registry.example.com/web:1","placement":{"residency":{"country":"CA"}}}}`

// startWhole starts one with two tenants, their people and tokens, a cluster, a node and a deployment each.
func startWhole(t *testing.T) *whole {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	store, err := db.Open(ctx, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := &log{}
	logger := slog.New(slog.NewTextHandler(text, nil))
	words, err := locale.New(locale.OnMissing(func(key string) { logger.Error("no words", "key", key) }))
	if err != nil {
		t.Fatal(err)
	}
	hub := control.NewHub()
	placer := scheduler.New(scheduler.Options{Store: store, Listener: listener{hub}, Logger: logger, Lease: time.Hour})
	var lastID atomic.Int64
	plane := control.New(control.Deps{
		Store: control.StoreOf(store.View, store.Update), Scheduler: placer, Fleet: placer, Now: time.Now, Random: rand.Reader,
		NewID: func() string { return fmt.Sprintf("id-%d", lastID.Add(1)) }, Logger: logger, Hub: hub, HeartbeatSeconds: 10, LeaseSeconds: 40,
	})
	if err := placer.Start(ctx); err != nil {
		t.Fatal(err)
	}
	w := &whole{t: t, db: store, placer: placer, tokens: map[string]string{"none": "", "operator": "operator-token-of-the-tests"}, cookies: map[string]string{"none": ""}, ids: map[string]string{}}
	if _, faults, err := plane.Bootstrap(ctx, control.Bootstrap{Operator: "operator@example.com", Password: testPassword, Token: w.tokens["operator"]}); err != nil || len(faults) > 0 {
		t.Fatal(faults, err)
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{
		Listen: socket.Addr().String(), Control: plane, Words: words, Sessions: sqlite3store.NewWithCleanupInterval(store.Sessions(), 0),
		Secret: bytes.Repeat([]byte("s"), 32), Metrics: NewMetrics(), Ready: []Check{{"database", store.Ping}}, Clock: time.Now,
		Logger: logger, DrainDelay: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.server = &server{Server: s, url: "http://" + socket.Addr().String(), log: text}
	var parts sync.WaitGroup
	parts.Go(func() { _ = placer.Run(ctx) })
	parts.Go(func() {
		if err := s.Run(ctx, socket); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		parts.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if strings.Contains(text.String(), "level=ERROR") {
			t.Errorf("errors in the log: %s", text)
		}
	})
	w.populate()
	return w
}

func (w *whole) populate() {
	w.signIn("operator")
	w.create("/api/v1/tenants", `{"name":"demo"}`)
	w.create("/api/v1/tenants", `{"name":"other"}`)
	for name, at := range map[string]struct{ people, role string }{
		"support": {"/api/v1", "support"}, "editor": {"/api/v1/tenants/demo", "editor"},
		"viewer": {"/api/v1/tenants/demo", "viewer"}, "stranger": {"/api/v1/tenants/other", "editor"},
	} {
		user := w.create(at.people+"/users", fmt.Sprintf(`{"email":"%s@example.com","password":%q,"role":%q}`, name, testPassword, at.role))
		token := w.create(at.people+"/tokens", fmt.Sprintf(`{"name":%q,"role":%q,"expiresIn":"1h"}`, name, at.role))
		w.tokens[name], w.ids[name+" token"], w.ids[name+" user"] = token["token"].(string), token["id"].(string), user["id"].(string)
		w.signIn(name)
	}
	w.create("/api/v1/clusters", `{"name":"c1","runtime":"agents","tenants":["*"]}`)
	enrolment := w.create("/api/v1/clusters/c1/enrolment-tokens", `{"expiresIn":"1h"}`)
	agent := w.create("/api/v1/agents/enrol", fmt.Sprintf(
		`{"token":%q,"name":"n1","cluster":"c1","labels":{"odysseus.io/country":"CA"},"capacity":{"cpu":"8","memory":"8Gi","containers":100}}`, enrolment["token"]))
	w.tokens["agent"] = agent["credential"].(string)
	w.create("/api/v1/namespaces/demo/deployments", fmt.Sprintf(manifest, "web"))
	w.create("/api/v1/namespaces/other/deployments", fmt.Sprintf(manifest, "theirs"))
	policy := `{"apiVersion":"policy.karmada.io/v1alpha1","kind":%q,"metadata":{"name":%q},"spec":{"placement":{}}}`
	w.create("/api/v1/namespaces/demo/propagationpolicies", fmt.Sprintf(policy, fleet.KindPropagationPolicy, "web"))
	w.create("/api/v1/namespaces/other/propagationpolicies", fmt.Sprintf(policy, fleet.KindPropagationPolicy, "theirs"))
	w.create("/api/v1/clusterpropagationpolicies", fmt.Sprintf(policy, fleet.KindClusterPropagationPolicy, "web"))
	override := `{"apiVersion":"policy.karmada.io/v1alpha1","kind":%q,"metadata":{"name":%q},"spec":{"resourceSelectors":[{"apiVersion":"v1","kind":"ConfigMap"}],` +
		`"overrideRules":[{"overriders":{"plaintext":[{"path":"/data","operator":"remove"}]}}]}}`
	w.create("/api/v1/namespaces/demo/overridepolicies", fmt.Sprintf(override, fleet.KindOverridePolicy, "web"))
	w.create("/api/v1/namespaces/other/overridepolicies", fmt.Sprintf(override, fleet.KindOverridePolicy, "theirs"))
	w.create("/api/v1/clusteroverridepolicies", fmt.Sprintf(override, fleet.KindClusterOverridePolicy, "web"))
	resource := `{"apiVersion":%q,"kind":%q,"metadata":{"name":%q}}`
	w.create("/api/v1/namespaces/demo/resources", fmt.Sprintf(resource, "v1", "ConfigMap", "web"))
	w.create("/api/v1/namespaces/other/resources", fmt.Sprintf(resource, "v1", "ConfigMap", "theirs"))
	w.create("/api/v1/resources", fmt.Sprintf(resource, "storage.k8s.io/v1", "StorageClass", "web"))
}

func (w *whole) create(path, body string) map[string]any {
	w.t.Helper()
	got := w.ask("operator", "POST", path, body)
	if got.StatusCode != http.StatusCreated && got.StatusCode != http.StatusOK {
		w.t.Fatalf("POST %s: %d %s", path, got.StatusCode, got.body)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(got.body), &object); err != nil {
		w.t.Fatal(err)
	}
	return object
}

func (w *whole) signIn(name string) {
	w.t.Helper()
	got := w.ask("none", "POST", "/login", url.Values{"email": {name + "@example.com"}, "password": {testPassword}}.Encode())
	if got.StatusCode != http.StatusSeeOther {
		w.t.Fatalf("sign in %s: %d %s", name, got.StatusCode, got.body)
	}
	for _, cookie := range got.Cookies() {
		if cookie.Name == "odysseus" {
			w.cookies[name] = cookie.Name + "=" + cookie.Value
		}
	}
}

// ask sends a request as who: by token under /api, by session elsewhere. Each answer is held to what all are.
func (w *whole) ask(who, method, path, body string, headers ...string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	api := strings.HasPrefix(path, "/api/")
	switch {
	case api && body != "":
		r.Header.Set("Content-Type", "application/json")
	case body != "":
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if api && w.tokens[who] != "" {
		r.Header.Set("Authorization", "Bearer "+w.tokens[who])
	} else if !api && w.cookies[who] != "" {
		r.Header.Set("Cookie", w.cookies[who])
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	got := send(w.t, r)
	w.holdAnswer(method+" "+path+" by "+who, got)
	return got
}

// holdAnswer checks what every answer of the server has, and what none has.
func (w *whole) holdAnswer(what string, got answer) {
	w.t.Helper()
	if got.Header.Get("Content-Security-Policy") != csp || got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		w.t.Errorf("%s: headers %v", what, got.Header)
	}
	if cache := got.Header.Get("Cache-Control"); !strings.HasPrefix(cache, "no-store") && !strings.Contains(what, " /static/") {
		w.t.Errorf("%s: Cache-Control %q", what, cache)
	}
	names := map[string]bool{}
	for _, cookie := range got.Cookies() {
		if names[cookie.Name] || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
			w.t.Errorf("%s: cookie %v", what, cookie)
		}
		names[cookie.Name] = true
	}
	if got.StatusCode >= 500 {
		w.t.Errorf("%s: %d %s", what, got.StatusCode, got.body)
	}
	if got.StatusCode >= 400 && got.Request.Method != http.MethodHead {
		api, mediaType := strings.HasPrefix(got.Request.URL.Path, "/api/"), got.Header.Get("Content-Type")
		if api && mediaType != "application/problem+json" || !api && !strings.HasPrefix(mediaType, "text/") {
			w.t.Errorf("%s: %d in %q", what, got.StatusCode, mediaType)
		}
		if id := got.Header.Get(RequestIDHeader); id == "" || strings.Contains(got.body, id) {
			w.t.Errorf("%s: the request id is missing, or stands in the body", what)
		}
	}
}

// path of a route with things that are there; replace gives other values for some segments.
func (w *whole) path(route Route, replace map[string]string) string {
	id := w.ids["support token"]
	switch route.Path {
	case "/api/v1/tenants/{tenant}/users/{id}":
		id = w.ids["viewer user"]
	case "/api/v1/tenants/{tenant}/tokens/{id}", "/account/tokens/{id}/delete":
		id = w.ids["viewer token"]
	case "/api/v1/users/{id}":
		id = w.ids["support user"]
	}
	values := map[string]string{"{ns}": "demo", "{name}": "web", "{tenant}": "demo", "{cluster}": "c1", "{node}": "n1", "{id}": id, "{$}": "", "{path...}": "x.css",
		"{kind}": fleet.KindPropagationPolicy}
	query, path := url.Values{"apiVersion": {"v1"}, "kind": {"ConfigMap"}}, route.Path
	if !strings.Contains(path, "{ns}") {
		values["{kind}"] = fleet.KindClusterPropagationPolicy
		query = url.Values{"apiVersion": {"storage.k8s.io/v1"}, "kind": {"StorageClass"}}
	}
	maps.Copy(values, replace)
	if strings.Contains(path, "/resources") {
		query.Set("name", values["{name}"]) // kinds are anybody's, so one is named by parameters
		path += "?" + query.Encode()
	}
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, name, value)
	}
	return strings.NewReplacer(pairs...).Replace(path)
}

func (w *whole) routes() []Route {
	return table(mounts{health: &health{}})
}

// digest of every row of every table: what a request changed.
func (w *whole) digest() string {
	w.t.Helper()
	rows, err := w.db.Sessions().QueryContext(w.t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	if err != nil {
		w.t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			w.t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range tables {
		rows, err := w.db.Sessions().QueryContext(w.t.Context(), `SELECT * FROM "`+name+`"`)
		if err != nil {
			w.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			w.t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				w.t.Fatal(err)
			}
			fmt.Fprint(sum, name)
			for _, value := range values {
				fmt.Fprintf(sum, "|%v", *value.(*any))
			}
		}
		if err := rows.Err(); err != nil {
			w.t.Fatal(err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// audits counts the entries that the audit has.
func (w *whole) audits() int {
	w.t.Helper()
	n := 0
	err := w.db.View(w.t.Context(), func(tx *db.Tx) error {
		for after := ""; ; {
			entries, next, err := tx.Audit(w.t.Context(), fleet.ListOptions{Limit: 500, After: after})
			n += len(entries)
			if err != nil || next == "" {
				return err
			}
			after = next
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// settle waits until the scheduler has nothing left to decide or to store.
func (w *whole) settle() {
	w.t.Helper()
	if err := w.placer.Settled(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}
