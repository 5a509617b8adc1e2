package handlers_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2/memstore"

	"odysseus/control"
	"odysseus/db"
	"odysseus/fleet"
	"odysseus/scheduler"
	"odysseus/views/locale"
	"odysseus/web"
)

// apiPlane is a whole control plane on a real file that answers real HTTP through the real route table.
type apiPlane struct {
	t       *testing.T
	url     string
	control *control.Control
	sched   *scheduler.Scheduler
	// missing are the keys that the catalogue was asked for and lacks.
	missing []string
	// logged is all that was logged, at every level.
	logged logbook
}

// logbook keeps what is written to it; it may be written to from several goroutines.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

const operatorToken = "test-operator-token-0123456789abcdef"

// commits passes the scheduler's commits on to the long polls, as cmd does.
type commits struct{ *control.Hub }

func (commits) DeploymentsChanged([]fleet.Ref) {}

// apiRegions are what a test's control plane declares in its file.
var apiRegions = []fleet.Region{
	{Name: "eu-core", Description: "The Union's core", Countries: []string{"DE", "FR", "NL"}},
	{Name: "north-america", Description: "Canada and the United States", Countries: []string{"CA", "US"}},
}

// enforcing is a configuration file that declares the regions and turns enforcement on; storing leaves all to the
// console.
func enforcing() control.Pinned {
	on := true
	return control.Pinned{Enabled: &on, Regions: &apiRegions, Source: map[string]string{"enabled": "odysseus.yaml", "regions": "odysseus.yaml"}}
}

func storing() control.Pinned { return control.Pinned{} }

func startAPI(t *testing.T, pinned control.Pinned) *apiPlane {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	file, err := db.Open(ctx, filepath.Join(t.TempDir(), "odysseus.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &apiPlane{t: t}
	hub := control.NewHub()
	p.sched = scheduler.New(scheduler.Options{Store: file, Listener: commits{hub}, Lease: time.Hour})
	logger := slog.New(slog.NewJSONHandler(&p.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p.control = control.New(control.Deps{
		Store: control.StoreOf(file.View, file.Update), Scheduler: p.sched, Fleet: p.sched, Now: time.Now, Random: rand.Reader, Logger: logger,
		NewID: func() string { return strings.ToLower(rand.Text()) }, Pinned: pinned, HeartbeatSeconds: 10, LeaseSeconds: 40, Hub: hub,
	})
	_, faults, err := p.control.Bootstrap(ctx, control.Bootstrap{Operator: "op@example.test", Password: "correct horse battery staple", Token: operatorToken})
	if err != nil || len(faults) > 0 {
		t.Fatal(faults, err)
	}
	geo, err := p.control.Effective(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p.sched.GeoAwarenessChanged(geo)
	if err := p.sched.Start(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- p.sched.Run(ctx) }()
	words, err := locale.New(locale.OnMissing(func(key string) { p.missing = append(p.missing, key) }))
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Options{Listen: "127.0.0.1:0", Control: p.control, Words: words, Sessions: memstore.New(), Secret: []byte(strings.Repeat("s", 32)),
		Metrics: web.NewMetrics(), Clock: time.Now, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site.Handler())
	p.url = server.URL
	t.Cleanup(func() {
		server.Close()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("scheduler ended with %v", err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if len(p.missing) > 0 {
			t.Errorf("the catalogue lacks %v", p.missing)
		}
	})
	return p
}

// answer is one response, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
	json   map[string]any
}

// ask sends a request. Headers are "Name: value"; YAML is the body's type where none says otherwise.
func (p *apiPlane) ask(token, method, path, body string, headers ...string) answer {
	p.t.Helper()
	r, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	switch {
	case strings.HasPrefix(body, "{"):
		r.Header.Set("Content-Type", "application/json")
	case body != "":
		r.Header.Set("Content-Type", "application/yaml")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	a := answer{status: response.StatusCode, header: response.Header}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		p.t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.UseNumber()
	if err := d.Decode(&a.json); err != nil {
		p.t.Fatalf("%s %s: %d %q is no JSON: %v", method, path, a.status, a.body, err)
	}
	return a
}

// get finds a value by its path: object.metadata.name, errors.0.code. Texts come as they are, all else as JSON;
// what is not there is empty.
func (a answer) get(path string) string {
	var v any = a.json
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i := int(step[0] - '0')
			if i >= len(at) {
				return ""
			}
			v = at[i]
		default:
			return ""
		}
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		raw, _ := json.Marshal(v) // it was just decoded
		return string(raw)
	}
}

func (a answer) codes(list string) []string {
	codes := []string{}
	entries, _ := a.json[list].([]any)
	for _, e := range entries {
		code, _ := e.(map[string]any)["code"].(string)
		codes = append(codes, code)
	}
	return codes
}

func (p *apiPlane) want(a answer, status int) answer {
	p.t.Helper()
	if a.status != status {
		p.t.Fatalf("answered %d %s, want %d", a.status, a.body, status)
	}
	return a
}

// tenant creates a tenant and answers a token of the role.
func (p *apiPlane) tenant(name, role string) string {
	p.t.Helper()
	if a := p.ask(operatorToken, "POST", "/api/v1/tenants", `{"name": "`+name+`"}`); a.status != 201 && a.status != 409 {
		p.t.Fatalf("create tenant: %d %s", a.status, a.body)
	}
	return p.token("/api/v1/tenants/"+name+"/tokens", role)
}

func (p *apiPlane) token(path, role string) string {
	p.t.Helper()
	a := p.want(p.ask(operatorToken, "POST", path, `{"name": "`+role+`", "role": "`+role+`", "expiresIn": "1h"}`), 201)
	return a.get("token")
}

// node enrols a node and answers its credential. The cluster is made where it is not there, for all tenants.
func (p *apiPlane) node(name, cluster, country, region string) string {
	p.t.Helper()
	p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "`+cluster+`", "tenants": ["*"]}`)
	token := p.want(p.ask(operatorToken, "POST", "/api/v1/clusters/"+cluster+"/enrolment-tokens", `{"expiresIn": "5m", "uses": 1}`), 201).get("token")
	labels := []string{}
	if country != "" {
		labels = append(labels, `"odysseus.io/country": "`+country+`"`)
	}
	if region != "" {
		labels = append(labels, `"odysseus.io/geo-region": "`+region+`"`)
	}
	a := p.want(p.ask("", "POST", "/api/v1/agents/enrol", `{"token": "`+token+`", "name": "`+name+`", "cluster": "`+cluster+`", "labels": {`+strings.Join(labels, ", ")+`},
		"capacity": {"cpu": "8", "memory": "16Gi", "containers": 100}}`), 201)
	return a.get("credential")
}

func (p *apiPlane) settle() {
	p.t.Helper()
	if err := p.sched.Settled(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

const (
	deployments = "/api/v1/namespaces/acme/deployments"
	manifest    = `apiVersion: odysseus/v1
kind: Deployment
metadata:
  name: ledger-api
spec:
  image: registry.example.com/ledger-api:1.4.0
  replicas: 2
`
	inCanada = manifest + "  placement:\n    residency:\n      country: CA\n"
)

// resident is the manifest with other lines under its residency.
func resident(lines ...string) string {
	return manifest + "  placement:\n    residency:\n      " + strings.Join(lines, "\n      ") + "\n"
}

// labelled is the manifest with labels, one a line.
func labelled(labels ...string) string {
	return strings.Replace(manifest, "  name: ledger-api\n", "  name: ledger-api\n  labels:\n    "+strings.Join(labels, "\n    ")+"\n", 1)
}

func sameList(got []string, want ...string) bool { return slices.Equal(got, want) }
