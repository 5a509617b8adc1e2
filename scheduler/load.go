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
	for _, row := range s.Policies {
		p.setPolicy(row)
	}
	for _, row := range s.Overrides {
		p.setOverride(row)
	}
	for _, row := range s.Deployments {
		p.loadRow(p.setDeployment(row, now), row.Status, s.Bindings)
	}
	for _, row := range s.Resources {
		p.loadRow(p.setResource(row, now), row.Status, s.Bindings)
	}
	for _, x := range s.Renderings {
		p.loadRendering(x)
	}
	block := make([]container, len(s.Containers))
	for i := range s.Containers {
		if err := p.loadContainer(&s.Containers[i], &block[i]); err != nil {
			return err
		}
	}
	bySeq := func(a, b *container) int { return cmp.Compare(a.seq, b.seq) }
	for _, d := range p.deployments {
		if !slices.IsSortedFunc(d.containers, bySeq) {
			slices.SortFunc(d.containers, bySeq)
		}
	}
	for _, n := range p.nodes {
		p.touch(n)
	}
	p.settle()
	return nil
}

// loadRow takes over what earlier decisions on a row left; nil for one that was heard of since.
func (p *picture) loadRow(d *deployment, status *fleet.DeploymentStatus, bindings map[string]fleet.Binding) {
	if d == nil {
		return
	}
	if b, bound := bindings[d.uid]; bound {
		p.setBinding(d, b)
	}
	if status == nil {
		return
	}
	kept := *status
	p.setStatus(d, &kept)
	// What kept it pending before the start was said before the start.
	if kept.PendingSince != nil {
		d.codes = unsaid
	}
}

// loadRendering takes over what is stored of a rendering.
func (p *picture) loadRendering(x fleet.Rendering) {
	d, ok := p.deployments[x.UID]
	if !ok {
		return
	}
	if d.renders == nil {
		d.renders = &renders{known: map[int64]known{}}
	}
	of := d.object
	of.Object = x.Object
	d.renders.known[x.Number] = known{x.Object, fleet.TemplateOf(&of)}
}

// unsaid stands for the codes of a Pending event that an earlier run has written.
const unsaid = "?"

func (p *picture) loadContainer(row *fleet.Container, c *container) error {
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
	} else {
		takes.users++
	}
	*c = container{
		deployment: d, node: n, need: takes, revision: row.Revision, seq: seq, replica: int32(row.Replica), rendering: int32(row.Rendering), state: stateOf(row.State),
	}
	if row.Stop {
		c.flags |= stopping
	}
	d.containers = append(d.containers, c)
	if n.deleted {
		c.flags |= vanished
	} else {
		n.hold(c)
		n.used = n.used.Plus(takes.Amount) // its leaf follows when all are there
	}
	d.last = max(d.last, seq)
	if d.status != nil && d.status.Drifting > 0 && p.outside(c) {
		c.drift = n.class.place
	}
	return nil
}
