package control

import (
	"context"
	"strconv"
	"time"

	"odysseus/fleet"
)

// DrainRequest is the body of a drain; it may be left out.
type DrainRequest struct {
	GraceSeconds *int `json:"graceSeconds" validate:"omitempty,min=0,max=86400"`
}

// defaultDrainGrace is how long a drained replica waits for its replacement to run.
const defaultDrainGrace = 300

// NodeView is a node with what is known of it beside its row. Operators and support only.
type NodeView struct {
	fleet.Node
	State fleet.NodeState
}

// Nodes of the platform.
func (c *Control) Nodes(ctx context.Context, a Actor, f fleet.NodeFilter, o fleet.ListOptions) (Page[NodeView], error) {
	var page Page[NodeView]
	err := c.read(ctx, a, kindNode, func(tx Reader) error {
		nodes, next, err := tx.Nodes(ctx, f, o)
		page.Continue = next
		for _, n := range nodes {
			page.Items = append(page.Items, c.nodeView(n))
		}
		return err
	})
	return page, wrap("list nodes", err)
}

// Node by name.
func (c *Control) Node(ctx context.Context, a Actor, name string) (NodeView, error) {
	var v NodeView
	err := c.read(ctx, a, kindNode, func(tx Reader) error {
		n, err := tx.Node(ctx, name)
		v = c.nodeView(n)
		return err
	})
	return v, wrap("read node", err)
}

// NodeContainers are what a node was assigned, those that are to stop included.
func (c *Control) NodeContainers(ctx context.Context, a Actor, name string) ([]fleet.Container, error) {
	var containers []fleet.Container
	err := c.read(ctx, a, kindNode, func(tx Reader) error {
		_, err := tx.Node(ctx, name)
		if err == nil {
			containers, err = tx.NodeContainers(ctx, name)
		}
		return err
	})
	return containers, wrap("list containers", err)
}

// NodeEvents are what happened to a node, newest first.
func (c *Control) NodeEvents(ctx context.Context, a Actor, name string, o fleet.ListOptions) (Page[fleet.Event], error) {
	var page Page[fleet.Event]
	err := c.read(ctx, a, kindNode, func(tx Reader) error {
		_, err := tx.Node(ctx, name)
		if err == nil {
			page, err = listOf(o, wordsOfEvent, func(o fleet.ListOptions) ([]fleet.Event, string, error) { return tx.NodeEvents(ctx, name, o) })
		}
		return err
	})
	return page, wrap("list events", err)
}

func (c *Control) nodeView(n fleet.Node) NodeView {
	state, _ := c.deps.Fleet.NodeState(n.Name) // one that it does not know yet is not live
	return NodeView{Node: n, State: state}
}

// RefuseNodeWrite answers a PUT or PATCH of a node: "no API of the control plane can assert or change" where a
// machine is, nor anything else that its agent reports.
func (c *Control) RefuseNodeWrite(ctx context.Context, a Actor, name string) (fleet.FieldErrors, error) {
	s := &subject{verb: "update", kind: kindNode, name: name}
	_, refused, err := write(ctx, c, a, s, false,
		func(tx Reader) (struct{}, fleet.FieldErrors, error) {
			if _, err := tx.Node(ctx, name); err != nil {
				return struct{}{}, nil, err
			}
			return struct{}{}, fleet.FieldErrors{{Code: fleet.CodeNodeGeographySelf}}, mayWrite(a, kindNode)
		}, nil)
	return refused, err
}

// CordonNode lets a node take no new replicas.
func (c *Control) CordonNode(ctx context.Context, a Actor, name string, o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	return c.writeNode(ctx, a, &subject{verb: "cordon", kind: kindNode, name: name}, nil, o, func(n *fleet.Node) *fleet.Event {
		if n.Cordoned {
			return nil
		}
		n.Cordoned = true
		e := c.nodeEvent(*n, fleet.EventNormal, EventCordoned, nil)
		return &e
	})
}

// UncordonNode lets a node take replicas again; a drain ends.
func (c *Control) UncordonNode(ctx context.Context, a Actor, name string, o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	return c.writeNode(ctx, a, &subject{verb: "uncordon", kind: kindNode, name: name}, nil, o, func(n *fleet.Node) *fleet.Event {
		if !n.Cordoned && !n.Draining() {
			return nil
		}
		n.Cordoned, n.DrainDeadline = false, time.Time{}
		e := c.nodeEvent(*n, fleet.EventNormal, EventUncordoned, nil)
		return &e
	})
}

// DrainNode cordons a node and has its replicas placed elsewhere, where they may run.
func (c *Control) DrainNode(ctx context.Context, a Actor, name string, b Body[DrainRequest], o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	grace := defaultDrainGrace
	if b.Value.GraceSeconds != nil {
		grace = *b.Value.GraceSeconds
	}
	return c.writeNode(ctx, a, &subject{verb: "drain", kind: kindNode, name: name}, b.check(), o, func(n *fleet.Node) *fleet.Event {
		n.Cordoned, n.DrainDeadline = true, c.deps.Now().UTC().Add(time.Duration(grace)*time.Second)
		e := c.nodeEvent(*n, fleet.EventNormal, EventDraining, map[string]string{"GraceSeconds": strconv.Itoa(grace)})
		return &e
	})
}

type nodeDraft struct {
	old, next fleet.Node
	event     *fleet.Event // nil where there is nothing to change
}

func (c *Control) writeNode(ctx context.Context, a Actor, s *subject, faults fleet.FieldErrors, o WriteOptions, change func(*fleet.Node) *fleet.Event) (Written[NodeView], fleet.FieldErrors, error) {
	draft, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (nodeDraft, fleet.FieldErrors, error) {
			n, err := tx.Node(ctx, s.name)
			if err != nil {
				return nodeDraft{}, nil, err
			}
			if err := mayWrite(a, kindNode); err != nil || len(faults) > 0 {
				return nodeDraft{}, faults, err
			}
			d := nodeDraft{old: n, next: n}
			d.event = change(&d.next)
			return d, nil, nil
		},
		func(tx Writer, d *nodeDraft) (effect, error) {
			if d.event == nil {
				return effect{nothing: true}, nil
			}
			changes, err := diff(nodeSpec(d.old), nodeSpec(d.next))
			if err != nil {
				return effect{}, err
			}
			if d.next, err = tx.UpdateNode(ctx, d.next); err != nil {
				return effect{}, err
			}
			return effect{changes: changes}, tx.AppendEvent(ctx, *d.event)
		})
	if err != nil || len(refused) > 0 {
		return Written[NodeView]{}, refused, err
	}
	if !o.DryRun && draft.event != nil {
		c.deps.Scheduler.NodeChanged(draft.next)
	}
	return Written[NodeView]{Object: c.nodeView(draft.next)}, nil, nil
}

// nodeSpec is the part of a node that operators write.
func nodeSpec(n fleet.Node) any {
	spec := struct {
		Cordoned      bool       `json:"cordoned"`
		DrainDeadline *time.Time `json:"drainDeadline,omitempty"`
	}{Cordoned: n.Cordoned}
	if n.Draining() {
		spec.DrainDeadline = &n.DrainDeadline
	}
	return spec
}

// DeleteNode forgets a node and revokes its credential. Nothing is known any more of what it runs: its replicas
// are placed anew.
func (c *Control) DeleteNode(ctx context.Context, a Actor, name string, o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: kindNode, name: name}
	n, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.Node, fleet.FieldErrors, error) {
			n, err := tx.Node(ctx, name)
			if err != nil {
				return fleet.Node{}, nil, err
			}
			return n, nil, mayWrite(a, kindNode)
		},
		func(tx Writer, n *fleet.Node) (effect, error) {
			return effect{changes: []fleet.Change{{Field: "cluster", Before: n.Cluster}}}, tx.DeleteNode(ctx, name)
		})
	if err != nil || len(refused) > 0 {
		return Written[NodeView]{}, refused, err
	}
	view := c.nodeView(n)
	if !o.DryRun {
		c.agents.forget(name)
		c.deps.Scheduler.NodeDeleted(name)
		c.deps.Hub.AssignmentsChanged([]string{name}) // its long poll learns that it is no node any more
	}
	return Written[NodeView]{Object: view}, nil, nil
}
