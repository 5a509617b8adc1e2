package db

import (
	"context"
	"fmt"

	"odysseus/fleet"
)

// restsOn are the renderings that a decision names and does not bring along. They have to be stored: "the un-overridden
// form is never sent", so a container without what it runs could be sent nothing.
func restsOn(d *fleet.Decision, into []renderingKey) []renderingKey {
	brought := func(number int64) bool {
		for i := range d.Renderings {
			if d.Renderings[i].Number == number {
				return true
			}
		}
		return false
	}
	for i := range d.Assign {
		if n := d.Assign[i].Rendering; n > 0 && !brought(n) {
			into = append(into, renderingKey{d.DeploymentUID, n})
		}
	}
	if d.Binding != nil {
		for _, n := range d.Binding.Renderings {
			if !brought(n) {
				into = append(into, renderingKey{d.DeploymentUID, n})
			}
		}
	}
	return into
}

// renders says whether all renderings that the decision rests on are stored.
func (c *commit) renders(d *fleet.Decision) bool {
	for _, k := range restsOn(d, nil) {
		if _, ok := c.renderings[k]; !ok {
			return false
		}
	}
	return true
}

// render seals a decision's new renderings where they hold secrets, and has them wait to be inserted in bulk.
func (c *commit) render(ctx context.Context, d *fleet.Decision) error {
	for i := range d.Renderings {
		g := &d.Renderings[i]
		object, err := c.tx.sealRendering(ctx, renderingKey{d.DeploymentUID, g.Number}, c.resources[d.DeploymentUID].kind, g.Object)
		if err != nil {
			return fmt.Errorf("seal rendering %d: %w", g.Number, err)
		}
		c.rendered = append(c.rendered, renderedRow{d.DeploymentUID, g.Number, g.Cluster, string(object)})
	}
	if len(d.Drop) > 0 {
		c.drops = append(c.drops, d)
	}
	return nil
}

// renderedRow is a row of renderings.
type renderedRow struct {
	uid     string
	number  int64
	cluster string
	object  string
}

func (c *commit) insertRenderings(ctx context.Context) error {
	return insertAll(ctx, c.tx, "INSERT INTO renderings (uid, number, cluster, object) VALUES ", "(?, ?, ?, ?)", c.rendered,
		func(args []any, r renderedRow) []any { return append(args, r.uid, r.number, r.cluster, r.object) })
}

// drop comes last: only then is it known what is run and read.
func (c *commit) drop(ctx context.Context) error {
	for _, d := range c.drops {
		if err := c.tx.dropRenderings(ctx, d.DeploymentUID, d.Drop); err != nil {
			return err
		}
	}
	return nil
}
