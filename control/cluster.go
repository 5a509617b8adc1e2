package control

import (
	"context"
	"strconv"

	"odysseus/fleet"
)

// NewCluster is the body of a POST or PUT. What a POST leaves out: runtime is agents, labels are none, and every
// tenant may use the cluster; what a PUT leaves out stays as it is.
type NewCluster struct {
	Name    string             `json:"name" validate:"omitempty,name"`
	Runtime string             `json:"runtime" validate:"omitempty,oneof=agents"`
	Labels  *map[string]string `json:"labels"`
	Tenants *[]string          `json:"tenants"`
	// What GET answers can be sent back; of these only the version is read, and compared as If-Match is.
	ResourceVersion string `json:"resourceVersion"`
	APIVersion      string `json:"apiVersion" decode:"ignore"`
	Kind            string `json:"kind" decode:"ignore"`
	Metadata        string `json:"metadata" decode:"ignore"`
	CreatedAt       string `json:"createdAt" decode:"ignore"`
	Nodes           string `json:"nodes" decode:"ignore"`
}

// ClusterView is a cluster with its nodes counted; for tenants without the counts and the list of tenants.
type ClusterView struct {
	fleet.Cluster
	// NodesLive and Nodes are counted for the platform's roles alone.
	NodesLive, Nodes int
}

// maxLabels bounds the labels that one thing may carry.
const maxLabels = 64

// Clusters that the actor may use; all, for the platform's roles.
func (c *Control) Clusters(ctx context.Context, a Actor, o fleet.ListOptions) (Page[ClusterView], error) {
	var page Page[ClusterView]
	err := c.read(ctx, a, kindCluster, func(tx Reader) error {
		clusters, next, err := tx.Clusters(ctx, a.Tenant, o)
		page.Continue = next
		for _, cluster := range clusters {
			page.Items = append(page.Items, c.clusterView(a, cluster))
		}
		return err
	})
	return page, wrap("list clusters", err)
}

// Cluster that the actor may use.
func (c *Control) Cluster(ctx context.Context, a Actor, name string) (ClusterView, error) {
	var v ClusterView
	err := c.read(ctx, a, kindCluster, func(tx Reader) error {
		cluster, err := ownCluster(ctx, tx, a, name)
		v = c.clusterView(a, cluster)
		return err
	})
	return v, wrap("read cluster", err)
}

func (c *Control) clusterView(a Actor, cluster fleet.Cluster) ClusterView {
	if !a.Platform() {
		cluster.Tenants = nil // whose else it is, is nobody's business
		return ClusterView{Cluster: cluster}
	}
	live, all := c.deps.Fleet.ClusterNodes(cluster.Name)
	return ClusterView{Cluster: cluster, NodesLive: live, Nodes: all}
}

func ownCluster(ctx context.Context, tx Reader, a Actor, name string) (fleet.Cluster, error) {
	cluster, err := tx.Cluster(ctx, name)
	if err == nil && !a.Platform() && !cluster.Grants(a.Tenant) {
		err = fleet.ErrNotFound
	}
	if err != nil {
		return fleet.Cluster{}, err
	}
	return cluster, nil
}

// CreateCluster adds a cluster, still without nodes.
func (c *Control) CreateCluster(ctx context.Context, a Actor, b Body[NewCluster], o WriteOptions) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: kindCluster, name: b.Value.Name}
	return c.writeCluster(ctx, a, s, o, nil,
		func(tx Reader) (fleet.Cluster, fleet.FieldErrors, error) {
			if err := mayWrite(a, kindCluster); err != nil {
				return fleet.Cluster{}, nil, err
			}
			next := fleet.Cluster{Name: b.Value.Name, Runtime: fleet.ClusterAgents, Labels: map[string]string{}, Tenants: []string{fleet.AllTenants}, CreatedAt: c.deps.Now().UTC()}
			var further fleet.FieldErrors
			if next.Name == "" {
				further = append(further, fleet.FieldError{Code: fleet.CodeRequired, Field: "name", Want: "name"})
			}
			faults, err := admitCluster(ctx, tx, b, &next, further)
			if err != nil || len(faults) > 0 {
				return fleet.Cluster{}, faults, err
			}
			_, err = tx.Cluster(ctx, next.Name)
			taken, err := isTaken(err)
			if err != nil || taken {
				return fleet.Cluster{}, located(b.Doc, exists("name", next.Name)), err
			}
			return next, nil, nil
		})
}

// UpdateCluster changes a cluster's labels and whom it is granted to.
func (c *Control) UpdateCluster(ctx context.Context, a Actor, name string, b Body[NewCluster], o WriteOptions) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	s := &subject{verb: "update", kind: kindCluster, name: name}
	old := &fleet.Cluster{}
	return c.writeCluster(ctx, a, s, o, old,
		func(tx Reader) (fleet.Cluster, fleet.FieldErrors, error) {
			stored, err := c.clusterForWriting(ctx, tx, a, name, o)
			if err != nil {
				return fleet.Cluster{}, nil, err
			}
			if !matches(b.Value.ResourceVersion, stored.ResourceVersion) {
				return fleet.Cluster{}, nil, fleet.ErrStale
			}
			*old = stored
			var further fleet.FieldErrors
			if given := b.Value.Name; given != "" && given != name {
				further = append(further, fleet.FieldError{Code: fleet.CodeNameMismatch, Field: "name", Value: given, Want: "same_name", WantArgs: map[string]string{"Name": name}, Suggestion: name})
			}
			next := stored
			faults, err := admitCluster(ctx, tx, b, &next, further)
			return next, faults, err
		})
}

func (c *Control) writeCluster(ctx context.Context, a Actor, s *subject, o WriteOptions, old *fleet.Cluster, plan func(Reader) (fleet.Cluster, fleet.FieldErrors, error)) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	next, refused, err := write(ctx, c, a, s, o.DryRun, plan, func(tx Writer, next *fleet.Cluster) (effect, error) {
		var before any
		if old != nil {
			before = clusterSpec(*old)
		}
		changes, err := diff(before, clusterSpec(*next))
		if err != nil || old != nil && len(changes) == 0 {
			return effect{nothing: true}, err
		}
		if old == nil {
			*next, err = tx.InsertCluster(ctx, *next)
		} else {
			*next, err = tx.UpdateCluster(ctx, *next)
		}
		return effect{changes: changes}, err
	})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Cluster]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.ClusterChanged(next)
	}
	return Written[fleet.Cluster]{Object: next, Created: old == nil}, nil, nil
}

// clusterSpec is the part of a cluster that people write: what the audit compares.
func clusterSpec(c fleet.Cluster) any {
	return struct {
		Runtime string            `json:"runtime"`
		Labels  map[string]string `json:"labels,omitempty"`
		Tenants []string          `json:"tenants"`
	}{c.Runtime, c.Labels, c.Tenants}
}

// DeleteCluster deletes a cluster that has no nodes any more.
func (c *Control) DeleteCluster(ctx context.Context, a Actor, name string, o WriteOptions) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: kindCluster, name: name}
	cluster, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.Cluster, fleet.FieldErrors, error) {
			cluster, err := c.clusterForWriting(ctx, tx, a, name, o)
			if err != nil {
				return fleet.Cluster{}, nil, err
			}
			nodes, next, err := tx.Nodes(ctx, fleet.NodeFilter{Cluster: name}, fleet.ListOptions{Limit: maxPage})
			if err != nil {
				return fleet.Cluster{}, nil, err
			}
			if len(nodes) == 0 {
				return cluster, nil, nil
			}
			count := strconv.Itoa(len(nodes))
			if next != "" {
				count += "+"
			}
			return fleet.Cluster{}, fleet.FieldErrors{{Code: fleet.CodeClusterInUse, Field: "name", Value: name, Args: map[string]string{"Count": count}}}, nil
		},
		func(tx Writer, cluster *fleet.Cluster) (effect, error) {
			changes, err := diff(clusterSpec(*cluster), nil)
			if err != nil {
				return effect{}, err
			}
			return effect{changes: changes}, tx.DeleteCluster(ctx, name)
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Cluster]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.ClusterDeleted(name)
	}
	return Written[fleet.Cluster]{Object: cluster}, nil, nil
}

func (c *Control) clusterForWriting(ctx context.Context, tx Reader, a Actor, name string, o WriteOptions) (fleet.Cluster, error) {
	cluster, err := ownCluster(ctx, tx, a, name)
	if err != nil {
		return fleet.Cluster{}, err
	}
	if err := mayWrite(a, kindCluster); err != nil {
		return fleet.Cluster{}, err
	}
	if !matches(o.IfMatch, cluster.ResourceVersion) {
		return fleet.Cluster{}, fleet.ErrStale
	}
	return cluster, nil
}
