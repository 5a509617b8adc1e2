package scheduler

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"odysseus/fleet"
)

// load builds the picture of what is stored. What was told before stands: rows carry their versions.
func (p *picture) load(s fleet.Snapshot, now time.Time) error {
	for _, c := range s.Clusters {
		p.setCluster(c)
	}
	for _, n := range s.Nodes {
		p.setNode(n, now)
	}
	for _, row := range s.Deployments {
		d := p.setDeployment(row, now)
		if d == nil {
			continue
		}
		if row.Status != nil {
			status := *row.Status
			d.status = &status
			// What kept it pending before the start was said before the start.
			if status.PendingSince != nil {
				d.codes = unsaid
			}
		}
	}
	for i := range s.Containers {
		if err := p.loadContainer(&s.Containers[i]); err != nil {
			return err
		}
	}
	for _, d := range p.deployments {
		slices.SortFunc(d.containers, func(a, b *container) int { return cmp.Compare(a.seq, b.seq) })
	}
	p.settle()
	return nil
}

// unsaid stands for the codes of a Pending event that an earlier run has written.
const unsaid = "?"

func (p *picture) loadContainer(row *fleet.Container) error {
	uid, seq, err := splitID(row.ID)
	if err != nil {
		return err
	}
	if uid != row.DeploymentUID {
		return fmt.Errorf("read container %q: it belongs to deployment %q", row.ID, row.DeploymentUID)
	}
	d, ok := p.deployments[uid]
	if !ok {
		d = p.orphan(*row)
	}
	n, ok := p.nodes[row.Node]
	if !ok {
		n = &node{name: row.Node, deleted: true}
	}
	takes := d.need
	if row.Requests != (fleet.Amount{}) && row.Requests != d.need.Amount {
		takes = p.needOf(row.Requests) // of an older template
		defer p.dropNeed(takes)        // attach counts it
	}
	c := &container{
		deployment: d, node: n, need: takes, revision: row.Revision, seq: seq, replica: int32(row.Replica), state: stateOf(row.State),
	}
	if row.Stop {
		c.flags |= stopping
	}
	if n.deleted {
		c.flags |= vanished
		c.need.users++
		d.containers = append(d.containers, c)
	} else {
		p.attach(c)
	}
	d.last = max(d.last, seq)
	if d.status != nil && d.status.Drifting > 0 && p.outside(c) {
		c.drift = n.class.place
	}
	return nil
}
