package scheduler

import (
	"fmt"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// container is one replica on a node, in as few bytes as will do: there may be a million.
type container struct {
	deployment *deployment
	node       *node
	need       *need
	// drift is the place that was last said to be outside the residency; nil where none was.
	drift    *place
	revision int64
	seq      int64 // the counter in the ID
	// rendering is the number of what it runs; 0 for the template of its revision.
	rendering int32
	replica   int32
	slot      int32 // in node.containers
	state     state
	flags     flags
}

type state uint8

const (
	assigned state = iota
	starting
	running
	unhealthy
	exited
	failed
	stopped
)

func stateOf(s fleet.ContainerState) state {
	for i, known := range fleet.ContainerStates {
		if s == known {
			return state(i)
		}
	}
	return assigned
}

type flags uint16

const (
	// stopping: its agent was told to stop it.
	stopping flags = 1 << iota
	// uncommitted: assigned by a decision that is being stored.
	uncommitted
	// vanished: its node was deleted.
	vanished
	// doubtful: its commit failed, and whether the store has it all the same is not known. It is removed before
	// anything else is decided on the deployment, and keeps its room until then.
	doubtful
	// halting and adopting: the same of a stop and of an adoption. They are told again, so that both sides know.
	halting
	adopting
	// saidLost and saidDraining: the event has been written.
	saidLost
	saidDraining
	// leaving: the decision being made stops it. Cleared before the decision is out.
	leaving
)

func (c *container) is(f flags) bool { return c.flags&f != 0 }

func (c *container) id() string {
	return c.deployment.uid + "-" + strconv.FormatInt(c.seq, 10)
}

// ready says whether it serves, as far as anybody knows: nobody knows of what a lost node runs.
func (c *container) ready() bool { return c.state == running && !c.is(stopping) && c.node.live }

// gone says whether nothing of it runs any more, for good; the rule is fleet.Container.Gone.
func (c *container) gone() bool {
	return c.is(vanished|doubtful) || c.state == stopped || c.is(stopping) && (c.state == exited || c.state == failed)
}

// active says whether it counts as a replica.
func (c *container) active() bool { return !c.is(stopping) && !c.gone() }

// lost says that the node went away under it.
func (c *container) lost() { c.flags |= vanished }

// splitID takes a container's ID apart.
func splitID(id string) (uid string, seq int64, err error) {
	dash := strings.LastIndexByte(id, '-')
	if dash < 1 {
		return "", 0, fmt.Errorf("read container ID %q: no counter in it", id)
	}
	seq, err = strconv.ParseInt(id[dash+1:], 10, 64)
	if err != nil {
		return "", 0, fmt.Errorf("read container ID %q: %w", id, err)
	}
	return id[:dash], seq, nil
}

// attach adds the container to its deployment and node, and charges the node.
func (p *picture) attach(c *container) {
	d := c.deployment
	d.containers = append(d.containers, c)
	c.node.hold(c)
	p.charge(c.node, c.need.Amount)
	c.need.users++
}

// detach undoes it, but for the deployment's list, which the caller sweeps.
func (p *picture) detach(c *container) {
	if !c.is(vanished) {
		c.node.unhold(c)
	}
	p.refund(c.node, c.need.Amount)
	p.dropNeed(c.need)
}

// report takes over what an agent said of a container, and says whether a decision could depend on it.
func (c *container) report(s state) bool {
	before, wasGone := c.state, c.gone()
	c.state = s
	done := c.deployment.runs.job && (before == exited || s == exited) // a Job's replica that ended has done its work
	return before != s && (before == running || s == running || done || c.gone() != wasGone)
}
