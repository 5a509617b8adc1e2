package agent_test

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// controlPlane plays the agents' API as spec'd, strictly, and remembers what agents said.
type controlPlane struct {
	t *testing.T

	mu sync.Mutex
	// moved is closed and replaced at every change, to wait on.
	moved     chan struct{}
	tokens    map[string]int // uses left
	nodes     map[string]*member
	heartbeat int
	// away drops every connection.
	away bool
	// intercept answers instead, where it answers true.
	intercept func(w http.ResponseWriter, r *http.Request) bool
	enrols    int
	// patience is how long what is awaited may take.
	patience time.Duration
}

// member is what the control plane knows of a node.
type member struct {
	enrolment agent.Enrolment
	list      []fleet.Assignment
	version   int64
	labels    map[string]string
	said      map[string]fleet.ContainerReport
	reports   []report
	polls     []time.Time
}

type report struct {
	at      time.Time
	status  agent.Status
	refused bool
}

func newControlPlane(t *testing.T) *controlPlane {
	return &controlPlane{t: t, moved: make(chan struct{}), tokens: map[string]int{"token-1": 1}, nodes: map[string]*member{}, heartbeat: 10, patience: 20 * time.Second}
}

// change alters the control plane and wakes who waits for it.
func (c *controlPlane) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	c.tell()
}

func (c *controlPlane) tell() {
	close(c.moved)
	c.moved = make(chan struct{})
}

// assign makes list what a node is to run.
func (c *controlPlane) assign(node string, list ...fleet.Assignment) {
	c.change(func() {
		n := c.nodes[node]
		n.version++
		n.list = list
		for id := range n.said {
			if !slices.ContainsFunc(list, func(a fleet.Assignment) bool { return a.ID == id }) {
				delete(n.said, id)
			}
		}
	})
}

// await waits until is, called with the lock held, is true.
func (c *controlPlane) await(what string, is func() bool) {
	c.t.Helper()
	late := time.After(c.patience)
	for {
		c.mu.Lock()
		done, moved := is(), c.moved
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-moved:
		case <-late:
			c.t.Fatalf("never seen: %s", what)
		}
	}
}

// awaitState waits until a node says a state of a container, and answers what it said.
func (c *controlPlane) awaitState(node, id string, s fleet.ContainerState) fleet.ContainerReport {
	c.t.Helper()
	var said fleet.ContainerReport
	c.await(node+" says that "+id+" is "+string(s), func() bool {
		if n := c.nodes[node]; n != nil {
			said = n.said[id]
		}
		return said.State == s
	})
	return said
}

func (c *controlPlane) awaitReports(node string, n int) {
	c.t.Helper()
	c.await(fmt.Sprintf("%d reports of %s", n, node), func() bool { return c.nodes[node] != nil && len(c.nodes[node].reports) >= n })
}

func (c *controlPlane) enrolled() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.enrols
}

func (c *controlPlane) member(node string) member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.nodes[node]
}

func (c *controlPlane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	away, intercept := c.away, c.intercept
	c.mu.Unlock()
	if away {
		panic(http.ErrAbortHandler)
	}
	if intercept != nil && intercept(w, r) {
		return
	}
	if r.Method != http.MethodGet {
		if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
			problem(w, http.StatusUnsupportedMediaType, fleet.CodeUnsupportedMedia)
			return
		}
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /api/v1/agents/enrol":
		c.enrol(w, r)
	case "PUT /api/v1/agents/self/status":
		c.status(w, r)
	case "GET /api/v1/agents/self/assignments":
		c.assignments(w, r)
	default:
		c.t.Errorf("unexpected %s %s", r.Method, r.URL)
		problem(w, http.StatusNotFound, fleet.CodeNotFound)
	}
}

func (c *controlPlane) enrol(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.tell()
	c.enrols++
	var e agent.Enrolment
	if !c.read(w, r, &e) {
		return
	}
	switch {
	case r.Header.Get("Authorization") != "":
		c.t.Error("enrolment carries a credential")
	case c.tokens[e.Token] < 1:
		problem(w, http.StatusUnauthorized, fleet.CodeUnauthenticated)
		return
	case c.nodes[e.Name] != nil:
		problem(w, http.StatusConflict, fleet.CodeAlreadyExists)
		return
	case !acceptable(e.Labels, e.Capacity) || !fleet.IsName(e.Name) || !fleet.IsName(e.Cluster):
		problem(w, http.StatusUnprocessableEntity, fleet.CodeNodeCountryInvalid)
		return
	}
	c.tokens[e.Token]--
	c.nodes[e.Name] = &member{enrolment: e, labels: e.Labels, version: 1, said: map[string]fleet.ContainerReport{}}
	answer(w, map[string]any{"node": e.Name, "credential": "credential-of-" + e.Name, "heartbeatSeconds": c.heartbeat, "leaseSeconds": 4 * c.heartbeat})
}

func (c *controlPlane) status(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.tell()
	n := c.authenticated(w, r)
	var s agent.Status
	if n == nil || !c.read(w, r, &s) {
		return
	}
	said := report{at: time.Now(), status: s}
	code := fleet.Code("")
	if !acceptable(s.Labels, s.Capacity) {
		code = fleet.CodeNodeCountryInvalid
	}
	for _, said := range s.Containers {
		if !slices.ContainsFunc(n.list, func(a fleet.Assignment) bool { return a.ID == said.ID }) {
			code = fleet.CodeContainerUnknown
		}
		if said.State == fleet.StateAssigned || !slices.Contains(fleet.ContainerStates, said.State) {
			c.t.Errorf("state %q of %s is not an agent's to report", said.State, said.ID)
		}
	}
	said.refused = code != ""
	n.reports = append(n.reports, said)
	if said.refused {
		problem(w, http.StatusUnprocessableEntity, code)
		return
	}
	n.labels = s.Labels
	left := map[string]fleet.ContainerReport{}
	for id, before := range n.said {
		before.State = fleet.StateExited // reported before, and now left out
		left[id] = before
	}
	for _, said := range s.Containers {
		left[said.ID] = said
	}
	n.said = left
	answer(w, map[string]any{"heartbeatSeconds": c.heartbeat, "leaseSeconds": 4 * c.heartbeat})
}

func (c *controlPlane) assignments(w http.ResponseWriter, r *http.Request) {
	since, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		c.t.Errorf("since: %v", err)
	}
	late := time.After(30 * time.Second)
	c.mu.Lock()
	n := c.authenticated(w, r)
	if n != nil {
		n.polls = append(n.polls, time.Now())
		c.tell()
	}
	c.mu.Unlock()
	for waiting := since > 0; n != nil; {
		c.mu.Lock()
		version, list, moved, away := n.version, n.list, c.moved, c.away
		c.mu.Unlock()
		if away {
			panic(http.ErrAbortHandler)
		}
		if version > since || !waiting {
			if list == nil {
				list = []fleet.Assignment{}
			}
			answer(w, fleet.AssignmentList{Version: version, Containers: list})
			return
		}
		select {
		case <-moved:
		case <-late:
			waiting = false
		case <-r.Context().Done():
			return
		}
	}
}

// authenticated is called with the lock held, and answers nil where it answered the request.
func (c *controlPlane) authenticated(w http.ResponseWriter, r *http.Request) *member {
	for name, n := range c.nodes {
		if r.Header.Get("Authorization") == "Bearer credential-of-"+name {
			return n
		}
	}
	problem(w, http.StatusUnauthorized, fleet.CodeUnauthenticated)
	return nil
}

func (c *controlPlane) read(w http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		c.t.Errorf("body of %s: %v", r.URL.Path, err)
		problem(w, http.StatusBadRequest, fleet.CodeInvalidJSON)
		return false
	}
	return true
}

func acceptable(labels map[string]string, capacity agent.Capacity) bool {
	for key := range labels {
		if key != fleet.LabelNodeCountry && key != fleet.LabelNodeGeoRegion {
			return false
		}
	}
	country, says := labels[fleet.LabelNodeCountry]
	return (!says || fleet.CountryAssigned(country)) && capacity.CPU.Valid() && capacity.Memory.Valid() && capacity.Containers > 0
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler) // the agent went away
	}
}

func problem(w http.ResponseWriter, status int, code fleet.Code) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	body := map[string]any{"type": "/docs/rejections#" + string(code), "title": "Refused", "status": status,
		"errors": []map[string]any{{"code": code, "field": "a.field", "message": "why\nit is"}}}
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(http.ErrAbortHandler)
	}
}
