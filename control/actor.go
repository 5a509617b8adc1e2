package control

import (
	"context"

	"odysseus/fleet"
)

// Actor is who is asking. The zero value may do nothing.
type Actor struct {
	// Name as the audit writes it: an email, or "token NAME".
	Name string
	Role fleet.Role
	// Tenant is empty for the platform's roles.
	Tenant string
	// UserID is set for a person, empty for an API token.
	UserID string
	// Address that the request came from, without port.
	Address string
}

// Platform says whether the actor belongs to no tenant.
func (a Actor) Platform() bool { return a.Role.Platform() }

// SeesNodes says whether answers to the actor may name nodes. Tenants never learn of one.
func (a Actor) SeesNodes() bool { return a.Role.Platform() }

// Agent is a node's agent, known by its credential.
type Agent struct {
	Node    string
	Address string
}

type contextKey int

const (
	actorKey contextKey = iota
	agentKey
)

// WithActor attaches the actor to a request's context.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey, a)
}

// ActorFrom finds the actor of a request; the zero Actor, which may do nothing, where there is none.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey).(Actor)
	return a
}

// WithAgent attaches the agent to a request's context.
func WithAgent(ctx context.Context, a Agent) context.Context {
	return context.WithValue(ctx, agentKey, a)
}

// AgentFrom finds the agent of a request; the zero Agent, which has no node, where there is none.
func AgentFrom(ctx context.Context) Agent {
	a, _ := ctx.Value(agentKey).(Agent)
	return a
}
