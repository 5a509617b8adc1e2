package agent

import "time"

// Pauses of the agent. What is not here the control plane says: the heartbeat.
const (
	firstPause = 500 * time.Millisecond // after the first failed call
	// slowPause is between calls that the control plane refuses for good (the node was deleted, its credential
	// revoked): an operator may mend it, nobody else can.
	slowPause = time.Minute
	// mostRetryAfter bounds what a Retry-After may ask for.
	mostRetryAfter = time.Minute
	// shortPoll is the least time between two answers that bring no new version: a control plane that does not hold
	// the long poll must not make the agent spin.
	shortPoll = time.Second
)

// Restarting, from runtime.md: "the first time at once, then after 1, 2, 4 … at most 300 s, afresh after ten
// minutes of running".
const (
	firstRestart = time.Second
	mostRestart  = 300 * time.Second
	freshAfter   = 10 * time.Minute
)

// doubled is first, doubled n times, at most limit.
func doubled(first time.Duration, n int, limit time.Duration) time.Duration {
	d := first
	for ; n > 0 && d < limit; n-- {
		d *= 2
	}
	return min(d, limit)
}

// backoff is the pause between attempts of one loop. Half of it is random, so that agents that lost their control
// plane together do not come back together.
type backoff struct {
	limit  time.Duration
	random func() float64 // in [0, 1)
	failed int
}

func (b *backoff) next() time.Duration {
	d := doubled(firstPause, b.failed, b.limit)
	b.failed++
	return d/2 + time.Duration(b.random()*float64(d/2))
}

func (b *backoff) reset() { b.failed = 0 }

// early shortens d by up to a tenth: heartbeats spread out and never come late.
func early(d time.Duration, random float64) time.Duration {
	return d - time.Duration(random*float64(d)/10)
}
