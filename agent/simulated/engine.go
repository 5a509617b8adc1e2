package simulated

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"odysseus/agent"
	"odysseus/fleet"
)

// Options of an engine.
type Options struct {
	// StartAfter is how long a container is starting before it runs.
	StartAfter time.Duration
	// StopAfter is how long one takes to end when it is asked to. One that takes longer than its grace is ended by
	// force.
	StopAfter time.Duration
	// Behave says what a container does; nil is ByAssignment.
	Behave func(fleet.Assignment) Behaviour
	// Clock; nil is the machine's.
	Clock agent.Clock
}

// Engine holds simulated containers. Its methods may be called from any goroutine.
type Engine struct {
	options Options

	mu    sync.Mutex
	nodes map[string]*share
}

// share is what one node has of an engine.
type share struct {
	containers map[string]*container
	// changed is closed and replaced at each change that does not come with time.
	changed chan struct{}
}

// NewEngine makes an engine without containers.
func NewEngine(o Options) *Engine {
	if o.Behave == nil {
		o.Behave = ByAssignment
	}
	if o.Clock == nil {
		o.Clock = agent.SystemClock{}
	}
	return &Engine{options: o, nodes: map[string]*share{}}
}

// New makes a runtime with an engine of its own, for a single node.
func New(o Options) *Runtime { return NewEngine(o).Runtime("") }

// Runtime is the engine as the agent of one node uses it. Every call for one name answers the same containers.
func (e *Engine) Runtime(node string) *Runtime {
	e.mu.Lock()
	defer e.mu.Unlock()
	return &Runtime{engine: e, share: e.share(node)}
}

// Kill ends a container behind its agent's back; false where there is none that runs.
func (e *Engine) Kill(node, id string, exitCode int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.options.Clock.Now()
	s := e.share(node)
	c := s.containers[id]
	if c == nil || c.ended(now) {
		return false
	}
	c.end(now, exitCode)
	s.tell()
	return true
}

// Remove takes a container away behind its agent's back; false where there is none.
func (e *Engine) Remove(node, id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.share(node)
	_, there := s.containers[id]
	delete(s.containers, id)
	s.tell()
	return there
}

// share is called with mu held, as are its own methods.
func (e *Engine) share(node string) *share {
	s := e.nodes[node]
	if s == nil {
		s = &share{containers: map[string]*container{}, changed: make(chan struct{})}
		e.nodes[node] = s
	}
	return s
}

// tell wakes everybody who watches.
func (s *share) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// list is sorted by ID.
func (s *share) list(now time.Time) []agent.Container {
	out := make([]agent.Container, 0, len(s.containers))
	for _, c := range s.containers {
		out = append(out, c.at(now))
	}
	slices.SortFunc(out, func(a, b agent.Container) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// next is how long it is until something changes with time; 0 where nothing will.
func (s *share) next(now time.Time) time.Duration {
	var next time.Time
	for _, c := range s.containers {
		if at := c.next(now); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if next.IsZero() {
		return 0
	}
	return next.Sub(now)
}
