package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"odysseus/fleet"
)

// Options is what an agent is made of. Config and Runtime are required.
type Options struct {
	// Config is complete: see Config.Complete.
	Config  Config
	Runtime Runtime
	// HTTPClient lends its transport, which several agents may share; nil gives the agent one of its own.
	HTTPClient *http.Client
	// Logger; nil discards.
	Logger *slog.Logger
	// Clock; nil is the machine's.
	Clock Clock
	// Random answers numbers in [0, 1) to spread calls with; nil is Go's own generator.
	Random func() float64
}

// Agent speaks for one node. Its methods may be called from any goroutine.
type Agent struct {
	config  Config
	runtime Runtime
	client  *Client
	log     *slog.Logger
	clock   Clock
	random  func() float64

	// wake tells carry to look again, changed tells heartbeat to report at once; both hold one mark.
	wake, changed chan struct{}
	// ready is closed once there is something whole to report: a status that left out a running container would
	// have it taken for exited.
	ready chan struct{}

	mu      sync.Mutex
	geo     fleet.Geo
	pace    Pace
	since   int64
	anew    context.CancelFunc // ends the long poll under way
	list    []fleet.Assignment
	listed  bool
	reports []fleet.ContainerReport
}

// Heartbeat until the control plane says another, and what it may say.
const (
	defaultHeartbeat = 10 * time.Second
	mostHeartbeat    = time.Hour
)

// New refuses a configuration that an agent cannot start with.
func New(o Options) (*Agent, fleet.FieldErrors) {
	if faults := o.Config.Validate(); len(faults) > 0 {
		return nil, faults
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return &Agent{
		config:  o.Config,
		runtime: o.Runtime,
		client:  NewClient(o.Config.ControlPlane, o.HTTPClient),
		log:     o.Logger.With("node", o.Config.Name),
		clock:   o.Clock,
		random:  o.Random,
		wake:    make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
		ready:   make(chan struct{}),
		geo:     fleet.Geo{Country: o.Config.Country, Region: o.Config.GeoRegion},
	}, nil
}

// Run enrols where that has not been done and then serves until ctx ends, which is no error. Containers keep
// running afterwards; the next Run, of a new Agent on the same state directory and engine, adopts them. Errors: the
// state directory cannot be used, or the enrolment is refused for good. Run is called once.
func (a *Agent) Run(ctx context.Context) (err error) {
	state, err := openState(a.config.StateDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, state.close()) }()
	defer a.client.close()
	id, err := a.enrol(ctx, state)
	if err != nil {
		if ctx.Err() != nil {
			return nil // asked to end before it could enrol
		}
		return err
	}
	a.client = a.client.WithCredential(id.Credential)
	a.log.InfoContext(ctx, "agent runs", "cluster", id.Cluster, "runtime", a.runtime.Name())
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){
		a.watch,
		a.poll,
		a.heartbeat,
		func(ctx context.Context) { a.carry(ctx, state) },
	} {
		loops.Go(func() { loop(ctx) })
	}
	loops.Wait()
	return nil
}

// SetGeo changes where this agent says that it is, as a new configuration would, and reports it at once. Nothing
// changes where the values are refused.
func (a *Agent) SetGeo(country, region string) fleet.FieldErrors {
	if faults := validateGeo(country, region); len(faults) > 0 {
		return faults
	}
	a.mu.Lock()
	a.geo = fleet.Geo{Country: country, Region: region}
	a.mu.Unlock()
	mark(a.changed)
	return nil
}

// status is what the agent says now.
func (a *Agent) status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	labels := map[string]string{}
	if a.geo.Country != "" {
		labels[fleet.LabelNodeCountry] = a.geo.Country
	}
	if a.geo.Region != "" {
		labels[fleet.LabelNodeGeoRegion] = a.geo.Region
	}
	return Status{Labels: labels, Capacity: a.config.Capacity, Containers: a.reports}
}

// publish keeps what is to be reported, and has it reported at once where it is news.
func (a *Agent) publish(r []fleet.ContainerReport) {
	a.mu.Lock()
	first := a.reports == nil
	news := !slices.EqualFunc(a.reports, r, sameReport)
	a.reports = r
	a.mu.Unlock()
	switch {
	case first:
		close(a.ready)
	case news:
		mark(a.changed)
	}
}

// assigned is the last list, and false while there was none.
func (a *Agent) assigned() ([]fleet.Assignment, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.list, a.listed
}

// obey takes over the pace that the control plane asks for; what it leaves out stays as it was.
func (a *Agent) obey(p Pace) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.HeartbeatSeconds > 0 {
		a.pace = p
	}
}

// every is the time between heartbeats.
func (a *Agent) every() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pace.HeartbeatSeconds == 0 {
		return defaultHeartbeat
	}
	return min(time.Duration(min(a.pace.HeartbeatSeconds, int(mostHeartbeat/time.Second)))*time.Second, mostHeartbeat)
}

// pauseAfter is how long a loop waits after a failed call: slowly where only an operator can mend it, otherwise with
// back-off and at most for a heartbeat, so that a control plane that is back knows within one.
func (a *Agent) pauseAfter(err error, b *backoff) time.Duration {
	if errors.Is(err, ErrUnauthenticated) || errors.Is(err, ErrForbidden) {
		return early(slowPause, a.random())
	}
	b.limit = a.every()
	pause := b.next()
	if answer := (*AnswerError)(nil); errors.As(err, &answer) {
		pause = max(pause, answer.RetryAfter)
	}
	return pause
}

// wait is false where ctx ended first.
func (a *Agent) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-a.clock.After(d):
		return true
	}
}

// mark leaves a mark in a channel that holds one.
func mark(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// condition logs what is wrong once when it begins and once when it is over, not at every attempt.
type condition struct {
	log  *slog.Logger
	what string
}

func (c *condition) begins(ctx context.Context, level slog.Level, what string, err error) {
	if c.what != what {
		c.what = what
		c.log.Log(ctx, level, what, "error", err)
	}
}

func (c *condition) over(ctx context.Context, what string) {
	if c.what != "" {
		c.what = ""
		c.log.InfoContext(ctx, what)
	}
}

// failed begins the condition that a failed call to the control plane means.
func (c *condition) failed(ctx context.Context, err error) {
	switch {
	case errors.Is(err, ErrUnauthenticated), errors.Is(err, ErrForbidden):
		c.begins(ctx, slog.LevelError, "the control plane refuses this node's credential: was the node deleted? Containers keep running; delete the state directory and enrol anew", err)
	case errors.Is(err, ErrRedirect):
		c.begins(ctx, slog.LevelError, "the control plane redirects, which is not followed: correct control_plane", err)
	default:
		c.begins(ctx, slog.LevelWarn, "cannot reach the control plane: containers keep running", err)
	}
}

// wrap is for errors that go to whoever started the agent.
func (a *Agent) wrap(verb string, err error) error {
	return fmt.Errorf("%s node %s: %w", verb, a.config.Name, err)
}
