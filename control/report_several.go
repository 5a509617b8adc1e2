package control

import (
	"context"
	"errors"
	"maps"
	"slices"

	"odysseus/fleet"
)

// several are the replicas that have several containers: the containers' names by row. One that no report has named a
// container of yet may be missing; until then there is nothing to tell apart.
type several map[string][]string

// has says whether the row has that container; the empty name is the only one's.
func (s several) has(row, name string) bool {
	names, found := s[row]
	return found == (name != "") && (name == "" || slices.Contains(names, name))
}

// severalOf finds them by what was reported of them before, and asks what their workload says where a container is named
// for the first time.
func severalOf(ctx context.Context, tx Reader, containers []fleet.Container, said map[string]map[string]fleet.ContainerReport) (several, error) {
	type source struct {
		uid                 string
		revision, rendering int64
	}
	s, asked := several{}, map[source][]string{}
	for _, row := range containers {
		if len(row.Parts) > 0 {
			s[row.ID] = slices.Sorted(maps.Keys(row.Parts))
			continue
		}
		named := namedIn(said[row.ID])
		if len(named) == 0 {
			continue
		}
		from := source{row.DeploymentUID, row.Revision, row.Rendering}
		if row.Rendering > 0 {
			from.revision = 0 // it runs what overrides made of it, whatever the revision
		}
		names, known := asked[from]
		if !known {
			var err error
			if from.rendering > 0 {
				names, err = tx.RenderedContainers(ctx, from.uid, from.rendering)
			} else {
				names, err = tx.ReplicaContainers(ctx, from.uid, from.revision)
			}
			switch {
			case errors.Is(err, fleet.ErrNotFound):
				// The workload was deleted before anything was reported. What the agent started of it, it knows best.
				s[row.ID] = named
				continue
			case err != nil:
				return nil, err
			}
			asked[from] = names
		}
		if names != nil {
			s[row.ID] = names
		}
	}
	return s, nil
}

// namedIn are the names that a report gives a replica's containers, sorted.
func namedIn(said map[string]fleet.ContainerReport) []string {
	var names []string
	for name := range said {
		if fleet.IsName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
