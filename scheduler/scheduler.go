package scheduler

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"odysseus/fleet"
)

// Defaults of Options.
const (
	DefaultLease  = 40 * time.Second
	DefaultResync = 10 * time.Minute
)

// Options are what a Scheduler works with. Store is required.
type Options struct {
	Store Store
	// Listener may be nil.
	Listener Listener
	// GeoAwareness in force at the start; GeoAwarenessChanged changes it.
	GeoAwareness fleet.GeoAwareness
	// Now tells the time, and After says when some has passed: time.Now and time.After where left out. A test's
	// clock fires the channel when it is moved that far.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	// Lease is how long a node may be silent before it is lost; agents.lease_seconds.
	Lease time.Duration
	// Resync is how often everything that waits is looked at again, though nothing happened: a net under the
	// wake-ups, not a part of them.
	Resync time.Duration
	// Committed hears how long each commit took that was stored; may be nil.
	Committed func(took time.Duration)
	Logger    *slog.Logger
}

// Scheduler decides where replicas go. It satisfies control.Scheduler and control.Fleet.
type Scheduler struct {
	store    Store
	listener Listener
	now      func() time.Time
	after    func(time.Duration) <-chan time.Time
	resync   time.Duration
	log      *slog.Logger
	// committed may be nil.
	committed func(took time.Duration)
	// kick tells Run that there is something to do, or that a timer may be due earlier.
	kick chan struct{}

	// mu guards all below. It is never held while the store or the listener is called.
	mu      sync.RWMutex
	picture *picture
	// batch is how many decisions go into one commit: fewer after a failure, so that one that cannot be stored does
	// not hold up the others for ever.
	batch      int
	committing bool
	waiters    []chan struct{}
	nextResync time.Duration
	stats      Stats
}

// New makes a scheduler that knows nothing yet.
func New(o Options) *Scheduler {
	s := &Scheduler{
		store: o.Store, listener: o.Listener, now: o.Now, after: o.After, resync: o.Resync, log: o.Logger, committed: o.Committed,
		kick: make(chan struct{}, 1), picture: newPicture(), batch: maxDecisions,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.after == nil {
		s.after = time.After
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.resync <= 0 {
		s.resync = DefaultResync
	}
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	s.picture.lease.length, s.picture.lease.longest = o.Lease, 2*o.Lease
	s.picture.adopt(o.GeoAwareness)
	s.nextResync = s.resync
	return s
}

// Start reads the whole fleet and looks at every deployment once. "Leases start afresh when the control plane
// starts": every known node counts as alive until its lease ends.
func (s *Scheduler) Start(ctx context.Context) error {
	snapshot, err := s.store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load fleet: %w", err)
	}
	s.mu.Lock()
	defer s.unlock()
	p := s.picture
	if err := p.load(snapshot, s.now()); err != nil {
		return fmt.Errorf("load fleet: %w", err)
	}
	// In the order of the rows, so that equal fleets are scheduled alike.
	for i := range snapshot.Deployments {
		if d, ok := p.deployments[snapshot.Deployments[i].Metadata.UID]; ok {
			p.enqueue(d)
		}
	}
	for i := range snapshot.Resources {
		if d, ok := p.deployments[snapshot.Resources[i].UID]; ok {
			p.enqueue(d)
		}
	}
	for i := range snapshot.Containers {
		if d, ok := p.deployments[snapshot.Containers[i].DeploymentUID]; ok && d.deleted {
			p.enqueue(d)
		}
	}
	return nil
}

// unlock leaves the picture settled, as readers need it, and tells Run and those who wait for rest.
func (s *Scheduler) unlock() {
	s.picture.settle()
	s.rested()
	s.wakeRun()
	s.mu.Unlock()
}

// wakeRun tells Run that there is something to decide, or something due earlier than it knows.
func (s *Scheduler) wakeRun() {
	if s.picture.queue.len() == 0 && !s.picture.lease.earlier {
		return
	}
	s.picture.lease.earlier = false
	select {
	case s.kick <- struct{}{}:
	default:
	}
}
