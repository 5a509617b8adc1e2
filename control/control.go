package control

import (
	"io"
	"log/slog"
	"sync"

	"odysseus/fleet"
)

// Deps are everything that Control works with. All are required but Refused.
type Deps struct {
	Store     Store
	Scheduler Scheduler
	Fleet     Fleet
	Now       Clock
	// NewID makes identifiers that are unique for ever and say nothing.
	NewID func() string
	// Random is where secrets and salts come from; crypto/rand.Reader in production.
	Random io.Reader
	// Pinned are the geo settings that the file or the environment sets.
	Pinned Pinned
	Logger *slog.Logger
	// HeartbeatSeconds and LeaseSeconds are what agents are told to obey.
	HeartbeatSeconds, LeaseSeconds int
	// Hub wakes long polls; the same one hears the scheduler's commits.
	Hub *Hub
	// Refused hears the code of each fault of a refused write, for counting. Nil hears nothing.
	Refused func(fleet.Code)
}

// Pinned are the settings under scheduler.geo_awareness that the configuration sets. They stand above what the
// console stored, and no API changes them.
type Pinned struct {
	Enabled *bool
	OnDrift *string
	Regions *[]fleet.Region
	// Source says where each is set, by the key of the JSON form (enabled, onDrift, regions): a file's name or an
	// environment variable's.
	Source map[string]string
}

// Control is the control plane as its actors see it. It is safe for concurrent use. What it works with is its own:
// an edge reaches the store and the scheduler through its methods alone, past no rule.
type Control struct {
	deps      Deps
	passwords *hasher
	failures  *failures
	agents    *agents
	geo       sync.Mutex // held while the geo settings change
}

// New makes a Control of its parts.
func New(d Deps) *Control {
	return &Control{deps: d, passwords: newHasher(d.Random), failures: newFailures(d.Now), agents: newAgents()}
}
