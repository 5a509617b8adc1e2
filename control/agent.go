package control

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"odysseus/fleet"
)

// agents is what is remembered of agents between their heartbeats, so that one that brings no news costs no
// database I/O: whose credential is whose, and the digest of each node's last accepted report.
type agents struct {
	mu         sync.Mutex
	generation int               // rises when a credential is revoked: a look-up begun before is not remembered
	byHash     map[string]string // credential hash → node
	nodes      map[string]*reported
}

// reported is the last accepted report of one node. Its lock is held while a report is worked on: of two at once
// the later one stands.
type reported struct {
	mu       sync.Mutex
	digest   [sha256.Size]byte
	accepted bool
	ids      map[string]bool // the containers that it named
}

func newAgents() *agents {
	return &agents{byHash: map[string]string{}, nodes: map[string]*reported{}}
}

func (a *agents) of(node string) *reported {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.nodes[node]
	if r == nil {
		r = &reported{}
		a.nodes[node] = r
	}
	return r
}

// forget a node that is no more, or that starts anew.
func (a *agents) forget(node string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.generation++
	delete(a.nodes, node)
	for hash, n := range a.byHash {
		if n == node {
			delete(a.byHash, hash)
		}
	}
}

func (a *agents) find(hash string) (node string, generation int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byHash[hash], a.generation
}

func (a *agents) remember(hash, node string, generation int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.generation == generation {
		a.byHash[hash] = node
	}
}

// Rhythm is what every agent is told to obey: how often it reports, and after how long a silence it is lost.
func (c *Control) Rhythm() (heartbeatSeconds, leaseSeconds int) {
	return c.deps.HeartbeatSeconds, c.deps.LeaseSeconds
}

// AuthenticateAgent finds whose node credential a bearer is; ErrForbidden for a credential of another kind,
// ErrUnauthenticated for anything else.
func (c *Control) AuthenticateAgent(ctx context.Context, bearer, address string) (Agent, error) {
	if bearer == "" {
		return Agent{}, ErrUnauthenticated
	}
	hash := hashSecret(bearer)
	node, generation := c.agents.find(hash)
	if node != "" {
		return Agent{Node: node, Address: address}, nil
	}
	err := c.deps.Store.View(ctx, func(tx Reader) error {
		n, err := tx.NodeByCredential(ctx, hash)
		if !errors.Is(err, fleet.ErrNotFound) {
			node = n.Name
			return err
		}
		return otherKind(ctx, tx, hash, c.deps.Now())
	})
	if err != nil {
		return Agent{}, wrap("authenticate agent", err)
	}
	c.agents.remember(hash, node, generation)
	return Agent{Node: node, Address: address}, nil
}

// otherKind tells a credential that opens something else (403) from one that opens nothing (401).
func otherKind(ctx context.Context, tx Reader, hash string, now time.Time) error {
	t, err := tx.TokenByHash(ctx, hash)
	switch {
	case err == nil && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt)):
		return ErrForbidden
	case err == nil:
		return ErrUnauthenticated
	case !errors.Is(err, fleet.ErrNotFound):
		return err
	}
	_, err = tx.EnrolmentTokenByHash(ctx, hash)
	switch {
	case err == nil:
		return ErrForbidden
	case errors.Is(err, fleet.ErrNotFound):
		return ErrUnauthenticated
	}
	return err
}

// Assignments is the whole list of the agent's node. With since 0 it answers at once; else it waits up to wait for
// a version past since, and then answers what there is.
func (c *Control) Assignments(ctx context.Context, a Agent, since int64, wait time.Duration) (fleet.AssignmentList, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	expired := since <= 0
	for {
		changed := c.deps.Hub.wait(a.Node)
		var list fleet.AssignmentList
		err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
			list, err = tx.Assignments(ctx, a.Node)
			return err
		})
		switch {
		case errors.Is(err, fleet.ErrNotFound):
			return fleet.AssignmentList{}, ErrUnauthenticated // deleted while it asked
		case err != nil:
			return fleet.AssignmentList{}, wrap("read assignments", err)
		case expired || list.Version > since:
			return list, nil
		}
		select {
		case <-changed:
		case <-deadline.C:
			expired = true
		case <-ctx.Done():
			return fleet.AssignmentList{}, wrap("wait for assignments", ctx.Err())
		}
	}
}
