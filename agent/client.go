package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"odysseus/fleet"
)

// How long a call may take, and how much it may answer.
const (
	callTimeout = 15 * time.Second
	// pollTimeout is the 30 s that the control plane may hold a long poll, and time to answer.
	pollTimeout = 45 * time.Second
	mostAnswer  = 1 << 20
	// mostList: a node's containers may each carry up to the 1 MiB of a manifest, though none does.
	mostList = 64 << 20
)

// Enrolment is what an agent asks to join with.
type Enrolment struct {
	Token    string            `json:"token"`
	Name     string            `json:"name"`
	Cluster  string            `json:"cluster"`
	Runtime  string            `json:"runtime"`
	Labels   map[string]string `json:"labels"`
	Capacity Capacity          `json:"capacity"`
}

// Enrolled is the answer: the node's credential, shown once.
type Enrolled struct {
	Node       string `json:"node"`
	Credential string `json:"credential"`
	Pace
}

// Pace is what the control plane asks of its agents. Agents obey.
type Pace struct {
	HeartbeatSeconds int `json:"heartbeatSeconds"`
	LeaseSeconds     int `json:"leaseSeconds"`
}

// Status is what an agent says of its node: all of it, each time.
type Status struct {
	Labels     map[string]string       `json:"labels"`
	Capacity   Capacity                `json:"capacity"`
	Containers []fleet.ContainerReport `json:"containers"`
}

// Client speaks the agents' API of one control plane. It follows no redirect, so that a credential goes nowhere
// but where the configuration says.
type Client struct {
	base       string
	http       http.Client
	credential string
	timeout    time.Duration
	poll       time.Duration
	mostList   int64
	own        bool // the transport is
}

// NewClient makes a client for the control plane at an address that Config.Validate accepts. Only the transport is
// taken from hc; nil makes one.
func NewClient(controlPlane string, hc *http.Client) *Client {
	c := &Client{base: strings.TrimRight(controlPlane, "/"), timeout: callTimeout, poll: pollTimeout, mostList: mostList}
	if hc != nil {
		c.http.Transport = hc.Transport
	} else {
		c.http.Transport, c.own = newTransport(), true
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// newTransport keeps one connection for the long poll and one for all else, and notices when they are dead.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: callTimeout}).DialContext,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: callTimeout, PingTimeout: callTimeout},
		TLSHandshakeTimeout:    callTimeout,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        2 * time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// close gives up the connections of a transport that is the client's own.
func (c *Client) close() {
	if c.own {
		c.http.CloseIdleConnections()
	}
}

// WithCredential answers a client that calls as the node that the credential belongs to.
func (c *Client) WithCredential(credential string) *Client {
	with := *c
	with.credential = credential
	return &with
}

// Enrol trades a token for a credential. Errors: *AnswerError.
func (c *Client) Enrol(ctx context.Context, e Enrolment) (Enrolled, error) {
	var answer Enrolled
	if err := c.call(ctx, http.MethodPost, "/api/v1/agents/enrol", e, &answer, c.timeout, mostAnswer); err != nil {
		return Enrolled{}, fmt.Errorf("enrol %s: %w", e.Name, err)
	}
	if answer.Credential == "" || strings.ContainsFunc(answer.Credential, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Enrolled{}, fmt.Errorf("enrol %s: %w", e.Name, errNoCredential)
	}
	return answer, nil
}

// Report puts the node's status. Errors: *AnswerError.
func (c *Client) Report(ctx context.Context, s Status) (Pace, error) {
	var answer Pace
	if err := c.call(ctx, http.MethodPut, "/api/v1/agents/self/status", s, &answer, c.timeout, mostAnswer); err != nil {
		return Pace{}, fmt.Errorf("report status: %w", err)
	}
	return answer, nil
}

// Assignments gets the node's whole list: at once with since 0, else when its version passes since, or after some
// 30 s as it is. A list that is not whole is an error. Errors: *AnswerError.
func (c *Client) Assignments(ctx context.Context, since int64) (fleet.AssignmentList, error) {
	path := "/api/v1/agents/self/assignments?since=" + strconv.FormatInt(since, 10)
	var answer struct {
		Version    *int64          `json:"version"`
		Containers json.RawMessage `json:"containers"`
	}
	err := c.call(ctx, http.MethodGet, path, nil, &answer, c.poll, c.mostList)
	if err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("get assignments: %w", err)
	}
	// What a list leaves out is stopped, so half an answer must never pass for an empty list.
	if answer.Version == nil || answer.Containers == nil {
		return fleet.AssignmentList{}, fmt.Errorf("get assignments: %w", errNotWhole)
	}
	list := fleet.AssignmentList{Version: *answer.Version}
	if err := json.Unmarshal(answer.Containers, &list.Containers); err != nil {
		return fleet.AssignmentList{}, fmt.Errorf("get assignments: read list: %w", err)
	}
	seen := make(map[string]bool, len(list.Containers))
	for _, a := range list.Containers {
		if a.ID == "" || seen[a.ID] {
			return fleet.AssignmentList{}, fmt.Errorf("get assignments: id %q: %w", a.ID, errNotWhole)
		}
		seen[a.ID] = true
	}
	return list, nil
}

func (c *Client) call(ctx context.Context, method, path string, body, answer any, timeout time.Duration, limit int64) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("write body: %w", err)
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.credential != "" {
		req.Header.Set("Authorization", "Bearer "+c.credential)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("send request: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return answerError(resp)
	}
	if t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return fmt.Errorf("read answer: %w", errNotJSON)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if int64(len(b)) > limit {
		return fmt.Errorf("read answer: %w", errTooLong)
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// What an answer with a good status can still lack.
var (
	errNoCredential = errors.New("the control plane's answer holds no credential")
	errNotWhole     = errors.New("the control plane's answer is no whole list of assignments")
	errNotJSON      = errors.New("the control plane's answer is not JSON")
	errTooLong      = errors.New("the control plane's answer is too long")
)
