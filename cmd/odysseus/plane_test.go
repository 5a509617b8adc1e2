package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// What every test's control plane starts with.
const (
	operatorToken    = "test-operator-token-0123456789abcdef"
	operatorEmail    = "op@example.test"
	operatorPassword = "correct horse battery staple"
)

// declaredRegions is the configuration that most tests run on; %s is whether enforcement is on.
const declaredRegions = `scheduler:
  geo_awareness:
    enabled: %s
    regions:
      - {name: eu-core, description: "The Union's core", countries: [DE, FR, NL]}
      - {name: north-america, description: Canada and the United States, countries: [CA, US]}
`

// plane is a whole control plane on a real file, answering real HTTP on loopback.
type plane struct {
	t      *testing.T
	base   string
	config string
	dir    string
	parts  *controlPlane
	stop   func()
	// now is the clock; nil is the machine's.
	now func() time.Time
	// logs is where the control plane logs to; nil for nowhere.
	logs io.Writer
}

var enforced = fmt.Sprintf(declaredRegions, "true")

// startPlane runs a control plane with the given configuration until the test ends.
func startPlane(t *testing.T, config string) *plane {
	t.Helper()
	return startPlaneAt(t, config, nil)
}

// startPlaneAt is startPlane by a clock of the test's own.
func startPlaneAt(t *testing.T, config string, now func() time.Time) *plane {
	t.Helper()
	return (&plane{t: t, now: now}).boot(config)
}

// boot writes the configuration and runs the control plane until the test ends.
func (p *plane) boot(config string) *plane {
	p.t.Helper()
	t := p.t
	p.dir = t.TempDir()
	p.config = filepath.Join(p.dir, "odysseus.yaml")
	content := "database: " + filepath.Join(p.dir, "odysseus.db") + "\n" + config
	if !strings.Contains(config, "agents:") {
		content += "agents: {heartbeat_seconds: 1, lease_seconds: 600}\n"
	}
	if err := os.WriteFile(p.config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start()
	t.Cleanup(func() { p.stop() })
	return p
}

// start runs it on a port of its own; after stop it starts on the same file again.
func (p *plane) start() {
	p.t.Helper()
	catalogue, err := locale.New()
	if err != nil {
		p.t.Fatal(err)
	}
	config, pinned, err := loadConfig(p.config, nil, catalogue.Words())
	if err != nil {
		p.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	config.Listen = listener.Addr().String()
	logger := slog.New(slog.DiscardHandler)
	if p.logs != nil {
		logger = slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	ctx, cancel := context.WithCancel(context.Background())
	parts, err := assemble(ctx, assembly{
		config: config, pinned: pinned, catalogue: catalogue, logger: logger, now: p.now, drain: time.Millisecond,
		bootstrap: control.Bootstrap{Operator: operatorEmail, Password: operatorPassword, Token: operatorToken},
	})
	if err != nil {
		cancel()
		p.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- parts.run(ctx, listener) }()
	p.parts, p.base = parts, "http://"+config.Listen
	p.stop = func() {
		cancel()
		if err := <-done; err != nil {
			p.t.Errorf("control plane ended: %v", err)
		}
		p.stop = func() {}
	}
}

// reply is an answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// decode reads the body as JSON into out.
func (r reply) decode(t *testing.T, out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), out); err != nil {
		t.Fatalf("answer is no JSON: %v\n%s", err, r.body)
	}
}

// refused is what a problem says of each fault.
type refused struct {
	Code       string `json:"code"`
	Field      string `json:"field"`
	Value      string `json:"value"`
	Message    string `json:"message"`
	Accepted   string `json:"accepted"`
	Suggestion string `json:"suggestion"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Fix        string `json:"fix"`
}

func (r reply) errors(t *testing.T) []refused {
	t.Helper()
	var p struct {
		Errors []refused `json:"errors"`
	}
	r.decode(t, &p)
	return p.Errors
}

func (r reply) warnings(t *testing.T) []string {
	t.Helper()
	var p struct {
		Warnings []struct{ Code string } `json:"warnings"`
	}
	r.decode(t, &p)
	codes := []string{}
	for _, w := range p.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

// call sends body (YAML text, or anything else as JSON; nil for none) with a bearer token.
func (p *plane) call(method, path, token string, body any) reply {
	p.t.Helper()
	var reader io.Reader
	contentType := ""
	switch b := body.(type) {
	case nil:
	case string:
		reader, contentType = strings.NewReader(b), "application/yaml"
	case json.RawMessage:
		reader, contentType = bytes.NewReader(b), "application/json"
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			p.t.Fatal(err)
		}
		reader, contentType = bytes.NewReader(raw), "application/json"
	}
	request, err := http.NewRequest(method, p.base+path, reader)
	if err != nil {
		p.t.Fatal(err)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return p.send(http.DefaultClient, request)
}

func (p *plane) send(client *http.Client, request *http.Request) reply {
	p.t.Helper()
	response, err := client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(raw)}
}

// must is call that fails the test on any other status.
func (p *plane) must(status int, method, path, token string, body any) reply {
	p.t.Helper()
	r := p.call(method, path, token, body)
	if r.status != status {
		p.t.Fatalf("%s %s: %d, want %d\n%s", method, path, r.status, status, r.body)
	}
	return r
}

// secretOf reads a token or credential from the answer that shows it once.
func secretOf(t *testing.T, r reply, key string) string {
	t.Helper()
	var flat map[string]any
	r.decode(t, &flat)
	if object, ok := flat["object"].(map[string]any); ok && object[key] != nil {
		flat = object
	}
	text, _ := flat[key].(string)
	if text == "" {
		t.Fatalf("no %s in %s", key, r.body)
	}
	return text
}

// tenant makes a tenant and answers its editor's token.
func (p *plane) tenant(name string) string {
	p.t.Helper()
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/tenants", operatorToken, map[string]string{"name": name, "displayName": strings.ToUpper(name)})
	return p.token(name, "editor")
}

var tokens atomic.Int64

func (p *plane) token(tenant, role string) string {
	p.t.Helper()
	r := p.must(http.StatusCreated, http.MethodPost, "/api/v1/tenants/"+tenant+"/tokens", operatorToken,
		map[string]string{"name": fmt.Sprintf("t%d", tokens.Add(1)), "role": role, "expiresIn": "24h"})
	return secretOf(p.t, r, "token")
}

// cluster makes one, granted to the tenants named, or to all.
func (p *plane) cluster(name string, tenants ...string) {
	p.t.Helper()
	p.clusterWith(name, map[string]string{}, tenants...)
}

func (p *plane) clusterWith(name string, labels map[string]string, tenants ...string) {
	p.t.Helper()
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/clusters", operatorToken, clusterBody(name, labels, tenants))
}

// relabel gives a cluster of all tenants other labels.
func (p *plane) relabel(name string, labels map[string]string) {
	p.t.Helper()
	p.must(http.StatusOK, http.MethodPut, "/api/v1/clusters/"+name, operatorToken, clusterBody(name, labels, nil))
}

func clusterBody(name string, labels map[string]string, tenants []string) map[string]any {
	if len(tenants) == 0 {
		tenants = []string{"*"}
	}
	return map[string]any{"name": name, "runtime": "agents", "labels": labels, "tenants": tenants}
}

// member is an agent that the test plays itself: it says what it is told to say.
type member struct {
	p          *plane
	name       string
	credential string
	labels     map[string]string
	capacity   map[string]any
	states     map[string]string
}

// node enrols one; country and region may be empty.
func (p *plane) node(name, cluster, country, region string) *member {
	p.t.Helper()
	return p.nodeWith(name, cluster, country, region, map[string]any{"cpu": "8", "memory": "16Gi", "containers": 100})
}

func (p *plane) nodeWith(name, cluster, country, region string, capacity map[string]any) *member {
	p.t.Helper()
	m := &member{p: p, name: name, labels: map[string]string{}, states: map[string]string{}, capacity: capacity}
	m.setGeo(country, region)
	r := p.must(http.StatusCreated, http.MethodPost, "/api/v1/clusters/"+cluster+"/enrolment-tokens", operatorToken, map[string]any{"expiresIn": "5m", "uses": 1})
	token := secretOf(p.t, r, "token")
	r = p.call(http.MethodPost, "/api/v1/agents/enrol", "", map[string]any{"token": token, "name": name, "cluster": cluster, "labels": m.labels, "capacity": m.capacity})
	if r.status != http.StatusCreated && r.status != http.StatusOK {
		p.t.Fatalf("enrol %s: %d %s", name, r.status, r.body)
	}
	m.credential = secretOf(p.t, r, "credential")
	m.beat()
	return m
}

func (m *member) setGeo(country, region string) {
	m.labels = map[string]string{}
	if country != "" {
		m.labels[fleet.LabelNodeCountry] = country
	}
	if region != "" {
		m.labels[fleet.LabelNodeGeoRegion] = region
	}
}

// beat reports everything.
func (m *member) beat() reply {
	m.p.t.Helper()
	containers := []map[string]any{}
	for id, state := range m.states {
		containers = append(containers, map[string]any{"id": id, "state": state, "message": "", "restarts": 0, "startedAt": "2026-01-01T00:00:00Z"})
	}
	return m.p.must(http.StatusOK, http.MethodPut, "/api/v1/agents/self/status", m.credential,
		map[string]any{"labels": m.labels, "capacity": m.capacity, "containers": containers})
}

// assigned is the node's list at once.
func (m *member) assigned() fleet.AssignmentList {
	m.p.t.Helper()
	var list fleet.AssignmentList
	m.p.must(http.StatusOK, http.MethodGet, "/api/v1/agents/self/assignments?since=0", m.credential, nil).decode(m.p.t, &list)
	return list
}

// carryOut does what the list says, and reports it.
func (m *member) carryOut() {
	m.p.t.Helper()
	m.states = map[string]string{}
	for _, c := range m.assigned().Containers {
		m.states[c.ID] = "running"
		if c.Stop {
			m.states[c.ID] = "stopped"
		}
	}
	m.beat()
}

// running counts what the list wants to run.
func (m *member) running() int {
	n := 0
	for _, c := range m.assigned().Containers {
		if !c.Stop {
			n++
		}
	}
	return n
}

// settle waits until the scheduler has nothing left to decide.
func (p *plane) settle() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := p.parts.scheduler.Settled(ctx); err != nil {
		p.t.Fatalf("scheduler does not settle: %v", err)
	}
}

// placement of a deployment once the scheduler has settled.
func (p *plane) placement(token, namespace, name string) fleet.PlacementReport {
	p.t.Helper()
	p.settle()
	var report fleet.PlacementReport
	p.must(http.StatusOK, http.MethodGet, "/api/v1/namespaces/"+namespace+"/deployments/"+name+"/placement", token, nil).decode(p.t, &report)
	return report
}

// browserless is a person without JavaScript: a client with cookies that follows no redirect by itself.
func (p *plane) browserless() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// signIn gives the client a session.
func (p *plane) signIn(client *http.Client, email, password string) {
	p.t.Helper()
	r := p.post(client, "/login", url.Values{"email": {email}, "password": {password}})
	if r.status != http.StatusSeeOther {
		p.t.Fatalf("sign in as %s: %d\n%s", email, r.status, r.body)
	}
}

func (p *plane) post(client *http.Client, path string, form url.Values) reply {
	p.t.Helper()
	request, err := http.NewRequest(http.MethodPost, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", p.base)
	return p.send(client, request)
}

func (p *plane) page(client *http.Client, path string) reply {
	p.t.Helper()
	request, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html")
	return p.send(client, request)
}

// person makes a user of a tenant and answers their signed-in client.
func (p *plane) person(tenant, email, role string) *http.Client {
	p.t.Helper()
	path := "/api/v1/tenants/" + tenant + "/users"
	if tenant == "" {
		path = "/api/v1/users"
	}
	p.must(http.StatusCreated, http.MethodPost, path, operatorToken, map[string]string{"email": email, "password": operatorPassword, "role": role})
	client := p.browserless()
	p.signIn(client, email, operatorPassword)
	return client
}

const ledgerAPI = `apiVersion: odysseus/v1
kind: Deployment
metadata:
  name: ledger-api
spec:
  image: registry.example.com/ledger-api:1.4.0
  replicas: 2
  placement:
    residency:
      country: CA
`
