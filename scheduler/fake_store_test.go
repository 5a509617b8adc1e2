package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"odysseus/fleet"
)

// fakeStore is a database in memory: the rows that control writes and those that the scheduler commits.
type fakeStore struct {
	mu          sync.Mutex
	clusters    map[string]fleet.Cluster
	nodes       map[string]fleet.Node
	deployments map[string]fleet.Deployment
	resources   map[string]fleet.StoredResource
	policies    map[fleet.PolicyRef]fleet.Policy
	bindings    map[string]fleet.Binding
	overrides   map[fleet.PolicyRef]fleet.Override
	renderings  map[string]map[int64]fleet.Rendering // by UID and number
	containers  map[string]fleet.Container
	events      []fleet.Event
	sequence    int64
	usedIDs     map[string]bool
	commits     int
	held        []bool // of the last commit

	// before is called with every batch, before anything is stored; its error is the commit's.
	before func([]fleet.Decision) error
	// after is called when the batch is stored; its error is the commit's all the same, as when the answer is lost.
	after func() error
	// refused is told of what the store cannot make sense of.
	refused func(format string, args ...any)
}

var errStore = errors.New("the disk is full")

func newFakeStore() *fakeStore {
	return &fakeStore{
		clusters: map[string]fleet.Cluster{}, nodes: map[string]fleet.Node{}, deployments: map[string]fleet.Deployment{},
		resources: map[string]fleet.StoredResource{}, policies: map[fleet.PolicyRef]fleet.Policy{}, bindings: map[string]fleet.Binding{},
		overrides: map[fleet.PolicyRef]fleet.Override{}, renderings: map[string]map[int64]fleet.Rendering{},
		containers: map[string]fleet.Container{}, usedIDs: map[string]bool{}, refused: func(string, ...any) {},
	}
}

func sortedValues[V any](m map[string]V) []V {
	values := make([]V, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		values = append(values, m[k])
	}
	return values
}

func sortedBy[V any](m map[int64]V) []V {
	values := make([]V, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		values = append(values, m[k])
	}
	return values
}

func (s *fakeStore) Load(context.Context) (fleet.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot := fleet.Snapshot{
		Clusters: sortedValues(s.clusters), Nodes: sortedValues(s.nodes), Deployments: sortedValues(s.deployments),
		Resources: sortedValues(s.resources), Containers: sortedValues(s.containers), Bindings: maps.Clone(s.bindings),
	}
	for _, p := range s.policies {
		snapshot.Policies = append(snapshot.Policies, p)
	}
	for _, o := range s.overrides {
		snapshot.Overrides = append(snapshot.Overrides, o)
	}
	for _, uid := range slices.Sorted(maps.Keys(s.renderings)) {
		snapshot.Renderings = append(snapshot.Renderings, sortedBy(s.renderings[uid])...)
	}
	return snapshot, nil
}

func (s *fakeStore) Commit(_ context.Context, decisions []fleet.Decision) ([]bool, error) {
	if s.before != nil {
		if err := s.before(decisions); err != nil {
			return nil, err
		}
	}
	held := s.store(decisions)
	s.held = held
	if s.after != nil {
		if err := s.after(); err != nil {
			return nil, err
		}
	}
	return held, nil
}

func (s *fakeStore) store(decisions []fleet.Decision) []bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
	held := make([]bool, len(decisions))
	for i, d := range decisions {
		held[i] = d.Deleted || s.generation(&d) == d.Generation
		for _, c := range d.Assign {
			if _, ok := s.nodes[c.Node]; !ok { // its row went while the decision was under way
				held[i] = false
			}
		}
		if b := d.Binding; b != nil && b.Policy != nil && !d.Deleted {
			if _, ok := s.policies[*b.Policy]; !ok { // so did the policy's
				held[i] = false
			}
		}
		if !held[i] {
			continue
		}
		touched := map[string]bool{}
		for _, c := range d.Assign {
			if s.usedIDs[c.ID] {
				s.refused("the ID %s is used twice", c.ID)
			}
			s.usedIDs[c.ID] = true
			s.containers[c.ID] = c
			touched[c.Node] = true
		}
		for _, a := range d.Adopt {
			s.change(a.ID, touched, func(c *fleet.Container) { c.Revision = a.Revision })
		}
		for _, id := range d.Stop {
			s.change(id, touched, func(c *fleet.Container) { c.Stop = true })
		}
		for _, id := range d.Remove {
			if c, ok := s.containers[id]; ok {
				touched[c.Node] = true
				delete(s.containers, id)
			}
		}
		if !d.Deleted {
			s.settle(&d)
			s.events = append(s.events, d.Events...)
		}
		for name := range touched {
			if n, ok := s.nodes[name]; ok {
				n.AssignmentVersion++
				s.nodes[name] = n
			}
		}
	}
	return held
}

// generation of the row that the decision is about; 0 where it is gone.
func (s *fakeStore) generation(d *fleet.Decision) int64 {
	if d.Resource {
		return s.resources[d.DeploymentUID].Generation
	}
	return s.deployments[d.DeploymentUID].Metadata.Generation
}

func (s *fakeStore) settle(d *fleet.Decision) {
	s.render(d)
	if b := d.Binding; b != nil {
		s.bindings[d.DeploymentUID] = *b
		if b.Equal(&fleet.Binding{}) {
			delete(s.bindings, d.DeploymentUID)
		}
	}
	var status *fleet.DeploymentStatus
	if d.Status != nil {
		kept := *d.Status
		status = &kept
	}
	if d.Resource {
		row := s.resources[d.DeploymentUID]
		row.Status, row.LastContainer = cmp.Or(status, row.Status), max(row.LastContainer, d.LastContainer)
		s.resources[d.DeploymentUID] = row
		return
	}
	row := s.deployments[d.DeploymentUID]
	row.Status, row.LastContainer = cmp.Or(status, row.Status), max(row.LastContainer, d.LastContainer)
	s.deployments[d.DeploymentUID] = row
}

// render stores what the decision renders. A number is never used twice, and nothing is dropped that something uses.
func (s *fakeStore) render(d *fleet.Decision) {
	uid := d.DeploymentUID
	if s.renderings[uid] == nil {
		s.renderings[uid] = map[int64]fleet.Rendering{}
	}
	for _, x := range d.Renderings {
		if _, taken := s.renderings[uid][x.Number]; taken {
			s.refused("rendering %d of %s is stored twice", x.Number, uid)
		}
		s.renderings[uid][x.Number] = x
	}
	for _, n := range d.Drop {
		delete(s.renderings[uid], n)
	}
	for _, c := range s.containers {
		if _, there := s.renderings[uid][c.Rendering]; c.DeploymentUID == uid && c.Rendering > 0 && !there {
			s.refused("container %s runs rendering %d, which is not stored", c.ID, c.Rendering)
		}
	}
}

func (s *fakeStore) change(id string, touched map[string]bool, do func(*fleet.Container)) {
	c, ok := s.containers[id]
	if !ok {
		return
	}
	do(&c)
	s.containers[id] = c
	touched[c.Node] = true
}

// of lists a deployment's containers by counter.
func (s *fakeStore) of(uid string) []fleet.Container {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []fleet.Container
	for _, c := range s.containers {
		if c.DeploymentUID == uid {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b fleet.Container) int {
		_, x, _ := splitID(a.ID)
		_, y, _ := splitID(b.ID)
		return cmp.Compare(x, y)
	})
	return list
}

func (s *fakeStore) version() string {
	s.sequence++
	return fmt.Sprint(s.sequence)
}

// fakeListener counts what it hears.
type fakeListener struct {
	mu    sync.Mutex
	nodes []string
	refs  []fleet.Ref
}

func (l *fakeListener) AssignmentsChanged(nodes []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nodes = append(l.nodes, nodes...)
}

func (l *fakeListener) DeploymentsChanged(refs []fleet.Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refs = append(l.refs, refs...)
}
