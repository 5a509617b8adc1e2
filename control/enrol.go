package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// EnrolRequest is the body of an enrolment.
type EnrolRequest struct {
	Token    string            `json:"token" validate:"required"`
	Name     string            `json:"name" validate:"required,name"`
	Cluster  string            `json:"cluster" validate:"required,name"`
	Runtime  string            `json:"runtime" validate:"omitempty,oneof=simulated docker"`
	Labels   map[string]string `json:"labels"`
	Capacity capacityReport    `json:"capacity"`
}

// Enrolled is a node with its credential, which is shown this once.
type Enrolled struct {
	Node       fleet.Node
	Credential string
}

type enrolDraft struct {
	Enrolled
	token fleet.EnrolmentToken
}

// Enrol makes a machine a node: ErrUnauthenticated where the token is unknown, expired, used up or another
// cluster's, always in the same words. A refused enrolment does not use the token up.
func (c *Control) Enrol(ctx context.Context, b Body[EnrolRequest], address string) (Enrolled, fleet.FieldErrors, error) {
	b.Faults = withoutSecrets(b.Faults)
	r := b.Value
	s := &subject{verb: "enrol", kind: kindNode, name: r.Name}
	if err := c.failures.allow("", address); err != nil {
		return Enrolled{}, nil, s.wrap(err)
	}
	labels, faults := admitNodeLabels(r.Labels)
	faults = withoutSecrets(later(b.check(append(decoded(faults, b.Faults), r.Capacity.whole()...)...)))
	a := Actor{Name: "node " + r.Name, Address: address}
	draft, refused, err := record(ctx, c, a, s, false,
		func(tx Reader) (enrolDraft, fleet.FieldErrors, error) {
			if b.unread {
				return enrolDraft{}, b.Faults, nil
			}
			token, err := tx.EnrolmentTokenByHash(ctx, hashSecret(r.Token))
			switch {
			case errors.Is(err, fleet.ErrNotFound):
				return enrolDraft{}, nil, ErrUnauthenticated
			case err != nil:
				return enrolDraft{}, nil, err
			case token.Cluster != r.Cluster || token.Used >= token.Uses || !c.deps.Now().Before(token.ExpiresAt):
				return enrolDraft{}, nil, ErrUnauthenticated
			case len(faults) > 0:
				return enrolDraft{}, faults, nil
			}
			_, err = tx.Node(ctx, r.Name)
			taken, err := isTaken(err)
			if err != nil || taken {
				return enrolDraft{}, located(b.Doc, exists("name", r.Name)), err
			}
			credential, err := c.secret(prefixCredential)
			n := fleet.Node{Name: r.Name, Cluster: r.Cluster, Runtime: r.Runtime, Labels: labels, Capacity: r.Capacity.over(fleet.Amount{}), EnrolledAt: c.deps.Now().UTC()}
			return enrolDraft{Enrolled: Enrolled{Node: n, Credential: credential}, token: token}, nil, err
		},
		func(tx Writer, d *enrolDraft) (effect, error) {
			if err := tx.UseEnrolmentToken(ctx, d.token.ID); err != nil {
				return effect{}, err
			}
			n, err := tx.InsertNode(ctx, d.Node, hashSecret(d.Credential))
			if err != nil {
				return effect{}, err
			}
			d.Node = n
			changes := []fleet.Change{{Field: "cluster", After: n.Cluster}}
			return effect{changes: changes}, tx.AppendEvent(ctx, c.nodeEvent(n, fleet.EventNormal, EventEnrolled, map[string]string{"Cluster": n.Cluster}))
		})
	if errors.Is(err, ErrUnauthenticated) {
		if tooMany := c.failures.add("", address); tooMany != nil {
			err = tooMany
		}
	}
	if err != nil || len(refused) > 0 {
		return Enrolled{}, refused, err
	}
	c.agents.forget(draft.Node.Name) // an earlier node of that name
	c.deps.Scheduler.NodeChanged(draft.Node)
	c.deps.Scheduler.Heartbeat(draft.Node.Name)
	return draft.Enrolled, nil, nil
}
