package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"odysseus/fleet"
)

// standing is what is stored of the deployment or resource that a decision is about.
type standing struct {
	generation int64
	kind       string
}

// ask reads what the decisions rest on.
func (c *commit) ask(ctx context.Context, decisions []fleet.Decision) error {
	var deployments, resources, names []string
	var policies []fleet.PolicyRef
	var renderings []renderingKey
	named := map[string]struct{}{}
	for i := range decisions {
		d := &decisions[i]
		if d.Deleted {
			continue
		}
		if d.Resource {
			resources = append(resources, d.DeploymentUID)
		} else {
			deployments = append(deployments, d.DeploymentUID)
		}
		if d.Binding != nil && d.Binding.Policy != nil {
			policies = append(policies, *d.Binding.Policy)
		}
		renderings = restsOn(d, renderings)
		for j := range d.Assign {
			node := d.Assign[j].Node
			if _, ok := named[node]; !ok {
				named[node] = struct{}{}
				names = append(names, node)
			}
		}
	}
	var err error
	if c.deployments, err = c.askStanding(ctx, "SELECT uid, generation, 'Deployment' FROM deployments", deployments); err != nil {
		return fmt.Errorf("read generations: %w", err)
	}
	if c.resources, err = c.askStanding(ctx, "SELECT uid, generation, kind FROM resources", resources); err != nil {
		return fmt.Errorf("read generations of resources: %w", err)
	}
	if err := c.askPolicies(ctx, policies); err != nil {
		return fmt.Errorf("read policies: %w", err)
	}
	if c.renderings, err = c.tx.hasRenderings(ctx, renderings); err != nil {
		return fmt.Errorf("read renderings: %w", err)
	}
	c.nodes = make(map[string]struct{}, len(names))
	if len(names) > 0 {
		err := c.tx.each(ctx, "SELECT node FROM node_assignments WHERE node IN (SELECT value FROM json_each(?))", []any{jsonText(names)},
			func(s scanner) (bool, error) {
				var node string
				err := s.Scan(&node)
				c.nodes[node] = struct{}{}
				return true, err
			})
		if err != nil {
			return fmt.Errorf("read nodes: %w", err)
		}
	}
	return nil
}

func (c *commit) askStanding(ctx context.Context, from string, uids []string) (map[string]standing, error) {
	found := make(map[string]standing, len(uids))
	if len(uids) == 0 {
		return found, nil
	}
	err := c.tx.each(ctx, from+" WHERE uid IN (SELECT value FROM json_each(?))", []any{jsonText(uids)}, func(s scanner) (bool, error) {
		var uid string
		var st standing
		err := s.Scan(&uid, &st.generation, &st.kind)
		found[uid] = st
		return true, err
	})
	return found, err
}

// askPolicies reads which of the policies exist. A policy may be deleted, and what it holds freed, between a decision and
// its commit: bound to it, a resource would be nobody's, and its Kept forgotten.
func (c *commit) askPolicies(ctx context.Context, refs []fleet.PolicyRef) error {
	c.policies = make(map[fleet.PolicyRef]struct{})
	if len(refs) == 0 {
		return nil
	}
	slices.SortFunc(refs, func(a, b fleet.PolicyRef) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return c.tx.each(ctx, `SELECT namespace, kind, name FROM policies WHERE (namespace, kind, name) IN
		(SELECT coalesce(value ->> 'namespace', ''), value ->> 'kind', value ->> 'name' FROM json_each(?))`,
		[]any{jsonText(slices.Compact(refs))}, func(s scanner) (bool, error) {
			var ref fleet.PolicyRef
			err := s.Scan(&ref.Namespace, &ref.Kind, &ref.Name)
			c.policies[ref] = struct{}{}
			return true, err
		})
}
