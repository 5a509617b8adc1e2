package agent

import (
	"context"
	"time"

	"odysseus/fleet"
)

// Runtime carries out what the scheduler decided. An implementation speaks for one node: several agents may share
// an engine, and what another one, or a person, started there does not exist for it.
//
// The agent calls it from several goroutines, but never for one container at the same time. Package conformance
// holds every implementation to what stands here.
type Runtime interface {
	// Name is what the agent enrols with: "simulated", "docker".
	Name() string
	// List answers every container of this node that the engine holds, running or ended, whichever agent process
	// started it, in any order. An error means that nothing is known; it never stands for an empty list.
	List(ctx context.Context) ([]Container, error)
	// Start makes the container run, and answers when the engine has started it or cannot. One with that ID that
	// already runs is left as it is; one that was created and never started, or that ended, is started; otherwise it
	// is created from the assignment. It may take as long as an image takes to pull, and ends early with ctx. The
	// error's text is shown to the tenant as the container's message: it says what cannot be done and the engine's
	// own words ("cannot pull image REF: …"), and names neither node nor engine.
	Start(ctx context.Context, a fleet.Assignment) error
	// Stop asks the container to end, ends it by force when the grace is over, removes it, and answers when it is
	// gone. A container that the engine does not hold is gone already: no error.
	Stop(ctx context.Context, id string, grace time.Duration) error
	// Watch calls changed once as soon as it would notice changes, and again after each change of a container of
	// this node, however it came about. Several changes may share a call. It returns when ctx ends or the engine's
	// events break off; the agent then calls it again.
	Watch(ctx context.Context, changed func()) error
}

// Container is a container as its runtime holds it.
type Container struct {
	ID string
	// State is starting, running, unhealthy, exited or failed; assigned for one that was created and never started
	// (the agent died in between) or is no longer what was asked for: the agent then calls Start again.
	State fleet.ContainerState
	// Message is the engine's word on the state; empty where it has none. Of an ended container the agent says the
	// exit code itself.
	Message string
	// ExitCode and OutOfMemory say how an exited container ended.
	ExitCode    int
	OutOfMemory bool
	// StartedAt is when it was last started, EndedAt when it then ended; zero where it did not.
	StartedAt time.Time
	EndedAt   time.Time
	// Grace is the terminationGracePeriodSeconds that it was started with: what it gets when no list holds it any more.
	Grace time.Duration
}
